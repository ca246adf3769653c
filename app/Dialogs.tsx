/** The dialog that is open, if any; each is loaded when it is first opened. */
import { Suspense, useEffect } from 'react';
import { DialogFrame } from './DialogFrame';
import { Boundary } from './panels/common/Boundary';
import { lazyView } from './panels/common/lazyView';
import { openDialog, useView, type DialogName } from './state/view';

const DIALOGS: Partial<Record<DialogName, React.ComponentType>> = {
  palette: lazyView(() => import('./palette/Palette')),
  programs: lazyView(() => import('./programs/ProgramsDialog')),
  open: lazyView(() => import('./open/OpenDialog')),
  trace: lazyView(() => import('./open/TraceDialog')),
  packages: lazyView(() => import('./packages/PackagesDialog')),
  gallery: lazyView(() => import('./programs/GalleryDialog')),
  history: lazyView(() => import('./programs/HistoryDialog')),
  share: lazyView(() => import('./share/ShareDialog')),
  help: lazyView(() => import('./palette/Help')),
  privacy: lazyView(() => import('./Privacy')),
  'real-triton': lazyView(() => import('./jupyter/Connect')),
};

/** A dialog that is there takes Escape itself; of one that is on its way nobody else hears it. */
function closeUnheard(event: KeyboardEvent): void {
  if (event.key === 'Escape' && !event.defaultPrevented) openDialog(null);
}

export function Dialogs(): React.ReactNode {
  useEffect(() => {
    window.addEventListener('keydown', closeUnheard);
    return () => window.removeEventListener('keydown', closeUnheard);
  }, []);
  const name = useView((state) => state.dialog);
  const Open = name ? DIALOGS[name] : undefined;
  return Open ? (
    <Boundary
      name="This dialog"
      of={name ?? ''}
      frame={(message) => <DialogFrame title="A fault of the page">{message}</DialogFrame>}
    >
      <Suspense fallback={null}>
        <Open />
      </Suspense>
    </Boundary>
  ) : null;
}
