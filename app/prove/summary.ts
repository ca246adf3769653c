/** A report by kernel: what holds of all of its accesses and races, in one answer. */
import { scopeText, type Finding, type ProofReport, type ProofSection, type Scope } from './report';

export interface KernelSummary {
  readonly kernel: string;
  readonly verdict: Finding['verdict'];
  /** The answer that holds for all of its findings. */
  readonly text: string;
  readonly bounds: readonly Finding[];
  readonly races: readonly Finding[];
  /** On undefined values. */
  readonly undefined: readonly Finding[];
}

/** From the strongest; a finding that fails or is undecided is weaker than all. */
const SCOPES: readonly Scope['kind'][] = ['always', 'launch', 'sample', 'run'];

/** The kernels of a report, in the order of its findings. */
export function byKernel({ sections }: ProofReport): KernelSummary[] {
  const found = new Map<
    string,
    Record<Exclude<ProofSection['check'], 'algebra' | 'rounding' | 'sweep'>, Finding[]>
  >();
  for (const { check, findings } of sections) {
    if (check === 'algebra' || check === 'rounding' || check === 'sweep') continue;
    for (const finding of findings) {
      const { subject } = finding;
      if (subject.kind === 'comparison' || subject.kind === 'sweep') continue;
      const lists = found.get(subject.kernel) ?? { bounds: [], races: [], undefined: [] };
      found.set(subject.kernel, lists);
      lists[check].push(finding);
    }
  }
  return [...found].map(([kernel, lists]) => ({
    kernel,
    ...answerOf([...lists.bounds, ...lists.races], lists.undefined),
    ...lists,
  }));
}

/** @param beside findings that count where they fail or are open, and whose scope does not. */
function answerOf(
  proved: readonly Finding[],
  beside: readonly Finding[],
): Pick<KernelSummary, 'verdict' | 'text'> {
  const findings = [...proved, ...beside];
  const failing = findings.filter(({ verdict }) => verdict === 'fails');
  if (failing.length > 0)
    return { verdict: 'fails', text: failing.length === 1 ? 'counterexample' : 'counterexamples' };
  const open = findings.filter(({ verdict }) => verdict === 'inapplicable');
  if (open.length > 0)
    return { verdict: 'inapplicable', text: `${open.length} of ${findings.length} undecided` };
  const scopes = proved.flatMap(({ scope }) => scope ?? []);
  const weakest = scopes.reduce<Scope>((a, b) => (isWeaker(b, a) ? b : a), { kind: 'always' });
  return { verdict: 'holds', text: scopeText(weakest) };
}

function isWeaker(a: Scope, b: Scope): boolean {
  if (a.kind === 'sample' && b.kind === 'sample')
    return a.checked * b.programs < b.checked * a.programs;
  return SCOPES.indexOf(a.kind) > SCOPES.indexOf(b.kind);
}
