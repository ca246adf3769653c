/**
 * A specialization from a signature by names, in the notation of `triton.tools.compile`: `*fp32` is
 * a pointer, `*fp32:16` one at a multiple of 16 bytes, `i32:16` an integer that is a multiple of
 * 16, `i32:1` one that is 1. Parameters under `tl.constexpr` take values. `withOptions` puts warps,
 * stages and shared buffers into a specialization, whether a signature or the text gave it.
 */
import type { Outline } from '../../compiler/1-parse/outline';
import type { ArgumentSpec, Specialization, StaticValue } from '../../compiler/program';
import { regroup } from '../../compiler/regroup';
import { dtypeOf } from './dtypes';
import { HippocampError } from './errors';
import type { ConstexprValue, Signature } from './types';

/** Triton's, where a launch gives none. */
const DEFAULT_WARPS = 4;

const TYPE = /^(\*k?)?([a-z]\w*?)(?::(1|16))?$/;

export interface LaunchOptions {
  readonly numWarps?: number | undefined;
  readonly numStages?: number | undefined;
  /** Pointers whose tensors may lie in one buffer: a list of names for each buffer. */
  readonly sameBuffer?: readonly (readonly string[])[] | undefined;
}

/**
 * The specialization with these options in place of its own. Lists of `sameBuffer` that have a name
 * in common are one.
 * @throws HippocampError `bad-signature`
 */
export function withOptions(
  kernel: Outline,
  { numStages: _, ...specialization }: Specialization,
  { numWarps, numStages = _, sameBuffer = [] }: LaunchOptions,
): Specialization {
  if (numWarps !== undefined && (!Number.isSafeInteger(numWarps) || numWarps < 1))
    throw bad('numWarps', `numWarps is ${JSON.stringify(numWarps)}: give a number of warps`);
  const names = kernel.parameters.map(({ name }) => name);
  checkNames(kernel, sameBuffer.flat());
  const merge = sameBuffer.map((list) =>
    list.flatMap((name) => {
      const spec = specialization.arguments[names.indexOf(name)];
      return spec ? groupsOf(spec) : [];
    }),
  );
  const grouped =
    merge.length === 0 ? specialization : regroup(specialization, { kind: 'regroup', merge });
  return {
    ...grouped,
    ...(numWarps === undefined ? {} : { numWarps, statedWarps: true }),
    ...(numStages === 1 ? { numStages } : {}),
  };
}

/** The groups of a pointer, or of the pointers in a tuple. */
function groupsOf(spec: ArgumentSpec): number[] {
  if (spec.kind === 'pointer') return [spec.group];
  return spec.kind === 'tuple' ? spec.items.flatMap(groupsOf) : [];
}

function checkNames(kernel: Outline, given: readonly string[]): void {
  const names = kernel.parameters.map(({ name }) => name);
  for (const name of given)
    if (!names.includes(name))
      throw bad(name, `${kernel.name} has no parameter ${name}; it has ${names.join(', ')}`);
}

/** @throws HippocampError `bad-signature` */
export function specializationOf(kernel: Outline, signature: Signature): Specialization {
  checkNames(kernel, Object.keys(signature));
  let groups = 0;
  const { defaults } = kernel.program.functions[kernel.program.entry]!;
  const specs = kernel.parameters.map(({ name, constexpr }): ArgumentSpec => {
    const given = signature[name];
    if (given === undefined) {
      const value = defaults[name];
      if (value) return { kind: 'constexpr', value };
      throw bad(
        name,
        `the signature of ${kernel.name} gives no ${constexpr ? 'value' : 'type'} for ${name}`,
      );
    }
    if (constexpr || typeof given !== 'string')
      return { kind: 'constexpr', value: staticOf(given) };
    return typeSpec(name, given, () => groups++);
  });
  return { arguments: specs, numWarps: DEFAULT_WARPS };
}

function typeSpec(name: string, type: string, group: () => number): ArgumentSpec {
  const [, pointer, short = '', multiple] = TYPE.exec(type) ?? [];
  const dtype = dtypeOf(short);
  if (dtype === null)
    throw bad(name, `${name}: ${JSON.stringify(type)} is no type; write *fp32, *fp32:16 or i32`);
  const divisibleBy16 = multiple === '16';
  if (pointer) {
    if (multiple === '1') throw bad(name, `${name}: a pointer is no number, which :1 is for`);
    const constant = pointer === '*k' ? { readonly: true } : {};
    return { kind: 'pointer', dtype, divisibleBy16, group: group(), ...constant };
  }
  if (multiple === '1') return { kind: 'constexpr', value: { kind: 'int', value: '1' } };
  return { kind: 'scalar', dtype, divisibleBy16 };
}

function staticOf(value: ConstexprValue): StaticValue {
  switch (typeof value) {
    case 'boolean':
      return { kind: 'bool', value };
    case 'bigint':
      return { kind: 'int', value: String(value) };
    case 'string':
      return { kind: 'string', value };
    case 'number':
      return Number.isInteger(value)
        ? { kind: 'int', value: String(BigInt(value)) }
        : { kind: 'float', value: floatText(value) };
    default:
      return value === null ? { kind: 'none' } : { kind: 'float', value: floatText(value.float) };
  }
}

/** Python's `repr(float)`, as far as it is parsed again. */
function floatText(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (Object.is(value, -0)) return '-0.0';
  return Number.isInteger(value) && Math.abs(value) < 1e16 ? `${value}.0` : String(value);
}

function bad(subject: string, message: string): HippocampError {
  return new HippocampError('bad-signature', message, subject);
}
