/**
 * Conditions of breakpoints: a Python expression over what is a scalar in scope. `k > 2 and acc[0,
 * 3] != 0`, `program_id(0) == 3`, `program_id == (1, 2, 0)`. Integers are exact, division is
 * Python's.
 */
import type { Parser } from '../1-parse/parser';
import type { BinaryOperator, CompareOperator, Expression, Literal } from '../1-parse/syntax';

export type Scalar = number | bigint | boolean | string | null;
type Result = Scalar | readonly Scalar[];

/** Values of a condition's names where it is evaluated. */
export interface ConditionScope {
  /** @throws ConditionError of a name that is not known, and of a tile without an index. */
  name(id: string): Result;
  /** @throws ConditionError */
  element(name: string, indices: readonly number[]): Scalar;
  readonly program: readonly [number, number, number];
  readonly grid: readonly [number, number, number];
}

/** Its message is for the user. */
export class ConditionError extends Error {}

/** @throws ConditionError where the text is no expression. */
export function parseCondition(parser: Parser, text: string): Expression {
  const { body, diagnostics } = parser.parse('a condition', text.trim());
  const [only, ...more] = body;
  if (diagnostics.length > 0 || !only || more.length > 0 || only.kind !== 'expression')
    throw new ConditionError('not an expression: k > 2, acc[0, 3] != 0, program_id(0) == 3');
  return only.value;
}

/** Whether the condition holds, by Python's truth. @throws ConditionError */
export function holds(condition: Expression, scope: ConditionScope): boolean {
  return truth(evaluate(condition, scope));
}

function truth(value: Result): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}

function evaluate(node: Expression, scope: ConditionScope): Result {
  switch (node.kind) {
    case 'literal':
      return literal(node.value);
    case 'name':
      return node.id === 'program_id' ? scope.program : scope.name(node.id);
    case 'subscript':
      return subscript(node, scope);
    case 'call':
      return programId(node, scope);
    case 'tuple':
      return node.items.map((item) => scalar(evaluate(item, scope)));
    case 'unary': {
      const value = evaluate(node.operand, scope);
      if (node.operator === 'not') return !truth(value);
      const x = numeric(value);
      if (node.operator === '+') return x;
      if (node.operator === '-') return typeof x === 'bigint' ? normal(-x) : -x;
      return normal(~whole(x));
    }
    case 'binary':
      return binary(node.operator, evaluate(node.left, scope), evaluate(node.right, scope));
    case 'bool': {
      const all = node.operator === 'and';
      let last: Result = all;
      for (const each of node.values) {
        last = evaluate(each, scope);
        if (truth(last) !== all) return last;
      }
      return last;
    }
    case 'compare': {
      let left = evaluate(node.left, scope);
      for (const { operator, operand } of node.rest) {
        const right = evaluate(operand, scope);
        if (!compare(operator, left, right, scope)) return false;
        left = right;
      }
      return true;
    }
    case 'conditional':
      return evaluate(truth(evaluate(node.test, scope)) ? node.yes : node.no, scope);
    default:
      throw new ConditionError(
        'only names, numbers, elements of tiles, program_id and operators are computed here',
      );
  }
}

function literal(value: Literal): Scalar {
  if (value.type === 'none') return null;
  if (value.type === 'ellipsis') throw new ConditionError('... is no number');
  return typeof value.value === 'bigint' ? normal(value.value) : value.value;
}

function subscript(
  { object, index }: Extract<Expression, { kind: 'subscript' }>,
  scope: ConditionScope,
): Scalar {
  const items = index.kind === 'tuple' ? index.items : [index];
  const indices = items.map((item) => Number(whole(numeric(evaluate(item, scope)))));
  if (object.kind !== 'name') throw new ConditionError('only a tile’s name has elements here');
  if (object.id !== 'program_id') return scope.element(object.id, indices);
  return axisOf(indices, scope);
}

/** `program_id(0)`, `tl.program_id(axis=1)`, and `num_programs` alike. */
function programId(
  { callee, args, keywords }: Extract<Expression, { kind: 'call' }>,
  scope: ConditionScope,
): Scalar {
  const name = callee.kind === 'attribute' ? callee.name : callee.kind === 'name' ? callee.id : '';
  if (name !== 'program_id' && name !== 'num_programs')
    throw new ConditionError('of functions, program_id and num_programs are computed here');
  const [axis] = [...args, ...keywords.map(({ value }) => value)];
  const indices = axis ? [Number(whole(numeric(evaluate(axis, scope))))] : [0];
  return axisOf(indices, name === 'program_id' ? scope : { program: scope.grid });
}
function axisOf(indices: readonly number[], scope: Pick<ConditionScope, 'program'>): Scalar {
  const found = indices.length === 1 ? scope.program[indices[0]!] : undefined;
  if (found === undefined) throw new ConditionError('program_id has the axes 0, 1 and 2');
  return found;
}

