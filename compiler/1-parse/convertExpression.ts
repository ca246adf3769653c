/**
 * tree-sitter's concrete tree → our expressions. Every node becomes one: an `unsupported` one, with
 * its span, if it has no part in a kernel or is half typed.
 */
import type { Node } from 'web-tree-sitter';
import type { Location } from '../ir/location';
import { numberRefused, parseNumber, stringParts } from './literals';
import { nested } from './nesting';
import { COMPARE_OPERATORS } from './syntax';
import type {
  BinaryOperator,
  CompareOperator,
  Expression,
  Keyword,
  Literal,
  UnaryOperator,
} from './syntax';

export function spanOf(file: string, node: Node): Location {
  const { startPosition: start, endPosition: end } = node;
  return {
    file,
    line: start.row + 1,
    column: start.column + 1,
    endLine: end.row + 1,
    endColumn: end.column + 1,
  };
}

/** The named children that are not comments. */
export function named(node: Node): Node[] {
  return node.namedChildren.filter((child): child is Node => child !== null && !child.isExtra);
}

export function unsupported(file: string, node: Node, what?: string): Expression {
  return {
    kind: 'unsupported',
    location: spanOf(file, node),
    what: what ?? node.type.replaceAll('_', ' '),
  };
}

/** Converts `node`; a missing one (in a half-typed file) becomes a placeholder at `parent`. */
export function convertExpression(
  file: string,
  node: Node | null | undefined,
  parent: Node,
): Expression {
  if (!node) return unsupported(file, parent, 'syntax error');
  return nested(
    'expressions',
    node,
    () => (CONVERTERS.get(node.type) ?? unsupported)(file, node),
    () => unsupported(file, node, 'expressions nested this deeply'),
  );
}
/** Converts the child in a field of `node`. */
export function convertField(file: string, node: Node, name: string): Expression {
  return convertExpression(file, node.childForFieldName(name), node);
}
export function convertAll(file: string, nodes: readonly Node[], parent: Node): Expression[] {
  return nodes.map((node) => convertExpression(file, node, parent));
}

type Converter = (file: string, node: Node) => Expression;

/** By tree-sitter's type of a node. All others are unsupported. */
const CONVERTERS: ReadonlyMap<string, Converter> = new Map<string, Converter>([
  ['identifier', (file, node) => ({ kind: 'name', location: spanOf(file, node), id: node.text })],
  ['integer', number],
  ['float', number],
  ['true', (file, node) => literal(file, node, { type: 'bool', value: true })],
  ['false', (file, node) => literal(file, node, { type: 'bool', value: false })],
  ['none', (file, node) => literal(file, node, { type: 'none' })],
  ['ellipsis', (file, node) => literal(file, node, { type: 'ellipsis' })],
  ['string', string],
  ['concatenated_string', string],
  ['parenthesized_expression', inner],
  ['type', inner],
  ['as_pattern_target', inner],
  ['generic_type', genericType],
  ['union_type', unionType],
  ['attribute', attribute],
  ['call', call],
  ['subscript', subscript],
  ['slice', slice],
  ['binary_operator', binary],
  ['unary_operator', unary],
  ['not_operator', not],
  ['boolean_operator', boolean],
  ['comparison_operator', comparison],
  ['conditional_expression', conditional],
  ['tuple', tuple],
  ['expression_list', tuple],
  ['pattern_list', tuple],
  ['tuple_pattern', tuple],
  ['list', list],
  ['list_pattern', list],
  ['list_comprehension', comprehension],
  ['list_splat', starred],
  ['list_splat_pattern', starred],
  ['named_expression', walrus],
  ['dictionary', dictionary],
  ['ERROR', (file, node) => unsupported(file, node, 'syntax error')],
]);

function literal(file: string, node: Node, value: Literal): Expression {
  return { kind: 'literal', location: spanOf(file, node), value };
}

function number(file: string, node: Node): Expression {
  const value = parseNumber(node.text);
  return value ? literal(file, node, value) : unsupported(file, node, numberRefused(node.text));
}

