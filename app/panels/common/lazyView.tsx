/**
 * A component of a chunk of its own. React's `lazy` keeps a failed load for good; here a load that
 * failed, without a network say, begins again after `retryLoads`, the _Try again_ of a `Boundary`.
 */
import { type ComponentType, createElement, lazy } from 'react';

let retries = 0;
/** The next drawing of a component whose load failed loads it again. */
export function retryLoads(): void {
  retries++;
}

export function lazyView(load: () => Promise<{ readonly default: ComponentType }>): ComponentType {
  /** The number of retries when the last load failed. */
  let failedAt = Infinity;
  const start = (): ComponentType =>
    lazy(() =>
      load().catch((error: unknown) => {
        failedAt = retries;
        throw error;
      }),
    );
  let view = start();
  return function LazyView() {
    if (retries > failedAt) {
      failedAt = Infinity;
      view = start();
    }
    return createElement(view);
  };
}
