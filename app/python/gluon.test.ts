/** Gluon's host side: layouts as values, kernels that get them, names of one kind of hardware. */
import { beforeAll, expect, it } from 'vitest';
import { startPython, type TestPython } from './testing/python';

let python: TestPython;
beforeAll(async () => {
  python = await startPython();
}, 60_000);

const HEAD = `
import torch
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
`;
function output(source: string): string {
  const run = python.run(HEAD + source);
  expect(run.outcome, run.errors).toBe('ok');
  return run.output;
}

it('has layouts that compare, hash and print by their fields', () => {
  const text = output(`
a = gl.BlockedLayout([1, gl.constexpr(4)], [4, 8], [4, 1], [1, 0])
b = gl.BlockedLayout(size_per_thread=[1, 4], threads_per_warp=[4, 8], warps_per_cta=[4, 1], order=(1, 0))
print(a == b, hash(a) == hash(b), a.rank, gl.SliceLayout(0, a).rank, a == gl.SliceLayout(0, a))
print(gl.SliceLayout(dim=1, parent=a))
print(gl.AutoLayout() == gl.AutoLayout(), gl.SwizzledSharedLayout(1, 1, 1, [0]).cga_layout)
print(gl.PaddedSharedLayout.with_identity_for([[4, 2]], [4, 2], [1, 0]).offset_bases)
for wrong in (
    lambda: gl.BlockedLayout([1], [32], [4]),
    lambda: gl.BlockedLayout([1], [32], [4], [0], [], 1),
    lambda: gl.SliceLayout(1, a, dim=1),
    lambda: setattr(a, "order", [0, 1]),
):
    try:
        wrong()
    except (TypeError, AttributeError) as error:
        print(error)
`);
  expect(text).toMatchInlineSnapshot(`
    "True True 2 1 False
    SliceLayout(dim=1, parent=BlockedLayout(size_per_thread=[1, 4], threads_per_warp=[4, 8], warps_per_cta=[4, 1], order=[1, 0], cga_layout=[]))
    True []
    [[0, 1], [1, 0], [2, 0]]
    BlockedLayout.__init__() missing required arguments: order
    BlockedLayout.__init__() takes 6 positional arguments but 7 were given
    SliceLayout.__init__() got multiple values for argument 'dim'
    cannot assign to field 'order'
    "
  `);
});

it('gives kernels layouts as records of their fields, also of functions that make them', () => {
  const before = python.launches.length;
  output(`
@gluon.constexpr_function
def wide(layout):
    return gl.BlockedLayout([4 * n for n in layout.size_per_thread], *[layout.threads_per_warp, layout.warps_per_cta, layout.order])
@gluon.jit
def kernel(x, layout: gl.constexpr, num_warps: gl.constexpr):
    pass
x = torch.zeros(4, device="cuda")
kernel[(1,)](x, gl.BlockedLayout([1], [32], [8], [0]), num_warps=8)
print(wide(gl.BlockedLayout([1], [32], [8], [0])), kernel.is_gluon())
`);
  const [launch] = python.launches.slice(before);
  const fields = ['size_per_thread', 'threads_per_warp', 'warps_per_cta', 'order', 'cga_layout'];
  const value = { kind: 'tuple', type: 'BlockedLayout', fields };
  const layout: unknown = expect.objectContaining({
    kind: 'constexpr',
    value: expect.objectContaining(value) as unknown,
  });
  expect(launch?.['specialization']).toMatchObject({
    numWarps: 8,
    arguments: [{ kind: 'pointer' }, layout, { kind: 'constexpr' }],
  });
});

it('takes no object that answers to any name for a layout', () => {
  const before = python.launches.length;
  output(`
import helion, triton
@triton.jit
def kernel(x):
    helion.runtime.no_such_function(x)
kernel[(1,)](torch.zeros(4, device="cuda"))
`);
  expect(python.launches.length).toBe(before + 1);
});

it('binds the names of one kind of hardware, and says so where one is called', () => {
  const text = output(`
from triton.experimental.gluon.language.nvidia.hopper import tma, mbarrier
from triton.experimental.gluon.language.nvidia.ampere import async_copy as cp
from triton.experimental.gluon.nvidia.hopper import TensorDescriptor
from triton.experimental.gluon.language.amd.cdna3 import buffer_load
print(isinstance(gl.AutoLayout(), gl.amd.AMDMFMALayout))
try:
    TensorDescriptor.from_tensor(None, [1], None)
except NotImplementedError as error:
    print(error)
`);
  expect(text).toBe(
    'False\ngluon.nvidia.hopper.TensorDescriptor.from_tensor is for one kind of GPU’s own hardware, which WebGPU does not reach\n',
  );
});
