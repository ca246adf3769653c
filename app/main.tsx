/** The page's entry: starts everything that takes time, then draws. */
import { createRoot } from 'react-dom/client';
import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import './theme/tokens.css';
import './theme/base.css';
import './theme/layout.css';
import './theme/panels.css';
import './editor/editor.css';
import { App } from './App';
import { startCommands } from './commands';
import { startKeyboard } from './palette/keyboard';
import { startPrograms } from './programs/programs';
import { startCompilation } from './state/compilation';
import { start } from './state/document';
import { startRoute, useRoute } from './state/route';
import { startSession } from './state/session';
import { followTheme } from './state/settings';

followTheme();
startRoute();
startCommands();
startKeyboard();
startPrograms();
startSession();
startCompilation();
// A lesson opens its own program; the visitor's comes when the lesson is left.
if (useRoute.getState().kind !== 'learn') void start();

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');
createRoot(root).render(<App />);
