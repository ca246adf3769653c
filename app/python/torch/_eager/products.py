"""Matrix products and attention. float32 is multiplied and summed in float32; halves are summed in float32 and
rounded once.
"""

import math

import _hippocamp_bridge as bridge
import triton
import triton.language as tl

from .. import _core as core
from .. import _gpu_products as gpu
from .. import _views as views
from . import kernel_for, launched

_KINDS = (core.float32, core.float16, core.bfloat16)
#: Multiplications from which on a software adapter is far slower than the CPU's own product.
_LARGE = 2**24


def _software():
    environment = bridge.environment()
    return environment["software"] and environment["adapter"]["kind"] == "webgpu"


def _check_size(multiplications):
    if multiplications >= _LARGE and _software():
        raise NotImplementedError("of this size on a software adapter")


@kernel_for("matmul")
def matmul(outs, ins, f, c, n, x):
    (out,), (a, b) = outs, ins
    _check(out, a, b)
    batch, m, k, columns = n
    _check_size(batch * m * k * columns)
    three = lambda t, rows, width: t if len(t._shape) == 3 else views.reshape(t, batch, rows, width)  # noqa: E731
    gpu.multiply(three(out, m, columns), three(a, m, k), three(b, k, columns))
    launched(out, k)


def _check(*tensors):
    for t in tensors:
        if t.dtype not in _KINDS:
            raise NotImplementedError(t.dtype.name)


def addmm(input, a, b, *, beta=1, alpha=1):
    """`input + a @ b`, rounded once."""
    from .._tensor import empty

    _check(input, a, b)
    if beta != 1 or alpha != 1 or not a.dtype is b.dtype is input.dtype or len(b._shape) != 2 or len(a._shape) < 2:
        raise NotImplementedError("this form")
    k, columns = b._shape
    if a._shape[-1] != k or not k or not a.numel() or not columns:
        raise NotImplementedError("this form")
    shape = core.Size((*a._shape[:-1], columns))
    bias = views.broadcast_view(input, shape)
    rows = core.numel(shape[:-1])
    _check_size(rows * k * columns)
    out = empty(shape, a.dtype, core.CUDA)
    three = lambda t, width: views.reshape(t, 1, rows, width).detach()  # noqa: E731
    if len(input._shape) > 1:
        bias = three(bias, columns)
    else:
        bias = views.broadcast_view(input, core.Size((1, rows, columns))).detach()
    gpu.multiply(three(out, columns), three(a, k), views.unsqueeze(b.detach(), 0), bias)
    launched(out, k)
    return out


# ── attention ───────────────────────────────────────────────────────────────────────────────────


