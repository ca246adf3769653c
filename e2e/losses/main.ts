/**
 * `npm run losses`: loses the GPU device at random moments of every phase of a run, in one page of
 * the build, and fails where a loss harms (`losing.ts` states what that is).
 *
 *   npm run losses -- --count 200        so many losses (default 200)
 *   npm run losses -- --seed 7           other random moments (default: those of the day)
 *   npm run losses -- --only readback    one phase
 *   npm run losses -- --minutes 30       end there, with the losses that were made
 *
 * Writes `.cache/losses/losses.json`.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { timeFor } from '../../scripts/budget';
import { openSite, READY, visit } from '../page';
import { Losses } from './hook';
import { byPhase, Losing, type Lost } from './losing';
import { PHASES, type Phase } from './phases';

const FOLDER = join(process.cwd(), '.cache', 'losses');

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '200' },
    seed: { type: 'string', default: new Date().toISOString().slice(0, 10).replaceAll('-', '') },
    only: { type: 'string' },
    minutes: { type: 'string' },
  },
});
const [count, seed] = [Number(values.count), Number(values.seed)];
const only = values.only as Phase | undefined;
if (![count, seed].every((each) => Number.isInteger(each) && each > 0)) {
  console.error('--count and --seed are positive integers.');
  process.exit(2);
}
if (only !== undefined && !PHASES.includes(only)) {
  console.error(`--only is one of ${PHASES.join(', ')}.`);
  process.exit(2);
}
const time = values.minutes ? Number(values.minutes) * 60_000 : (timeFor(1) ?? Infinity);

const site = await openSite({ gpu: true, ownBrowser: true });
const losses = new Losses();
const { page, errors } = await visit(site, { prepare: (context) => losses.prepare(context) });
page.setDefaultTimeout(READY);
mkdirSync(FOLDER, { recursive: true });
const losing = Losing.of(page, losses, errors, seed);
await losing.begin();
const all: Lost[] = [];
const began = performance.now();
let made = 0;
let dead: string | null = null;
for (let i = 0; made < count && performance.now() - began < time && i < 2 * count; i++) {
  let lost: Lost;
  try {
    lost = await losing.lose(only ?? losing.phaseOf(i));
  } catch (error) {
    // A page that does not answer is the harm that this looks for.
    dead = (error as Error).message.slice(0, 1000);
    console.error(`after ${made} losses: ${dead}`);
    break;
  }
  all.push(lost);
  if (lost.lost) made++;
  const { phase, method, call, when, ended, faults } = lost;
  const at = `${lost.lost ? '' : 'not '}${when} ${method} ${call}`;
  console.log(`${made} ${phase}: ${at}: ${ended.slice(0, 100)}`);
  for (const fault of faults) console.error(`  FAULT ${fault}`);
}
await site.close();
const wrong = all.filter(({ faults }) => faults.length > 0);
const phases = byPhase(all);
writeFileSync(
  join(FOLDER, 'losses.json'),
  `${JSON.stringify({ seed, made, phases, wrong: wrong.length, dead, all }, null, 2)}\n`,
);
const seconds = (performance.now() - began) / 1000;
const counts = Object.entries(phases).map(([phase, of]) => `${phase} ${of}`);
console.log(
  `${made} losses in ${seconds.toFixed(0)} s, ${wrong.length} with harm: ${counts.join(', ')}`,
);
process.exit(wrong.length > 0 || dead !== null ? 1 : 0);
