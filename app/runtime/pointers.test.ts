/**
 * Pointers that are no arguments: loaded from memory, made of integers, cast; and atomics of 64
 * bits. On a software adapter and on the interpreter, through a session.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { outline } from '../../compiler/1-parse/outline';
import type { Parser } from '../../compiler/1-parse/parser';
import { createCompiler, type Compiler } from '../../compiler/pipeline';
import type { ArgumentSpec } from '../../compiler/program';
import { dawnInstance, findSoftwareAdapter } from '../cli/dawn';
import { nodeParser } from '../cli/nodeParser';
import type { ProgramEvent } from '../events';
import type { LaunchResponse, LaunchValue } from '../workers/bridge';
import { openGpu, type GpuDevice } from './gpu/gpuDevice';
import { GpuEngine } from './gpu/gpuEngine';
import { InterpreterEngine } from './interpreterEngine';
import { Session } from './session';

const software = findSoftwareAdapter();
if (software.kind === 'missing') console.error(`GPU TESTS SKIPPED: ${software.reason}`);

type Numbers =
  Float32Array | Int32Array | BigInt64Array | BigUint64Array | Int16Array | Float64Array;
/** A storage by its id and the dtype it is passed as, or an integer. */
type Argument = { readonly id: number; readonly dtype: string } | number | bigint;

const range = (n: number, f: (i: number) => number): number[] =>
  Array.from({ length: n }, (_, i) => f(i));