function string(file: string, node: Node): Expression {
  const parts = stringParts(node, (child) => convertExpression(file, child, node));
  if (!parts) return unsupported(file, node, 'bytes literal');
  if (parts.every((part) => part.kind === 'text'))
    return literal(file, node, { type: 'string', value: parts.map(({ text }) => text).join('') });
  return { kind: 'fstring', location: spanOf(file, node), parts };
}

/** The one expression that the node stands around. */
function inner(file: string, node: Node): Expression {
  return convertExpression(file, named(node)[0], node);
}

/** `Optional[int]`, which in an annotation is no subscript to tree-sitter. */
function genericType(file: string, node: Node): Expression {
  const location = spanOf(file, node);
  const [object, ...indices] = named(node);
  const items = convertAll(file, indices.flatMap(named), node);
  const index: Expression = items.length === 1 ? items[0]! : { kind: 'tuple', location, items };
  return { kind: 'subscript', location, object: convertExpression(file, object, node), index };
}

/** `int | None`, which in an annotation is no operation to tree-sitter. */
function unionType(file: string, node: Node): Expression {
  const [left, right] = named(node);
  return {
    kind: 'binary',
    location: spanOf(file, node),
    operator: '|',
    left: convertExpression(file, left, node),
    right: convertExpression(file, right, node),
  };
}

function attribute(file: string, node: Node): Expression {
  const name = node.childForFieldName('attribute');
  return {
    kind: 'attribute',
    location: spanOf(file, node),
    object: convertField(file, node, 'object'),
    name: name?.text ?? '',
    nameLocation: spanOf(file, name ?? node),
  };
}

function call(file: string, node: Node): Expression {
  const args: Expression[] = [];
  const keywords: Keyword[] = [];
  const given = node.childForFieldName('arguments');
  if (given?.type === 'generator_expression') args.push(unsupported(file, given));
  else
    for (const child of given ? named(given) : []) {
      const location = spanOf(file, child);
      if (child.type === 'keyword_argument') {
        const name = child.childForFieldName('name')?.text ?? '';
        const value = convertExpression(file, child.childForFieldName('value'), node);
        keywords.push({ location, name, value });
      } else if (child.type === 'dictionary_splat')
        keywords.push({ location, value: convertExpression(file, named(child)[0], node) });
      else args.push(convertExpression(file, child, node));
    }
  const callee = convertField(file, node, 'function');
  return { kind: 'call', location: spanOf(file, node), callee, args, keywords };
}

function subscript(file: string, node: Node): Expression {
  const location = spanOf(file, node);
  const indices = node.childrenForFieldName('subscript').filter((child) => child !== null);
  const items = convertAll(file, indices, node);
  const isTuple = items.length !== 1 || node.children.some((child) => child?.type === ',');
  const index: Expression = isTuple
    ? { kind: 'tuple', location: indices[0] ? spanOf(file, indices[0]) : location, items }
    : items[0]!;
  return { kind: 'subscript', location, object: convertField(file, node, 'value'), index };
}

function slice(file: string, node: Node): Expression {
  const parts: (Node | undefined)[] = [undefined, undefined, undefined];
  let at = 0;
  for (const child of node.children) {
    if (!child || child.isExtra) continue;
    if (child.type === ':') at++;
    else parts[at] = child;
  }
  const [lower, upper, step] = parts;
  return {
    kind: 'slice',
    location: spanOf(file, node),
    ...(lower ? { lower: convertExpression(file, lower, node) } : {}),
    ...(upper ? { upper: convertExpression(file, upper, node) } : {}),
    ...(step ? { step: convertExpression(file, step, node) } : {}),
  };
}

function binary(file: string, node: Node): Expression {
  return {
    kind: 'binary',
    location: spanOf(file, node),
    operator: (node.childForFieldName('operator')?.text ?? '+') as BinaryOperator,
    left: convertField(file, node, 'left'),
    right: convertField(file, node, 'right'),
  };
}

