/**
 * A stranger's program that is run reaches nothing but its own worker: not the network, not what
 * this browser keeps, no other worker. Everything is tried on a real page, with the other origin
 * recording what arrives.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Page } from 'playwright';
import { away, plainHost } from './attack';
import { openSite, output, ready, runToEnd, visit, withoutJspi, type Site } from './page';

let site: Site;
let elsewhere: Awaited<ReturnType<typeof away>>;
beforeAll(async () => {
  site = await openSite({ gpu: true });
  elsewhere = await away();
});
afterAll(async () => {
  await site.close();
  await elsewhere.close();
});

/** Each way is tried by itself; nothing is waited for longer than it takes to arrive. */
const ATTEMPTS = `
import asyncio
import js
from pyodide.ffi import can_run_sync, create_proxy, run_sync, to_js

options = lambda **given: to_js(given, dict_converter=js.Object.fromEntries)


def attempt(name, way):
    try:
        found = way()
        if asyncio.iscoroutine(found):
            found = asyncio.ensure_future(found)
        if hasattr(found, "then") and can_run_sync():
            run_sync(asyncio.wait_for(found, 2))
        print("came through:", name)
    except BaseException as error:
        print("refused:", name, type(error).__name__, str(error)[:60])


def worker_of(text):
    blob = js.Blob.new(to_js([text]), options(type="text/javascript"))
    return js.Worker.new(js.URL.createObjectURL(blob), options(type="module"))
`;

const NETWORK = (host: string): string => `${ATTEMPTS}
AWAY, SOCKET = "http://${host}/", "ws://${host}/"


async def pyfetch():
    from pyodide.http import pyfetch
    await pyfetch(AWAY + "pyfetch")


def open_url():
    from pyodide.http import open_url
    open_url(AWAY + "open_url")


def request():
    xhr = js.XMLHttpRequest.new()
    xhr.open("POST", AWAY + "xhr", False)
    xhr.send("text")


def urllib():
    import urllib.request
    urllib.request.urlopen(AWAY + "urllib", timeout=2)


def run_js(text):
    from pyodide.code import run_js
    return run_js(text)


def package():
    import pyodide_js
    return pyodide_js.loadPackage(AWAY + "package-1-py3-none-any.whl")


def script():
    import pyodide_js
    return pyodide_js._module.loadDynamicLibrary(AWAY + "library.so", options(loadAsync=True))


attempt("fetch no-cors", lambda: js.fetch(AWAY + "no-cors", options(method="POST", mode="no-cors", body="x")))
attempt("fetch cors", lambda: js.fetch(AWAY + "cors"))
attempt("pyfetch", pyfetch)
attempt("open_url", open_url)
attempt("XMLHttpRequest", request)
attempt("WebSocket", lambda: js.WebSocket.new(SOCKET + "socket"))
attempt("EventSource", lambda: js.EventSource.new(AWAY + "events"))
attempt("import()", lambda: js.eval(f"import('{AWAY}import')"))
attempt("Function", lambda: js.Function.new(f"return import('{AWAY}function')")())
attempt("run_js", lambda: run_js(f"fetch('{AWAY}run_js')"))
attempt("setTimeout of a text", lambda: js.setTimeout(f"import('{AWAY}timeout')", 0) and None)
attempt("importScripts", lambda: js.importScripts(AWAY + "scripts"))
attempt("a nested worker", lambda: worker_of(f"fetch('{AWAY}nested')"))
attempt("a worker's import", lambda: worker_of(f"import '{AWAY}worker'"))
attempt("urllib", urllib)
attempt("loadPackage", package)
attempt("loadDynamicLibrary", script)
attempt("WebTransport", lambda: js.WebTransport.new(AWAY.replace("http", "https") + "transport"))
attempt("a font", lambda: js.FontFace.new("x", f"url({AWAY}font)").load())
print("all tried")
`;

