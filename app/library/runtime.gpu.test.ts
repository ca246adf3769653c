/** The library's runtime on a software adapter: the device and the buffers are the test's own. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dawnInstance, findSoftwareAdapter } from '../cli/dawn';
import { nodeParser } from '../cli/nodeParser';
import { openProgram } from './compile';
import { HippocampError } from './errors';
import { createRuntime } from './runtime';
import type { Compiled, CompileOptions, Program, Runtime } from './types';

const software = findSoftwareAdapter();
if (software.kind === 'missing') console.error(`GPU TESTS SKIPPED: ${software.reason}`);

/** Scalars whose words are more than 256 bytes. */
const MANY = Array.from({ length: 70 }, (_, i) => `s${i}`);

const SOURCE = `
import triton
import triton.language as tl

@triton.jit
def add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + y, mask=mask)

@triton.jit
def scale(x_ptr, factor, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n)
    tl.store(x_ptr + offsets, x * factor, mask=offsets < n)

@triton.jit
def many(out_ptr, lock_ptr, ${MANY.join(', ')}):
    pid = tl.program_id(0)
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass
    tl.store(out_ptr + pid * 2, ${MANY.map((name, i) => `${name} * ${i + 1}`).join(' + ')})
    tl.store(out_ptr + pid * 2 + 1, pid)
    tl.atomic_xchg(lock_ptr, 0)

@triton.jit
def fill(out_ptr, value, n, ACT: tl.constexpr, FLAG: tl.constexpr, NONE: tl.constexpr):
    offsets = tl.program_id(0) * 64 + tl.arange(0, 64)
    tl.store(out_ptr + offsets, value, mask=offsets < n)

@triton.jit
def big(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i[:, None] * BLOCK + i[None, :])
    y = tl.trans(x)
    tl.store(out_ptr + i[:, None] * BLOCK + i[None, :], tl.dot(x, y))
`;
const ADD = { x_ptr: '*fp32', y_ptr: '*fp32', out_ptr: '*fp32', n: 'i32', BLOCK: 128 };
const SCALE = { x_ptr: '*fp32', factor: 'fp32', n: 'i32', BLOCK: 64 };

