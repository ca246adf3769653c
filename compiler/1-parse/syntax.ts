/**
 * The syntax tree: the subset of Python that kernels are written in, plus what the outline of a
 * file needs. Everything else is an `unsupported` node that keeps its span and says what it is, so
 * that the phase that meets it can name it. Every node carries its location.
 */
import type { Location } from '../ir/location';
import type { Diagnostic } from '../diagnostics';

interface Node {
  readonly location: Location;
}

/** A literal's value. Integers are unbounded, as in Python. */
export type Literal =
  | { readonly type: 'none' }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'int'; readonly value: bigint }
  | { readonly type: 'float'; readonly value: number }
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'ellipsis' };

export type BinaryOperator =
  '+' | '-' | '*' | '/' | '//' | '%' | '**' | '@' | '<<' | '>>' | '&' | '|' | '^';
export type UnaryOperator = '-' | '+' | '~' | 'not';
export const COMPARE_OPERATORS = [
  ...(['<', '<=', '==', '!=', '>', '>='] as const),
  ...(['is', 'is not', 'in', 'not in'] as const),
] as const;
export type CompareOperator = (typeof COMPARE_OPERATORS)[number];

export type Expression =
  | (Node & { readonly kind: 'name'; readonly id: string })
  | (Node & { readonly kind: 'literal'; readonly value: Literal })
  | (Node & { readonly kind: 'fstring'; readonly parts: readonly FStringPart[] })
  | (Node & {
      readonly kind: 'attribute';
      readonly object: Expression;
      readonly name: string;
      readonly nameLocation: Location;
    })
  | (Node & {
      readonly kind: 'call';
      readonly callee: Expression;
      readonly args: readonly Expression[];
      readonly keywords: readonly Keyword[];
    })
  | (Node & { readonly kind: 'subscript'; readonly object: Expression; readonly index: Expression })
  | (Node & {
      readonly kind: 'slice';
      readonly lower?: Expression;
      readonly upper?: Expression;
      readonly step?: Expression;
    })
  | (Node & {
      readonly kind: 'binary';
      readonly operator: BinaryOperator;
      readonly left: Expression;
      readonly right: Expression;
    })
  | (Node & {
      readonly kind: 'unary';
      readonly operator: UnaryOperator;
      readonly operand: Expression;
    })
  | (Node & {
      readonly kind: 'bool';
      readonly operator: 'and' | 'or';
      readonly values: readonly Expression[];
    })
  | (Node & {
      readonly kind: 'compare';
      readonly left: Expression;
      readonly rest: readonly {
        readonly operator: CompareOperator;
        readonly operand: Expression;
      }[];
    })
  | (Node & {
      readonly kind: 'conditional';
      readonly test: Expression;
      readonly yes: Expression;
      readonly no: Expression;
    })
  | (Node & { readonly kind: 'tuple'; readonly items: readonly Expression[] })
  | (Node & { readonly kind: 'list'; readonly items: readonly Expression[] })
  | (Node & {
      readonly kind: 'comprehension';
      readonly element: Expression;
      readonly target: Expression;
      readonly iterable: Expression;
      /** More `for` or an `if`: rejected by Triton. */
      readonly more: boolean;
    })
  | (Node & { readonly kind: 'starred'; readonly value: Expression })
  | (Node & {
      readonly kind: 'walrus';
      readonly target: Expression & { kind: 'name' };
      readonly value: Expression;
    })
  | (Node & {
      readonly kind: 'unsupported';
      readonly what: string;
      /** For a dictionary: the values under keys that are string literals. */
      readonly entries?: Readonly<Record<string, Expression>>;
    });

/** Part of an f-string: text, or a value with its conversion and format. */
export type FStringPart =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'value';
      readonly value: Expression;
      readonly conversion?: string;
      readonly format?: string;
    };

/** `name=value`, or `**value` where `name` is missing. */
export interface Keyword extends Node {
  readonly name?: string;
  readonly value: Expression;
}

