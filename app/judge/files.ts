/**
 * A check's two programs: the harness with the hidden checks, and the solution's side that serves
 * calls. Each is what one worker runs; neither has a file of the other. No page, no Node.
 */
import type { ProgramFiles } from '../events';

/** Texts of `harness/`. */
export interface HarnessTexts {
  readonly judge: string;
  readonly replay: string;
  readonly against: string;
  readonly solution: string;
  readonly runChecks: string;
  readonly runSolution: string;
}

/** A problem, or a lesson: what a program is checked against. */
export interface Problem {
  /** Text of `reference.py`; null where `checks` alone decide. */
  readonly reference: string | null;
  /** Text of `checks.py`; null where the reference's cases alone are the checks. */
  readonly checks: string | null;
}

/** Whether a file is a problem's by its name: no part of a solution that lies beside it. */
const isProblems = (name: string): boolean =>
  /^(?:(?:reference|checks)\.py|statement\.md|(?:cheats|honest)\/.*)$/.test(name);

/** The program that is checked. */
export interface Solution {
  readonly files: ProgramFiles;
  readonly entry: string;
}

/** The solution without its problem's files, by whatever name they lie beside it. */
export function withoutProblem({ files, entry }: Solution, problem: Problem): Solution {
  const hidden = [problem.reference, problem.checks];
  const own = Object.entries(files).filter(
    ([name, text]) => name === entry || !(isProblems(name) || hidden.includes(text)),
  );
  return { files: Object.fromEntries(own), entry };
}

export interface WorkerProgram {
  readonly files: ProgramFiles;
  readonly entry: string;
}

/**
 * The harness's program.
 * @param seed inputs are drawn from it
 * @param measures take times once all checks hold
 */
export function harnessProgram(
  texts: HarnessTexts,
  problem: Problem,
  solution: Solution,
  seed: number,
  measures = true,
): WorkerProgram {
  const checks: Record<string, string> = {};
  if (problem.reference !== null) {
    checks['reference.py'] = problem.reference;
    checks['against.py'] = texts.against;
  }
  if (problem.checks !== null) checks['checks.py'] = problem.checks;
  const request = JSON.stringify({
    seed,
    measures,
    checks: Object.keys(checks),
    files: solution.files,
  });
  return {
    entry: 'run_checks.py',
    files: {
      ...checks,
      'judge_harness.py': texts.judge,
      'judge_replay.py': texts.replay,
      'run_checks.py': filled(texts.runChecks, 'REQUEST', request),
    },
  };
}

/** The solution's program: its own files beside what serves them. */
export function solutionProgram(texts: HarnessTexts, { files, entry }: Solution): WorkerProgram {
  return {
    entry: 'run_solution.py',
    files: {
      ...files,
      'judge_solution.py': texts.solution,
      'run_solution.py': filled(texts.runSolution, 'PROGRAM', entry),
    },
  };
}

/** A text of Python with a literal of `value` in the place of `name`. */
function filled(text: string, name: string, value: string): string {
  // A function: in a replacement that is a string, `$'` and its like, as in '$x$', have a meaning.
  return text.replaceAll(name, () => JSON.stringify(value));
}
