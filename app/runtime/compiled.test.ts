/**
 * Compiled kernels through a session, on a software adapter and on the interpreter: the same
 * arguments, outputs poisoned before the launch, and the same result, bit for bit where no float is
 * rounded.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { outline } from '../../compiler/1-parse/outline';
import type { Parser } from '../../compiler/1-parse/parser';
import { createCompiler, type Compiler } from '../../compiler/pipeline';
import type { ArgumentSpec, DebugMode, StaticValue } from '../../compiler/program';
import { dawnInstance, findSoftwareAdapter } from '../cli/dawn';
import { nodeParser } from '../cli/nodeParser';
import type { ProgramEvent, RunOptions } from '../events';
import { devicePrintText, MOST_VALUES } from './devicePrint';
import type { LaunchRequest, LaunchResponse, LaunchValue } from '../workers/bridge';
import { openGpu, type GpuDevice } from './gpu/gpuDevice';
import { GpuEngine } from './gpu/gpuEngine';
import { Pacing } from './gpu/pacing';
import { InterpreterEngine } from './interpreterEngine';
import { Session } from './session';

const software = findSoftwareAdapter();
if (software.kind === 'missing') console.error(`GPU TESTS SKIPPED: ${software.reason}`);

const HEAD = 'import triton\nimport triton.language as tl\n\n@triton.jit\n';

type Argument =
  | { f32: readonly number[]; at?: number }
  | { i32: readonly number[] }
  | { out: number }
  | { same: number }
  | { int: number | bigint; dtype?: string }
  | { float: number }
  | { constexpr: number };

interface Case {
  readonly name: string;
  readonly source: string;
  readonly args: readonly Argument[];
  readonly grid: readonly [number, number, number];
  /** Index of the argument to compare, and what it must hold. */
  readonly result: number;
  readonly expected: readonly number[];
}

/** Cuts every launch: into one program, two, three … */
class SmallSlices extends Pacing {
  override fits(): boolean {
    return false;
  }
  override isLong(): boolean {
    return true;
  }
  override firstSlice(): number {
    return 1;
  }
  override nextSlice(programs: number): number {
    return programs + 1;
  }
}

const range = (n: number, f: (i: number) => number): number[] =>
  Array.from({ length: n }, (_, i) => f(i));
const INTEGERS = range(300, (i) => (i * 7919) % 1000);

