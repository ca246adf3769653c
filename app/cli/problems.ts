/**
 * A problem's files on this machine: a folder with `reference.py`, `checks.py` or both, or a
 * reference's file alone. A lesson's folder is one: it has `checks.py`.
 */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { HarnessTexts, Problem } from '../judge/files';

/** @throws where nothing is there that could be checked against. */
export function readProblem(path: string): Problem {
  if (!statSync(path).isDirectory()) return { reference: readFileSync(path, 'utf8'), checks: null };
  const read = (name: string): string | null => {
    const file = join(path, name);
    return existsSync(file) ? readFileSync(file, 'utf8') : null;
  };
  const problem: Problem = { reference: read('reference.py'), checks: read('checks.py') };
  if (problem.reference === null && problem.checks === null)
    throw new Error(`${path} has no reference.py and no checks.py`);
  return problem;
}

/** @param root of this package, or of the repository */
export function readHarness(root: string): HarnessTexts {
  const read = (name: string): string =>
    readFileSync(join(root, 'app', 'judge', 'harness', name), 'utf8');
  return {
    judge: read('judge.py'),
    replay: read('replay.py'),
    against: read('against.py'),
    solution: read('solution.py'),
    runChecks: read('run_checks.py'),
    runSolution: read('run_solution.py'),
  };
}
