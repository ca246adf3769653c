/**
 * How deep a text may nest. What comes after parsing recurses along the tree, so that a bound here
 * is a bound on every stack. Python has such bounds too: 200 parentheses, 100 levels of
 * indentation.
 */
import type { Node } from 'web-tree-sitter';

/** Expressions in expressions: also the terms of `a + b + c`, which lean to the left. */
const MAX_EXPRESSIONS = 300;
/** Statements in statements, and the `elif` of one `if`. */
const MAX_STATEMENTS = 100;

/** Conversion is one synchronous walk of one file at a time, so this may live here. */
const state = { expressions: 0, statements: 0, tooDeep: [] as Node[] };

/** Runs `body` with a fresh count; gives the nodes that were left out. */
export function countNesting(body: () => void): readonly Node[] {
  Object.assign(state, { expressions: 0, statements: 0, tooDeep: [] });
  body();
  return state.tooDeep;
}

/** `body` one level further in; `otherwise` where that is one too many. */
export function nested<T>(
  what: 'expressions' | 'statements',
  node: Node,
  body: () => T,
  otherwise: () => T,
): T {
  if (state[what] >= (what === 'expressions' ? MAX_EXPRESSIONS : MAX_STATEMENTS)) {
    state.tooDeep.push(node);
    return otherwise();
  }
  state[what]++;
  try {
    return body();
  } finally {
    state[what]--;
  }
}
