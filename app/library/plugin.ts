/**
 * The entry `hippocamp/plugin` of the package: `import { add } from './kernels.py?triton'` compiles
 * the kernels of a Python file while a project is built, for several targets. `triton()` is a
 * plugin for Vite and Rollup, `tritonEsbuild()` one for esbuild.
 *
 * The module exports a function for each kernel, `(runtime) => Promise<Kernel>`, which loads the
 * first of the targets' codes that the runtime's device can run. A mistake in the program fails the
 * build at its line of Python. With Vite, the declarations of what is imported stand in one file.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { reachable, readFiles } from '../cli/files';
import { noteText, type Diagnostic } from '../../compiler/diagnostics';
import { openProgram } from './compile';
import { declarationsOf, moduleText, type CompiledFile } from './moduleText';
import { embeddedParser } from './embeddedParser';
import { HippocampError } from './errors';
import { targetOf } from './targets';
import type { Compiled, Signature } from './types';

export interface TritonOptions {
  /** Profiles, the best first; `baseline`, which every adapter can run, comes last of itself. */
  readonly targets?: readonly string[];
  /** By the kernel's name; a kernel without one is compiled as the text lets it be guessed. */
  readonly signatures?: Readonly<Record<string, Signature>>;
  /** Warps of a program, by the kernel's name. */
  readonly numWarps?: Readonly<Record<string, number>>;
  /**
   * File of the declarations, from the project's root; false: none is written. `kernels.d.ts` if
   * absent.
   */
  readonly types?: string | false;
}

const QUERY = '?triton';
const DEFAULT_TYPES = 'kernels.d.ts';

