/**
 * Checks the arguments of a launch against what its kernel was compiled for. Programs launch a
 * kernel again and again with most arguments the same: those are not checked anew, except for what
 * may change of a buffer: whether it is mapped, if its usage allows that.
 *
 * Guarantee: an argument that breaks the specialization (dtype, divisibility, a buffer of its own)
 * is refused.
 */
import { givenOf, type Given } from '../share/export/module';
import { bytesOfDtype } from '../runtime/arguments';
import type { PackedLeaf } from '../runtime/gpu/uniforms';
import { dtypeOf } from './dtypes';
import { HippocampError } from './errors';
import type { Argument, Arguments, Loadable } from './types';

export interface Resolved {
  /** Valid until the next launch. */
  readonly leaves: readonly PackedLeaf[];
  readonly buffers: readonly GPUBuffer[];
}

/** A pointer as a launch had it. */
interface SeenPointer extends Part {
  readonly dtype: string | undefined;
  readonly leaf: PackedLeaf;
  /** It may be mapped after it was created, which WebGPU allows of few buffers with STORAGE. */
  readonly mappable: boolean;
}

/** A scalar as a launch had it. */
interface SeenScalar {
  readonly value: Argument;
  readonly leaf: PackedLeaf;
}

export class LaunchArguments {
  private readonly given: readonly Given[];
  private readonly names: ReadonlySet<string>;
  private readonly leaves: PackedLeaf[] = [];
  /** The arguments of the last launch, by index. */
  private readonly pointers: (SeenPointer | undefined)[] = [];
  private readonly scalars: (SeenScalar | undefined)[] = [];
  /** Those of `pointers`, checked, by binding; null where one of them is another since. */
  private buffers: readonly GPUBuffer[] | null = null;

  /** `mostBytes`: the largest buffer that the device binds. */
  constructor(
    private readonly compiled: Loadable,
    private readonly mostBytes: number,
  ) {
    this.given = givenOf(compiled.specialization.arguments, compiled.parameters);
    this.names = new Set(this.given.map(({ name }) => name));
  }

  /** @throws HippocampError `bad-argument`, `limit` */
  resolve(args: Arguments): Resolved {
    if (typeof args !== 'object' || args === null)
      throw bad(null, `${this.compiled.name} needs its arguments by name`);
    const { given, leaves, names } = this;
    for (let i = 0; i < given.length; i++) {
      const one = given[i]!;
      const value = args[one.name];
      if (value === undefined)
        throw bad(one.name, `${this.compiled.name} needs the argument ${one.name}`);
      leaves[i] = one.spec.kind === 'scalar' ? this.scalar(i, value) : this.pointer(i, value);
    }
    for (const name in args)
      if (!names.has(name))
        throw bad(name, `${this.compiled.name} takes no argument ${name} at a launch`);
    this.buffers ??= this.checkedBuffers();
    return { leaves, buffers: this.buffers };
  }

  /** The same scalar has the same words. */
  private scalar(index: number, value: Argument): PackedLeaf {
    const seen = this.scalars[index];
    if (seen && Object.is(seen.value, value)) return seen.leaf;
    const leaf = scalarLeaf(this.given[index]!, value);
    this.scalars[index] = { value, leaf };
    return leaf;
  }

  /** The same part of the same buffer has the same words, and was checked. */
  private pointer(index: number, value: Argument): PackedLeaf {
    const one = this.given[index]!;
    const part = partOf(one.name, value);
    const dtype = typeof value === 'object' && 'dtype' in value ? value.dtype : undefined;
    const { buffer, offset, bytes } = part;
    const seen = this.pointers[index];
    if (
      seen?.buffer === buffer &&
      seen.offset === offset &&
      seen.bytes === bytes &&
      seen.dtype === dtype
    ) {
      if (seen.mappable) checkUnmapped(one.name, buffer);
      return seen.leaf;
    }
    const leaf = pointerLeaf(one, part, dtype);
    if (seen?.buffer !== buffer) this.buffers = null;
    const mappable =
      (factsOf(buffer).usage & (GPUBufferUsage.MAP_READ | GPUBufferUsage.MAP_WRITE)) !== 0;
    this.pointers[index] = { buffer, offset, bytes, dtype, leaf, mappable };
    return leaf;
  }

  /** The buffers of the bindings. */
  private checkedBuffers(): readonly GPUBuffer[] {
    const buffers = this.compiled.kernel.bindings.map(({ group }) => {
      let found: GPUBuffer | null = null;
      for (const [index, { name, spec }] of this.given.entries()) {
        if (spec.kind !== 'pointer' || spec.group !== group) continue;
        const { buffer } = this.pointers[index]!;
        if (found && found !== buffer)
          throw bad(
            name,
            `${name} must lie in the buffer of ${this.nameOf(group)}: they share a binding`,
          );
        found = buffer;
      }
      if (!found)
        throw new Error(`${this.compiled.name} binds group ${group}, which no argument has`);
      return found;
    });
    this.checkAliases(buffers);
    return buffers;
  }

