/**
 * A compiled kernel as an ES module of its own: the WGSL, the pipeline, and how arguments become
 * bindings and uniform words. It needs nothing but WebGPU; its types stand beside it as a `.d.ts`.
 */
import type { ArgumentSpec, CompiledKernel, UniformWord } from '../../../compiler/program';
import { REPORT_WORDS } from '../../../compiler/boundsReport';
import { DEBUG_HEADER } from '../../../compiler/program';
import { bytesOfDtype } from '../../runtime/arguments';
import { uniformBytes } from '../../runtime/gpu/uniforms';
import type { Target } from '../../../compiler/target';
import type { Exported } from './compileForExport';

/** A parameter that is given at a launch. */
export interface Given {
  readonly name: string;
  readonly path: readonly number[];
  readonly spec: Extract<ArgumentSpec, { kind: 'pointer' | 'scalar' }>;
}

export interface ModuleFiles {
  readonly name: string;
  /** In the order of the kernel's parameters. */
  readonly given: readonly Given[];
  readonly js: string;
  readonly dts: string;
  readonly wgsl: string;
}

/** `a_ptr`, `shape_0`: one name a leaf, in order. */
export function givenOf(spec: readonly ArgumentSpec[], names: readonly string[]): Given[] {
  const given: Given[] = [];
  const walk = (one: ArgumentSpec, name: string, path: readonly number[]): void => {
    switch (one.kind) {
      case 'pointer':
      case 'scalar':
        given.push({ name, path, spec: one });
        return;
      case 'tuple':
        one.items.forEach((item, index) =>
          walk(item, `${name}_${one.fields?.[index] ?? index}`, [...path, index]),
        );
        return;
      case 'constexpr':
        return;
      default: {
        const unknown: never = one;
        throw new Error(`unknown argument ${JSON.stringify(unknown)}`);
      }
    }
  };
  spec.forEach((one, index) => walk(one, names[index] ?? `argument${index}`, [index]));
  return given;
}

/** How a constant argument reads in a comment. */
function constantText(spec: ArgumentSpec): string {
  if (spec.kind !== 'constexpr') return '';
  const { value } = spec;
  if ('value' in value && typeof value.value !== 'object') return String(value.value);
  return value.kind;
}

const same = (a: readonly number[], b: readonly number[]): boolean => a.join() === b.join();

/** One uniform word as JavaScript that reads `args` and `grid`. @throws where it cannot be. */
function wordSource(word: UniformWord, given: readonly Given[]): string {
  const at = (path: readonly number[]): Given => {
    const found = given.find((one) => same(one.path, path));
    if (!found) throw new Error('the kernel reads an argument that is not there');
    return found;
  };
  switch (word.kind) {
    case 'grid':
      return `grid[${word.axis}]`;
    case 'program':
      return 'program';
    case 'offset':
    case 'end':
    case 'begin': {
      const { name, spec } = at(word.path);
      const bytes = bytesOfDtype(spec.dtype);
      return word.kind === 'end'
        ? `Math.floor((args.${name}.offset + args.${name}.size) / ${bytes})`
        : `args.${name}.offset / ${bytes}`;
    }
    case 'scalar': {
      const { name, spec } = at(word.path);
      if (spec.dtype === 'float32' || spec.dtype === 'fp32') return `f32Bits(args.${name})`;
      if (spec.dtype === 'float64' || spec.dtype === 'fp64')
        return `f64Bits(args.${name}, ${word.word})`;
      if (spec.dtype === 'float16' || spec.dtype === 'fp16') return `f16Bits(args.${name})`;
      if (spec.dtype === 'bfloat16' || spec.dtype === 'bf16') return `bf16Bits(args.${name})`;
      if (/^(bf|fp|float)/.test(spec.dtype))
        throw new Error(`a scalar of type ${spec.dtype} cannot be exported`);
      return `intBits(args.${name}, ${word.word})`;
    }
    case 'zero':
      return '0';
    case 'arena':
    case 'report':
    case 'arena-bytes':
      throw new Error('the kernel follows addresses (data_ptr) that only Hippocamp gives out');
    default: {
      const unknown: never = word;
      throw new Error(`unknown uniform word ${JSON.stringify(unknown)}`);
    }
  }
}

