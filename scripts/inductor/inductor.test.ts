/**
 * Modules that PyTorch 2.13's Inductor wrote from our programs (`testdata/`, made by `write.py`)
 * run as they are, and return what PyTorch returned.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Runner } from '../../app/runtime/runner';
import { moduleNames, playFiles, playModule, startModules } from './play';

const FOLDER = join(import.meta.dirname, 'testdata');

/** NaN, zeros of both signs and equals, in a row that is padded. */
const SORT = `
import torch, triton, triton.language as tl
from torch._inductor.runtime import triton_helpers
@triton.jit
def sort(x, y, places, n, DOWN: tl.constexpr):
    i = tl.arange(0, 16)
    v = tl.load(x + i, i < n, other=0)
    a, b = triton_helpers.sort_with_index(v, i.to(tl.int16), n, 0, stable=True, descending=DOWN)
    tl.store(y + i, a, i < n)
    tl.store(places + i, b, i < n)
inf, nan = float("inf"), float("nan")
x = torch.tensor([3, 1, nan, 1, -2, inf, 3, nan, 0, -0.0, 5, -inf, 2], device="cuda")
found = []
for down in (False, True):
    y, places = torch.empty_like(x), torch.empty(13, dtype=torch.int64, device="cuda")
    sort[(1,)](x, y, places, 13, down)
    _, expected = torch.sort(x.cpu(), stable=True, descending=down)
    found.append(places.tolist() == expected.tolist())
print("AGREES" if found == [True, True] else "DIFFERS")
`;

/** Expected is what PyTorch 2.13's helper draws on Triton's interpreter. */
const DRAW = `
import torch, triton, triton.language as tl
from torch._inductor.runtime import triton_helpers
@triton.jit
def draw(y, seed, offset, VEC: tl.constexpr):
    i = tl.arange(0, 16)
    t = (i * 270337).to(tl.uint32)
    o = offset + (i.to(tl.int64) // 4) * 4294967296
    tl.store(y + i, triton_helpers.rand_eager_kernel(seed.to(tl.uint64), o, t, VEC=VEC))
expected = {
    4: [0.1723, 0.1026, 0.9066, 0.1866, 0.0479, 0.8786, 0.5242, 0.679, 0.2414, 0.9078, 0.0653, 0.9041, 0.0908, 0.4869, 0.9926, 0.801],
    8: [0.1723, 0.0979, 0.3716, 0.7203, 0.7825, 0.9165, 0.1654, 0.8867, 0.1073, 0.5271, 0.4553, 0.5543, 0.5087, 0.5886, 0.2272, 0.2472],
}
for vec, numbers in expected.items():
    y = torch.zeros(16, device="cuda")
    draw[(1,)](y, 2**40 + 77, 5, vec)
    print("AGREES" if [round(v, 4) for v in y.tolist()] == numbers else "DIFFERS")
`;

/** A kernel of the program's own, as PyTorch 2.4 to 2.6 names its constants: by place. */
const OWN = `
import torch, triton, triton.language as tl
from torch._inductor.runtime import triton_heuristics
@triton_heuristics.user_autotune(
    configs=[], inductor_meta={}, triton_meta={"constants": {1: 64, 3: None}}, filename=__file__, custom_kernel=True
)
@triton.jit
def twice(x, BLOCK: tl.constexpr, y, z, n):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, i < n) * 2
    if z is not None:
        v += tl.load(z + i, i < n)
    tl.store(y + i, v, i < n)
x = torch.arange(50.0, device="cuda")
y = torch.zeros(50, device="cuda")
twice.run(x, y, 50, grid=(1, 1, 1), stream=0)
print("AGREES" if torch.equal(y, x * 2) else "DIFFERS")
`;

/** Names, and the one dictionary `meta`, of PyTorch before 2.2. */
const OLDER = `
import torch
from torch._inductor.codecache import AsyncCompile
from torch._inductor.triton_heuristics import grid
kernel = AsyncCompile().triton("triton_", '''
import triton
import triton.language as tl
from torch._inductor.ir import ReductionHint
from torch._inductor.ir import TileHint
from torch._inductor.triton_heuristics import AutotuneHint, pointwise
from torch._inductor.utils import instance_descriptor
from torch._inductor import triton_helpers

@pointwise(size_hints=[8], filename=__file__, meta={'signature': {0: '*fp32', 1: '*fp32', 2: 'i32'}, 'device': 0, 'constants': {}, 'mutated_arg_names': [], 'configs': [instance_descriptor(divisible_by_16=(0, 1), equal_to_1=(), ids_of_folded_args=(), divisible_by_8=())]})
@triton.jit
def triton_(in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xindex = tl.program_id(0) * XBLOCK + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    tmp0 = tl.load(in_ptr0 + (xindex), xmask)
    tl.store(out_ptr0 + (xindex), triton_helpers.maximum(0, tmp0), xmask)
''')
x = torch.arange(-2.0, 4.0).cuda()
y = torch.empty_like(x)
kernel.run(x, y, 6, grid=grid(6), stream=0)
oldest_kernel = AsyncCompile().triton('''
import triton
import triton.language as tl
from torch._inductor.triton_ops.autotune import pointwise

@pointwise(size_hints=[8], filename=__file__, meta={'signature': {0: '*fp32', 1: 'i32'}, 'device': 0, 'constants': {}, 'configs': []})
@triton.jit
def triton__0(in_out_ptr0, xnumel, XBLOCK : tl.constexpr):
    xindex = tl.program_id(0) * XBLOCK + tl.reshape(tl.arange(0, XBLOCK), [XBLOCK])
    tmp0 = tl.load(in_out_ptr0 + (xindex), xindex < xnumel)
    tl.store(in_out_ptr0 + (xindex + tl.zeros([XBLOCK], tl.int32)), tl.libdevice.rsqrt(tmp0), xindex < xnumel)
''')
z = torch.tensor([4.0, 0.25, 1.0], device="cuda")
oldest_kernel.run(z, 3, grid=grid(3), stream=0)
import torch._inductor.triton_ops.autotune as oldest
same = oldest.pointwise is torch._inductor.runtime.triton_heuristics.pointwise
same = same and z.tolist() == [0.5, 2.0, 1.0]
print("AGREES" if same and y.tolist() == [0.0, 0.0, 0.0, 1.0, 2.0, 3.0] else "DIFFERS")
`;

