/** Kernels of a package, compiled at specializations in the form of `specialize.py`. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const NODE = join(ROOT, 'node_modules', 'node', 'bin', 'node');

it('compiles what Triton accepts, under the decorators, in packages that need others', () => {
  const folder = join(import.meta.dirname, 'testdata', 'kernels');
  const args = [join(import.meta.dirname, 'run.ts'), '--kernels', folder, '--jobs', '1'];
  const { stdout, stderr } = spawnSync(NODE, args, { encoding: 'utf8', cwd: ROOT });
  const lines = stdout.split('\n');
  expect(lines, stderr).toContain('package: 1 passed, 1 failed, 0 refused, 1 skipped');
  expect(stdout).toMatch(/failed package\/parts\/helpers.py wrong: .*power of 2/);
  expect(lines).toContain('skipped package/parts/helpers.py unknown: Triton: line 2: on purpose');
}, 120_000);
