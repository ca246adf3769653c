/**
 * The syntax errors of a text, from the ERROR and MISSING nodes of tree-sitter's tree: each says
 * what is unexpected or missing, at its place.
 */
import type { Node } from 'web-tree-sitter';
import type { Diagnostic } from '../diagnostics';
import { spanOf } from './convertExpression';

/** Errors further inside are not looked for. */
const MAX_TREE_DEPTH = 1000;

/** One diagnostic for each outermost ERROR or MISSING node. */
export function collectErrors(file: string, node: Node, out: Diagnostic[], depth = 0): void {
  if (node.isMissing) {
    out.push(syntaxError(file, node, `missing ${quote(node.type)}`));
    return;
  }
  if (node.isError) {
    const before = node.previousSibling;
    if (before && !before.isNamed && before.endPosition.row < node.startPosition.row) {
      // `y = x +` and a new statement on the next line: it is this line that is not finished.
      out.push(syntaxError(file, before, `something is missing after ${quote(before.text)}`));
      return;
    }
    const text = node.text.trim().split('\n')[0] ?? '';
    out.push(syntaxError(file, node, text ? `unexpected ${quote(text.slice(0, 40))}` : ''));
    return;
  }
  if (!node.hasError) return;
  if (depth >= MAX_TREE_DEPTH) {
    out.push(syntaxError(file, node, 'nested too deeply'));
    return;
  }
  for (const child of node.children) if (child) collectErrors(file, child, out, depth + 1);
}
function quote(text: string): string {
  return `\`${text}\``;
}
export function syntaxError(file: string, node: Node, detail: string): Diagnostic {
  return {
    code: 'HC0101',
    severity: 'error',
    message: detail ? `syntax error: ${detail}` : 'syntax error',
    location: spanOf(file, node),
    notes: [],
  };
}
