/**
 * Samples of a launch: its median time of several runs, for a program that is run to see what a
 * change of it does. A run alone pays for cold caches and clocks.
 *
 * Guarantee: the launch's memory is put back behind the samples, so that the program goes on as if
 * it had been launched once. What cannot be repeated safely is not.
 */
import type { SampleRequest, Timing } from '../events';
import { timingOf } from './clock';
import type { Engine, EngineLaunch } from './engine';
import type { RunReport } from './runReport';
import { UNREPORTED } from './runReport';
import { followsItself, kernelObstacle } from './scheduleTuner';
import { restoreAll, writtenBy } from './scheduleSearch';
import { cpuCopy } from './storage';

/** Bytes that the launch may write: they are kept meanwhile. */
const MOST_BYTES = 512 * 2 ** 20;

/** Whether a launch is one that is to be sampled. */
export function isSampled({ site, unit }: EngineLaunch, { of }: SampleRequest): boolean {
  if (!of) return true;
  return site.line === of.line && site.file === of.file && unit.name === of.kernel;
}

/** Null where it cannot be repeated, or there is no clock of a GPU. */
export async function sampleLaunch(
  engine: Engine,
  launch: EngineLaunch,
  rounds: number,
): Promise<Timing | null> {
  if (!engine.race || kernelObstacle(launch) !== null || followsItself(launch) !== null)
    return null;
  const written = writtenBy(launch);
  if (written.reduce((sum, { bytes }) => sum + bytes, 0) > MOST_BYTES) return null;
  const before: Uint8Array[] = [];
  for (const storage of written) {
    await engine.read(storage);
    before.push(cpuCopy(storage).slice());
  }
  const race = await engine.race([{ ...launch, id: UNREPORTED }], rounds);
  await engine.synchronize();
  restoreAll(written, before);
  const samples = race?.samples[0] ?? [];
  return race && samples.length > 0 ? timingOf(samples, 'gpu', race.quantum) : null;
}

/** Sends the samples of a launch as a time of it. */
export async function reportSamples(
  engine: Engine,
  launch: EngineLaunch,
  rounds: number,
  report: RunReport,
): Promise<void> {
  const timing = await sampleLaunch(engine, launch, rounds);
  if (timing) report.send({ type: 'launch-time', id: launch.id, timing });
}
