/**
 * A loaded kernel: checks the arguments of a launch against its specialization and submits it. The
 * packing of words, the dispatches and the bind groups are those of the page's runtime.
 *
 * Guarantee: a launch whose arguments break what the code was compiled for (dtype, divisibility,
 * a buffer of its own) is refused and never runs.
 */
import { REPORT_WORDS } from '../../compiler/boundsReport';
import type { StaticValue } from '../../compiler/program';
import { givenOf, type Given } from '../share/export/module';
import { bytesOfDtype } from '../runtime/arguments';
import { DEBUG_BYTES } from '../runtime/gpu/debugReport';
import { dispatchesOf, type Dispatch } from '../runtime/gpu/dispatches';
import { createBindGroup, reports, type Pipeline } from '../runtime/gpu/pipelines';
import {
  parseFloatText,
  uniformBytes,
  UniformPacker,
  type PackedLeaf,
} from '../runtime/gpu/uniforms';
import { dtypeOf } from './dtypes';
import { HippocampError } from './errors';
import type {
  Argument,
  Arguments,
  Bound,
  Elements,
  Grid,
  Kernel,
  Loadable,
  Meta,
  MetaValue,
} from './types';

/** WebGPU's largest alignment of dynamic offsets, in bytes. */
const ALIGNMENT = 256;

interface Resolved {
  readonly leaves: readonly PackedLeaf[];
  readonly buffers: readonly GPUBuffer[];
}

export class LoadedKernel implements Kernel {
  readonly name: string;
  private readonly given: readonly Given[];
  private readonly meta: Meta;
  private packer: UniformPacker | null = null;
  private readonly last: (PackedLeaf | undefined)[] = [];
  private readonly values: Argument[] = [];
  /** Bytes between the words of two dispatches. */
  private readonly slot: number;
  /** The limits of the device that a launch is checked against. */
  private readonly most: { readonly workgroups: number; readonly bindingBytes: number };
  private words: GPUBuffer;
  /** The contents of `words`, by dispatch. */
  private written: Uint32Array[] = [];
  private report: GPUBuffer | null = null;
  private bound: { readonly buffers: readonly GPUBuffer[]; readonly group: GPUBindGroup } | null =
    null;

  /** Made by `Runtime.load`. */
  constructor(
    private readonly device: GPUDevice,
    private readonly compiled: Loadable,
    private readonly pipeline: Pipeline,
    private readonly checkLife: () => void,
  ) {
    this.name = compiled.name;
    const { maxComputeWorkgroupsPerDimension, maxStorageBufferBindingSize } = device.limits;
    this.most = {
      workgroups: maxComputeWorkgroupsPerDimension,
      bindingBytes: maxStorageBufferBindingSize,
    };
    this.given = givenOf(compiled.specialization.arguments, compiled.parameters);
    this.meta = metaOf(compiled);
    const bytes = uniformBytes(compiled.kernel.uniforms.length);
    this.slot = Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
    this.words = this.wordBuffer(1);
  }

  launch(grid: Grid, args: Arguments): void {
    this.checkLife();
    const size = this.gridOf(grid);
    const resolved = this.resolve(args);
    const plan = this.planOf(size);
    if (plan.length === 0) return;
    if (plan.length * this.slot > this.words.size) {
      this.words = this.wordBuffer(plan.length);
      this.written = [];
      this.bound = null;
    }
    this.writeWords(this.words, resolved, size, plan, this.written);
    const group = this.groupOf(resolved.buffers);
    submit(this.device, (pass) => this.dispatch(pass, group, plan));
  }

  bind(grid: Grid, args: Arguments): Bound {
    this.checkLife();
    const size = this.gridOf(grid);
    const resolved = this.resolve(args);
    const plan = this.planOf(size);
    const words = this.wordBuffer(Math.max(1, plan.length));
    this.writeWords(words, resolved, size, plan);
    const group = this.makeGroup(resolved.buffers, words);
    const encode = (pass: GPUComputePassEncoder): void => this.dispatch(pass, group, plan);
    return {
      encode,
      run: () => {
        this.checkLife();
        submit(this.device, encode);
      },
    };
  }

  private dispatch(
    pass: GPUComputePassEncoder,
    group: GPUBindGroup,
    plan: readonly Dispatch[],
  ): void {
    pass.setPipeline(this.pipeline.pipeline);
    const reporting = reports(this.compiled.kernel);
    plan.forEach(({ workgroups: [x, y, z] }, index) => {
      pass.setBindGroup(0, group, reporting ? [index * this.slot, 0] : [index * this.slot]);
      pass.dispatchWorkgroups(x, y, z);
    });
  }

  private gridOf(grid: Grid): readonly [number, number, number] {
    const given: unknown = typeof grid === 'function' ? grid(this.meta) : grid;
    const list: readonly unknown[] = Array.isArray(given) ? given : [];
    const [x, y = 1, z = 1] = list;
    if (list.length <= 3 && isSize(x) && isSize(y) && isSize(z)) return [x, y, z];
    const shown = Array.isArray(given) ? `[${list.map(String).join(', ')}]` : String(given);
    throw new HippocampError('bad-grid', `${shown} is no grid: [x, y?, z?]`);
  }

