"""Reductions along rows, softmax, and normalizations. Floats are summed in float32, integers in int64.

A reduction of few long rows is two launches: parts of the rows first, then the parts.
"""

import triton
import triton.language as tl

from .. import _core as core
from . import kernel_for, launched
from .elementwise import (
    _add, _and, _maximum, _minimum, _mul, _or, check_types, collapse, converted, place, tl_type,
)  # fmt: skip

#: Elements of a tile.
_TILE = 1024
#: A row is cut where there are fewer rows than this, into parts of at least so many elements.
_FEW_ROWS, _PART = 64, 16384
#: The widest row that one tile holds.
_WIDEST = 8192


# ── reductions ──────────────────────────────────────────────────────────────────────────────────


@triton.jit
def _largest(a, i, b, j):
    """The first of the largest; a NaN is larger than all."""
    wins = (a > b) | ((a != a) & (b == b)) | (((a == b) | ((a != a) & (b != b))) & (i < j))
    return tl.where(wins, a, b), tl.where(wins, i, j)


@triton.jit
def _smallest(a, i, b, j):
    wins = (a < b) | ((a != a) & (b == b)) | (((a == b) | ((a != a) & (b != b))) & (i < j))
    return tl.where(wins, a, b), tl.where(wins, i, j)


@triton.jit
def _element(x, KIND: tl.constexpr, T: tl.constexpr):
    """What is folded of an element."""
    if KIND == "any" or KIND == "all":
        return (x != 0).to(T)
    elif KIND == "count":
        return (x != 0).to(T)
    elif KIND == "absolute":
        return tl.abs(x.to(T))
    elif KIND == "square":
        return x.to(T) * x.to(T)
    else:
        return x.to(T)


@triton.jit
def _last(x, KIND: tl.constexpr, extra):
    """What comes of a row's fold."""
    if KIND == "mean":
        return x / extra
    elif KIND == "square":
        return tl.sqrt_rn(x)
    else:
        return x


@triton.jit
def torch_reduce(
    out, x, rows, width, part, row_sizes, row_strides, column_sizes, column_strides, neutral, extra,
    FOLD: tl.constexpr, KIND: tl.constexpr, LAST: tl.constexpr, T: tl.constexpr, RR: tl.constexpr, RC: tl.constexpr,
    BR: tl.constexpr, BC: tl.constexpr,
):  # fmt: skip
    """out[row, p] = the fold of part p of the row."""
    row = tl.program_id(0) * BR + tl.arange(0, BR)
    p = tl.program_id(1)
    starts = place(row, row_sizes, row_strides, RR)
    folded = tl.full((BR, BC), neutral, T)
    end = tl.minimum((p + 1) * part, width)
    for first in range(p * part, end, BC):
        column = first + tl.arange(0, BC)
        mask = (row < rows)[:, None] & (column < end)[None, :]
        at = starts[:, None] + place(column, column_sizes, column_strides, RC)[None, :]
        found = _element(tl.load(x + at, mask=mask, other=0), KIND, T)
        folded = tl.where(mask, FOLD(folded, found), folded)
    y = _last(tl.reduce(folded, 1, FOLD), LAST, extra)
    tl.store(out + row * tl.num_programs(1) + p, converted(y, out.dtype.element_ty), mask=row < rows)


@triton.jit
def torch_arg_reduce(
    out, x, rows, width, row_sizes, row_strides, column_sizes, column_strides, FOLD: tl.constexpr,
    T: tl.constexpr, RR: tl.constexpr, RC: tl.constexpr, BR: tl.constexpr, BC: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0) * BR + tl.arange(0, BR)
    starts = place(row, row_sizes, row_strides, RR)
    # The first element takes the place of what is not there: it has the lowest index.
    first = tl.load(x + starts, mask=row < rows, other=0).to(T)
    best = tl.zeros((BR, BC), T) + first[:, None]
    index = tl.zeros((BR, BC), tl.int32)
    for start in range(0, width, BC):
        column = start + tl.arange(0, BC)
        mask = (row < rows)[:, None] & (column < width)[None, :]
        at = starts[:, None] + place(column, column_sizes, column_strides, RC)[None, :]
        found = tl.load(x + at, mask=mask, other=0).to(T)
        places = tl.zeros((BR, BC), tl.int32) + column[None, :]
        value, where = FOLD(best, index, found, places)
        best = tl.where(mask, value, best)
        index = tl.where(mask, where, index)
    _, result = tl.reduce((best, index), 1, FOLD)
    tl.store(out + row, result.to(out.dtype.element_ty), mask=row < rows)


