/**
 * `npm run soak`: random runs in one page of the build, each result checked, and what the page
 * holds from time to time. Fails where a result is wrong, the page throws, or a quantity exceeds
 * what it was at the first reading by more than a tenth.
 *
 *   npm run soak -- --runs 2000          so many runs (default 1000)
 *   npm run soak -- --first 50           the reading that others are compared with (default 100)
 *   npm run soak -- --every 50           runs between two readings (default 100)
 *   npm run soak -- --seed 7             other random choices (default: those of the day)
 *   npm run soak -- --minutes 30         end there, with the runs that were made
 *
 * SIGINT and SIGTERM end it as `--minutes` does: the run in progress is made, and the report says
 * what was reached.
 *
 * Writes `.cache/soak/soak.json` and `soak.svg` after each reading.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openSite, READY, ready, visit } from '../page';
import { timeFor } from '../../scripts/budget';
import { delays, faults, flood } from './flood';
import { chart, type Point } from './chart';
import { countable, grown, Meter, METER_FLAGS, QUANTITIES } from './meter';
import { randomFrom, Walk } from './walk';

const ALLOWED = 0.1;
/** Seconds of fifty edits a second, after the runs. */
const EDITED = 60;
const FOLDER = join(process.cwd(), '.cache', 'soak');

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '1000' },
    first: { type: 'string', default: '100' },
    every: { type: 'string', default: '100' },
    seed: { type: 'string', default: new Date().toISOString().slice(0, 10).replaceAll('-', '') },
    minutes: { type: 'string' },
  },
});
const [runs, first, every, seed] = [values.runs, values.first, values.every, values.seed].map(
  Number,
) as [number, number, number, number];
if (![runs, first, every, seed].every((each) => Number.isInteger(each) && each > 0)) {
  console.error('--runs, --first, --every and --seed are positive integers.');
  process.exit(2);
}
const time = values.minutes ? Number(values.minutes) * 60_000 : (timeFor(1) ?? Infinity);

const site = await openSite({ gpu: true, ownBrowser: true, flags: METER_FLAGS });
const { page, errors } = await visit(site, { prepare: countable });
await ready(page);
page.setDefaultTimeout(READY);
const walk = new Walk(page, randomFrom(seed));
const meter = await Meter.of(page);
mkdirSync(FOLDER, { recursive: true });
const began = performance.now();
let ended = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => (ended = true));
const points: Point[] = [];
const kinds: Record<string, number> = {};
const wrong: string[] = [];

const shown = (name: string, value: number): string =>
  /heap|memory|Bytes|resident/.test(name) ? `${(value / 2 ** 20).toFixed(1)} MiB` : String(value);

function report(more = {}): void {
  const browser = site.browser.version();
  const all = { seed, runs: walk.runs, browser, kinds, wrong, points, ...more };
  writeFileSync(join(FOLDER, 'soak.json'), `${JSON.stringify(all, null, 2)}\n`);
}

async function read(): Promise<void> {
  await walk.rest();
  const reading = await meter.read();
  const seconds = (performance.now() - began) / 1000;
  const last = points.at(-1) ?? { runs: 0, seconds: 0 };
  const rate = (seconds - last.seconds) / Math.max(1, walk.runs - last.runs);
  points.push({ runs: walk.runs, seconds, reading });
  const text = QUANTITIES.map((name) => `${name} ${shown(name, reading[name])}`).join(', ');
  console.log(
    `${walk.runs} runs, ${seconds.toFixed(0)} s (${rate.toFixed(1)} s a run of late): ${text}`,
  );
  report();
  writeFileSync(
    join(FOLDER, 'soak.svg'),
    chart(
      points.filter((point) => point.runs >= first),
      ALLOWED,
    ),
  );
}

while (walk.runs < runs && !ended && performance.now() - began < time) {
  try {
    const { kind } = await walk.step();
    kinds[kind] = (kinds[kind] ?? 0) + 1;
  } catch (error) {
    wrong.push((error as Error).message.slice(0, 2000));
    console.error(wrong.at(-1));
    const picture = join(FOLDER, `wrong-${wrong.length}.png`);
    await page.screenshot({ path: picture, timeout: 5000 }).catch(() => {});
    if (wrong.length >= 5) break;
    walk.runs++;
  }
  if (errors.length > 0) {
    wrong.push(...errors.splice(0).map((each) => `run ${walk.runs}: the page threw ${each}`));
    console.error(wrong.at(-1));
  }
  if (walk.runs === first || (walk.runs > first && (walk.runs - first) % every === 0)) await read();
}
const last = points.at(-1);
if (!last || last.runs !== walk.runs) await read();
await walk.rest();
const edited = await flood(page, EDITED);
wrong.push(...faults(edited, EDITED), ...delays(edited));
console.log(`edited for ${EDITED} s: ${JSON.stringify(edited)}`);
report({ edited });
await site.close();

const base = points.find((point) => point.runs >= first);
if (!base || base === points.at(-1)) wrong.push(`nothing was read after ${first} runs to compare`);
for (const each of wrong) console.error(each);
const more = base ? grown(base.reading, points.at(-1)!.reading, ALLOWED) : [];
for (const { name, from, to } of more)
  console.error(`${name} grew from ${shown(name, from)} to ${shown(name, to)}`);
const minutes = (performance.now() - began) / 60_000;
console.log(
  `${walk.runs} runs in ${minutes.toFixed(0)} minutes, ${wrong.length} wrong, ${more.length} of ${QUANTITIES.length} quantities above ${(100 * (1 + ALLOWED)).toFixed(0)} %`,
);
process.exit(wrong.length + more.length > 0 ? 1 : 0);
