/**
 * Meter of what a page holds: heaps of its threads, GPU buffers, workers, listeners, DOM nodes. It
 * reads when the page is at rest and garbage is collected, so that what is counted is what
 * something refers to.
 */
import type { Browser, BrowserContext, CDPSession, Page, Worker } from 'playwright';
import { prefixScripts } from '../page';

export interface Reading {
  /**
   * Bytes that objects of the page's own thread take, without what functions are compiled to: that
   * grows for hundreds of runs, until all that is used often is optimized.
   */
  readonly heap: number;
  /** Bytes that the page and its workers take, as the browser measures them. */
  readonly memory: number;
  readonly gpuBuffers: number;
  readonly gpuBytes: number;
  readonly workers: number;
  readonly listeners: number;
  readonly nodes: number;
  readonly documents: number;
  /** Resident bytes of the browser's processes; 0 where the system does not say. */
  readonly resident: number;
}
export const QUANTITIES = [
  'heap',
  'memory',
  'gpuBuffers',
  'gpuBytes',
  'workers',
  'listeners',
  'nodes',
  'documents',
  'resident',
] as const satisfies readonly (keyof Reading)[];

/** Arguments of the browser without which a reading is late or counts garbage. */
export const METER_FLAGS = [
  '--js-flags=--expose-gc',
  '--enable-blink-features=ForceEagerMeasureMemory',
];

/**
 * Stands before the script of each program worker: counts buffers that live, which is those that
 * are neither destroyed nor collected. Under symbols, where no program's names are looked for.
 */
const COUNT_BUFFERS = `
  {
    const collect = self.gc;
    const alive = new Map();
    const collected = new FinalizationRegistry((key) => alive.delete(key));
    const { createBuffer, destroy: destroyDevice } = GPUDevice.prototype;
    const { destroy } = GPUBuffer.prototype;
    const keys = new WeakMap();
    const of = new WeakMap();
    let devices = 0;
    GPUDevice.prototype.createBuffer = function (descriptor) {
      self[Symbol.for('soak:device')] = this;
      const buffer = createBuffer.call(this, descriptor);
      if (!of.has(this)) of.set(this, ++devices);
      const key = Symbol();
      keys.set(buffer, key);
      alive.set(key, { size: buffer.size, device: of.get(this) });
      collected.register(buffer, key);
      return buffer;
    };
    GPUBuffer.prototype.destroy = function () {
      alive.delete(keys.get(this));
      return destroy.call(this);
    };
    GPUDevice.prototype.destroy = function () {
      for (const [key, { device }] of alive) if (device === of.get(this)) alive.delete(key);
      return destroyDevice.call(this);
    };
    self[Symbol.for('soak:buffers')] = () => {
      let bytes = 0;
      for (const { size } of alive.values()) bytes += size;
      return { count: alive.size, bytes };
    };
    self[Symbol.for('soak:gc')] = () => collect?.();
  }`;

/** Makes the pages of a context countable: before any is opened. */
export const countable = (context: BrowserContext): Promise<void> =>
  prefixScripts(context, '**/programWorker*.js', COUNT_BUFFERS);

const isProgramWorker = (worker: Worker): boolean => worker.url().includes('programWorker');

/** A worker may end while it is asked. */
const orNull = <T>(answer: Promise<T>): Promise<T | null> => answer.catch(() => null);

interface Buffers {
  readonly count: number;
  readonly bytes: number;
}

async function buffersOf(worker: Worker): Promise<Buffers | null> {
  return orNull(
    worker.evaluate(async () => {
      const scope = self as unknown as Record<symbol, () => unknown>;
      scope[Symbol.for('soak:gc')]!();
      // Finalizers run in a task of their own.
      await new Promise((resolve) => setTimeout(resolve, 50));
      scope[Symbol.for('soak:gc')]!();
      return scope[Symbol.for('soak:buffers')]!() as Buffers;
    }),
  );
}

async function residentOf(browser: Browser): Promise<number> {
  if (process.platform !== 'linux') return 0;
  const { readFile } = await import('node:fs/promises');
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  let bytes = 0;
  for (const { id } of processInfo) {
    const status = await readFile(`/proc/${id}/status`, 'utf8').catch(() => '');
    bytes += 1024 * Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0);
  }
  return bytes;
}