  /** The code takes buffers of different groups for different memory. */
  private checkAliases(buffers: readonly GPUBuffer[]): void {
    const { bindings } = this.compiled.kernel;
    const limit = this.mostBytes;
    buffers.forEach((buffer, i) => {
      const { size } = factsOf(buffer);
      if (size > limit)
        throw new HippocampError(
          'limit',
          `a buffer of ${size} bytes; the device binds ${limit}`,
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
}

export const isSize = (size: unknown): size is number =>
  Number.isSafeInteger(size) && Number(size) >= 0;

/** What WebGPU never changes of a buffer: each read of it is a call into the browser. */
interface BufferFacts {
  readonly usage: number;
  readonly size: number;
}
const facts = new WeakMap<GPUBuffer, BufferFacts>();

function factsOf(buffer: GPUBuffer): BufferFacts {
  let known = facts.get(buffer);
  if (!known) {
    known = { usage: buffer.usage, size: buffer.size };
    facts.set(buffer, known);
  }
  return known;
}

/** The bytes of a buffer that hold a pointer's elements. */
interface Part {
  readonly buffer: GPUBuffer;
  readonly offset: number;
  readonly bytes: number;
}

function partOf(name: string, value: Argument): Part {
  const isObject = typeof value === 'object' && value !== null;
  const isPart = isObject && 'buffer' in value;
  const buffer = isPart ? value.buffer : value;
  if (typeof buffer !== 'object' || buffer === null || typeof factsOf(buffer).usage !== 'number')
    throw bad(name, `${name} is a pointer: give a tensor or a buffer`);
  const offset = isPart ? (value.offset ?? 0) : 0;
  const given = isPart ? ('bytes' in value ? value.bytes : value.size) : undefined;
  return { buffer, offset, bytes: given ?? factsOf(buffer).size - offset };
}

function checkUnmapped(name: string, buffer: GPUBuffer): void {
  if (buffer.mapState !== 'unmapped')
    throw bad(name, `the buffer of ${name} is mapped: unmap it before a launch`);
}

function pointerLeaf(
  { name, path, spec }: Given,
  { buffer, offset, bytes }: Part,
  dtype: string | undefined,
): PackedLeaf {
  const { usage, size } = factsOf(buffer);
  const elementBytes = bytesOfDtype(spec.dtype);
  if (dtype !== undefined && (dtypeOf(dtype) ?? dtype) !== spec.dtype)
    throw bad(name, `${name} was compiled for ${spec.dtype}; the tensor is of ${dtype}`);
  if (!(usage & GPUBufferUsage.STORAGE))
    throw bad(name, `the buffer of ${name} lacks the usage STORAGE`);
  if (size % 4 !== 0)
    throw bad(name, `the buffer of ${name} has ${size} bytes; WebGPU binds multiples of 4`);
  checkUnmapped(name, buffer);
  if (!isSize(offset) || !isSize(bytes))
    throw bad(name, `${name}: ${bytes} bytes at ${offset} are no part of a buffer`);
  const multiple = spec.divisibleBy16 ? 16 : elementBytes;
  if (offset % multiple !== 0)
    throw bad(name, `${name} begins at byte ${offset}; it must be a multiple of ${multiple}`);
  if (offset + bytes > size) throw bad(name, `${name} ends beyond its buffer of ${size} bytes`);
  return { kind: 'pointer', path, elementBytes, byteOffset: 0, storage: { base: offset, bytes } };
}

/** An integer type's least and greatest value. */
interface Range {
  readonly least: bigint;
  readonly most: bigint;
}
const ranges = new Map<string, Range | null>();

/** Null for a type of floats. */
function rangeOf(dtype: string): Range | null {
  let range = ranges.get(dtype);
  if (range !== undefined) return range;
  const [, unsigned, bits] = /^(u?)int(\d+)$/.exec(dtype) ?? [];
  range = null;
  if (bits !== undefined) {
    const span = 1n << BigInt(bits);
    const least = unsigned || bits === '1' ? 0n : -span / 2n;
    range = { least, most: least + span - 1n };
  }
  ranges.set(dtype, range);
  return range;
}

function scalarLeaf({ name, path, spec }: Given, value: Argument): PackedLeaf {
  if (typeof value !== 'number' && typeof value !== 'bigint' && typeof value !== 'boolean')
    throw bad(name, `${name} is a scalar: give a number`);
  const { dtype } = spec;
  const number = typeof value === 'bigint' ? value : Number(value);
  const range = rangeOf(dtype);
  if (!range) {
    // `String(-0)` has no sign.
    const text = Object.is(number, -0) ? '-0' : String(number);
    return { kind: 'scalar', path, dtype, text };
  }
  if (typeof number === 'number' && !Number.isSafeInteger(number))
    throw bad(name, `${name} is of ${dtype}; ${number} is no integer that it holds`);
  if (number < range.least || number > range.most)
    throw bad(name, `${number} does not fit in ${name}, which is of ${dtype}`);
  const multiple = typeof number === 'bigint' ? number % 16n === 0n : number % 16 === 0;
  if (spec.divisibleBy16 && !multiple)
    throw bad(name, `${name} was compiled for multiples of 16; ${number} is none`);
  return { kind: 'scalar', path, dtype, text: String(number) };
}

function bad(subject: string | null, message: string): HippocampError {
  return new HippocampError('bad-argument', message, subject);
}
