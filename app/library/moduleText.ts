/** The module, and its declarations, that stand for a Python file in a project that is built. */
import { givenOf } from '../share/export/module';
import type { Compiled } from './types';

export interface CompiledFile {
  /** By the kernel's name, in the order of the targets. */
  readonly kernels: ReadonlyMap<string, readonly Compiled[]>;
  readonly targets: readonly string[];
}

/** An ES module without imports: the codes, and a function for each kernel. */
export function moduleText({ kernels }: CompiledFile): string {
  const parts = [...kernels].map(([name, variants]) => {
    const codes = variants.map(({ kernel, specialization, parameters, subgroupSize }) =>
      JSON.stringify({
        name,
        // Lines of the program, which the build has checked.
        kernel: { ...kernel, sourceMap: [] },
        specialization,
        parameters,
        subgroupSize,
      }),
    );
    // Targets often share a code.
    const all = [...new Set(codes)].join(',\n');
    return exported(name, ` = (runtime) => runtime.load([\n${all},\n]);\n`);
  });
  return parts.join('\n');
}

/**
 * Words that Python takes for the name of a function and JavaScript does not, and the names of the
 * types that the declarations import.
 */
const TAKEN = new Set(
  (
    'arguments case catch const debugger default delete do enum eval export extends false function ' +
    'implements instanceof interface let new null package private protected public static super ' +
    'switch this throw true typeof undefined var void Kernel Pointer Runtime'
  ).split(' '),
);

/** A constant that the module exports under its name, whatever word that is. */
function exported(name: string, rest: string): string {
  if (!TAKEN.has(name)) return `export const ${name}${rest}`;
  // No name of Python's has a dollar.
  return `const $${name}${rest}export { $${name} as ${name} };\n`;
}

/** The type of each kernel's export. */
function typesOf({ kernels }: CompiledFile): Map<string, string> {
  const types = [...kernels].map(([name, [first]]): [string, string] => {
    const given = first ? givenOf(first.specialization.arguments, first.parameters) : [];
    const members = given.map(({ name: each, spec }) => {
      const multiple = spec.divisibleBy16
        ? spec.kind === 'pointer'
          ? ', at a multiple of 16 bytes'
          : ', a multiple of 16'
        : '';
      const type =
        spec.kind === 'pointer'
          ? 'Pointer'
          : spec.dtype === 'int1'
            ? 'boolean | number'
            : spec.dtype.includes('int')
              ? 'number | bigint'
              : 'number';
      return `      /** ${spec.dtype}${multiple} */\n      readonly ${each}: ${type};\n`;
    });
    return [name, `Promise<\n    Kernel<{\n${members.join('')}    }>\n  >`];
  });
  return new Map(types);
}

/**
 * The declarations of files, by their paths from the project's root. TypeScript matches what an
 * import says, not the file that it means: of files with one base name each has as much of its path
 * as distinguishes it, and an import of the base name alone has the kernels of all of them.
 */
export function declarationsOf(files: ReadonlyMap<string, CompiledFile>): string[] {
  const paths = [...files.keys()].toSorted();
  const modules = new Map<string, Map<string, string>>();
  for (const path of paths) {
    const types = typesOf(files.get(path)!);
    const [base = '', ...longer] = suffixesOf(path);
    const others = paths.filter((each) => each !== path).map(suffixesOf);
    const own = longer.find((suffix) => others.every((each) => !each.includes(suffix)));
    if (own !== undefined && others.some(([first]) => first === base)) modules.set(own, types);
    const merged = modules.get(base) ?? new Map<string, string>();
    for (const [name, type] of types)
      merged.set(name, (merged.get(name) ?? type) === type ? type : 'Promise<Kernel>');
    modules.set(base, merged);
  }
  // TypeScript takes the first of the patterns that fit an import.
  const depth = (key: string): number => key.split('/').length;
  return [...modules]
    .toSorted(([a], [b]) => depth(b) - depth(a))
    .map(([key, types]) => {
      const parts = [...types].map(([name, type]) =>
        exported(name, `: (runtime: Runtime) => ${type};\n`).replaceAll(
          /^(?=export|const)/gm,
          '  ',
        ),
      );
      return `declare module '*/${key}?triton' {\n  import type { Kernel, Pointer, Runtime } from 'hippocamp/runtime';\n${parts.join('')}}\n`;
    });
}

/** `b.py` and `a/b.py` of `a/b.py`: the base name first. */
function suffixesOf(path: string): string[] {
  const parts = path.split('/').filter((part) => part !== '..');
  return parts.map((_, i) => parts.slice(parts.length - 1 - i).join('/'));
}
