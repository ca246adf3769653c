/**
 * The algebra check: a program's comparisons where its kernels and torch compute in a ring
 * (`app/numerics/ring`, `compiler/3-optimize/fp_sanitizer.ts`), in which every order of sums and
 * products has the same bits. Two sides that agree are the same algebra up to a chance of 2^-16 to
 * 2^-32 an element; a wrong mask, operand, order, stale tile or missing rescale shows.
 *
 * Two sides that differ are not always different algebra: the ring keeps no identities of some
 * functions, and no arithmetic of constants. Where one of them is used and the ordinary comparison
 * holds, the check does not apply, and states why.
 */
import type { KernelRingUses } from '../../compiler/inspect/ringUses';
import type { Location } from '../../compiler/ir/location';
import type { ProgramEvent } from '../events';
import { siteLocation } from '../runtime/errors';
import type { Finding, ProofSection, Witness } from './report';

export type EventOf<Type extends ProgramEvent['type']> = Extract<
  ProgramEvent,
  { readonly type: Type }
>;
type Comparison = EventOf<'comparison'>;
type Launch = EventOf<'launch'>;

/** A run of the program. */
export interface Run {
  /** `the interpreter`, `SwiftShader`. */
  readonly engine: string;
  readonly events: readonly ProgramEvent[];
}

export interface AlgebraRuns {
  /** With ordinary floats. */
  readonly ordinary: Run;
  /** In the ring, on each engine. */
  readonly rings: readonly Run[];
  /** Uses of the kernel of a compilation, by its key. */
  readonly usesOf: (key: string) => KernelRingUses | undefined;
  readonly milliseconds: number;
}

/** A section with a finding for each comparison of the program. */
export function algebraSection(runs: AlgebraRuns): ProofSection {
  const { ordinary, rings, milliseconds } = runs;
  const comparisons = ordinary.events.filter((event) => event.type === 'comparison');
  const findings = comparisons.flatMap((comparison) => {
    // The interpreter has no warps: launches with other numbers of them are on the adapter alone.
    const first = isOfWarps(comparison) ? rings.at(-1) : rings[0];
    return first ? findingOf(runs, comparison, first) : [];
  });
  return { check: 'algebra', title: 'Algebra', findings, milliseconds };
}

function findingOf(runs: AlgebraRuns, ordinary: Comparison, ring: Run): Finding {
  const key = keysOf(runs.ordinary).get(ordinary);
  const counterpart = (run: Run): Comparison | undefined =>
    [...keysOf(run)].find(([, theirs]) => theirs === key)?.[0];
  const subject = { kind: 'comparison', id: ordinary.id, call: callText(ordinary) } as const;
  const location: Location = siteLocation(ordinary.site);
  const finding = (
    verdict: Finding['verdict'],
    message: string,
    more: Partial<Finding> = {},
  ): Finding => ({ verdict, subject, location, message, ...more });

  const found = counterpart(ring);
  if (!found) return finding('inapplicable', whyMissing(ring, ordinary));
  const { ring: facts } = found;
  if (!facts) return finding('inapplicable', found.message ?? 'the two sides cannot be compared');
  for (const other of runs.rings.slice(1)) {
    const theirs = counterpart(other)?.ring;
    if (!theirs || theirs.digests.join() === facts.digests.join()) continue;
    return finding(
      'fails',
      `${ring.engine} and ${other.engine} compute different bits: a fault of Hippocamp or of the driver`,
    );
  }
  const on = isOfWarps(ordinary) ? [ring] : runs.rings;
  const engines = on.map(({ engine }) => engine).join(' and ');
  const isEqual = found.mismatches === 0;
  if (isEqual && ordinary.passed && losesExponentials(runs, ring, found))
    return finding(
      'inapplicable',
      'equal in the ring, where 8 bits keep nothing of an exponential; the ordinary comparison holds',
    );
  if (isEqual && ordinary.passed)
    return finding('holds', `equal in the ring, bit for bit, on ${engines}`, {
      scope: { kind: 'run' },
    });
  if (isEqual)
    return finding(
      'fails',
      'equal in the ring, yet the ordinary comparison fails: the algebra is the same, the rounding or the tolerance is not',
    );
  const wrong = difference(ring, found);
  const at = {
    witnesses: wrong.witnesses,
    ...(wrong.location ? { location: wrong.location } : {}),
  };
  if (!ordinary.passed)
    return finding('fails', `${wrong.text}; the ordinary comparison fails, too`, at);
  const reasons = reasonsOf(runs, ring, found);
  if (reasons.length === 0)
    return finding('fails', `${wrong.text}: the tolerance of the ordinary comparison hides it`, at);
  return finding(
    'inapplicable',
    `${wrong.text}, which decides nothing here; the ordinary comparison holds`,
    { notes: reasons },
  );
}

/**
 * The comparisons of a run, with what each shares with the same one of another run: its line, how
 * many launches came before, and how many comparisons there since. A program may take another way
 * in the ring.
 */
function keysOf({ events }: Run): Map<Comparison, string> {
  const keys = new Map<Comparison, string>();
  const seen = new Map<string, number>();
  let launches = 0;
  for (const event of events) {
    if (event.type === 'launch' && !event.benchmark) launches++;
    if (event.type !== 'comparison') continue;
    const place = `${event.site.file}:${event.site.line} after ${launches}`;
    const before = seen.get(place) ?? 0;
    seen.set(place, before + 1);
    keys.set(event, `${place}, ${before}`);
  }
  return keys;
}

