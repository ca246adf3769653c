/**
 * The events of a run (`app/events.ts`) as they are in JSON. A number that is NaN or infinite in
 * the program is null there.
 */
import { z } from 'zod';
import type { CompileRequest } from '../../../compiler/program';
import type { ProgramEvent } from '../../events';
import {
  adapter,
  clock,
  diagnostic,
  grid,
  integer,
  location,
  operations,
  resources,
  site,
  type Same,
} from './common';

const scalar = z.union([z.number(), z.string()]);
/** The compiler's input. Its parts are internal: they may change in any version. */
const request = z
  .looseObject({ program: z.looseObject({}), specialization: z.looseObject({}) })
  .meta({ id: 'CompileRequest' }) as unknown as z.ZodType<CompileRequest>;

const preview = z
  .object({
    rows: integer,
    columns: integer,
    rowStep: integer,
    columnStep: integer,
    values: z.array(z.union([z.number(), z.enum(['nan', 'inf', '-inf'])])),
  })
  .meta({ id: 'Preview' });
const tensorPlace = z
  .object({
    storage: integer,
    offset: integer,
    strides: z.array(integer),
    dtype: z.string(),
    data: z.string().nullable(),
  })
  .meta({ id: 'TensorPlace' });
export const timing = z
  .object({
    clock,
    median: z.number(),
    low: z.number(),
    high: z.number(),
    samples: integer,
    quantum: z.number(),
    together: integer.optional(),
  })
  .meta({ id: 'Timing', description: 'Microseconds.' });
const launchCost = z.object({
  readBytes: z.number(),
  writtenBytes: z.number(),
  requestedBytes: z.number(),
  operations,
  uncertain: z.string().nullable(),
  resources: resources.optional(),
});

