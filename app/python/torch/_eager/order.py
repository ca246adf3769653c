"""Sorting, and the first elements of a sort. A sort is stable, and NaN is the largest number. An element's place in a
block is how many of the block come before it; blocks in order are merged by pairs, where an element's place is its
own in its block, and how many of the other block come before it.
"""

import triton
import triton.language as tl

from .. import _core as core
from .. import _views as views
from . import kernel_for, launched
from .elementwise import check_types
from .products import _software

#: Elements of a block; fewer on a software adapter, whose driver compiles slowly.
_BLOCK, _SMALL_BLOCK = 1024, 256
#: Elements that each is compared with at a time.
_STEP = 16


@triton.jit
def _before(a, b, DOWN: tl.constexpr):
    """Whether `a` comes before `b` where both are not equal."""
    if DOWN:
        return ((a != a) & (b == b)) | (a > b)
    else:
        return ((b != b) & (a == a)) | (a < b)


@triton.jit
def torch_rank(
    values, indices, x, given, width, kept, HAS_GIVEN: tl.constexpr, DOWN: tl.constexpr, BLOCK: tl.constexpr,
    STEP: tl.constexpr,
):  # fmt: skip
    """The first `kept` of each block of a row in order, block behind block."""
    row, block = tl.program_id(1), tl.program_id(0)
    i = block * BLOCK + tl.arange(0, BLOCK)
    x += row * width
    own = tl.load(x + i, mask=i < width, other=0)
    rank = tl.zeros((BLOCK,), tl.int32)
    end = tl.minimum((block + 1) * BLOCK, width)
    for first in range(block * BLOCK, end, STEP):
        j = first + tl.arange(0, STEP)
        other = tl.load(x + j, mask=j < end, other=0)
        mine, theirs = own[:, None], other[None, :]
        ahead = _before(theirs, mine, DOWN) | (~_before(mine, theirs, DOWN) & (j[None, :] < i[:, None]))
        rank += tl.sum((ahead & (j < end)[None, :]).to(tl.int32), 1)
    # Blocks but the last are full.
    full = tl.minimum(kept, BLOCK)
    total = (width // BLOCK) * full + tl.minimum(width % BLOCK, full)
    to = row * total + block * full + rank
    mask = (i < width) & (rank < full)
    number = i
    if HAS_GIVEN:
        number = tl.load(given + row * width + i, mask=i < width, other=0).to(tl.int32)
    tl.store(values + to, own, mask=mask)
    tl.store(indices + to, number.to(indices.dtype.element_ty), mask=mask)


@triton.jit
def torch_merge(
    values, indices, x, given, width, run, STEPS: tl.constexpr, DOWN: tl.constexpr, BLOCK: tl.constexpr
):
    """Merges runs of `run` elements by pairs: a binary search of each element in the other run."""
    row = tl.program_id(1)
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < width
    x += row * width
    own = tl.load(x + i, mask=mask, other=0)
    number = tl.load(given + row * width + i, mask=mask, other=0)
    start = i // (2 * run) * (2 * run)
    is_left = i - start < run
    low = tl.minimum(tl.where(is_left, start + run, start), width)
    high = tl.minimum(low + run, width)
    other = low
    for _ in range(STEPS):
        middle = (low + high) // 2
        there = low < high
        found = tl.load(x + middle, mask=mask & there, other=0)
        # Equal elements of the left run come first.
        ahead = tl.where(is_left, _before(found, own, DOWN), ~_before(own, found, DOWN))
        low = tl.where(there & ahead, middle + 1, low)
        high = tl.where(there & ~ahead, middle, high)
    to = row * width + tl.where(is_left, i, i - run) + low - other
    tl.store(values + to, own, mask=mask)
    tl.store(indices + to, number.to(indices.dtype.element_ty), mask=mask)


def _block():
    return _SMALL_BLOCK if _software() else _BLOCK


def _kept(view):
    """The rows in one piece: itself where they lie so, else a copy."""
    from .._tensor import empty

    if view.is_contiguous():
        return view.detach()
    out = empty(view._shape, view.dtype, core.CUDA)
    core.run("copy", (out,), (view,))
    return out


def _ranked(x, rows, width, kept, down, given=None, outs=None):
    from .._tensor import empty

    block = min(_block(), max(16, triton.next_power_of_2(width)))
    kept = min(kept, block)
    total = width // block * kept + min(width % block, kept)
    values, indices = outs or (empty((rows, total), x.dtype, core.CUDA), empty((rows, total), core.int32, core.CUDA))
    torch_rank[(triton.cdiv(width, block), rows)](
        values, indices, x, x if given is None else given, width, kept, HAS_GIVEN=given is not None, DOWN=down,
        BLOCK=block, STEP=_STEP,
    )  # fmt: skip
    launched(values, block, last=False)
    launched(indices, last=False)
    return values, indices, total


def _check(outs, source):
    check_types(*outs, source)
    if source.dtype is core.bool_:
        raise NotImplementedError("bool")


def _windows(outs, rows, width):
    """The results' memory, where it is in one piece and row by row."""
    for out in outs:
        if not out.is_contiguous():
            return None
    return tuple(views.reshape(out.detach(), rows, width) for out in outs)


def _deliver(outs, made):
    for out, found in zip(outs, made):
        core.run("copy", (out,), (views.reshape(found, *out._shape),))


@kernel_for("sort")
def sort(outs, ins, f, c, n, x):
    from .._tensor import empty

    (source,) = ins
    _check(outs, source)
    rows, width, down = n
    whole = _windows(outs, rows, width)
    data = _kept(source)
    new = lambda: (empty((rows, width), source.dtype, core.CUDA), empty((rows, width), core.int32, core.CUDA))  # noqa: E731
    run = _block()
    one = width <= run
    made = _ranked(data, rows, width, width, bool(down), outs=whole if one and whole else new())[:2]
    while run < width:
        last = 2 * run >= width
        to = whole if last and whole else new()
        torch_merge[(triton.cdiv(width, 256), rows)](
            *to, *made, width, run, STEPS=run.bit_length(), DOWN=bool(down), BLOCK=256
        )
        launched(to[0], last=False)
        launched(to[1], last=False)
        made, run = to, 2 * run
    if whole is None:
        _deliver(outs, made)
    _finish(outs)


@kernel_for("topk")
def topk(outs, ins, f, c, n, x):
    (source,) = ins
    _check(outs, source)
    rows, width, k, down = n
    whole = _windows(outs, rows, k)
    data, given = _kept(source), None
    while width > _block():
        data, given, width = _ranked(data, rows, width, k, bool(down), given)
    made = _ranked(data, rows, width, k, bool(down), given, outs=whole)[:2]
    if whole is None:
        _deliver(outs, made)
    _finish(outs)


def _finish(outs):
    """An operation of PyTorch's, however many launches it took: they are what its time holds."""
    launched(outs[0])
    launched(outs[1], last=False)
