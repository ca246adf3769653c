/**
 * Tries configurations and choices of distribution on works: where the compiler's defaults come
 * from. What is tried is a file (`--sweep FILE`): a list of works by their names, with
 * configurations (tiles and warps, as the work's own) and choices; each pair is checked and timed.
 * The environment's PIPESTATS may name a file to which a Vulkan layer appends each pipeline's
 * statistics, they stand behind the rate.
 */
import { existsSync, readFileSync } from 'node:fs';
import type { Choices } from '../compiler/4-distribute/index';
import { outputOf } from './compare';
import { BenchDevice, summary } from './device';
import type { Frontend } from './frontend';
import { buffersOf, prepareLaunches } from './ours';
import { digits, rate } from './report';
import type { Configs } from './work';
import { works } from './works';

export interface Trial {
  /** A part of the work's name. */
  readonly work: string;
  readonly configs?: Configs;
  readonly choices?: readonly Partial<Choices>[];
}

export async function sweep(
  frontend: Frontend,
  opened: BenchDevice,
  trials: readonly Trial[],
  settings: { quick: boolean; seed: number; checkBounds: boolean; toggles: string },
): Promise<void> {
  const { quick, seed, checkBounds, toggles } = settings;
  const { device, target, quantum, warmSeconds, busy } = opened;
  const bench = new BenchDevice(device, target, quantum, warmSeconds / 4, busy);
  for (const { work: wanted, configs, choices = [{}] } of trials) {
    const found = works(target, quick, seed, true, configs).find(({ name }) =>
      name.includes(wanted),
    );
    if (!found) {
      console.log(`no work ${wanted}`);
      continue;
    }
    const item = found.make();
    const buffers = buffersOf(bench, item);
    const out = buffers[item.inputs.length]!;
    for (const { what, launch } of item.launches)
      for (const choice of choices) {
        const label = `${item.name}, ${what} ${JSON.stringify(choice)} ${toggles}`;
        try {
          const before = statistics().length;
          const work = await prepareLaunches(
            frontend,
            bench,
            item.text,
            launch,
            buffers,
            checkBounds,
            choice,
          );
          const facts = statistics().slice(before).join(' | ');
          bench.poison(out);
          await bench.once(work);
          const error = item.error(await outputOf(bench, item, out));
          const wrong = error <= item.close ? '' : ` WRONG by ${error}`;
          const [times = []] = await bench.turns([work], 5);
          const seconds = summary(times).median;
          const row = { ...item, against: '', where: 'dawn', adapter: '', toggles } as const;
          const speed = rate({ ...row, error, ours: seconds });
          console.log(`${speed}  ${digits(seconds * 1e6)} µs  ${label}${wrong}  ${facts}`);
        } catch (error) {
          console.log(`fails  ${label}: ${String(error).slice(0, 200)}`);
        }
      }
    for (const buffer of buffers) buffer.destroy();
  }
}

/** A line for each pipeline so far. */
function statistics(): string[] {
  const file = process.env['PIPESTATS'];
  if (!file || !existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  return lines.filter((line) => line.includes('='));
}
