/**
 * The program around a cursor while something is being typed there: the unfinished statement is
 * replaced by one that parses, so that the rest of the file keeps its names, and an expression of
 * the unfinished text can be asked about.
 */
import { nodeAt, type TreeNode } from '../1-parse/tree';
import type { Parser } from '../1-parse/parser';
import type { Api } from './api';
import { cursorAt, primaryBefore, type Cursor, type OpenBracket } from './lexical';
import { calledFunction, Project, type Files, type Target } from './project';
import { Resolver, type Meaning } from './resolve';
import { scopeAt, type Scope } from './symbols';

export interface Typing {
  readonly text: string;
  readonly index: number;
  readonly cursor: Cursor;
  /** The names that can be used at the cursor. */
  readonly scope: Scope;
  readonly project: Project;
  readonly resolver: Resolver;
  /** Place of the cursor's statement in `project`. */
  readonly node: TreeNode;
  /** Meaning of a piece of the text, read in the cursor's scope. */
  meaningOf(expression: string): Meaning | undefined;
  /** The function of the program that `expression(…)` would call. */
  calledBy(expression: string): Target | undefined;
}

export function typingAt(
  files: Files,
  parser: Parser,
  api: Api,
  file: string,
  index: number,
): Typing {
  const text = files[file] ?? '';
  const cursor = cursorAt(text, index);
  const at = (expression: string): { project: Project; node: TreeNode } => {
    const made = withStatement(text, index, cursor, expression);
    const project = new Project({ ...files, [file]: made.text }, parser);
    return { project, node: outermost(project.symbols(file).root, made.from) };
  };
  const { project, node } = at('pass');
  return {
    text,
    index,
    cursor,
    project,
    node,
    scope: scopeAt(project.symbols(file), node),
    resolver: new Resolver(project, api),
    meaningOf(expression) {
      const made = at(expression);
      return new Resolver(made.project, api).meaning(file, made.node);
    },
    calledBy(expression) {
      const made = at(`${expression}()`);
      return made.node.type === 'call' ? calledFunction(made.project, file, made.node) : undefined;
    },
  };
}

/** The largest expression that begins here. */
function outermost(root: TreeNode, from: number): TreeNode {
  let node = nodeAt(root, from);
  while (
    node.parent &&
    node.parent.from === from &&
    !/statement$|^block$|^module$|^decorator$|^ERROR$/.test(node.parent.type)
  )
    node = node.parent;
  return node;
}

const HEADER =
  /^(async\s+)?(def|class|if|elif|else|for|while|with|try|except|finally|match|case|@)/;

function withStatement(
  text: string,
  index: number,
  { brackets }: Cursor,
  expression: string,
): { readonly text: string; readonly from: number } {
  const first = brackets[0]?.index ?? index;
  const start = text.lastIndexOf('\n', first - 1) + 1;
  const next = text.indexOf('\n', index);
  const end = next < 0 ? text.length : next;
  const line = text.slice(start, end);
  const blank = line.trim() === '';
  const indent = blank ? text.slice(start, index) : /^[ \t]*/.exec(line)![0];
  const flat = expression.replace(/\s*\n\s*/g, ' ');
  const keyword = HEADER.exec(line.slice(indent.length))?.[2];
  const word = /\w/.test(line.slice(indent.length)[keyword?.length ?? 0] ?? '')
    ? undefined
    : keyword;
  const [before, after] = around(word);
  const value = flat === 'pass' && before !== '' ? 'None' : flat;
  // Lines below keep their numbers: what was spread over several lines leaves them empty.
  const lines = '\n'.repeat(line.split('\n').length - 1);
  return {
    text: text.slice(0, start) + indent + before + value + after + lines + text.slice(end),
    from: start + indent.length + before.length,
  };
}
/** Text around the expression so that the block below has a header. */
function around(keyword: string | undefined): readonly [string, string] {
  switch (keyword) {
    case undefined:
    case 'try':
    case 'finally':
    case 'else':
    case 'match':
    case 'case':
      return ['', ''];
    case 'def':
      return ['def _(_=', '):'];
    case 'class':
      return ['class _(', '):'];
    case '@':
      return ['@', ''];
    case 'elif':
      return ['elif ', ':'];
    case 'except':
      return ['except ', ':'];
    default:
      return ['if ', ':'];
  }
}

/** The call whose arguments are being typed, with the text of what is called. */
export interface OpenCall {
  readonly callee: string;
  readonly bracket: OpenBracket;
}

export function openCall(text: string, cursor: Cursor): OpenCall | undefined {
  for (const bracket of cursor.brackets.toReversed()) {
    if (bracket.bracket !== '(') continue;
    const from = primaryBefore(text, bracket.index);
    const callee = text.slice(from, bracket.index);
    if (callee === '' || /^(?:in|and|or|not|if|else|return)$/.test(callee)) continue;
    // The parameters of a definition are no arguments.
    if (/\b(?:def|class)\s+$/.test(text.slice(0, from))) return undefined;
    return { callee, bracket };
  }
  return undefined;
}
