/** From a key press to a command: one listener for the whole page. */
import { commandFor } from '../state/commands';
import { useSettings } from '../state/settings';

/** Monaco's own input is not typing where the editor is read-only; its search field is. */
function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  const monaco = target.closest('.monaco-editor');
  if (monaco?.closest('[role=tabpanel]')) return target.closest('.find-widget') !== null;
  if (monaco) return true;
  if (target.closest('[role=menu], [role=dialog]')) return true;
  return (
    target.matches('input:not([type=checkbox], [type=radio], [type=range]), select, textarea') ||
    target.isContentEditable
  );
}

/** Something on the page that Escape closes first: Monaco's widgets, menus. */
function takesEscape(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return (
    target.closest('[role=menu], [role=dialog], .find-widget.visible, .rename-box') !== null ||
    document.querySelector('.suggest-widget.visible, .parameter-hints-widget.visible') !== null
  );
}

function onKey(event: KeyboardEvent): void {
  if (event.isComposing || event.defaultPrevented) return;
  if (event.key === 'Escape' && takesEscape(event.target)) return;
  const typing = isTyping(event.target);
  const command = commandFor(event, { typing, singleKeys: useSettings.getState().singleKeys });
  if (!command) return;
  event.preventDefault();
  event.stopPropagation();
  if (!event.repeat || /^[jk]$/.test(event.key)) command.run();
}

/** Before Monaco, which has its own meaning for Ctrl+Enter. */
export function startKeyboard(): void {
  addEventListener('keydown', onKey, true);
}