async function tried(page: Page): Promise<string> {
  await ready(page);
  await runToEnd(page);
  const text = await output(page).innerText();
  expect(text).toContain('all tried');
  // A request arrives within a moment.
  await page.waitForTimeout(1500);
  return text;
}

it('has no network, also on a host that sends no headers, and says so', async () => {
  const plain = await plainHost();
  for (const at of [site, { ...site, address: plain.address }]) {
    const { page } = await visit(at, { text: NETWORK(elsewhere.host) });
    const text = await tried(page);
    expect(elsewhere.arrived).toEqual([]);
    expect(text).toMatch(/refused: pyfetch \w+ .*no network/);
    expect(text).toMatch(/refused: open_url \w+ .*no network/);
    // A timer takes a text, and finds later that it may not be evaluated; `loadPackage` only logs
    // that it failed.
    const through = text.match(/(?<=came through: ).*/g) ?? [];
    expect(through).toEqual(['setTimeout of a text', 'loadPackage']);
    await page.context().close();
  }
  await plain.close();
});

it('is isolated on a host that takes `_headers`', async () => {
  const host = await plainHost({ headers: true });
  const context = await site.browser.newContext();
  const page = await context.newPage();
  const answer = await page.goto(host.address);
  expect(await page.evaluate(() => crossOriginIsolated)).toBe(true);
  expect(answer?.headers()['x-content-type-options']).toBe('nosniff');
  const script = await page.evaluate(() =>
    document.querySelector('script[src]')!.getAttribute('src')!,
  );
  const { headers } = await fetch(new URL(script, host.address));
  expect(headers.get('cache-control')).toContain('immutable');
  expect(headers.get('access-control-allow-origin')).toBe('*');
  await context.close();
  await host.close();
});

it('has no network where Python cannot be suspended', async () => {
  const { page } = await visit(site, { text: NETWORK(elsewhere.host) });
  await withoutJspi(page.context());
  await page.reload();
  await tried(page);
  expect(elsewhere.arrived).toEqual([]);
  await page.context().unrouteAll({ behavior: 'ignoreErrors' });
  await page.context().close();
});

const STORAGE = `${ATTEMPTS}
import pyodide_js
import _hippocamp
import torch

for name in """indexedDB caches BroadcastChannel SharedWorker postMessage importScripts cookieStore
    Notification webkitRequestFileSystem""".split():
    attempt(name, lambda: getattr(js, name))
for name in "locks storage serviceWorker storageBuckets permissions usb serial hid gpu clipboard".split():
    attempt("navigator." + name, lambda: getattr(js.navigator, name))
attempt("Worker", lambda: js.Worker.new("data:text/javascript,0"))

# Functions on the prototypes are called with our own ports, if they are called.
taken = []
ports, events = js.MessagePort.prototype, js.MessageEvent.prototype
post, data = ports.postMessage, js.Reflect.getOwnPropertyDescriptor(events, "data")
def take(this, method, *rest):
    taken.append(this if method is post else this.target)
    return js.Reflect.apply(method, this, to_js(rest))
ports.postMessage = create_proxy(lambda this, *rest: take(this, post, *rest), capture_this=True)
read = create_proxy(lambda this: take(this, data.get), capture_this=True)
js.Object.defineProperty(events, "data", options(get=read, configurable=True))
print("a line, and a tensor for the page:", torch.ones(3, device="cuda").sum().item(), flush=True)
allclose = torch.allclose(torch.ones(3), torch.ones(3))
run_sync(_hippocamp.tuned("a" * 64))
ports.postMessage = post
js.Object.defineProperty(events, "data", data)
for port in taken:
    forged = '{"type":"event","run":1,"event":{"type":"print","stream":"stdout","text":"forged"}}'
    port.postMessage(js.JSON.parse(forged))

# Lies of the right shape, about a kernel that is not this program's.
time = '{"quantiles":[1,1,1],"samples":5,"clock":"gpu","quantum":0,"dropped":false}'
roof = '{"adapter":"a","bytesPerSecond":1,"f32PerSecond":1,"f16PerSecond":null,"fromCache":false}'
_hippocamp.remember_tuned("b" * 64, '{"times":{"BLOCK: 64":%s},"choices":null}' % time)
_hippocamp.remember_tuned("example:matmul.py " + "b" * 64, '{"times":{},"choices":null}')
_hippocamp.remember_tuned("calibration-1", roof)
# For the test, which looks for what can be reached from here.
js.pythons = to_js([pyodide_js, _hippocamp, __import__("_hippocamp_numerics")])
print("all tried", flush=True)
# A listener left there would cost the worker: the test looks while it runs.
while not hasattr(js, "looked"):
    run_sync(asyncio.sleep(0.1))
_hippocamp.emit('{"type":"finished","outcome":"ok","milliseconds":1}')
while True:
    pass
`;