const started = z.object({ type: z.literal('started'), adapter, time: z.number() });
const print = z.object({
  type: z.literal('print'),
  stream: z.enum(['stdout', 'stderr']),
  text: z.string(),
});
const devicePrint = z.object({
  type: z.literal('device-print'),
  launch: integer,
  kernel: z.string(),
  prints: z.array(
    z.object({
      program: grid,
      location,
      prefix: z.string(),
      operand: integer,
      operands: integer,
      shape: z.array(integer),
      values: z.array(z.string().nullable()),
    }),
  ),
  dropped: integer,
});
const figure = z.object({
  type: z.literal('figure'),
  name: z.string(),
  /** A data address of a PNG or an SVG. */
  image: z.string(),
});
const compile = z.object({
  type: z.literal('compile'),
  key: z.string(),
  request,
  milliseconds: z.number(),
  diagnostics: z.array(diagnostic),
});
const specialization = z.object({ type: z.literal('specialization'), key: z.string(), request });
const launch = z.object({
  type: z.literal('launch'),
  id: integer,
  kernel: z.string(),
  grid,
  key: z.string(),
  site,
  arguments: z.array(z.string()),
  device: z.enum(['webgpu', 'interpreter', 'cuda']),
  benchmark: z.boolean(),
  values: z.array(
    z.union([
      z.null(),
      z.object({ scalar: z.string() }),
      z.object({
        storage: integer,
        byteOffset: integer,
        shape: z.array(integer).optional(),
        strides: z.array(integer).optional(),
      }),
    ]),
  ),
  cost: launchCost.optional(),
});
const launchTime = z.object({
  type: z.literal('launch-time'),
  id: integer,
  timing,
  achieved: z
    .object({
      bytesPerSecond: z.number(),
      operationsPerSecond: z.number(),
      roofline: z.number().nullable(),
      bound: z.enum(['memory', 'arithmetic']),
      limit: z
        .enum(['launch overhead', 'bandwidth', 'arithmetic', 'occupancy', 'latency'])
        .nullable()
        .optional(),
    })
    .optional(),
});
const calibration = z.object({
  type: z.literal('calibration'),
  calibration: z.object({
    adapter: z.string(),
    bytesPerSecond: z.number(),
    f32PerSecond: z.number(),
    f16PerSecond: z.number().nullable(),
    emptyLaunch: z.number().optional(),
    halfRateThreads: z.number().optional(),
    fromCache: z.boolean(),
  }),
});
const autotune = z.object({
  type: z.literal('autotune'),
  id: integer,
  kernel: z.string(),
  key: z.string(),
  site,
  configurations: z.array(
    z.object({
      text: z.string(),
      settings: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
      state: z.enum(['waiting', 'measured', 'dropped', 'failed', 'skipped', 'same']),
      sameAs: integer.optional(),
      specialization: z.string().optional(),
      timing: timing.nullable(),
      reference: z.number().optional(),
      error: z.string().nullable(),
    }),
  ),
  best: integer.nullable(),
  fromCache: z.boolean(),
  seconds: z.number(),
  done: z.boolean(),
  schedule: z.literal(true).optional(),
});
const ring = z.object({
  functions: z.array(z.string()),
  constants: z.array(z.number()),
  narrowest: integer.nullable(),
  digests: z.array(z.string()),
});
const derived = z.object({
  verdict: z.enum(['rounding', 'above', 'unknown']),
  reason: z.string(),
  ulp: z.number().nullable(),
  allowed: z.number().nullable(),
  index: z.array(integer).nullable(),
  times: z.number().nullable(),
  narrow: z.boolean(),
});
const comparison = z.object({
  type: z.literal('comparison'),
  id: integer,
  kind: z.enum(['allclose', 'assert_close', 'equal']),
  passed: z.boolean(),
  site,
  shape: z.array(integer),
  dtype: z.string(),
  rtol: z.number(),
  atol: z.number(),
  count: integer,
  mismatches: integer,
  maxAbsolute: z.union([z.number(), z.enum(['inf', 'nan'])]).nullable(),
  maxRelative: z.number().nullable(),
  nanMismatches: integer,
  toleranceUsed: z.number().nullable(),
  roundingShare: z.number().nullable(),
  first: z.object({ index: z.array(integer), actual: scalar, expected: scalar }).nullable(),
  heatmap: preview.nullable(),
  message: z.string().nullable(),
  equalNan: z.boolean(),
  ring: ring.optional(),
  call: z.object({ function: z.string(), actual: z.string(), expected: z.string() }).nullable(),
  caveat: z.string().nullable().optional(),
  derived: derived.nullable().optional(),
  actual: tensorPlace.nullable(),
  expected: tensorPlace.nullable(),
});
const tensor = z.object({
  type: z.literal('tensor'),
  site: site.nullable(),
  tensor: z.object({
    name: z.string().nullable(),
    also: z.array(z.string()),
    dtype: z.string(),
    shape: z.array(integer),
    device: z.string(),
    place: tensorPlace,
    count: integer,
    nanCount: integer,
    infCount: integer,
    min: z.number().nullable(),
    max: z.number().nullable(),
    mean: z.number().nullable(),
    preview,
  }),
});
const trace = z.object({
  type: z.literal('trace'),
  spans: z.array(
    z.object({
      track: z.enum([
        'compile',
        'pipeline',
        'upload',
        'launch',
        'wait',
        'readback',
        'torch',
        'gpu',
      ]),
      name: z.string(),
      start: z.number(),
      duration: z.number(),
      launch: integer.optional(),
    }),
  ),
  dropped: integer,
});
const verdict = z.object({
  type: z.literal('verdict'),
  name: z.string(),
  index: integer,
  total: integer,
  passed: z.boolean(),
  message: z.string().nullable(),
  unreached: z.array(z.string()).optional(),
});
const sweep = z.object({
  type: z.literal('sweep'),
  name: z.string(),
  site,
  seed: z.number(),
  total: integer,
  passed: integer,
  refused: integer,
  failed: integer,
  left: integer,
  failure: z
    .object({
      case: z.string(),
      message: z.string(),
      line: integer.nullable(),
      file: z.string().nullable(),
      program: z.string().nullable(),
    })
    .nullable(),
});
const measured = z.object({
  type: z.literal('measured'),
  name: z.string(),
  clock,
  milliseconds: z.number(),
  least: z.number(),
  samples: integer,
  bytes: z.number(),
});
const benchmark = z.object({
  type: z.literal('benchmark'),
  name: z.string(),
  xName: z.string(),
  xLabel: z.string(),
  yLabel: z.string(),
  xLog: z.boolean(),
  yLog: z.boolean(),
  lines: z.array(
    z.object({
      name: z.string(),
      color: z.string().nullable(),
      dash: z.string().nullable(),
      clock: z.enum(['gpu', 'cpu', 'mixed']),
      points: z.array(
        z.object({
          x: scalar,
          // A program may compute no number, which JSON has as null.
          y: z.number().nullable() as unknown as z.ZodType<number>,
          low: z.number().nullable(),
          high: z.number().nullable(),
        }),
      ),
    }),
  ),
  done: z.boolean(),
  repeat: integer.optional(),
  notes: z.array(z.string()),
});
const difference = z.object({
  argument: z.string(),
  index: integer,
  before: scalar,
  after: scalar,
});
const check = z.object({
  type: z.literal('check'),
  launch: integer,
  key: z.string(),
  passes: z.array(
    z.object({
      index: integer,
      name: z.string(),
      verdict: z.enum(['same', 'rounding', 'different', 'failed']),
      first: difference.nullable(),
      message: z.string().nullable(),
      programs: integer,
    }),
  ),
  programs: integer,
});
const verification = z.object({
  type: z.literal('verification'),
  launch: integer,
  kernel: z.string(),
  site,
  milliseconds: z.number(),
  report: z.string().nullable(),
  verdict: z.enum(['same', 'rounding', 'different', 'undecided']),
  programs: integer,
  of: integer,
  seed: integer,
  left: integer,
  first: difference.nullable(),
  program: grid.nullable(),
  reason: z.string().nullable(),
});
const finished = z.object({
  type: z.literal('finished'),
  outcome: z.enum(['ok', 'error', 'stopped']),
  milliseconds: z.number(),
});

export const programEvent = z.discriminatedUnion('type', [
  started,
  print,
  devicePrint,
  figure,
  compile,
  specialization,
  launch,
  launchTime,
  calibration,
  autotune,
  comparison,
  tensor,
  z.object({ type: z.literal('more-tensors'), count: integer }),
  trace,
  verdict,
  sweep,
  measured,
  verification,
  benchmark,
  check,
  z.object({ type: z.literal('diagnostic'), diagnostic }),
  z.object({
    type: z.literal('progress'),
    text: z.string(),
    fraction: z.number().nullable(),
  }),
  finished,
]);
true satisfies Same<typeof programEvent, ProgramEvent>;