/** @throws where the kernel cannot stand alone; the message says why. */
export function moduleFiles(exported: Exported, names: readonly string[]): ModuleFiles {
  const { kernel, request } = exported;
  const { specialization } = request;
  const given = givenOf(specialization.arguments, names);
  if (kernel.bindings.some(({ group }) => group === 'shared'))
    throw new Error('the kernel has its shared memory in storage, which an export does not');
  const bindings = kernel.bindings.map(({ group, access }) => ({
    access,
    members: given.filter(({ spec }) => spec.kind === 'pointer' && spec.group === group),
  }));
  const words = kernel.uniforms.map((word) => wordSource(word, given));
  const report = kernel.boundsReport !== null || kernel.debugSites !== undefined;
  const constants = specialization.arguments.flatMap((spec, index) =>
    spec.kind === 'constexpr' ? [`${names[index] ?? index} = ${constantText(spec)}`] : [],
  );
  // How lanes tell each other apart is in the code.
  const subgroup = kernel.features.includes('subgroups') ? request.target.subgroupSize : 'none';
  const parts: Parts = { kernel, given, bindings, words, report, constants, subgroup };
  return {
    name: kernel.name,
    given,
    js: jsOf(parts),
    dts: dtsOf(parts),
    wgsl: kernel.wgsl,
  };
}

interface Parts {
  readonly kernel: CompiledKernel;
  readonly given: readonly Given[];
  readonly bindings: readonly {
    readonly access: 'read' | 'read_write';
    readonly members: readonly Given[];
  }[];
  readonly words: readonly string[];
  readonly report: boolean;
  readonly constants: readonly string[];
  readonly subgroup: Target['subgroupSize'];
}

const literal = (text: string): string =>
  '`' + text.replaceAll('\\', '\\\\').replaceAll('`', '\\`').replaceAll('${', '\\${') + '`';

function describe({ kernel, constants, subgroup }: Parts): string {
  return `/**
 * The Triton kernel \`${kernel.name}\`, compiled to WGSL by Hippocamp.${
   constants.length > 0 ? `\n * Compiled for ${constants.join(', ')}.` : ''
 }${
   kernel.features.length > 0
     ? `\n * The device needs the features ${kernel.features.join(', ')}.`
     : ''
 }${subgroup === 'none' ? '' : `\n * Its subgroups must have ${subgroup} threads.`}
 * A workgroup has ${kernel.workgroupSize} threads${kernel.programs > 1 ? ', a program each,' : ''}
 * and ${kernel.workgroupBytes} bytes of workgroup memory.
 */`;
}

/** With the feature to choose a size it must be one that the adapter has, else the only one. */
function subgroupCheck({ name, features }: CompiledKernel, size: number): string {
  const chosen = features.includes('subgroup-size-control');
  return `
  const { subgroupMinSize: least, subgroupMaxSize: most } = device.adapterInfo;
  if (!(${chosen ? `least <= ${size} && most >= ${size}` : `least === ${size} && most === ${size}`}))
    throw new Error(\`${name} was compiled for subgroups of ${size} threads; here they have \${least} to \${most}\`);`;
}

/**
 * Functions of the module that give a scalar's bits, by name. Floats are rounded once, to even, as
 * `UniformPacker` rounds them.
 */
