/**
 * tree-sitter's concrete tree → our statements. Comments and line continuations disappear; ERROR
 * and MISSING nodes become diagnostics, and what stands around them is still converted.
 */
import type { Node } from 'web-tree-sitter';
import type { Diagnostic } from '../diagnostics';
import type { Location } from '../ir/location';
import type {
  BinaryOperator,
  Expression,
  FunctionDef,
  ImportName,
  Module,
  Parameter,
  Statement,
} from './syntax';
import { convertAll, convertExpression, convertField, named, spanOf } from './convertExpression';
import { countNesting, nested } from './nesting';
import { collectErrors, syntaxError } from './syntaxErrors';

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

/** Converts a statement, and adds the functions in it to `functions`. */
type Converter = (file: string, node: Node, functions: FunctionDef[]) => Statement | undefined;

/** By tree-sitter's type of a node. All others are unsupported. */
const CONVERTERS: ReadonlyMap<string, Converter> = new Map<string, Converter>([
  ['expression_statement', expressionStatement],
  ['return_statement', returnStatement],
  ['if_statement', ifStatement],
  ['for_statement', forStatement],
  ['while_statement', whileStatement],
  ['assert_statement', assertStatement],
  ['pass_statement', (file, node) => ({ kind: 'pass', location: spanOf(file, node) })],
  ['break_statement', (file, node) => ({ kind: 'break', location: spanOf(file, node) })],
  ['continue_statement', (file, node) => ({ kind: 'continue', location: spanOf(file, node) })],
  ['function_definition', (file, node, all) => functionDefinition(file, node, [], node, all)],
  ['decorated_definition', decoratedDefinition],
  ['class_definition', classDefinition],
  ['import_statement', importStatement],
  ['import_from_statement', fromImport],
  ['future_import_statement', fromImport],
]);

function convertStatement(
  file: string,
  node: Node,
  functions: FunctionDef[],
): Statement | undefined {
  return (CONVERTERS.get(node.type) ?? unsupportedStatement)(file, node, functions);
}

/** The statements of the block in a field of `node`. */
function block(file: string, node: Node, name: string, functions: FunctionDef[]): Statement[] {
  return statements(file, node.childForFieldName(name), functions);
}

function returnStatement(file: string, node: Node): Statement {
  const location = spanOf(file, node);
  const value = named(node)[0];
  return value
    ? { kind: 'return', location, value: convertExpression(file, value, node) }
    : { kind: 'return', location };
}

function assertStatement(file: string, node: Node): Statement {
  const [test, message] = named(node);
  return {
    kind: 'assert',
    location: spanOf(file, node),
    test: convertExpression(file, test, node),
    ...(message ? { message: convertExpression(file, message, node) } : {}),
  };
}

function ifStatement(file: string, node: Node, functions: FunctionDef[]): Statement {
  return {
    kind: 'if',
    location: spanOf(file, node),
    test: convertField(file, node, 'condition'),
    body: block(file, node, 'consequence', functions),
    orelse: alternative(file, alternativesOf(node), functions),
  };
}

function forStatement(file: string, node: Node, functions: FunctionDef[]): Statement {
  return {
    kind: 'for',
    location: spanOf(file, node),
    target: convertField(file, node, 'left'),
    iterable: convertField(file, node, 'right'),
    body: block(file, node, 'body', functions),
    orelse: alternative(file, alternativesOf(node), functions),
  };
}

function whileStatement(file: string, node: Node, functions: FunctionDef[]): Statement {
  return {
    kind: 'while',
    location: spanOf(file, node),
    test: convertField(file, node, 'condition'),
    body: block(file, node, 'body', functions),
    orelse: alternative(file, alternativesOf(node), functions),
  };
}

/** The `elif` and `else` clauses, in order. */
function alternativesOf(node: Node): Node[] {
  return node.childrenForFieldName('alternative').filter((clause) => clause !== null);
}

