/**
 * The service worker: keeps this build for visits without a network, and answers from it. Made as
 * one classic script by the build (`scripts/serviceWorker.ts`), which also writes the list of files
 * into it, so that its bytes change with every build: by that the browser notices a new one.
 *
 * A build is installed when all its files are kept; it waits until a visitor asks for it or no page
 * of the build before is open. `keeper.ts` has what it guarantees.
 */
import { Keeper, NotKept } from './keeper';
import type { Build, FromServiceWorker, ToServiceWorker } from './protocol';

/** Set by the bundler. */
declare const HIPPOCAMP_BUILD: Build;

const scope = self as unknown as ServiceWorkerGlobalScope;
const { registration } = scope;

/** Milliseconds for a page to say what it shows. */
const PATIENCE = 10_000;
/** Milliseconds between two reports of progress. */
const PACE = 200;

/** The pages of this place, without their frames: that of the program workers has no address. */
async function pages(): Promise<WindowClient[]> {
  const all = await scope.clients.matchAll({ type: 'window', includeUncontrolled: true });
  return all.filter(({ url }) => url.startsWith(registration.scope));
}

function buildOf(page: WindowClient): Promise<string | null> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(null), PATIENCE);
    port1.onmessage = ({ data }: MessageEvent<unknown>) => {
      clearTimeout(timer);
      port1.close();
      resolve(typeof data === 'string' ? data : null);
    };
    page.postMessage({ type: 'which' } satisfies FromServiceWorker, [port2]);
  });
}

async function say(message: FromServiceWorker): Promise<void> {
  for (const page of await pages()) page.postMessage(message);
}

const keeper = new Keeper(HIPPOCAMP_BUILD, registration.scope, {
  caches: scope.caches,
  fetch: (url, init) => scope.fetch(url, init),
  openBuilds: async () => Promise.all((await pages()).map(buildOf)),
  replaced: () => registration.waiting !== null || registration.installing !== null,
});

async function keep(): Promise<void> {
  let last = 0;
  try {
    await keeper.keep((kept) => {
      const now = Date.now();
      if (now - last < PACE && kept < keeper.total) return;
      last = now;
      void say({ type: 'progress', kept, total: keeper.total });
    });
  } catch (error) {
    const reason = error instanceof NotKept ? error.message : String(error);
    await say({ type: 'failed', reason });
    throw error;
  }
}

scope.addEventListener('install', (event) => event.waitUntil(keep()));
// The page of a first visit gets what it loads later from here, too.
scope.addEventListener('activate', (event) => event.waitUntil(scope.clients.claim()));
scope.addEventListener('fetch', (event) => {
  const answer = keeper.answerTo(event.request);
  if (answer) event.respondWith(answer);
});
scope.addEventListener('message', (event) => {
  const message = event.data as ToServiceWorker | null;
  switch (message?.type) {
    case 'activate':
      event.waitUntil(scope.skipWaiting());
      return;
    case 'keep':
      // Whoever asks looks at the outcome.
      event.waitUntil(keep().catch(() => {}));
      return;
    case 'state':
      event.waitUntil(keeper.state().then((state) => event.ports[0]?.postMessage(state)));
      return;
    case 'collect':
      event.waitUntil(keeper.collect());
      return;
    default:
  }
});
