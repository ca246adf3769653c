/**
 * The sections on bounds, races and undefined values: what `compiler/proof` decides of each launch
 * of a run, one finding for each access and each pair of accesses of a kernel, over all of its
 * launches.
 */
import type { LaunchInputs } from '../../compiler/inspect/launch';
import type { Location } from '../../compiler/ir/location';
import { formatLocation } from '../../compiler/ir/location';
import type { Compiler } from '../../compiler/pipeline';
import { proveLaunch, type Answer, type LaunchProof, type Place } from '../../compiler/proof/index';
import type { Finding, ProofSection, Scope, Witness } from './report';

/** Launches that are analysed; a program that tunes makes many. */
const MOST_LAUNCHES = 60;
/** Launches that differ from others in the contents of tensors alone, beyond these. */
const MOST_WITH_OTHER_DATA = 20;

/** An access or a pair, with the answer of one launch. */
interface Item {
  readonly proof: LaunchProof;
  readonly operation: string;
  readonly location: Location;
  readonly answer: Answer;
}

/**
 * @param ran how many launches the run had of a compilation, by its key, where that is known
 * @returns the sections on bounds, on races and on undefined values.
 */
export function launchSections(
  launches: readonly LaunchInputs[],
  compiler: Compiler,
  progress: (text: string) => void = () => {},
  ran: ReadonlyMap<string, number> = new Map(),
): ProofSection[] {
  const start = performance.now();
  const groups = grouped(launches);
  const proofs: LaunchProof[] = [];
  const left: Finding[] = [];
  const ofData: LaunchInputs[][] = [];
  const unseen = new Map<string, Finding>();
  left.push(...tooMany(groups.slice(MOST_LAUNCHES)));
  for (const [i, [inputs, ...others]] of groups.slice(0, MOST_LAUNCHES).entries()) {
    progress(
      `proving launch ${i + 1} of ${Math.min(groups.length, MOST_LAUNCHES)}: ${inputs.kernel} …`,
    );
    const proof = proveLaunch(compiler, inputs);
    if (proof) proofs.push(proof);
    else left.push(notAnalysed(inputs));
    if (!proof || !restsOnData(proof)) continue;
    ofData.push(withOtherData(inputs, others));
    const kept = launches.filter(({ key }) => key === inputs.key).length;
    const missing = (ran.get(inputs.key) ?? 0) - kept;
    if (missing > 0) unseen.set(inputs.key, notKept(inputs, missing));
  }
  left.push(...unseen.values());
  let more = MOST_WITH_OTHER_DATA;
  for (const group of ofData) {
    const taken = group.slice(0, more);
    more -= taken.length;
    for (const inputs of taken) {
      progress(`checking launch ${inputs.launch} of ${inputs.kernel} with its data …`);
      const proof = proveLaunch(compiler, inputs);
      if (proof) proofs.push(proof);
    }
    if (group.length > taken.length) left.push(dataNotAnalysed(group.slice(taken.length)));
  }
  const undefineds = proofs.flatMap((proof) =>
    proof.undefined.map(({ source, kind, argument, location, answer }): Item => ({
      proof,
      operation:
        source === 'lanes'
          ? `masked ${kind} of ${argument ?? 'memory'} without other`
          : source === 'shared'
            ? 'unwritten shared memory'
            : `unwritten memory of ${argument ?? 'a tensor'}`,
      location,
      answer,
    })),
  );
  const milliseconds = (performance.now() - start) / 3;
  const bounds = proofs.flatMap((proof) =>
    proof.bounds.map(({ kind, argument, location, answer }): Item => ({
      proof,
      operation: `${kind} of ${argument ?? 'memory'}`,
      location,
      answer,
    })),
  );
  const races = proofs.flatMap((proof) => proof.races.map((race) => raceItem(proof, race)));
  const lanes = proofs.flatMap((proof) =>
    proof.lanes.map((race) => {
      const item = raceItem(proof, race);
      return { ...item, operation: `lanes of one program: ${item.operation}` };
    }),
  );
  const orders = proofs.flatMap((proof) =>
    proof.orders.map(({ kind, argument, location, answer }): Item => ({
      proof,
      operation: `${kind} of ${argument ?? 'memory'}`,
      location,
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
      findings: [
        ...findingsOf(races, 'do not meet in two programs'),
        ...findingsOf(lanes, ''),
        ...findingsOf(orders, 'does not depend on the order of programs'),
        ...left,
      ],
      milliseconds,
    },
    {
      check: 'undefined',
      title: 'Undefined values',
      findings: findingsOf(undefineds, 'is not stored, nor does anything stored depend on it'),
      milliseconds,
    },
  ];
}

const raceItem = (proof: LaunchProof, race: LaunchProof['races'][number]): Item => ({
  proof,
  operation: `${placeText(race.first)} and ${placeText(race.second)} of ${race.argument ?? 'memory'}`,
  location: race.first.location,
  answer: race.answer,
});

const placeText = ({ kind, location }: Place): string => `${kind} (line ${location.line})`;

type Group = readonly [LaunchInputs, ...LaunchInputs[]];

/**
 * Launches by what addresses depend on and what of their tensors was written, but for the contents
 * of tensors and where these lie.
 */
function grouped(launches: readonly LaunchInputs[]): Group[] {
  const found = new Map<string, [LaunchInputs, ...LaunchInputs[]]>();
  for (const inputs of launches) {
    const args = inputs.args.map((arg) => {
      if (arg.kind === 'scalar') return String(arg.value);
      const offset = arg.address - inputs.storages[arg.storage]!.address;
      return [arg.storage, offset, arg.shape, arg.strides];
    });
    const sizes = inputs.storages.map(({ byteLength, contents, unwritten }) => [
      byteLength,
      contents instanceof Uint8Array ? (unwritten ? 'partly written' : 'written') : contents,
    ]);
    const key = JSON.stringify([inputs.key, inputs.grid, args, sizes]);
    const group = found.get(key);
    if (group) group.push(inputs);
    else found.set(key, [inputs]);
  }
  return [...found.values()];
}

/** Whether other contents of the tensors may give other answers. */
function restsOnData({ bounds, races }: LaunchProof): boolean {
  return [...bounds, ...races].some(
    ({ answer: { kind } }) => kind === 'checked' || kind === 'undecided',
  );
}

/** Those of the others whose tensors have contents that no launch before them had. */
function withOtherData(first: LaunchInputs, others: readonly LaunchInputs[]): LaunchInputs[] {
  const found = [first];
  for (const inputs of others)
    if (!found.some((known) => haveSameData(known, inputs))) found.push(inputs);
  return found.slice(1);
}
function haveSameData(a: LaunchInputs, b: LaunchInputs): boolean {
  return a.storages.every(({ contents }, i) => isSame(contents, b.storages[i]!.contents));
}
type Contents = LaunchInputs['storages'][number]['contents'];
function isSame(a: Contents, b: Contents): boolean {
  if (a instanceof Uint8Array && b instanceof Uint8Array)
    return a.length === b.length && a.every((byte, i) => byte === b[i]);
  if (a instanceof Uint8Array || b instanceof Uint8Array) return false;
  return JSON.stringify(a) === JSON.stringify(b);
}

function notKept(inputs: LaunchInputs, count: number): Finding {
  const launches = count === 1 ? '1 more launch' : `${count} more launches`;
  return {
    ...notAnalysed(inputs),
    message: `${launches} with the same tensors not analysed: values in memory may differ`,
  };
}

function dataNotAnalysed(launches: readonly LaunchInputs[]): Finding {
  const finding = notAnalysed(launches[0]!);
  const text = launches.length === 1 ? 'was' : `and ${launches.length - 1} more were`;
  return { ...finding, message: `${text} not analysed: other values in memory` };
}

/** One finding for each kernel: a sweep makes many launches. */
function tooMany(groups: readonly Group[]): Finding[] {
  const counts = new Map<string, [LaunchInputs, number]>();
  for (const [inputs] of groups)
    counts.set(inputs.kernel, [inputs, (counts.get(inputs.kernel)?.[1] ?? 0) + 1]);
  return [...counts.values()].map(([inputs, count]) =>
    count === 1
      ? notAnalysed(inputs)
      : {
          ...notAnalysed(inputs),
          message: `and ${count - 1} more with other tensors were not analysed: ${MOST_LAUNCHES} are`,
        },
  );
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
      const { message, values, programs, notes } = answer;
      const witnesses: Witness[] = values.map(({ name, value }) => ({ name, value }));
      const at = programs[0] && { launch: proof.launch, program: programs[0] };
      const more = { ...(at ? { at } : {}), ...(notes ? { notes } : {}) };
      return { ...common, verdict: 'fails', message, witnesses, ...more };
    }
    default:
      return { ...common, verdict: 'inapplicable', message: answer.reason };
  }
}
