/** Modules of Inductor from a folder, by source: with PyTorch's values beside them, and without. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runInductor, sourceTable } from './inductor';
import { parseOptions } from './options';

const DATA = join(import.meta.dirname, '..', 'scripts', 'inductor', 'testdata');

/** A kernel of Inductor's cache: nothing launches it. */
const kernelOf = (value: string): string => `
import triton
import triton.language as tl
from torch._inductor.runtime import triton_heuristics
@triton_heuristics.pointwise(
    size_hints={'x': 64},
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*fp32', 'out_ptr0': '*bf16', 'ks0': 'i64', 'xnumel': 'i32', 'XBLOCK': 'constexpr'}, 'constants': {}},
    inductor_meta={'grid_type': 'Grid1D', 'kernel_name': 'triton_poi_fused_0'}
)
@triton.jit
def triton_poi_fused_0(in_ptr0, out_ptr0, ks0, xnumel, XBLOCK : tl.constexpr):
    xindex = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    tmp0 = tl.load(in_ptr0 + (xindex % ks0), xmask)
    tl.store(out_ptr0 + (xindex), ${value}, xmask)
`;
/** The same cut out of a module: a text that is no program. */
const heldIn = (kernel: string): string =>
  `triton_poi_fused_0 = async_compile.triton('triton_poi_fused_0', '''${kernel}''', device_str='cuda')\n}`;

it('counts what passed, failed and was refused, by source', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'inductor-'));
  try {
    mkdirSync(join(folder, 'ours'));
    for (const name of ['small_template.py', 'small_template.json', 'dynamic_scalar.py'])
      cpSync(join(DATA, name), join(folder, 'ours', name));
    const compiles = 'from torch._inductor.async_compile import AsyncCompile\nAsyncCompile()';
    writeFileSync(join(folder, 'cpu.py'), `${compiles}.cpp_pybinding([], "")\n`);
    writeFileSync(join(folder, 'wrong.py'), 'assert False, "on purpose"\n');
    mkdirSync(join(folder, 'kernels'));
    writeFileSync(join(folder, 'kernels', 'alone.py'), kernelOf('tl.exp(tmp0)'));
    writeFileSync(join(folder, 'kernels', 'held.py'), heldIn(kernelOf('tl.exp(tmp0)')));
    writeFileSync(join(folder, 'kernels', 'wrong.py'), kernelOf('tl.no_such_function(tmp0)'));
    const options = parseOptions(['--inductor', folder])!;
    const text = sourceTable(await runInductor(folder, options)).replaceAll(folder, '');
    expect(text).toContain('cpu: HC0900: NotImplementedError: async_compile.cpp_pybinding');
    expect(text).toContain('wrong: HC0900: AssertionError: on purpose');
    expect(text).toMatch(
      /: 0 passed, 1 failed, 1 refused\nkernels: 2 passed, 1 failed, 0 refused\nours: 2 passed, 0 failed, 0 refused$/,
    );
    expect(text).toContain('failed kernels/wrong: HC0105: tl has no no_such_function');
  } finally {
    rmSync(folder, { recursive: true });
  }
}, 180_000);
