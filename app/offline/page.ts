/**
 * The page's side of visits without a network: when the site is kept (once the page is idle, not
 * on slow or metered lines), what Settings say of it, and how a new build comes in: by a visitor's
 * Reload, when their text is kept. A page inside another page keeps nothing.
 */
import { create } from 'zustand';
import { notify, useNotices } from '../programs/notices';
import { keepNow } from '../programs/programs';
import { useSession } from '../state/session';
import { load, save } from '../state/storage';
import {
  BUILD_META,
  cachePrefix,
  type FromServiceWorker,
  type State,
  type ToServiceWorker,
} from './protocol';

export type Offline =
  /** The browser has no service workers for this page. */
  | { readonly kind: 'unavailable' }
  /** It is kept when the page is idle. */
  | { readonly kind: 'soon' }
  /** The line is slow or metered: the visitor decides. */
  | { readonly kind: 'costly' }
  /** The visitor removed it. */
  | { readonly kind: 'removed' }
  | { readonly kind: 'keeping'; readonly kept: number; readonly total: number }
  | { readonly kind: 'kept'; readonly bytes: number }
  | { readonly kind: 'failed'; readonly reason: string };

export interface OfflineState {
  readonly offline: Offline;
  /** Another build than this page's is kept whole: a reload shows it. */
  readonly update: boolean;
}
export const useOffline = create<OfflineState>(() => ({
  offline: { kind: 'unavailable' },
  update: false,
}));
const say = (offline: Offline): void => useOffline.setState({ offline });

/** Milliseconds between two looks for a new build, while the page is used. */
const LOOK_EVERY = 60 * 60_000;
/** Milliseconds for a service worker to answer, or to take over; a sleeping one starts first. */
const PATIENCE = 20_000;

/** The build that this page is of; '' in development. */
const pageBuild = (): string =>
  document.querySelector<HTMLMetaElement>(`meta[name="${BUILD_META}"]`)?.content ?? '';

/** Absent in private windows of some browsers, and where the page came over plain HTTP. */
function container(): ServiceWorkerContainer | null {
  return pageBuild() !== '' && 'serviceWorker' in navigator ? navigator.serviceWorker : null;
}

interface Line {
  readonly saveData?: boolean;
  readonly type?: string;
  readonly effectiveType?: string;
}
/** Whether bytes on this line cost money or patience, as far as the browser says. */
export function isCostly(line: Line | undefined): boolean {
  if (!line) return false;
  return (
    line.saveData === true ||
    line.type === 'cellular' ||
    /^(slow-2g|2g|3g)$/.test(line.effectiveType ?? '')
  );
}

/**
 * Starts keeping the site, once Python has loaded or failed to, and the page is idle.
 * @param keeps false for a page inside another page, which only says its build.
 */
export function startOffline(keeps: boolean): void {
  const workers = container();
  if (!workers) return;
  workers.addEventListener('message', (event: MessageEvent<FromServiceWorker>) =>
    receive(event.data, event.ports),
  );
  workers.startMessages();
  if (!keeps) return;
  workers.addEventListener('controllerchange', () => void look());
  document.addEventListener('visibilitychange', returned);
  if (load('offline') === 'removed') {
    say({ kind: 'removed' });
    return;
  }
  const { connection } = navigator as { readonly connection?: Line };
  // A kept page is updated on any line: only the files that changed come over it.
  const costly = !workers.controller && isCostly(connection);
  say({ kind: costly ? 'costly' : 'soon' });
  if (!costly) void loaded().then(idle).then(keepSite);
}

function loaded(): Promise<void> {
  return new Promise((resolve) => {
    const check = (): void => {
      if (useSession.getState().phase === 'loading') return;
      stop();
      resolve();
    };
    const stop = useSession.subscribe(check);
    check();
  });
}
function idle(): Promise<void> {
  return new Promise((resolve) => {
    // Safari has no such callback.
    if (typeof requestIdleCallback !== 'function') setTimeout(resolve, 2000);
    else requestIdleCallback(() => resolve(), { timeout: 30_000 });
  });
}

let registration: ServiceWorkerRegistration | null = null;
let looked = 0;

/** Keeps the site now, whatever the line is; what the browser has deleted of it, too. */
export async function keepSite(): Promise<void> {
  const workers = container();
  if (!workers) return;
  save('offline', null);
  try {
    const address = new URL('serviceWorker.js', new URL(import.meta.env.BASE_URL, location.href));
    // Null where an extension or a driver of tests answers in the browser's place.
    const made = await workers.register(address, { updateViaCache: 'none' });
    registration = (made as ServiceWorkerRegistration | undefined) ?? null;
  } catch (error) {
    // A host that answers the script with something else, or a browser that keeps nothing.
    say({ kind: 'failed', reason: error instanceof Error ? error.message : String(error) });
    return;
  }
  if (registration) follow(registration);
  else say({ kind: 'failed', reason: 'service workers are blocked' });
}

