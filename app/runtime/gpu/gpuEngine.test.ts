/** The runtime on a software adapter, with hand-written kernels. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { dawnInstance, findSoftwareAdapter } from '../../cli/dawn';
import type { ProgramEvent, RunOptions } from '../../events';
import { openGpu, type GpuDevice } from './gpuDevice';
import { GpuEngine } from './gpuEngine';
import type { Engine, EngineEvents } from '../engine';
import { Session } from '../session';
import { AT, ADD_SPECS, addKernel, fakeCompiler, launch } from '../testing';

const software = findSoftwareAdapter();
if (software.kind === 'missing') console.error(`GPU TESTS SKIPPED: ${software.reason}`);

const OPTIONS: RunOptions = { adapter: 'webgpu', maxBytes: 2 ** 28, check: false, seed: 0 };

const PLACES = [
  { words: 'a uniform buffer', immediateBytes: 0 },
  { words: 'immediates', immediateBytes: 64 },
];

describe.skipIf(software.kind === 'missing').each(PLACES)(
  'launches on WebGPU, arguments in $words',
  (place) => {
    let gpu: GpuDevice;
    let limit = Infinity;
    const events: ProgramEvent[] = [];
    /** Launches whose inputs were kept. */
    const kept: number[] = [];
    /** Launches that reported something. */
    const reported: number[] = [];
    const engines: GpuEngine[] = [];
    const devices: GpuDevice[] = [];
    let session: Session;

    async function open(): Promise<GpuDevice> {
      const opened = await openGpu(await dawnInstance({ disable: ['timestamp_quantization'] }));
      if (!opened.ok) throw new Error(opened.reason);
      devices.push(opened.gpu);
      return opened.gpu;
    }
    beforeAll(async () => {
      gpu = await open();
    });
    afterAll(() => {
      for (const each of devices) each.device.destroy();
    });

    async function floats(id: number): Promise<Float32Array> {
      const bytes = await session.storage_read(id);
      return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
    }
    async function storage(values: readonly number[]): Promise<number> {
      const id = session.storage_create(values.length * 4);
      (await floats(id)).set(values);
      session.storage_written(id);
      return id;
    }
    /** Launches `add` of four elements again, after a first launch of it. */
    async function prepareAdd(a: number, b: number, out: number): Promise<number> {
      const response = await launch(session, 'add', ADD_SPECS, [a, b, out, '4'], [1, 1, 1]);
      if (!response.ok || response.prepared === undefined) throw new Error('not prepared');
      return response.prepared;
    }

    const broken = (request: Parameters<typeof addKernel>[0]): ReturnType<typeof addKernel> => {
      const kernel = addKernel(request);
      const wgsl = kernel.wgsl.replace('args.n)', 'args.nonsense)');
      const line = wgsl.split('\n').findIndex((text) => text.includes('nonsense'));
      const sourceMap = wgsl.split('\n').map((_, index) => (index === line - 1 ? AT : null));
      return { ...kernel, wgsl, sourceMap };
    };
    const merging = (request: Parameters<typeof addKernel>[0]) => {
      const groups = new Set(
        request.specialization.arguments.flatMap((a) => (a.kind === 'pointer' ? [a.group] : [])),
      );
      return groups.size > 1
        ? { kind: 'regroup' as const, merge: [[...groups]] }
        : addKernel(request);
    };

    beforeEach(async () => {
      events.length = 0;
      kept.length = 0;
      reported.length = 0;
      limit = Infinity;
      session = new Session({
        keepInputs: ({ launch: id }) => kept.push(id),
        compiler: fakeCompiler({ add: addKernel, broken, merging }),
        openEngine: async (_kind, listener: EngineEvents): Promise<Engine> => {
          // The first session uses the device opened above; a lost one is replaced by a new one.
          const used = engines.at(-1)?.lost ? await open() : gpu;
          gpu = used;
          const buffers = Math.min(used.target.maxStorageBuffers, limit);
          const engine = new GpuEngine(
            {
              ...used,
              target: {
                ...used.target,
                maxStorageBuffers: buffers,
                immediateBytes: place.immediateBytes,
              },
            },
            {
              ...listener,
              onDiagnostic: (found, launched) => {
                reported.push(launched.id);
                listener.onDiagnostic(found, launched);
              },
            },
          );
          engines.push(engine);
          return engine;
        },
      });
      await session.begin(OPTIONS, (event) => events.push(event));
    });

    it('adds two vectors, and reports the launch and its time', async () => {
      const n = 1000;
      const a = await storage(Array.from({ length: n }, (_, i) => i));
      const b = await storage(Array.from({ length: n }, (_, i) => 2 * i));
      const out = await storage(Array.from({ length: n }, () => NaN));
      const response = await launch(session, 'add', ADD_SPECS, [a, b, out, String(n)], [16, 1, 1]);
      expect(response).toMatchObject({ ok: true });
      expect([...(await floats(out))]).toEqual(Array.from({ length: n }, (_, i) => 3 * i));
      expect(events.map((event) => event.type)).toEqual(['compile', 'launch', 'launch-time']);
      const time = events.find((event) => event.type === 'launch-time');
      expect(time?.timing.clock).toBe('gpu');
      expect(time?.timing.median).toBeGreaterThan(0);
      await session.end();
    });

    it('keeps the order of writes on the CPU and launches', async () => {
      const a = await storage([1, 2, 3, 4]);
      const b = await storage([10, 10, 10, 10]);
      const first = await storage([0, 0, 0, 0]);
      const second = await storage([0, 0, 0, 0]);
      await launch(session, 'add', ADD_SPECS, [a, b, first, '4'], [1, 1, 1]);
      (await floats(a)).set([5, 6, 7, 8]);
      session.storage_written(a);
      await launch(session, 'add', ADD_SPECS, [a, b, second, '4'], [1, 1, 1]);
      expect([...(await floats(first))]).toEqual([11, 12, 13, 14]);
      expect([...(await floats(second))]).toEqual([15, 16, 17, 18]);
    });

    it('runs many launches in few batches, each seeing the one before', async () => {
      const one = await storage([1]);
      let from = await storage([0]);
      let to = await storage([0]);
      for (let i = 0; i < 300; i++) {
        await launch(session, 'add', ADD_SPECS, [from, one, to, '1'], [1, 1, 1]);
        [from, to] = [to, from];
      }
      expect([...(await floats(from))]).toEqual([300]);
      expect(events.filter((event) => event.type === 'launch-time')).toHaveLength(300);
    });

    it.each([
      // Small buffers are cleared once there are many of a size.
      { bytes: 8, count: 16 },
      { bytes: 2 ** 21, count: 1 },
    ])('gives zeros in memory that was used before, $bytes bytes', async ({ bytes, count }) => {
      const a = await storage([1, 1]);
      const outs = Array.from({ length: count }, () => session.storage_create(bytes));
      for (const out of outs) {
        await launch(session, 'add', ADD_SPECS, [a, a, out, '2'], [1, 1, 1]);
        expect([...(await floats(out))].slice(0, 2)).toEqual([2, 2]);
      }
      for (const out of outs) session.storage_release(out);
      const next = session.storage_create(bytes);
      const sum = session.storage_create(8);
      await launch(session, 'add', ADD_SPECS, [next, a, sum, '2'], [1, 1, 1]);
      expect([...(await floats(sum))]).toEqual([1, 1]);
    });

    it('lets one storage be read and written', async () => {
      const a = await storage([1, 2, 3]);
      await launch(session, 'add', ADD_SPECS, [a, a, a, '3'], [1, 1, 1]);
      expect([...(await floats(a))]).toEqual([2, 4, 6]);
    });

    it('merges storages where the adapter has too few bindings, once', async () => {
      limit = 3;
      session.dispose();
      gpu = await open();
      await session.begin(OPTIONS, (event) => events.push(event));
      const a = await storage([1, 2, 3]);
      const b = await storage([10, 20, 30]);
      const out = await storage([0, 0, 0]);
      const c = await storage([100, 200, 300]);
      await launch(session, 'add', ADD_SPECS, [a, b, out, '3'], [1, 1, 1]);
      await launch(session, 'add', ADD_SPECS, [out, c, out, '3'], [1, 1, 1]);
      await launch(session, 'add', ADD_SPECS, [a, b, c, '3'], [1, 1, 1]);
      expect([...(await floats(out))]).toEqual([111, 222, 333]);
      expect([...(await floats(c))]).toEqual([11, 22, 33]);
      const compiles = events.filter((event) => event.type === 'compile');
      for (const { request } of compiles) {
        const groups = request.specialization.arguments.flatMap((spec) =>
          spec.kind === 'pointer' ? [spec.group] : [],
        );
        expect(Math.max(...groups)).toBeLessThan(2);
      }
    });

    it('merges the groups that the compiler requests, keeping what the GPU wrote', async () => {
      const a = await storage([1, 2, 3]);
      const b = await storage([10, 20, 30]);
      const c = await storage([0, 0, 0]);
      const d = await storage([0, 0, 0]);
      await launch(session, 'add', ADD_SPECS, [a, b, c, '3'], [1, 1, 1]);
      await launch(session, 'merging', ADD_SPECS, [c, c, d, '3'], [1, 1, 1]);
      expect([...(await floats(d))]).toEqual([22, 44, 66]);
      expect([...(await floats(c))]).toEqual([11, 22, 33]);
    });

    it('takes views by their byte offset', async () => {
      const a = await storage([1, 2, 3, 4]);
      const out = await storage([0, 0, 0, 0]);
      await launch(
        session,
        'add',
        ADD_SPECS,
        [a, { storage: a, byteOffset: 8 }, { storage: out, byteOffset: 4 }, '2'],
        [1, 1, 1],
      );
      expect([...(await floats(out))]).toEqual([0, 4, 6, 0]);
    });

    it('reports accesses out of range at the next read, with line, element and program', async () => {
      const a = await storage(Array.from({ length: 100 }, () => 1));
      const out = await storage(Array.from({ length: 90 }, () => 0));
      await launch(session, 'add', ADD_SPECS, [a, a, out, '100'], [2, 1, 1]);
      expect((await floats(out))[89]).toBe(2);
      const reported = events.flatMap((event) =>
        event.type === 'diagnostic' ? event.diagnostic : [],
      );
      expect(reported).toMatchObject([
        {
          code: 'HC8001',
          severity: 'error',
          message: expect.stringMatching(
            /stores to element 90 of arg2, which has 90 elements/,
          ) as string,
          location: { line: 7 },
          notes: [
            { message: expect.stringMatching(/^10 accesses .* program \(1, 0, 0\)/) as string },
            {},
          ],
        },
      ]);
      // The program goes on, and a launch that does the same again is not reported again.
      await launch(session, 'add', ADD_SPECS, [a, a, out, '100'], [2, 1, 1]);
      await floats(out);
      expect(events.filter((event) => event.type === 'diagnostic')).toHaveLength(1);
    });

    it('reports which launches of a row went out of range', async () => {
      const a = await storage(Array.from({ length: 8 }, () => 1));
      const out = await storage([0, 0, 0, 0]);
      const engine = engines.at(-1)!;
      for (let i = 0; i < 40; i++) {
        const n = i % 16 === 3 ? '5' : '4';
        await launch(session, 'add', ADD_SPECS, [a, a, out, n], [1, 1, 1]);
      }
      expect([...(await floats(out))]).toEqual([2, 2, 2, 2]);
      expect(reported).toEqual([4, 20, 36]);
      expect(engine.target.immediateBytes).toBe(place.immediateBytes);
      expect(gpu.target.immediateBytes).toBe(64);
    });

    it('says which launch the GPU has no memory for, and goes on', async ({ skip }) => {
      // SwiftShader's heap has 1 GiB, which a buffer of as much does not fit into.
      const words = 2 ** 28;
      if (gpu.device.limits.maxBufferSize !== words * 4) skip('not SwiftShader');
      await session.begin({ ...OPTIONS, maxBytes: words * 4 }, (event) => events.push(event));
      const a = await storage([1, 2, 3, 4]);
      const large = session.storage_create(words * 4);
      const response = await launch(session, 'add', ADD_SPECS, [a, a, large, '4'], [1, 1, 1]);
      expect(response).toMatchObject({
        ok: false,
        kind: 'OutOfMemoryError',
        message: expect.stringMatching(/allocate 1 GiB, which the GPU has not left/) as string,
      });
      // Nothing of it is left: neither an error that comes later nor a buffer that is none.
      const out = await storage([0, 0, 0, 0]);
      await launch(session, 'add', ADD_SPECS, [a, a, out, '4'], [1, 1, 1]);
      expect([...(await floats(out))]).toEqual([2, 4, 6, 8]);
      await session.synchronize();
      const again = await launch(session, 'add', ADD_SPECS, [a, a, large, '4'], [1, 1, 1]);
      expect(again).toMatchObject({ ok: false, kind: 'OutOfMemoryError' });
      session.storage_release(large);
      await session.end();
      await session.begin(OPTIONS, (event) => events.push(event));
      const b = await storage([1, 2, 3, 4]);
      await launch(session, 'add', ADD_SPECS, [b, b, await storage([0]), '1'], [1, 1, 1]);
      await session.end();
    });

    it('linearizes grids above the limit', async () => {
      const a = await storage([1]);
      const out = await storage([0]);
      const response = await launch(session, 'add', ADD_SPECS, [a, a, out, '1'], [70_000, 1, 1]);
      expect(response.ok).toBe(true);
      expect([...(await floats(out))]).toEqual([2]);
      const compile = events.find((event) => event.type === 'compile');
      expect(compile?.request.options.linearGrid).toBe(true);
    });

    it('launches nothing for an empty grid, and says so', async () => {
      const a = await storage([1]);
      const out = await storage([7]);
      await launch(session, 'add', ADD_SPECS, [a, a, out, '1'], [0, 1, 1]);
      expect([...(await floats(out))]).toEqual([7]);
      expect(events.filter((event) => event.type === 'launch')).toHaveLength(0);
      expect(events.find((event) => event.type === 'diagnostic')?.diagnostic.code).toBe('HC8005');
    });

    it("maps rejected WGSL back to the program's line", async () => {
      const a = await storage([1]);
      const response = await launch(session, 'broken', ADD_SPECS, [a, a, a, '1'], [1, 1, 1]);
      expect(response).toMatchObject({
        ok: false,
        kind: 'RuntimeError',
        diagnostics: [{ code: 'HC8002', location: AT }],
      });
    });

    it('refuses tensors above the limit of the run', () => {
      expect(() => session.storage_create(2 ** 28 + 1)).toThrow(/this run allows 256 MiB/);
    });

    it('replays a recording for samples', async () => {
      const a = await storage(Array.from({ length: 4096 }, () => 1));
      const out = await storage(Array.from({ length: 4096 }, () => 0));
      session.bench_begin();
      await launch(session, 'add', ADD_SPECS, [a, a, out, '4096'], [64, 1, 1]);
      const answer = JSON.parse(await session.bench_end(20, false, 0)) as {
        clock: string;
        samples: number[];
        quantum: number;
      };
      expect(answer.clock).toBe('gpu');
      expect(answer.samples.length).toBeGreaterThanOrEqual(3);
      for (const sample of answer.samples) expect(sample).toBeGreaterThan(0);
      expect([...(await floats(out)).slice(0, 2)]).toEqual([2, 2]);
      session.bench_begin();
      expect(await session.bench_end(20, true, 0)).toBe('{"clock":"cpu"}');
    });

    it('launches again on other storages, as the long way would bind them', async () => {
      const [a, b, out, other] = await Promise.all([
        storage([1, 2, 3, 4]),
        storage([10, 20, 30, 40]),
        storage([0, 0, 0, 0]),
        storage([-1, -1, -1, -1]),
      ]);
      const prepared = await prepareAdd(a, b, out);
      expect(await session.relaunch(prepared, b, b, other)).toBe('anew');
      expect(await session.relaunch(prepared, out, a, other)).toBe('');
      expect([...(await floats(other))]).toEqual([12, 24, 36, 48]);
      expect(await session.relaunch(prepared, out, a)).toBe('anew');
      expect(await session.relaunch(prepared + 1000, out, a, other)).toBe('anew');
      // Two in one buffer are one group from now on.
      await launch(session, 'merging', ADD_SPECS, [a, b, out, '4'], [1, 1, 1]);
      expect(await session.relaunch(prepared, a, b, other)).toBe('anew');
      // Code for tensors that end where a vector does is not for one that ends elsewhere.
      const [short, odd] = await Promise.all([storage([7]), storage([0, 0, 0])]);
      expect(await session.relaunch(prepared, a, other, short)).toBe('anew');
      const cut = await prepareAdd(a, other, odd);
      events.length = 0;
      // As requested in full, an access beyond a tensor's end is reported.
      expect(await session.relaunch(cut, a, other, short)).toBe('');
      await session.synchronize();
      expect(events.some((event) => event.type === 'diagnostic')).toBe(true);
      expect([...(await floats(short))]).toEqual([1 + 12]);
    });

    it('launches in a row on the same tensors what they hold then, and never on one that is gone', async () => {
      const [a, b, out] = await Promise.all([
        storage([1, 2, 3, 4]),
        storage([10, 20, 30, 40]),
        storage([0, 0, 0, 0]),
      ]);
      const prepared = await prepareAdd(a, b, out);
      for (let turn = 0; turn < 3; turn++)
        expect(await session.relaunch(prepared, out, b, out)).toBe('anew');
      expect(await session.relaunch(prepared, a, b, out)).toBe('');
      expect(await session.relaunch(prepared, a, b, out)).toBe('');
      expect([...(await floats(out))]).toEqual([11, 22, 33, 44]);
      // The CPU writes between two of a row.
      new Float32Array((await session.storage_read(a)).buffer).fill(5);
      session.storage_written(a);
      expect(await session.relaunch(prepared, a, b, out)).toBe('');
      expect([...(await floats(out))]).toEqual([15, 25, 35, 45]);
      session.storage_release(b);
      const gone = await session.relaunch(prepared, a, b, out);
      expect(gone).not.toBe('');
      const c = await storage([100, 200, 300, 400]);
      expect(await session.relaunch(prepared, a, c, out)).toBe('');
      expect([...(await floats(out))]).toEqual([105, 205, 305, 405]);
    });

    it("keeps the inputs of a launch that was a benchmark's before", async () => {
      const [a, b, out] = await Promise.all([
        storage([1, 2, 3, 4]),
        storage([1, 1, 1, 1]),
        storage([0, 0, 0, 0]),
      ]);
      session.bench_mark(true);
      const measured = await prepareAdd(a, b, out);
      expect(await session.relaunch(measured, a, b, out)).toBe('');
      session.bench_mark(false);
      expect(kept).toEqual([]);
      expect(await session.relaunch(measured, a, b, out)).toBe('anew');
      const plain = await prepareAdd(a, b, out);
      expect(kept).toEqual([3]);
      expect(await session.relaunch(plain, a, b, out)).toBe('');
      expect(kept).toEqual([3]);
      await session.synchronize();
    });

    it('reports each of many launches in a row the time they shared', async () => {
      const [a, b, out] = await Promise.all([
        storage([1, 2, 3, 4]),
        storage([1, 1, 1, 1]),
        storage([0, 0, 0, 0]),
      ]);
      const prepared = await prepareAdd(a, b, out);
      // Every launch needs the one before: a sum of ones, over more than one batch.
      const turns = 301;
      for (let i = 0; i < turns; i++) {
        const wait = session.relaunch(prepared, i % 2 ? b : out, a, i % 2 ? out : b);
        if (await wait) throw new Error('anew');
      }
      await session.synchronize();
      expect([...(await floats(b))]).toEqual([1, 2, 3, 4].map((each) => each * (turns + 1) + 1));
      const ids = events.flatMap((event) => (event.type === 'launch' ? [event.id] : []));
      const times = events.filter((event) => event.type === 'launch-time');
      expect(times.map(({ id }) => id).sort((x, y) => x - y)).toEqual(ids);
      if (gpu.quantum !== null) {
        expect(times[0]!.timing.together).toBeUndefined();
        expect(times.at(-1)!.timing.together).toBeGreaterThan(1);
      }
    });

    it('agrees with a model over random writes, launches, merges, releases and reads', async () => {
      // Deterministic pseudo-random numbers, so that a failure can be repeated.
      let state = 12345;
      const random = (below: number): number => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return Math.floor((state / 2 ** 32) * below);
      };
      for (let round = 0; round < 12; round++) {
        const model = new Map<number, number[]>();
        const pick = (): number => [...model.keys()][random(model.size)]!;
        const length = (): number => 1 + random(200);
        for (let i = 0; i < 4; i++) {
          const values = Array.from({ length: length() }, () => random(100));
          model.set(await storage(values), values);
        }
        for (let step = 0; step < 60; step++) {
          switch (random(7)) {
            case 0: {
              const n = length();
              model.set(
                session.storage_create(n * 4),
                Array.from({ length: n }, () => 0),
              );
              break;
            }
            case 1: {
              if (model.size < 3) break;
              const id = pick();
              session.storage_release(id);
              model.delete(id);
              break;
            }
            case 2: {
              const id = pick();
              const values = model.get(id)!.map(() => random(100));
              (await floats(id)).set(values);
              session.storage_written(id);
              model.set(id, values);
              break;
            }
            case 3: {
              const id = pick();
              expect([...(await floats(id))]).toEqual(model.get(id));
              break;
            }
            default: {
              const [a, b, out] = [pick(), pick(), pick()];
              const [x, y, z] = [model.get(a)!, model.get(b)!, model.get(out)!];
              const n = Math.min(x.length, y.length, z.length);
              const kernel = random(4) === 0 ? 'merging' : 'add';
              await launch(session, kernel, ADD_SPECS, [a, b, out, String(n)], [4, 1, 1]);
              const sums = x.slice(0, n).map((value, i) => Math.fround(value + y[i]!));
              model.set(out, [...sums, ...z.slice(n)]);
            }
          }
        }
        for (const [id, values] of model) {
          expect([...(await floats(id))]).toEqual(values);
          session.storage_release(id);
        }
      }
    });

    it('replaces a lost device and reports which tensors are gone', async () => {
      const a = await storage([1, 2]);
      const out = await storage([0, 0]);
      await launch(session, 'add', ADD_SPECS, [a, a, out, '2'], [1, 1, 1]);
      gpu.device.destroy();
      await gpu.device.lost;
      await expect(floats(out)).rejects.toMatchObject({
        message: expect.stringMatching(
          /lost while add \(line 33\) ran.*1 tensor was lost/,
        ) as string,
      });
      await expect(floats(out)).rejects.toThrow(/were lost with the GPU device/);
      expect([...(await floats(a))]).toEqual([1, 2]);
      const fresh = await storage([0, 0]);
      await launch(session, 'add', ADD_SPECS, [a, a, fresh, '2'], [1, 1, 1]);
      expect([...(await floats(fresh))]).toEqual([2, 4]);
    });
  },
);