/** The parts of V8's heap snapshot that are read: a flat list of nodes, so many fields each. */
interface Snapshot {
  readonly snapshot: {
    readonly meta: { readonly node_fields: string[]; readonly node_types: [string[]] };
  };
  readonly nodes: number[];
}

/** Reads one page; `countable` was called for its context. */
export class Meter {
  private constructor(
    private readonly page: Page,
    private readonly session: CDPSession,
  ) {}

  static async of(page: Page): Promise<Meter> {
    return new Meter(page, await page.context().newCDPSession(page));
  }

  /** One reading, after garbage was collected in every thread. */
  private async once(): Promise<Reading> {
    const workers = this.page.workers();
    const found = await Promise.all(workers.filter(isProgramWorker).map(buffersOf));
    await Promise.all(
      workers
        .filter((worker) => !isProgramWorker(worker))
        .map((worker) => orNull(worker.evaluate(() => (self as { gc?: () => void }).gc?.()))),
    );
    for (let i = 0; i < 2; i++) await this.session.send('HeapProfiler.collectGarbage');
    const counts = await this.session.send('Memory.getDOMCounters');
    const memory = await this.page.evaluate(async () => {
      const { performance: clock } = globalThis as unknown as {
        performance: { measureUserAgentSpecificMemory(): Promise<{ bytes: number }> };
      };
      return (await clock.measureUserAgentSpecificMemory()).bytes;
    });
    const buffers = found.filter((each) => each !== null);
    return {
      heap: await this.heap(),
      memory,
      gpuBuffers: buffers.reduce((sum, { count }) => sum + count, 0),
      gpuBytes: buffers.reduce((sum, { bytes }) => sum + bytes, 0),
      workers: this.page.workers().length,
      listeners: counts.jsEventListeners,
      nodes: counts.nodes,
      documents: counts.documents,
      resident: await residentOf(this.page.context().browser()!),
    };
  }

  /** Sizes of the objects of a heap snapshot, which garbage is not in. */
  private async heap(): Promise<number> {
    const chunks: string[] = [];
    const take = ({ chunk }: { chunk: string }): void => void chunks.push(chunk);
    this.session.on('HeapProfiler.addHeapSnapshotChunk', take);
    await this.session.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
    this.session.off('HeapProfiler.addHeapSnapshotChunk', take);
    const { snapshot, nodes } = JSON.parse(chunks.join('')) as Snapshot;
    const { node_fields: fields, node_types: types } = snapshot.meta;
    const code = types[0].indexOf('code');
    const [kind, size] = [fields.indexOf('type'), fields.indexOf('self_size')];
    let bytes = 0;
    for (let at = 0; at < nodes.length; at += fields.length)
      if (nodes[at + kind] !== code) bytes += nodes[at + size]!;
    return bytes;
  }

  /**
   * The least of several readings: what a page does by itself meanwhile (a spare worker that loads,
   * a compilation) is in some of them only.
   */
  async read(readings = 3): Promise<Reading> {
    const all: Reading[] = [];
    for (let i = 0; i < readings; i++) {
      if (i > 0) await this.page.waitForTimeout(1500);
      all.push(await this.once());
    }
    const least = (name: keyof Reading): number => Math.min(...all.map((each) => each[name]));
    const counts = Object.fromEntries(QUANTITIES.map((name) => [name, least(name)]));
    return counts as unknown as Reading;
  }
}

/** A quantity that grew above what is allowed. */
export interface Growth {
  readonly name: keyof Reading;
  readonly from: number;
  readonly to: number;
}

/** Counts of a few, where one more is a worker of a panel's first use, and no tenth. */
const FEW: readonly (keyof Reading)[] = ['workers', 'documents'];

/** Quantities that exceed `first` by more than `share` of it; of a few things, by more than one. */
export function grown(first: Reading, last: Reading, share = 0.1): Growth[] {
  const most = (name: keyof Reading): number =>
    FEW.includes(name) ? first[name] + 1 : first[name] * (1 + share);
  return QUANTITIES.filter((name) => last[name] > most(name)).map((name) => ({
    name,
    from: first[name],
    to: last[name],
  }));
}