describe.skipIf(software.kind === 'missing')('createRuntime', () => {
  let parser: Awaited<ReturnType<typeof nodeParser>>;
  let program: Program;
  let adapter: GPUAdapter;
  let device: GPUDevice;
  let runtime: Runtime;

  async function open(features: GPUFeatureName[] = []): Promise<GPUDevice> {
    const gpu = await dawnInstance({ disable: ['timestamp_quantization'] });
    adapter = (await gpu.requestAdapter())!;
    return adapter.requestDevice({ requiredFeatures: features });
  }
  beforeAll(async () => {
    parser = await nodeParser(join(import.meta.dirname, '../..'));
    program = openProgram(SOURCE, parser);
    device = await open(['timestamp-query']);
    runtime = await createRuntime(device);
  });
  afterAll(() => device?.destroy());

  function compile(kernel: string, options: CompileOptions): Compiled {
    const made = program.compile(kernel, { target: runtime.target, ...options });
    if (!made.ok) throw new Error(made.diagnostics[0]?.message);
    return made;
  }
  /** A buffer that the test makes, as another library would. */
  function bufferOf(values: Float32Array<ArrayBuffer>): GPUBuffer {
    const { STORAGE, COPY_SRC, COPY_DST } = GPUBufferUsage;
    const usage = STORAGE | COPY_SRC | COPY_DST;
    const buffer = device.createBuffer({ size: values.byteLength, usage });
    device.queue.writeBuffer(buffer, 0, values);
    return buffer;
  }
  const range = (count: number): Float32Array<ArrayBuffer> =>
    Float32Array.from({ length: count }, (_, i) => i);
  async function floats(buffer: GPUBuffer): Promise<number[]> {
    const shape = [buffer.size / 4];
    return [
      ...new Float32Array(await runtime.read(runtime.tensor({ buffer, shape, dtype: 'float32' }))),
    ];
  }
  function refusal(run: () => unknown): string {
    try {
      run();
    } catch (error) {
      if (error instanceof HippocampError)
        return `${error.code} ${error.subject}: ${error.message}`;
      throw error;
    }
    return 'nothing was refused';
  }
  async function rejection(run: () => Promise<unknown>): Promise<string> {
    const error = await run().then(
      () => null,
      (why: unknown) => why,
    );
    return refusal(() => {
      throw error;
    });
  }

  it('launches over the caller’s buffers, with a grid function', async () => {
    const kernel = await runtime.load(compile('add', { signature: ADD }));
    const n = 998;
    const [x, y, out] = [bufferOf(range(n)), bufferOf(range(n)), bufferOf(new Float32Array(n + 2))];
    const metas: unknown[] = [];
    kernel.launch(
      (meta) => {
        metas.push(meta);
        return [Math.ceil(n / meta['BLOCK'])];
      },
      { x_ptr: x, y_ptr: y, out_ptr: out, n },
    );
    expect(metas).toEqual([{ BLOCK: 128 }]);
    expect(await floats(out)).toEqual([...range(n).map((v) => 2 * v), 0, 0]);
  });

  it('stands in the queue’s order among the caller’s own commands', async () => {
    const kernel = await runtime.load(compile('scale', { signature: SCALE }));
    const x = bufferOf(range(64));
    const args = { x_ptr: x, factor: 2, n: 64 };
    kernel.launch([1], args);
    device.queue.writeBuffer(x, 0, new Float32Array([7]));
    kernel.launch([1], { ...args, factor: 0.5 });
    expect((await floats(x)).slice(0, 3)).toEqual([3.5, 1, 2]);
  });

  it('binds once, and encodes into a pass of the caller’s', async () => {
    const kernel = await runtime.load(compile('scale', { signature: SCALE }));
    const x = bufferOf(range(64));
    const bound = kernel.bind([1], { x_ptr: x, factor: 3, n: 32 });
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    bound.encode(pass);
    bound.encode(pass);
    pass.end();
    device.queue.submit([encoder.finish()]);
    bound.run();
    const values = await floats(x);
    expect([values[1], values[31], values[32]]).toEqual([27, 27 * 31, 32]);
  });

  it('gives each of several dispatches its own words, however many they are', async () => {
    const types = Object.fromEntries(MANY.map((name) => [name, 'i32']));
    const made = compile('many', { signature: { out_ptr: '*i32', lock_ptr: '*i32', ...types } });
    expect(made.kernel.oneByOne).toBe(true);
    const kernel = await runtime.load(made);
    const out = runtime.tensor({ shape: [12], dtype: 'int32' });
    const lock = runtime.tensor({ shape: [1], dtype: 'int32' });
    const scalars = Object.fromEntries(MANY.map((name, i) => [name, i + 1]));
    const args = { out_ptr: out, lock_ptr: lock, ...scalars };
    const sum = MANY.reduce((total, _, i) => total + (i + 1) ** 2, 0);
    const wanted = [0, 1, 2, 3, 4, 5].flatMap((pid) => [sum, pid]);
    kernel.launch([2], args);
    kernel.launch([6], args);
    expect([...new Int32Array(await runtime.read(out))]).toEqual(wanted);
    device.queue.writeBuffer(out.buffer, 0, new Int32Array(12));
    kernel.bind([6], args).run();
    expect([...new Int32Array(await runtime.read(out))]).toEqual(wanted);
  });

  it('takes parts of a buffer, which one pointer each may write where it was compiled so', async () => {
    const whole = bufferOf(range(192));
    const part = (at: number): { buffer: GPUBuffer; offset: number; size: number } => ({
      buffer: whole,
      offset: at * 256,
      size: 256,
    });
    const args = { x_ptr: part(0), y_ptr: part(1), out_ptr: part(2), n: 64 };
    const alone = await runtime.load(compile('add', { signature: ADD }));
    expect(refusal(() => alone.launch([1], args))).toContain('compile with sameBuffer');
    const sameBuffer = [['x_ptr', 'y_ptr', 'out_ptr']];
    const together = await runtime.load(compile('add', { signature: ADD, sameBuffer }));
    together.launch([1], args);
    const values = await floats(whole);
    expect(values.slice(128)).toEqual([...range(64).map((v) => 2 * v + 64)]);
    expect(values.slice(0, 128)).toEqual([...range(128)]);
  });

  it('refuses arguments that the code was not compiled for', async () => {
    const signature = { ...ADD, x_ptr: '*fp32:16', n: 'i32:16' };
    const kernel = await runtime.load(compile('add', { signature }));
    const tensor = runtime.tensor({ data: range(64) });
    const args = { x_ptr: tensor, y_ptr: tensor, out_ptr: bufferOf(range(64)), n: 64 };
    const said = (changed: object): string =>
      refusal(() => kernel.launch([1], { ...args, ...changed } as typeof args));
    expect(said({ n: 63 })).toMatch(/^bad-argument n: .*multiples of 16/);
    expect(said({ n: 2 ** 31 })).toMatch(/^bad-argument n: .*does not fit/);
    expect(said({ n: 1.5 })).toMatch(/^bad-argument n: /);
    expect(said({ x_ptr: { ...tensor, dtype: 'int32' } })).toMatch(/compiled for float32.*int32/);
    expect(said({ x_ptr: { buffer: tensor.buffer, offset: 4 } })).toMatch(/multiple of 16/);
    expect(said({ y_ptr: 3 })).toMatch(/^bad-argument y_ptr: /);
    expect(said({ BLOCK: 64 })).toMatch(/^bad-argument BLOCK: /);
    expect(said({ out_ptr: undefined })).toMatch(/^bad-argument out_ptr: /);
    expect(refusal(() => kernel.launch([-1], args))).toMatch(/^bad-grid/);
    expect(refusal(() => kernel.launch([70_000], args))).toMatch(
      /^limit maxComputeWorkgroupsPerDimension/,
    );
    expect(refusal(() => kernel.launch([1], args))).toBe('nothing was refused');
  });

  const CONSTANTS = { ACT: 'relu', FLAG: true, NONE: null };
  const FILL = { out_ptr: '*fp32', value: 'fp32', n: 'i32', ...CONSTANTS };

  it('checks what changed since the last launch', async () => {
    const kernel = await runtime.load(compile('add', { signature: ADD }));
    const [x, y, out] = [bufferOf(range(64)), bufferOf(range(64)), bufferOf(new Float32Array(64))];
    // One object, which the caller changes between launches.
    const part: { buffer: GPUBuffer; offset: number; size?: number } = { buffer: x, offset: 0 };
    const args: Record<string, typeof part | GPUBuffer | number> = {
      x_ptr: part,
      y_ptr: y,
      out_ptr: out,
      n: 8,
    };
    const launch = (): string => refusal(() => kernel.launch([1], args));
    expect(launch()).toBe('nothing was refused');
    part.offset = 4;
    args['n'] = 4;
    expect(launch()).toBe('nothing was refused');
    expect((await floats(out)).slice(0, 9)).toEqual([1, 3, 5, 7, 8, 10, 12, 14, 0]);
    part.offset = 2;
    expect(launch()).toMatch(/^bad-argument x_ptr: x_ptr begins at byte 2/);
    part.offset = 0;
    part.size = 300;
    expect(launch()).toMatch(/^bad-argument x_ptr: x_ptr ends beyond its buffer of 256 bytes/);
    delete part.size;
    part.buffer = out;
    for (let again = 0; again < 2; again++)
      expect(launch()).toMatch(/^bad-argument out_ptr: out_ptr and x_ptr lie in one buffer/);
    part.buffer = x;
    args['y_ptr'] = device.createBuffer({
      size: 256,
      usage: GPUBufferUsage.STORAGE,
      mappedAtCreation: true,
    });
    for (let again = 0; again < 2; again++)
      expect(launch()).toMatch(/^bad-argument y_ptr: the buffer of y_ptr is mapped/);
    args['y_ptr'].unmap();
    expect(launch()).toBe('nothing was refused');
    expect((await floats(out)).slice(0, 5)).toEqual([0, 1, 2, 3, 8]);
    args['z'] = 1;
    expect(launch()).toMatch(/^bad-argument z: add takes no argument z/);
  });

  it('refuses wrong calls with a typed error', async () => {
    const kernel = await runtime.load(compile('fill', { signature: FILL }));
    const out = runtime.tensor({ shape: [64], dtype: 'float32' });
    const args = { out_ptr: out, value: 1, n: 64 };
    for (const grid of [4, undefined, null, () => 4, [4n], [], ['4'], [1.5], [1, 1, 1, 1]])
      expect(refusal(() => kernel.launch(grid as never, args))).toMatch(/^bad-grid /);
    for (const none of [undefined, null])
      expect(refusal(() => kernel.launch([1], none as never))).toMatch(/^bad-argument null: /);
    const part = (size: number): object => ({ buffer: out.buffer, offset: 0, size });
    const { STORAGE, COPY_SRC } = GPUBufferUsage;
    const usage = STORAGE | COPY_SRC;
    const mapped = device.createBuffer({ size: 256, usage, mappedAtCreation: true });
    for (const pointer of [
      null,
      {},
      { buffer: null },
      new Float32Array(4),
      part(-4),
      part(NaN),
      mapped,
    ])
      expect(refusal(() => kernel.launch([1], { ...args, out_ptr: pointer as never }))).toMatch(
        /^bad-argument out_ptr: /,
      );
    for (const value of ['x', '1.5', null, {}])
      expect(refusal(() => kernel.launch([1], { ...args, value: value as never }))).toMatch(
        /^bad-argument value: /,
      );
    expect(refusal(() => runtime.tensor({ shape: [4], dtype: 'nonsense' }))).toMatch(
      /^bad-argument dtype: /,
    );
    expect(refusal(() => runtime.tensor({ shape: 4 as never, dtype: 'fp32' }))).toMatch(
      /^bad-argument shape: /,
    );
  });

  it('gives a grid function every constant, and a kernel the sign of zero', async () => {
    const kernel = await runtime.load(compile('fill', { signature: FILL }));
    const out = runtime.tensor({ shape: [64], dtype: 'fp32' });
    expect([out.dtype, runtime.tensor({ shape: [4], dtype: 'bool' }).dtype]).toEqual([
      'float32',
      'int1',
    ]);
    const metas: unknown[] = [];
    const grid = (meta: object): [number] => {
      metas.push(meta);
      return [1];
    };
    kernel.launch(grid, { out_ptr: out, value: -0, n: 64 });
    expect(metas).toEqual([CONSTANTS]);
    expect(new Float32Array(await runtime.read(out))[63]).toBe(-0);
  });

  it('names the feature and the limit that the device lacks', async () => {
    const half = { x_ptr: '*fp16', out_ptr: '*fp16', BLOCK: 64 };
    const target = { ...runtime.target, f16: true };
    const halves = compile('big', { target, signature: half });
    expect(halves.features).toContain('shader-f16');
    expect(await rejection(() => runtime.load(halves))).toMatch(
      /^missing-feature shader-f16: .*big/,
    );
    const large = compile('big', {
      target: { ...runtime.target, maxWorkgroupBytes: 2 ** 17, sharedMemoryInStorage: false },
      signature: { x_ptr: '*fp32', out_ptr: '*fp32', BLOCK: 128 },
    });
    expect(large.kernel.workgroupBytes).toBeGreaterThan(
      device.limits.maxComputeWorkgroupStorageSize,
    );
    expect(await rejection(() => runtime.load(large))).toMatch(
      /^limit maxComputeWorkgroupStorageSize: /,
    );
    expect(refusal(() => runtime.tensor({ shape: [2 ** 29], dtype: 'float32' }))).toMatch(
      /^limit /,
    );
  });

  it('refuses a program with a mistake, at its line', async () => {
    const wrong = openProgram(SOURCE.replace('x + y', 'x + z'), parser);
    const made = wrong.compile('add', { signature: ADD });
    expect(await rejection(() => runtime.load(made))).toBe(
      'not-compiled HC0103: add: kernels.py:11: z is not defined',
    );
  });

  it('measures, and tunes without leaving a trace in what is restored', async () => {
    const x = bufferOf(range(4096));
    const tuned = await runtime.autotune({
      configs: [64, 256, 1024],
      load: async (BLOCK) => compile('scale', { signature: { ...SCALE, BLOCK } }),
      grid: ({ BLOCK }) => [4096 / BLOCK],
      args: { x_ptr: x, factor: 3, n: 4096 },
      restore: ['x_ptr'],
    });
    expect(tuned.timings.map((timing) => timing?.clock)).toEqual(['gpu', 'gpu', 'gpu']);
    expect(tuned.timings.map((timing) => timing?.samples)).toEqual([20, 20, 20]);
    const medians = tuned.timings.map((timing) => timing!.median);
    expect([64, 256, 1024][medians.indexOf(Math.min(...medians))]).toBe(tuned.best);
    expect(await floats(x)).toEqual([...range(4096)]);
  });

  it('measures as often as it is asked to, beyond the queries of one set', async () => {
    const kernel = await runtime.load(compile('scale', { signature: SCALE }));
    const bound = kernel.bind([1], { x_ptr: bufferOf(range(64)), factor: 1, n: 64 });
    expect((await runtime.time(bound, { repetitions: 2100 })).samples).toBe(2100);
    for (const repetitions of [0, -1, 1.5, NaN])
      expect(await rejection(() => runtime.time(bound, { repetitions }))).toMatch(
        /^bad-argument repetitions: /,
      );
  });

  it('rejects where a tensor cannot be read', async () => {
    const { STORAGE, COPY_SRC } = GPUBufferUsage;
    const usage = STORAGE | COPY_SRC;
    const odd = device.createBuffer({ size: 6, usage });
    const gone = device.createBuffer({ size: 16, usage });
    gone.destroy();
    const mapped = device.createBuffer({ size: 16, usage, mappedAtCreation: true });
    for (const buffer of [odd, gone, mapped]) {
      const tensor = runtime.tensor({ buffer, shape: [buffer.size], dtype: 'uint8' });
      expect(await rejection(() => runtime.read(tensor))).toMatch(/^bad-argument null: .+read: .+/);
    }
    const part = runtime.tensor({ buffer: odd, shape: [4], dtype: 'uint8' });
    expect(await rejection(() => runtime.read({ ...part, offset: NaN }))).toMatch(/^bad-argument /);
    expect((await runtime.read(part)).byteLength).toBe(4);
    expect((await runtime.read(runtime.tensor({ shape: [0], dtype: 'fp32' }))).byteLength).toBe(0);
  });

  it('restores the part that an argument is, and leaves what lies beside it', async () => {
    const x = bufferOf(range(128));
    await runtime.autotune({
      configs: [64],
      load: async (BLOCK) => {
        device.queue.writeBuffer(x, 0, new Float32Array([-1]));
        device.queue.writeBuffer(x, 508, new Float32Array([-2]));
        return compile('scale', { signature: { ...SCALE, BLOCK } });
      },
      grid: [1],
      args: { x_ptr: { buffer: x, offset: 128, size: 256 }, factor: 3, n: 64 },
      restore: ['x_ptr'],
    });
    const wanted = [...range(128)];
    wanted[0] = -1;
    wanted[127] = -2;
    expect(await floats(x)).toEqual(wanted);
  });

  it('writes data into a caller’s buffer only where nothing beside it changes', async () => {
    const buffer = bufferOf(new Float32Array([1, 2, 3, 4]));
    const write = (bytes: number, into = buffer): string =>
      refusal(() => runtime.tensor({ data: new Uint8Array(bytes), buffer: into }));
    expect(write(5)).toMatch(/^bad-argument data: .*multiples of 4/);
    expect(await floats(buffer)).toEqual([1, 2, 3, 4]);
    expect(write(8)).toBe('nothing was refused');
    expect(await floats(buffer)).toEqual([0, 0, 3, 4]);
    const readOnly = device.createBuffer({ size: 16, usage: GPUBufferUsage.STORAGE });
    expect(write(8, readOnly)).toMatch(/^bad-argument buffer: .*COPY_DST/);
  });

  it('says that the device is lost, and why', async () => {
    const own = await open();
    const other = await createRuntime(own);
    const kernel = await other.load(compile('scale', { signature: SCALE }));
    const tensor = other.tensor({ data: range(64) });
    own.destroy();
    await own.lost;
    const lost = /^device-lost null: the device is lost: .+/;
    expect(refusal(() => kernel.launch([1], { x_ptr: tensor, factor: 2, n: 64 }))).toMatch(lost);
    expect(await rejection(() => other.read(tensor))).toMatch(lost);
    expect(await rejection(() => other.load(compile('scale', { signature: SCALE })))).toMatch(lost);
    expect(await rejection(() => createRuntime(own))).toMatch(lost);
  });
});