  private planOf(grid: readonly [number, number, number]): readonly Dispatch[] {
    const [x, y, z] = grid;
    if (x * y * z === 0) return [];
    const { kernel, name } = this.compiled;
    const limit = this.most.workgroups;
    if (kernel.programs === 1 && !kernel.oneByOne && Math.max(x, y, z) > limit)
      throw new HippocampError(
        'limit',
        `the grid [${x}, ${y}, ${z}] of ${name} is above ${limit} in a dimension`,
        'maxComputeWorkgroupsPerDimension',
      );
    return dispatchesOf(kernel, grid, limit);
  }

  private resolve(args: Arguments): Resolved {
    if (typeof args !== 'object' || args === null)
      throw bad(null, `${this.name} needs its arguments by name`);
    const { given, values, last } = this;
    const leaves = given.map((one, index): PackedLeaf => {
      const value = args[one.name];
      if (value === undefined) throw bad(one.name, `${this.name} needs the argument ${one.name}`);
      const known = last[index];
      // The same scalar has the same words.
      if (known?.kind === 'scalar' && Object.is(values[index], value)) return known;
      const leaf = one.spec.kind === 'scalar' ? scalarLeaf(one, value) : pointerLeaf(one, value);
      values[index] = value;
      last[index] = leaf;
      return leaf;
    });
    for (const name in args)
      if (!given.some((one) => one.name === name))
        throw bad(name, `${this.name} takes no argument ${name} at a launch`);
    const buffers = this.compiled.kernel.bindings.map(({ group }) => {
      let found: GPUBuffer | null = null;
      for (const { name, spec } of given) {
        if (spec.kind !== 'pointer' || spec.group !== group) continue;
        const buffer = bufferOf(args[name]!);
        if (found && found !== buffer)
          throw bad(
            name,
            `${name} must lie in the buffer of ${this.nameOf(group)}: they share a binding`,
          );
        found = buffer;
      }
      if (!found) throw new Error(`${this.name} binds group ${group}, which no argument has`);
      return found;
    });
    this.checkAliases(buffers);
    return { leaves, buffers };
  }

  /** The code takes buffers of different groups for different memory. */
  private checkAliases(buffers: readonly GPUBuffer[]): void {
    const { bindings } = this.compiled.kernel;
    const limit = this.most.bindingBytes;
    buffers.forEach((buffer, i) => {
      if (buffer.size > limit)
        throw new HippocampError(
          'limit',
          `a buffer of ${buffer.size} bytes; the device binds ${limit}`,
          'maxStorageBufferBindingSize',
        );
      for (let j = 0; j < i; j++) {
        const written =
          bindings[i]?.access === 'read_write' || bindings[j]?.access === 'read_write';
        if (buffer === buffers[j] && written) {
          const names = [i, j].map((at) => this.nameOf(bindings[at]?.group));
          throw bad(
            names[0] ?? null,
            `${names.join(' and ')} lie in one buffer that is written: compile with sameBuffer: ` +
              `[${JSON.stringify(names.toReversed())}]`,
          );
        }
      }
    });
  }

  private nameOf(group: number | 'shared' | undefined): string {
    return (
      this.given.find(({ spec }) => spec.kind === 'pointer' && spec.group === group)?.name ?? ''
    );
  }

  private writeWords(
    target: GPUBuffer,
    { leaves }: Resolved,
    grid: readonly [number, number, number],
    plan: readonly Dispatch[],
    written: Uint32Array[] = [],
  ): void {
    this.packer ??= new UniformPacker(this.compiled.kernel.uniforms, leaves);
    for (let i = 0; i < plan.length; i++) {
      const words = this.packer.pack(leaves, grid, plan[i]!.first, 0);
      const known = written[i];
      if (known?.every((word, at) => word === words[at])) continue;
      written[i] = words.slice();
      this.device.queue.writeBuffer(target, i * this.slot, words);
    }
  }

  private groupOf(buffers: readonly GPUBuffer[]): GPUBindGroup {
    const { bound } = this;
    if (bound && buffers.every((buffer, i) => buffer === bound.buffers[i])) return bound.group;
    const group = this.makeGroup(buffers, this.words);
    this.bound = { buffers, group };
    return group;
  }

  private makeGroup(buffers: readonly GPUBuffer[], words: GPUBuffer): GPUBindGroup {
    const { kernel } = this.compiled;
    // A kernel that prints or asserts writes there; it is not read.
    this.report ??= this.device.createBuffer({
      size: kernel.debugSites ? DEBUG_BYTES : REPORT_WORDS * 4,
      usage: GPUBufferUsage.STORAGE,
    });
    const blocks = buffers.map((buffer) => ({ buffer }));
    return createBindGroup(this.device, this.pipeline, kernel, blocks, words, this.report);
  }

