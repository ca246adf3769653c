/** The runner as it is called: on a file with one case for each way of ending. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Judged } from './protocol';

const ROOT = join(import.meta.dirname, '..');
const NODE = join(ROOT, 'node_modules', 'node', 'bin', 'node');

interface Summary {
  readonly counts: Record<string, number>;
  readonly interpreter: Record<string, number>;
  readonly skipped: Record<string, number>;
  readonly notPassed: readonly (Judged & { readonly name: string })[];
}

function conformance(...args: string[]): { status: number | null; stdout: string } {
  const tests = join(import.meta.dirname, 'testdata');
  const run = join(import.meta.dirname, 'run.ts');
  return spawnSync(NODE, [run, '--tests', tests, ...args], { encoding: 'utf8', cwd: ROOT });
}

let summary: Summary;
let status: number | null;

beforeAll(() => {
  const options = ['--file', 'test_sample.py', '--jobs', '1', '--timeout', '15', '--json'];
  const result = conformance(...options);
  status = result.status;
  summary = JSON.parse(result.stdout) as Summary;
}, 180_000);

function failure(name: string): (Judged & { readonly name: string }) | undefined {
  return summary.notPassed.find((each) => each.name === name);
}

describe('the runner', () => {
  it('counts every case once', () => {
    expect(summary.counts).toEqual({ passed: 8, failed: 2, refused: 1, skipped: 3 });
    expect(summary.interpreter).toEqual({ passed: 6, failed: 0, refused: 0, skipped: 0 });
    expect(status).toBe(1);
  });

  it('reports what failed, and where', () => {
    expect(failure('test_wrong')).toMatchObject({ kind: 'AssertionError', outcome: 'failed' });
    expect(failure('test_wrong')?.line).toContain('on purpose');
    expect(failure('test_wrong')?.place).toMatch(/^test_sample\.py:\d+$/);
  });

  it('reports a refusal from a failure', () => {
    expect(failure('test_refused')).toMatchObject({ outcome: 'refused', kind: 'AttributeError' });
  });

  it('ends a case that does not, and goes on', () => {
    expect(failure('test_hangs')?.line).toBe('stopped after 15 s');
  });

  it('gives the reasons of what was skipped', () => {
    expect(summary.skipped).toEqual({
      'not today': 1,
      'expected to fail: known': 1,
      'reads the ptx of another backend': 1,
    });
  });

  it('says what is wrong with its arguments', () => {
    expect(conformance('--adapter', 'cuda').status).toBe(2);
  });
});