function unary(file: string, node: Node): Expression {
  return {
    kind: 'unary',
    location: spanOf(file, node),
    operator: (node.childForFieldName('operator')?.text ?? '-') as UnaryOperator,
    operand: convertField(file, node, 'argument'),
  };
}

function not(file: string, node: Node): Expression {
  const operand = convertField(file, node, 'argument');
  return { kind: 'unary', location: spanOf(file, node), operator: 'not', operand };
}

/** `a and b and c` is one operation in Python; a parenthesis keeps its own. */
function boolean(file: string, node: Node): Expression {
  const operator = node.childForFieldName('operator')?.text === 'or' ? 'or' : 'and';
  const left = node.childForFieldName('left');
  const first = convertExpression(file, left, node);
  const isSame =
    left?.type === 'boolean_operator' && first.kind === 'bool' && first.operator === operator;
  const values = isSame ? [...first.values] : [first];
  values.push(convertField(file, node, 'right'));
  return { kind: 'bool', location: spanOf(file, node), operator, values };
}

function asCompareOperator(text: string): CompareOperator | undefined {
  return COMPARE_OPERATORS.find((operator) => operator === text);
}
function comparison(file: string, node: Node): Expression {
  const operands: Expression[] = [];
  const operators: CompareOperator[] = [];
  let words: string[] = [];
  for (const child of node.children) {
    if (!child || child.isExtra) continue;
    if (!child.isNamed) {
      words.push(...child.text.split(/\s+/));
      continue;
    }
    if (operands.length > 0) {
      // Half-typed (`x not 20`), or of Python 2 (`<>`).
      const operator = asCompareOperator(words.join(' '));
      if (!operator) return unsupported(file, node, `the comparison "${words.join(' ')}"`);
      operators.push(operator);
    }
    words = [];
    operands.push(convertExpression(file, child, node));
  }
  const [left, ...rest] = operands;
  return {
    kind: 'compare',
    location: spanOf(file, node),
    left: left ?? unsupported(file, node, 'syntax error'),
    rest: rest.map((operand, i) => ({ operator: operators[i] ?? '==', operand })),
  };
}

function conditional(file: string, node: Node): Expression {
  const [yes, test, no] = named(node);
  return {
    kind: 'conditional',
    location: spanOf(file, node),
    yes: convertExpression(file, yes, node),
    test: convertExpression(file, test, node),
    no: convertExpression(file, no, node),
  };
}

function tuple(file: string, node: Node): Expression {
  const items = convertAll(file, named(node), node);
  return { kind: 'tuple', location: spanOf(file, node), items };
}

function list(file: string, node: Node): Expression {
  const items = convertAll(file, named(node), node);
  return { kind: 'list', location: spanOf(file, node), items };
}

function comprehension(file: string, node: Node): Expression {
  const clauses = named(node).filter(({ type }) => type.endsWith('_clause'));
  const first = clauses[0];
  return {
    kind: 'comprehension',
    location: spanOf(file, node),
    element: convertField(file, node, 'body'),
    target: convertExpression(file, first?.childForFieldName('left'), node),
    iterable: convertExpression(file, first?.childForFieldName('right'), node),
    more: clauses.length > 1,
  };
}

function starred(file: string, node: Node): Expression {
  return { kind: 'starred', location: spanOf(file, node), value: inner(file, node) };
}

function walrus(file: string, node: Node): Expression {
  const target = convertField(file, node, 'name');
  if (target.kind !== 'name') return unsupported(file, node);
  const value = convertField(file, node, 'value');
  return { kind: 'walrus', location: spanOf(file, node), target, value };
}

/** No kernel may have one; the values under string literals are kept for the outline. */
function dictionary(file: string, node: Node): Expression {
  const entries: Record<string, Expression> = {};
  for (const pair of named(node)) {
    const key = convertExpression(file, pair.childForFieldName('key'), node);
    if (key.kind === 'literal' && key.value.type === 'string')
      entries[key.value.value] = convertExpression(file, pair.childForFieldName('value'), node);
  }
  return { kind: 'unsupported', location: spanOf(file, node), what: 'dictionary', entries };
}