/** A mistake, where a bundler reports one. Lines from 1, columns from 0. */
interface Fault {
  readonly message: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

interface Built {
  readonly code: string;
  readonly compiled: CompiledFile;
  /** Files that a change of must rebuild. */
  readonly watched: readonly string[];
  readonly warnings: readonly Fault[];
}

class Broken extends Error {
  constructor(
    readonly faults: readonly Fault[],
    readonly watched: readonly string[],
  ) {
    super(faults[0]?.message);
  }
}

/** @throws Broken, HippocampError `unknown-target`, `bad-signature` */
async function buildFile(file: string, options: TritonOptions): Promise<Built> {
  const read = readFiles(file);
  const texts = reachable(read);
  const folder = dirname(file);
  const watched = Object.keys(texts).map((name) => join(folder, name));
  const faultOf = ({ code, message, location, notes }: Diagnostic): Fault => ({
    message: [`${code}: ${message}`, ...notes.map(noteText)].join('\n  '),
    file: join(folder, location.file),
    line: location.line,
    column: location.column - 1,
  });
  const program = openProgram(texts, await embeddedParser());
  const found = [...program.diagnostics];
  const kernels = new Map<string, Compiled[]>();
  const targets = [...new Set([...(options.targets ?? []), 'baseline'])];
  for (const kernel of program.kernels) {
    if (kernel.file !== read.entry || kernel.helper) continue;
    const signature = options.signatures?.[kernel.name];
    if (!signature && !kernel.guessed) {
      const message = `${kernel.name} needs a signature in the plugin's options`;
      throw new Broken([{ message, file, line: kernel.line, column: 0 }], watched);
    }
    const numWarps = options.numWarps?.[kernel.name];
    for (const target of targets) {
      const made = program.compile(kernel, { signature, numWarps, target, comments: false });
      if (made.ok) kernels.set(kernel.name, [...(kernels.get(kernel.name) ?? []), made]);
      found.push(...made.diagnostics);
      if (!made.ok) break;
    }
  }
  const errors = unique(found.filter(({ severity }) => severity === 'error').map(faultOf));
  if (errors.length > 0) throw new Broken(errors, watched);
  const warnings = found.filter(({ severity }) => severity === 'warning').map(faultOf);
  const compiled = { kernels, targets };
  return { code: moduleText(compiled), compiled, watched, warnings: unique(warnings) };
}

function unique(faults: readonly Fault[]): Fault[] {
  return [...new Map(faults.map((fault) => [JSON.stringify(fault), fault])).values()];
}

/** The line of a fault with a mark below it, as bundlers show it. */
function frameOf({ file, line, column }: Fault): string {
  const text = readFileSync(file, 'utf8').split('\n')[line - 1] ?? '';
  return `${line} | ${text}\n${' '.repeat(String(line).length)} | ${' '.repeat(column)}^`;
}

/** The methods of Rollup's plugin context that are used. */
interface Context {
  addWatchFile(file: string): void;
  warn(log: string | object): void;
  error(log: string | object): never;
}

/** A plugin of Rollup and Vite, as far as it uses their interface. */
export interface TritonPlugin {
  readonly name: string;
  readonly enforce: 'pre';
  configResolved(config: { readonly root: string }): void;
  resolveId(source: string, importer?: string): string | null;
  load(this: Context, id: string): Promise<string | null>;
}

/** For Vite and Rollup. @throws HippocampError `unknown-target` */
export function triton(options: TritonOptions = {}): TritonPlugin {
  options.targets?.forEach(targetOf);
  let root: string | null = null;
  const declared = new Map<string, CompiledFile>();
  return {
    name: 'hippocamp',
    enforce: 'pre',
    configResolved(config) {
      root = config.root;
    },
    resolveId(source, importer) {
      if (!source.endsWith(QUERY)) return null;
      const path = source.slice(0, -QUERY.length);
      // An address of the dev server is relative to the root.
      if (path.startsWith('/') && root !== null && !existsSync(path))
        return join(root, path) + QUERY;
      if (isAbsolute(path)) return source;
      return importer && path.startsWith('.') ? resolve(dirname(importer), path) + QUERY : null;
    },
    async load(id) {
      if (!id.endsWith(QUERY)) return null;
      const file = id.slice(0, -QUERY.length);
      try {
        const { code, compiled, watched, warnings } = await buildFile(file, options);
        for (const each of watched) this.addWatchFile(each);
        for (const each of warnings) this.warn(logOf(each));
        if (root !== null && options.types !== false) {
          declared.set(relative(root, file).replaceAll('\\', '/'), compiled);
          writeChanged(join(root, options.types ?? DEFAULT_TYPES), declarationsOf(declared));
        }
        return code;
      } catch (error) {
        if (!(error instanceof Broken)) throw error;
        for (const each of error.watched) this.addWatchFile(each);
        return this.error(logOf(error.faults[0]!));
      }
    },
  };
}

function logOf(fault: Fault): object {
  const { message, file, line, column } = fault;
  return { message, id: file, loc: { file, line, column }, frame: frameOf(fault) };
}

/** A file that stays as it is wakes nobody who watches it. */
function writeChanged(path: string, declarations: readonly string[]): void {
  const text = `// Written by hippocamp/plugin: the kernels that the project imports.\n${declarations.join('\n')}`;
  if (!existsSync(path) || readFileSync(path, 'utf8') !== text) writeFileSync(path, text);
}

/** The part of esbuild's interface that is used. */
interface EsbuildBuild {
  onResolve(
    filter: { readonly filter: RegExp },
    run: (args: { readonly path: string; readonly resolveDir: string }) => object,
  ): void;
  onLoad(
    filter: { readonly filter: RegExp; readonly namespace: string },
    run: (args: { readonly path: string }) => Promise<object>,
  ): void;
}

/** For esbuild. @throws HippocampError `unknown-target` */
export function tritonEsbuild(options: TritonOptions = {}): {
  readonly name: string;
  setup(build: EsbuildBuild): void;
} {
  options.targets?.forEach(targetOf);
  return {
    name: 'hippocamp',
    setup(build) {
      build.onResolve({ filter: /\?triton$/ }, ({ path, resolveDir }) => ({
        path: resolve(resolveDir, path.slice(0, -QUERY.length)),
        namespace: 'hippocamp',
      }));
      build.onLoad({ filter: /.*/, namespace: 'hippocamp' }, async ({ path }) => {
        try {
          const { code, watched, warnings } = await buildFile(path, options);
          return { contents: code, watchFiles: watched, warnings: warnings.map(messageOf) };
        } catch (error) {
          if (!(error instanceof Broken)) throw error;
          return { errors: error.faults.map(messageOf), watchFiles: error.watched };
        }
      });
    },
  };
}

function messageOf({ message, file, line, column }: Fault): object {
  const lineText = readFileSync(file, 'utf8').split('\n')[line - 1] ?? '';
  return { text: message, location: { file, line, column, lineText, namespace: 'file' } };
}

export { HippocampError };
