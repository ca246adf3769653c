/**
 * A random kernel with a random way to compile and launch it. Kernels come as Triton text, which
 * goes through the front end, or as tile IR, which has forms that no text leads to. All of it
 * follows from an input that fast-check makes and shrinks.
 */
import fc from 'fast-check';
import type { Parser } from '../../1-parse/parser';
import { fp_sanitizer } from '../../3-optimize/fp_sanitizer';
import type { Choices } from '../../4-distribute/index';
import { type Func, walk } from '../../ir/ir';
import { seededRandom } from '../../ir/seededRandom';
import { elementCount } from '../../ir/types';
import { BASELINE_TARGET } from '../../target';
import type { Target } from '../../target';
import { EXACT } from './differential';
import type { Bound } from './differential';
import { lowerSigned } from './lowerSigned';
import { randomKernel } from './randomKernel';
import type { RandomKernel } from './randomKernel';
import { randomTiles } from './randomTiles';
import type { LaunchArgument, LaunchOptions } from './run';
import { endsOf, stateEnds } from './storages';

/** Inputs that make a case. Fewer statements are simpler; a seed is not simpler than another. */
export interface FuzzInput {
  readonly kind: 'text' | 'ir';
  readonly head: number;
  readonly statements: readonly number[];
  readonly launch: number;
}
export interface FuzzOptions {
  /** The most elements of a tile. */
  readonly elements: number;
  readonly statements: number;
  /** Whether every access is in range of its tensor. */
  readonly inside?: boolean;
  /** Floats are computed in the ring of `prove`: results must be equal, bit for bit. */
  readonly ring?: boolean;
}

export function fuzzInputs({ statements }: FuzzOptions): fc.Arbitrary<FuzzInput> {
  const seed = fc.noBias(fc.noShrink(fc.integer({ min: 0, max: 0x7fffffff })));
  return fc.record({
    kind: fc.noShrink(fc.constantFrom('text', 'text', 'text', 'ir')),
    head: seed,
    statements: fc.array(seed, { minLength: 1, maxLength: statements, size: 'max' }),
    launch: seed,
  });
}

export interface FuzzCase {
  /** The kernel as text, or what it was made from. */
  readonly description: string;
  /** A new copy each time: distribution changes it in place. */
  readonly make: () => Func;
  readonly args: readonly LaunchArgument[];
  readonly grid: readonly [number, number, number];
  readonly tolerance: Bound;
  readonly target: Target;
  readonly launch: LaunchOptions;
}

/** `adapter`: the target with all that the adapter has; others are cut down from it. */
export function fuzzCase(
  input: FuzzInput,
  adapter: Target,
  parser: Parser,
  options: FuzzOptions,
): FuzzCase {
  const { kind, head, statements } = input;
  if (kind === 'ir') {
    const tiles = randomTiles(head, { ...options, statements: statements.length });
    const description = `tile IR ${head} of ${statements.length} statements`;
    const made = { ...tiles, outside: false, tolerance: EXACT, description };
    return launched(input, adapter, made, options);
  }
  const kernel = randomKernel({ head, statements }, options);
  const make = (): Func => lowerSigned(parser, kernel.source, kernel.signature);
  return launched(input, adapter, { ...kernel, make, description: kernel.source }, options);
}

type Kernel = Pick<FuzzCase, 'make' | 'args' | 'grid' | 'tolerance' | 'description'> &
  Pick<RandomKernel, 'pointers' | 'divisible' | 'outside'>;

