/**
 * Cost of launches for their events: `compiler/cost` counts, this file has the tensors. And
 * the roofline: how near a time is to what the adapter could do at best.
 */
import { type Argument, memoryBytes, requestedBytes } from '../../compiler/cost/index';
import type { Achieved, Calibration, LaunchCost, Timing } from '../events';
import type { EngineLaunch } from './engine';
import { interpreterArguments } from './interpretation';
import type { Leaf } from './arguments';
import { verdictOf } from './verdict';

/** The launch's cost; undefined where its unit was not counted. */
export function launchCost({ unit, leaves, grid }: EngineLaunch): LaunchCost | undefined {
  if (!unit.cost) return undefined;
  const { tally, uncertain } = unit.cost.count(scalarsOf(leaves), grid);
  const { read, written } = memoryBytes(
    tally,
    leaves.flatMap((leaf, argument) =>
      leaf.kind === 'pointer'
        ? [{ argument, storage: leaf.storage, bytes: leaf.storage.bytes - leaf.byteOffset }]
        : [],
    ),
  );
  const { kernel } = unit;
  return {
    readBytes: read,
    writtenBytes: written,
    requestedBytes: requestedBytes(tally),
    operations: {
      f64: tally.computed('f64'),
      f32: tally.computed('f32'),
      f16: tally.computed('f16'),
      integer: tally.computed('integer'),
    },
    uncertain,
    ...(kernel
      ? {
          resources: {
            threads: kernel.workgroupSize / kernel.programs,
            registers: kernel.registers,
            workgroupBytes: kernel.workgroupBytes,
          },
        }
      : {}),
  };
}

/**
 * How much a launch computes, in operations on floats; undefined where its unit was not counted.
 */
export function floatOperations(
  unit: EngineLaunch['unit'],
  leaves: readonly Leaf[],
  grid: EngineLaunch['grid'],
): number | undefined {
  const tally = unit.cost?.count(scalarsOf(leaves), grid).tally;
  return tally && tally.computed('f64') + tally.computed('f32') + tally.computed('f16');
}

function scalarsOf(leaves: readonly Leaf[]): Argument[] {
  const scalars = leaves.filter((leaf) => leaf.kind === 'scalar');
  const values = interpreterArguments(scalars);
  let next = 0;
  return leaves.map((leaf) => (leaf.kind === 'scalar' ? (values[next++] ?? null) : null));
}

/**
 * The rates of a launch; undefined where the clock could not measure its time.
 * @param programs of its grid.
 */
export function achieved(
  cost: LaunchCost,
  timing: Timing,
  calibration: Calibration | null,
  programs = 1,
): Achieved | undefined {
  if (timing.median <= 0 || timing.median < timing.quantum) return undefined;
  const seconds = timing.median * 1e-6;
  const bytes = cost.readBytes + cost.writtenBytes;
  const { f64, f32, f16, integer } = cost.operations;
  const floats = f64 + f32 + f16;
  const rates = {
    bytesPerSecond: bytes / seconds,
    operationsPerSecond: (floats > 0 ? floats : integer) / seconds,
  };
  if (!calibration) return { ...rates, roofline: null, bound: 'memory' };
  const memory = bytes / calibration.bytesPerSecond;
  // f64 is emulated, and integers have no roof of their own: they count for nothing here.
  const arithmetic =
    f32 / calibration.f32PerSecond + f16 / (calibration.f16PerSecond ?? calibration.f32PerSecond);
  return {
    ...rates,
    roofline: Math.max(memory, arithmetic) / seconds,
    bound: memory >= arithmetic ? 'memory' : 'arithmetic',
    limit: verdictOf(cost, timing, calibration, programs)?.limit ?? null,
  };
}
