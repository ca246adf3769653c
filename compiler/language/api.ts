/**
 * Names of a program and their documentation: signatures and documentation by dotted path. The part
 * of Triton's language comes from the compiler's own tables; that of torch, numpy and Triton's host
 * side is read from the Python packages when the page is built, and handed in.
 */
import '../2-lower/builtins';
import { isLibraryMember, libraryNames, librarySignatures } from '../2-lower/library';
import { LIBDEVICE, TL } from '../2-lower/paths';
import { allBuiltins } from '../2-lower/registry';
import { CLASS_DOCS, LANGUAGE_DOCS, libdeviceDoc, METHOD_DOCS, TILE_ATTRIBUTES } from './docs';

export type ApiKind = 'module' | 'class' | 'function' | 'method' | 'property' | 'value';

export interface ApiEntry {
  readonly kind: ApiKind;
  /** `(input, dim=None)`; of a class, its constructor's. */
  readonly signature?: string;
  /** Markdown. */
  readonly doc?: string;
  /** Path of its members, if that is another one: `torch.nn.F` is `torch.nn.functional`. */
  readonly is?: string;
  /** For a class, the path of the class whose members it has too. */
  readonly base?: string;
}
/** The members of a module or class, by name. */
export type ApiSpace = Readonly<Record<string, ApiEntry>>;
/** By path: 'torch', 'torch.nn.functional', 'torch.Tensor', 'triton.language' … */
export type Api = Readonly<Record<string, ApiSpace>>;

/** The class of tiles in a kernel; its methods are completed there. */
export const TILE = `${TL}.tensor`;
export const HOST_TENSOR = 'torch.Tensor';

const DTYPES =
  'int1 int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 float64 float8e5 ' +
  'float8e4nv float8e4b8 float8e4b15 float8e5b16';

function argumentsOf(signature: string): string {
  return signature.slice(signature.indexOf('('));
}
/** Without its first parameter, which a method is called on. */
function bound(signature: string): string {
  return signature.replace(/^\((?:[^,()]*)(?:,\s*|(?=\)))/, '(');
}

/** Triton's language as kernels see it. */
export function languageApi(): Api {
  const language: Record<string, ApiEntry> = {};
  const libdevice: Record<string, ApiEntry> = {};
  const tile: Record<string, ApiEntry> = {};
  const method = (name: string, signature: string, doc: string | undefined): void => {
    tile[name] = { kind: 'method', signature: bound(signature), ...(doc ? { doc } : {}) };
  };
  for (const { path, signature, member } of allBuiltins()) {
    const name = path.slice(path.lastIndexOf('.') + 1);
    if (name.startsWith('_')) continue;
    const args = argumentsOf(signature);
    if (path === `${LIBDEVICE}.${name}`)
      libdevice[name] = { kind: 'function', signature: args, doc: libdeviceDoc(name) };
    else if (path === `${TL}.${name}`) {
      const doc = LANGUAGE_DOCS[name];
      language[name] = { kind: 'function', signature: args, ...(doc ? { doc } : {}) };
      if (member) method(name, args, doc);
    } else if (path === `method.${name}`) method(name, args, METHOD_DOCS[name]);
  }
  const signatures = librarySignatures();
  for (const name of libraryNames()) {
    const doc = LANGUAGE_DOCS[name];
    // A name that is both, as cdiv, goes by the compiler's table.
    const signature = language[name]?.signature ?? signatures.get(name) ?? '()';
    language[name] = { kind: 'function', signature, ...(doc ? { doc } : {}) };
    if (isLibraryMember(name)) method(name, signature, doc);
  }
  for (const [name, doc] of Object.entries(TILE_ATTRIBUTES)) tile[name] = { kind: 'property', doc };
  for (const [name, doc] of Object.entries(CLASS_DOCS)) language[name] = { kind: 'class', doc };
  for (const name of DTYPES.split(' '))
    language[name] = { kind: 'value', doc: `The dtype ${name}.` };
  language['math'] = { kind: 'module', is: `${TL}.math` };
  language['extra'] = { kind: 'module', is: `${TL}.extra` };
  return {
    [TL]: language,
    [`${TL}.math`]: Object.fromEntries(
      MATH.split(' ').flatMap((name) => (language[name] ? [[name, language[name]]] : [])),
    ),
    [`${TL}.extra`]: { libdevice: { kind: 'module', is: LIBDEVICE } },
    [LIBDEVICE]: libdevice,
    [TILE]: tile,
    [`${TL}.PropagateNan`]: {
      ALL: { kind: 'value', doc: 'NaN for NaN.' },
      NONE: { kind: 'value', doc: 'The other operand for NaN.' },
    },
  };
}

/** Names of the language that `triton.language.math` holds. */
const MATH =
  'abs ceil cos div_rn erf exp exp2 fdiv floor fma log log2 rsqrt sin sqrt sqrt_rn umulhi';

/** Both; where a path is in both, the compiler's tables know better what kernels may use. */
export function mergeApis(host: Api, language: Api): Api {
  return { ...host, ...language };
}

/** The entry of a dotted path, and the path under which its members stand. */
export function lookUp(
  api: Api,
  path: string,
): { readonly entry: ApiEntry; readonly path: string } | undefined {
  if (api[path]) {
    const dot = path.lastIndexOf('.');
    const entry = dot < 0 ? undefined : api[path.slice(0, dot)]?.[path.slice(dot + 1)];
    return { entry: entry ?? { kind: 'module' }, path };
  }
  const dot = path.lastIndexOf('.');
  if (dot < 0) return undefined;
  const outer = lookUp(api, path.slice(0, dot));
  const space = outer && api[outer.path];
  const name = path.slice(dot + 1);
  // Own properties only: `torch.constructor` is nothing.
  const entry = space && Object.hasOwn(space, name) ? space[name] : undefined;
  if (!entry && outer?.entry.base && outer.entry.base !== outer.path)
    return lookUp(api, `${outer.entry.base}.${name}`);
  return entry && outer && { entry, path: entry.is ?? `${outer.path}.${name}` };
}

/** The members of a module or class, those of its bases included. */
export function membersOf(api: Api, path: string): ApiSpace {
  const found = lookUp(api, path);
  if (!found) return {};
  const { base } = found.entry;
  return { ...(base && base !== path ? membersOf(api, base) : {}), ...api[found.path] };
}

/** The parameters of a signature, each as written: `dim=None`, `*size`, without `/` and `*`. */
export function parametersOf(
  signature: string,
): { readonly label: string; readonly name: string }[] {
  const inner = signature.replace(/^\(/, '').replace(/\)(\s*->.*)?$/s, '');
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  let quote = '';
  for (let i = 0; i < inner.length; i++) {
    const c = inner[i]!;
    if (quote) {
      if (c === quote) quote = '';
    } else if (c === '"' || c === "'") quote = c;
    else if ('([{'.includes(c)) depth++;
    else if (')]}'.includes(c)) depth--;
    else if (c === ',' && depth === 0) {
      parts.push(inner.slice(start, i));
      start = i + 1;
    }
  }
  parts.push(inner.slice(start));
  return parts
    .map((part) => part.trim())
    .filter((part) => part !== '' && part !== '/' && part !== '*')
    .map((label) => ({ label, name: /^\**(\w+)/.exec(label)?.[1] ?? label }));
}