const CASES: readonly Case[] = [
  {
    name: 'adds with a mask, and leaves what is masked as it was',
    source: `def kernel(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, i < n) + 1.5, i < n)
`,
    args: [{ f32: INTEGERS }, { out: 310 }, { int: 300 }, { constexpr: 64 }],
    grid: [5, 1, 1],
    result: 1,
    expected: [...INTEGERS.map((x) => x + 1.5), ...range(10, () => -1)],
  },
  {
    name: 'reduces rows',
    source: `def kernel(x, out, stride, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    tl.store(out + row, tl.sum(tl.load(x + row * stride + i, i < n, other=0.0), axis=0))
`,
    args: [{ f32: INTEGERS }, { out: 3 }, { int: 100 }, { int: 100 }, { constexpr: 128 }],
    grid: [3, 1, 1],
    result: 1,
    expected: range(3, (row) =>
      INTEGERS.slice(row * 100, row * 100 + 100).reduce((sum, x) => sum + x, 0),
    ),
  },
  {
    name: 'takes a view that starts within its storage',
    source: `def kernel(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i))
`,
    args: [{ f32: INTEGERS, at: 3 }, { out: 16 }, { constexpr: 16 }],
    grid: [1, 1, 1],
    result: 1,
    expected: INTEGERS.slice(3, 19),
  },
  {
    name: 'writes in place where two arguments are one storage',
    source: `def kernel(x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i) * 2 + tl.load(y + i))
`,
    args: [{ f32: range(32, (i) => i) }, { same: 0 }, { same: 0 }, { constexpr: 32 }],
    grid: [1, 1, 1],
    result: 0,
    expected: range(32, (i) => 3 * i),
  },
  {
    // Without its programs one at a time, and its atomics in step with plain accesses, sums get
    // lost.
    name: 'adds under a lock that programs wait for',
    source: `def kernel(x, out, lock, count, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    row = tl.load(x + tl.program_id(0) * n + i, i < n, other=0.0)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    if tl.load(count) == 0:
        tl.atomic_xchg(count, 1)
    else:
        row += tl.load(out + i, i < n)
    tl.store(out + i, row, i < n)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)
`,
    args: [
      { f32: INTEGERS },
      { out: 100 },
      { i32: [0] },
      { i32: [0] },
      { int: 75 },
      { constexpr: 128 },
    ],
    grid: [4, 1, 1],
    result: 1,
    expected: [
      ...range(75, (i) => [0, 75, 150, 225].reduce((sum, at) => sum + INTEGERS[at + i]!, 0)),
      ...range(25, () => -1),
    ],
  },
  {
    // Another subgroup must have loaded before a store overwrites what it needs: nothing else
    // orders them.
    name: 'reverses a tensor in place',
    source: `def kernel(x, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x + i, tl.load(x + BLOCK - 1 - i))
`,
    args: [{ f32: INTEGERS.slice(0, 256) }, { constexpr: 256 }],
    grid: [1, 1, 1],
    result: 0,
    expected: INTEGERS.slice(0, 256).reverse(),
  },
  {
    name: 'chooses between pointers at run time',
    source: `def kernel(x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    even = tl.program_id(0) % 2 == 0
    p = x
    if even:
        p = y
    tl.store(out + tl.program_id(0) * BLOCK + i, tl.load(p + i))
`,
    args: [
      { f32: range(32, (i) => i) },
      { f32: range(32, (i) => 100 + i) },
      { out: 128 },
      { constexpr: 32 },
    ],
    grid: [4, 1, 1],
    result: 2,
    expected: range(128, (i) => (Math.floor(i / 32) % 2 === 0 ? 100 + (i % 32) : i % 32)),
  },
  {
    name: 'binds more tensors than the adapter has bindings',
    source: `def kernel(${range(20, (i) => i)
      .map((i) => `x${i}`)
      .join(', ')}, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK,), tl.float32)
${range(20, (i) => i)
  .map((i) => `    acc += tl.load(x${i} + i)`)
  .join('\n')}
    tl.store(out + i, acc)
`,
    args: [
      ...range(20, (i) => i).map((i) => ({ f32: range(16 + i, (j) => i * 100 + j) })),
      { out: 16 },
      { constexpr: 16 },
    ],
    grid: [1, 1, 1],
    result: 20,
    expected: range(16, (j) => 19000 + 20 * j),
  },
  {
    name: 'takes 64-bit scalars',
    source: `def kernel(out, big, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, ((big >> 32) + i).to(tl.int32))
`,
    args: [{ i32: range(16, () => -1) }, { int: 7n * 2n ** 32n + 5n }, { constexpr: 16 }],
    grid: [1, 1, 1],
    result: 0,
    expected: range(16, (i) => 7 + i),
  },
  {
    name: 'runs a grid above the limit of a dimension',
    source: `def kernel(out, factor):
    pid = tl.program_id(0)
    tl.store(out + pid, pid * factor)
`,
    args: [{ i32: range(70_001, () => -1) }, { int: 3 }],
    grid: [70_001, 1, 1],
    result: 0,
    expected: range(70_001, (i) => 3 * i),
  },
  {
    name: 'numbers the programs of a grid of three dimensions',
    source: `def kernel(out):
    x, y, z = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    at = x + tl.num_programs(0) * (y + tl.num_programs(1) * z)
    tl.store(out + at, x + 10 * y + 100 * z)
`,
    args: [{ i32: range(24, () => -1) }],
    grid: [2, 3, 4],
    result: 0,
    expected: range(24, (i) => (i % 2) + 10 * (Math.floor(i / 2) % 3) + 100 * Math.floor(i / 6)),
  },
];