/**
 * Puts a function of its own in the place of all that the language's and the web's objects have,
 * as a program could, and keeps the ports and workers that those are called with.
 */
function hook(): void {
  const scope = globalThis as unknown as Record<string, unknown>;
  const { apply, ownKeys, getOwnPropertyDescriptor, defineProperty } = Reflect;
  const { toString } = Object.prototype;
  const { postMessage } = MessagePort.prototype;
  const target = getOwnPropertyDescriptor(Event.prototype, 'target')!.get!;
  const caught: unknown[] = [];
  const undo: [object, PropertyKey, PropertyDescriptor][] = [];
  let called = 0;
  const look = (value: unknown): void => {
    called++;
    let found = value;
    try {
      if (apply(toString, value, []) === '[object MessageEvent]') found = apply(target, value, []);
    } catch {
      // The class's own prototype has no target.
    }
    if (/Port\]$|Worker\]$/.test(apply(toString, found, []))) caught[caught.length] = found;
  };
  const instead = (own: Function): Function =>
    function (this: unknown, ...args: unknown[]): unknown {
      look(this);
      for (let i = 0; i < args.length; i++) look(args[i]);
      return apply(own, this, args);
    };
  const inside = (object: object): void => {
    for (const key of ownKeys(object)) {
      const found = getOwnPropertyDescriptor(object, key)!;
      undo[undo.length] = [object, key, getOwnPropertyDescriptor(object, key)!];
      if (!found.configurable || key === 'constructor') continue;
      if (typeof found.value === 'function') found.value = instead(found.value as Function);
      if (found.get) found.get = instead(found.get) as () => unknown;
      if (found.set) found.set = instead(found.set) as () => void;
      if (found.get || typeof found.value === 'function') defineProperty(object, key, found);
    }
  };
  for (const of of [Array, Map, Set, Event, EventTarget, MessageEvent, MessagePort])
    inside(of.prototype);
  for (const of of [JSON, console]) inside(of);
  // All is put back, each is sent what the page would show; answers how many values were seen.
  scope['forge'] = (event: unknown): number => {
    for (let i = 0; i < undo.length; i++) apply(defineProperty, null, undo[i]!);
    const { length } = caught;
    for (let i = 0; i < length; i++) {
      try {
        apply(postMessage, caught[i], [event]);
      } catch {
        // The class's own prototype is no port.
      }
    }
    return called;
  };
}

