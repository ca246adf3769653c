/** Facts of the specialization in view about expressions, and its record in the last run. */
import type { ExpressionFact } from '../../compiler/language/facts';
import { useCompilation } from './compilation';
import { useRun } from './run';

/** The facts, where they are of the text as it stands. */
export function currentFacts(file: string, text: string): readonly ExpressionFact[] {
  const { facts, resultFiles } = useCompilation.getState();
  return resultFiles[file] === text ? facts : [];
}

/** Subject of a fact: `factMarkdown` names it. */
export function factContext(): { specialization: string; programs: number | null } {
  const { inView } = useCompilation.getState();
  return { specialization: inView?.label ?? '', programs: programsInView() };
}

/**
 * Programs of its last launch by the program itself, else by a benchmark; null where it was not
 * launched.
 */
function programsInView(): number | null {
  const key = useCompilation.getState().inView?.key;
  const groups = (useRun.getState().record?.groups ?? []).filter(({ first }) => first.key === key);
  const group = groups.findLast(({ first }) => !first.benchmark) ?? groups.at(-1);
  return group ? group.first.grid.reduce((product, size) => product * size, 1) : null;
}
