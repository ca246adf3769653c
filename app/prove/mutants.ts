/**
 * Automatic mutants of a program: each changes one place of one `@triton.jit` function, found in
 * the syntax tree. `npm run mutants` proves each: one that no check accuses shows what
 * the checks cannot see.
 *
 * Guarantee: the mutants of a text, and their order, depend on the text alone.
 */
import type {
  Expression,
  FunctionDef,
  Keyword,
  Module,
  Statement,
} from '../../compiler/1-parse/syntax';
import { childExpressions, childStatements, ownExpressions } from '../../compiler/1-parse/syntax';
import type { Location } from '../../compiler/ir/location';

/** In words of the report: `mask dropped`. */
export type MutantKind =
  | 'operator'
  | 'operand left out'
  | 'operands swapped'
  | 'comparison'
  | 'constant'
  | 'axis'
  | 'mask dropped'
  | 'other value'
  | 'store left out'
  | 'update left out'
  | 'overwritten, not added to'
  | 'arguments swapped'
  | 'function'
  | 'stride'
  | 'dtype'
  | 'loop bound'
  | 'condition negated';

export interface Mutant {
  readonly kind: MutantKind;
  /** Line of the program, from 1. */
  readonly line: number;
  /** The text of the place before and after. */
  readonly before: string;
  readonly after: string;
  readonly program: string;
  /**
   * The program with other numbers in the `other` that the mutant changes; else none. Where none of
   * them changes a result, none depends on the lanes that the mask leaves out.
   */
  readonly probes: readonly string[];
}

/** A change of the text between two places of it. */
interface Edit {
  readonly kind: MutantKind;
  readonly begin: number;
  readonly end: number;
  readonly text: string;
  readonly probes?: readonly Edit[];
}

type Binary = Extract<Expression, { kind: 'binary' }>;
type Call = Extract<Expression, { kind: 'call' }>;

const OPERATORS: Readonly<Record<string, string>> = {
  '+': '-',
  '-': '+',
  '*': '+',
  '/': '*',
  '//': '%',
  '%': '//',
  '&': '|',
  '|': '&',
  '^': '&',
  '<<': '>>',
  '>>': '<<',
};
const COMPARISONS: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '==': '!=',
  '!=': '==',
};
const FUNCTIONS: Readonly<Record<string, string>> = {
  'tl.max': 'tl.min',
  'tl.min': 'tl.max',
  'tl.sum': 'tl.max',
  'tl.maximum': 'tl.minimum',
  'tl.minimum': 'tl.maximum',
  'tl.exp': 'tl.exp2',
  'tl.exp2': 'tl.exp',
  'tl.log': 'tl.log2',
  'tl.log2': 'tl.log',
  'tl.sin': 'tl.cos',
  'tl.cos': 'tl.sin',
  'tl.program_id': 'tl.num_programs',
};
/** Functions of which the order of two arguments counts, by the place of the first of them. */
const ORDERED: Readonly<Record<string, number>> = { 'tl.dot': 0, 'tl.where': 1, 'tl.cdiv': 0 };
const NARROWER: Readonly<Record<string, string>> = {
  'tl.float32': 'tl.float16',
  'tl.int64': 'tl.int32',
  'tl.int32': 'tl.int16',
};
/** Statements of these do not change what is computed. */
const HINTS =
  /^(tl\.(static_assert|static_print|device_print|device_assert|assume|debug_barrier))$/;

/** Every mutant of a program's kernels, in the order of the text. */
export function mutantsOf(module: Module, text: string): Mutant[] {
  const source = new Source(text);
  const edits = module.functions.filter(isKernel).flatMap((kernel) => editsOf(kernel, source));
  const seen = new Set<string>();
  const changed = ({ begin, end, text: by }: Edit): string =>
    text.slice(0, begin) + by + text.slice(end);
  return edits.flatMap((edit): Mutant[] => {
    const { kind, begin, end, text: after, probes = [] } = edit;
    const before = text.slice(begin, end);
    const program = changed(edit);
    if (before === after || seen.has(program)) return [];
    seen.add(program);
    const line = source.lineAt(begin);
    return [{ kind, line, before, after, program, probes: probes.map(changed) }];
  });
}

function isKernel({ decorators }: FunctionDef): boolean {
  return decorators.some((one) => {
    const named = one.kind === 'call' ? one.callee : one;
    return named.kind === 'attribute' && named.name === 'jit';
  });
}

class Source {
  readonly #lines: number[] = [0];