function launched(
  input: FuzzInput,
  adapter: Target,
  kernel: Kernel,
  options: FuzzOptions,
): FuzzCase {
  const random = seededRandom(input.launch);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const { readsZeroOutside = false } = adapter;
  const baseline: Target = { ...BASELINE_TARGET, readsZeroOutside };
  const target = pick<Target>([
    { ...baseline, maxInvocations: 64 },
    { ...baseline, maxInvocations: 128 },
    baseline,
    adapter,
    { ...adapter, f16: false },
  ]);
  const count = kernel.divisible.length;
  const groups = new Array<number>(count).fill(0);
  const shifts = new Array<number>(count).fill(0);
  // Numbered without gaps, several pointers to a group now and then.
  const merge = random();
  let next = 0;
  for (const { index, bytes } of kernel.pointers) {
    groups[index] = next > 0 && random() < (merge < 0.5 ? 0 : 0.5) ? next - 1 : next++;
    const by = kernel.divisible[index] ? 16 : bytes;
    shifts[index] = by * Math.floor(random() * 5);
  }
  const launch: LaunchOptions = {
    numWarps: pick([1, 2, 4, 8, 16, 32]),
    groups,
    shifts,
    optimize: random() < 0.7,
    options: { checkBounds: random() < 0.8 || kernel.outside, linearGrid: random() < 0.2 },
  };
  const { grid, description } = kernel;
  const tolerance = options.ring ? EXACT : kernel.tolerance;
  const args =
    launch.options?.checkBounds === true && random() < 0.6 ? cut(kernel, random) : kernel.args;
  // Now and then everything that has a few registers counts as large, and is written as loops.
  const few = random() < 0.35 ? pick([1, 2, 4, 8]) : undefined;
  const offered = fitsThread(kernel.make()) ? [...CHOICES, A_THREAD] : CHOICES;
  const choices = random() < 0.5 ? pick(offered) : {};
  const make = (): Func => {
    const func = kernel.make();
    if (input.kind === 'ir') placeApart(func);
    if (few !== undefined) func.attributes['scalarizedRegisters'] = few;
    if (options.ring) {
      func.attributes['instrumentation'] = 'prove';
      fp_sanitizer(func);
    }
    return stateEnds(func, endsOf(args, shifts));
  };
  return { description, make, args, grid, tolerance, target, launch: { ...launch, choices } };
}

/**
 * Tensors that end before the kernel does with them: whole elements, of any number, sometimes none.
 */
function cut({ args, pointers }: Kernel, random: () => number): LaunchArgument[] {
  const out = [...args];
  for (const { index, bytes } of pointers) {
    const elements = (args[index] as Uint8Array).length / bytes;
    const kind = random();
    const left =
      kind < 0.4
        ? elements
        : kind < 0.6
          ? random() * 40
          : elements - 1 - random() * kind * elements;
    const length = Math.min(elements, Math.max(0, Math.floor(left)));
    out[index] = (args[index] as Uint8Array<ArrayBuffer>).slice(0, length * bytes);
  }
  return out;
}

/** Gives each operation a line of its own: reports are compared by place. */
function placeApart(func: Func): void {
  let line = 1;
  walk(func.body, (op) => {
    op.location = { ...op.location, line: line++ };
  });
}

/**
 * Choices of a tuner that move loads and stores about; matrices and direct dots are an adapter's
 * own.
 */
const EARLY = { prefetchRegisters: 64, direct: false };
const CHOICES: readonly Partial<Choices>[] = [
  EARLY,
  { ...EARLY, kSlice: 16, unroll: 16 },
  { ...EARLY, predicatedPrefetch: true },
  { ...EARLY, kSlice: 16, predicatedPrefetch: true, sinkIntoEpilogue: true },
  { ...EARLY, mergeBoundsGuards: true },
  { ...EARLY, splitLoads: true },
  { ...EARLY, prefetchUnstaged: true },
  { ...EARLY, prefetchUnstaged: true, predicatedPrefetch: true },
  { sinkIntoEpilogue: true, direct: false },
];
/**
 * A program a thread. SwiftShader takes minutes, and gigabytes, for a dot or a large tile that one
 * thread unrolls (a tile of 32×16 in a loop: 19,000 lines).
 */
const A_THREAD: Partial<Choices> = { threads: 1, programs: 4 };
const MOST_IN_THREAD = 128;

function fitsThread(func: Func): boolean {
  let fits = true;
  walk(func.body, (op) => {
    const largest = Math.max(0, ...op.results.map(({ type }) => elementCount(type)));
    if (op.name === 'tt.dot' || largest > MOST_IN_THREAD) fits = false;
  });
  return fits;
}

/** The way a case was compiled and launched, in one line. */
export function describeLaunch({ target, launch, grid, args }: FuzzCase): string {
  const { numWarps, groups, shifts, optimize, options, choices } = launch;
  const sizes = args.map((arg) => (arg instanceof Uint8Array ? arg.length : undefined));
  const what = { target: target.name, threads: target.maxInvocations, f16: target.f16 };
  return JSON.stringify({
    ...what,
    numWarps,
    groups,
    shifts,
    sizes,
    optimize,
    ...options,
    choices,
    grid,
  });
}
