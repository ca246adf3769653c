/** Monaco's own worker (diffs, word completion), as an entry that the bundler sees. */
import 'monaco-editor/editor/editor.worker.js';
