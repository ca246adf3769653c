/**
 * Answers of the Check and Prove panels that arrive late: after another program was opened, after
 * Stop, or while the next check or proof is made. None is shown for what it is not of.
 */
import { beforeEach, expect, it, vi } from 'vitest';
import type { ProgramEvent } from '../events';
import type { ProofRuns } from '../prove/proof';
import type { ProofReport } from '../prove/report';
import type { ProgramMessage } from '../workers/protocol';
import type { Plan } from './session';
import { show } from './document';

/** A promise that a test resolves. */
class Gate {
  open: () => void = () => {};
  readonly opened = new Promise<void>((resolve) => (this.open = resolve));
}

const late = vi.hoisted(() => ({
  harness: null as unknown as { open(): void; readonly opened: Promise<void> },
  extras: null as Promise<void> | null,
  proof: null as unknown as { open(): void; readonly opened: Promise<void> },
  plans: [] as unknown[],
  hosts: [] as { hear: (message: unknown) => void; runs: string[] }[],
  heard: [] as unknown[],
  proofs: [] as { file: string; resolve: (made: unknown) => void }[],
}));

vi.mock('../judge/texts', async () => {
  await late.harness.opened;
  return { HARNESS: {} };
});
vi.mock('./session', () => ({
  runPlan: (plan: unknown) => late.plans.push(plan),
  addToCheck: (event: unknown) => late.heard.push(event),
}));
vi.mock('./view', () => ({ choosePanel: () => {} }));
vi.mock('./settings', () => ({
  runOptions: () => ({}),
  effectiveSettings: () => ({ adapter: 'interpreter' }),
}));
vi.mock('./runExtras', () => ({
  extrasOf: () => (late.extras ?? Promise.resolve()).then(() => ({})),
}));
vi.mock('../judge/files', async (original) => ({
  ...(await original<object>()),
  harnessProgram: () => ({ files: {}, entry: 'harness.py' }),
  solutionProgram: () => ({ files: {}, entry: 'solution.py' }),
}));
vi.mock('../workers/programHost', () => ({
  ProgramHost: {
    ofFewRuns: (hear: (message: unknown) => void) => {
      const made = { hear, runs: [] as string[] };
      late.hosts.push(made);
      const run = (_: unknown, entry: string): number => made.runs.push(entry);
      return { run, end: () => {} };
    },
  },
}));
vi.mock('../prove/proof', async () => {
  await late.proof.opened;
  return {
    runForProof: (file: string) => new Promise((resolve) => late.proofs.push({ file, resolve })),
  };
});

const open = (id: string): void =>
  show(
    {
      ...{ id, name: id, entry: `${id}.py`, origin: { kind: 'own' } },
      files: { [`${id}.py`]: '', 'reference.py': `NAME = "${id}"` },
    },
    null,
  );
/** Imports and promises that are open. */
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 50));
/** Milliseconds that a busy machine gets to import a module. */
const PATIENCE = 20_000;
late.harness = new Gate();
late.proof = new Gate();

beforeEach(() => {
  late.plans.length = 0;
  late.heard.length = 0;
  late.extras = null;
  open('a');
});

it('checks no program against the problem of the one that was in view', async () => {
  const { checkInView, checkResultInView } = await import('./checkable');
  const { problemDigest, resultText } = await import('../judge/result');
  const text = resultText({
    ...{ problem: await problemDigest({ reference: 'NAME = "a"', checks: null }), seed: 3 },
    ...{ files: { 'a.py': '' }, entry: 'a.py', adapter: 'x', outcome: 'accepted', checks: [] },
  } as never);
  checkInView();
  const again = checkResultInView(text);
  await settled();
  open('b');
  late.harness.open();
  expect(await again).toBeNull();
  await settled();
  expect(late.plans).toHaveLength(0);
  // With nothing opened meanwhile both begin.
  open('a');
  checkInView();
  expect(await checkResultInView(text)).toBeNull();
  await vi.waitFor(() => expect(late.plans).toHaveLength(2), PATIENCE);
});

const verdict = (name: string): ProgramEvent => ({
  ...{ type: 'verdict', index: 0, total: 1, name, passed: true, message: null },
});
const event = (run: number, event: ProgramEvent): ProgramMessage => ({ type: 'event', run, event });
const names = (): string[] => late.heard.map((each) => (each as { name: string }).name);

it('hears of each harness in its own check, and starts none of a check that was stopped', async () => {
  const { check } = await import('./checking');
  const problem = { reference: '', checks: null };
  const begin = (): void => {
    check({} as never, problem);
    (late.plans.at(-1) as Plan).files();
  };
  begin();
  await settled();
  const host = late.hosts.at(-1)!;
  expect(host.runs).toHaveLength(1);
  host.hear(event(1, verdict('of the first')));
  // The first check is stopped; its harness still works when the second begins.
  const gate = new Gate();
  late.extras = gate.opened;
  begin();
  host.hear(event(1, verdict('late, before the second runs')));
  // The third begins before the second's packages were read.
  begin();
  gate.open();
  await settled();
  expect(host.runs).toHaveLength(2);
  host.hear(event(1, verdict('late')));
  host.hear(event(2, verdict('of the third')));
  expect(names()).toEqual(['of the first', 'of the third']);
});

const REPORT: ProofReport = {
  version: 1,
  file: 'a.py',
  adapter: null,
  sections: [],
  unexercised: [],
  errors: [],
};

it('leaves a proof that was stopped while its code came, and shows a report with its program', async () => {
  const { prove, stopProof, useProof, useProving } = await import('./proof');
  prove();
  stopProof();
  expect(useProving.getState().proving).toBeNull();
  expect(useProof.getState().failure).toBe('The proof was stopped.');
  late.proof.open();
  await import('../prove/proof');
  await settled();
  expect(late.proofs).toEqual([]);
  expect(useProving.getState().proving).toBeNull();
  open('b');
  prove();
  await vi.waitFor(() => expect(late.proofs).toHaveLength(1), PATIENCE);
  expect(useProving.getState().proving?.program).toBe('b');
  stopProof();
  open('a');
  prove();
  await vi.waitFor(() => expect(late.proofs).toHaveLength(2), PATIENCE);
  // The stopped proof's runs end now, while another is made.
  late.proofs[0]!.resolve({ ...REPORT, file: 'b.py' } satisfies ProofReport | ProofRuns);
  await settled();
  expect(useProving.getState().proving?.program).toBe('a');
  expect(useProof.getState().report).toBeNull();
  open('c');
  late.proofs[1]!.resolve(REPORT);
  await settled();
  expect(useProving.getState().proving).toBeNull();
  expect(useProof.getState().report).toBeNull();
  open('a');
  expect(useProof.getState().report).toEqual(REPORT);
});
