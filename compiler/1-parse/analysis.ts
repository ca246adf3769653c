/** Questions about statements that the text alone answers. */
import {
  childExpressions,
  childStatements,
  ownExpressions,
  type Expression,
  type Statement,
} from './syntax';

/** Whether a `return` stands in the statements, nested functions left out. */
export function containsReturn(statements: readonly { readonly kind: string }[]): boolean {
  return statements.some((node) => {
    if (node.kind === 'return') return true;
    if (node.kind === 'function' || node.kind === 'class' || node.kind === 'bind') return false;
    return containsReturn(childStatements(node as Statement));
  });
}

/** The names that the statements may bind. */
export function assignedNames(statements: readonly Statement[]): Set<string> {
  const names = new Set<string>();
  const target = (node: Expression): void => {
    if (node.kind === 'name') names.add(node.id);
    else if (node.kind === 'tuple' || node.kind === 'list') node.items.forEach(target);
    else if (node.kind === 'starred') target(node.value);
  };
  const expression = (node: Expression): void => {
    if (node.kind === 'walrus') target(node.target);
    if (node.kind === 'comprehension') target(node.target);
    childExpressions(node).forEach(expression);
  };
  const visit = (node: Statement): void => {
    if (node.kind === 'assign') node.targets.forEach(target);
    else if (node.kind === 'annotated' || node.kind === 'augmented' || node.kind === 'for')
      target(node.target);
    ownExpressions(node).forEach(expression);
    if (node.kind !== 'function' && node.kind !== 'class') childStatements(node).forEach(visit);
  };
  statements.forEach(visit);
  return names;
}
