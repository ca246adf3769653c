/**
 * The part of `triton.language` that is itself written in Triton: Python files of ours, compiled by
 * the same lowering. All of them share one namespace.
 */
import type { Parser } from '../1-parse/parser';
import type { FunctionDef } from '../1-parse/syntax';
import blockSource from './library/block.py?raw';
import doubleSource from './library/double.py?raw';
import integersSource from './library/integers.py?raw';
import libdeviceSource from './library/libdevice.py?raw';
import randomSource from './library/random.py?raw';
import sortSource from './library/sort.py?raw';
import specialSource from './library/special.py?raw';
import standardSource from './library/standard.py?raw';
import type { Callable, Val } from './values';

/** By the file name that locations show. */
const FILES: Record<string, string> = {
  'triton/language/standard.py': standardSource,
  'triton/language/random.py': randomSource,
  'triton/language/sort.py': sortSource,
  'triton/language/block.py': blockSource,
  'triton/language/libdevice.py': libdeviceSource,
  'triton/language/double.py': doubleSource,
  'triton/language/special.py': specialSource,
  'triton/language/integers.py': integersSource,
};

/** Library functions that are also tensor methods. */
const MEMBERS = new Set([
  'cdiv',
  'sigmoid',
  'softmax',
  'ravel',
  'max',
  'argmax',
  'min',
  'argmin',
  'sum',
  'xor_sum',
  'reduce_or',
  'cumsum',
  'cumprod',
  'flip',
  'sort',
]);

const names = new Set(
  Object.values(FILES).flatMap((text) => [...text.matchAll(/^def (\w+)/gm)].map((m) => m[1]!)),
);
export function isLibraryFunction(name: string): boolean {
  return names.has(name) && !name.startsWith('_');
}
export function libraryNames(): string[] {
  return [...names].filter((name) => !name.startsWith('_'));
}
/** `(input, axis=None)`, by name, for completion and hovers. */
export function librarySignatures(): Map<string, string> {
  const found = Object.values(FILES).flatMap((text) =>
    [...text.matchAll(/^def ([a-z]\w*)\(([^]*?)\):$/gm)].map((match): [string, string] => {
      const list = match[2]!.replace(/:\s*tl\.constexpr(?:\s*=\s*)?/g, (colon) =>
        colon.includes('=') ? '=' : '',
      );
      return [match[1]!, `(${list.replace(/\s+/g, ' ')})`];
    }),
  );
  return new Map(found);
}
export function isLibraryMember(name: string): boolean {
  return MEMBERS.has(name);
}

const parsed = new WeakMap<Parser, Map<string, FunctionDef>>();

function definitions(parser: Parser): Map<string, FunctionDef> {
  let found = parsed.get(parser);
  if (found) return found;
  found = new Map();
  for (const [file, text] of Object.entries(FILES)) {
    const module = parser.parse(file, text);
    const [error] = module.diagnostics;
    if (error) throw new Error(`${file}:${error.location.line}: ${error.message}`);
    for (const definition of module.functions) found.set(definition.name, definition);
  }
  parsed.set(parser, found);
  return found;
}

export function libraryCallable(parser: Parser, name: string): Callable {
  const definition = definitions(parser).get(name);
  if (!definition) throw new Error(`the library has no ${name}`);
  return {
    id: `lib:${name}`,
    definition,
    global: libraryGlobal,
    defaults: {},
    constexprGlobals: new Set(),
    library: true,
  };
}

function libraryGlobal(name: string): Val | undefined {
  if (name === 'tl') return { kind: 'triton', path: 'triton.language' };
  return names.has(name) ? { kind: 'function', id: `lib:${name}` } : undefined;
}