describe('compiled kernels', () => {
  let parser: Parser;
  let compiler: Compiler;
  let gpu: GpuDevice | null = null;
  const events: ProgramEvent[] = [];
  const options = (adapter: RunOptions['adapter']): RunOptions => ({
    adapter,
    maxBytes: 2 ** 28,
    check: false,
    seed: 0,
  });

  beforeAll(async () => {
    parser = await nodeParser(join(import.meta.dirname, '..', '..'));
    compiler = createCompiler(parser);
    if (software.kind === 'missing') return;
    const opened = await openGpu(await dawnInstance({ disable: ['timestamp_quantization'] }));
    if (!opened.ok) throw new Error(opened.reason);
    gpu = opened.gpu;
  });
  afterAll(() => gpu?.device.destroy());

  let pacing: Pacing | undefined;
  function newSession(used: Compiler): Session {
    events.length = 0;
    return new Session({
      compiler: used,
      openEngine: (kind, listener) => {
        if (kind === 'interpreter') return Promise.resolve(new InterpreterEngine(null, listener));
        if (!gpu) throw new Error('no adapter');
        return Promise.resolve(new GpuEngine(gpu, listener, pacing));
      },
    });
  }

  async function execute(
    test: Pick<Case, 'source' | 'args' | 'grid'> & { readonly debug?: DebugMode },
    adapter: RunOptions['adapter'],
    check = false,
    used: Compiler = compiler,
  ): Promise<{ session: Session; storages: number[]; response: LaunchResponse }> {
    const session = newSession(used);
    await session.begin({ ...options(adapter), check }, (event) => events.push(event));
    const [kernel] = outline({ 'test.py': HEAD + test.source }, parser);
    if (!kernel) throw new Error('no kernel in the text');
    const storages: number[] = [];
    const specs: ArgumentSpec[] = [];
    const values: LaunchValue[] = [];
    const pointer = (dtype: string, divisibleBy16: boolean): ArgumentSpec => ({
      kind: 'pointer',
      dtype,
      divisibleBy16,
      group: 0,
    });
    const fill = async (data: Float32Array | Int32Array): Promise<number> => {
      const id = session.storage_create(data.byteLength);
      (await session.storage_read(id)).set(new Uint8Array(data.buffer));
      session.storage_written(id);
      return id;
    };
    for (const arg of test.args) {
      let storage = -1;
      if ('f32' in arg || 'i32' in arg || 'out' in arg || 'same' in arg) {
        const isInt = 'i32' in arg;
        if ('same' in arg) storage = storages[arg.same]!;
        else if ('i32' in arg) storage = await fill(Int32Array.from(arg.i32));
        else if ('f32' in arg) storage = await fill(Float32Array.from(arg.f32));
        // Poison: what a kernel does not write must stay as it was.
        else storage = await fill(new Float32Array(arg.out).fill(-1));
        const byteOffset = 'f32' in arg ? (arg.at ?? 0) * 4 : 0;
        specs.push(pointer(isInt ? 'int32' : 'float32', byteOffset % 16 === 0));
        values.push({ storage, byteOffset });
      } else if ('constexpr' in arg) {
        const value: StaticValue = { kind: 'int', value: String(arg.constexpr) };
        specs.push({ kind: 'constexpr', value });
        values.push(null);
      } else if ('int' in arg) {
        const wide = arg.int > 2 ** 31 - 1;
        const dtype = arg.dtype ?? (wide ? 'int64' : 'int32');
        specs.push({ kind: 'scalar', dtype, divisibleBy16: BigInt(arg.int) % 16n === 0n });
        values.push({ scalar: String(arg.int) });
      } else {
        specs.push({ kind: 'scalar', dtype: 'float32', divisibleBy16: false });
        values.push({ scalar: String(arg.float) });
      }
      storages.push(storage);
    }
    const request: LaunchRequest = {
      program: session.program_register(JSON.stringify(kernel.program)),
      specialization: { arguments: specs, numWarps: 4 },
      values,
      grid: test.grid,
      site: { file: 'test.py', line: 99 },
      labels: test.args.map((_, index) => kernel.parameters[index]?.name ?? ''),
      warmup: false,
      debug: test.debug ?? false,
    };
    const response = JSON.parse(await session.launch(JSON.stringify(request))) as LaunchResponse;
    return { session, storages, response };
  }

  describe.each([
    ['webgpu', 'whole'],
    ['webgpu', 'in slices'],
    ['interpreter', 'whole'],
  ] as const)('on %s, launches %s', (adapter, how) => {
    beforeAll(() => {
      pacing = how === 'in slices' ? new SmallSlices() : undefined;
    });
    afterAll(() => {
      pacing = undefined;
    });
    const skip = adapter === 'webgpu' && software.kind === 'missing';
    it.skipIf(skip).each(CASES)('$name', async (test) => {
      const { session, storages, response } = await execute(test, adapter);
      expect(response).toMatchObject({ ok: true });
      const bytes = await session.storage_read(storages[test.result]!);
      const isInt = 'i32' in test.args[test.result]!;
      const View = isInt ? Int32Array : Float32Array;
      const result = new View(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength / 4);
      expect([...result]).toEqual(test.expected);
      await session.end();
    });

    it.skipIf(skip || adapter === 'interpreter')(
      'finds a binding for shared memory in storage',
      async () => {
        const large = gpu!;
        const limits = {
          sharedMemoryInStorage: false,
          maxWorkgroupBytes: 4096,
          maxStorageBuffers: 4,
        };
        gpu = { ...large, target: { ...large.target, ...limits } };
        const bindings: number[] = [];
        const used: Compiler = {
          ...compiler,
          compile: (...args) => {
            const result = compiler.compile(...args);
            if (result.kind === 'compiled') bindings.push(result.kernel.bindings.length);
            return result;
          },
        };
        try {
          const test = {
            source: `def kernel(x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.sort(tl.load(x + i) + tl.load(y + i)))
`,
            args: [
              { f32: range(2048, (i) => 2048 - i) },
              { f32: range(2048, () => 0.5) },
              { out: 2048 },
              { constexpr: 2048 },
            ],
            grid: [1, 1, 1],
          } as const;
          const { session, storages } = await execute(test, adapter, false, used);
          const bytes = await session.storage_read(storages[2]!);
          const result = new Float32Array(bytes.buffer as ArrayBuffer, bytes.byteOffset, 2048);
          expect([...result]).toEqual(range(2048, (i) => i + 1.5));
          // Three pointers and shared memory are one too many beside the report.
          expect(bindings).toEqual([4, 3]);
          await session.end();
        } finally {
          gpu = large;
        }
      },
    );

    it.skipIf(skip || adapter === 'interpreter')('lets programs wait for later ones', async () => {
      const test = {
        source: `def kernel(parts, out, locks, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    if pid == 0:
        sum = tl.load(out + i)
        for k in range(1, n):
            while tl.atomic_cas(locks + k, 1, 1) != 1:
                pass
            sum += tl.load(parts + k * BLOCK + i)
        tl.store(out + i, sum)
    else:
        tl.store(parts + pid * BLOCK + i, i + pid)
        tl.atomic_xchg(locks + pid, 1)
        tl.atomic_add(out + i, 100)
`,
        args: [
          { i32: new Array<number>(64).fill(0) },
          { i32: new Array<number>(16).fill(7) },
          { i32: new Array<number>(4).fill(0) },
          { int: 4 },
          { constexpr: 16 },
        ],
        grid: [4, 1, 1],
      } as const;
      const { session, storages } = await execute(test, adapter);
      const bytes = await session.storage_read(storages[1]!);
      const result = new Int32Array(bytes.buffer as ArrayBuffer, bytes.byteOffset, 16);
      // The first try added 100 three times, too: it must leave nothing behind.
      expect([...result]).toEqual(range(16, (i) => 7 + 300 + 3 * i + 6));
      await session.end();
    });

    it.skipIf(skip)('reports an access out of range, with its line', async () => {
      const test = {
        source: `def kernel(x, out, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i)
    tl.store(out + i, v)
`,
        args: [{ f32: range(100, (i) => i) }, { out: 120 }, { constexpr: 64 }],
        grid: [2, 1, 1],
      } as const;
      const { session, storages, response } = await execute(test, adapter);
      expect(response.ok).toBe(true);
      // On the GPU it is reported at the next wait, as CUDA does.
      await session.synchronize();
      const reported = events.flatMap((event) =>
        event.type === 'diagnostic' ? event.diagnostic : [],
      );
      const line = (n: number): object => ({ file: 'test.py', line: n });
      expect(reported).toMatchObject([
        { code: 'HC8004', severity: 'warning', location: line(7) },
        { code: 'HC8001', severity: 'error', location: line(8) },
      ]);
      expect(reported[0]?.message).toMatch(/loads element 100 of x, which has 100 elements/);
      expect(reported[1]?.message).toMatch(/stores to element 120 of out, which has 120 elements/);
      const notes = reported.map((each) => JSON.stringify(each.notes[0]));
      expect(notes[0]).toMatch(/"28 accesses .* program \(1, 0, 0\)/);
      expect(notes[1]).toMatch(/"8 accesses .* program \(1, 0, 0\)/);
      // The loads gave 0, the stores were left out, and the program goes on.
      const bytes = await session.storage_read(storages[1]!);
      const result = new Float32Array(bytes.buffer as ArrayBuffer, bytes.byteOffset, 120);
      expect([...result.subarray(98)]).toEqual([98, 99, ...new Array<number>(20).fill(0)]);
      await session.end();
    });

    it.skipIf(skip)('prints in the order of programs, prints and elements', async () => {
      const test = {
        source: `def kernel(x, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    print("start")
    for step in range(2):
        tl.device_print("v", tl.load(x + i) * step, step)
    tl.device_print("h", (i[:, None] * 256 + i[None, :]).to(tl.int16), hex=True)
    tl.device_print("big", tl.program_id(1).to(tl.int64) * -10000000000)
    tl.device_print("u", i.to(tl.uint32) - 1)
    if tl.program_id(1) == 1:
        tl.device_print("b", (i / tl.program_id(2)).to(tl.bfloat16))
`,
        args: [{ f32: [0.5, 0.25] }, { constexpr: 2 }],
        grid: [1, 2, 1],
      } as const;
      const { session, response } = await execute(test, adapter);
      expect(response.ok).toBe(true);
      await session.synchronize();
      const text = events
        .flatMap((e) => (e.type === 'device-print' ? devicePrintText(e.prints, e.dropped) : []))
        .join('');
      const lines = (y: number): string[] =>
        [
          'start',
          ...['0.000000', '0.500000'].flatMap((first, step) => [
            `idx (0) v: (operand 0) ${first}`,
            `idx (1) v: (operand 0) ${step === 0 ? '0.000000' : '0.250000'}`,
            `idx () v: (operand 1) ${step}`,
          ]),
          'idx (0, 0) h: 0x0000',
          'idx (0, 1) h: 0x0001',
          'idx (1, 0) h: 0x0100',
          'idx (1, 1) h: 0x0101',
          `idx () big: ${y === 0 ? '0' : '-10000000000'}`,
          'idx (0) u: 4294967295',
          'idx (1) u: 0',
          ...(y === 0 ? [] : ['idx (0) b: nan', 'idx (1) b: inf']),
        ].map((line) => `pid (0, ${y}, 0) ${line}`);
      expect(text.trimEnd().split('\n')).toEqual([...lines(0), ...lines(1)]);
      await session.end();
    });

    it.skipIf(skip)('counts what it has no room to print', async () => {
      const test = {
        source: `def kernel(n, BLOCK: tl.constexpr):
    for step in range(n):
        tl.device_print("i", tl.arange(0, BLOCK))
`,
        args: [{ int: 160 }, { constexpr: 1024 }],
        grid: [1, 1, 1],
      } as const;
      const { session } = await execute(test, adapter);
      await session.synchronize();
      const reported = events.find((event) => event.type === 'device-print')!;
      const shown = reported.prints
        .flatMap(({ values }) => values)
        .filter((value) => value !== null);
      expect(shown.length + reported.dropped).toBe(160 * 1024);
      expect(shown.length).toBeGreaterThan(MOST_VALUES - 1024);
      expect(devicePrintText([], reported.dropped)).toMatch(/\d+ more lines were dropped/);
      await session.end();
    });

    it.skipIf(skip)('fails at an assertion, with debug only', async () => {
      const source = `def kernel(x, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i)
    assert tl.program_id(0) >= 0, "never"
    tl.device_assert(v < 5, "too large", mask=i != 1)
    tl.store(x + i, v + 1)
`;
      const args = [{ f32: [1, 9, 2, 7] }, { constexpr: 4 }] as const;
      const quiet = await execute({ source, args, grid: [1, 1, 1] }, adapter);
      expect(quiet.response.ok).toBe(true);
      await quiet.session.end();
      const { session, response } = await execute(
        { source, args, grid: [1, 1, 1], debug: true },
        adapter,
      );
      const error: unknown = response.ok
        ? await Promise.resolve(session.synchronize()).catch((caught: unknown) => caught)
        : response;
      expect(error).toMatchObject({
        message:
          'device-side assert triggered in kernel, program (0, 0, 0), element [3]: too large',
        diagnostics: [{ code: 'HC8012', location: { line: 9 } }],
      });
      await session.end();
    });

    it.skipIf(skip)('finds integers that overflow, with debug only', async () => {
      const overflow = async (line: string, debug: DebugMode): Promise<string> => {
        const source = `def kernel(x, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i).to(tl.int32)
    ${line}
    tl.store(x + i, w.to(tl.float32))
`;
        const args = [{ f32: [1, 2147483520, -2147483648, 0] }, { constexpr: 4 }] as const;
        const test = { source, args, grid: [1, 1, 1], debug } as const;
        const { session, response } = await execute(test, adapter);
        const error: unknown = response.ok
          ? await Promise.resolve(session.synchronize()).catch((caught: unknown) => caught)
          : response;
        await session.end();
        return error ? (error as Error).message : '';
      };
      const said = 'device-side assert triggered in kernel, program (0, 0, 0), element';
      const of = 'overflow detected for operation';
      expect(await overflow('w = v + 128', true)).toBe(`${said} [1]: int32 ${of} add`);
      expect(await overflow('w = 0 - v', true)).toBe(`${said} [2]: int32 ${of} sub`);
      expect(await overflow('w = v * v', true)).toBe(`${said} [1]: int32 ${of} mul`);
      expect(await overflow('w = v.to(tl.uint8) - 1', true)).toMatch(/int8 overflow .* sub$/);
      expect(await overflow('w = v + 127', true)).toBe('');
      expect(await overflow('w = v.to(tl.int64) * v', true)).toBe('');
      expect(await overflow('w = tl.add(v, 128, sanitize_overflow=False)', true)).toBe('');
      expect(await overflow('w = v + 128', 'assertions')).toBe('');
      expect(await overflow('w = v + 128', false)).toBe('');
    });

    it.skipIf(skip)('reports what is wrong with a kernel, as a diagnostic', async () => {
      const test = {
        source: `def kernel(out):\n    tl.store(out, undefined_name)\n`,
        args: [{ out: 4 }],
        grid: [1, 1, 1],
      } as const;
      const { response } = await execute(test, adapter);
      expect(response).toMatchObject({
        ok: false,
        kind: 'CompilationError',
        diagnostics: [{ location: { file: 'test.py', line: 6 } }],
      });
    });
  });

  describe.skipIf(software.kind === 'missing')('in check mode', () => {
    const test = {
      source: `def kernel(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i) + 1.5)
`,
      args: [{ f32: range(16, (i) => i) }, { out: 16 }, { constexpr: 16 }],
      grid: [1, 1, 1],
    } as const;
    const verdicts = (): string[] =>
      events.flatMap((event) =>
        event.type === 'check'
          ? event.passes.flatMap((pass) =>
              pass.verdict === 'same' ? [] : [`${pass.name} ${pass.verdict}`],
            )
          : [],
      );

    it('finds nothing wrong with a launch that is right', async () => {
      await execute(test, 'webgpu', true);
      expect(events.filter((event) => event.type === 'check')).toHaveLength(1);
      expect(verdicts()).toEqual([]);
    });

    it('names emit where the GPU alone computes something else', async () => {
      const broken: Compiler = {
        ...compiler,
        compile: (...args) => {
          const result = compiler.compile(...args);
          if (result.kind !== 'compiled') return result;
          const wgsl = result.kernel.wgsl.replace('1.5f', '2.5f');
          expect(wgsl).not.toBe(result.kernel.wgsl);
          return { ...result, kernel: { ...result.kernel, wgsl } };
        },
      };
      await execute(test, 'webgpu', true, broken);
      expect(verdicts()).toEqual(['emit different', 'gpu different']);
    });

    it('finds the pass that changed the result', async () => {
      const broken = createCompiler(parser, [
        {
          name: 'spoil',
          run: (func) => {
            const constant = func.body.ops.find(
              (op) => op.name === 'arith.constant' && op.attributes['value'] === 1.5,
            );
            if (constant) constant.attributes = { ...constant.attributes, value: 7 };
            return constant !== undefined;
          },
        },
      ]);
      await execute(test, 'webgpu', true, broken);
      expect(verdicts()).toEqual(['spoil different']);
    });
  });
});
