"""Running sums, products and log-sum-exps along rows. A scan of few long rows is two launches: the fold of each part of
a row, then every part with the fold of those before it.
"""

import triton
import triton.language as tl

from .. import _core as core
from . import kernel_for, launched
from .elementwise import _add, _mul, check_types, collapse, converted, place, tl_type
from .rows import _FEW_ROWS, _PART, _tile


@triton.jit
def _log_add(a, b):
    top = tl.where(a != a, a, tl.where(b != b, b, tl.where(a > b, a, b)))
    # The difference of two infinities is no number.
    ends = tl.abs(top) == float("inf")
    base = tl.where(ends, 0.0, top)
    return tl.where(ends, top, base + tl.log(tl.exp(a - base) + tl.exp(b - base)))


#: By operation: what joins two elements, and the neutral one.
_JOINS = {"cumsum": (_add, 0), "cumprod": (_mul, 1), "logcumsumexp": (_log_add, float("-inf"))}
_PARTS = 256


@triton.jit
def torch_scan_parts(
    folds, x, rows, width, part, row_sizes, row_strides, step, neutral, JOIN: tl.constexpr, T: tl.constexpr,
    RANK: tl.constexpr, BR: tl.constexpr, BC: tl.constexpr,
):  # fmt: skip
    """folds[row, p] = the fold of part p of the row."""
    row, p = tl.program_id(0) * BR + tl.arange(0, BR), tl.program_id(1)
    starts = place(row, row_sizes, row_strides, RANK)
    folded = tl.full((BR, BC), neutral, T)
    end = tl.minimum((p + 1) * part, width)
    for first in range(p * part, end, BC):
        column = first + tl.arange(0, BC)
        mask = (row < rows)[:, None] & (column < end)[None, :]
        at = starts[:, None] + (column * step)[None, :]
        folded = tl.where(mask, JOIN(folded, converted(tl.load(x + at, mask=mask, other=0), T)), folded)
    tl.store(folds + row * tl.num_programs(1) + p, tl.reduce(folded, 1, JOIN), mask=row < rows)


@triton.jit
def torch_scan(
    out, x, folds, rows, width, part, row_sizes, row_strides, out_row_strides, step, out_step, neutral,
    JOIN: tl.constexpr, T: tl.constexpr, CUT: tl.constexpr, RANK: tl.constexpr, BR: tl.constexpr, BC: tl.constexpr,
    PARTS: tl.constexpr,
):  # fmt: skip
    """out[row, i] = the fold of the row's elements up to i."""
    row, p = tl.program_id(0) * BR + tl.arange(0, BR), tl.program_id(1)
    starts, targets = place(row, row_sizes, row_strides, RANK), place(row, row_sizes, out_row_strides, RANK)
    state = tl.full((BR,), neutral, T)
    if CUT:
        q = tl.arange(0, PARTS)
        there = (row < rows)[:, None] & (q < p)[None, :]
        before = tl.load(folds + row[:, None] * tl.num_programs(1) + q[None, :], mask=there, other=0)
        state = tl.reduce(tl.where(there, before, tl.full((BR, PARTS), neutral, T)), 1, JOIN)
    end = tl.minimum((p + 1) * part, width)
    for first in range(p * part, end, BC):
        column = first + tl.arange(0, BC)
        mask = (row < rows)[:, None] & (column < end)[None, :]
        at = starts[:, None] + (column * step)[None, :]
        found = converted(tl.load(x + at, mask=mask, other=0), T)
        found = tl.where(mask, found, tl.full((BR, BC), neutral, T))
        y = JOIN(state[:, None], tl.associative_scan(found, 1, JOIN))
        to = targets[:, None] + (column * out_step)[None, :]
        tl.store(out + to, converted(y, out.dtype.element_ty), mask=mask)
        state = JOIN(state, tl.reduce(found, 1, JOIN))


@kernel_for("scan")
def scan(outs, ins, f, c, n, x):
    from .._tensor import empty

    (out,), (view,) = outs, ins
    check_types(out, view)
    if f not in _JOINS or c == "bool":
        raise NotImplementedError()
    join, neutral = _JOINS[f]
    rows, width = n
    row_sizes, (row_strides, out_row_strides) = collapse(view._shape[:-1], view._strides[:-1], out._strides[:-1])
    step, out_step = (view._strides[-1], out._strides[-1]) if view._shape else (1, 1)
    T = tl_type(c)
    neutral = float(neutral) if c == "float32" else int(neutral)
    height, columns = _tile(rows, width, row_strides, (step,))
    parts = min(triton.cdiv(width, _PART), _PARTS) if rows < _FEW_ROWS else 1
    part = triton.cdiv(triton.cdiv(width, parts), columns) * columns
    grid = (triton.cdiv(rows, height), parts)
    options = {"JOIN": join, "T": T, "RANK": len(row_sizes), "BR": height, "BC": columns}
    folds = out
    if parts > 1:
        folds = empty((rows, parts), core.BY_NAME[c], core.CUDA)
        torch_scan_parts[grid](
            folds, view.detach(), rows, width, part, row_sizes, row_strides, step, neutral, **options
        )  # fmt: skip
        launched(folds, last=False)
    torch_scan[grid](
        out.detach(), view.detach(), folds.detach(), rows, width, part, row_sizes, row_strides, out_row_strides,
        step, out_step, neutral, CUT=parts > 1, PARTS=triton.next_power_of_2(parts), **options,
    )  # fmt: skip
    launched(out)
