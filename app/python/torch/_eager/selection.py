"""Elements chosen by index: advanced indexing (and with it embedding and index_select), and gather. An index out of
bounds stops the program, as an assertion of PyTorch's kernels does.
"""

import triton
import triton.language as tl

from .. import _core as core
from . import kernel_for, launched
from .elementwise import check_types, place

#: Elements of a program: fewer make shorter code, which some drivers take long to compile.
_BLOCK = 256


@triton.jit
def _checked(index, size, mask):
    index = index.to(tl.int64)
    index = tl.where(index < 0, index + size, index)
    tl.device_assert((index >= 0) & (index < size), "index out of bounds", mask=mask)
    return index.to(tl.int32)


@triton.jit
def torch_index(
    out, x, lists, n, inner, sizes, strides, list_sizes, list_strides, rest_sizes, rest_strides,
    COUNT: tl.constexpr, RANK: tl.constexpr, REST: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """out[i, j] = x[lists[0][i], lists[1][i], …, j], of `inner` elements j."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    at = place(i % inner, rest_sizes, rest_strides, REST)
    for d in tl.static_range(COUNT):
        found = tl.load(lists[d] + place(i // inner, list_sizes, list_strides[d], RANK), mask=mask, other=0)
        at += _checked(found, sizes[d], mask) * strides[d]
    tl.store(out + i, tl.load(x + at, mask=mask), mask=mask)


@triton.jit
def torch_gather(
    out, x, index, n, size, step, sizes, x_strides, index_strides, RANK: tl.constexpr, BLOCK: tl.constexpr
):
    """out[i] = x[i, but the index in the dimension that is gathered along]; `step` is that dimension's stride."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    found = tl.load(index + place(i, sizes, index_strides, RANK), mask=mask, other=0)
    at = place(i, sizes, x_strides, RANK) + _checked(found, size, mask) * step
    tl.store(out + i, tl.load(x + at, mask=mask), mask=mask)


@kernel_for("index")
def index(outs, ins, f, c, n, x):
    (out,), (source, *lists) = outs, ins
    check_types(out, source, *lists)
    count = len(lists)
    if not out.is_contiguous() or any(t.dtype not in (core.int64, core.int32) for t in lists):
        raise NotImplementedError("these indices")
    shape = lists[0]._shape or (1,)
    rest = source._shape[count:] or (1,)
    torch_index[(triton.cdiv(out.numel(), _BLOCK),)](
        out.detach(), source.detach(), tuple(t.detach() for t in lists), out.numel(), n[0],
        tuple(source._shape[:count]), tuple(source._strides[:count]), tuple(shape),
        tuple(tuple(t._strides) or (0,) for t in lists), tuple(rest), tuple(source._strides[count:]) or (0,),
        COUNT=count, RANK=len(shape), REST=len(rest), BLOCK=_BLOCK, debug=True,
    )  # fmt: skip
    launched(out)


@kernel_for("gather")
def gather(outs, ins, f, c, n, x):
    (out,), (source, where) = outs, ins
    check_types(out, source, where)
    (axis,) = n
    if not out.is_contiguous():
        raise NotImplementedError("a result with gaps")
    rank = len(out._shape)
    strides = [0 if i == axis else d for i, d in enumerate(source._strides)]
    torch_gather[(triton.cdiv(out.numel(), _BLOCK),)](
        out.detach(), source.detach(), where.detach(), out.numel(), source._shape[axis] if rank else 1,
        source._strides[axis] if rank else 0, tuple(out._shape) or (1,), tuple(strides) or (0,),
        tuple(where._strides) or (0,), RANK=max(1, rank), BLOCK=_BLOCK, debug=True,
    )  # fmt: skip
    launched(out)
