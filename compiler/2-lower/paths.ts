/**
 * Names inside `triton`: every way to reach an operation leads to one canonical path, and what is
 * not there is answered with the nearest name that is.
 */
import type { Context } from './context';
import { dtypeNamed, INT32, pointerTo } from './dtypes';
import { hasBuiltin, builtinNames } from './registry';
import { isLibraryFunction, libraryNames } from './library';
import { instead } from './instead';
import { dtypeVal, int, float, type Val } from './values';

export const TL = 'triton.language';
export const GL = 'triton.experimental.gluon.language';
export const LIBDEVICE = 'triton.language.extra.libdevice';

const MODULES = new Set([
  'triton',
  'triton.experimental',
  'triton.experimental.gluon',
  GL,
  TL,
  ...['core', 'standard', 'math', 'random', 'extra', 'target_info'].map((name) => `${TL}.${name}`),
  LIBDEVICE,
  ...['cuda', 'hip', 'cuda.libdevice', 'hip.libdevice', 'cuda.utils', 'cuda.gdc', 'hip.utils'].map(
    (name) => `${TL}.extra.${name}`,
  ),
]);
/**
 * Gluon's names for one kind of hardware: they may be bound, and are refused where they are used.
 */
const HARDWARE = /^triton\.experimental\.gluon\.(?:language\.)?(?:nvidia|amd)(?:\.|$)/;
export function isHardware(path: string): boolean {
  return HARDWARE.test(path);
}
/** As programs write it: `gl.nvidia.hopper.tma`. */
export function shownPath(path: string): string {
  return path.replace(GL, 'gl').replace('triton.experimental.', '').replace(TL, 'tl');
}
/** Operations that make a tile without a layout: Triton refuses them in Gluon. */
const NOT_IN_GLUON: ReadonlySet<string> = new Set(
  'arange full zeros zeros_like cat sort topk flip argmax argmin histogram'
    .split(' ')
    .map((name) => `${TL}.${name}`),
);
/** Whether a kernel may call an operation: `gluon`, one under `@gluon.jit`. */
export function isOfLanguage(path: string, gluon: boolean): boolean {
  return gluon ? !NOT_IN_GLUON.has(path) : !path.startsWith(`${GL}.`);
}
/** Names of `triton.language` that Gluon's language has, too. */
const IN_GLUON = new Set(
  (
    'abs add aggregate_replace associative_scan assume atomic_add atomic_and atomic_cas atomic_max ' +
    'atomic_min atomic_or atomic_xchg atomic_xor bfloat16 block_type broadcast cast cdiv ceil clamp ' +
    'constexpr cos device_assert device_print div_rn dtype erf exp exp2 expand_dims fdiv float8e4b15 ' +
    'float8e4b8 float8e4nv float8e5 float8e5b16 float16 float32 float64 floor fma gather ' +
    'inline_asm_elementwise int1 int8 int16 int32 int64 join load log log2 map_elementwise max ' +
    'max_constancy max_contiguous maximum min minimum mul multiple_of num_programs permute ' +
    'pointer_type program_id ravel reduce reduce_or reshape rsqrt sin split sqrt sqrt_rn ' +
    'static_assert static_print static_range store sub sum tensor to_tensor tuple uint8 uint16 ' +
    'uint32 uint64 umulhi void where xor_sum'
  ).split(' '),
);
/** Modules whose names are those of `triton.language`. */
const SAME_AS_TL = /^triton\.language\.(core|standard|math|random)\./;
/** Modules whose names are those of libdevice. */
const SAME_AS_LIBDEVICE =
  /^triton\.language\.(libdevice|extra\.(libdevice|(cuda|hip)(\.(libdevice|gdc|utils))?|xpu\.libdevice|intel\.libdevice))\./;
/** Classes that programs name in annotations and `isinstance`. */
const CLASSES = new Set(
  [
    'constexpr',
    'const',
    'tensor',
    'dtype',
    'pointer_type',
    'block_type',
    'tuple',
    'tensor_descriptor',
    'tensor_descriptor_type',
    'range',
    'static_range',
    'condition',
    'PropagateNan',
    'aggregate_replace',
    'constexpr_type',
    'base_value',
    'base_type',
  ].map((name) => `${TL}.${name}`),
);
const CONSTANTS: Record<string, Val> = {
  [`${TL}.TRITON_MAX_TENSOR_NUMEL`]: int(1048576),
  [`${TL}.math.pi`]: float(Math.PI),
  [`${TL}.pi32_t`]: dtypeVal(pointerTo(INT32)),
};