  constructor(readonly text: string) {
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1))
      this.#lines.push(at + 1);
  }
  begin({ line, column }: Location): number {
    return this.#lines[line - 1]! + column - 1;
  }
  end({ endLine, endColumn }: Location): number {
    return this.#lines[endLine - 1]! + endColumn - 1;
  }
  of({ location }: { readonly location: Location }): string {
    return this.text.slice(this.begin(location), this.end(location));
  }
  lineAt(offset: number): number {
    return this.#lines.findLastIndex((begin) => begin <= offset) + 1;
  }
  replace(kind: MutantKind, node: { readonly location: Location }, text: string): Edit {
    return { kind, begin: this.begin(node.location), end: this.end(node.location), text };
  }
  /** Replaces a word that stands between two nodes. */
  between(kind: MutantKind, nodes: readonly [Expression, Expression], word: string, text: string) {
    const from = this.end(nodes[0].location);
    const at = this.text.indexOf(word, from);
    if (at < 0 || at >= this.begin(nodes[1].location)) return [];
    return [{ kind, begin: at, end: at + word.length, text }];
  }
}

/** An operand that takes the place of its operation. */
const operand = (text: string): string => (/^[\w.]+$/.test(text) ? text : `(${text})`);

function editsOf(kernel: FunctionDef, source: Source): Edit[] {
  const strides = kernel.parameters.map(({ name }) => name).filter((name) => /stride/.test(name));
  const inExpression = (node: Expression): Edit[] => [
    ...ofExpression(node, source, strides),
    ...childExpressions(node).flatMap((child) => {
      const edits = inExpression(child);
      return isOther(child, node) ? edits.map((edit) => ofOther(edit, child, source)) : edits;
    }),
  ];
  const inStatement = (node: Statement): Edit[] => {
    if (node.kind === 'function' || isText(node)) return [];
    const own = isHint(node, source) ? [] : ownExpressions(node).flatMap(inExpression);
    return [...ofStatement(node, source), ...own, ...childStatements(node).flatMap(inStatement)];
  };
  return kernel.body.flatMap(inStatement);
}

function isText(node: Statement): boolean {
  return (
    node.kind === 'expression' &&
    node.value.kind === 'literal' &&
    node.value.value.type === 'string'
  );
}
function isHint(node: Statement, source: Source): boolean {
  return (
    node.kind === 'assert' ||
    (node.kind === 'expression' &&
      node.value.kind === 'call' &&
      HINTS.test(source.of(node.value.callee)))
  );
}

function ofStatement(node: Statement, source: Source): Edit[] {
  switch (node.kind) {
    case 'expression': {
      const { value } = node;
      if (value.kind !== 'call') return [];
      const callee = source.of(value.callee);
      return /^tl\.(store|atomic_\w+)$|\.store$/.test(callee)
        ? [source.replace('store left out', node, 'pass')]
        : [];
    }
    case 'augmented':
      return [
        source.replace('update left out', node, 'pass'),
        ...source.between(
          'overwritten, not added to',
          [node.target, node.value],
          `${node.operator}=`,
          '=',
        ),
      ];
    case 'assign': {
      const [target] = node.targets;
      const again = target?.kind === 'name' && uses(node.value, target.id);
      return again ? [source.replace('update left out', node, 'pass')] : [];
    }
    case 'if':
      return [source.replace('condition negated', node.test, `not (${source.of(node.test)})`)];
    case 'for':
      return ofLoop(node.iterable, source);
    default:
      return [];
  }
}

function uses(node: Expression, name: string): boolean {
  if (node.kind === 'name') return node.id === name;
  return childExpressions(node).some((child) => uses(child, name));
}

/** A loop that ends one step early, and one that begins one late. */
function ofLoop(iterable: Expression, source: Source): Edit[] {
  if (iterable.kind !== 'call' || !source.of(iterable.callee).endsWith('range')) return [];
  const { args } = iterable;
  const step = args[2] ? operand(source.of(args[2])) : '1';
  const end = args[1] ?? args[0];
  const begin = args[1] ? args[0] : undefined;
  return [
    ...(end ? [source.replace('loop bound', end, `${operand(source.of(end))} - ${step}`)] : []),
    ...(begin
      ? [source.replace('loop bound', begin, `${operand(source.of(begin))} + ${step}`)]
      : []),
  ];
}

function ofExpression(node: Expression, source: Source, strides: readonly string[]): Edit[] {
  switch (node.kind) {
    case 'binary':
      return ofBinary(node, source);
    case 'compare': {
      const [first] = node.rest;
      const changed = first && COMPARISONS[first.operator];
      return changed
        ? source.between('comparison', [node.left, first.operand], first.operator, changed)
        : [];
    }
    case 'name': {
      const other = strides[(strides.indexOf(node.id) + 1) % strides.length];
      return strides.includes(node.id) && other ? [source.replace('stride', node, other)] : [];
    }
    case 'attribute': {
      const narrower = NARROWER[source.of(node)];
      return narrower ? [source.replace('dtype', node, narrower)] : [];
    }
    case 'unary':
      return node.operator === '-'
        ? [source.replace('operator', node, operand(source.of(node.operand)))]
        : [];
    case 'call':
      return ofCall(node, source);
    case 'literal': {
      const { value } = node;
      if (value.type === 'int') return [source.replace('constant', node, String(value.value + 1n))];
      if (value.type === 'float' && value.value !== 0)
        return [source.replace('constant', node, `${value.value * 2}`)];
      return [];
    }
    default:
      return [];
  }
}

