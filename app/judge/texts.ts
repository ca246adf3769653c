/** The harness's files in the page: loaded with the first check. */
import against from './harness/against.py?raw';
import judge from './harness/judge.py?raw';
import replay from './harness/replay.py?raw';
import runChecks from './harness/run_checks.py?raw';
import runSolution from './harness/run_solution.py?raw';
import solution from './harness/solution.py?raw';
import type { HarnessTexts } from './files';

export const HARNESS: HarnessTexts = { against, judge, replay, runChecks, runSolution, solution };
