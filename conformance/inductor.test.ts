/** Modules of Inductor from a folder, by source: with PyTorch's values beside them, and without. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runInductor, sourceTable } from './inductor';
import { parseOptions } from './options';

const DATA = join(import.meta.dirname, '..', 'scripts', 'inductor', 'testdata');

it('counts what passed, failed and was refused, by source', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'inductor-'));
  try {
    mkdirSync(join(folder, 'ours'));
    for (const name of ['small_template.py', 'small_template.json', 'dynamic_scalar.py'])
      cpSync(join(DATA, name), join(folder, 'ours', name));
    const compiles = 'from torch._inductor.async_compile import AsyncCompile\nAsyncCompile()';
    writeFileSync(join(folder, 'cpu.py'), `${compiles}.cpp_pybinding([], "")\n`);
    writeFileSync(join(folder, 'wrong.py'), 'assert False, "on purpose"\n');
    const options = parseOptions(['--inductor', folder])!;
    const text = sourceTable(await runInductor(folder, options)).replaceAll(folder, '');
    expect(text).toContain('cpu: HC0900: NotImplementedError: async_compile.cpp_pybinding');
    expect(text).toContain('wrong: HC0900: AssertionError: on purpose');
    expect(text).toMatch(/: 0 passed, 1 failed, 1 refused\nours: 2 passed, 0 failed, 0 refused$/);
  } finally {
    rmSync(folder, { recursive: true });
  }
}, 180_000);