export type Statement =
  | (Node & { readonly kind: 'expression'; readonly value: Expression })
  | (Node & {
      readonly kind: 'assign';
      readonly targets: readonly Expression[];
      readonly value: Expression;
    })
  | (Node & {
      readonly kind: 'annotated';
      readonly target: Expression;
      readonly annotation: Expression;
      readonly value?: Expression;
    })
  | (Node & {
      readonly kind: 'augmented';
      readonly target: Expression;
      readonly operator: BinaryOperator;
      readonly value: Expression;
    })
  | (Node & { readonly kind: 'return'; readonly value?: Expression })
  | (Node & {
      readonly kind: 'if';
      readonly test: Expression;
      readonly body: readonly Statement[];
      readonly orelse: readonly Statement[];
    })
  | (Node & {
      readonly kind: 'for';
      readonly target: Expression;
      readonly iterable: Expression;
      readonly body: readonly Statement[];
      readonly orelse: readonly Statement[];
    })
  | (Node & {
      readonly kind: 'while';
      readonly test: Expression;
      readonly body: readonly Statement[];
      readonly orelse: readonly Statement[];
    })
  | (Node & { readonly kind: 'assert'; readonly test: Expression; readonly message?: Expression })
  | (Node & { readonly kind: 'pass' })
  | (Node & { readonly kind: 'break' })
  | (Node & { readonly kind: 'continue' })
  | FunctionDef
  | (Node & {
      readonly kind: 'class';
      readonly name: string;
      readonly body: readonly Statement[];
    })
  | (Node & { readonly kind: 'import'; readonly names: readonly ImportName[] })
  | (Node & {
      readonly kind: 'from-import';
      readonly module: string;
      readonly names: readonly ImportName[];
    })
  | (Node & {
      readonly kind: 'unsupported';
      readonly what: string;
      /** Statements inside (`try`, `with` …): the outline looks there for definitions. */
      readonly body: readonly Statement[];
    });

export interface ImportName {
  readonly name: string;
  readonly alias?: string;
}

export interface Parameter extends Node {
  readonly name: string;
  readonly kind: 'plain' | 'keyword-only' | 'varargs' | 'kwargs';
  readonly annotation?: Expression;
  readonly default?: Expression;
}

export interface FunctionDef extends Node {
  readonly kind: 'function';
  readonly name: string;
  readonly nameLocation: Location;
  readonly decorators: readonly Expression[];
  readonly parameters: readonly Parameter[];
  readonly body: readonly Statement[];
  /** 1-based line of the first decorator, or of `def`. */
  readonly line: number;
}

export interface Module {
  readonly file: string;
  readonly body: readonly Statement[];
  /** Every function of the file, nested ones and methods included, in order. */
  readonly functions: readonly FunctionDef[];
  /** Syntax errors. The tree is made as far as the text can be read. */
  readonly diagnostics: readonly Diagnostic[];
}

/** The function whose first decorator or `def` stands on `line`. */
export function functionAt(module: Module, line: number, name: string): FunctionDef | undefined {
  return (
    module.functions.find((f) => f.name === name && f.line === line) ??
    module.functions.find((f) => f.name === name && f.nameLocation.line === line)
  );
}

/** The statements that stand directly inside a statement, in order. */
export function childStatements(statement: Statement): readonly Statement[] {
  switch (statement.kind) {
    case 'if':
    case 'for':
    case 'while':
      return [...statement.body, ...statement.orelse];
    case 'function':
    case 'class':
    case 'unsupported':
      return statement.body;
    default:
      return [];
  }
}

/** The expressions directly inside an expression. */
export function childExpressions(node: Expression): readonly Expression[] {
  const some = (...items: (Expression | undefined)[]): Expression[] =>
    items.filter((item) => item !== undefined);
  switch (node.kind) {
    case 'attribute':
      return [node.object];
    case 'call':
      return [node.callee, ...node.args, ...node.keywords.map((k) => k.value)];
    case 'subscript':
      return [node.object, node.index];
    case 'slice':
      return some(node.lower, node.upper, node.step);
    case 'binary':
      return [node.left, node.right];
    case 'unary':
      return [node.operand];
    case 'bool':
      return node.values;
    case 'compare':
      return [node.left, ...node.rest.map((r) => r.operand)];
    case 'conditional':
      return [node.test, node.yes, node.no];
    case 'tuple':
    case 'list':
      return node.items;
    case 'comprehension':
      return [node.element, node.target, node.iterable];
    case 'starred':
      return [node.value];
    case 'walrus':
      return [node.target, node.value];
    case 'fstring':
      return node.parts.flatMap((p) => (p.kind === 'value' ? [p.value] : []));
    case 'name':
    case 'literal':
    case 'unsupported':
      return [];
    default:
      return node satisfies never;
  }
}

/** The expressions directly inside a statement (not those of statements inside it). */
export function ownExpressions(node: Statement): readonly Expression[] {
  const some = (...items: (Expression | undefined)[]): Expression[] =>
    items.filter((item) => item !== undefined);
  switch (node.kind) {
    case 'expression':
      return [node.value];
    case 'assign':
      return [...node.targets, node.value];
    case 'annotated':
      return some(node.target, node.annotation, node.value);
    case 'augmented':
      return [node.target, node.value];
    case 'return':
      return some(node.value);
    case 'if':
    case 'while':
      return [node.test];
    case 'for':
      return [node.target, node.iterable];
    case 'assert':
      return some(node.test, node.message);
    case 'function':
      return [...node.decorators, ...node.parameters.flatMap((p) => some(p.annotation, p.default))];
    default:
      return [];
  }
}