const BITS: Readonly<Record<string, string>> = {
  f32Bits: `const f32Bits = (value) => new Uint32Array(new Float32Array([value]).buffer)[0];`,
  f64Bits: `const f64Bits = (value, word) => new Uint32Array(new Float64Array([value]).buffer)[word];`,
  f16Bits: `function f16Bits(given) {
  const value = Number(given);
  const size = Math.abs(value);
  if (Number.isNaN(value)) return 0x7e00;
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  if (size >= 65520) return sign | 0x7c00;
  const exponent = Math.max(-14, Math.floor(Math.log2(size)));
  const steps = size / 2 ** (exponent - 10);
  const floor = Math.floor(steps);
  const up = steps - floor > 0.5 || (steps - floor === 0.5 && floor % 2 === 1);
  return sign + (exponent + 14) * 1024 + floor + (up ? 1 : 0);
}`,
  bf16Bits: `function bf16Bits(given) {
  const value = Number(given);
  if (Number.isNaN(value)) return 0x7fc0;
  const rounded = Math.fround(value);
  let bits = new Uint32Array(new Float32Array([rounded]).buffer)[0];
  // An inexact float32 is cut and made odd: the next rounding is then the only one.
  if (rounded !== value) bits = (Math.abs(rounded) > Math.abs(value) ? bits - 1 : bits) | 1;
  return (bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16;
}`,
  intBits: `const intBits = (value, word) =>
  Number((BigInt.asUintN(64, BigInt(value)) >> BigInt(32 * word)) & 0xffffffffn);`,
};

function jsOf(parts: Parts): string {
  const { kernel, given, bindings, words, report, subgroup } = parts;
  const pointers = given.filter(({ spec }) => spec.kind === 'pointer');
  const entries = bindings.map(
    ({ access }, index) =>
      `      { binding: ${index}, visibility: GPUShaderStage.COMPUTE, buffer: { type: '${
        access === 'read' ? 'read-only-storage' : 'storage'
      }' } },`,
  );
  const uniform = bindings.length;
  entries.push(
    `      { binding: ${uniform}, visibility: GPUShaderStage.COMPUTE, buffer: { type: 'uniform' } },`,
  );
  if (report)
    entries.push(
      `      { binding: ${uniform + 1}, visibility: GPUShaderStage.COMPUTE, buffer: { type: 'storage' } },`,
    );
  const shared = bindings.filter(({ members }) => members.length > 1);
  const helpers = Object.entries(BITS)
    .filter(([name]) => words.some((word) => word.startsWith(name)))
    .map(([, text]) => text);
  return `${describe(parts)}
export const wgsl = ${literal(kernel.wgsl)};

export const workgroupSize = ${kernel.workgroupSize};
export const requiredFeatures = ${JSON.stringify(kernel.features)};

${helpers.join('\n')}
const POINTERS = ${JSON.stringify(pointers.map(({ name }) => name))};

/** A GPUBuffer stands for all of it. */
function whole(given) {
  if (given && given.buffer) {
    const { buffer, offset = 0, size = buffer.size - offset } = given;
    return { buffer, offset, size };
  }
  return { buffer: given, offset: 0, size: given.size };
}

/**
 * Makes the pipeline on this device. Rejects where the device lacks a feature or refuses the WGSL.
 */
export async function createKernel(device) {
  for (const feature of requiredFeatures)
    if (!device.features.has(feature))
      throw new Error(\`${kernel.name} needs the WebGPU feature \${feature}\`);${
        subgroup === 'none' ? '' : subgroupCheck(kernel, subgroup)
      }
  const layout = device.createBindGroupLayout({
    entries: [
${entries.join('\n')}
    ],
  });
  const pipeline = await device.createComputePipelineAsync({
    label: '${kernel.name}',
    layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
    compute: {
      module: device.createShaderModule({ code: wgsl, label: '${kernel.name}' }),
      entryPoint: '${kernel.entryPoint}',
    },
  });${
    report
      ? `
  // The kernel prints or asserts: what it writes here is not read.
  const report = device.createBuffer({
    size: ${4 * (REPORT_WORDS + DEBUG_HEADER) + 65536},
    usage: GPUBufferUsage.STORAGE,
  });`
      : ''
  }

  /** Encodes a launch into a compute pass. */
  function encode(pass, given, [x, y = 1, z = 1]) {
    const limit = device.limits.maxComputeWorkgroupsPerDimension;
    if (x > limit || y > limit || z > limit)
      throw new RangeError(\`the grid [\${x}, \${y}, \${z}] is larger than \${limit}\`);
    const grid = [x, y, z];
    const args = { ...given };
    for (const name of POINTERS) args[name] = whole(given[name]);
${shared
  .map(
    ({ members }) =>
      `    if (new Set([${members.map(({ name }) => `args.${name}.buffer`).join(', ')}]).size > 1)
      throw new Error('${members.map(({ name }) => name).join(', ')} must lie in one buffer');\n`,
  )
  .join('')}    pass.setPipeline(pipeline);
    const launch = (program, workgroups) => {
      const uniforms = device.createBuffer({
        size: ${uniformBytes(words.length)},
        usage: GPUBufferUsage.UNIFORM,
        mappedAtCreation: true,
      });
      new Uint32Array(uniforms.getMappedRange()).set([
${words.map((word) => `        ${word},`).join('\n')}
      ]);
      uniforms.unmap();
      pass.setBindGroup(0, device.createBindGroup({
        layout,
        entries: [
${bindings
  .map(
    ({ members }, index) =>
      `          { binding: ${index}, resource: { buffer: args.${members[0]?.name ?? ''}.buffer } },`,
  )
  .join('\n')}
          { binding: ${uniform}, resource: { buffer: uniforms } },${
            report ? `\n          { binding: ${uniform + 1}, resource: { buffer: report } },` : ''
          }
        ],
      }));
      pass.dispatchWorkgroups(...workgroups);
    };
${
  kernel.oneByOne
    ? `    // Its programs wait for each other, which WebGPU lets them do only one after the other.
    for (let program = 0; program < x * y * z; program++) launch(program, [1, 1, 1]);`
    : kernel.programs > 1
      ? `    // A program is a thread: ${kernel.programs} of them are a workgroup.
    const groups = Math.ceil((x * y * z) / ${kernel.programs});
    const rows = Math.ceil(groups / limit);
    launch(0, [Math.ceil(groups / rows), rows, 1]);`
      : `    launch(0, grid);`
}
  }

  /** Launches it now. */
  function run(args, grid) {
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    encode(pass, args, grid);
    pass.end();
    device.queue.submit([encoder.finish()]);
  }

  return { pipeline, encode, run };
}
`;
}

