"""Programs for Inductor's templates: products, convolutions and attention, with what is fused into them."""

import torch
import torch.nn.functional as F
from registry import bf16, each, f16, f32, i8, ints, program, randn
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

#: `pretend_gpu.py` takes the first candidate of a template.
TEMPLATES = {"max_autotune_gemm": True, "max_autotune_gemm_backends": "TRITON,ATEN", "max_autotune_conv_backends": "TRITON,ATEN"}

_PRODUCTS = {
    "mm": lambda x, w, b: x @ w,
    "mm_relu": lambda x, w, b: (x @ w + b).relu(),
    "addmm_gelu": lambda x, w, b: F.gelu(torch.addmm(b, x, w)),
    "linear_residual": lambda x, w, b: F.linear(x, w.t(), b) + x.sum(1, keepdim=True),
    "mm_transposed": lambda x, w, b: (w.t() @ x.t()).t() * b,
    "bmm": lambda x, w, b: torch.bmm(x.expand(3, *x.shape) * 1.5, w.expand(3, *w.shape)).sigmoid(),
    "baddbmm": lambda x, w, b: torch.baddbmm(b.expand(2, 1, -1), x[None].repeat(2, 1, 1), w[None].repeat(2, 1, 1)),
    "mm_plus_mm": lambda x, w, b: x @ w + (x * 2) @ w,
    "mm_softmax": lambda x, w, b: F.softmax(x @ w, -1),
    "mlp": lambda x, w, b: F.silu(x @ w) @ w.t(),
}
for _name, _dtype in {"float32": f32, "float16": f16, "bfloat16": bf16}.items():
    for _dynamic in (False, True):

        def _args(rows=40, dtype=_dtype):
            return randn(rows, 48, dtype=dtype), randn(48, 64, dtype=dtype) / 7, randn(64, dtype=dtype)

        each(
            f"template_{_name}_{'dynamic' if _dynamic else 'static'}",
            _PRODUCTS,
            _args,
            dynamic=_dynamic,
            again=(lambda a=_args: a(73)) if _dynamic else None,
            config=TEMPLATES,
        )

each(
    "template_persistent",
    {k: _PRODUCTS[k] for k in ("mm", "mm_relu", "addmm_gelu")},
    lambda: (randn(64, 128, dtype=f16), randn(128, 128, dtype=f16) / 7, randn(128, dtype=f16)),
    config={**TEMPLATES, "triton.enable_persistent_tma_matmul": True},
)


@program(lambda: (ints(99, 40, 64, low=-99, dtype=i8), ints(99, 64, 48, low=-99, dtype=i8)), config=TEMPLATES)
def template_int_mm(x, w):
    return torch._int_mm(x, w)


each(
    "template_convolution",
    {
        "plain": lambda x, w, b: F.conv2d(x, w, b, padding=1),
        "strided_relu": lambda x, w, b: F.conv2d(x, w, b, stride=2).relu(),
        "pointwise": lambda x, w, b: F.conv2d(x, w[:, :, :1, :1], b) * 2,
        "grouped": lambda x, w, b: F.conv2d(x, w[:, :4], b, groups=2, dilation=2),
    },
    lambda: (randn(2, 8, 12, 12), randn(16, 8, 3, 3) / 9, randn(16)),
    config=TEMPLATES,
)


@program(lambda: (randn(1, 4, 6, 8, 8), randn(8, 4, 3, 3, 3) / 9), config=TEMPLATES)
def template_convolution_3d(x, w):
    return F.conv3d(x, w)


def _causal(b, h, q, kv):
    return q >= kv


def _qkv(rows=128, dtype=f32):
    return lambda: tuple(randn(1, 2, rows, 32, dtype=dtype) for _ in range(3))


each(
    "flex",
    {
        "plain": lambda q, k, v: flex_attention(q, k, v),
        "alibi": lambda q, k, v: flex_attention(q, k, v, score_mod=lambda s, b, h, i, j: s + (j - i) * 0.1),
        "causal": lambda q, k, v: flex_attention(q, k, v, block_mask=create_block_mask(_causal, None, None, 128, 128, device="cpu")),
        "softcap": lambda q, k, v: flex_attention(q, k, v, score_mod=lambda s, b, h, i, j: 20 * torch.tanh(s / 20)),
    },
    _qkv(),
)  # fmt: skip


@program(
    lambda: (randn(9, 16, dtype=f16), randn(16, 20, dtype=f16)), dynamic=True,
    again=lambda: (randn(11, 16, dtype=f16), randn(16, 20, dtype=f16)), config=TEMPLATES,
)  # fmt: skip
def small_template(x, w):
    return (x @ w).relu()


@program(lambda: (randn(9, 16), randn(16, 20)), config=TEMPLATES, dynamic=True)
def small_products(x, w):
    return x @ w + (x * 2) @ w
