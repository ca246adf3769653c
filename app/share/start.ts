/**
 * Links, from the page's start on. The codec is loaded with the first link that is opened or made,
 * so that a visit without one does without it.
 */
import { start, useDocument } from '../state/document';
import { useRoute } from '../state/route';
import { openDialog } from '../state/view';
import type { Embed } from './embed';

/** Opens what the address names, else what the visitor had open. */
export async function startDocument(embed: Embed | null): Promise<void> {
  const route = useRoute.getState();
  // A lesson opens its own program; the visitor's comes when the lesson is left.
  if (route.kind === 'learn') return;
  const opening =
    route.kind === 'link'
      ? async (): Promise<boolean> => (await import('./state')).openLink(route.payload, embed)
      : undefined;
  // Inside another page nothing of the visitor's is shown, not even where the link is broken.
  if (embed) await opening?.();
  else await start(opening);
  if (route.kind === 'open') openDialog('open');
}

/** Opens links that come while the page is open, and drops a link's address with the first edit. */
export function startLinks(): void {
  useRoute.subscribe((route, old) => {
    if (route.kind === 'open') openDialog('open');
    if (route.kind !== 'link' || (old.kind === 'link' && old.payload === route.payload)) return;
    void import('./state').then(({ openLink }) => openLink(route.payload));
  });
  useDocument.subscribe((state, old) => {
    const left = state.program !== old.program || state.files !== old.files;
    if (!left || old.origin.kind !== 'link' || useRoute.getState().kind !== 'link') return;
    // The address would say what is no longer there.
    history.replaceState(null, '', location.pathname + location.search);
    useRoute.setState({ kind: 'home' }, true);
  });
}