const isOfWarps = ({ call }: Comparison): boolean =>
  call?.function.startsWith('num_warps of ') === true;

export function callText({ call, kind }: Comparison): string {
  return call ? `${call.function}(${call.actual}, ${call.expected})` : kind;
}

/** Why a run in the ring did not come to a comparison. */
function whyMissing({ events }: Run, ordinary: Comparison): string {
  const error = events.find(
    (event) => event.type === 'diagnostic' && event.diagnostic.severity === 'error',
  );
  if (error?.type === 'diagnostic') {
    const { message, location } = error.diagnostic;
    return `in the ring the program ends before it, at ${location.file}:${location.line}: ${message}`;
  }
  const { file, line } = ordinary.site;
  const launched = events.some(
    (event) => event.type === 'launch' && event.site.file === file && event.site.line === line,
  );
  // A run compares launches with other numbers of warps for so many seconds.
  return isOfWarps(ordinary) && launched
    ? 'in the ring the time for other num_warps ended before this launch: it is not compared there'
    : 'in the ring the program takes another way, and does not come to this comparison';
}

interface Difference {
  readonly text: string;
  readonly location: Location | null;
  readonly witnesses: readonly Witness[];
}

/** The first element that differs, and the launch that wrote the tensor last. */
function difference(run: Run, found: Comparison): Difference {
  const launch = writer(run, found);
  const share = `${found.mismatches} of ${found.count} elements differ in the ring`;
  const text = launch ? `${share} after ${launch.kernel}` : share;
  const location = launch ? siteLocation(launch.site) : null;
  const witnesses = found.first
    ? [{ name: 'first element', value: `[${found.first.index.join(', ')}]` }]
    : [];
  return { text, location, witnesses };
}

/** The last launch before the comparison that has a pointer to its first tensor. */
function writer({ events }: Run, found: Comparison): Launch | undefined {
  const storages = [found.actual, found.expected].map((place) => place?.storage);
  const before = events.slice(0, events.indexOf(found));
  for (const storage of storages) {
    if (storage === undefined) continue;
    const launch = before.findLast(
      (event): event is Launch =>
        event.type === 'launch' &&
        event.values.some((value) => value && 'storage' in value && value.storage === storage),
    );
    if (launch) return launch;
  }
  return undefined;
}

const launchesBefore = ({ events }: Run, found: Comparison): Launch[] =>
  events.slice(0, events.indexOf(found)).filter((event) => event.type === 'launch');

/** Torch's functions that are made of exponentials, and keep no other identities. */
const OF_EXPONENTIALS = /^(softmax|log_softmax|logsumexp|sigmoid|silu)$/;

/**
 * Whether a format of 8 bits may have cut an exponential: its low 8 bits are 1 for every exponent,
 * so that two sides agree that are not the same.
 */
function losesExponentials(runs: AlgebraRuns, run: Run, found: Comparison): boolean {
  const uses = launchesBefore(run, found).flatMap(({ key }) => runs.usesOf(key) ?? []);
  const { narrowest = null, functions = [] } = found.ring ?? {};
  return (
    (narrowest === 8 || uses.some(({ narrowing }) => narrowing?.bits === 8)) &&
    (uses.some(({ exponential }) => exponential) ||
      functions.some((name) => OF_EXPONENTIALS.test(name)))
  );
}

/** Bits of the narrower side of a comparison; 0 where it is none of floats. */
function widthOf({ actual, expected, dtype }: Comparison): number {
  const widths = [actual?.dtype, expected?.dtype, dtype].map((each) =>
    each === undefined ? Infinity : Number(/float(8|16|32|64)/.exec(each)?.[1] ?? 0),
  );
  return Math.min(...widths);
}

/** Why a difference decides nothing: empty where it does. */
function reasonsOf(runs: AlgebraRuns, run: Run, found: Comparison): readonly string[] {
  const launches = launchesBefore(run, found);
  const width = widthOf(found);
  const reasons = new Set<string>();
  const inKernels = new Set<number>();
  for (const key of new Set(launches.map((launch) => launch.key))) {
    const uses = runs.usesOf(key);
    if (!uses) continue;
    const kernel = launches.find((launch) => launch.key === key)!.kernel;
    for (const { name, location } of uses.functions)
      reasons.add(
        `${kernel} has ${name} (line ${location.line}), of which the ring keeps no identities`,
      );
    const { narrowing } = uses;
    if (narrowing && narrowing.bits < width)
      reasons.add(
        `${kernel} converts to ${narrowing.bits} bits (line ${narrowing.location.line}), of which the ring keeps no more`,
      );
    for (const constant of uses.constants) inKernels.add(Math.fround(constant));
  }
  for (const launch of launches)
    for (const value of launch.values)
      if (value && 'scalar' in value && /[.en]/.test(value.scalar))
        inKernels.add(Math.fround(Number(value.scalar)));
  const { functions = [], constants = [] } = found.ring ?? {};
  if (functions.length > 0)
    reasons.add(`torch computes ${functions.join(', ')}, of which the ring keeps no identities`);
  const inTorch = new Set(constants.map(Math.fround));
  const alone = [
    ...[...inKernels].filter((constant) => !inTorch.has(constant)),
    ...[...inTorch].filter((constant) => !inKernels.has(constant)),
  ].filter((constant) => constant !== 0 && Math.abs(constant) !== 1);
  if (alone.length > 0)
    reasons.add(
      `one side alone has the constants ${alone.slice(0, 6).join(', ')}, and the ring has no arithmetic of constants`,
    );
  return [...reasons];
}
