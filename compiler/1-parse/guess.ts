/**
 * A launch's specialization, guessed from the text: from `kernel[grid](…)` calls, autotune
 * configurations, defaults, and what names of parameters usually mean. Sizes that the text does not
 * give are guessed to differ, because shapes that should not fit would fit if all were one size;
 * the guesses after the first are for kernels that are written for sizes in another order, or for
 * one size.
 */
import type { ArgumentSpec, Specialization, StaticValue } from '../program';
import { staticValue, type ModuleScope } from './moduleScope';
import { launchesOf } from './guessLaunches';
import { pointerNames, tableNames } from './guessPointers';
import { isConstexpr } from './outline';
import {
  childExpressions,
  type Expression,
  type FunctionDef,
  type Module,
  type Parameter,
} from './syntax';

/** The size of a kernel's only block: what tutorials take. */
const ONE_BLOCK = 1024;
/** Sizes of several, each used once; the smallest is the least that `tl.dot` takes. */
const SEVERAL_BLOCKS = [64, 32, 128, 16, 256, 512];

/** The sizes of a kernel's blocks, by the parameters' names. */
type Sizes = ReadonlyMap<string, number>;

/** The likeliest first; none where some constexpr cannot be guessed. */
export function guessSpecializations(
  kernel: FunctionDef,
  modules: readonly Module[],
  scope: ModuleScope,
): Specialization[] {
  const guess = guessArguments(kernel, modules, scope);
  const found = guess.sizes.flatMap((sizes): Specialization[] => {
    const specs = guess.specsFor(sizes);
    if (!specs.every((spec) => spec !== null)) return [];
    const warps = guess.option('num_warps', 0);
    return [
      warps > 0
        ? { arguments: specs, numWarps: warps, statedWarps: true }
        : { arguments: specs, numWarps: 4 },
    ];
  });
  const seen = new Set<string>();
  return found.filter((one) => {
    const key = JSON.stringify(one);
    return !seen.has(key) && seen.add(key);
  });
}

/** From the text alone: null for a constexpr of which nothing is known. */
export function guessArguments(
  kernel: FunctionDef,
  modules: readonly Module[],
  scope: ModuleScope,
): {
  /** With the likeliest sizes. */
  specs: (ArgumentSpec | null)[];
  specsFor: (sizes: Sizes) => (ArgumentSpec | null)[];
  sizes: readonly Sizes[];
  /** An option of the launch or configuration, like num_warps. */
  option: (name: string, fallback: number) => number;
} {
  const launches = modules.flatMap((module) => launchesOf(module, kernel.name, scope.names));
  const given = new Map<string, StaticValue>();
  const note = (name: string | undefined, node: Expression, names = scope.names): void => {
    const value = staticValue(node, names);
    if (name && value && !given.has(name)) given.set(name, value);
  };
  const constexprs = kernel.parameters.filter((p) => isConstexpr(p.annotation));
  for (const { call, locals } of launches) {
    // Names of the launching function are read for constants alone: what else they hold may be set
    // late.
    const names = (name: string | undefined): ReadonlyMap<string, StaticValue> =>
      constexprs.some((parameter) => parameter.name === name) ? locals : scope.names;
    call.keywords.forEach(({ name, value }) => note(name, value, names(name)));
    call.args.forEach((arg, i) => {
      const name = kernel.parameters[i]?.name;
      note(name, arg, names(name));
    });
  }
  const options = new Map<string, StaticValue>();
  for (const decorator of kernel.decorators) readConfig(decorator, scope, given, options);

  const pointers = pointerNames(kernel, scope);
  const tables = tableNames(kernel);
  const known = (parameter: Parameter): StaticValue | undefined =>
    given.get(parameter.name) ?? (parameter.default && staticValue(parameter.default, scope.names));
  const specsFor = (sizes: Sizes): (ArgumentSpec | null)[] => {
    let group = 0;
    return kernel.parameters.map((parameter): ArgumentSpec | null => {
      const value = known(parameter);
      if (isConstexpr(parameter.annotation)) {
        const guess = value ?? guessConstexpr(parameter.name, sizes);
        return guess ? { kind: 'constexpr', value: guess } : null;
      }
      if (value?.kind === 'none') return { kind: 'constexpr', value };
      if (pointers.has(parameter.name) || /(^|_)(ptr|pointer|ptrs)$/i.test(parameter.name))
        return {
          kind: 'pointer',
          dtype: tables.has(parameter.name) ? 'int64' : pointerDtype(parameter.name),
          divisibleBy16: true,
          group: group++,
        };
      if (value?.kind === 'int' && value.value === '1') return { kind: 'constexpr', value };
      return guessScalar(parameter.name, value);
    });
  };
  const sizes = guessSizes(constexprs, known);
  const option = (name: string, fallback: number): number => {
    const value = given.get(name) ?? options.get(name);
    return value?.kind === 'int' ? Number(value.value) : fallback;
  };
  return { specs: specsFor(sizes[0]!), specsFor, sizes, option };
}