/** Places of a sort along the second axis of two rows; each with the values that it sorts. */
const TIES = `
import torch
from check_module import orders_alike
values = torch.tensor([[0, 0, 1, 1], [0, 1, 1, 1]]).bool()
down = torch.tensor([[float("nan"), 5, 5, 2], [7, 7, 7, 7]])
expected = torch.tensor([[1, 3, 0, 2], [0, 1, 2, 3]])
found = [
    orders_alike(torch.tensor(places), expected, of)
    for of in (values, down)
    for places in (
        [[1, 3, 0, 2], [0, 1, 2, 3]],
        [[3, 1, 2, 0], [0, 3, 1, 2]],
        [[1, 0, 3, 2], [0, 3, 2, 1]],
        [[1, 1, 0, 2], [0, 1, 2, 3]],
        [[1, 3, 0, 4], [0, 1, 2, 3]],
    )
]
unordered = torch.tensor([[1, 0, 1, 1], [0, 1, 1, 1]])
found.append(orders_alike(torch.tensor([[1, 3, 0, 2], [0, 2, 1, 3]]), expected, unordered))
print(found)
print("AGREES" if found == [True, True, False, False, False, True, False, True, False, False, False] else "DIFFERS")
`;

/** A template of PyTorch 2.7 waits for the launch before it by PTX that writes no register. */
const WAITS = `
import torch, triton, triton.language as tl
from triton.language import core
@core.extern
def gdc_wait(_builder=None):
    core.inline_asm_elementwise("griddepcontrol.wait; // dummy $0", "=r", [], dtype=core.int32, is_pure=False, pack=1, _builder=_builder)
@triton.jit
def kernel(out):
    gdc_wait()
    tl.store(out, 3.0)
x = torch.zeros(1, device="cuda")
kernel[(1,)](x)
print("AGREES" if x.item() == 3 else "DIFFERS")
`;

describe('a module that Inductor wrote', () => {
  let runner: Runner;
  beforeAll(async () => {
    runner = await startModules();
  }, 60_000);

  it.each(moduleNames(FOLDER))('%s returns what PyTorch returned', async (name) => {
    const { verdict, message, launches } = await playModule(runner, FOLDER, name, 'interpreter');
    expect({ verdict, message }).toEqual({ verdict: 'agrees', message: '' });
    expect(launches).toBeGreaterThan(0);
  });

  it('sorts with the helper as torch.sort does', async () => {
    const { verdict, message } = await playFiles(runner, { 'main.py': SORT }, 'interpreter');
    expect({ verdict, message }).toEqual({ verdict: 'agrees', message: '' });
  });

  it('launches a kernel of the program with the constants of its decorator', async () => {
    const { verdict, message } = await playFiles(runner, { 'main.py': OWN }, 'interpreter');
    expect({ verdict, message }).toEqual({ verdict: 'agrees', message: '' });
  });

  it('runs with the names of older versions of PyTorch', async () => {
    const { verdict, message } = await playFiles(runner, { 'main.py': OLDER }, 'interpreter');
    expect({ verdict, message }).toEqual({ verdict: 'agrees', message: '' });
  });

  it('may return the places of equal elements in another order', async () => {
    const checker = readFileSync(join(import.meta.dirname, 'check_module.py'), 'utf8');
    const files = { 'main.py': TIES, 'check_module.py': checker };
    const { verdict, message } = await playFiles(runner, files, 'interpreter');
    expect({ verdict, message }).toEqual({ verdict: 'agrees', message: '' });
  });

  it('runs with the functions of a library that a template defines in PTX', async () => {
    const { verdict, message } = await playFiles(runner, { 'main.py': WAITS }, 'interpreter');
    expect({ verdict, message }).toEqual({ verdict: 'agrees', message: '' });
  });

  it('draws with the helper what PyTorch draws eagerly', async () => {
    const { verdict, message } = await playFiles(runner, { 'main.py': DRAW }, 'interpreter');
    expect({ verdict, message }).toEqual({ verdict: 'agrees', message: '' });
  });
});
