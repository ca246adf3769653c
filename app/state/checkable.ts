/**
 * Whether the program in view can be checked, and the check's begin. What makes a check comes with
 * the first one, apart from the page's start.
 */
import type { ProgramFiles } from '../events';
import type { Problem } from '../judge/files';
import { useDocument } from './document';
import { programInView } from './ofProgram';
import { choosePanel } from './view';

/** The problem that the program in view brings along: files of these names; null without them. */
export function problemIn(files: ProgramFiles): Problem | null {
  const problem: Problem = {
    reference: files['reference.py'] ?? null,
    checks: files['checks.py'] ?? null,
  };
  return problem.reference === null && problem.checks === null ? null : problem;
}

/**
 * Checks the program of a result again, against the problem of the program in view. Where another
 * program is opened before that begins, nothing is checked.
 * @returns why it is not; null where it is.
 */
export async function checkResultInView(text: string): Promise<string | null> {
  const program = programInView();
  const problem = problemIn(useDocument.getState().files);
  if (!problem) return 'The program in view has no reference.py or checks.py.';
  const [{ checkAgain }, { HARNESS }] = await Promise.all([
    import('./checking'),
    import('../judge/texts'),
  ]);
  return checkAgain(HARNESS, problem, text, program);
}

/** Checks the program in view against the problem that it brings along, and shows the output. */
export function checkInView(): void {
  const { files } = useDocument.getState();
  const problem = problemIn(files);
  if (!problem) return;
  const program = programInView();
  choosePanel('output');
  void Promise.all([import('./checking'), import('../judge/texts')]).then(
    ([{ check }, { HARNESS }]) => {
      // The problem is that of the program that was in view.
      if (programInView() === program) check(HARNESS, problem);
    },
  );
}
