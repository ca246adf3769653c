/**
 * Outputs of the commands with `--json`, one schema each. The JSON Schema files of the package are
 * made from these (`./files.ts`), and `diff` reads runs with them.
 */
import { z } from 'zod';
import type { Profile } from '../../profile/profile';
import type { BenchReport } from '../../profile/benchReport';
import type { RunDifference } from '../../profile/difference';
import type { JudgeReport } from '../../judge/report';
import type { ProofReport } from '../../prove/report';
import type { RunOutput } from '../run';
import {
  adapter,
  clock,
  diagnostic,
  grid,
  integer,
  location,
  operations,
  resources,
  scheduleDecision,
  type Same,
} from './common';
import { programEvent } from './events';

const version = z.literal(1);
export const outcome = z.enum(['ok', 'error', 'stopped']);

export const runOutput = z
  .object({
    version,
    adapter: adapter.nullable(),
    events: z.array(programEvent),
    outcome,
    passed: z.boolean().optional(),
  })
  .meta({ title: 'hippocamp run --json', description: 'A run, as the events of the program.' });
true satisfies Same<typeof runOutput, RunOutput>;

const verdict = z.enum(['holds', 'fails', 'inapplicable']);
export const proofReport = z
  .object({
    version,
    file: z.string(),
    adapter: adapter.nullable(),
    sections: z.array(
      z.object({
        check: z.enum(['algebra', 'bounds', 'races', 'undefined', 'rounding', 'sweep']),
        title: z.string(),
        findings: z.array(
          z.object({
            verdict,
            subject: z.discriminatedUnion('kind', [
              z.object({
                kind: z.literal('comparison'),
                id: integer,
                call: z.string().nullable(),
              }),
              z.object({ kind: z.literal('launch'), id: integer, kernel: z.string() }),
              z.object({ kind: z.literal('sweep'), name: z.string() }),
              z.object({
                kind: z.literal('operation'),
                kernel: z.string(),
                operation: z.string(),
              }),
            ]),
            message: z.string(),
            location: location.nullable(),
            scope: z
              .discriminatedUnion('kind', [
                z.object({ kind: z.literal('always') }),
                z.object({ kind: z.literal('launch') }),
                z.object({ kind: z.literal('sample'), checked: integer, programs: integer }),
                z.object({ kind: z.literal('run') }),
              ])
              .optional(),
            witnesses: z.array(z.object({ name: z.string(), value: z.string() })).optional(),
            at: z.object({ launch: integer, program: grid }).optional(),
            notes: z.array(z.string()).optional(),
          }),
        ),
        milliseconds: z.number(),
      }),
    ),
    unexercised: z.array(
      z.object({
        kind: z.enum(['mask', 'loop', 'access']),
        kernel: z.string(),
        operation: z.string(),
        message: z.string(),
        location,
      }),
    ),
    errors: z.array(diagnostic),
  })
  .meta({ title: 'hippocamp prove --json', description: 'What each check of a program found.' });
true satisfies Same<typeof proofReport, ProofReport>;

export const judgeReport = z
  .object({
    version,
    file: z.string(),
    against: z.string(),
    adapter: adapter.nullable(),
    seed: integer,
    outcome: z.enum(['accepted', 'refused', 'undecided']),
    checks: z.array(
      z.object({ name: z.string(), passed: z.boolean(), message: z.string().nullable() }),
    ),
    notReached: z.array(z.string()),
    times: z.array(
      z.object({
        name: z.string(),
        clock,
        milliseconds: z.number(),
        least: z.number(),
        samples: integer,
        bytes: z.number(),
        floor: z.number().nullable(),
        refused: z.string().nullable(),
      }),
    ),
    diagnostics: z.array(diagnostic),
    result: z.string().nullable(),
  })
  .meta({ title: 'hippocamp check --json', description: 'A program judged by hidden checks.' });
true satisfies Same<typeof judgeReport, JudgeReport>;

