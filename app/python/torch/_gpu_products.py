"""Matrix products that are too large for the CPU, on the visitor's GPU: a Triton kernel of our own, through the
compiler that a program's kernels go through. Only on a real GPU: a software adapter is slower than the CPU's own
product.

Contract, as on the CPU: float32 is multiplied and summed in float32 (never TF32); float16, bfloat16 and 8-bit
floats are summed in float32 and rounded once.

Such a result is no independent reference for a kernel on the same GPU: its storage is marked, what is computed
from it is too, and comparisons say so.
"""

import os

import _hippocamp_bridge as bridge
import triton
import triton.language as tl
from triton.runtime.jit import report_once

from . import _core as core

#: Multiplications from which on the GPU computes them: the CPU takes a second or two for so many.
LEAST = 2**32
_KINDS = (core.float32, core.float16, core.bfloat16, core.float8_e4m3fn, core.float8_e5m2)


@triton.jit
def torch_matmul(
    a_ptr, b_ptr, c_ptr, bias_ptr, M, N, K,
    stride_ag, stride_am, stride_ak, stride_bg, stride_bk, stride_bn, stride_cg, stride_cm, stride_cn,
    stride_biasg, stride_biasm, stride_biasn,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP: tl.constexpr,
    EVEN_K: tl.constexpr, BIAS: tl.constexpr,
):  # fmt: skip
    pid = tl.program_id(0)
    group = tl.program_id(1)
    rows, columns = tl.cdiv(M, BLOCK_M), tl.cdiv(N, BLOCK_N)
    band = pid // (GROUP * columns)
    height = min(rows - band * GROUP, GROUP)
    pid_m = band * GROUP + pid % (GROUP * columns) % height
    pid_n = pid % (GROUP * columns) // height
    m = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    n = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    a_ptrs = a_ptr + group * stride_ag + (m % M)[:, None] * stride_am + k[None, :] * stride_ak
    b_ptrs = b_ptr + group * stride_bg + k[:, None] * stride_bk + (n % N)[None, :] * stride_bn
    sums = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for start in range(0, K, BLOCK_K):
        if EVEN_K:
            a = tl.load(a_ptrs)
            b = tl.load(b_ptrs)
        else:
            a = tl.load(a_ptrs, mask=k[None, :] < K - start, other=0.0)
            b = tl.load(b_ptrs, mask=k[:, None] < K - start, other=0.0)
        sums = tl.dot(a, b, sums, input_precision="ieee")
        a_ptrs += BLOCK_K * stride_ak
        b_ptrs += BLOCK_K * stride_bk
    mask = (m[:, None] < M) & (n[None, :] < N)
    if BIAS:
        bias_ptrs = bias_ptr + group * stride_biasg + m[:, None] * stride_biasm + n[None, :] * stride_biasn
        sums += tl.load(bias_ptrs, mask=mask, other=0.0).to(tl.float32)
    c_ptrs = c_ptr + group * stride_cg + m[:, None] * stride_cm + n[None, :] * stride_cn
    tl.store(c_ptrs, sums.to(c_ptr.dtype.element_ty), mask=mask)


_reported = set()


def wanted(out, a, multiplications):
    """Whether the GPU computes this product. HIPPOCAMP_PRODUCTS=gpu or cpu decides it for all."""
    if out.device.type != "cuda" or a.dtype not in _KINDS or out.dtype not in _KINDS:
        return False
    asked = os.environ.get("HIPPOCAMP_PRODUCTS")
    if asked in ("gpu", "cpu"):
        return asked == "gpu"
    if multiplications < LEAST:
        return False
    environment = bridge.environment()
    if environment["options"].get("ring"):
        return False
    return environment["adapter"]["kind"] == "webgpu" and not environment["software"]


def launch(out, a, b):
    """`out = a @ b` for [batch, M, K] and [batch, K, N] with any strides."""
    multiply(out, a, b)
    core.marked.add(out._storage)
    _report(a._shape[1], a._shape[2], b._shape[2])


def multiply(out, a, b, bias=None):
    """`out = a @ b + bias`, rounded once; all have three dimensions, and any strides."""
    batch, m, k = a._shape
    n = b._shape[2]
    wide = a.dtype is core.float32
    blocks = _blocks(m, n, wide)
    grid = (triton.cdiv(m, blocks[0]) * triton.cdiv(n, blocks[1]), batch)
    added = (0, 0, 0) if bias is None else bias._strides
    torch_matmul[grid](
        a.detach(), b.detach(), out, a.detach() if bias is None else bias, m, n, k, *a._strides, *b._strides,
        *out._strides, *added, *blocks, GROUP=8, EVEN_K=k % blocks[2] == 0, BIAS=bias is not None,
    )  # fmt: skip


def _blocks(m, n, wide):
    """Rows, columns and depth of a tile: smaller ones where a product has few rows or columns."""
    rows, columns, depth = (64, 128, 16) if wide else (128, 128, 32)
    fitting = lambda most, size: max(16, min(most, triton.next_power_of_2(size)))  # noqa: E731
    return fitting(rows, m), fitting(columns, n), depth


def _report(m, n, k):
    message = (
        f"This product of {m} × {k} and {k} × {n} was computed by Hippocamp's own kernel on the GPU: "
        "the CPU would take too long. It is no independent reference, and its time is not cuBLAS's."
    )
    report_once(_reported, "HC0904", message)


def reset():
    """Between programs."""
    _reported.clear()