function ofBinary(node: Binary, source: Source): Edit[] {
  const { left, right, operator } = node;
  const [a, b] = [source.of(left), source.of(right)];
  const changed = OPERATORS[operator];
  return [
    ...(changed ? source.between('operator', [left, right], operator, changed) : []),
    source.replace('operand left out', node, operand(a)),
    source.replace('operand left out', node, operand(b)),
    ...(['-', '/', '//', '%'].includes(operator)
      ? [source.replace('operands swapped', node, `${operand(b)} ${operator} ${operand(a)}`)]
      : []),
  ];
}

function ofCall(node: Call, source: Source): Edit[] {
  const callee = source.of(node.callee);
  const { args, keywords } = node;
  const edits: Edit[] = [];
  const changed = FUNCTIONS[callee];
  if (changed) edits.push(source.replace('function', node.callee, changed));
  const place = ORDERED[callee];
  const [first, second] = place === undefined ? [] : args.slice(place, place + 2);
  if (first && second) {
    const begin = source.begin(first.location);
    const middle = source.text.slice(source.end(first.location), source.begin(second.location));
    const text = source.of(second) + middle + source.of(first);
    edits.push({ kind: 'arguments swapped', begin, end: source.end(second.location), text });
  }
  for (const keyword of keywords) edits.push(...ofKeyword(keyword, node, source));
  return edits;
}

const isOther = (node: Expression, of: Expression): boolean =>
  of.kind === 'call' && of.keywords.some(({ name, value }) => name === 'other' && value === node);

/** A change of `value`, the `other` of a load. */
function ofOther(edit: Edit, value: Expression, source: Source): Edit {
  const float = /inf|\./.test(source.of(value));
  const probes = (float ? ['1234.5', '-77.25'] : ['1234', '-77']).map((number) =>
    source.replace('other value', value, number),
  );
  return { ...edit, kind: 'other value', probes };
}

function ofKeyword(keyword: Keyword, call: Call, source: Source): Edit[] {
  const { name, value } = keyword;
  const text = source.of(value);
  if (name === 'mask') return leftOut('mask dropped', keyword, call, source);
  if (name === 'other') {
    const one = /inf/.test(text) ? '0.0' : text.includes('.') ? '1.0' : '1';
    const more = [...call.keywords, ...call.args].length > 1;
    return [
      source.replace('other value', value, one),
      ...(more ? leftOut('other value', keyword, call, source) : []),
    ].map((edit) => ofOther(edit, value, source));
  }
  if (name === 'axis' && /^[01]$/.test(text))
    return [source.replace('axis', value, String(1 - Number(text)))];
  return [];
}

/** A keyword and the comma before it; `other` goes with its mask. */
function leftOut(kind: MutantKind, keyword: Keyword, call: Call, source: Source): Edit[] {
  const both = keyword.name === 'mask' ? ['mask', 'other'] : [keyword.name];
  const gone = call.keywords.filter(({ name }) => both.includes(name));
  const begin = source.begin(call.location);
  let text = source.of(call);
  for (const one of gone.toReversed()) {
    const at = source.begin(one.location) - begin;
    const head = text.slice(0, at).replace(/,\s*$/, '');
    text = head + text.slice(source.end(one.location) - begin);
  }
  return [{ kind, begin, end: source.end(call.location), text }];
}

/** So many of a list, chosen by a seed, in the list's own order; kinds take turns. */
export function sampleOf(mutants: readonly Mutant[], count: number, seed: number): Mutant[] {
  const random = generator(seed);
  const kinds = new Map<MutantKind, Mutant[]>();
  for (const mutant of mutants) kinds.set(mutant.kind, [...(kinds.get(mutant.kind) ?? []), mutant]);
  const queues = [...kinds.values()].map((list) => shuffled(list, random));
  const order = shuffled(queues, random);
  const taken = new Set<Mutant>();
  for (let round = 0; taken.size < Math.min(count, mutants.length); round++)
    for (const queue of order) {
      const one = queue[round];
      if (one && taken.size < count) taken.add(one);
    }
  return mutants.filter((mutant) => taken.has(mutant));
}

function shuffled<T>(list: readonly T[], random: () => number): T[] {
  const result = [...list];
  for (let i = result.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [result[i], result[j]] = [result[j]!, result[i]!];
  }
  return result;
}

/** Numbers from 0 to 1, the same for the same seed (a linear congruence mod 2^32). */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
