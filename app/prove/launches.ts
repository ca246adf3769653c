/**
 * The sections on bounds and races: what `compiler/proof` decides of each launch of a run, one
 * finding for each access and each pair of accesses of a kernel, over all of its launches.
 */
import type { LaunchInputs } from '../../compiler/inspect/launch';
import type { Location } from '../../compiler/ir/location';
import { formatLocation } from '../../compiler/ir/location';
import type { Compiler } from '../../compiler/pipeline';
import { proveLaunch, type Answer, type LaunchProof, type Place } from '../../compiler/proof/index';
import type { Finding, ProofSection, Scope, Witness } from './report';

/** Launches that are analysed; a program that tunes makes many. */
const MOST_LAUNCHES = 60;

/** An access or a pair, with the answer of one launch. */
interface Item {
  readonly proof: LaunchProof;
  readonly operation: string;
  readonly location: Location;
  readonly answer: Answer;
}

/** @returns the section on bounds, and that on races. */
export function launchSections(
  launches: readonly LaunchInputs[],
  compiler: Compiler,
  progress: (text: string) => void = () => {},
): ProofSection[] {
  const start = performance.now();
  const different = distinct(launches);
  const proofs: LaunchProof[] = [];
  const failed: LaunchInputs[] = [];
  for (const [i, inputs] of different.slice(0, MOST_LAUNCHES).entries()) {
    progress(`proving launch ${i + 1} of ${different.length}: ${inputs.kernel} …`);
    const proof = proveLaunch(compiler, inputs);
    if (proof) proofs.push(proof);
    else failed.push(inputs);
  }
  const milliseconds = (performance.now() - start) / 2;
  const left = [...failed, ...different.slice(MOST_LAUNCHES)].map(notAnalysed);
  const bounds = proofs.flatMap((proof) =>
    proof.bounds.map(({ kind, argument, location, answer }): Item => ({
      proof,
      operation: `${kind} of ${argument ?? 'memory'}`,
      location,
      answer,
    })),
  );
  const races = proofs.flatMap((proof) =>
    proof.races.map(({ first, second, argument, answer }): Item => ({
      proof,
      operation: `${placeText(first)} and ${placeText(second)} of ${argument ?? 'memory'}`,
      location: first.location,
      answer,
    })),
  );
  return [
    {
      check: 'bounds',
      title: 'Accesses within bounds',
      findings: [...findingsOf(bounds, 'stays inside of its tensor'), ...left],
      milliseconds,
    },
    {
      check: 'races',
      title: 'Races between programs',
      findings: [...findingsOf(races, 'do not meet in two programs'), ...left],
      milliseconds,
    },
  ];
}

const placeText = ({ kind, location }: Place): string => `${kind} (line ${location.line})`;

/** The first of launches that differ in nothing that addresses depend on. */
function distinct(launches: readonly LaunchInputs[]): LaunchInputs[] {
  const found = new Map<string, LaunchInputs>();
  for (const inputs of launches) {
    const args = inputs.args.map((arg) =>
      arg.kind === 'scalar' ? String(arg.value) : [arg.storage, arg.shape, arg.strides],
    );
    const sizes = inputs.storages.map(({ byteLength }) => byteLength);
    const key = JSON.stringify([inputs.key, inputs.grid, args, sizes]);
    if (!found.has(key)) found.set(key, inputs);
  }
  return [...found.values()];
}

function notAnalysed({ launch, kernel }: LaunchInputs): Finding {
  return {
    verdict: 'inapplicable',
    subject: { kind: 'launch', id: launch, kernel },
    message: 'was not analysed',
    location: null,
  };
}

const RANK: Readonly<Record<Answer['kind'], number>> = {
  every: 0,
  launch: 1,
  checked: 2,
  undecided: 3,
  counterexample: 4,
};

/** One finding for each operation of a kernel: the worst of its launches' answers. */
function findingsOf(items: readonly Item[], holds: string): Finding[] {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = `${item.proof.kernel} ${formatLocation(item.location)} ${item.operation}`;
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  const stated = new Set<string>();
  return [...groups.values()].map((group) => {
    const worst = group.reduce((a, b) => (RANK[b.answer.kind] > RANK[a.answer.kind] ? b : a));
    const finding = findingOf(worst, holds);
    const { relations, kernel } = worst.proof;
    const given = `given ${relations.join('; ')}`;
    if (worst.answer.kind !== 'every' || relations.length === 0 || stated.has(kernel + given))
      return finding;
    stated.add(kernel + given);
    return { ...finding, notes: [...(finding.notes ?? []), given] };
  });
}

function findingOf({ proof, operation, location, answer }: Item, holds: string): Finding {
  const subject = { kind: 'operation', kernel: proof.kernel, operation } as const;
  const common = { subject, location };
  switch (answer.kind) {
    case 'every':
      return { ...common, verdict: 'holds', message: holds, scope: { kind: 'always' } };
    case 'launch':
    case 'checked': {
      const scope: Scope =
        answer.kind === 'launch'
          ? { kind: 'launch' }
          : { kind: 'sample', checked: answer.programs, programs: answer.of };
      return { ...common, verdict: 'holds', message: holds, scope, notes: [answer.reason] };
    }
    case 'counterexample': {
      const { message, values } = answer;
      const witnesses: Witness[] = values.map(({ name, value }) => ({ name, value }));
      return { ...common, verdict: 'fails', message, witnesses };
    }
    default:
      return { ...common, verdict: 'inapplicable', message: answer.reason };
  }
}
