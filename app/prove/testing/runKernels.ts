/**
 * The kernels of the table, proved by several processes: what `kernels.test.ts` does one by one.
 *
 *   node kernels.mjs [--jobs N]     in the folder of `npm run mutants -- --bundle`
 */
import { fork } from 'node:child_process';
import { parseArgs } from 'node:util';
import { keepSnapshot } from '../../cli/pythonSnapshot';
import { Judge } from './judge';
import { accusations, misses } from './kernelCases';
import { RIGHT, WRONG } from './kernelTable';

const { values } = parseArgs({
  options: { jobs: { type: 'string', default: '1' }, part: { type: 'string' } },
});
const ROOT = process.cwd();
const jobs = Number(values.jobs);
const cases = [
  ...RIGHT.map((kernel) => ({ kernel, judged: accusations })),
  ...WRONG.map((kernel) => ({
    kernel,
    judged: (report: Parameters<typeof accusations>[0]) => misses(kernel, report),
  })),
];

if (values.part === undefined) {
  await keepSnapshot(ROOT);
  const codes = await Promise.all(
    Array.from({ length: jobs }, (_, part) => {
      const child = fork(process.argv[1]!, ['--jobs', values.jobs, '--part', String(part)]);
      return new Promise<number>((resolve) => child.on('exit', (code) => resolve(code ?? 1)));
    }),
  );
  const ended = codes.every((code) => code === 0);
  console.log(
    `${RIGHT.length} right, ${WRONG.length} wrong: ${ended ? 'as the table has it' : 'FAILED'}`,
  );
  process.exit(ended ? 0 : 1);
}

const judge = await Judge.create(ROOT);
let failed = 0;
for (const { kernel, judged } of cases.filter((_, index) => index % jobs === Number(values.part))) {
  const start = performance.now();
  const wrong = judged(await judge.report(kernel.text));
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(
    [`${wrong.length > 0 ? 'FAILED' : 'ok'}: ${kernel.name}, ${seconds} s`, ...wrong].join(
      '\n    ',
    ),
  );
  if (wrong.length > 0) failed++;
}
process.exit(failed > 0 ? 1 : 0);
