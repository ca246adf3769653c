/** Reports on launches that the GPU has finished. */
import { expect, it } from 'vitest';
import { REPORT_WORDS, REPORT_WRITES } from '../../../compiler/boundsReport';
import type { CompiledKernel } from '../../../compiler/program';
import type { Timing } from '../../events';
import type { LaunchOutcome } from './batch';
import type { EngineLaunch } from '../engine';
import type { GpuFaults } from './gpuFaults';
import { LaunchOutcomes } from './launchOutcomes';
import { ADD_REQUEST, AT, addKernel } from '../testing';

type Outcome = LaunchOutcome<EngineLaunch>;

function reported(quantum: number | null) {
  const lines: string[] = [];
  const times: Timing[] = [];
  const outcomes = new LaunchOutcomes(
    {
      onTime: ({ id }, timing) => {
        lines.push(`time of ${id}`);
        times.push(timing);
      },
      onPrint: ({ id }) => lines.push(`prints of ${id}`),
      onDiagnostic: ({ code }, { id }) => lines.push(`${code} of ${id}`),
      onPass: ({ id }, together, begin, end) =>
        lines.push(`pass of ${id} × ${together}: ${begin} … ${end}`),
    },
    quantum,
    { keep: () => lines.push('fault') } as unknown as GpuFaults,
  );
  return { lines, times, outcomes };
}

function launchOf(id: number, kind: 'store' | 'wait' = 'store'): EngineLaunch {
  const access = { location: AT, kind, argument: [2], others: [], elementBytes: 4, counted: true };
  const kernel: CompiledKernel = {
    ...addKernel(ADD_REQUEST),
    boundsReport: { accesses: [access] },
  };
  const unit = {
    key: 'k',
    name: 'add',
    kernel,
    func: null,
    addresses: 'none',
    cost: null,
  } as const;
  const site = { file: 'a.py', line: 1 };
  return { id, unit, leaves: [], groups: [], arena: null, grid: [1, 1, 1], site, labels: [] };
}

const outcomeOf = (launch: EngineLaunch, rest: Partial<Outcome> = {}): Outcome => ({
  launch,
  report: null,
  debug: null,
  nanoseconds: 2000,
  together: 1,
  pass: null,
  ...rest,
});
/** One access out of range, a write. */
function report(): Uint32Array {
  const words = new Uint32Array(REPORT_WORDS);
  words[REPORT_WRITES] = 1;
  // Its slot: access 0, program 0, element 0.
  words.set([1, 0xffffffff, 0xffffffff], 4);
  return words;
}

it('reports the pass, what went wrong and the time of each launch, in order', () => {
  const { lines, times, outcomes } = reported(100);
  outcomes.report(
    [
      outcomeOf(launchOf(1), { pass: [10, 4010], together: 2 }),
      outcomeOf(launchOf(2), { report: report(), together: 2 }),
    ],
    0,
    5,
  );
  expect(lines).toEqual(['pass of 1 × 2: 10 … 4010', 'time of 1', 'HC8001 of 2', 'time of 2']);
  expect(times[0]).toMatchObject({ clock: 'gpu', median: 2, together: 2 });
});

it("reports no time where the GPU's clock gave none", () => {
  const { lines, outcomes } = reported(100);
  outcomes.report([outcomeOf(launchOf(1), { nanoseconds: null })], 0, 5);
  expect(lines).toEqual([]);
});

it("counts by the CPU's clock from when the launch could begin", () => {
  const { times, outcomes } = reported(null);
  const none = { nanoseconds: null };
  outcomes.report([outcomeOf(launchOf(1), none)], 10, 14);
  // Submitted before the one before it was done.
  outcomes.report([outcomeOf(launchOf(2), none)], 11, 15);
  outcomes.report([outcomeOf(launchOf(3), none)], 20, 22);
  expect(times.map(({ median }) => median)).toEqual([4000, 1000, 2000]);
  expect(times.every(({ clock }) => clock === 'cpu')).toBe(true);
});

it('keeps a wait without end for who may try again, once', () => {
  const { lines, outcomes } = reported(100);
  const launch = launchOf(1, 'wait');
  outcomes.report([outcomeOf(launch, { report: report() })], 0, 5);
  expect(lines).toEqual(['time of 1']);
  expect(outcomes.takeEndless(launchOf(1, 'wait'))).toBeUndefined();
  expect(outcomes.takeEndless(launch)?.diagnostics[0]?.code).toBe('HC8014');
  expect(outcomes.takeEndless(launch)).toBeUndefined();
});
