/**
 * tree-sitter's concrete tree → our statements. Comments and line continuations disappear; ERROR
 * and MISSING nodes become diagnostics, and what stands around them is still converted.
 */
import type { Node } from 'web-tree-sitter';
import type { Diagnostic } from '../diagnostics';
import type {
  BinaryOperator,
  Expression,
  FunctionDef,
  ImportName,
  Module,
  Parameter,
  Statement,
} from './syntax';
import { convertExpression, named, spanOf } from './convertExpression';
import { countNesting, nested } from './nesting';

export function convertModule(file: string, root: Node): Module {
  const functions: FunctionDef[] = [];
  const diagnostics: Diagnostic[] = [];
  if (root.hasError) collectErrors(file, root, diagnostics);
  let body: Statement[] = [];
  const tooDeep = countNesting(() => {
    body = statements(file, root, functions);
  });
  for (const node of tooDeep) diagnostics.push(syntaxError(file, node, 'nested too deeply'));
  functions.sort((a, b) => a.line - b.line);
  return { file, body, functions, diagnostics };
}

/** Errors further inside are not looked for. */
const MAX_TREE_DEPTH = 1000;

/** One diagnostic for each outermost ERROR or MISSING node. */
function collectErrors(file: string, node: Node, out: Diagnostic[], depth = 0): void {
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
function syntaxError(file: string, node: Node, detail: string): Diagnostic {
  return {
    code: 'HC0101',
    severity: 'error',
    message: detail ? `syntax error: ${detail}` : 'syntax error',
    location: spanOf(file, node),
    notes: [],
  };
}

function statements(file: string, block: Node | null, functions: FunctionDef[]): Statement[] {
  if (!block) return [];
  const out: Statement[] = [];
  for (const child of named(block)) {
    if (child.isError) {
      // Statements that the parser could still read inside the error are of use to the outline.
      out.push(...deeper(child, () => statements(file, child, functions), []));
      continue;
    }
    const statement = deeper(child, () => convertStatement(file, child, functions), undefined);
    if (statement) out.push(statement);
  }
  return out;
}

const deeper = <T>(node: Node, body: () => T, otherwise: T): T =>
  nested('statements', node, body, () => otherwise);

function convertStatement(
  file: string,
  node: Node,
  functions: FunctionDef[],
): Statement | undefined {
  const location = spanOf(file, node);
  const field = (name: string): Node | null => node.childForFieldName(name);
  const expression = (name: string): Expression => convertExpression(file, field(name), node);
  const block = (name: string): Statement[] => statements(file, field(name), functions);
  switch (node.type) {
    case 'expression_statement':
      return expressionStatement(file, node);
    case 'return_statement': {
      const value = named(node)[0];
      return value
        ? { kind: 'return', location, value: convertExpression(file, value, node) }
        : { kind: 'return', location };
    }
    case 'if_statement': {
      const alternatives = node.childrenForFieldName('alternative').filter((n) => n !== null);
      return {
        kind: 'if',
        location,
        test: expression('condition'),
        body: block('consequence'),
        orelse: alternative(file, alternatives, functions),
      };
    }
    case 'for_statement':
      return {
        kind: 'for',
        location,
        target: expression('left'),
        iterable: expression('right'),
        body: block('body'),
        orelse: alternative(file, one(field('alternative')), functions),
      };
    case 'while_statement':
      return {
        kind: 'while',
        location,
        test: expression('condition'),
        body: block('body'),
        orelse: alternative(file, one(field('alternative')), functions),
      };
    case 'assert_statement': {
      const [test, message] = named(node);
      return {
        kind: 'assert',
        location,
        test: convertExpression(file, test ?? null, node),
        ...(message ? { message: convertExpression(file, message, node) } : {}),
      };
    }
    case 'pass_statement':
      return { kind: 'pass', location };
    case 'break_statement':
      return { kind: 'break', location };
    case 'continue_statement':
      return { kind: 'continue', location };
    case 'function_definition':
      return functionDefinition(file, node, [], node, functions);
    case 'decorated_definition': {
      const definition = field('definition');
      const decorators = named(node)
        .filter((n) => n.type === 'decorator')
        .map((n) => convertExpression(file, named(n)[0] ?? null, n));
      if (definition?.type === 'function_definition')
        return functionDefinition(file, definition, decorators, node, functions);
      return definition ? convertStatement(file, definition, functions) : undefined;
    }
    case 'class_definition':
      return { kind: 'class', location, name: field('name')?.text ?? '', body: block('body') };
    case 'import_statement':
      return { kind: 'import', location, names: importNames(node) };
    case 'import_from_statement':
    case 'future_import_statement': {
      const wildcard = named(node).some((n) => n.type === 'wildcard_import');
      return {
        kind: 'from-import',
        location,
        module: field('module_name')?.text ?? '__future__',
        names: wildcard ? [{ name: '*' }] : importNames(node),
      };
    }
    default: {
      const inner = named(node).flatMap((child) => nestedBlocks(file, child, functions));
      const what = node.type.replace(/_statement$/, '').replaceAll('_', ' ');
      return { kind: 'unsupported', location, what, body: inner };
    }
  }
}

function one(node: Node | null): Node[] {
  return node ? [node] : [];
}

/** The blocks of a statement that we do not know (`try`, `with`, `match` …). */
function nestedBlocks(file: string, node: Node, functions: FunctionDef[]): Statement[] {
  if (node.type === 'block') return statements(file, node, functions);
  if (!node.type.endsWith('_clause')) return [];
  return deeper(
    node,
    () => named(node).flatMap((child) => nestedBlocks(file, child, functions)),
    [],
  );
}

function alternative(file: string, clauses: Node[], functions: FunctionDef[]): Statement[] {
  const [first, ...rest] = clauses;
  if (!first) return [];
  if (first.type === 'else_clause')
    return statements(file, first.childForFieldName('body'), functions);
  return [
    {
      kind: 'if',
      location: spanOf(file, first),
      test: convertExpression(file, first.childForFieldName('condition'), first),
      body: statements(file, first.childForFieldName('consequence'), functions),
      orelse: deeper(first, () => alternative(file, rest, functions), []),
    },
  ];
}

function expressionStatement(file: string, node: Node): Statement {
  const location = spanOf(file, node);
  const items = named(node);
  const first = items[0];
  if (!first) return { kind: 'unsupported', location, what: 'empty statement', body: [] };
  if (first.type === 'assignment') return assignment(file, first);
  if (first.type === 'augmented_assignment') {
    const operator = first.childForFieldName('operator')?.text.replace(/=$/, '') ?? '+';
    return {
      kind: 'augmented',
      location,
      target: convertExpression(file, first.childForFieldName('left'), first),
      operator: operator as BinaryOperator,
      value: convertExpression(file, first.childForFieldName('right'), first),
    };
  }
  if (items.length > 1 || node.children.some((c) => c?.type === ','))
    return {
      kind: 'expression',
      location,
      value: {
        kind: 'tuple',
        location,
        items: items.map((item) => convertExpression(file, item, node)),
      },
    };
  return { kind: 'expression', location, value: convertExpression(file, first, node) };
}

function assignment(file: string, node: Node): Statement {
  const location = spanOf(file, node);
  const targets = [convertExpression(file, node.childForFieldName('left'), node)];
  const type = node.childForFieldName('type');
  let right = node.childForFieldName('right');
  if (type) {
    const annotation = convertExpression(file, type, node);
    const target = targets[0]!;
    return right
      ? {
          kind: 'annotated',
          location,
          target,
          annotation,
          value: convertExpression(file, right, node),
        }
      : { kind: 'annotated', location, target, annotation };
  }
  while (right?.type === 'assignment' && !right.childForFieldName('type')) {
    targets.push(convertExpression(file, right.childForFieldName('left'), right));
    right = right.childForFieldName('right');
  }
  return { kind: 'assign', location, targets, value: convertExpression(file, right, node) };
}

function functionDefinition(
  file: string,
  node: Node,
  decorators: readonly Expression[],
  outer: Node,
  functions: FunctionDef[],
): FunctionDef {
  const name = node.childForFieldName('name');
  const parameters: Parameter[] = [];
  let keywordOnly = false;
  const list = node.childForFieldName('parameters');
  for (const child of list ? named(list) : []) {
    if (child.type === 'keyword_separator') keywordOnly = true;
    else {
      const parameter = convertParameter(file, child, keywordOnly);
      if (parameter?.kind === 'varargs') keywordOnly = true;
      if (parameter) parameters.push(parameter);
    }
  }
  const definition: FunctionDef = {
    kind: 'function',
    location: spanOf(file, outer),
    name: name?.text ?? '',
    nameLocation: spanOf(file, name ?? node),
    decorators,
    parameters,
    body: statements(file, node.childForFieldName('body'), functions),
    line: outer.startPosition.row + 1,
  };
  functions.push(definition);
  return definition;
}

function convertParameter(file: string, node: Node, keywordOnly: boolean): Parameter | undefined {
  const location = spanOf(file, node);
  const plain = keywordOnly ? 'keyword-only' : 'plain';
  const type = node.childForFieldName('type');
  const annotation = type ? { annotation: convertExpression(file, type, node) } : {};
  const value = node.childForFieldName('value');
  const fallback = value ? { default: convertExpression(file, value, node) } : {};
  switch (node.type) {
    case 'identifier':
      return { location, name: node.text, kind: plain };
    case 'default_parameter':
    case 'typed_default_parameter': {
      const name = node.childForFieldName('name')?.text ?? '';
      return { location, name, kind: plain, ...annotation, ...fallback };
    }
    case 'typed_parameter': {
      const inner = named(node)[0];
      if (inner && inner.type !== 'identifier') {
        const splat = convertParameter(file, inner, keywordOnly);
        return splat ? { ...splat, ...annotation } : undefined;
      }
      return { location, name: inner?.text ?? '', kind: plain, ...annotation };
    }
    case 'list_splat_pattern':
      return { location, name: node.text.slice(1).trim(), kind: 'varargs' };
    case 'dictionary_splat_pattern':
      return { location, name: node.text.slice(2).trim(), kind: 'kwargs' };
    default:
      return undefined;
  }
}

function importNames(node: Node): ImportName[] {
  return node.childrenForFieldName('name').flatMap((child) => {
    if (!child) return [];
    if (child.type === 'aliased_import')
      return [
        {
          name: child.childForFieldName('name')?.text ?? '',
          alias: child.childForFieldName('alias')?.text ?? '',
        },
      ];
    return [{ name: child.text }];
  });
}
