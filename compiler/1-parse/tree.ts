/**
 * The whole syntax of a file as plain objects, Python's every corner included: what the editor's
 * language features read. (`convert.ts` keeps the part that kernels are made of.) A half-typed file
 * has a tree too.
 */
import type { Node as WasmNode } from 'web-tree-sitter';

export interface Position {
  /** 1-based. */
  readonly line: number;
  /** 1-based, in UTF-16 units. */
  readonly column: number;
}

export interface TreeNode {
  /** tree-sitter's name of it: 'call', 'identifier', '(' … */
  readonly type: string;
  /** Its field in the parent: 'function', 'left' … */
  readonly field: string | null;
  readonly named: boolean;
  readonly start: Position;
  /** Exclusive. */
  readonly end: Position;
  /** Indices into the text, in UTF-16 units. */
  readonly from: number;
  readonly to: number;
  readonly parent: TreeNode | null;
  readonly children: readonly TreeNode[];
}

type Writable = TreeNode & { readonly children: TreeNode[] };

export function convertTree(root: WasmNode): TreeNode {
  const cursor = root.walk();
  const make = (parent: TreeNode | null): TreeNode => {
    const { startPosition, endPosition } = cursor;
    const node: Writable = {
      type: cursor.nodeType,
      field: cursor.currentFieldName,
      named: cursor.nodeIsNamed,
      start: { line: startPosition.row + 1, column: startPosition.column + 1 },
      end: { line: endPosition.row + 1, column: endPosition.column + 1 },
      from: cursor.startIndex,
      to: cursor.endIndex,
      parent,
      children: [],
    };
    return node;
  };
  // By hand, not by recursion: a text of ten thousand brackets is a tree as deep.
  const top = make(null);
  let at = top as Writable;
  let descending = true;
  for (;;) {
    if (descending && cursor.gotoFirstChild()) {
      const child = make(at);
      at.children.push(child);
      at = child as Writable;
      continue;
    }
    if (cursor.gotoNextSibling()) {
      const parent = at.parent as Writable;
      const child = make(parent);
      parent.children.push(child);
      at = child as Writable;
      descending = true;
      continue;
    }
    if (!cursor.gotoParent() || at.parent === null) break;
    at = at.parent as Writable;
    descending = false;
  }
  cursor.delete();
  return top;
}

export function child(node: TreeNode, field: string): TreeNode | undefined {
  return node.children.find((each) => each.field === field);
}
export function childrenOf(node: TreeNode, field: string): TreeNode[] {
  return node.children.filter((each) => each.field === field);
}
export function textOf(node: TreeNode, text: string): string {
  return text.slice(node.from, node.to);
}

export function comparePositions(a: Position, b: Position): number {
  return a.line - b.line || a.column - b.column;
}

/** The innermost node that covers the index; where two meet, the one before it. */
export function nodeAt(root: TreeNode, index: number): TreeNode {
  let node = root;
  for (;;) {
    const inside = node.children.filter((each) => each.from <= index && index <= each.to);
    // An identifier that ends here, or begins here, is what the cursor is on; not the bracket
    // beside it.
    const next =
      inside.find((each) => each.type === 'identifier') ??
      inside.find((each) => each.from < index && index < each.to) ??
      inside.find((each) => each.named && each.from === index && each.to > index) ??
      inside.find((each) => each.named && each.to > each.from) ??
      inside[0];
    if (!next) return node;
    node = next;
  }
}

/** The node's ancestors, itself first. */
export function* ancestors(node: TreeNode): Generator<TreeNode> {
  for (let at: TreeNode | null = node; at; at = at.parent) yield at;
}

/** The index of a position in the text; beyond a line's end, the end. */
export function indexAt(text: string, { line, column }: Position): number {
  let from = 0;
  for (let row = 1; row < line; row++) {
    const next = text.indexOf('\n', from);
    if (next < 0) return text.length;
    from = next + 1;
  }
  const end = text.indexOf('\n', from);
  return Math.min(from + column - 1, end < 0 ? text.length : end);
}
