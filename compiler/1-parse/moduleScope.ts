/**
 * Meanings of a file's top-level names, from its text alone: imports, constants, functions. It
 * reads plain assignments and evaluates Python's arithmetic on numbers; whatever it cannot read is
 * left out.
 */
import type { StaticValue } from '../program';
import type { Expression, FunctionDef, Module, Statement } from './syntax';
import { childStatements } from './syntax';

export interface ModuleScope {
  readonly names: ReadonlyMap<string, StaticValue>;
  /** The file's `@triton.jit` functions by id. */
  readonly functions: ReadonlyMap<string, FunctionDef>;
}

function functionId(file: string, definition: FunctionDef): string {
  return `${file}:${definition.line}:${definition.name}`;
}

/** Scopes of all files; they may import from each other by the file's name. */
export function moduleScopes(modules: readonly Module[]): Map<string, ModuleScope> {
  const scopes = new Map<string, ModuleScope>();
  const pending = new Set<string>();
  const byName = new Map(
    modules.map((m) => [m.file.replace(/\.py$/, '').replaceAll('/', '.'), m] as const),
  );
  const scopeOf = (module: Module): ModuleScope => {
    const known = scopes.get(module.file);
    if (known) return known;
    if (pending.has(module.file)) return { names: new Map(), functions: new Map() };
    pending.add(module.file);
    const scope = readModule(module, (name) => {
      const other = byName.get(name);
      return other && scopeOf(other);
    });
    scopes.set(module.file, scope);
    return scope;
  };
  modules.forEach(scopeOf);
  return scopes;
}

/** Values in a tuple, those in its tuples counted; larger ones are not known. */
const MAX_LEAVES = 10_000;
const leaves = new WeakMap<StaticValue, number>();
function leavesOf(value: StaticValue): number {
  if (value.kind !== 'tuple') return 1;
  let count = leaves.get(value);
  if (count === undefined)
    leaves.set(value, (count = value.items.reduce((sum, item) => sum + leavesOf(item), 1)));
  return count;
}

/** More digits than Python prints: nothing that a kernel could use. */
const LARGEST = 1n << 14_000n;

type Importer = (module: string) => ModuleScope | undefined;

function readModule(module: Module, importer: Importer): ModuleScope {
  const names = new Map<string, StaticValue>();
  const functions = new Map<string, FunctionDef>();
  const evaluate = (node: Expression): StaticValue | undefined => staticValue(node, names);
  const set = (name: string, value: StaticValue): void => {
    names.set(name, leavesOf(value) > MAX_LEAVES ? { kind: 'other', type: 'tuple' } : value);
  };
  const visit = (statement: Statement): void => {
    switch (statement.kind) {
      case 'import':
        for (const { name, alias } of statement.names) {
          const path = alias ? name : (name.split('.')[0] ?? name);
          names.set(alias ?? path, imported(path));
        }
        return;
      case 'from-import': {
        const from = importer(statement.module.replace(/^\.+/, ''));
        for (const { name, alias } of statement.names) {
          if (name === '*') for (const [key, value] of from?.names ?? []) names.set(key, value);
          else
            names.set(
              alias ?? name,
              from?.names.get(name) ?? imported(`${statement.module}.${name}`),
            );
        }
        return;
      }
      case 'assign': {
        const [target] = statement.targets;
        const value = evaluate(statement.value);
        if (target?.kind === 'name' && value) set(target.id, value);
        return;
      }
      case 'annotated': {
        const value = statement.value && evaluate(statement.value);
        if (statement.target.kind === 'name' && value) set(statement.target.id, value);
        return;
      }
      case 'function': {
        const kind = jitKind(statement, names);
        const id = functionId(module.file, statement);
        if (kind === 'jit') {
          functions.set(id, statement);
          names.set(statement.name, { kind: 'function', id });
        } else if (kind === 'constexpr')
          names.set(statement.name, { kind: 'constexpr_function', id, name: statement.name });
        else if (statement.decorators.length > 0) names.set(statement.name, unread('function'));
        else names.set(statement.name, { kind: 'other', type: 'function' });
        return;
      }
      case 'class':
        names.set(statement.name, unread('type'));
        return;
      default:
        childStatements(statement).forEach(visit);
    }
  };
  module.body.forEach(visit);
  // Kernels inside functions and classes, as some programs write them.
  for (const definition of module.functions)
    if (jitKind(definition, names) === 'jit')
      functions.set(functionId(module.file, definition), definition);
  return { names, functions };
}