  private wordBuffer(slots: number): GPUBuffer {
    const usage = GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST;
    return this.device.createBuffer({ size: slots * this.slot, usage });
  }
}

function submit(device: GPUDevice, encode: (pass: GPUComputePassEncoder) => void): void {
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  encode(pass);
  pass.end();
  device.queue.submit([encoder.finish()]);
}

function metaOf({ specialization, parameters }: Loadable): Meta {
  const meta: Record<string, MetaValue> = {};
  specialization.arguments.forEach((spec, index) => {
    const value = spec.kind === 'constexpr' ? metaValue(spec.value) : undefined;
    if (value !== undefined) meta[parameters[index] ?? ''] = value;
  });
  return meta;
}

/** Undefined for values that JavaScript has none of: dtypes, tuples and functions. */
function metaValue(value: StaticValue): MetaValue | undefined {
  switch (value.kind) {
    case 'int':
      return Number(value.value);
    case 'float':
      return parseFloatText(value.value);
    case 'bool':
    case 'string':
      return value.value;
    case 'none':
      return null;
    case 'constexpr':
      return metaValue(value.value);
    default:
      return undefined;
  }
}

const isSize = (size: unknown): size is number => Number.isSafeInteger(size) && Number(size) >= 0;

function bufferOf(value: Argument): GPUBuffer {
  if (typeof value !== 'object') throw new Error('no buffer');
  return 'buffer' in value ? value.buffer : value;
}

function pointerLeaf({ name, path, spec }: Given, value: Argument): PackedLeaf {
  const isObject = typeof value === 'object' && value !== null;
  const buffer = isObject ? bufferOf(value) : null;
  if (!isObject || typeof buffer?.usage !== 'number')
    throw bad(name, `${name} is a pointer: give a tensor or a buffer`);
  const offset = 'buffer' in value ? (value.offset ?? 0) : 0;
  const bytes = 'bytes' in value ? value.bytes : sizeOf(value, buffer, offset);
  const elementBytes = bytesOfDtype(spec.dtype);
  if ('dtype' in value && (dtypeOf(value.dtype) ?? value.dtype) !== spec.dtype)
    throw bad(name, `${name} was compiled for ${spec.dtype}; the tensor is of ${value.dtype}`);
  if (!(buffer.usage & GPUBufferUsage.STORAGE))
    throw bad(name, `the buffer of ${name} lacks the usage STORAGE`);
  if (buffer.size % 4 !== 0)
    throw bad(name, `the buffer of ${name} has ${buffer.size} bytes; WebGPU binds multiples of 4`);
  if (buffer.mapState !== 'unmapped')
    throw bad(name, `the buffer of ${name} is mapped: unmap it before a launch`);
  if (!isSize(offset) || !isSize(bytes))
    throw bad(name, `${name}: ${bytes} bytes at ${offset} are no part of a buffer`);
  const multiple = spec.divisibleBy16 ? 16 : elementBytes;
  if (offset % multiple !== 0)
    throw bad(name, `${name} begins at byte ${offset}; it must be a multiple of ${multiple}`);
  if (offset + bytes > buffer.size)
    throw bad(name, `${name} ends beyond its buffer of ${buffer.size} bytes`);
  return { kind: 'pointer', path, elementBytes, byteOffset: 0, storage: { base: offset, bytes } };
}

function sizeOf(value: Elements | GPUBuffer, buffer: GPUBuffer, offset: number): number {
  return ('buffer' in value ? value.size : undefined) ?? buffer.size - offset;
}

function scalarLeaf({ name, path, spec }: Given, value: Argument): PackedLeaf {
  if (!['number', 'bigint', 'boolean'].includes(typeof value))
    throw bad(name, `${name} is a scalar: give a number`);
  const { dtype } = spec;
  const number = typeof value === 'bigint' ? value : Number(value);
  const [, unsigned, bits] = /^(u?)int(\d+)$/.exec(dtype) ?? [];
  if (bits === undefined) {
    // `String(-0)` has no sign.
    const text = Object.is(number, -0) ? '-0' : String(number);
    return { kind: 'scalar', path, dtype, text };
  }
  if (typeof number === 'number' && !Number.isSafeInteger(number))
    throw bad(name, `${name} is of ${dtype}; ${number} is no integer that it holds`);
  const whole = BigInt(number);
  const width = Number(bits);
  const wraps =
    unsigned || width === 1 ? BigInt.asUintN(width, whole) : BigInt.asIntN(width, whole);
  if (wraps !== whole) throw bad(name, `${whole} does not fit in ${name}, which is of ${dtype}`);
  if (spec.divisibleBy16 && whole % 16n !== 0n)
    throw bad(name, `${name} was compiled for multiples of 16; ${whole} is none`);
  return { kind: 'scalar', path, dtype, text: String(whole) };
}

function bad(subject: string | null, message: string): HippocampError {
  return new HippocampError('bad-argument', message, subject);
}
