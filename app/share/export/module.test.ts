/**
 * The exported module's text, for kernels with every kind of argument; it runs in
 * `e2e/share.test.ts`.
 */
import { expect, it } from 'vitest';
import type { CompiledKernel, Specialization, UniformWord } from '../../../compiler/program';
import { BASELINE_TARGET } from '../../../compiler/target';
import { scalarWord } from '../../runtime/gpu/uniforms';
import { moduleFiles } from './module';
import { requestForExport } from './request';

const specialization: Specialization = {
  arguments: [
    { kind: 'pointer', dtype: 'float32', divisibleBy16: true, group: 0 },
    { kind: 'pointer', dtype: 'float32', divisibleBy16: true, group: 0 },
    { kind: 'scalar', dtype: 'int64', divisibleBy16: false },
    { kind: 'scalar', dtype: 'float32', divisibleBy16: false },
    {
      kind: 'tuple',
      items: [{ kind: 'scalar', dtype: 'int32', divisibleBy16: true }],
      fields: ['rows'],
    },
    { kind: 'constexpr', value: { kind: 'int', value: '64' } },
  ],
  numWarps: 4,
};
const kernel = (
  uniforms: readonly UniformWord[],
  more: Partial<CompiledKernel> = {},
): CompiledKernel => ({
  name: 'mix',
  wgsl: '// `quoted` ${here} \\ \n@compute @workgroup_size(64) fn main() {}\n',
  entryPoint: 'main',
  entryLine: 1,
  workgroupSize: 64,
  workgroupBytes: 0,
  bindings: [{ group: 0, access: 'read_write' }],
  uniforms,
  boundsReport: null,
  oneByOne: false,
  programs: 1,
  features: [],
  sourceMap: [],
  registers: 8,
  ...more,
});
const request = {
  program: { files: {}, functions: {}, entry: 'mix' },
  specialization,
  target: BASELINE_TARGET,
  options: { verify: false, keepIr: false, checkBounds: false, linearGrid: false },
};
const NAMES = ['x_ptr', 'out_ptr', 'n', 'scale', 'shape', 'BLOCK'];
const words: UniformWord[] = [
  { kind: 'offset', path: [1] },
  { kind: 'scalar', path: [2], dtype: 'int64', word: 1 },
  { kind: 'scalar', path: [3], dtype: 'float32', word: 0 },
  { kind: 'scalar', path: [4, 0], dtype: 'int32', word: 0 },
  { kind: 'grid', axis: 2 },
];

it('is JavaScript that says what it needs, whatever the arguments are', async () => {
  const { js, dts, name } = moduleFiles({ kernel: kernel(words), request }, NAMES);
  expect(name).toBe('mix');
  const module = (await import(`data:text/javascript,${encodeURIComponent(js)}`)) as {
    wgsl: string;
    createKernel(device: unknown): Promise<{ encode(...args: unknown[]): void }>;
  };
  expect(module.wgsl).toBe(kernel([]).wgsl);
  expect(dts).toContain('readonly shape_rows: number | bigint;');
  expect(dts).toContain('readonly n: number | bigint;');
  expect(dts).toContain('readonly scale: number;');
  expect(js).toContain('Compiled for BLOCK = 64.');
  // Two pointers of one binding group must come from one buffer: played without a GPU.
  Object.assign(globalThis, {
    GPUShaderStage: { COMPUTE: 4 },
    GPUBufferUsage: { UNIFORM: 64, STORAGE: 128 },
  });
  const written: number[][] = [];
  const device = {
    features: new Set(),
    limits: { maxComputeWorkgroupsPerDimension: 100 },
    createBindGroupLayout: () => ({}),
    createPipelineLayout: () => ({}),
    createShaderModule: () => ({}),
    createComputePipelineAsync: async () => ({}),
    createBindGroup: () => ({}),
    createBuffer: () => {
      const range = new ArrayBuffer(32);
      return {
        getMappedRange: () => range,
        unmap: () => written.push([...new Uint32Array(range)].slice(0, words.length)),
      };
    },
  };
  const made = await module.createKernel(device);
  const launches: number[][] = [];
  const pass = {
    setPipeline() {},
    setBindGroup() {},
    dispatchWorkgroups: (...size: number[]) => launches.push(size),
  };
  const buffer = { size: 4096 };
  const args = {
    x_ptr: { buffer },
    out_ptr: { buffer, offset: 256 },
    n: -1n,
    scale: 1.5,
    shape_rows: 7,
  };
  made.encode(pass, args, [2, 3]);
  expect(written).toEqual([[64, 0xffffffff, 0x3fc00000, 7, 1]]);
  expect(launches).toEqual([[2, 3, 1]]);
  expect(() => made.encode(pass, { ...args, x_ptr: { size: 4 } }, [1])).toThrow('one buffer');
  expect(() => made.encode(pass, args, [101])).toThrow('larger than 100');
});