@triton.jit
def torch_attention(
    out, q, k, v, mask, M, N, D, DV, inner, group, scale, q_strides, k_strides, v_strides, mask_strides,
    out_strides, CAUSAL: tl.constexpr, MASK: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
    BLOCK_D: tl.constexpr, BLOCK_V: tl.constexpr,
):  # fmt: skip
    """Rows of queries a program, keys by blocks with the softmax's maximum and sum so far."""
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    outer, head = tl.program_id(1) // inner, tl.program_id(1) % inner
    d, dv = tl.arange(0, BLOCK_D), tl.arange(0, BLOCK_V)
    q += outer * q_strides[0] + head * q_strides[1]
    k += outer * k_strides[0] + head // group * k_strides[1]
    v += outer * v_strides[0] + head // group * v_strides[1]
    there = (rows < M)[:, None]
    queries = tl.load(
        q + rows[:, None] * q_strides[2] + d[None, :] * q_strides[3], mask=there & (d < D)[None, :], other=0.0
    )
    largest = tl.full((BLOCK_M,), float("-inf"), tl.float32)
    total = tl.zeros((BLOCK_M,), tl.float32)
    sums = tl.zeros((BLOCK_M, BLOCK_V), tl.float32)
    end = tl.minimum(N, (tl.program_id(0) + 1) * BLOCK_M) if CAUSAL else N
    for first in range(0, end, BLOCK_N):
        columns = first + tl.arange(0, BLOCK_N)
        keys = tl.load(
            k + columns[None, :] * k_strides[2] + d[:, None] * k_strides[3],
            mask=(columns < N)[None, :] & (d < D)[:, None], other=0.0,
        )  # fmt: skip
        scores = tl.dot(queries, keys, input_precision="ieee") * scale
        if MASK != "":
            found = tl.load(
                mask + outer * mask_strides[0] + head * mask_strides[1] + rows[:, None] * mask_strides[2]
                + columns[None, :] * mask_strides[3],
                mask=there & (columns < N)[None, :], other=0,
            )  # fmt: skip
            if MASK == "bool":
                scores = tl.where(found != 0, scores, float("-inf"))
            else:
                scores += found.to(tl.float32)
        seen = (columns < N)[None, :]
        if CAUSAL:
            seen = seen & (columns[None, :] <= rows[:, None])
        scores = tl.where(seen, scores, float("-inf"))
        now = tl.maximum(largest, tl.max(scores, 1))
        base = tl.where(now == float("-inf"), 0.0, now)
        weights = tl.exp(scores - base[:, None])
        shrink = tl.exp(largest - base)
        values = tl.load(
            v + columns[:, None] * v_strides[2] + dv[None, :] * v_strides[3],
            mask=(columns < N)[:, None] & (dv < DV)[None, :], other=0.0,
        )  # fmt: skip
        total = total * shrink + tl.sum(weights, 1)
        sums = tl.dot(weights.to(values.dtype), values, sums * shrink[:, None], input_precision="ieee")
        largest = now
    # A row without any key is NaN, as 0 / 0 is.
    y = sums / total[:, None]
    to = out + outer * out_strides[0] + head * out_strides[1]
    tl.store(
        to + rows[:, None] * out_strides[2] + dv[None, :] * out_strides[3], y.to(out.dtype.element_ty),
        mask=there & (dv < DV)[None, :],
    )  # fmt: skip


def attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
    from .._tensor import empty

    _check(query, key, value)
    if _software():
        # Software adapters may take minutes to compile this kernel on a busy machine.
        raise NotImplementedError("on a software adapter")
    rank = len(query._shape)
    if dropout_p or not query.dtype is key.dtype is value.dtype or rank not in (3, 4):
        raise NotImplementedError("dropout" if dropout_p else "these operands")
    four = lambda t: t if rank == 4 else views.unsqueeze(t, 0)  # noqa: E731
    q, k, v = four(query.detach()), four(key.detach()), four(value.detach())
    batch, heads, rows, width = q._shape
    keys, depth = k._shape[2], v._shape[3]
    group = heads // k._shape[1] if enable_gqa else 1
    expected = (batch, heads // group, keys)
    if tuple(k._shape[:3]) != expected or tuple(v._shape[:3]) != expected or k._shape[3] != width:
        raise NotImplementedError("these shapes")
    if max(width, depth) > 128 or not keys or not rows or not batch * heads or heads % group:
        raise NotImplementedError("these shapes")
    mask, kind = q, ""
    if attn_mask is not None:
        kind = "bool" if attn_mask.dtype is core.bool_ else "float"
        if attn_mask.device is not core.CUDA or attn_mask.dtype is core.float64:
            raise NotImplementedError("this mask")
        mask = views.broadcast_view(attn_mask.detach(), core.Size((batch, heads, rows, keys)))
    out = empty((batch, heads, rows, depth), q.dtype, core.CUDA)
    block = 32 if q.dtype is core.float32 else 64
    torch_attention[(triton.cdiv(rows, block), batch * heads)](
        out, q, k, v, mask, rows, keys, width, depth, heads, group,
        1 / math.sqrt(width) if scale is None else float(scale), q._strides, k._strides, v._strides, mask._strides,
        out._strides, CAUSAL=bool(is_causal), MASK=kind, BLOCK_M=block, BLOCK_N=block,
        BLOCK_D=max(16, triton.next_power_of_2(width)), BLOCK_V=max(16, triton.next_power_of_2(depth)),
    )  # fmt: skip
    launched(out, 2 * keys)
    return out if rank == 4 else views.squeeze(out, 0)
