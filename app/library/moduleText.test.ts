/** The module of a Python file parses and has types, whatever the names of its kernels are. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { testParser } from '../../compiler/1-parse/testing/testParser';
import { openProgram } from './compile';
import { declarationsOf, moduleText, type CompiledFile } from './moduleText';

const HOST = `declare module 'hippocamp/runtime' {
  export type Pointer = { readonly pointer: true };
  export type Runtime = { readonly runtime: true };
  export type Kernel<Args = object> = { launch(args: Args): void };
}
`;

async function fileOf(kernels: Readonly<Record<string, string>>): Promise<CompiledFile> {
  const text = Object.entries(kernels).map(
    ([name, parameter]) => `
@triton.jit
def ${name}(${parameter}):
    tl.store(${parameter}, 1.0)
`,
  );
  const source = `import triton\nimport triton.language as tl\n${text.join('')}`;
  const program = openProgram(source, await testParser());
  const made = Object.entries(kernels).map(([name, parameter]) => {
    const each = program.compile(name, { signature: { [parameter]: '*fp32' } });
    if (!each.ok) throw new Error(each.diagnostics[0]?.message);
    return [name, [each]] as const;
  });
  return { kernels: new Map(made), targets: ['baseline'] };
}

/** Type-checks a user's file beside the declarations. @returns what tsc prints. */
function check(declarations: readonly string[], text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'hippocamp-types-'));
  try {
    writeFileSync(join(folder, 'kernels.d.ts'), declarations.join('\n'));
    writeFileSync(join(folder, 'host.d.ts'), HOST);
    writeFileSync(join(folder, 'main.ts'), text);
    const root = join(import.meta.dirname, '../..');
    const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
    const options = ['--strict', '--noEmit', '--module', 'esnext', '--target', 'es2023'];
    const files = ['host.d.ts', 'kernels.d.ts', 'main.ts'];
    const rest = ['--moduleResolution', 'bundler', '--types', '', ...files];
    const run = spawnSync(process.execPath, [tsc, ...options, ...rest], {
      cwd: folder,
      encoding: 'utf8',
    });
    return run.stdout;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

it('exports kernels whose names are words of JavaScript or of the declarations', async () => {
  const file = await fileOf({ new: 'x', Kernel: 'x', plain: 'x' });
  const text = encodeURIComponent(moduleText(file));
  const module = (await import(`data:text/javascript,${text}`)) as object;
  expect(Object.keys(module).toSorted()).toEqual(['Kernel', 'new', 'plain']);
  const said = check(
    declarationsOf(new Map([['kernels.py', file]])),
    `import { new as made, Kernel, plain } from './kernels.py?triton';
import type { Pointer, Runtime } from 'hippocamp/runtime';
export async function main(runtime: Runtime, x: Pointer): Promise<void> {
  for (const load of [made, Kernel, plain]) (await load(runtime)).launch({ x });
  // @ts-expect-error A number is no pointer.
  (await made(runtime)).launch({ x: 1 });
}
`,
  );
  expect(said).toBe('');
});

it('distinguishes files of one base name', async () => {
  const files = new Map([
    ['a/kernels.py', await fileOf({ add: 'x', only_a: 'x' })],
    ['b/kernels.py', await fileOf({ add: 'y' })],
    ['c/other.py', await fileOf({ other: 'x' })],
  ]);
  const said = check(
    declarationsOf(files),
    `import { add as addA, only_a } from './a/kernels.py?triton';
import { add as addB } from '../b/kernels.py?triton';
import { add as addBeside, only_a as beside } from './kernels.py?triton';
import { other } from './other.py?triton';
// @ts-expect-error It is in the other file.
import { only_a as wrong } from './b/kernels.py?triton';
import type { Pointer, Runtime } from 'hippocamp/runtime';
export async function main(runtime: Runtime, x: Pointer): Promise<void> {
  (await addA(runtime)).launch({ x });
  (await addB(runtime)).launch({ y: x });
  // @ts-expect-error It is the other file's argument.
  (await addB(runtime)).launch({ x });
  (await addBeside(runtime)).launch({ x });
  for (const load of [beside, only_a, other]) (await load(runtime)).launch({ x });
  wrong;
}
`,
  );
  expect(said).toBe('');
});