function follow(of: ServiceWorkerRegistration): void {
  const watch = (): void => {
    const { installing } = of;
    if (!installing) return;
    const first = of.active === null;
    if (first) say({ kind: 'keeping', kept: 0, total: 0 });
    installing.addEventListener('statechange', () => {
      if (installing.state === 'redundant' && first && isKeeping())
        say({ kind: 'failed', reason: 'the browser ended it' });
      void look();
    });
  };
  of.addEventListener('updatefound', watch);
  watch();
  looked = Date.now();
  void look().then((state) => {
    if (!state) return;
    // Cleared by the visitor before, or by a browser short of room.
    if (!state.complete) fill(of);
    else of.active?.postMessage({ type: 'collect' } satisfies ToServiceWorker);
  });
}

/** Keeps again what is missing of the build in use. */
function fill({ active }: ServiceWorkerRegistration): void {
  say({ kind: 'keeping', kept: 0, total: 0 });
  active?.postMessage({ type: 'keep' } satisfies ToServiceWorker);
}

/** A page that stays open for long looks for a new build when it is returned to. */
function returned(): void {
  if (document.visibilityState !== 'visible' || Date.now() - looked < LOOK_EVERY) return;
  looked = Date.now();
  // Without a network there is nothing new.
  registration?.update().catch(() => {});
}
const isKeeping = (): boolean => useOffline.getState().offline.kind === 'keeping';

function receive(message: FromServiceWorker, ports: readonly MessagePort[]): void {
  switch (message.type) {
    case 'which':
      ports[0]?.postMessage(pageBuild());
      return;
    case 'progress':
      // An update is silent until it is there.
      if (!isKeeping()) return;
      say({ kind: 'keeping', kept: message.kept, total: message.total });
      if (message.kept === message.total) void look();
      return;
    case 'failed':
      if (useOffline.getState().offline.kind !== 'kept')
        say({ kind: 'failed', reason: message.reason });
      return;
    default: {
      const unknown: never = message;
      throw new Error(`unknown message ${JSON.stringify(unknown)}`);
    }
  }
}

function ask(worker: ServiceWorker): Promise<State | null> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    setTimeout(() => resolve(null), PATIENCE);
    port1.onmessage = ({ data }: MessageEvent<State>) => resolve(data);
    worker.postMessage({ type: 'state' } satisfies ToServiceWorker, [port2]);
  });
}

/** Looks at what is kept, and whether it is another build than the page's. */
async function look(): Promise<State | null> {
  const { active, waiting } = registration ?? {};
  if (!active) return null;
  const state = await ask(active);
  if (!state || registration?.active !== active) return null;
  if (state.complete) say({ kind: 'kept', bytes: state.bytes });
  if (waiting || state.build !== pageBuild()) offer();
  return state;
}

function offer(): void {
  if (useOffline.getState().update) return;
  useOffline.setState({ update: true });
  // Another notice may have something to undo; the status bar says this one, too.
  if (!useNotices.getState().notice)
    notify({
      text: 'A new version of the page is ready.',
      action: { label: 'Reload', run: () => void reload() },
    });
}

/** Shows the new build, unless the browser could not keep what was typed. */
export async function reload(): Promise<void> {
  if (!(await keepNow())) {
    notify({
      text: 'Not reloaded: this browser keeps no data, and your text would be lost. Save it first.',
    });
    return;
  }
  const waiting = registration?.waiting;
  if (waiting) {
    const taken = new Promise((resolve) => {
      navigator.serviceWorker.addEventListener('controllerchange', resolve, { once: true });
      setTimeout(resolve, PATIENCE);
    });
    waiting.postMessage({ type: 'activate' } satisfies ToServiceWorker);
    await taken;
  }
  location.reload();
}

/** Removes what is kept for visits without a network, until the visitor wants it again. */
export async function removeSite(): Promise<void> {
  const workers = container();
  if (!workers) return;
  save('offline', 'removed');
  const found = registration ?? (await workers.getRegistration());
  registration = null;
  if (found) {
    await found.unregister();
    const names = await caches.keys();
    const ours = names.filter((name) => name.startsWith(cachePrefix(found.scope)));
    await Promise.all(ours.map((name) => caches.delete(name)));
  }
  // Not before all is gone: what is kept anew would be removed, too.
  useOffline.setState({ offline: { kind: 'removed' }, update: false });
}
