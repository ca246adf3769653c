/**
 * Runs the functions of the runtime library (`ir/thread/library`) for one thread. They are WGSL;
 * each is compiled once to closures. Operators and builtins are operations of thread IR, whose
 * `evaluate` says what they do.
 */
import type { HelperName } from '../../ir/thread/library/index';
import { HELPERS } from '../../ir/thread/library/index';
import type { ThreadOpName } from '../../ir/thread/ops';
import { BINARY, BUILTINS, SCALARS, SUFFIXES } from '../../ir/thread/template';
import { number } from '../../ir/thread/types';
import type { NumberType, ScalarName, VectorSize } from '../../ir/thread/types';
import { componentFunction, type Components, rounder, wholeFunction } from './components';
import { parseLibraryFunction } from './librarySyntax';
import type { Expression, Statement, TypeNode } from './librarySyntax';

/** A value: its components; of a table, those of all its elements. */
type Frame = Components[];
interface TableType {
  readonly kind: 'table';
  readonly element: NumberType;
  readonly length: number;
}
type LibraryType = NumberType | TableType;
interface Typed {
  /** Undefined for a literal without a suffix. */
  readonly type: LibraryType | undefined;
  readonly run: (frame: Frame) => Components;
}
const enum Leaves {
  Nothing,
  Loop,
  Function,
}
type Action = (frame: Frame) => Leaves;

export type LibraryCall = (args: readonly Components[]) => Components;

const functions = new Map<string, { readonly result: NumberType; readonly call: LibraryCall }>();
/** A function of the library. Arguments and result are lists of components. */
export function libraryFunction(name: string): {
  readonly result: NumberType;
  readonly call: LibraryCall;
} {
  let found = functions.get(name);
  if (!found) {
    if (!Object.hasOwn(HELPERS, name)) throw new Error(`no function ${name}`);
    found = compileFunction(HELPERS[name as HelperName].text);
    functions.set(name, found);
  }
  return found;
}

function compileFunction(text: string): {
  readonly result: NumberType;
  readonly call: LibraryCall;
} {
  const { parameters, result, body } = parseLibraryFunction(text);
  const compiler = new FunctionCompiler(numberType(result));
  const slots = parameters.map(({ name, type }) => compiler.declare(name, typeOf(type)));
  const action = compiler.block(body);
  const call: LibraryCall = (args) => {
    const frame: Frame = new Array<Components>(compiler.size).fill([]);
    for (let i = 0; i < args.length; i++) frame[slots[i]!] = args[i]!;
    action(frame);
    return frame[0]!;
  };
  return { result: compiler.result, call };
}

function typeOf({ name, args }: TypeNode): LibraryType {
  if (name === 'ptr') return typeOf(args[1]!);
  if (name === 'array')
    return { kind: 'table', element: numberType(args[0]!), length: Number(args[1]!.name) };
  return numberType({ name, args });
}
function numberType({ name, args }: TypeNode): NumberType {
  const size = /^vec([234])$/.exec(name)?.[1];
  if (size) return number(numberType(args[0]!).scalar, Number(size) as VectorSize);
  const scalar = SCALARS[name];
  if (!scalar) throw new Error(`no type ${name}`);
  return scalar;
}
function numbers(type: LibraryType | undefined): NumberType {
  if (type?.kind !== 'number') throw new Error('expected a number');
  return type;
}

class FunctionCompiler {
  /** Slot 0 holds the result. */
  size = 1;
  #scope = new Map<string, { readonly slot: number; readonly type: LibraryType }>();

  constructor(readonly result: NumberType) {}