@triton.jit
def torch_var(
    out, x, rows, width, row_sizes, row_strides, column_sizes, column_strides, divisor,
    ROOT: tl.constexpr, RR: tl.constexpr, RC: tl.constexpr, BR: tl.constexpr, BC: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0) * BR + tl.arange(0, BR)
    starts = place(row, row_sizes, row_strides, RR)
    sums = tl.zeros((BR, BC), tl.float32)
    for start in range(0, width, BC):
        column = start + tl.arange(0, BC)
        mask = (row < rows)[:, None] & (column < width)[None, :]
        at = starts[:, None] + place(column, column_sizes, column_strides, RC)[None, :]
        sums += tl.load(x + at, mask=mask, other=0).to(tl.float32)
    mean = tl.sum(sums, 1) / width
    squares = tl.zeros((BR, BC), tl.float32)
    for start in range(0, width, BC):
        column = start + tl.arange(0, BC)
        mask = (row < rows)[:, None] & (column < width)[None, :]
        at = starts[:, None] + place(column, column_sizes, column_strides, RC)[None, :]
        apart = tl.load(x + at, mask=mask, other=0).to(tl.float32) - mean[:, None]
        squares += tl.where(mask, apart * apart, 0.0)
    y = tl.div_rn(tl.sum(squares, 1), divisor)
    if ROOT:
        y = tl.sqrt_rn(y)
    tl.store(out + row, y.to(out.dtype.element_ty), mask=row < rows)


#: By operation: fold, its neutral element, what is folded of an element, what comes last.
_FOLDS = {
    "sum": (_add, 0, "", ""), "mean": (_add, 0, "", "mean"), "prod": (_mul, 1, "", ""),
    "amax": (_maximum, "low", "", ""), "amin": (_minimum, "high", "", ""),
    "any": (_or, 0, "any", ""), "all": (_and, 1, "all", ""), "count_nonzero": (_add, 0, "count", ""),
    "norm1": (_add, 0, "absolute", ""), "norm2": (_add, 0, "square", "square"),
}  # fmt: skip


def split(view, rows):
    """The sizes and strides of a view's rows, and of their columns."""
    at, n = 0, 1
    while n < rows:
        n *= view._shape[at]
        at += 1
    return _merged(view, 0, at), _merged(view, at, len(view._shape))


def _merged(view, start, end):
    """These dimensions of a view in as few as there can be, in their order: (sizes, strides)."""
    merged = []
    for s, d in zip(view._shape[start:end], view._strides[start:end]):
        if s == 1:
            continue
        if merged and merged[-1][1] == d * s:
            merged[-1] = (merged[-1][0] * s, d)
        else:
            merged.append((s, d))
    return tuple(zip(*merged)) if merged else ((1,), (1,))


