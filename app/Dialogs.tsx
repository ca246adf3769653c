/** The dialog that is open, if any; each is loaded when it is first opened. */
import { lazy, Suspense } from 'react';
import { useView, type DialogName } from './state/view';

const DIALOGS: Partial<Record<DialogName, React.ComponentType>> = {
  palette: lazy(() => import('./palette/Palette')),
  programs: lazy(() => import('./programs/ProgramsDialog')),
  gallery: lazy(() => import('./programs/GalleryDialog')),
  history: lazy(() => import('./programs/HistoryDialog')),
  share: lazy(() => import('./share/ShareDialog')),
  help: lazy(() => import('./palette/Help')),
  'real-triton': lazy(() => import('./jupyter/Connect')),
};

export function Dialogs(): React.ReactNode {
  const name = useView((state) => state.dialog);
  const Open = name ? DIALOGS[name] : undefined;
  return Open ? (
    <Suspense fallback={null}>
      <Open />
    </Suspense>
  ) : null;
}