describe('pointers', () => {
  let parser: Parser;
  let compiler: Compiler;
  let gpu: GpuDevice | null = null;
  let session: Session;
  let events: ProgramEvent[] = [];
  let launches = 0;

  beforeAll(async () => {
    parser = await nodeParser(join(import.meta.dirname, '..', '..'));
    compiler = createCompiler(parser);
    if (software.kind === 'missing') return;
    const opened = await openGpu(await dawnInstance({ disable: ['timestamp_quantization'] }));
    if (!opened.ok) throw new Error(opened.reason);
    gpu = opened.gpu;
  });
  afterAll(() => gpu?.device.destroy());

  async function begin(adapter: 'webgpu' | 'interpreter'): Promise<void> {
    session = new Session({
      compiler,
      openEngine: (_, listener) =>
        Promise.resolve(
          adapter === 'webgpu'
            ? new GpuEngine(gpu!, listener)
            : new InterpreterEngine(null, listener),
        ),
    });
    events = [];
    const options = { adapter, maxBytes: 2 ** 28, check: false, seed: 0 } as const;
    await session.begin(options, (event) => events.push(event));
  }
  async function storage(data: Numbers): Promise<number> {
    const id = session.storage_create(data.byteLength);
    (await session.storage_read(id)).set(new Uint8Array(data.buffer));
    session.storage_written(id);
    return id;
  }
  async function contents(id: number): Promise<ArrayBuffer> {
    return (await session.storage_read(id)).slice().buffer as ArrayBuffer;
  }
  const address = (id: number): bigint => BigInt(session.storage_address(id, false));

  async function launch(source: string, grid: number, ...args: Argument[]): Promise<void> {
    const text = `import triton\nimport triton.language as tl\n\n@triton.jit\n${source}`;
    const [kernel] = outline({ 'test.py': text }, parser);
    const specs = args.map((arg): ArgumentSpec => {
      if (typeof arg === 'object')
        return { kind: 'pointer', dtype: arg.dtype, divisibleBy16: true, group: 0 };
      const dtype = typeof arg === 'bigint' ? 'int64' : 'int32';
      return { kind: 'scalar', dtype, divisibleBy16: false };
    });
    const values = args.map((arg): LaunchValue =>
      typeof arg === 'object' ? { storage: arg.id, byteOffset: 0 } : { scalar: String(arg) },
    );
    const request = {
      program: session.program_register(JSON.stringify(kernel!.program)),
      specialization: { arguments: specs, numWarps: 4 },
      values,
      grid: [grid, 1, 1],
      // A line of a kernel is reported once for each line that launches it.
      site: { file: 'test.py', line: ++launches },
      labels: args.map((_, index) => kernel!.parameters[index]?.name ?? ''),
      warmup: false,
    };
    const response = JSON.parse(await session.launch(JSON.stringify(request))) as LaunchResponse;
    expect(response).toMatchObject({ ok: true });
  }
  const reported = (): string[] =>
    events.flatMap((e) => (e.type === 'diagnostic' ? [e.diagnostic.message] : []));

  const COPY = `def copy(table, n):
    i = tl.arange(0, 64)
    row = tl.program_id(0)
    source = tl.load(table + 2 * row).to(tl.pointer_type(tl.float32))
    target = tl.load(table + 2 * row + 1).to(tl.pointer_type(tl.float32))
    tl.store(target + i, tl.load(source + i, i < n) + 1, i < n)
`;

  describe.each(['webgpu', 'interpreter'] as const)('on %s', (adapter) => {
    const skip = adapter === 'webgpu' && software.kind === 'missing';

    it.skipIf(skip)('follows a table of addresses, while storages come and go', async () => {
      await begin(adapter);
      const addresses = new Set<bigint>();
      for (let turn = 0; turn < 5; turn++) {
        const made: [number, number][] = [];
        for (let row = 0; row < 3; row++) {
          const x = await storage(Float32Array.from(range(50 + 999 * turn, (i) => i + row)));
          made.push([x, await storage(new Float32Array(60).fill(-1))]);
        }
        const table = BigInt64Array.from(made.flat().map(address));
        for (const each of table) addresses.add(each);
        const held = { id: await storage(table), dtype: 'int64' };
        await launch(COPY, 3, held, 40);
        for (const [row, [, y]] of made.entries()) {
          const result = [...new Float32Array(await contents(y))];
          expect(result).toEqual([...range(40, (i) => i + row + 1), ...range(20, () => -1)]);
        }
        // Words that a kernel wrote are read by the next one, as are those that the host wrote in
        // between.
        await launch(COPY, 1, { id: await storage(table.slice(1, 3)), dtype: 'int64' }, 40);
        expect(new Float32Array(await contents(made[1]![0]))[39]).toBe(41);
        for (const id of made.flat().slice(turn)) session.storage_release(id);
      }
      expect(addresses.size).toBeLessThan(30);
      expect(reported()).toEqual([]);
      await session.end();
    });

    it.skipIf(skip)('reports an address where no tensor lies', async () => {
      await begin(adapter);
      const [x, y] = [await storage(new Float32Array(50)), await storage(new Float32Array(64))];
      const gone = await storage(new Float32Array(64));
      const cases = [
        [address(x), address(y), 'loads'],
        [address(y), address(x), 'stores'],
        [12345n, address(y), 'loads'],
        [address(gone), address(y), 'loads'],
      ] as const;
      session.storage_release(gone);
      for (const [from, to, verb] of cases) {
        const table = { id: await storage(BigInt64Array.from([from, to])), dtype: 'int64' };
        await launch(COPY, 1, table, 60);
        await session.synchronize();
        expect(reported()).toMatchObject([
          new RegExp(`^copy ${verb} .*where no tensor lies, in pro`),
        ]);
        events = [];
      }
      await session.end();
    });

    it.skipIf(skip)('stores pointers, and follows pointers to pointers', async () => {
      await begin(adapter);
      const [x, y] = [
        await storage(Float32Array.from(range(16, (i) => i))),
        await storage(Float32Array.from(range(16, (i) => 100 + i))),
      ];
      const table = { id: await storage(new BigInt64Array(3)), dtype: 'int64' };
      const f32 = (id: number): Argument => ({ id, dtype: 'float32' });
      await launch(
        `def fill(table, x, y):
    slots = table.to(tl.pointer_type(tl.pointer_type(tl.float32)))
    tl.store(slots, x + 1)
    tl.store(slots + 1, tl.where(tl.program_id(0) == 0, y, x))
    tl.store(table + 2, y.to(tl.int64) - x.to(tl.int64))
`,
        1,
        table,
        f32(x),
        f32(y),
      );
      const words = new BigInt64Array(await contents(table.id));
      expect([...words]).toEqual([address(x) + 4n, address(y), address(y) - address(x)]);
      const out = await storage(new Float32Array(16));
      await launch(
        `def follow(table, out, n):
    i = tl.arange(0, 8)
    slots = table.to(tl.pointer_type(tl.pointer_type(tl.float32)))
    p = tl.load(slots) + i
    for step in range(n):
        tl.store(out + step * 8 + i, tl.load(p))
        p = tl.load(slots + 1) + i
`,
        1,
        table,
        f32(out),
        2,
      );
      const result = [...new Float32Array(await contents(out))];
      expect(result).toEqual([...range(8, (i) => i + 1), ...range(8, (i) => 100 + i)]);
      expect(reported()).toEqual([]);
      await session.end();
    });

    it.skipIf(skip)('casts pointers of arguments, and finds where their storages end', async () => {
      await begin(adapter);
      const x = await storage(Int32Array.from([0x04030201, 0x08070605, -1]));
      const out = await storage(new Int32Array(5).fill(9));
      await launch(
        `def cast(x, out):
    i = tl.arange(0, 16)
    b = tl.load(x.to(tl.pointer_type(tl.int8)) + i, i < 12)
    tl.store(out.to(tl.pointer_type(tl.int8)) + i, b, i < 13)
    tl.store((out.to(tl.pointer_type(tl.int16)) + 10).to(tl.pointer_type(tl.int32)) - 1, 7)
`,
        1,
        { id: x, dtype: 'int32' },
        { id: out, dtype: 'int32' },
      );
      const result = [...new Int32Array(await contents(out))];
      expect(result).toEqual([0x04030201, 0x08070605, -1, 9 & ~0xff, 7]);
      expect(reported()).toEqual([]);
      await launch(
        `def beyond(x, out):
    i = tl.arange(0, 16)
    tl.store(out + tl.arange(0, 4), 1)
    tl.store(x.to(tl.pointer_type(tl.int16)) + i, i.to(tl.int16), i < 7)
`,
        1,
        { id: x, dtype: 'int32' },
        { id: out, dtype: 'int32' },
      );
      await session.synchronize();
      expect(reported()).toMatchObject([/stores to element 3 of x, which has 3 elements/]);
      await session.end();
    });

    it.skipIf(skip)('prints the addresses of pointers, wherever they come from', async () => {
      await begin(adapter);
      const [x, y] = [await storage(new Float32Array(8)), await storage(new Float32Array(8))];
      const table = { id: await storage(BigInt64Array.from([address(x)])), dtype: 'int64' };
      await launch(
        `def show(table, y):
    tl.device_print("x", tl.load(table).to(tl.pointer_type(tl.float16)) + 1)
    tl.device_print("y", y + 1)
    tl.device_print("b", y.to(tl.pointer_type(tl.int8)) + 1)
`,
        1,
        table,
        { id: y, dtype: 'float32' },
      );
      await session.synchronize();
      const printed = events.flatMap((e) => (e.type === 'device-print' ? e.prints : []));
      const hex = (at: bigint): string => `0x${at.toString(16).padStart(12, '0')}`;
      expect(printed.flatMap(({ values }) => values)).toEqual(
        [address(x) + 2n, address(y) + 4n, address(y) + 1n].map(hex),
      );
      await session.end();
    });

    it.skipIf(skip)('updates 64 bits in one step, also for many programs', async () => {
      await begin(adapter);
      const total = 96;
      const [sum, most, olds] = [
        await storage(new BigInt64Array(3).fill(-1n)),
        await storage(Float64Array.from([0, -0, -5])),
        await storage(new BigInt64Array(total)),
      ];
      await launch(
        `def update(sum, most, olds, big):
    i = tl.program_id(0) * 32 + tl.arange(0, 32)
    old = tl.atomic_add(sum + i % 3, big + i)
    tl.store(olds + i, old)
    tl.atomic_max(most + i % 3, i.to(tl.float32).to(tl.float64) - 50)
`,
        3,
        { id: sum, dtype: 'int64' },
        { id: most, dtype: 'float64' },
        { id: olds, dtype: 'int64' },
        2n ** 40n,
      );
      const added = range(total, (i) => i).map((i) => 2n ** 40n + BigInt(i));
      const sums = [...new BigInt64Array(await contents(sum))];
      const seen = [...new BigInt64Array(await contents(olds))];
      for (let place = 0; place < 3; place++) {
        const mine = range(total / 3, (i) => 3 * i + place);
        const end = mine.reduce((at, i) => at + added[i]!, -1n);
        expect(sums[place]).toBe(end);
        // In some order, every old value is the one before with its addend.
        const befores = new Set([...mine.map((i) => seen[i]!), end]);
        const afters = new Set([-1n, ...mine.map((i) => seen[i]! + added[i]!)]);
        expect(befores).toEqual(afters);
      }
      expect([...new Float64Array(await contents(most))]).toEqual([43, 44, 45]);
      await session.end();
    });

    it.skipIf(skip)('compares and exchanges 16 and 64 bits', async () => {
      await begin(adapter);
      const small = await storage(Int16Array.from(range(16, (i) => i - 8)));
      const large = await storage(BigInt64Array.from(range(16, (i) => i).map(BigInt)));
      await launch(
        `def exchange(small, large):
    i = tl.arange(0, 16)
    wanted = (i - 8 + i % 2).to(tl.int16)
    old = tl.atomic_cas(small + i, wanted, (i * 100).to(tl.int16))
    tl.atomic_cas(large + i, old.to(tl.int64) + 8, old.to(tl.int64) << 40)
`,
        1,
        { id: small, dtype: 'int16' },
        { id: large, dtype: 'int64' },
      );
      expect([...new Int16Array(await contents(small))]).toEqual(
        range(16, (i) => (i % 2 === 0 ? i * 100 : i - 8)),
      );
      expect([...new BigInt64Array(await contents(large))]).toEqual(
        range(16, (i) => i - 8).map((i) => BigInt(i) << 40n),
      );
      await session.end();
    });
  });
});