// ── numbers
// ───────────────────────────────────────────────────────────────────────────────────────

const isTuple = (value: Result): value is readonly Scalar[] => Array.isArray(value);

function scalar(value: Result): Scalar {
  if (isTuple(value)) throw new ConditionError('a tuple stands where a number is needed');
  return value;
}
function numeric(value: Result): number | bigint {
  const x = scalar(value);
  if (typeof x === 'boolean') return x ? 1 : 0;
  if (typeof x === 'number' || typeof x === 'bigint') return x;
  throw new ConditionError(`${x === null ? 'None' : JSON.stringify(x)} is no number`);
}
const isWhole = (x: number | bigint): boolean => typeof x === 'bigint' || Number.isInteger(x);
function whole(x: number | bigint): bigint {
  if (!isWhole(x)) throw new ConditionError(`${x} is no whole number`);
  return BigInt(x);
}
/** A number where it is exact. */
const normal = (x: bigint): number | bigint => (BigInt.asIntN(54, x) === x ? Number(x) : x);

function binary(operator: BinaryOperator, a: Result, b: Result): Scalar {
  const [x, y] = [numeric(a), numeric(b)];
  const divides = operator === '/' || operator === '//' || operator === '%';
  if (divides && Number(y) === 0) throw new ConditionError('division by zero');
  const integers = isWhole(x) && isWhole(y);
  if (operator === '/' || !integers) return floats(operator, Number(x), Number(y));
  return normal(integer(operator, BigInt(x), BigInt(y)));
}
function floats(operator: BinaryOperator, x: number, y: number): number {
  switch (operator) {
    case '+':
      return x + y;
    case '-':
      return x - y;
    case '*':
      return x * y;
    case '/':
      return x / y;
    case '//':
      return Math.floor(x / y);
    case '%':
      return x - Math.floor(x / y) * y;
    case '**':
      return x ** y;
    default:
      throw new ConditionError(`${operator} needs whole numbers`);
  }
}
function integer(operator: BinaryOperator, x: bigint, y: bigint): bigint {
  // Python rounds down, BigInt towards zero.
  const down = (): bigint => x / y - (x % y !== 0n && x < 0n !== y < 0n ? 1n : 0n);
  switch (operator) {
    case '+':
      return x + y;
    case '-':
      return x - y;
    case '*':
      return x * y;
    case '//':
      return down();
    case '%':
      return x - down() * y;
    case '&':
      return x & y;
    case '|':
      return x | y;
    case '^':
      return x ^ y;
    case '<<':
    case '>>':
    case '**':
      if (y < 0n || y > 1024n) throw new ConditionError(`${operator} ${y} is out of range`);
      return operator === '**' ? x ** y : operator === '<<' ? x << y : x >> y;
    default:
      throw new ConditionError(`${operator} is not computed here`);
  }
}

function compare(
  operator: CompareOperator,
  a: Result,
  b: Result,
  { program, grid }: ConditionScope,
): boolean {
  // `program_id == 5` means the program with that linear index, x fastest.
  const flat = (value: Result, other: Result): Result =>
    value === program && !isTuple(other)
      ? program[0] + grid[0] * (program[1] + grid[1] * program[2])
      : value;
  const [x, y] = [flat(a, b), flat(b, a)];
  switch (operator) {
    case '==':
    case 'is':
      return isEqual(x, y);
    case '!=':
    case 'is not':
      return !isEqual(x, y);
    case '<':
      return numeric(x) < numeric(y);
    case '<=':
      return numeric(x) <= numeric(y);
    case '>':
      return numeric(x) > numeric(y);
    case '>=':
      return numeric(x) >= numeric(y);
    case 'in':
    case 'not in': {
      if (!isTuple(y)) throw new ConditionError(`${operator} needs a tuple`);
      return y.some((each) => isEqual(x, each)) === (operator === 'in');
    }
    default:
      return operator satisfies never;
  }
}
function isEqual(x: Result, y: Result): boolean {
  if (isTuple(x) || isTuple(y))
    return (
      isTuple(x) &&
      isTuple(y) &&
      x.length === y.length &&
      x.every((each, i) => isEqual(each, y[i]!))
    );
  if (x === null || y === null || typeof x === 'string' || typeof y === 'string') return x === y;
  // oxlint-disable-next-line eqeqeq -- A bigint and a number.
  return numeric(x) == numeric(y);
}
