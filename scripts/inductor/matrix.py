"""Programs for Inductor: the same functions by element type, with static and dynamic sizes, and by the compiler's options."""

import torch
import torch.nn.functional as F
from registry import bf16, each, f16, f32, i64, ints, program, randn

# ── by element type, static and dynamic ─────────────────────────────────────────────────────────

_FUNCTIONS = {
    "gelu_bias": lambda x, w, y: F.gelu(x + w),
    "swiglu": lambda x, w, y: F.silu(x) * y,
    "layer_norm": lambda x, w, y: F.layer_norm(x + y, (x.shape[-1],), w),
    "rms_norm": lambda x, w, y: F.rms_norm(x, (x.shape[-1],), w) * y,
    "softmax": lambda x, w, y: F.softmax(x * 0.5 + w, -1),
    "log_softmax": lambda x, w, y: F.log_softmax(x, -1) + y,
    "sum_columns": lambda x, w, y: (x * y).sum(0),
    "var_mean": lambda x, w, y: torch.var_mean(x, -1),
    "amax_amin": lambda x, w, y: (x.amax(-1), y.amin(0)),
    "argmax": lambda x, w, y: (x.argmax(-1), y.argmin(0)),
    "cumsum": lambda x, w, y: (x / 16).cumsum(-1),
    "transposed": lambda x, w, y: (x.t() + y.t()).contiguous() * 2,
    "cat_slice": lambda x, w, y: torch.cat([x, y, x[:, :7]], -1)[:, 1::2],
    "residual_norm": lambda x, w, y: F.layer_norm(x + F.relu(y), (x.shape[-1],)) + x,
    "l2_normalize": lambda x, w, y: F.normalize(x, dim=-1) + F.cosine_similarity(x, y, dim=-1)[:, None],
    "where_mask": lambda x, w, y: torch.where(x > y, x * w, y.sigmoid()).clamp(-2, 2),
    "gather_rows": lambda x, w, y: x[(y[:, 0].abs() * 3).long() % x.shape[0]] * w,
    "mse": lambda x, w, y: F.mse_loss(x, y) + F.l1_loss(x, w.expand_as(x)),
    "tril": lambda x, w, y: x.tril() @ y.t().triu(),
    "logsumexp": lambda x, w, y: x.logsumexp(-1) + y.mean(-1),
}
_SHORT = {"float32": f32, "float16": f16, "bfloat16": bf16}
for _name, _dtype in _SHORT.items():
    for _dynamic in (False, True):

        def _args(rows=33, columns=96, dtype=_dtype):
            return randn(rows, columns, dtype=dtype), randn(columns, dtype=dtype), randn(rows, columns, dtype=dtype)

        each(
            f"{_name}_{'dynamic' if _dynamic else 'static'}",
            _FUNCTIONS,
            _args,
            dynamic=_dynamic,
            again=(lambda a=_args: a(17, 150)) if _dynamic else None,
        )

# ── by the compiler's options ───────────────────────────────────────────────────────────────────

_REDUCING = {
    "softmax": lambda x: F.softmax(x, -1),
    "layer_norm": lambda x: F.layer_norm(x, (x.shape[-1],)),
    "sums": lambda x: (x.sum(), x.sum(1), x.sum(0)),
    "var": lambda x: torch.var_mean(x, -1),
    "argmax": lambda x: (x.argmax(-1), x.max(0).values),
    "logsumexp": lambda x: (x.logsumexp(-1), x.amin(-1), (x > 0).any(-1)),
    "transposed": lambda x: (x.t() * 2).contiguous().sum(1) + x.t().amax(1),
    "prod_half": lambda x: ((x / 9 + 1).prod(-1), x.half().mean(-1)),
}
_OPTIONS = {
    "loops": {"triton.persistent_reductions": False},
    "cooperative": {"triton.cooperative_reductions": True},
    "cooperative_forced": {"triton.force_cooperative_reductions": True},
    "cooperative_loops": {"triton.force_cooperative_reductions": True, "triton.persistent_reductions": False},
    "unsplit": {"split_reductions": False},
    "block_pointers": {"triton.use_block_ptr": True},
    "block_pointers_tiled": {"triton.use_block_ptr": True, "triton.prefer_nd_tiling": True, "triton.tile_reductions": True},
    "descriptors": {"triton.use_tensor_descriptor": True, "assume_aligned_inputs": True},
    "tiled": {"triton.prefer_nd_tiling": True, "triton.tile_reductions": True},
    "three_tiles": {"triton.max_tiles": 3, "triton.prefer_nd_tiling": True},
    "multi_kernel": {"triton.multi_kernel": 1},
    "combined": {"combo_kernels": True},
    "combined_blocks": {"combo_kernels": True, "combo_kernel_per_subkernel_blocks": True},
    "combined_fixed": {"combo_kernels": True, "combo_kernels_autotune": 0, "combo_kernel_allow_mixed_sizes": 2},
    "fast_math": {"use_fast_math": True},
    "two_pass_softmax": {"online_softmax": False},
    "narrow": {"triton.codegen_upcast_to_fp32": False},
    "dense": {"triton.dense_indexing": True},
    "deterministic": {"deterministic": True},
    "separate_orders": {"triton.mix_order_reduction": False},
    "max_autotune": {"max_autotune_pointwise": True, "coordinate_descent_tuning": True},
}  # fmt: skip
for _name, _config in _OPTIONS.items():
    each(f"with_{_name}", _REDUCING, lambda: (randn(48, 400),), config=_config)


@program(
    lambda: (randn(4096, 48, dtype=f16, grad=True), randn(48, dtype=f16, grad=True)), backward=True,
    config={"triton.mix_order_reduction": True, "triton.mix_order_reduction_non_strict_mode": True},
)  # fmt: skip
def mixed_orders(x, w):
    return F.rms_norm(x, (48,), w)


@program(lambda: (randn(300), randn(20, 30), randn(7, 100)), dynamic=True, config={"combo_kernels": True})
def combo_dynamic(x, y, z):
    return x.sum(), y.sum(1), z.amax(1), x + 1


@program(
    lambda: ([randn(n) for n in (30, 1000, 77)], [randn(n) for n in (30, 1000, 77)]),
    config={"combo_kernels": True, "combo_kernels_autotune": 0},
)
def foreach_lerp(parameters, gradients):
    return torch._foreach_add(torch._foreach_mul(parameters, 0.9), gradients, alpha=0.1)


@program(lambda: (randn(20, 300), randn(300, 20), torch.randperm(50)), config={"triton.decompose_sort_ops": True})
def decomposed_sort(x, y, i):
    return x.sort(1), y.topk(3, 0), i.argsort()


@program(lambda: (randn(64, 60), ints(64, 10)), config={"size_asserts": False, "benchmark_harness": False})
def without_asserts(x, i):
    return x[i].sum(0), x.to(f16).sum(1).to(i64)


@program(
    lambda: (randn(300), randn(20, 30), randn(7, 100)),
    config={"combo_kernels": True, "combo_kernel_per_subkernel_blocks": True},
)
def combo_own_blocks(x, y, z):
    return x.sum(), y.sum(1), z.amax(1)


@program(lambda: (randn(16, 64),), config=_OPTIONS["descriptors"])
def small_descriptors(x):
    return x.sum(), x.sum(0)