  declare(name: string, type: LibraryType): number {
    const slot = this.size++;
    this.#scope.set(name, { slot, type });
    return slot;
  }
  #lookup(name: string): { readonly slot: number; readonly type: LibraryType } {
    const found = this.#scope.get(name);
    if (!found) throw new Error(`no name ${name}`);
    return found;
  }

  // ── statements
  // ──────────────────────────────────────────────────────────────────────────────────
  block(statements: readonly Statement[]): Action {
    const outer = this.#scope;
    this.#scope = new Map(outer);
    const actions = statements.map((statement) => this.#statement(statement));
    this.#scope = outer;
    return (frame) => {
      for (let i = 0; i < actions.length; i++) {
        const leaves = actions[i]!(frame);
        if (leaves !== Leaves.Nothing) return leaves;
      }
      return Leaves.Nothing;
    };
  }
  #statement(statement: Statement): Action {
    switch (statement.kind) {
      case 'declare':
        return this.#declaration(statement.name, statement.type, statement.value);
      case 'assign':
        return this.#assignment(statement);
      case 'if': {
        const condition = this.#typed(statement.condition).run;
        const [yes, no] = [this.block(statement.yes), this.block(statement.no)];
        return (frame) => (condition(frame)[0] === 0 ? no(frame) : yes(frame));
      }
      case 'for':
        return this.#for(statement);
      case 'break':
        return () => Leaves.Loop;
      case 'return': {
        const { run } = this.#as(statement.value, this.result.scalar);
        return (frame) => {
          frame[0] = run(frame);
          return Leaves.Function;
        };
      }
      default:
        return statement satisfies never;
    }
  }
  #declaration(
    name: string,
    node: TypeNode | undefined,
    expression: Expression | undefined,
  ): Action {
    const given = node && typeOf(node);
    if (!expression) {
      const type = numbers(given);
      const slot = this.declare(name, type);
      return (frame) => {
        frame[slot] = new Array<number>(type.size).fill(0);
        return Leaves.Nothing;
      };
    }
    // A literal without a suffix is an i32.
    const { type, run } =
      given?.kind === 'table'
        ? this.#typed(expression)
        : this.#as(expression, given?.scalar ?? 'i32');
    if (!type) throw new Error(`${name} has no type`);
    const slot = this.declare(name, type);
    return (frame) => {
      frame[slot] = run(frame);
      return Leaves.Nothing;
    };
  }
  #for(statement: Extract<Statement, { kind: 'for' }>): Action {
    const outer = this.#scope;
    this.#scope = new Map(outer);
    const first = this.#statement(statement.first);
    const condition = this.#typed(statement.condition).run;
    const next = this.#statement(statement.next);
    const body = this.block(statement.body);
    this.#scope = outer;
    return (frame) => {
      for (first(frame); condition(frame)[0] !== 0; next(frame)) {
        const leaves = body(frame);
        if (leaves === Leaves.Function) return leaves;
        if (leaves === Leaves.Loop) break;
      }
      return Leaves.Nothing;
    };
  }
  /** Variables hold lists that nobody changes: an assignment to a component makes another list. */
  #assignment({ target, operator, value }: Extract<Statement, { kind: 'assign' }>): Action {
    const combined: Expression = operator
      ? { kind: 'binary', operator, x: target, y: value }
      : value;
    const type = numbers(this.#typed(target).type);
    const { run } = this.#as(combined, type.scalar);
    const root =
      target.kind === 'name'
        ? target
        : target.kind === 'call'
          ? undefined
          : 'x' in target
            ? target.x
            : undefined;
    if (root?.kind !== 'name') throw new Error('an assignment to no variable');
    const { slot } = this.#lookup(root.name);
    if (target.kind === 'name')
      return (frame) => {
        frame[slot] = run(frame);
        return Leaves.Nothing;
      };
    const first = this.#placeIn(target, type.size);
    return (frame) => {
      const list = [...frame[slot]!];
      const at = first(frame);
      run(frame).forEach((x, i) => (list[at + i] = x));
      frame[slot] = list;
      return Leaves.Nothing;
    };
  }
  /** Index of the first component of `x.y` or `x[i]` in those of x. */
  #placeIn(target: Expression, size: number): (frame: Frame) => number {
    if (target.kind === 'member') {
      const at = 'xyzw'.indexOf(target.name);
      return () => at;
    }
    if (target.kind !== 'index') throw new Error('an assignment to no place');
    const index = this.#as(target.index, 'u32').run;
    return (frame) => index(frame)[0]! * size;
  }

  // ── expressions
  // ─────────────────────────────────────────────────────────────────────────────────
  /** An expression; a literal without a suffix has this type. */
  #as(expression: Expression, scalar: ScalarName): Typed {
    const typed = this.#typed(expression);
    if (typed.type) return typed;
    const value = [rounder(scalar)(typed.run([])[0]!)];
    return { type: number(scalar), run: () => value };
  }
  #typed(expression: Expression): Typed {
    switch (expression.kind) {
      case 'literal': {
        const { value, suffix } = expression;
        const type = SUFFIXES[suffix];
        const list = [type ? rounder(type.scalar)(value) : value];
        return { type, run: () => list };
      }
      case 'name': {
        if (expression.name === 'true' || expression.name === 'false') {
          const list = [expression.name === 'true' ? 1 : 0];
          return { type: number('bool'), run: () => list };
        }
        const { slot, type } = this.#lookup(expression.name);
        return { type, run: (frame) => frame[slot]! };
      }
      case 'unary': {
        const x = this.#typed(expression.x);
        if (!x.type) {
          const list = [-x.run([])[0]!];
          return { type: undefined, run: () => list };
        }
        return this.#operation(expression.operator === '-' ? 'thread.neg' : 'thread.not', [x]);
      }
      case 'binary':
        return this.#binary(expression);
      case 'member': {
        const x = this.#typed(expression.x);
        const { scalar } = numbers(x.type);
        const at = [...expression.name].map((c) => 'xyzw'.indexOf(c));
        return {
          type: number(scalar, at.length as VectorSize),
          run: (frame) => {
            const list = x.run(frame);
            return at.map((i) => list[i]!);
          },
        };
      }
      case 'index':
        return this.#element(expression);
      case 'call':
        return this.#call(expression);
      default:
        return expression satisfies never;
    }
  }
  #element(expression: Extract<Expression, { kind: 'index' }>): Typed {
    const x = this.#typed(expression.x);
    const { run: index } = this.#as(expression.index, 'u32');
    const type = x.type?.kind === 'table' ? x.type.element : number(numbers(x.type).scalar);
    const { size } = type;
    return {
      type,
      run: (frame) => {
        const at = index(frame)[0]! * size;
        return x.run(frame).slice(at, at + size);
      },
    };
  }
  #binary({ operator, x, y }: Extract<Expression, { kind: 'binary' }>): Typed {
    const logical = { '&&': '&', '||': '|' }[operator] ?? operator;
    const shifts = logical === '<<' || logical === '>>';
    const [left, right] = [this.#typed(x), this.#typed(y)];
    const name = BINARY[logical];
    if (!name) throw new Error(`no operator ${operator}`);
    if (!left.type && !right.type) throw new Error('a literal needs a suffix');
    const a = left.type ? left : this.#as(x, numbers(right.type).scalar);
    const b = right.type ? right : this.#as(y, shifts ? 'u32' : numbers(left.type).scalar);
    return this.#operation(name, [a, b]);
  }
  #operation(name: ThreadOpName, args: readonly Typed[], to?: NumberType): Typed {
    const types = args.map(({ type }) => numbers(type));
    const runs = args.map(({ run }) => run);
    const whole = wholeFunction(name, types[0]!, to);
    if (whole) return { type: whole.type, run: (frame) => whole.run(runs[0]!(frame)) };
    const { type, run } = componentFunction(name, types, to);
    const [first, second, third] = runs;
    if (!second) return { type, run: (frame) => run(first!(frame), NONE, NONE) };
    if (!third) return { type, run: (frame) => run(first!(frame), second(frame), NONE) };
    return { type, run: (frame) => run(first!(frame), second(frame), third(frame)) };
  }
  #call({ type: node, args }: Extract<Expression, { kind: 'call' }>): Typed {
    const { name } = node;
    if (name === 'bitcast')
      return this.#operation('thread.bitcast', [this.#typed(args[0]!)], numberType(node.args[0]!));
    if (name === 'array') return this.#table(node, args);
    if (SCALARS[name] || /^vec[234]$/.test(name)) return this.#construct(numberType(node), args);
    if (name === 'select') {
      const condition = this.#typed(args[2]!);
      const values = this.#alike([args[0]!, args[1]!]);
      return this.#operation('thread.select', [condition, values[1]!, values[0]!]);
    }
    const builtin = BUILTINS[name];
    if (builtin === 'thread.ldexp')
      return this.#operation(builtin, [this.#typed(args[0]!), this.#as(args[1]!, 'i32')]);
    if (builtin) return this.#operation(builtin, this.#alike(args));
    const { parameters } = parseLibraryFunction(HELPERS[name as HelperName].text);
    const values = args.map((arg, i) => {
      const type = typeOf(parameters[i]!.type);
      return type.kind === 'number' ? this.#as(arg, type.scalar).run : this.#typed(arg).run;
    });
    const { result, call } = libraryFunction(name);
    return { type: result, run: (frame) => call(values.map((value) => value(frame))) };
  }
  /**
   * Arguments of one scalar type; literals take it from the others, and are i32 among themselves.
   */
  #alike(args: readonly Expression[]): Typed[] {
    const known = args.map((arg) => this.#typed(arg)).find(({ type }) => type);
    return args.map((arg) => this.#as(arg, known ? numbers(known.type).scalar : 'i32'));
  }
  #construct(to: NumberType, args: readonly Expression[]): Typed {
    const values = args.map((arg) => this.#as(arg, to.scalar));
    if (values.length === 1 && numbers(values[0]!.type).size === to.size)
      return numbers(values[0]!.type) === to
        ? values[0]!
        : this.#operation('thread.convert', values, to);
    const parts = values.map((value) => {
      const { scalar, size } = numbers(value.type);
      return scalar === to.scalar
        ? value
        : this.#operation('thread.convert', [value], number(to.scalar, size));
    });
    const runs = parts.map(({ run }) => run);
    if (runs.length === 1)
      return {
        type: to,
        run: (frame) => new Array<number>(to.size).fill(runs[0]!(frame)[0]!),
      };
    return { type: to, run: (frame) => runs.flatMap((run) => run(frame)) };
  }
  #table(node: TypeNode, args: readonly Expression[]): Typed {
    const type = typeOf(node) as TableType;
    const { element, length } = type;
    const values = args.map((arg) => this.#as(arg, element.scalar).run);
    const zeros = new Array<number>(length * element.size).fill(0);
    return {
      type,
      run: (frame) => (values.length === 0 ? zeros : values.flatMap((value) => value(frame))),
    };
  }
}
const NONE: Components = [];
