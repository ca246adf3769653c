/** Journals in the form of Helion's: their kernels compile, and their tests hold against torch. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const NODE = join(ROOT, 'node_modules', 'node', 'bin', 'node');

let lines: string[];
beforeAll(() => {
  const folder = join(import.meta.dirname, 'testdata', 'helion');
  const args = [join(import.meta.dirname, 'run.ts'), '--helion', folder, '--jobs', '1'];
  const { stdout, stderr } = spawnSync(NODE, args, { encoding: 'utf8', cwd: ROOT });
  lines = stdout.split('\n');
  expect(stdout, stderr).not.toBe('');
}, 180_000);

const said = (start: string): string | undefined => lines.find((line) => line.startsWith(start));

it('counts printed kernels, with the helpers that are compiled in them', () => {
  expect(lines).toContain('test_sample.py: 5 passed, 1 failed, 1 refused');
  expect(said('refused test_sample.py/compile TestSample.test_no_compile 0 _helion_add:')).toMatch(
    /no_such_function/,
  );
  expect(said('failed test_sample.py/compile TestSample.test_elsewhere 0 _helion_add:')).toMatch(
    /does not launch it: SkipTest: skipUnlessPallas/,
  );
});

it('runs tests against torch, each request with the text that the test says', () => {
  expect(lines).toContain('test_sample.py against torch: 3 passed, 1 failed, 1 refused, 1 skipped');
  expect(said('failed test_sample.py/compare TestSample.test_wrong:')).toMatch(
    /Mismatched elements: 5/,
  );
});
