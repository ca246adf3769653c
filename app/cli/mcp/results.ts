/** Structured content of the tools; each has a JSON Schema file in the package. */
import { z } from 'zod';
import { adapter, clock, integer, resources, severity } from '../schema/common';
import { outcome, profile, judgeReport, proofReport, runDifference } from '../schema/outputs';
import { LEVELS } from './inputs';

const version = z.literal(1);
/** How many entries of a list were left out. */
const omitted = integer.min(0);

const diagnostic = z.object({
  code: z.string(),
  severity,
  message: z.string(),
  file: z.string(),
  line: integer,
  column: integer,
  notes: z.array(z.string()),
  /** A replacement of the text that the diagnostic is about. */
  fix: z.string().nullable(),
});
export type DiagnosticResult = z.infer<typeof diagnostic>;

const scalar = z.union([z.number(), z.string()]);
const comparison = z.object({
  kind: z.enum(['allclose', 'assert_close', 'equal']),
  passed: z.boolean(),
  file: z.string(),
  line: integer,
  call: z.string().nullable(),
  shape: z.array(integer),
  dtype: z.string(),
  rtol: z.number(),
  atol: z.number(),
  elements: integer,
  mismatches: integer,
  largest_error: scalar.nullable(),
  first: z.object({ index: z.array(integer), actual: scalar, expected: scalar }).nullable(),
  message: z.string().nullable(),
});
const launches = z.object({
  kernel: z.string(),
  grid: z.array(integer),
  file: z.string(),
  line: integer,
  count: integer,
  /** As the first launch had them. */
  arguments: z.array(z.string()),
  clock: clock.nullable(),
  /** Microseconds of a launch. */
  median: z.number().nullable(),
});

export const runResult = z
  .object({
    version,
    outcome,
    /** The program ended by itself and reported no error, and every comparison held. */
    passed: z.boolean(),
    adapter: adapter.nullable(),
    milliseconds: z.number().nullable(),
    stdout: z.string(),
    stderr: z.string(),
    device_print: z.string(),
    diagnostics: z.array(diagnostic),
    comparisons: z.array(comparison),
    launches: z.array(launches),
    /** With `check`: the passes that changed a result. */
    changed_by: z.array(z.object({ kernel: z.string(), pass: z.string(), message: z.string() })),
    omitted: z.object({ diagnostics: omitted, comparisons: omitted, launches: omitted }),
  })
  .meta({ title: 'Result of the tool run' });
export type RunResult = z.infer<typeof runResult>;

export const proveResult = z
  .object({
    version,
    /** 1 where something fails, or the program ended with an error; 2 where nothing was decided. */
    exit_code: z.union([z.literal(0), z.literal(1), z.literal(2)]),
    report: proofReport,
  })
  .meta({ title: 'Result of the tool prove' });

export const checkResult = z
  .object({
    version,
    /** 0 accepted, 1 refused, 2 undecided. */
    exit_code: z.union([z.literal(0), z.literal(1), z.literal(2)]),
    report: judgeReport,
  })
  .meta({ title: 'Result of the tool check' });

export const compileResult = z
  .object({
    version,
    target: z.string(),
    level: z.enum([...LEVELS, 'pass']),
    diagnostics: z.array(diagnostic),
    kernels: z.array(
      z.object({
        name: z.string(),
        ok: z.boolean(),
        /** The pass after which `text` is; null for WGSL, or where it did not come so far. */
        pass: z.string().nullable(),
        text: z.string(),
        workgroup_size: integer.nullable(),
        features: z.array(z.string()),
        resources: resources.nullable(),
        /** Names of the passes that changed the IR, in order. */
        passes: z.array(z.string()),
        diagnostics: z.array(diagnostic),
      }),
    ),
    unguessed: z.array(z.string()),
    message: z.string().nullable(),
  })
  .meta({ title: 'Result of the tool compile' });

export const profileResult = z
  .object({
    version,
    outcome,
    profile,
    /** Chrome's trace, or Proton's tree, where `format` names it. */
    file: z.unknown(),
    diagnostics: z.array(diagnostic),
  })
  .meta({ title: 'Result of the tool profile' });

const ofRun = z.object({
  outcome,
  passed: z.boolean(),
  failed_comparisons: integer,
  diagnostics: z.array(diagnostic),
});
export const compareResult = z
  .object({
    version,
    before: ofRun,
    after: ofRun,
    times: runDifference,
    /** Tensors of the same name, where both programs left one. */
    tensors: z.array(
      z.object({
        name: z.string(),
        shape: z.array(integer),
        dtype: z.string(),
        /** Elements that were compared: of a large tensor a regular sample. */
        compared: integer,
        elements: integer,
        /** Smaller differences count as rounding. */
        tolerance: z.number(),
        differing: integer,
        largest_difference: z.number().nullable(),
        first: z.object({ index: z.array(integer), before: scalar, after: scalar }).nullable(),
        /** Why nothing was compared. */
        message: z.string().nullable(),
      }),
    ),
    only_before: z.array(z.string()),
    only_after: z.array(z.string()),
  })
  .meta({ title: 'Result of the tool compare' });
export type CompareResult = z.infer<typeof compareResult>;

export const explainResult = z
  .object({ version, code: z.string(), title: z.string(), text: z.string() })
  .meta({ title: 'Result of the tool explain' });

const example = z.object({
  name: z.string(),
  kind: z.enum(['gallery', 'lesson']),
  title: z.string(),
  summary: z.string(),
});
export const listResult = z
  .object({ version, examples: z.array(example) })
  .meta({ title: 'Result of the tool list_examples' });
export const readResult = z
  .object({
    version,
    ...example.shape,
    /** The program; of a lesson the text that it starts from. */
    source: z.string(),
    /** The lesson's text, in Markdown. */
    lesson: z.string().nullable(),
  })
  .meta({ title: 'Result of the tool read_example' });