function alternative(file: string, clauses: Node[], functions: FunctionDef[]): Statement[] {
  const [first, ...rest] = clauses;
  if (!first) return [];
  if (first.type === 'else_clause') return block(file, first, 'body', functions);
  return [
    {
      kind: 'if',
      location: spanOf(file, first),
      test: convertField(file, first, 'condition'),
      body: block(file, first, 'consequence', functions),
      orelse: deeper(first, () => alternative(file, rest, functions), []),
    },
  ];
}

/** A statement that we do not know (`try`, `with`, `match` …), with the statements inside it. */
function unsupportedStatement(file: string, node: Node, functions: FunctionDef[]): Statement {
  const body = named(node).flatMap((child) => nestedBlocks(file, child, functions));
  const what = node.type.replace(/_statement$/, '').replaceAll('_', ' ');
  return { kind: 'unsupported', location: spanOf(file, node), what, body };
}

function nestedBlocks(file: string, node: Node, functions: FunctionDef[]): Statement[] {
  if (node.type === 'block') return statements(file, node, functions);
  if (!node.type.endsWith('_clause')) return [];
  return deeper(
    node,
    () => named(node).flatMap((child) => nestedBlocks(file, child, functions)),
    [],
  );
}

function expressionStatement(file: string, node: Node): Statement {
  const location = spanOf(file, node);
  const items = named(node);
  const first = items[0];
  if (!first) return { kind: 'unsupported', location, what: 'empty statement', body: [] };
  if (first.type === 'assignment') return assignment(file, first);
  if (first.type === 'augmented_assignment') return augmented(file, first, location);
  const isTuple = items.length > 1 || node.children.some((child) => child?.type === ',');
  const value: Expression = isTuple
    ? { kind: 'tuple', location, items: convertAll(file, items, node) }
    : convertExpression(file, first, node);
  return { kind: 'expression', location, value };
}

function augmented(file: string, node: Node, location: Location): Statement {
  const operator = node.childForFieldName('operator')?.text.replace(/=$/, '') ?? '+';
  return {
    kind: 'augmented',
    location,
    target: convertField(file, node, 'left'),
    operator: operator as BinaryOperator,
    value: convertField(file, node, 'right'),
  };
}

function assignment(file: string, node: Node): Statement {
  const location = spanOf(file, node);
  const target = convertField(file, node, 'left');
  const type = node.childForFieldName('type');
  let right = node.childForFieldName('right');
  if (type) {
    const annotation = convertExpression(file, type, node);
    const value = right ? { value: convertExpression(file, right, node) } : {};
    return { kind: 'annotated', location, target, annotation, ...value };
  }
  const targets = [target];
  while (right?.type === 'assignment' && !right.childForFieldName('type')) {
    targets.push(convertField(file, right, 'left'));
    right = right.childForFieldName('right');
  }
  return { kind: 'assign', location, targets, value: convertExpression(file, right, node) };
}

function decoratedDefinition(
  file: string,
  node: Node,
  functions: FunctionDef[],
): Statement | undefined {
  const definition = node.childForFieldName('definition');
  const decorators = named(node)
    .filter(({ type }) => type === 'decorator')
    .map((decorator) => convertExpression(file, named(decorator)[0], decorator));
  if (definition?.type === 'function_definition')
    return functionDefinition(file, definition, decorators, node, functions);
  return definition ? convertStatement(file, definition, functions) : undefined;
}

function classDefinition(file: string, node: Node, functions: FunctionDef[]): Statement {
  return {
    kind: 'class',
    location: spanOf(file, node),
    name: node.childForFieldName('name')?.text ?? '',
    body: block(file, node, 'body', functions),
  };
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
    body: block(file, node, 'body', functions),
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

function importStatement(file: string, node: Node): Statement {
  return { kind: 'import', location: spanOf(file, node), names: importNames(node) };
}

function fromImport(file: string, node: Node): Statement {
  const isWildcard = named(node).some(({ type }) => type === 'wildcard_import');
  return {
    kind: 'from-import',
    location: spanOf(file, node),
    module: node.childForFieldName('module_name')?.text ?? '__future__',
    names: isWildcard ? [{ name: '*' }] : importNames(node),
  };
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