/** Meaning of a path in `triton`; `undefined` if there is no such name. */
export function resolvePath(path: string): Val | undefined {
  const constant = CONSTANTS[path];
  if (constant) return constant;
  if (path === `${TL}.libdevice`) return { kind: 'triton', path: LIBDEVICE };
  if (MODULES.has(path) || isHardware(path)) return { kind: 'triton', path };
  if (path.startsWith(`${GL}.`)) {
    const known = path.slice(GL.length + 1);
    if (IN_GLUON.has(known)) return resolvePath(`${TL}.${known}`);
  }
  if (path === 'triton.experimental.gluon.constexpr_function')
    return resolvePath('triton.constexpr_function');
  const name = path.slice(path.lastIndexOf('.') + 1);
  if (SAME_AS_LIBDEVICE.test(path)) return operation(`${LIBDEVICE}.${name}`);
  // `tl.math.max` was libdevice's, of two tiles; `tl.max` reduces one.
  if (/^triton\.language\.math\.(max|min)$/.test(path)) return operation(`${LIBDEVICE}.${name}`);
  if (SAME_AS_TL.test(path)) {
    const here = resolvePath(`${TL}.${name}`);
    // `tl.math` once held libdevice's functions.
    return here ?? (path.startsWith(`${TL}.math.`) ? operation(`${LIBDEVICE}.${name}`) : undefined);
  }
  if (CLASSES.has(path) || /^triton\.language\.PropagateNan\.(ALL|NONE)$/.test(path))
    return { kind: 'triton', path };
  if (path === `triton.constexpr_function`) return { kind: 'triton', path };
  if (path.startsWith(`${TL}.`)) {
    const dtype = path === `${TL}.${name}` ? dtypeNamed(name) : undefined;
    if (dtype && !/^[iu]\d/.test(name)) return dtypeVal(dtype);
  }
  return operation(path);
}

function operation(path: string): Val | undefined {
  if (hasBuiltin(path)) return { kind: 'triton', path };
  const name = path.startsWith(`${TL}.`) ? path.slice(TL.length + 1) : undefined;
  if (name && isLibraryFunction(name)) return { kind: 'function', id: `lib:${name}` };
  if (
    path.startsWith('triton.') &&
    isLibraryFunction(path.slice(7)) &&
    /^triton\.(cdiv)$/.test(path)
  )
    return { kind: 'function', id: 'lib:cdiv' };
  return undefined;
}

/** Edit distance of two words, for suggestions. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next.push(
        Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)),
      );
    row = next;
  }
  return row[b.length]!;
}
/** The nearest of `names`, if it is near. */
export function nearest(word: string, names: Iterable<string>): string | undefined {
  let best: string | undefined;
  // A single letter is near to every other.
  let least = word.length < 2 ? 1 : Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const name of names) {
    // A name from which letters were left out is likelier than a swap among equally near ones.
    const isShortened = distance(word, name) === name.length - word.length;
    const d = distance(word.toLowerCase(), name.toLowerCase()) - (isShortened ? 0.5 : 0);
    if (d < least) [best, least] = [name, d];
  }
  return best;
}

/** The names in a module, for suggestions and completion. */
function namesIn(module: string): string[] {
  const prefix = `${module}.`;
  const names = [...builtinNames(), ...CLASSES]
    .filter((path) => path.startsWith(prefix) && !path.slice(prefix.length).includes('.'))
    .map((path) => path.slice(prefix.length));
  if (module === TL) names.push(...libraryNames());
  if (module === GL) names.push(...IN_GLUON);
  return names;
}

/** Name here of a function of other libraries: the end of a message, or ''. */
export function hint(name: string): string {
  const words = instead(name);
  if (words) return words;
  if (hasBuiltin(`${TL}.${name}`) || isLibraryFunction(name)) return `. Use tl.${name}`;
  return hasBuiltin(`${LIBDEVICE}.${name}`)
    ? `. Use libdevice.${name} (from triton.language.extra import libdevice)`
    : '';
}

/** `module.name`, or an error with a suggestion. */
export function tritonAttribute(
  cx: Context,
  module: string,
  name: string,
  at?: Parameters<Context['locate']>[0],
): Val {
  const found = resolvePath(`${module}.${name}`);
  if (found) return found;
  const shown = shownPath(module);
  const searched = SAME_AS_LIBDEVICE.test(`${module}.`) ? LIBDEVICE : module;
  const known = module === TL ? hint(name) : '';
  const close = known === '' ? nearest(name, namesIn(searched)) : undefined;
  const location = at && cx.locate(at);
  const more = close
    ? `. Did you mean ${shown}.${close}?`
    : known || '. Compute it from operations that exist';
  return cx.fail(
    'HC0105',
    `${shown} has no ${name}${known ? '' : ' that is supported here'}${more}`,
    {
      ...(location ? { at: location } : {}),
      ...(close && location ? { fix: { title: `Change to ${close}`, location, text: close } } : {}),
    },
  );
}