const compiledKernel = z.object({
  name: z.string(),
  /** False: its diagnostics state why. */
  ok: z.boolean(),
  /** Null where it did not compile. */
  wgsl: z.string().nullable(),
  workgroupSize: integer.nullable(),
  /** WebGPU features that the device must have. */
  features: z.array(z.string()),
  resources: resources.nullable(),
  /** Decisions of the compiler, each with its reason and the next best (docs/schedule.md). */
  schedule: z.array(scheduleDecision),
  /** The passes that ran, in order. `ir` is '' where it was not asked for, or did not change. */
  passes: z.array(
    z.object({
      index: integer,
      name: z.string(),
      phase: z.enum(['lower', 'optimize', 'distribute', 'threads', 'emit']),
      changed: z.boolean(),
      milliseconds: z.number(),
      ir: z.string(),
    }),
  ),
  diagnostics: z.array(diagnostic),
});
export const compileOutput = z
  .object({
    version,
    target: z.string(),
    /** Mistakes in the text. */
    diagnostics: z.array(diagnostic),
    kernels: z.array(compiledKernel),
    /** Kernels whose constexpr arguments cannot be guessed from the text. */
    unguessed: z.array(z.string()),
    /** Why nothing was compiled, where that is no diagnostic. */
    message: z.string().nullable(),
  })
  .meta({ title: 'hippocamp compile --json', description: 'Kernels compiled without a run.' });
export type CompileJson = Readonly<z.infer<typeof compileOutput>>;

const end = z.object({ adapter: z.string().nullable(), milliseconds: z.number().nullable() });
const side = z
  .object({
    launches: integer,
    time: z.number().nullable(),
    total: z.number().nullable(),
    timed: integer,
    clock: clock.nullable(),
    grids: z.array(z.array(integer)),
  })
  .nullable();
const kernelDifference = z.object({
  kernel: z.string(),
  benchmark: z.boolean(),
  before: side,
  after: side,
  ratio: z.number().nullable(),
  reason: z.string().nullable(),
});
export const runDifference = z
  .object({ version, before: end, after: end, kernels: z.array(kernelDifference) })
  .meta({
    title: 'hippocamp diff --json',
    description: 'Microseconds of a launch of each kernel in two runs.',
  });
true satisfies Same<typeof runDifference, RunDifference>;

const benchRow = z.object({
  line: z.string(),
  x: z.union([z.number(), z.string()]),
  value: z.number().nullable(),
  repeats: z.array(z.number()),
  noise: z.number().nullable(),
  clock: z.enum(['gpu', 'cpu', 'mixed']),
  against: z
    .object({
      value: z.number().nullable(),
      ratio: z.number().nullable(),
      noise: z.number().nullable(),
      changed: z.boolean().nullable(),
      reason: z.string().nullable(),
    })
    .optional(),
});
export const benchOutput = z
  .object({
    version,
    file: z.string(),
    adapter: adapter.nullable(),
    repeats: integer,
    tables: z.array(
      z.object({
        kind: z.enum(['chart', 'do_bench', 'launches']),
        name: z.string(),
        xName: z.string(),
        yLabel: z.string(),
        rows: z.array(benchRow),
        notes: z.array(z.string()),
      }),
    ),
    against: z.object({ file: z.string(), adapter: adapter.nullable() }).nullable(),
    outcome,
    passed: z.boolean(),
    errors: z.array(diagnostic),
  })
  .meta({
    title: 'hippocamp bench --json',
    description: 'Tables of a program’s benchmarks, with the noise of repeats.',
  });
true satisfies Same<typeof benchOutput, BenchReport>;

export const profile = z.object({
  adapter: adapter.nullable(),
  milliseconds: z.number().nullable(),
  kernels: z.array(
    z.object({
      kernel: z.string(),
      grid: z.array(integer),
      file: z.string(),
      line: integer,
      benchmark: z.boolean(),
      launches: integer,
      timed: integer,
      clock: clock.nullable(),
      median: z.number().nullable(),
      low: z.number().nullable(),
      high: z.number().nullable(),
      total: z.number().nullable(),
      quantum: z.number().nullable(),
      bytes: z.number().nullable(),
      operations: operations.nullable(),
      resources: resources.nullable(),
    }),
  ),
});
true satisfies Same<typeof profile, Profile>;
