"""Gluon's portable core: layouts that the author chooses, conversions, reductions, shared memory."""

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


@gluon.jit
def transposed_in_shared(x_ptr, y_ptr, M: gl.constexpr, N: gl.constexpr, shared: gl.constexpr, num_warps: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1, 2], [4, 8], [num_warps, 1], [1, 0])
    r = gl.arange(0, M, gl.SliceLayout(1, layout))
    c = gl.arange(0, N, gl.SliceLayout(0, layout))
    x = gl.load(x_ptr + r[:, None] * N + c[None, :])
    tile = gl.allocate_shared_memory(x.dtype, [M, N], shared, x)
    r = gl.arange(0, N, gl.SliceLayout(1, layout))
    c = gl.arange(0, M, gl.SliceLayout(0, layout))
    gl.store(y_ptr + r[:, None] * M + c[None, :], tile.permute((1, 0)).load(layout))


@gluon.jit
def behind(x_ptr, y_ptr, n, BLOCK: gl.constexpr, BUFFERS: gl.constexpr, num_warps: gl.constexpr):
    one: gl.constexpr = gl.BlockedLayout([1], [32], [num_warps], [0])
    four: gl.constexpr = gl.BlockedLayout([4], [32], [num_warps], [0])
    tiles = gl.allocate_shared_memory(gl.float32, [BUFFERS, BLOCK], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    offsets = gl.arange(0, BLOCK, one)
    sums = gl.zeros([BLOCK], gl.float32, four)
    for i in range(n + BUFFERS - 1):
        if i < n:
            tiles.index(i % BUFFERS).store(gl.load(x_ptr + i * BLOCK + offsets))
        done = i - BUFFERS + 1
        if done >= 0:
            sums += tiles.index(done % BUFFERS).load(four) * (done + 1)
    gl.store(y_ptr + gl.arange(0, BLOCK, four), sums)


@gluon.jit
def halves_swapped(x_ptr, y_ptr, BLOCK: gl.constexpr, num_warps: gl.constexpr):
    layout: gl.constexpr = gl.BlockedLayout([1], [32], [num_warps], [0])
    offsets = gl.arange(0, BLOCK, layout)
    x = gl.load(x_ptr + offsets)
    tile = gl.allocate_shared_memory(x.dtype, [BLOCK], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    tile.store(x)
    first = tile.slice(0, BLOCK // 2).load(layout)
    second = tile.slice(BLOCK // 2, BLOCK // 2).load(layout)
    tile.slice(0, BLOCK // 2).store(second)
    tile.slice(BLOCK // 2, BLOCK // 2).store(first)
    gl.store(y_ptr + offsets, tile.load(layout))


@gluon.jit
def counts(x_ptr, y_ptr, n, N: gl.constexpr, BINS: gl.constexpr):
    read: gl.constexpr = gl.BlockedLayout([2], [32], [4], [0])
    write: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    i = gl.arange(0, N, read)
    x = gl.load(x_ptr + i, mask=i < n, other=0)
    h = gl.histogram(x, BINS, mask=i < n, layout=write)
    gl.store(y_ptr + gl.arange(0, BINS, write), h)


@gluon.jit
def shapes(x_ptr, y_ptr):
    l: gl.constexpr = gl.BlockedLayout([1, 2], [4, 8], [4, 1], [1, 0])
    flat: gl.constexpr = gl.BlockedLayout([1], [32], [4], [0])
    three: gl.constexpr = gl.BlockedLayout([1, 1, 2], [4, 8, 1], [4, 1, 1], [2, 1, 0])
    r = gl.arange(0, 16, gl.SliceLayout(1, l))
    c = gl.arange(0, 32, gl.SliceLayout(0, l))
    x = gl.load(x_ptr + gl.expand_dims(r, 1) * 32 + gl.expand_dims(c, 0))
    f = gl.convert_layout(gl.reshape(x, [512]), flat)
    i = gl.arange(0, 512, flat)
    gl.store(y_ptr + i, f)
    t = gl.permute(x, (1, 0))
    t = gl.convert_layout(t, l)
    r2 = gl.arange(0, 32, gl.SliceLayout(1, l))
    c2 = gl.arange(0, 16, gl.SliceLayout(0, l))
    gl.store(y_ptr + 512 + r2[:, None] * 16 + c2[None, :], t)
    a, b = gl.split(gl.convert_layout(gl.reshape(x, [16, 16, 2]), three))
    two = gl.join(b, a)
    g = gl.convert_layout(gl.reshape(two, [512]), flat)
    gl.store(y_ptr + 1024 + i, g)


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

for dtype in (torch.float32, torch.float16, torch.int8):
    for swizzle in ((1, 1, 1), (4, 2, 8), (8, 1, 16)):
        x = (50 * torch.randn(32, 64, device="cuda")).to(dtype)
        y = torch.empty(64, 32, device="cuda", dtype=dtype)
        transposed_in_shared[(1,)](x, y, 32, 64, gl.SwizzledSharedLayout(*swizzle, [1, 0]), num_warps=4)
        assert torch.equal(y, x.T)
x = torch.randn(7, 256, device="cuda")
y = torch.empty(256, device="cuda")
behind[(1,)](x, y, 7, BLOCK=256, BUFFERS=3, num_warps=4)
torch.testing.assert_close(y, (x * torch.arange(1, 8, device="cuda")[:, None]).sum(0), rtol=1e-5, atol=1e-4)
x = torch.randint(-(2**62), 2**62, (128,), device="cuda")
y = torch.empty_like(x)
halves_swapped[(1,)](x, y, 128, num_warps=2)
assert torch.equal(y, torch.cat([x[64:], x[:64]]))
x = torch.randint(0, 10, (200,), device="cuda", dtype=torch.int32)
y = torch.empty(16, device="cuda", dtype=torch.int32)
counts[(1,)](x, y, 200, 256, 16)
assert torch.equal(y.cpu().long(), torch.bincount(x.cpu(), minlength=16))
x = torch.randn(16, 32, device="cuda")
y = torch.empty(3, 512, device="cuda")
shapes[(1,)](x, y)
assert torch.equal(y[0], x.flatten())
assert torch.equal(y[1], x.T.flatten())
assert torch.equal(y[2], x.reshape(16, 16, 2).flip(-1).flatten())
