"""Gradients that PyTorch has one kernel for, where the CPU's are made of several operations: of softmax, and of the
activations.
"""

import triton
import triton.language as tl
from triton.language.extra import libdevice

from .. import _core as core
from .. import _views as views
from . import launched
from .elementwise import BINARY, binary, check_types, collapse, place
from .rows import _WIDEST


@triton.jit
def torch_softmax_gradient(
    out, g, y, width, sizes, out_strides, g_strides, y_strides, out_step, g_step, y_step, LOG: tl.constexpr,
    RANK: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """A row a program: its sum first, then the results."""
    row = tl.program_id(0)
    g += place(row, sizes, g_strides, RANK)
    y += place(row, sizes, y_strides, RANK)
    out += place(row, sizes, out_strides, RANK)
    sums = tl.zeros((BLOCK,), tl.float32)
    for first in range(0, width, BLOCK):
        column = first + tl.arange(0, BLOCK)
        found = tl.load(g + column * g_step, mask=column < width, other=0.0).to(tl.float32)
        if not LOG:
            found *= tl.load(y + column * y_step, mask=column < width, other=0.0).to(tl.float32)
        sums += tl.where(column < width, found, 0.0)
    total = tl.sum(sums, 0)
    for first in range(0, width, BLOCK):
        column = first + tl.arange(0, BLOCK)
        mask = column < width
        given = tl.load(g + column * g_step, mask=mask, other=0.0).to(tl.float32)
        result = tl.load(y + column * y_step, mask=mask, other=0.0).to(tl.float32)
        z = given - tl.exp(result) * total if LOG else result * (given - total)
        tl.store(out + column * out_step, z.to(out.dtype.element_ty), mask=mask)


def _result(g, x):
    """What the CPU's first operation, the product with `g`, makes."""
    from .._tensor import empty_strided

    return empty_strided(x._shape, views.result_strides(x._shape, g, x), x.dtype, core.CUDA)


def softmax(g, y, dim, log):
    """The gradient of the input, from the output's and the output; in the dtype of the latter."""
    from .._reductions import rows_of

    check_types(g, y)
    if g.dtype is not y.dtype or not y.dtype.is_floating_point or not y.numel():
        raise NotImplementedError("these operands")
    out = _result(g, y)
    if y._shape:
        axes = [core.axis_of(dim, len(y._shape))]
        (to, rows, width), (given, _, _), (result, _, _) = (rows_of(t.detach(), axes) for t in (out, g, y))
    else:
        to, given, result, rows, width = *(views.reshape(t.detach(), 1) for t in (out, g, y)), 1, 1
    all_three = (to, given, result)
    sizes, strides = collapse(to._shape[:-1], *(t._strides[:-1] for t in all_three))
    torch_softmax_gradient[(rows,)](
        *all_three, width, sizes, *strides, *(t._strides[-1] for t in all_three), LOG=log, RANK=len(sizes),
        BLOCK=min(triton.next_power_of_2(width), _WIDEST // 4),
    )  # fmt: skip
    launched(out)
    return out


@triton.jit
def _gelu_gradient(g, x):
    chance = 0.5 * (1.0 + tl.erf(x * 0.7071067811865476))
    return g * (chance + x * tl.exp(-0.5 * x * x) * 0.3989422804014327)


@triton.jit
def _gelu_tanh_gradient(g, x):
    t = libdevice.tanh(0.7978845608028654 * (x + 0.044715 * x * x * x))
    slope = 0.7978845608028654 * (1.0 + 0.134145 * x * x)
    return g * (0.5 * (1.0 + t) + 0.5 * x * (1.0 - t * t) * slope)


@triton.jit
def _silu_gradient(g, x):
    s = 1.0 / (1.0 + tl.exp(-x))
    return g * s * (1.0 + x * (1.0 - s))


BINARY.update(gelu_gradient=_gelu_gradient, gelu_tanh_gradient=_gelu_tanh_gradient, silu_gradient=_silu_gradient)


def activation(g, x, name):
    if g.dtype is not x.dtype or not x.dtype.is_floating_point or not x.numel():
        raise NotImplementedError("these operands")
    out = _result(g, x)
    binary((out,), (g.detach(), x.detach()), f"{name}_gradient", "float32", (), ())
    return out