function dtsOf(parts: Parts): string {
  const { given } = parts;
  const lines = given.map(({ name, spec }) =>
    spec.kind === 'pointer'
      ? `  /** Elements of ${spec.dtype}${spec.divisibleBy16 ? ', at an offset that is a multiple of 16 bytes' : ''}. */\n  readonly ${name}: Elements;`
      : `  /** ${spec.dtype}${spec.divisibleBy16 ? ', a multiple of 16' : ''}. */\n  readonly ${name}: ${/^u?int/.test(spec.dtype) && spec.dtype !== 'int1' ? 'number | bigint' : 'number'};`,
  );
  // No reference to @webgpu/types: TypeScript's own `dom` has WebGPU by now, and both at once
  // clash.
  return `${describe(parts)}
// WebGPU's types come with TypeScript 6 and newer (\`dom\`); before that, add the package
// @webgpu/types.

export type Elements =
  | GPUBuffer
  /** Part of a buffer: offset and size in bytes. */
  | { readonly buffer: GPUBuffer; readonly offset?: number; readonly size?: number };

export interface Arguments {
${lines.join('\n')}
}

/** Programs in x, y and z. */
export type Grid = readonly [x: number, y?: number, z?: number];

export interface Kernel {
  readonly pipeline: GPUComputePipeline;
  /** Encodes a launch into a compute pass. */
  encode(pass: GPUComputePassEncoder, args: Arguments, grid: Grid): void;
  /** Launches it now. Buffers need the usage STORAGE. */
  run(args: Arguments, grid: Grid): void;
}

export const wgsl: string;
export const workgroupSize: number;
export const requiredFeatures: readonly GPUFeatureName[];
/** Rejects where the device lacks a feature or refuses the WGSL. */
export function createKernel(device: GPUDevice): Promise<Kernel>;
`;
}
