/**
 * Verification of a launch: its programs, or a sample of them drawn from a seed, are interpreted on
 * the data that the launch had, and what they leave in memory is compared with what a GPU left.
 *
 * Guarantee: `different` is no matter of order or of rounding: a difference in a kernel whose
 * programs race, or that uses what an atomic returned, decides nothing, and neither do elements
 * of a sample that atomics write, which other programs may have written, too. `same` and `rounding`
 * of a sample are of at least one element that was compared.
 */
import { compareMemory, type PassCheck } from '../interpret/checkPasses';
import type { MemoryStorage } from '../interpret/index';
import { accessKind, isMaskedOff } from '../ir/access';
import type { Func } from '../ir/ir';
import { walk } from '../ir/ir';
import { seededRandom } from '../ir/seededRandom';
import { checkRaces } from '../proof/concrete';
import { argumentValues, hasContents, memoryOf, programCount } from './launch';
import type { LaunchInputs } from './launch';
import { roundingSlack } from './conditioning';
import { bytesOfAccess, EnoughSeen, traceAccesses, type TraceEnd } from './trace';

export interface VerifyOptions {
  /** Programs of a sample. */
  readonly sample: number;
  readonly seed: number;
  /** Operations of the interpreter for the whole launch, before a sample is drawn. */
  readonly budget?: number;
}

export interface Verification {
  readonly verdict: 'same' | 'rounding' | 'different' | 'undecided';
  /** Programs that were interpreted, and those of the launch. */
  readonly programs: number;
  readonly of: number;
  readonly seed: number;
  /** Elements of a sample that were left out, because atomics write them. */
  readonly left: number;
  /** The first element that differs, as the interpreter and as the GPU left it. */
  readonly first: PassCheck['first'];
  /** One of the programs that write it, where that was found. */
  readonly program: readonly [number, number, number] | null;
  /** Why nothing is decided; null otherwise. */
  readonly reason: string | null;
}

const NOTHING = 'the programs of its sample store nothing';
const BUDGET = 20_000_000;
/** Elements of a sample's stores. */
const MOST_ELEMENTS = 4_000_000;

/** @param results contents of the launch's storages behind it, in their order */
export function verifyLaunch(
  func: Func,
  inputs: LaunchInputs,
  results: readonly Uint8Array[],
  { sample, seed, budget = BUDGET }: VerifyOptions,
): Verification {
  const of = programCount(inputs);
  const none = { programs: 0, of, seed, left: 0, first: null, program: null };
  if (!hasContents(inputs))
    return { ...none, verdict: 'undecided', reason: 'its tensors are too large to be kept' };
  const after = inputs.storages.map(({ address }, i) => ({ address, bytes: results[i]! }));
  const whole = interpretAll(func, inputs, budget);
  const programs = drawn(of, sample, seed);
  const sampled = (given: LaunchInputs): Sampled =>
    interpretSample(func, given, after, programs, budget);
  const ran: Sampled =
    whole.end.kind === 'budget'
      ? sampled(inputs)
      : { ...whole, programs: of, compared: Infinity, left: 0 };
  const { end, expected, left } = ran;
  const facts = { ...none, programs: ran.programs, left };
  const undecided = (reason: string): Verification => ({ ...facts, verdict: 'undecided', reason });
  if (end.kind === 'failed') return undecided(end.message);
  if (end.kind === 'budget')
    return { ...undecided('its programs take too long on the interpreter'), programs: 0 };
  if (ran.compared === 0) {
    const reason = left > 0 ? 'the programs of its sample store by atomics alone' : NOTHING;
    return undecided(reason);
  }
  const options = { args: argumentValues(inputs) };
  const { verdict, first } = compareMemory(func, options, expected, after);
  if (verdict === 'failed') throw new Error('two memories cannot fail');
  if (verdict !== 'different') return { ...facts, verdict, first, reason: null };
  const reason = orderOf(func, inputs);
  if (!reason) {
    const again = (given: LaunchInputs): readonly MemoryStorage[] | null => {
      const { end: ended, expected: moved } =
        whole.end.kind === 'budget' ? sampled(given) : interpretAll(func, given, budget);
      return ended.kind === 'complete' ? moved : null;
    };
    const slack = roundingSlack(func, inputs, expected, again, seededRandom(seed));
    const allowed = slack && compareMemory(func, options, expected, after, slack);
    if (allowed?.verdict === 'rounding')
      return { ...facts, verdict: 'rounding', first: allowed.first, reason: null };
  }
  const program = first ? writerOf(func, inputs, first, expected) : null;
  return { ...facts, verdict: reason ? 'undecided' : 'different', first, program, reason };
}

