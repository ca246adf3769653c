/** The page's entry: starts everything that takes time, then draws. */
import { createRoot } from 'react-dom/client';
import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import './theme/tokens.css';
import './theme/base.css';
import './theme/layout.css';
import './theme/topbar.css';
import './theme/tabs.css';
import './theme/menus.css';
import './theme/dialogs.css';
import './theme/panels.css';
import './editor/editor.css';
import { App } from './App';
import { startCommands } from './commands';
import { startDrop } from './open/drop';
import { startEditor } from './editor/ProgramEditor';
import { startOffline } from './offline/page';
import { startKeyboard } from './palette/keyboard';
import { startPrograms } from './programs/programs';
import { embedOf } from './share/embed';
import { useView } from './state/view';
import { dismiss } from './programs/notices';
import { startDocument, startLinks } from './share/start';
import { followCompared } from './state/compared';
import { startCompilation } from './state/compilation';
import { useDocument } from './state/document';
import { startRoute, useRoute } from './state/route';
import { startSession } from './state/session';
import { followTheme } from './state/settings';
import { keepNothing } from './state/storage';

startRoute();
useRoute.subscribe((route, old) => {
  // A message about a lesson, or before it, does not concern the next page.
  if (route.kind === 'learn' || old.kind === 'learn') dismiss();
});
const embed = embedOf(useRoute.getState());
useView.setState({ only: embed?.panels ?? null });
followTheme(embed?.theme);
startCommands(embed?.panels);
startKeyboard();
const editor = (embed?.editor ?? true) ? startEditor() : null;
// An embedded page keeps nothing, and looks at nothing that is kept.
if (!embed) {
  startPrograms();
  startLinks();
  startDrop();
} else {
  keepNothing();
  useDocument.setState({ readOnly: embed.readOnly });
}
// Python is 9 MB, and neither the text nor its passes need it: it comes after what they need.
startSession(Promise.allSettled([editor, startCompilation()]));
followCompared();
void startDocument(embed);
startOffline(embed === null && self === top);

const root = document.getElementById('root');
if (!root) throw new Error('index.html has no #root');
createRoot(root).render(<App embed={embed} />);