/**
 * Names that the text alone leaves open: a module that is not the program's, a class, a decorator's
 * result.
 */
function unread(type: string): StaticValue {
  return { kind: 'other', type, unread: true };
}

/** What Triton lets a kernel call of Python's `math`, with compile-time values. */
const MATH_FUNCTIONS = [
  ...(['acos', 'acosh', 'asin', 'asinh', 'atan', 'atan2', 'atanh', 'cbrt', 'ceil'] as const),
  ...(['copysign', 'cos', 'cosh', 'degrees', 'exp', 'exp2', 'expm1', 'fabs', 'factorial'] as const),
  ...(['floor', 'fmod', 'gcd', 'hypot', 'isfinite', 'isinf', 'isnan', 'isqrt', 'lcm'] as const),
  ...(['log', 'log10', 'log1p', 'log2', 'pow', 'radians', 'sin', 'sinh', 'sqrt', 'tan'] as const),
  ...(['tanh', 'trunc'] as const),
] as const;
export type MathFunction = (typeof MATH_FUNCTIONS)[number];

function mathFunction(name: string): StaticValue {
  return { kind: 'other', type: `builtin_function_or_method ${name}`, reference: `math.${name}` };
}

/**
 * Modules of which kernels use numbers. Their other members are nothing that a kernel could use.
 */
const NUMBERS: Readonly<Record<string, readonly string[]>> = {
  math: ['pi', 'e', 'tau', 'inf', 'nan'],
  numpy: ['pi', 'e', 'inf', 'nan'],
  torch: ['pi', 'e', 'inf', 'nan'],
};
const VALUES: Readonly<Record<string, string>> = {
  pi: String(Math.PI),
  e: String(Math.E),
  tau: String(2 * Math.PI),
  inf: 'inf',
  nan: 'nan',
};

/** Other names of what is Triton's: TorchInductor's output imports by them. */
const INDUCTOR = 'torch._inductor.runtime.triton_helpers.';
const SAME: Readonly<Record<string, string>> = {
  [`${INDUCTOR}libdevice`]: 'triton.language.extra.libdevice',
  [`${INDUCTOR}math`]: 'triton.language.math',
};

function imported(path: string): StaticValue {
  const known = SAME[path] ?? path;
  if (known === 'triton' || known.startsWith('triton.')) return { kind: 'triton', path: known };
  const number = (name: string): StaticValue => ({ kind: 'float', value: VALUES[name]! });
  const numbers = NUMBERS[path];
  if (numbers)
    return {
      kind: 'module',
      name: path,
      members: Object.fromEntries([
        ...numbers.map((name) => [name, number(name)] as const),
        ...(path === 'math' ? MATH_FUNCTIONS.map((f) => [f, mathFunction(f)] as const) : []),
      ]),
    };
  const [module = '', name = '', ...rest] = path.split('.');
  if (rest.length === 0 && NUMBERS[module]?.includes(name)) return number(name);
  if (module === 'math' && rest.length === 0 && MATH_FUNCTIONS.some((f) => f === name))
    return mathFunction(name);
  return unread('module');
}

/** A dotted name as `module.name`, where its head is in `triton`. */
function tritonPath(node: Expression, names: ReadonlyMap<string, StaticValue>): string | undefined {
  if (node.kind === 'name') {
    const value = names.get(node.id);
    return value?.kind === 'triton' ? value.path : undefined;
  }
  if (node.kind === 'attribute') {
    const head = tritonPath(node.object, names);
    return head && `${head}.${node.name}`;
  }
  return undefined;
}

const GLUON = 'triton.experimental.gluon';
/** Decorators of kernels and of what they call. */
const JIT: ReadonlySet<string> = new Set(['triton.jit', 'triton.runtime.jit.jit', `${GLUON}.jit`]);

/** Whether a function is Gluon's. */
export function isGluon(
  { decorators }: FunctionDef,
  { names }: Pick<ModuleScope, 'names'>,
): boolean {
  return decorators.some((decorator) => {
    const callee = decorator.kind === 'call' ? decorator.callee : decorator;
    return tritonPath(callee, names) === `${GLUON}.jit`;
  });
}

function jitKind(
  definition: FunctionDef,
  names: ReadonlyMap<string, StaticValue>,
): 'jit' | 'constexpr' | undefined {
  for (const decorator of definition.decorators) {
    const path = tritonPath(decorator.kind === 'call' ? decorator.callee : decorator, names);
    if (path !== undefined && JIT.has(path)) return 'jit';
    if (path === 'triton.constexpr_function' || path === `${GLUON}.constexpr_function`)
      return 'constexpr';
  }
  return undefined;
}

