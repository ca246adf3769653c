/** The module, and its declarations, that stand for a Python file in a project that is built. */
import { basename } from 'node:path';
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
    return `export const ${name} = (runtime) => runtime.load([\n${all},\n]);\n`;
  });
  return parts.join('\n');
}

export function declarationOf(file: string, { kernels }: CompiledFile): string {
  const parts = [...kernels].map(([name, [first]]) => {
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
      return `    /** ${spec.dtype}${multiple} */\n    readonly ${each}: ${type};\n`;
    });
    return `  export const ${name}: (runtime: Runtime) => Promise<\n    Kernel<{\n${members.join('').replaceAll(/^/gm, '  ').trimEnd()}\n    }>\n  >;\n`;
  });
  return `declare module '*/${basename(file)}?triton' {\n  import type { Kernel, Pointer, Runtime } from 'hippocamp/runtime';\n${parts.join('')}}\n`;
}