interface Interpreted {
  readonly end: TraceEnd;
  readonly expected: readonly MemoryStorage[];
}

function interpretAll(func: Func, inputs: LaunchInputs, budget: number): Interpreted {
  const expected = memoryOf(inputs);
  const range = { first: 0, end: programCount(inputs) };
  const args = argumentValues(inputs);
  const options = { func, args, memory: expected, grid: inputs.grid, range, budget };
  return { end: traceAccesses({ ...options, onAccess: () => {} }), expected };
}

/** Programs of a launch by linear index, in order, none of them twice. */
export function drawn(of: number, count: number, seed: number): number[] {
  const random = seededRandom(seed);
  const found = new Set<number>();
  // The first and the last are where masks and ends are.
  if (count > 0) found.add(0).add(of - 1);
  while (found.size < Math.min(count, of)) found.add(Math.floor(random() * of));
  return [...found].sort((a, b) => a - b);
}

interface Sampled extends Interpreted {
  readonly programs: number;
  /** Elements that were stored, and not by atomics. */
  readonly compared: number;
  readonly left: number;
}

/** Memory as the GPU left it, but for what these programs store. */
function interpretSample(
  func: Func,
  inputs: LaunchInputs,
  after: readonly MemoryStorage[],
  programs: readonly number[],
  budget: number,
): Sampled {
  const memory = memoryOf(inputs);
  const stored = new Map<number, number>();
  const added = new Set<number>();
  const args = argumentValues(inputs);
  let end: TraceEnd = { kind: 'complete' };
  for (const linear of programs) {
    if (end.kind !== 'complete') break;
    end = traceAccesses({
      ...{ func, args, memory, grid: inputs.grid, budget },
      range: { first: linear, end: linear + 1 },
      onAccess: (op, addresses, mask) => {
        const kind = accessKind(op);
        if (kind === 'load') return;
        const size = bytesOfAccess(op);
        for (let i = 0; i < addresses.length; i++) {
          if (isMaskedOff(mask, i)) continue;
          if (kind === 'atomic') added.add(addresses[i]!);
          else stored.set(addresses[i]!, size);
        }
        if (stored.size + added.size > MOST_ELEMENTS) throw new EnoughSeen();
      },
    });
  }
  const expected = after.map((each) => ({ ...each, bytes: each.bytes.slice() }));
  let compared = 0;
  for (const [address, size] of stored) {
    if (added.has(address)) continue;
    const index = memory.findIndex(
      (each) => address >= each.address && address + size <= each.address + each.bytes.length,
    );
    if (index < 0) continue;
    compared++;
    const at = address - memory[index]!.address;
    expected[index]!.bytes.set(memory[index]!.bytes.subarray(at, at + size), at);
  }
  return { end, expected, programs: programs.length, compared, left: added.size };
}

/** Why a result may depend on the order of the programs; null where it does not. */
function orderOf(func: Func, inputs: LaunchInputs): string | null {
  let used = false;
  walk(func.body, (op) => {
    used ||= accessKind(op) === 'atomic' && op.results.some(({ uses }) => uses.size > 0);
  });
  if (used) return 'what its atomics return may depend on the order of its programs';
  const { races, unexplained, end } = checkRaces(func, inputs);
  if (races.length + unexplained > 0) return 'its programs race: its result depends on their order';
  return end.kind === 'complete' ? null : 'it takes too long to look whether its programs race';
}

/** The last program that writes the element. */
function writerOf(
  func: Func,
  inputs: LaunchInputs,
  first: NonNullable<PassCheck['first']>,
  memory: readonly MemoryStorage[],
): readonly [number, number, number] | null {
  const argument = func.body.args.findIndex(({ name }) => name === first.argument);
  const view = inputs.args[argument];
  if (view?.kind !== 'pointer') return null;
  const { address: begin } = memory[view.storage]!;
  let found: readonly [number, number, number] | null = null;
  traceAccesses({
    ...{ func, args: argumentValues(inputs), memory: memoryOf(inputs), grid: inputs.grid },
    range: { first: 0, end: programCount(inputs) },
    budget: BUDGET,
    onAccess: (op, addresses, mask, [x, y, z]) => {
      if (accessKind(op) === 'load') return;
      const wanted = begin + first.index * bytesOfAccess(op);
      for (let i = 0; i < addresses.length; i++)
        if (addresses[i] === wanted && !isMaskedOff(mask, i)) found = [x, y, z];
    },
  });
  return found;
}
