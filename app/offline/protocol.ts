/** Messages between the service worker and the pages, and the build that both are of. */

/** A file of a build. */
export interface KeptFile {
  /** From the folder of the page; '' is the page itself. */
  readonly path: string;
  /** As `fetch` takes it: a browser refuses other contents. */
  readonly integrity: string;
  readonly bytes: number;
}

export interface Build {
  /** Digest of all files and of the service worker. */
  readonly id: string;
  readonly files: readonly KeptFile[];
  /** Headers that every kept answer has, whatever the host sends. */
  readonly headers: Readonly<Record<string, string>>;
}

/** From a page. Each is answered through the port that comes with it, if one does. */
export type ToServiceWorker =
  /** Takes over from the build before. */
  | { readonly type: 'activate' }
  /** Keeps what is missing of the build that is in use. */
  | { readonly type: 'keep' }
  /** Answered with `State`. */
  | { readonly type: 'state' }
  /** Deletes the files of builds that no page shows any more. */
  | { readonly type: 'collect' };

export interface State {
  readonly build: string;
  /** All files of the build are kept. */
  readonly complete: boolean;
  readonly bytes: number;
}

/** To every page of the worker's scope. */
export type FromServiceWorker =
  | { readonly type: 'progress'; readonly kept: number; readonly total: number }
  /** The files could not all be kept; what was kept before stays. */
  | { readonly type: 'failed'; readonly reason: string }
  /** Answered through its port with the page's own build, as `pageBuild` reads it. */
  | { readonly type: 'which' };

/** Names of the caches of one place: sites below different paths of an origin have their own. */
export const cachePrefix = (scope: string): string => `hippocamp:${new URL(scope).pathname}:`;

/** Name of the element of the page that says its build. */
export const BUILD_META = 'hippocamp-build';
