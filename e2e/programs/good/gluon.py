"""Gluon's portable core: layouts that the author chooses, conversions between them, reductions."""

import torch
import triton
from triton.experimental import gluon
from triton.experimental.gluon import language as gl


@gluon.jit
def scale(x_ptr, y_ptr, n, BLOCK: gl.constexpr, layout: gl.constexpr):
    offsets = gl.program_id(0) * BLOCK + gl.arange(0, BLOCK, layout=layout)
    mask = offsets < n
    x = gl.load(x_ptr + offsets, mask=mask)
    gl.store(y_ptr + offsets, 2 * x, mask=mask)


@gluon.jit
def places(start, ROWS: gl.constexpr, COLUMNS: gl.constexpr, rows, columns, row_step, column_step, layout: gl.constexpr):
    r = start + gl.arange(0, ROWS, layout=gl.SliceLayout(1, layout))
    c = gl.arange(0, COLUMNS, layout=gl.SliceLayout(0, layout))
    mask = (r[:, None] < rows) & (c[None, :] < columns)
    return r[:, None] * row_step + c[None, :] * column_step, mask


@gluon.jit
def transposed_copy(
    x_ptr, y_ptr, rows, columns, ROWS: gl.constexpr, COLUMNS: gl.constexpr, read: gl.constexpr, write: gl.constexpr
):
    start = gl.program_id(0) * ROWS
    source, mask = places(start, ROWS, COLUMNS, rows, columns, columns, 1, read)
    x = gl.load(x_ptr + source, mask=mask)
    target, mask = places(start, ROWS, COLUMNS, rows, columns, 1, rows, write)
    gl.store(y_ptr + target, gl.convert_layout(x, write), mask=mask)


@gluon.jit
def softmax(x_ptr, y_ptr, n, ROWS: gl.constexpr, COLUMNS: gl.constexpr, num_warps: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [num_warps, 1], [1, 0])
    r = gl.program_id(0) * ROWS + gl.arange(0, ROWS, gl.SliceLayout(1, layout))
    c = gl.arange(0, COLUMNS, gl.SliceLayout(0, layout))
    offsets = r[:, None] * n + c[None, :]
    x = gl.load(x_ptr + offsets, mask=c[None, :] < n, other=-float("inf"))
    e = gl.exp(x - gl.max(x, axis=1)[:, None])
    gl.store(y_ptr + offsets, e / gl.sum(e, axis=1)[:, None], mask=c[None, :] < n)


@gluon.jit
def total(x_ptr, y_ptr, n, BLOCK: gl.constexpr, num_warps: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([2], [32], [num_warps], [0])
    offsets = gl.arange(0, BLOCK, layout)
    sums = gl.zeros([BLOCK], gl.float32, layout)
    for start in range(0, n, BLOCK):
        sums += gl.load(x_ptr + start + offsets, mask=start + offsets < n, other=0.0)
    gl.store(y_ptr, gl.sum(sums, 0))


for each in (1, 2, 4):
    x = torch.randn(5000, device="cuda")
    y = torch.empty_like(x)
    layout = gl.BlockedLayout([each], [32], [4], [0])
    scale[(triton.cdiv(5000, 1024),)](x, y, 5000, 1024, layout, num_warps=4)
    torch.testing.assert_close(y, 2 * x, rtol=0, atol=0)

x = torch.randn(100, 60, device="cuda")
y = torch.empty(60, 100, device="cuda")
read = gl.BlockedLayout([1, 1], [1, 32], [4, 1], [1, 0])
write = gl.BlockedLayout([1, 1], [32, 1], [1, 4], [0, 1])
transposed_copy[(4,)](x, y, 100, 60, 32, 64, read, write, num_warps=4)
torch.testing.assert_close(y, x.T.contiguous(), rtol=0, atol=0)

for warps in (1, 4):
    x = torch.randn(40, 200, device="cuda")
    y = torch.empty_like(x)
    softmax[(5,)](x, y, 200, ROWS=8, COLUMNS=256, num_warps=warps)
    torch.testing.assert_close(y, torch.softmax(x, 1), rtol=1e-5, atol=1e-6)
    x = torch.randn(3000, device="cuda")
    y = torch.zeros(1, device="cuda")
    total[(1,)](x, y, 3000, BLOCK=512, num_warps=warps)
    torch.testing.assert_close(y, x.sum()[None], rtol=1e-5, atol=1e-4)