const DTYPE =
  /^triton\.language\.((?:u?int(?:1|8|16|32|64))|bfloat16|float(?:16|32|64)|float8e\w+)$/;

/** The value of an expression of constants; undefined if it is not one. */
export function staticValue(
  node: Expression,
  names: ReadonlyMap<string, StaticValue>,
): StaticValue | undefined {
  const inner = (e: Expression): StaticValue | undefined => staticValue(e, names);
  switch (node.kind) {
    case 'literal': {
      const { value } = node;
      if (value.type === 'none') return { kind: 'none' };
      if (value.type === 'bool') return { kind: 'bool', value: value.value };
      if (value.type === 'int') return { kind: 'int', value: String(value.value) };
      if (value.type === 'float') return { kind: 'float', value: String(value.value) };
      return value.type === 'string' ? { kind: 'string', value: value.value } : undefined;
    }
    case 'name': {
      const value = names.get(node.id);
      return value?.kind === 'other' ? undefined : value;
    }
    case 'attribute': {
      const path = tritonPath(node, names);
      const dtype = path && DTYPE.exec(path)?.[1];
      if (dtype) return { kind: 'dtype', name: dtype };
      if (path) return { kind: 'triton', path };
      const head = inner(node.object);
      return head?.kind === 'module' ? head.members[node.name] : undefined;
    }
    case 'call': {
      const path = tritonPath(node.callee, names);
      const [first] = node.args;
      const value = first && inner(first);
      if ((path === 'triton.language.constexpr' || path === `${GLUON}.language.constexpr`) && value)
        return value.kind === 'constexpr' ? value : { kind: 'constexpr', value };
      if (node.callee.kind === 'name' && node.callee.id === 'float' && value?.kind === 'string')
        return { kind: 'float', value: value.value };
      if (
        path === 'triton.next_power_of_2' &&
        value?.kind === 'int' &&
        Math.abs(Number(value.value)) < 2 ** 53
      )
        return { kind: 'int', value: String(2 ** Math.ceil(Math.log2(Number(value.value)))) };
      return undefined;
    }
    case 'tuple':
    case 'list': {
      const items = node.items.map(inner);
      return items.every((item) => item !== undefined) ? { kind: 'tuple', items } : undefined;
    }
    case 'unary': {
      const value = inner(node.operand);
      if (node.operator !== '-') return undefined;
      if (value?.kind === 'int') return { kind: 'int', value: String(-BigInt(value.value)) };
      return value?.kind === 'float'
        ? {
            kind: 'float',
            value: value.value.startsWith('-') ? value.value.slice(1) : `-${value.value}`,
          }
        : undefined;
    }
    case 'binary':
      return arithmetic(node.operator, inner(node.left), inner(node.right));
    case 'conditional': {
      const test = inner(node.test);
      return test?.kind === 'bool' ? inner(test.value ? node.yes : node.no) : undefined;
    }
    default:
      return undefined;
  }
}

function arithmetic(
  operator: string,
  a: StaticValue | undefined,
  b: StaticValue | undefined,
): StaticValue | undefined {
  if (a?.kind === 'int' && b?.kind === 'int') {
    const [x, y] = [BigInt(a.value), BigInt(b.value)];
    const results: Record<string, () => bigint> = {
      '+': () => x + y,
      '-': () => x - y,
      '*': () => x * y,
      '<<': () => x << y,
      '**': () => x ** y,
    };
    if ((operator === '<<' || operator === '**') && (y < 0n || y > 256n)) return undefined;
    if (operator === '//' && x >= 0n && y > 0n) return { kind: 'int', value: String(x / y) };
    const result = results[operator]?.();
    const small = result !== undefined && result < LARGEST && result > -LARGEST;
    return small ? { kind: 'int', value: String(result) } : undefined;
  }
  const numbers = [a, b].map((v) =>
    v?.kind === 'int' || v?.kind === 'float' ? Number(v.value) : Number.NaN,
  );
  const [x, y] = numbers as [number, number];
  const results: Record<string, number> = { '+': x + y, '-': x - y, '*': x * y, '/': x / y };
  const result = results[operator];
  if (result === undefined || !Number.isFinite(result)) return undefined;
  return { kind: 'float', value: String(result) };
}
