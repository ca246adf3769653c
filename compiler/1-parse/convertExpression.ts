/** tree-sitter's concrete tree → our expressions. */
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

/** Converts `node`; where it is missing (a half-typed file), a placeholder at `parent`. */
export function convertExpression(file: string, node: Node | null, parent: Node): Expression {
  if (!node) return unsupported(file, parent, 'syntax error');
  return nested(
    'expressions',
    node,
    () => convertNode(file, node),
    () => unsupported(file, node, 'expressions nested this deeply'),
  );
}

function convertNode(file: string, node: Node): Expression {
  const location = spanOf(file, node);
  const convert = (child: Node | null | undefined): Expression =>
    convertExpression(file, child ?? null, node);
  const field = (name: string): Expression => convert(node.childForFieldName(name));
  const literal = (value: Literal): Expression => ({ kind: 'literal', location, value });
  switch (node.type) {
    case 'identifier':
      return { kind: 'name', location, id: node.text };
    case 'integer':
    case 'float': {
      const value = parseNumber(node.text);
      return value ? literal(value) : unsupported(file, node, numberRefused(node.text));
    }
    case 'true':
      return literal({ type: 'bool', value: true });
    case 'false':
      return literal({ type: 'bool', value: false });
    case 'none':
      return literal({ type: 'none' });
    case 'ellipsis':
      return literal({ type: 'ellipsis' });
    case 'string':
    case 'concatenated_string': {
      const parts = stringParts(node, convert);
      if (!parts) return unsupported(file, node, 'bytes literal');
      if (parts.every((part) => part.kind === 'text'))
        return literal({ type: 'string', value: parts.map((part) => part.text).join('') });
      return { kind: 'fstring', location, parts };
    }
    case 'parenthesized_expression':
    case 'type':
    case 'as_pattern_target':
      return convert(named(node)[0]);
    // Forms of annotations that are no plain expressions: `Optional[int]`, `int | None`.
    case 'generic_type': {
      const [object, ...indices] = named(node);
      const items = indices.flatMap(named).map(convert);
      const index = items.length === 1 ? items[0]! : ({ kind: 'tuple', location, items } as const);
      return { kind: 'subscript', location, object: convert(object), index };
    }
    case 'union_type': {
      const [left, right] = named(node);
      return {
        kind: 'binary',
        location,
        operator: '|',
        left: convert(left),
        right: convert(right),
      };
    }
    case 'attribute': {
      const name = node.childForFieldName('attribute');
      return {
        kind: 'attribute',
        location,
        object: field('object'),
        name: name?.text ?? '',
        nameLocation: spanOf(file, name ?? node),
      };
    }
    case 'call':
      return call(file, node);
    case 'subscript': {
      const indices = node.childrenForFieldName('subscript').filter((n) => n !== null);
      const comma = node.children.some((child) => child?.type === ',');
      const index: Expression =
        indices.length === 1 && !comma
          ? convert(indices[0])
          : {
              kind: 'tuple',
              location: indices[0] ? spanOf(file, indices[0]) : location,
              items: indices.map(convert),
            };
      return { kind: 'subscript', location, object: field('value'), index };
    }
    case 'slice': {
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
        location,
        ...(lower ? { lower: convert(lower) } : {}),
        ...(upper ? { upper: convert(upper) } : {}),
        ...(step ? { step: convert(step) } : {}),
      };
    }
    case 'binary_operator':
      return {
        kind: 'binary',
        location,
        operator: (node.childForFieldName('operator')?.text ?? '+') as BinaryOperator,
        left: field('left'),
        right: field('right'),
      };
    case 'unary_operator':
      return {
        kind: 'unary',
        location,
        operator: (node.childForFieldName('operator')?.text ?? '-') as UnaryOperator,
        operand: field('argument'),
      };
    case 'not_operator':
      return { kind: 'unary', location, operator: 'not', operand: field('argument') };
    case 'boolean_operator': {
      const operator = node.childForFieldName('operator')?.text === 'or' ? 'or' : 'and';
      const left = node.childForFieldName('left');
      const first = field('left');
      // `a and b and c` is one operation in Python; a parenthesis keeps its own.
      const values =
        left?.type === 'boolean_operator' && first.kind === 'bool' && first.operator === operator
          ? [...first.values, field('right')]
          : [first, field('right')];
      return { kind: 'bool', location, operator, values };
    }
    case 'comparison_operator':
      return comparison(file, node);
    case 'conditional_expression': {
      const [yes, test, no] = named(node);
      return {
        kind: 'conditional',
        location,
        yes: convert(yes),
        test: convert(test),
        no: convert(no),
      };
    }
    case 'tuple':
    case 'expression_list':
    case 'pattern_list':
    case 'tuple_pattern':
      return { kind: 'tuple', location, items: named(node).map(convert) };
    case 'list':
    case 'list_pattern':
      return { kind: 'list', location, items: named(node).map(convert) };
    case 'list_comprehension': {
      const clauses = named(node).filter((n) => n.type.endsWith('_clause'));
      const first = clauses[0];
      return {
        kind: 'comprehension',
        location,
        element: field('body'),
        target: convert(first?.childForFieldName('left')),
        iterable: convert(first?.childForFieldName('right')),
        more: clauses.length > 1,
      };
    }
    case 'list_splat':
    case 'list_splat_pattern':
      return { kind: 'starred', location, value: convert(named(node)[0]) };
    case 'named_expression': {
      const target = field('name');
      if (target.kind !== 'name') return unsupported(file, node);
      return { kind: 'walrus', location, target, value: field('value') };
    }
    case 'dictionary': {
      const entries: Record<string, Expression> = {};
      for (const pair of named(node)) {
        const key = convert(pair.childForFieldName('key'));
        if (key.kind === 'literal' && key.value.type === 'string')
          entries[key.value.value] = convert(pair.childForFieldName('value'));
      }
      return { kind: 'unsupported', location, what: 'dictionary', entries };
    }
    case 'ERROR':
      return unsupported(file, node, 'syntax error');
    default:
      return unsupported(file, node);
  }
}

function call(file: string, node: Node): Expression {
  const convert = (child: Node | null): Expression => convertExpression(file, child, node);
  const list = node.childForFieldName('arguments');
  const args: Expression[] = [];
  const keywords: Keyword[] = [];
  if (list?.type === 'generator_expression') args.push(unsupported(file, list));
  else
    for (const child of list ? named(list) : []) {
      const location = spanOf(file, child);
      if (child.type === 'keyword_argument') {
        const name = child.childForFieldName('name')?.text ?? '';
        keywords.push({ location, name, value: convert(child.childForFieldName('value')) });
      } else if (child.type === 'dictionary_splat')
        keywords.push({ location, value: convert(named(child)[0] ?? null) });
      else args.push(convert(child));
    }
  return {
    kind: 'call',
    location: spanOf(file, node),
    callee: convert(node.childForFieldName('function')),
    args,
    keywords,
  };
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
