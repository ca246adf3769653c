/**
 * The report of accesses out of range: the words in which a launch writes it, the WGSL that writes
 * them, and how they are read. Programs report in any order, so each word is a sum or an extreme:
 * the same launch gives the same report every time, and the interpreter's is the same one.
 *
 * Guarantee: of the loads, and of everything that writes, the report names the first access in the
 * text that goes out of range; the first element past its tensor that this access touches (else the
 * lowest before it); and the first program in which it does.
 */
import type { BoundsAccess } from './program';

/**
 * Elements out of range, by loads and by all that writes, and threads that ran out of iterations;
 * then, from `FIRST_SLOT` on, one slot for each access that a thread found out of range first: its
 * index + 1, `~program` and `~distance`. A launch with more such accesses than slots leaves some
 * out.
 */
export const REPORT_WORDS = 64;
export const REPORT_LOADS = 0;
export const REPORT_WRITES = 1;
/**
 * Threads that left a loop without a bound; the slot's distance is the iterations that it may
 * take.
 */
export const REPORT_LOOPS = 2;
const FIRST_SLOT = 4;
const SLOT_WORDS = 3;

/** The first word of each slot, in the order in which they are tried. */
export const REPORT_SLOTS: readonly number[] = Array.from(
  { length: Math.floor((REPORT_WORDS - FIRST_SLOT) / SLOT_WORDS) },
  (_, i) => FIRST_SLOT + i * SLOT_WORDS,
);

/** `report_bounds`; `at` is the first word of the launch's report. */
export const REPORT_WGSL = `fn report_bounds(
  at: u32, half: u32, program: u32, access: u32, count: u32, distance: u32
) {
  atomicAdd(&report[at + half], count);
  var slot = at + ${FIRST_SLOT}u;
  var tries = 0u;
  loop {
    if (tries == 64u || slot >= at + ${REPORT_WORDS}u) { break; }
    tries++;
    let claim = atomicCompareExchangeWeak(&report[slot], 0u, access + 1u);
    if (claim.exchanged || claim.old_value == access + 1u) {
      atomicMax(&report[slot + 1u], ~program);
      atomicMax(&report[slot + 2u], ~distance);
      break;
    }
    // The weak exchange may fail without a reason.
    slot += select(0u, ${SLOT_WORDS}u, claim.old_value != 0u);
  }
}
`;

export interface OutOfRange {
  /** Elements out of range; at least so many unless `counted`. */
  readonly count: number;
  readonly counted: boolean;
  readonly access: BoundsAccess;
  /** The linear index of the first program in which the access goes out of range. */
  readonly program: number;
  /**
   * Elements, as they are accessed, from where the access's tensor begins to the first that is out
   * of range, modulo 2³²; for a pointer made of an integer, from where the arena begins.
   */
  readonly distance: number;
}

/** Whether a thread reported anything: the first slot is taken first. */
export function hasReported(words: Uint32Array, at = 0): boolean {
  return words[at + FIRST_SLOT] !== 0;
}

const halfOf = ({ kind }: BoundsAccess): number =>
  kind === 'load' ? REPORT_LOADS : kind === 'loop' ? REPORT_LOOPS : REPORT_WRITES;

/** Report on a launch's loads, then on its writes and its loops; nothing where all was well. */
export function readReport(
  words: Uint32Array | readonly number[],
  accesses: readonly BoundsAccess[],
): OutOfRange[] {
  const first = new Map<number, OutOfRange>();
  for (let slot = REPORT_WORDS - SLOT_WORDS; slot >= FIRST_SLOT; slot -= SLOT_WORDS) {
    const index = (words[slot] ?? 0) - 1;
    const access = accesses[index];
    if (!access) continue;
    const half = halfOf(access);
    const known = first.get(half);
    if (known && accesses.indexOf(known.access) < index) continue;
    const counted = accesses.every((each) => halfOf(each) !== half || each.counted);
    const count = Math.max(1, words[half] ?? 0);
    const [program, distance] = [~(words[slot + 1] ?? 0) >>> 0, ~(words[slot + 2] ?? 0) >>> 0];
    first.set(half, { count, counted, access, program, distance });
  }
  return [REPORT_LOADS, REPORT_WRITES, REPORT_LOOPS].flatMap((half) => first.get(half) ?? []);
}
