/** The page's two breakpoints, as hooks. The same numbers stand in `theme/layout.css`. */
import { useSyncExternalStore } from 'react';

export const SMALL_SCREEN = '(max-width: 599px)';

/** Whether the query holds. */
export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (changed) => {
      const list = matchMedia(query);
      list.addEventListener('change', changed);
      return () => list.removeEventListener('change', changed);
    },
    () => matchMedia(query).matches,
  );
}

/** One half at a time. */
export function useOneHalf(): boolean {
  return useMedia('(max-width: 899px)');
}
/** The plain editor. */
export function useSmallScreen(): boolean {
  return useMedia(SMALL_SCREEN);
}