/** Walks whatever a program can reach. @returns what leads out of the worker. */
function reachable(): string[] {
  const seen = new Set<unknown>();
  const found = new Set<string>();
  const powers =
    /^(IDBFactory|CacheStorage|LockManager|StorageManager|BroadcastChannel|MessagePort|Worker|SharedWorker|ServiceWorkerContainer|XMLHttpRequest|WebSocket|FileSystem\w*)$/;
  const native =
    /^function (?:get |set )?(fetch|importScripts|postMessage|Worker|SharedWorker|XMLHttpRequest|WebSocket|EventSource|WebTransport|BroadcastChannel|createObjectURL|indexedDB|caches|locks|storage|serviceWorker)\(\) \{\s*\[native code\]/;
  // Getters are looked at, not called: who has one can call it.
  // Python's objects lead back to `js`, and are other proxies each time.
  const { pythons } = globalThis as unknown as { pythons?: [{ ffi: { PyProxy: Function } }] };
  const ofPython = pythons?.[0].ffi.PyProxy;
  const queue: unknown[] = [globalThis, navigator, crypto, performance, location];
  while (queue.length > 0) {
    const each = queue.pop();
    if ((typeof each !== 'object' && typeof each !== 'function') || each === null || seen.has(each))
      continue;
    seen.add(each);
    // Python's memory has a key for each byte.
    if (ArrayBuffer.isView(each) || (ofPython && each instanceof ofPython)) continue;
    try {
      const tag = Object.prototype.toString.call(each).slice(8, -1);
      const prototype = Reflect.getPrototypeOf(each) as object | null;
      // A class's own prototype has its tag, too.
      const instance = !Object.hasOwn(each, 'constructor');
      if (powers.test(tag) && instance) found.add(tag);
      if (typeof each === 'function') {
        const name = native.exec(Function.prototype.toString.call(each))?.[1];
        // A port that a program makes leads to itself.
        if (name && each !== MessagePort.prototype.postMessage) found.add(name);
      }
      queue.push(prototype);
      for (const key of Reflect.ownKeys(each)) {
        const { value, get, set } = Reflect.getOwnPropertyDescriptor(each, key) ?? {};
        queue.push(value, get, set);
      }
    } catch {
      // A proxy of Python's.
    }
  }
  return [...found, `${seen.size > 3000}`];
}

/** The keys of all measurements that are kept. */
function keptTunings(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const opening = indexedDB.open('hippocamp-tunings');
    await new Promise((done) => (opening.onsuccess = done));
    const { result } = opening;
    const keys = result.transaction('tunings').objectStore('tunings').getAllKeys();
    await new Promise((done) => (keys.onsuccess = done));
    result.close();
    return keys.result as string[];
  });
}

it('reaches nothing that this browser keeps, and no other worker', async () => {
  const { page } = await visit(site, { text: STORAGE });
  await ready(page);
  const worker = page.workers().find((each) => each.url().includes('programWorker'))!;
  await worker.evaluate(hook);
  await page.getByRole('button', { name: /^Run/ }).first().click();
  await output(page).getByText('all tried').waitFor();
  const calls = await worker.evaluate(() => {
    const { forge } = globalThis as unknown as { forge(event: unknown): number };
    const event = { type: 'print', stream: 'stdout', text: 'forged' };
    return forge({ type: 'event', run: 1, event });
  });
  expect(calls).toBeGreaterThan(100);
  const text = await output(page).innerText();
  expect(text.match(/came through: .*/g) ?? []).toEqual([]);
  expect(text).toContain('a line, and a tensor for the page: 3.0');
  expect(text).not.toContain('forged');
  expect(await keptTunings(page)).toEqual([`example:vector_add.py ${'b'.repeat(64)}`]);
  expect(await worker.evaluate(reachable)).toEqual(['true']);
  // The search itself finds what is there, in a worker that is not confined.
  const compiler = page.workers().find((each) => each.url().includes('compilerWorker'));
  expect(await compiler!.evaluate(reachable)).toEqual(
    expect.arrayContaining(['indexedDB', 'caches', 'locks', 'postMessage', 'fetch', 'Worker']),
  );
  // It says that it has ended, and computes on: it loses its worker.
  const closed = worker.waitForEvent('close', { timeout: 90_000 });
  await worker.evaluate(() => void Object.assign(globalThis, { looked: true }));
  await ready(page);
  await closed;
  expect(await output(page).innerText()).not.toContain('forged');
  await page.context().close();
});