def _tile(rows, width, row_strides, column_strides):
    """Rows and columns of a tile: long the way memory runs."""
    if column_strides[-1] == 1 or row_strides[-1] != 1:
        columns = min(triton.next_power_of_2(width), _TILE)
        return min(triton.next_power_of_2(rows), _TILE // columns), columns
    height = min(triton.next_power_of_2(rows), 64)
    return height, min(triton.next_power_of_2(width), _TILE // height)


@kernel_for("reduce")
def reduce(outs, ins, f, c, n, x):
    (out,), (view,) = outs, ins
    check_types(out, view)
    if not out.is_contiguous() or not n[1]:
        raise NotImplementedError("no elements" if not n[1] else "a result with gaps")
    tl_type(c)
    extra = float(x[0]) if x else 0.0
    if f == "norm":
        f = {1.0: "norm1", 2.0: "norm2"}.get(extra, f)
    floats = c == "float32"
    if f in ("argmax", "argmin"):
        return _launch_arg(out, view, f, c, *n)
    if f in ("var", "std"):
        return _launch_var(out, view, f, c, extra, *n)
    if f not in _FOLDS:
        raise NotImplementedError()
    fold, neutral, kind, last = _FOLDS[f]
    exact = f in ("any", "all")
    if not floats and f in ("mean", "norm1", "norm2") or c == "bool" and f in ("sum", "prod", "amax", "amin"):
        raise NotImplementedError(c)
    if f in ("amax", "amin"):
        neutral = _end(c, f == "amin")
    T = "int32" if exact else c
    _launch_fold(out, view, fold, neutral, kind, last, T, *n)


def _end(c, top):
    if c == "float32":
        return float("inf") if top else float("-inf")
    from .._limits import iinfo

    info = iinfo(core.BY_NAME[c])
    return info.max if top else info.min


def _launch_fold(out, view, fold, neutral, kind, last, T, rows, width):
    parts = min(triton.cdiv(width, _PART), 256) if rows < _FEW_ROWS else 1
    if parts > 1:
        from .._tensor import empty

        found = empty((rows, parts), core.BY_NAME[T], core.CUDA)
        _fold(found, view, fold, neutral, kind, "", T, rows, width, parts, width, whole=False)
        again = "" if kind in ("any", "all", "count", "absolute", "square") else kind
        _fold(out, found, fold, neutral, again, last, T, rows, parts, 1, width)
    else:
        _fold(out, view, fold, neutral, kind, last, T, rows, width, 1, width)


def _fold(out, view, fold, neutral, kind, last, T, rows, width, parts, extra, whole=True):
    (row_sizes, row_strides), (column_sizes, column_strides) = split(view, rows)
    height, columns = _tile(rows, width, row_strides, column_strides)
    part = triton.cdiv(triton.cdiv(width, parts), columns) * columns
    number = float if T == "float32" else int
    torch_reduce[(triton.cdiv(rows, height), parts)](
        out.detach(), view.detach(), rows, width, part, row_sizes, row_strides, column_sizes, column_strides,
        number(neutral), number(extra), FOLD=fold, KIND=kind, LAST=last, T=tl_type(T), RR=len(row_sizes),
        RC=len(column_sizes), BR=height, BC=columns,
    )  # fmt: skip
    launched(out, last=whole)


def _launch_arg(out, view, f, c, rows, width):
    (row_sizes, row_strides), (column_sizes, column_strides) = split(view, rows)
    height, columns = _tile(rows, width, row_strides, column_strides)
    torch_arg_reduce[(triton.cdiv(rows, height),)](
        out.detach(), view.detach(), rows, width, row_sizes, row_strides, column_sizes, column_strides,
        FOLD=_largest if f == "argmax" else _smallest, T=tl_type(c), RR=len(row_sizes), RC=len(column_sizes),
        BR=height, BC=columns,
    )  # fmt: skip
    launched(out)


def _launch_var(out, view, f, c, correction, rows, width):
    if c != "float32":
        raise NotImplementedError(c)
    (row_sizes, row_strides), (column_sizes, column_strides) = split(view, rows)
    height, columns = _tile(rows, width, row_strides, column_strides)
    torch_var[(triton.cdiv(rows, height),)](
        out.detach(), view.detach(), rows, width, row_sizes, row_strides, column_sizes, column_strides,
        max(0.0, width - correction), ROOT=f == "std", RR=len(row_sizes), RC=len(column_sizes), BR=height,
        BC=columns,
    )  # fmt: skip
    launched(out)


# ── softmax ─────────────────────────────────────────────────────────────────────────────────────


@triton.jit
def torch_softmax(
    out, x, width, sizes, out_strides, x_strides, out_step, x_step, LOG: tl.constexpr, RANK: tl.constexpr,
    BLOCK: tl.constexpr,
):  # fmt: skip
    """A row a program, in one tile."""
    row = tl.program_id(0)
    column = tl.arange(0, BLOCK)
    mask = column < width
    at = x + place(row, sizes, x_strides, RANK) + column * x_step
    values = tl.load(at, mask=mask, other=float("-inf")).to(tl.float32)
    apart = values - tl.max(values, 0)
    powers = tl.exp(apart)
    total = tl.sum(powers, 0)
    y = apart - tl.log(total) if LOG else powers / total
    to = out + place(row, sizes, out_strides, RANK) + column * out_step
    tl.store(to, y.to(out.dtype.element_ty), mask=mask)


@triton.jit
def torch_long_softmax(
    out, x, width, sizes, out_strides, x_strides, out_step, x_step, LOG: tl.constexpr, RANK: tl.constexpr,
    BLOCK: tl.constexpr,
):  # fmt: skip
    """A row a program, in two passes: the largest element with the sum, and the results."""
    row = tl.program_id(0)
    x += place(row, sizes, x_strides, RANK)
    out += place(row, sizes, out_strides, RANK)
    largest = tl.full((BLOCK,), float("-inf"), tl.float32)
    total = tl.zeros((BLOCK,), tl.float32)
    for first in range(0, width, BLOCK):
        column = first + tl.arange(0, BLOCK)
        values = tl.load(x + column * x_step, mask=column < width, other=float("-inf")).to(tl.float32)
        now = tl.where(values != values, values, tl.maximum(largest, values))
        total = total * tl.exp(largest - tl.where(now == float("-inf"), 0.0, now)) + tl.exp(
            values - tl.where(now == float("-inf"), 0.0, now)
        )
        largest = now
    top = tl.max(largest, 0)
    total = tl.sum(total * tl.exp(largest - top), 0)
    for first in range(0, width, BLOCK):
        column = first + tl.arange(0, BLOCK)
        values = tl.load(x + column * x_step, mask=column < width, other=float("-inf")).to(tl.float32)
        y = values - top - tl.log(total) if LOG else tl.exp(values - top) / total
        tl.store(out + column * out_step, y.to(out.dtype.element_ty), mask=column < width)


@kernel_for("softmax")
def softmax(outs, ins, f, c, n, x):
    (out,), (source,) = outs, ins
    check_types(out, source)
    rows, width = n[0], n[1]
    if c != "float32":
        raise NotImplementedError(c)
    rank = len(source._shape)
    sizes, (out_strides, x_strides) = _both_rows(out, source, rank - 1)
    steps = (out._strides[-1], source._strides[-1]) if rank else (1, 1)
    block = triton.next_power_of_2(width)
    kernel = torch_softmax if block <= _WIDEST else torch_long_softmax
    kernel[(rows,)](
        out.detach(), source.detach(), width, sizes, out_strides, x_strides, *steps, LOG=f == "log_softmax",
        RANK=len(sizes), BLOCK=min(block, _WIDEST), num_warps=4 if block <= 2048 else 8,
    )  # fmt: skip
    launched(out)


def _both_rows(out, source, rank):
    return collapse(source._shape[:rank], out._strides[:rank], source._strides[:rank])


# ── normalizations ──────────────────────────────────────────────────────────────────────────────


@triton.jit
def torch_norm(
    out, x, weight, bias, width, eps, CENTERED: tl.constexpr, WEIGHT: tl.constexpr, BIAS: tl.constexpr,
    BLOCK: tl.constexpr,
):  # fmt: skip
    """layer_norm, or rms_norm where the row is not centered: a row a program."""
    row = tl.program_id(0)
    x += row * width
    out += row * width
    mean = 0.0
    if CENTERED:
        sums = tl.zeros((BLOCK,), tl.float32)
        for first in range(0, width, BLOCK):
            column = first + tl.arange(0, BLOCK)
            sums += tl.load(x + column, mask=column < width, other=0.0).to(tl.float32)
        mean = tl.sum(sums, 0) / width
    squares = tl.zeros((BLOCK,), tl.float32)
    for first in range(0, width, BLOCK):
        column = first + tl.arange(0, BLOCK)
        apart = tl.load(x + column, mask=column < width, other=0.0).to(tl.float32) - mean
        squares += tl.where(column < width, apart * apart, 0.0)
    scale = 1.0 / tl.sqrt_rn(tl.sum(squares, 0) / width + eps)
    for first in range(0, width, BLOCK):
        column = first + tl.arange(0, BLOCK)
        mask = column < width
        y = (tl.load(x + column, mask=mask, other=0.0).to(tl.float32) - mean) * scale
        if WEIGHT:
            y *= tl.load(weight + column, mask=mask, other=0.0).to(tl.float32)
        if BIAS:
            y += tl.load(bias + column, mask=mask, other=0.0).to(tl.float32)
        tl.store(out + column, y.to(out.dtype.element_ty), mask=mask)


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-05):
    return _normalized(input, normalized_shape, weight, bias, eps, True)


def rms_norm(input, normalized_shape, weight=None, eps=None):
    from .._limits import finfo

    small = finfo(input.dtype).eps if eps is None else eps
    return _normalized(input, normalized_shape, weight, None, small, False)


def _normalized(input, normalized_shape, weight, bias, eps, centered):
    from .._tensor import empty

    shape = tuple(normalized_shape) if not isinstance(normalized_shape, int) else (normalized_shape,)
    factors = [t for t in (weight, bias) if t is not None]
    check_types(input, *factors)
    if not input.dtype.is_floating_point or tuple(input._shape[len(input._shape) - len(shape) :]) != shape:
        raise NotImplementedError("these shapes")
    if any(tuple(t._shape) != shape or not t.is_contiguous() for t in factors) or not input.numel():
        raise NotImplementedError("these shapes")
    x = input.contiguous()
    out = empty(x._shape, x.dtype, core.CUDA)
    width = core.numel(shape)
    block = min(triton.next_power_of_2(width), 2048)
    given = lambda t: (x if t is None else t).detach()  # noqa: E731
    torch_norm[(x.numel() // width,)](
        out, x.detach(), given(weight), given(bias), width, float(eps), CENTERED=centered,
        WEIGHT=weight is not None, BIAS=bias is not None, BLOCK=block,
    )  # fmt: skip
    launched(out)
    return out