it.each(['float16', 'bfloat16'])('rounds scalars of %s once, as the page does', async (dtype) => {
  const scalar = { kind: 'scalar', dtype, divisibleBy16: false } as const;
  const { js } = moduleFiles(
    {
      kernel: kernel([{ kind: 'scalar', path: [0], dtype, word: 0 }], { bindings: [] }),
      request: { ...request, specialization: { arguments: [scalar], numWarps: 4 } },
    },
    ['s'],
  );
  const name = dtype === 'float16' ? 'f16Bits' : 'bf16Bits';
  expect(js).toContain(`${name}(args.s)`);
  const text = encodeURIComponent(`${js}\nexport { ${name} as bits };`);
  const { bits } = (await import(`data:text/javascript,${text}`)) as {
    bits(value: number): number;
  };
  const values = [0, -0, NaN, Infinity, -Infinity, 65519.999, 65520, 3.4e38, 3.5e38, 1e-50, -1e-50];
  // The numbers around each middle of two, and around each step between exponents.
  for (let exponent = -26; exponent <= 17; exponent++)
    for (const steps of [1, 1 + 2 ** -8, 1 + 2 ** -11, 1 + 2 ** -10, 2 - 2 ** -11, 1 + 3 * 2 ** -8])
      for (const beside of [0, 2 ** -40, -(2 ** -40)])
        values.push((steps + beside) * 2 ** exponent, -(steps + beside) * 2 ** exponent);
  const packed = values.map((value) => {
    const text = Object.is(value, -0) ? '-0' : String(value).replace('Infinity', 'inf');
    return scalarWord({ kind: 'scalar', path: [0], dtype, text }, dtype, 0);
  });
  expect(values.map(bits)).toEqual(packed);
  // JavaScript's own rounding to float16 shares no code with either.
  if (dtype === 'float16') {
    const view = new DataView(new ArrayBuffer(2));
    const own = values.map((value) => (view.setFloat16(0, value), view.getUint16(0)));
    expect(packed).toEqual(own);
  }
});

it('runs nowhere where subgroups have another size than its code has', async () => {
  const createKernel = async (
    features: string[],
    least: number,
    most: number,
  ): Promise<unknown> => {
    const target = { ...BASELINE_TARGET, subgroupSize: 32 } as const;
    const { js } = moduleFiles(
      { kernel: kernel(words, { features }), request: { ...request, target } },
      NAMES,
    );
    const module = (await import(`data:text/javascript,${encodeURIComponent(js)}`)) as {
      createKernel(device: unknown): Promise<unknown>;
    };
    return module.createKernel({
      features: new Set(features),
      adapterInfo: { subgroupMinSize: least, subgroupMaxSize: most },
      createBindGroupLayout: () => ({}),
      createPipelineLayout: () => ({}),
      createShaderModule: () => ({}),
      createComputePipelineAsync: async () => ({}),
    });
  };
  Object.assign(globalThis, { GPUShaderStage: { COMPUTE: 4 } });
  await createKernel(['subgroups'], 32, 32);
  await expect(createKernel(['subgroups'], 64, 64)).rejects.toThrow('subgroups of 32 threads');
  await expect(createKernel(['subgroups'], 8, 32)).rejects.toThrow('here they have 8 to 32');
  await createKernel(['subgroups', 'subgroup-size-control'], 8, 32);
  await expect(createKernel(['subgroups', 'subgroup-size-control'], 4, 16)).rejects.toThrow(
    'subgroups of 32',
  );
  await createKernel([], 4, 16);
});

it('relies on nothing that was tried out on the adapter at hand', () => {
  const tried = {
    ...BASELINE_TARGET,
    f16: true,
    f16RoundsToNearest: true,
    f16PacksToNearest: true,
    f16ByPacking: 'round',
    f16CastsElided: false,
    functionsDropNan: false,
    extremaDropNan: true,
    readsZeroOutside: true,
    immediateBytes: 64,
  } as const;
  const { target } = requestForExport({ ...request, target: tried });
  const { target: bare } = requestForExport({
    ...request,
    target: { ...BASELINE_TARGET, f16: true },
  });
  expect(target).toEqual(bare);
  expect(target).toMatchObject({ f16: true, readsZeroOutside: false, functionsDropNan: true });
});

it('launches programs that wait for each other one by one', () => {
  const { js } = moduleFiles(
    { kernel: kernel([{ kind: 'program' }], { oneByOne: true }), request },
    NAMES,
  );
  expect(js).toContain('launch(program, [1, 1, 1])');
});

it('launches as few workgroups as have a thread for each program', () => {
  const { js } = moduleFiles({ kernel: kernel([], { programs: 4 }), request }, NAMES);
  const body = /const groups[^]*?launch\(0, (\[.*?\])\);/.exec(js)!;
  const text = `${body[0].replace(/launch.*/, '')} return ${body[1]};`;
  const size = new Function('x', 'y', 'z', 'limit', text);
  const of = (x: number, y: number): unknown => size(x, y, 1, 65535);
  expect(of(1, 1)).toEqual([1, 1, 1]);
  expect(of(30, 9)).toEqual([68, 1, 1]);
  expect(of(65535, 5)).toEqual([40960, 2, 1]);
});

it('refuses what only Hippocamp’s runtime can give', () => {
  const arena = kernel([{ kind: 'arena', word: 0 }]);
  expect(() => moduleFiles({ kernel: arena, request }, NAMES)).toThrow('follows addresses');
  const shared = kernel([], { bindings: [{ group: 'shared', access: 'read_write' }] });
  expect(() => moduleFiles({ kernel: shared, request }, NAMES)).toThrow('shared memory in storage');
});
