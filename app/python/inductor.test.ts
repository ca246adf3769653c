/**
 * Names that code written by TorchInductor binds and may never use, and the operators of
 * `torch.ops.aten`.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { startPython, type TestPython } from './testing/python';

let python: TestPython;
beforeAll(async () => {
  python = await startPython();
}, 60_000);

function output(source: string): string {
  const run = python.run(source);
  expect(run.outcome, run.errors).toBe('ok');
  return run.output;
}

describe('names that are only bound', () => {
  it('can all be bound, and say which they are when they are called', () => {
    const names = [
      'torch._C._dynamo.guards._empty_strided_xpu',
      'torch._C._dynamo.guards.some_later_name',
      'torch._C._distributed_c10d._SymmetricMemory.empty_strided_p2p',
      'torch.ops.inductor.some_later_name',
      'torch.ops._quantized.wrapped_linear_prepack',
      'torch.ops.aten.no_such_operator.default',
      'torch.ops.mkldnn._linear_pointwise',
    ];
    const text = output(`
import torch
from torch._C._dynamo.guards import copy_if_misaligned, another_later_name
for name in ${JSON.stringify(names)}:
    bound = eval(name)
    try:
        bound(1, two=3)
    except NotImplementedError as error:
        print(error)
`);
    const said = names.map((name) => `${name} is not available in Hippocamp's torch\n`);
    expect(text).toBe(said.join(''));
  });

  it('are names of PyTorch alone: a program may ask whether its own operators are there', () => {
    const text = output(`
import torch
@torch.library.custom_op("mine::twice", mutates_args=())
def twice(x: torch.Tensor) -> torch.Tensor:
    return x * 2
print(hasattr(torch.ops.mine, "twice"), hasattr(torch.ops.mine, "thrice"), hasattr(torch.ops.yours, "twice"))
print(torch.ops.mine.twice(torch.ones(2)).tolist(), hasattr(torch._C, "nothing"))
`);
    expect(text).toBe('True False False\n[2.0, 2.0] False\n');
  });
});

describe('operators of aten', () => {
  it('have overloads, and write to what they are given', () => {
    const text = output(`
import torch
aten = torch.ops.aten
x = torch.tensor([[1.0, 4.0], [3.0, 2.0]])
out = torch.zeros(2, 2)
print(aten.add.Tensor(x, 1, out=out) is out, out.tolist())
print(aten.topk.default(x, 1, 1)[1].tolist(), aten.linalg_vector_norm.default(x).item() ** 2)
print(aten._foreach_norm.Scalar([x, x * 2], 1), aten._int_mm.default(x.to(torch.int8), x.to(torch.int8)).tolist())
try:
    torch.ops.aten.add.Tensor(x, 1, out=torch.zeros(3))
except RuntimeError as error:
    print("refused")
`);
    expect(text).toContain('True [[2.0, 5.0], [4.0, 3.0]]\n[[1], [0]] 30.0');
    expect(text).toContain('[tensor(10.), tensor(20.)] [[13, 12], [9, 16]]\nrefused\n');
  });

  it('places tensors in a pool of bytes', () => {
    const text = output(`
import torch
pool = torch.zeros(64, dtype=torch.uint8)
a = torch.ops.inductor._alloc_from_pool(pool, 16, torch.float32, (2, 3), (3, 1))
a.fill_(1.5)
print(pool.view(torch.float32).tolist()[3:11], a.shape, a.stride())
`);
    expect(text).toBe('[0.0, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 0.0] torch.Size([2, 3]) (3, 1)\n');
  });
});

describe('grids that PyTorch 2.4 to 2.6 names beside a launch', () => {
  it('are as many programs as there are blocks', () => {
    const text = output(`
from torch._inductor.runtime.triton_heuristics import (
    cooperative_reduction_grid, grid, grid_combo_kernels, maybe_cooperative_reduction_grid, split_scan_grid,
)
print(grid(5, 70000, 100)({"XBLOCK": 32, "YBLOCK": 1, "ZBLOCK": 2}), grid(70000, 100)({"XBLOCK": 32}))
print(split_scan_grid(3, 5000)({"XBLOCK": 1, "RBLOCK": 1024}))
print(cooperative_reduction_grid(100)({"RSPLIT": 4, "XBLOCK": 8}))
print(maybe_cooperative_reduction_grid(100)({"XBLOCK": 8}))
options = {"num_kernels": 3, "min_blocks": 0}
print(grid_combo_kernels(((20,), 300, 7), **options, is_sequential=True)({"XBLOCK": 64}))
print(grid_combo_kernels(9, (300, 7), **options, is_sequential=True)({"XBLOCK": 64, "YBLOCK": 4}))
print(grid_combo_kernels(300, **options, is_sequential=False)({"XBLOCK": 64}))
print(grid_combo_kernels(300, **{**options, "min_blocks": 99}, is_sequential=False)({"XBLOCK": 64}))
`);
    expect(text).toBe(
      '(4, 70000, 3) (4, 35000, 2)\n(5, 3, 1)\n(4, 13, 1)\n(13, 1, 1)\n' +
        '(26, 1, 1)\n(6, 3, 1)\n(15, 1, 1)\n(99, 1, 1)\n',
    );
  });
});

describe('texts of older versions', () => {
  it('find the grids of templates where PyTorch 2.4 to 2.6 has them', () => {
    const text = output(`
import torch
import torch._inductor.kernel.flex_attention, torch._inductor.kernel.flex_decoding, torch._inductor.kernel.mm_common
import torch._inductor.kernel.bmm, torch._inductor.kernel.conv
kernel = torch._inductor.kernel
blocks = {"BLOCK_M": 64, "BLOCK_N": 32, "BLOCK_M2": 16, "BLOCK_N1": 128, "GROUPS": 2, "NUM_SMS": 5, "SPLIT_KV": 8}
print(kernel.mm_common.mm_grid(100, 70, blocks), kernel.mm_common.persistent_mm_grid(100, 70, blocks))
print(kernel.bmm.bmm_grid(7, 100, 70, blocks), kernel.conv.conv2d_grid(2, 40, 9, 9, blocks))
print(kernel.flex_attention.flex_attention_grid(2, 8, 100, 64, blocks))
print(kernel.flex_attention.flex_attention_backward_grid(2, 8, 100, 64, 4, 300, blocks))
print(kernel.flex_decoding.flex_decoding_grid(2, 4, 2, 300, 64, blocks))
`);
    expect(text).toBe(
      '(6, 1, 1) (5, 1, 1)\n(6, 7, 1) (3, 2, 2)\n(2, 16, 1)\n(17, 1, 8)\n(8, 8, 1)\n',
    );
  });

  it('that name another device say what to write', () => {
    const text = output(`
from torch._dynamo.testing import rand_strided
try:
    rand_strided((2,), (1,), device="cuda:6")
except RuntimeError as error:
    print(error)
`);
    expect(text).toContain(
      "There is one device here, the visitor's GPU: write cuda:0 in place of cuda:6.",
    );
  });
});

describe('what is not here', () => {
  it('is refused by the name of the backend', () => {
    const text = output(`
from torch._inductor.async_compile import AsyncCompile
from torch._inductor.runtime.runtime_utils import compile_mps_shader
compiles = AsyncCompile()
for refuse in (lambda: compiles.cpp_pybinding(["float*"], "#include"), lambda: compiles.metal("k", "", []), lambda: compile_mps_shader("kernel")):
    try:
        refuse()
    except NotImplementedError as error:
        print(str(error).split(";")[0])
print(hasattr(compiles, "some_later_name"))
`);
    expect(text).toBe(
      'async_compile.cpp_pybinding: a kernel in C++\nasync_compile.metal: a kernel in Metal\n' +
        'compile_mps_shader: a kernel in Metal\nFalse\n',
    );
  });

  it('torch.compile says once a run that the function runs as it is written', () => {
    const source = `
import torch
@torch.compile
def twice(x):
    return x * 2
more = torch.compile(twice, dynamic=True)
print(more(torch.ones(2)).tolist())
`;
    for (let time = 0; time < 2; time++) {
      const run = python.run(source);
      expect(run.output).toBe('[2.0, 2.0]\n');
      expect(run.errors.match(/UserWarning: torch\.compile runs/g)).toHaveLength(1);
      expect(run.errors).toMatch(/^\/program\/\w+\.py:3: /);
    }
  });
});

describe('operators that Inductor leaves to libraries', () => {
  it('scale a Fourier transform by number, and lay matrices by columns', () => {
    const text = output(`
import torch
aten = torch.ops.aten
x = torch.tensor([1.0, 2.0, 3.0, 4.0])
half = aten._fft_r2c.default(x, [0], 0, True)
print(half.real.tolist(), aten._fft_c2r.default(half, [0], 2, 4).tolist())
whole = aten._fft_r2c.default(x, [0], 2, False)
print(whole.real.tolist(), aten._fft_c2c.default(whole, [0], 0, False).real.tolist())
a = torch.tensor([[4.0, 2.0], [2.0, 5.0]])
lower, info = aten.linalg_cholesky_ex.default(a)
print(lower.tolist(), lower.stride(), info.dtype, aten.linalg_inv_ex.default(a)[0].stride())
print(torch.allclose(aten._linalg_eigh.default(a)[0].sum(), a.trace()), aten._linalg_svd.default(a)[1].shape)
print(sorted(aten.randperm.default(3, device=torch.device('cpu'), pin_memory=False).tolist()))
print(aten.kthvalue.default(x, 3), aten._pdist_forward.default(a[:, :1], 2.0).tolist())
`);
    const lines = text.split('\n');
    expect(lines[0]).toBe('[10.0, -2.0, -2.0] [1.0, 2.0, 3.0, 4.0]');
    expect(lines[1]).toBe('[2.5, -0.5, -0.5, -0.5] [1.0, 2.0, 3.0, 4.0]');
    expect(lines[2]).toBe('[[2.0, 0.0], [1.0, 2.0]] (1, 2) torch.int32 (1, 2)');
    expect(lines[3]).toBe('True torch.Size([2])');
    expect(lines[4]).toBe('[0, 1, 2]');
    expect(lines[5]).toContain('(tensor(3.), tensor(2)) [2.0]');
  });
});

describe('operators of layers that Inductor leaves to libraries', () => {
  it('give what PyTorch 2.13 gives, laid as it lays them', () => {
    const text = output(`
import torch
aten = torch.ops.aten
def shown(*tensors):
    return [(round(float((t.double() * torch.arange(1, t.numel() + 1).reshape(t.shape)).sum()), 2), list(t.shape), list(t.stride())) for t in tensors]
x = torch.arange(48.0).reshape(1, 2, 4, 6).sin()
q, k, v, g = x, x * 0.5 + 0.1, x.cos(), x * x
out, sums = aten._scaled_dot_product_flash_attention_for_cpu.default(q, k, v, 0.0, True)
print(shown(out, sums))
print(shown(*aten._scaled_dot_product_flash_attention_for_cpu_backward.default(g, q, k, v, out, sums, 0.0, True)))
print(shown(*aten.adaptive_max_pool2d.default(x[0], [2, 5])), shown(*aten.max_pool2d_with_indices.default(x, [2, 2])))
values, places = aten.adaptive_max_pool2d.default(x, [2, 5])
print(shown(aten.adaptive_max_pool2d_backward.default(values, x, places)))
print(shown(aten.replication_pad2d_backward.default(torch.ones(1, 2, 6, 9).cumsum(3), x, [1, 2, 0, 2])))
y = torch.arange(54.0).reshape(1, 2, 3, 3, 3).cos()
at = torch.linspace(-1.3, 1.2, 24).reshape(1, 2, 2, 2, 3)
print([shown(aten.grid_sampler_3d.default(y, at, mode, padding, corners))[0][0] for mode in (0, 1) for padding in (0, 1, 2) for corners in (False, True)])
w, i, o = torch.arange(20.0).reshape(10, 2).sin(), torch.tensor([1, 3, 9, 0, 3]), torch.tensor([0, 2, 2])
print([shown(*[t.float() for t in aten._embedding_bag_forward_only.default(w, i, o, False, mode)[:1]]) for mode in (0, 1, 2)])
print(aten.index.Tensor(x[0, 0], [None, torch.tensor([1, 0])]).equal(x[0, 0, :, [1, 0]]))
print(shown(aten.slice.Tensor(x, 3, 1, 5, 2)), [t.tolist() for t in aten._foreach_exp.default([torch.zeros(2), torch.zeros(1)])])
print(torch.sym_float(3), torch.sym_int(-2.5), torch.sym_max(2, 3), torch.sym_not(True), torch.sym_sum([1, 2]))
`);
    // PyTorch prints that for the same text: sums weighted by place, shapes, strides.
    expect(text.trimEnd().split('\n')).toEqual([
      '[(906.18, [1, 2, 4, 6], [48, 24, 6, 1]), (53.63, [1, 2, 4], [8, 1, 2])]',
      '[(-0.06, [1, 2, 4, 6], [48, 6, 12, 1]), (-0.24, [1, 2, 4, 6], [48, 6, 12, 1]), (476.38, [1, 2, 4, 6], [48, 6, 12, 1])]',
      '[(120.6, [2, 2, 5], [10, 5, 1]), (2693.0, [2, 2, 5], [10, 5, 1])] [(34.59, [1, 2, 2, 3], [12, 6, 3, 1]), (1029.0, [1, 2, 2, 3], [12, 6, 3, 1])]',
      '[(281.68, [1, 2, 4, 6], [48, 24, 6, 1])]',
      '[(15540.0, [1, 2, 4, 6], [48, 24, 6, 1])]',
      '[-8.38, -12.83, -23.51, -16.14, -23.51, -11.15, -15.22, -35.75, -26.37, -35.75, -26.37, -35.75]',
      '[[(6.96, [3, 2], [2, 1])], [(2.69, [3, 2], [2, 1])], [(7.27, [3, 2], [2, 1])]]',
      'True',
      '[(40.68, [1, 2, 4, 2], [48, 24, 6, 2])] [[1.0, 1.0], [1.0]]',
      '3.0 -2 3 False 3',
    ]);
  });

  it('draw random numbers into new tensors', () => {
    const text = output(`
import torch
aten = torch.ops.aten
x = torch.full((40, 50), 7.0)
a, b = aten.uniform.default(x, 2.0, 3.0), aten.exponential.default(x)
print(2 <= a.min() and a.max() < 3, a.std() > 0.2, b.min() >= 0, 0.8 < b.mean() < 1.2, x.mean())
kept, mask = aten.native_dropout.default(x, 0.25, True)
print(sorted(set(kept.flatten().tolist())), 0.65 < mask.float().mean() < 0.85, aten.native_dropout.default(x, 0.5, False)[0].mean())
print(0.9 < torch.ops.prims.normal.default([40, 50], mean=1.0, std=2.0, dtype=torch.float32, device=torch.device("cpu")).mean() < 1.1)
`);
    expect(text).toBe(
      'tensor(True) tensor(True) tensor(True) tensor(True) tensor(7.)\n[0.0, 9.333333015441895] tensor(True) tensor(7.)\ntensor(True)\n',
    );
  });

  it('names parts of a program, and records none', () => {
    const text = output(`
import torch
from torch.profiler import record_function
from torch.cuda import nvtx
@record_function("twice")
def twice(x):
    return x * 2
with record_function("forward"):
    handle = nvtx._device_range_start("inference")
    print(twice(3))
    nvtx._device_range_end(handle)
try:
    torch.profiler.profile()
except AttributeError as error:
    print(str(error).split(";")[0])
`);
    expect(text).toBe(
      '6\ntorch.profiler.profile: there is no CUDA trace to record. Timing shows each launch’s time\n',
    );
  });
});