function guessScalar(name: string, value: StaticValue | undefined): ArgumentSpec {
  const isFloat =
    value?.kind === 'float' ||
    (!value && /eps|scale|alpha|beta|gamma|^p$|prob|momentum|slope|^lr$|decay/i.test(name));
  return isFloat
    ? { kind: 'scalar', dtype: 'float32', divisibleBy16: false }
    : {
        kind: 'scalar',
        dtype: 'int32',
        divisibleBy16: /stride|^n_|_n$|^[MNK]$/i.test(name),
      };
}

const isSize = (name: string): boolean =>
  guessConstexpr(name, new Map([[name, 0]]))?.kind === 'int' && /block|tile|size|dim/i.test(name);

/**
 * Sizes for those that the text does not give: each another one, in two orders; then all the same.
 */
function guessSizes(
  constexprs: readonly Parameter[],
  known: (parameter: Parameter) => StaticValue | undefined,
): Sizes[] {
  const blocks = constexprs.filter(({ name }) => isSize(name));
  const unknown = blocks.filter((parameter) => !known(parameter)).map(({ name }) => name);
  const taken = blocks.map((parameter) => known(parameter));
  const free = SEVERAL_BLOCKS.filter(
    (size) => !taken.some((value) => value?.kind === 'int' && value.value === String(size)),
  );
  const each = (sizes: readonly number[]): Sizes =>
    new Map(unknown.map((name, i) => [name, sizes[i] ?? SEVERAL_BLOCKS[0]!]));
  const same = each([]);
  if (blocks.length === 1) return [each([ONE_BLOCK]), same];
  const used = free.slice(0, unknown.length);
  return [each(used), each(used.toReversed()), same];
}

/**
 * The first `triton.Config({...}, num_warps=…)` in a decorator: its numbers are spelled out there.
 */
function readConfig(
  decorator: Expression,
  scope: ModuleScope,
  given: Map<string, StaticValue>,
  options: Map<string, StaticValue>,
): void {
  let done = false;
  const visit = (node: Expression): void => {
    if (done) return;
    if (node.kind === 'call' && node.callee.kind === 'attribute' && node.callee.name === 'Config') {
      done = true;
      for (const keyword of node.keywords) {
        const value = staticValue(keyword.value, scope.names);
        if (keyword.name && value) options.set(keyword.name, value);
      }
      const [meta] = node.args;
      if (meta?.kind === 'unsupported')
        for (const [name, value] of Object.entries(meta.entries ?? {})) {
          const known = staticValue(value, scope.names);
          if (known && !given.has(name)) given.set(name, known);
        }
      return;
    }
    childExpressions(node).forEach(visit);
  };
  visit(decorator);
}

function guessConstexpr(name: string, sizes: Sizes): StaticValue | undefined {
  if (/num_stages/i.test(name)) return { kind: 'int', value: '3' };
  if (/num_warps/i.test(name)) return { kind: 'int', value: '4' };
  if (/group/i.test(name)) return { kind: 'int', value: '8' };
  if (/stage/i.test(name)) return { kind: 'int', value: '1' };
  if (/block|tile|size|dim/i.test(name))
    return { kind: 'int', value: String(sizes.get(name) ?? ONE_BLOCK) };
  if (/^(is|has|use|with|causal|even|do|return|store)_?/i.test(name))
    return { kind: 'bool', value: false };
  if (/activation|mode|kind|type/i.test(name)) return { kind: 'string', value: '' };
  return undefined;
}
function pointerDtype(name: string): string {
  if (/lock|count|index|indices|idx|seed|sizes|lens|(^|_)lds|offsets/i.test(name)) return 'int32';
  if (/mask/i.test(name)) return 'int32';
  return 'float32';
}
