/**
 * The report of `hippocamp prove`: what was checked of a program, by which method, and what came
 * out. A check adds a section; a section holds findings, one for each subject that the check looked
 * at. The report is data: it is what `--json` prints.
 */
import type { Diagnostic } from '../../compiler/diagnostics';
import type { Location } from '../../compiler/ir/location';
import type { AdapterInfo } from '../events';

/**
 * `holds`: established, within what `scope` states. `fails`: a counterexample or a difference was
 * found. `inapplicable`: the method cannot decide it, and `message` states why.
 */
export type Verdict = 'holds' | 'fails' | 'inapplicable';

/**
 * Extent of a finding that holds. `always`: every program and every value of the arguments;
 * `launch`: every program of the launch; `sample`: so many of its programs; `run`: the values that
 * this run had.
 */
export type Scope =
  | { readonly kind: 'always' }
  | { readonly kind: 'launch' }
  | { readonly kind: 'sample'; readonly checked: number; readonly programs: number }
  | { readonly kind: 'run' };

/** The object of a finding. */
export type Subject =
  /** A comparison of the program, such as `torch.allclose`; `id` is that of its event. */
  | { readonly kind: 'comparison'; readonly id: number; readonly call: string | null }
  /** A launch; `id` is that of its event. */
  | { readonly kind: 'launch'; readonly id: number; readonly kernel: string }
  /** A sweep of a function with many arguments. */
  | { readonly kind: 'sweep'; readonly name: string }
  /** An operation of a kernel: a load, a store. */
  | { readonly kind: 'operation'; readonly kernel: string; readonly operation: string };

/** A value that a counterexample names, as text: `pid_0 = 7`, `first element = [0, 3]`. */
export interface Witness {
  readonly name: string;
  readonly value: string;
}

export interface Finding {
  readonly verdict: Verdict;
  readonly subject: Subject;
  /** One sentence, in the words of the check. */
  readonly message: string;
  /** Line of the program that the finding is about; null where there is none. */
  readonly location: Location | null;
  /** Absent where the finding does not hold. */
  readonly scope?: Scope;
  /** For a finding that fails. */
  readonly witnesses?: readonly Witness[];
  /** A counterexample's launch, by the id of its event, and its program. */
  readonly at?: { readonly launch: number; readonly program: readonly [number, number, number] };
  /** More sentences: reasons, what else was tried. */
  readonly notes?: readonly string[];
}

/** A check by its name in the report; the title is for people. */
export interface ProofSection {
  readonly check: 'algebra' | 'bounds' | 'races' | 'undefined' | 'rounding' | 'sweep';
  readonly title: string;
  readonly findings: readonly Finding[];
  readonly milliseconds: number;
}

export interface ProofReport {
  /** Raised when a field changes its meaning or goes. */
  readonly version: 1;
  readonly file: string;
  /** Null where the program did not start. */
  readonly adapter: AdapterInfo | null;
  readonly sections: readonly ProofSection[];
  /** Places that no launch exercised: nothing above tests them. They are no failures. */
  readonly unexercised: readonly Unexercised[];
  /** Errors that ended the program before the checks could end. */
  readonly errors: readonly Diagnostic[];
}

/** A place of a kernel that every launch of the run left untested. */
export interface Unexercised {
  /**
   * `mask`: of a load or store, true in every lane of every launch. `loop`: too few iterations to
   * show what it carries. `access`: no program came to it.
   */
  readonly kind: 'mask' | 'loop' | 'access';
  readonly kernel: string;
  /** `load of x_ptr`, `loop`. */
  readonly operation: string;
  /** One sentence. */
  readonly message: string;
  readonly location: Location;
}

/** How often each verdict was given. */
export function countVerdicts(
  sections: readonly ProofSection[],
): Readonly<Record<Verdict, number>> {
  const counts = { holds: 0, fails: 0, inapplicable: 0 };
  for (const { findings } of sections) for (const { verdict } of findings) counts[verdict]++;
  return counts;
}

/**
 * The exit code: 1 where a finding fails or the program ended with an error, 2 where nothing was
 * decided, else 0.
 */
export function exitCode({ sections, errors }: ProofReport): 0 | 1 | 2 {
  const { holds, fails } = countVerdicts(sections);
  if (fails > 0 || errors.length > 0) return 1;
  return holds > 0 ? 0 : 2;
}

const MARKS: Readonly<Record<Verdict, string>> = {
  holds: 'holds',
  fails: 'FAILS',
  inapplicable: 'does not apply',
};

/** The report for a terminal, a line for each finding and its notes indented below it. */
export function reportText(report: ProofReport): string {
  const lines: string[] = [];
  for (const { title, findings, milliseconds } of report.sections) {
    lines.push(`${title} (${(milliseconds / 1000).toFixed(1)} s)`);
    if (findings.length === 0) lines.push('  nothing to check');
    for (const finding of findings) lines.push(...findingLines(finding));
  }
  if (report.unexercised.length > 0) lines.push(UNEXERCISED);
  for (const { kernel, operation, message, location } of report.unexercised)
    lines.push(`  note: ${placeText(location)}${operation} of ${kernel}: ${message}`);
  if (report.unexercised.length > 0) lines.push(`  ${REMEDY}`);
  for (const { message, location } of report.errors)
    lines.push(`error: ${message} (${location.file}:${location.line})`);
  const { holds, fails, inapplicable } = countVerdicts(report.sections);
  lines.push(`${holds} hold, ${fails} fail, ${inapplicable} undecided`);
  return `${lines.join('\n')}\n`;
}

/** Title and remedy of what no launch exercised. */
export const UNEXERCISED = 'Not exercised by any launch of this run';
export const REMEDY =
  'A sweep runs them: hippocamp_testing.sweep, over sizes that are no multiples of a block.';

const placeText = ({ file, line }: Location): string => `${file}:${line}: `;

function findingLines(finding: Finding): string[] {
  const { verdict, location, message, scope, witnesses = [], notes = [] } = finding;
  const place = location ? placeText(location) : '';
  const extent = scope ? ` [${scopeText(scope)}]` : '';
  return [
    `  ${MARKS[verdict]}: ${place}${subjectText(finding.subject)}: ${message}${extent}`,
    ...witnesses.map(({ name, value }) => `      ${name} = ${value}`),
    ...notes.map((note) => `      ${note}`),
  ];
}

export function subjectText(subject: Subject): string {
  switch (subject.kind) {
    case 'comparison':
      return subject.call ?? `comparison ${subject.id}`;
    case 'launch':
      return `${subject.kernel}, launch ${subject.id}`;
    case 'sweep':
      return `sweep of ${subject.name}`;
    case 'operation':
      return `${subject.operation} of ${subject.kernel}`;
    default:
      return unreachable(subject);
  }
}

export function scopeText(scope: Scope): string {
  switch (scope.kind) {
    case 'always':
      return 'proved for every program and every n';
    case 'launch':
      return 'proved for this launch';
    case 'sample':
      return `checked for ${scope.checked} of ${scope.programs} programs`;
    case 'run':
      return 'for the values of this run';
    default:
      return unreachable(scope);
  }
}

function unreachable(never: never): never {
  throw new Error(`unknown case ${JSON.stringify(never)}`);
}
