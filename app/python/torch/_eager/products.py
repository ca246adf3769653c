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


# ── products with a vector ──────────────────────────────────────────────────────────────────────


@triton.jit
def torch_vector_product(
    out, x, w, bias, K, N, out_group, out_step, x_group, x_step, w_group, w_k, w_n, bias_group, bias_step,
    BIAS: tl.constexpr, DEPTH: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    """out[n] = sum of x[k] w[k, n]: every weight is read once, so that memory's rate is what it takes."""
    group = tl.program_id(1)
    columns = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    x += group * x_group
    w += group * w_group + columns[None, :] * w_n
    sums = tl.zeros((DEPTH, COLUMNS), tl.float32)
    for first in range(0, K, DEPTH):
        k = first + tl.arange(0, DEPTH)
        row = tl.load(x + k * x_step, mask=k < K, other=0.0).to(tl.float32)
        inside = (k < K)[:, None] & (columns < N)[None, :]
        sums += row[:, None] * tl.load(w + k[:, None] * w_k, mask=inside, other=0.0).to(tl.float32)
    y = tl.sum(sums, 0)
    if BIAS:
        at = bias + group * bias_group + columns * bias_step
        y += tl.load(at, mask=columns < N, other=0.0).to(tl.float32)
    tl.store(out + group * out_group + columns * out_step, y.to(out.dtype.element_ty), mask=columns < N)


def _multiply(out, a, b, bias=None):
    """`out = a @ b + bias`, rounded once; all have three dimensions, and any strides."""
    if a._shape[1] != 1 and b._shape[2] != 1:
        _check_size(a.numel() * b._shape[2])
        gpu.multiply(out, a, b, bias)
        return
    if a._shape[1] != 1:
        # A matrix and a vector: the transposed product.
        turned = lambda t: t if t is None else views.transpose(t.detach(), 1, 2)  # noqa: E731
        out, a, b, bias = turned(out), turned(b), turned(a), turned(bias)
    batch, k, n = b._shape
    columns = min(triton.next_power_of_2(n), 8 if n < 2048 or b._strides[1] == 1 else 16)
    depth = min(triton.next_power_of_2(k), 2048 // columns)
    last = lambda t: (t._strides[0], t._strides[2])  # noqa: E731
    torch_vector_product[(triton.cdiv(n, columns), batch)](
        out, a.detach(), b.detach(), a.detach() if bias is None else bias, k, n, *last(out), *last(a), *b._strides,
        *((0, 0) if bias is None else last(bias)), BIAS=bias is not None, DEPTH=depth, COLUMNS=columns,
    )  # fmt: skip


@kernel_for("matmul")
def matmul(outs, ins, f, c, n, x):
    (out,), (a, b) = outs, ins
    _check(out, a, b)
    batch, m, k, columns = n
    three = lambda t, rows, width: t if len(t._shape) == 3 else views.reshape(t, batch, rows, width)  # noqa: E731
    _multiply(three(out, m, columns).detach(), three(a, m, k), three(b, k, columns))
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
    out = empty(shape, a.dtype, core.CUDA)
    three = lambda t, width: views.reshape(t, 1, rows, width).detach()  # noqa: E731
    if len(input._shape) > 1:
        bias = three(bias, columns)
    else:
        bias = views.broadcast_view(input, core.Size((1, rows, columns))).detach()
    _multiply(three(out, columns), three(a, k), views.unsqueeze(b.detach(), 0), bias)
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


@triton.jit
def torch_query_attention(
    out, q, k, v, mask, N, D, DV, inner, group, scale, q_strides, k_strides, v_strides, mask_strides,
    out_strides, MASK: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_D: tl.constexpr, BLOCK_V: tl.constexpr,
):  # fmt: skip
    """`torch_attention` of one query a head, as a decoder has it: sums along rows of keys in place of products."""
    outer, head = tl.program_id(0) // inner, tl.program_id(0) % inner
    d, dv = tl.arange(0, BLOCK_D), tl.arange(0, BLOCK_V)
    q += outer * q_strides[0] + head * q_strides[1]
    k += outer * k_strides[0] + head // group * k_strides[1]
    v += outer * v_strides[0] + head // group * v_strides[1]
    query = tl.load(q + d * q_strides[3], mask=d < D, other=0.0).to(tl.float32) * scale
    largest, total = float("-inf"), 0.0
    sums = tl.zeros((BLOCK_V,), tl.float32)
    for first in range(0, N, BLOCK_N):
        rows = first + tl.arange(0, BLOCK_N)
        there = (rows < N)[:, None]
        keys = tl.load(
            k + rows[:, None] * k_strides[2] + d[None, :] * k_strides[3], mask=there & (d < D)[None, :], other=0.0
        )
        scores = tl.sum(query[None, :] * keys.to(tl.float32), 1)
        if MASK != "":
            at = mask + outer * mask_strides[0] + head * mask_strides[1] + rows * mask_strides[3]
            found = tl.load(at, mask=rows < N, other=0)
            if MASK == "bool":
                scores = tl.where(found != 0, scores, float("-inf"))
            else:
                scores += found.to(tl.float32)
        scores = tl.where(rows < N, scores, float("-inf"))
        now = tl.maximum(largest, tl.max(scores, 0))
        base = tl.where(now == float("-inf"), 0.0, now)
        weights = tl.exp(scores - base)
        shrink = tl.exp(largest - base)
        values = tl.load(
            v + rows[:, None] * v_strides[2] + dv[None, :] * v_strides[3], mask=there & (dv < DV)[None, :], other=0.0
        )
        total = total * shrink + tl.sum(weights, 0)
        sums = sums * shrink + tl.sum(weights[:, None] * values.to(tl.float32), 0)
        largest = now
    to = out + outer * out_strides[0] + head * out_strides[1] + dv * out_strides[3]
    tl.store(to, (sums / total).to(out.dtype.element_ty), mask=dv < DV)


def attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
    from .._tensor import empty

    _check(query, key, value)
    if _software() and query._shape[-2:-1] != (1,):
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
    factor = 1 / math.sqrt(width) if scale is None else float(scale)
    depths = {"BLOCK_D": max(16, triton.next_power_of_2(width)), "BLOCK_V": max(16, triton.next_power_of_2(depth))}
    if rows == 1:
        # A causal mask of one query: the first key.
        seen = 1 if is_causal else keys
        torch_query_attention[(batch * heads,)](
            out, q, k, v, mask, seen, width, depth, heads, group, factor, q._strides, k._strides, v._strides,
            mask._strides, out._strides, MASK=kind, BLOCK_N=64, **depths,
        )  # fmt: skip
        launched(out, 2 * seen)
        return out if rank == 4 else views.squeeze(out, 0)
    block = 32 if q.dtype is core.float32 else 64
    torch_attention[(triton.cdiv(rows, block), batch * heads)](
        out, q, k, v, mask, rows, keys, width, depth, heads, group, factor, q._strides, k._strides, v._strides,
        mask._strides, out._strides, CAUSAL=bool(is_causal), MASK=kind, BLOCK_M=block, BLOCK_N=block, **depths,
    )  # fmt: skip
    launched(out, 2 * keys)
    return out if rank == 4 else views.squeeze(out, 0)
