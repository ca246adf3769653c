/**
 * Colouring of printed IR, of tiles and of threads, for Monaco: values, operations, types, layouts,
 * attributes.
 */
import type { languages } from 'monaco-editor/editor/editor.api.js';

export const TILE_IR = 'tile-ir';

export const tileIrTokens: languages.IMonarchLanguage = {
  defaultToken: '',
  tokenizer: {
    root: [
      [/\/\/.*$/, 'comment'],
      [/"(?:[^"\\]|\\.)*"/, 'string'],
      // One level of nesting is all there is: tensor<64x!tt.ptr<f32>, #L0>.
      [/![\w.]+(?:<[^<>]*(?:<[^<>]*>[^<>]*)?>)?/, 'type'],
      [/\b(?:tensor|memdesc|memref|vec[234])<[^<>]*(?:<[^<>]*>[^<>]*)?>/, 'type'],
      [/#[\w]+/, 'annotation'],
      [/%[\w.$-]+(?:#\d+)?/, 'variable'],
      [/@[\w.$-]+/, 'function'],
      [/\^[\w]*/, 'keyword'],
      [/\b(?:tt|ttg|arith|math|scf|cf|gpu|func|thread)\.[\w.]+/, 'keyword'],
      [/\b(?:true|false|attributes)\b/, 'keyword'],
      [/\b(?:i1|i8|i16|i32|i64|f16|bf16|f32|f64|f8\w+|u32|bool)\b/, 'type'],
      [/-?\b0x[0-9a-fA-F]+\b|-?\b\d+(?:\.\d+)?(?:[eE][-+]?\d+)?\b/, 'number'],
      [/[{}()[\]<>,:=]|->/, 'delimiter'],
    ],
  },
};
