/** The jobs of the workflow run every step of `npm test`, and every part of those they divide. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const workflow = readFileSync(join(ROOT, '.github', 'workflows', 'tests.yml'), 'utf8');
const runs = [...workflow.matchAll(/run: npm test -- (.*)$/gm)].map(([, line = '']) => line);

it('runs every step of npm test, each in one job', () => {
  const script = readFileSync(join(ROOT, 'scripts', 'test.ts'), 'utf8');
  const [, order = ''] = /const ORDER[^=]*= \[([^\]]*)\]/.exec(script) ?? [];
  const steps = [...order.matchAll(/'(\w+)'/g)].map(([, step]) => step);
  expect(steps.length).toBeGreaterThan(5);
  const named = runs.flatMap((line) =>
    line
      .replace(/--shard.*/, '')
      .trim()
      .split(' '),
  );
  expect(named.toSorted()).toEqual(steps.toSorted());
});

it('runs every part of a step that it divides', () => {
  const jobs = workflow.split(/^ {2}(?=\w+:$)/m).filter((job) => job.includes('--shard'));
  expect(jobs.length).toBe(runs.filter((line) => line.includes('--shard')).length);
  for (const job of jobs) {
    const [, parts = ''] = /part: \[([^\]]*)\]/.exec(job) ?? [];
    const [, of = ''] = /--shard \$\{\{ matrix\.part \}\}\/(\d+)$/m.exec(job) ?? [];
    const all = Array.from({ length: Number(of) }, (_, i) => i + 1);
    expect(all.length).toBeGreaterThan(1);
    expect(parts.split(',').map(Number)).toEqual(all);
  }
});
