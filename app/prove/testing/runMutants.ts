/**
 * Mutants of the gallery's kernels, proved: `npm run mutants`. Prints each program's counts, every
 * mutant that no check accuses, and a table by kind.
 *
 *   npm run mutants -- [--count N] [--seed S] [--only NAME,NAME] [--all]
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { mutantsOf, sampleOf } from '../mutants';
import { Judge, SAME, type Judged } from './judge';
import { SMALL, smallText } from './small';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '120' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    all: { type: 'boolean', default: false },
  },
});
const ROOT = process.cwd();
const only = values.only?.split(',');
const programs = SMALL.filter(({ file }) => !only || only.includes(file.replace('.py', '')));
const each = values.all ? Infinity : Math.ceil(Number(values.count) / programs.length);
const judge = await Judge.create(ROOT);
const table = new Map<string, Record<Judged['verdict'], number>>();
const empty = (): Record<Judged['verdict'], number> => ({
  killed: 0,
  undecided: 0,
  survived: 0,
  equivalent: 0,
  stillborn: 0,
});
const total = empty();
let same = 0;
for (const program of programs) {
  const text = smallText(
    program,
    readFileSync(join(ROOT, 'public', 'examples', program.file), 'utf8'),
  );
  const baseline = await judge.baseline(text);
  console.log(`${program.file}: ${(baseline.milliseconds / 1000).toFixed(1)} s`);
  const mutants = sampleOf(mutantsOf(judge.parse(text), text), each, Number(values.seed));
  for (const mutant of mutants) {
    const { verdict, reason } = await judge.judge(mutant, baseline);
    total[verdict]++;
    if (reason === SAME) same++;
    const row = table.get(mutant.kind) ?? empty();
    row[verdict]++;
    table.set(mutant.kind, row);
    const place = `${program.file}:${mutant.line}`;
    const what = `${mutant.before.replace(/\s+/g, ' ')} → ${mutant.after.replace(/\s+/g, ' ')}`;
    console.log(`  ${verdict}: ${mutant.kind}, ${place}: ${what}${reason ? `: ${reason}` : ''}`);
  }
}
judge.dispose();
console.log('');
for (const [kind, row] of [...table].toSorted(([a], [b]) => (a < b ? -1 : 1)))
  console.log(
    `${kind.padEnd(28)}${Object.entries(row)
      .map(([name, count]) => `${count} ${name}`)
      .join(', ')}`,
  );
const { killed, undecided, survived } = total;
const live = killed + undecided + survived;
console.log(
  `${killed} of ${live} killed (${((100 * killed) / Math.max(1, live)).toFixed(1)} %), ${undecided} undecided, ` +
    `${survived} survived, ${same} of them with the same results; ${total.equivalent} equivalent, ` +
    `${total.stillborn} do not compile`,
);
process.exit(0);
