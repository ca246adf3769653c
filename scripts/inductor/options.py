"""Programs for Inductor by what its options and PyTorch's control flow make it write around the kernels."""

import torch
import torch.nn.functional as F
import triton
import triton.language as tl
from registry import bf16, each, f16, f32, i64, ints, program, randn
from torch._higher_order_ops.while_loop import while_loop

_MIXED = {
    "pointwise": lambda x, y: (x.sin() + y, (x * y).relu()),
    "norm": lambda x, y: F.layer_norm(x, (x.shape[1],)) * y,
    "softmax": lambda x, y: F.softmax(x + y, -1),
    "columns": lambda x, y: (x * y).sum(0) + y.amax(0),
    "product": lambda x, y: (x @ y.t() + 1).softmax(1) @ y,
    "index": lambda x, y: x[(y[:, 0].abs() * 3).long() % 20] + torch.cat([x, y])[: x.shape[0]],
}
_OPTIONS = {
    "nan_asserts": {"nan_asserts": True},
    "kernel_nan_asserts": {"runtime_triton_nan_asserts": True},
    "annotations": {"annotate_training": True},
    "bandwidth": {"profile_bandwidth": True},
    "hooks": {"generate_intermediate_hooks": True},
    "marks": {"profiler_mark_wrapper_call": True},
    "comments": {"comment_origin": True},
    "partition": {"graph_partition": True, "triton.cudagraphs": True},
    "sync": {"triton.debug_sync_graph": True, "triton.debug_sync_kernel": True},
    "alignment": {"alignment_asserts": True, "size_asserts": True},
    "no_asserts": {"size_asserts": False, "scalar_asserts": False, "assert_indirect_indexing": False},
    "index_asserts": {"debug_index_asserts": True, "compute_all_bounds": True},
    "batch_invariant": {"batch_invariant": True},
    "pool_outputs": {"memory_planning": True, "memory_pool": "outputs"},
    "pool_combined": {"memory_planning": True, "memory_pool": "combined"},
    "pool_none": {"memory_planning": True, "memory_pool": "none"},
    "no_reuse": {"allow_buffer_reuse": False, "inplace_buffers": False},
    "nested": {"triton.nested_reduction": True},
    "dependent_launch": {"triton.enable_pdl": True},
    "skip_l1": {"triton.skip_l1_cache": True},
    "pointer_range": {"triton.emit_pointer_range_32": True, "assume_32bit_indexing": True},
    "names_short": {"triton.unique_kernel_names": False, "triton.descriptive_names": "inductor_node"},
    "names_torch": {"triton.descriptive_names": "torch", "triton.unique_kernel_names": True},
    "padded": {"force_shape_pad": True, "pad_outputs": True, "padding_stride_threshold": 0},
    "memory_bound": {"decompose_mem_bound_mm": True, "b2b_gemm_pass": True},
    "aggressive": {"aggressive_fusion": True, "max_fusion_size": 8},
    "benchmarked": {"benchmark_kernel": True},
    "benchmarked_combo": {"benchmark_kernel": True, "combo_kernels": True},
    "unfused": {"max_fusion_size": 1, "epilogue_fusion": False},
    "cat_pointwise": {"force_pointwise_cat": True},
    "unrolled": {"unroll_reductions_threshold": 64},
    "no_unrolling": {"unroll_reductions_threshold": 1},
    "small_splits": {"min_num_split": 4, "split_reductions": True},
    "no_divisibility": {"triton.divisible_by_16": False},
    "no_pattern": {"pattern_matcher": False, "use_joint_graph_passes": False, "use_post_grad_passes": False},
    "realized": {"realize_reads_threshold": 1, "realize_opcount_threshold": 2},
    "one_tile": {"triton.max_tiles": 1, "triton.coalesce_tiling_analysis": False},
    "two_tiles": {"triton.max_tiles": 2, "triton.autotune_pointwise": False},
    "gumbel": {"apply_gumbel_max_trick": True, "loop_reindexing_after_fusion": True},
    "scatter_const": {"optimize_scatter_upon_const_tensor": False, "partitioned_scatter_enabled": True},
    "expanded": {"expand_dimension_for_pointwise_nodes": True, "permute_fusion": True},
    "ordered": {"reorder_for_peak_memory": False, "reorder_for_locality": False, "pick_loop_orders": False},
    "eager_numerics": {"eager_numerics.division_rounding": True, "eager_numerics.disable_ftz": True},
    "fallback": {"fallback_by_default": True},
    "max_autotune": {"max_autotune": True, "max_autotune_gemm_backends": "TRITON", "coordinate_descent_tuning": True},
}  # fmt: skip
for _name, _config in _OPTIONS.items():
    each(f"option_{_name}", _MIXED, lambda: (randn(40, 48), randn(40, 48)), config=_config)
    each(f"option_{_name}", {"dynamic": _MIXED["norm"]}, lambda: (randn(40, 48), randn(40, 48)), dynamic=True, again=lambda: (randn(23, 70), randn(23, 70)), config=_config)

# ── combined, cooperative and split kernels, with dynamic sizes ─────────────────────────────────

_SEVERAL = {
    "pointwise": lambda x, y, z: (x + 1, y * 2, z.relu()),
    "reductions": lambda x, y, z: (x.sum(), y.sum(1), z.amax(0), z.argmax(1)),
    "mixed": lambda x, y, z: (x.exp(), y.softmax(1), z.t().contiguous(), z.var(0)),
    "same": lambda x, y, z: (x.sin(), x[:100].cos(), x[100:].tan(), y.mean(1)),
    "persistent": lambda x, y, z: (F.layer_norm(y, (30,)), F.layer_norm(z, (100,))),
    "types": lambda x, y, z: (x.half(), y.to(bf16).sum(1), (z > 0).any(0), z.to(i64).sum()),
    "tiled": lambda x, y, z: (y.t() + y.t().contiguous(), z.t() * 2),
}
_COMBINED = {
    "default": {"combo_kernels": True, "combo_kernels_autotune": 0},
    "mixed": {"combo_kernels": True, "combo_kernel_allow_mixed_sizes": 2},
    "own_blocks": {"combo_kernels": True, "combo_kernel_per_subkernel_blocks": True},
    "own_blocks_mixed": {"combo_kernels": True, "combo_kernel_per_subkernel_blocks": True, "combo_kernel_allow_mixed_sizes": 2},
    "never_mixed": {"combo_kernels": True, "combo_kernel_allow_mixed_sizes": 0, "combo_kernel_max_num_nodes": 2},
    "pointwise": {"combo_kernels": True, "combo_kernels_pointwise_only": True, "combo_kernel_autotune_grouping": False},
    "benchmark": {"combo_kernels": True, "benchmark_combo_kernel": False, "benchmark_kernel": True},
}
for _name, _config in _COMBINED.items():
    for _dynamic in (False, True):
        each(
            f"combo_{_name}_{'dynamic' if _dynamic else 'static'}",
            _SEVERAL,
            lambda: (randn(300), randn(20, 30), randn(7, 100)),
            dynamic=_dynamic,
            again=(lambda: (randn(411), randn(13, 30), randn(5, 100))) if _dynamic else None,
            config=_config,
        )
_LONG = {
    "sums": lambda x: (x.sum(1), x.mean()),
    "softmax": lambda x: F.softmax(x, 1),
    "norm": lambda x: F.layer_norm(x, (x.shape[1],)),
    "argmax": lambda x: x.max(1),
    "logsumexp": lambda x: x.logsumexp(1),
    "columns": lambda x: (x.sum(0), x.t().amax(1)),
    "prod_any": lambda x: ((x / 99 + 1).prod(1), (x > 4).any(1)),
    "half": lambda x: (x.half().sum(1), x.half().var(1)),
    "cumsum": lambda x: x.cumsum(1),
    "cummin": lambda x: x.cummin(1),
}
for _name, _config in {
    "plain": {},
    "cooperative": {"triton.force_cooperative_reductions": True},
    "cooperative_loops": {"triton.cooperative_reductions": True, "triton.persistent_reductions": False},
    "multi_kernel": {"triton.multi_kernel": 1},
    "tiled": {"triton.tile_reductions": True, "triton.prefer_nd_tiling": True},
    "deterministic": {"deterministic": True},
    "unsplit": {"split_reductions": False},
}.items():
    each(f"long_{_name}_dynamic", _LONG, lambda: (randn(5, 9000),), dynamic=True, again=lambda: (randn(3, 12345),), config=_config)
for _name, _dtype in {"float32": f32, "float16": f16, "bfloat16": bf16}.items():

    def _wide(rows, columns, dtype=_dtype):
        return randn(rows, columns, dtype=dtype, grad=True), randn(columns, dtype=dtype, grad=True), randn(columns, dtype=dtype, grad=True)

    for _rows, _columns in ((700, 48), (4096, 96), (40, 1024)):
        each(
            f"both_orders_{_name}_{_rows}",
            {
                "layer_norm": lambda x, w, b: F.layer_norm(x, (x.shape[1],), w, b),
                "rms_norm": lambda x, w, b: F.rms_norm(x, (x.shape[1],), w) + b,
                "sums": lambda x, w, b: ((x * w + b).sigmoid() * x),
            },
            lambda r=_rows, c=_columns, make=_wide: make(r, c),
            backward=True,
            config={"triton.mix_order_reduction": True, "triton.mix_order_reduction_non_strict_mode": True},
        )

# ── control flow, kernels of the program's own ────────────────────────────────


@program(lambda: (randn(20, 30), torch.tensor(True)))
def branches(x, p):
    return torch.cond(p, lambda a: a.sin() + 1, lambda a: a.cos().sum(1, keepdim=True) * a, (x,))


@program(lambda: (randn(20, 30),))
def branch_on_data(x):
    return torch.cond(x.sum() > 0, lambda a: a @ a.t(), lambda a: (a * 2) @ a.t(), (x,)) + 1


@program(lambda: (torch.tensor(5), randn(12, 12)))
def loop_while(n, x):
    return while_loop(lambda i, a: i > 0, lambda i, a: (i - 1, (a @ a).tanh() + 0.1), (n, x))


@program(lambda: (torch.tensor(0), randn(40)), dynamic=True, again=lambda: (torch.tensor(2), randn(53)))
def loop_until(n, x):
    return while_loop(lambda i, a: (a.abs().sum() > 1) & (i < 20), lambda i, a: (i + 1, a * 0.7), (n, x))


@triton.jit
def _scaled_add(x, y, out, n, scale, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a, b = tl.load(x + i, i < n), tl.load(y + i, i < n)
    tl.store(out + i, a * scale + b, i < n)


@triton.autotune([triton.Config({"BLOCK": 64}), triton.Config({"BLOCK": 128}, num_warps=2)], key=["n"])
@triton.jit
def _tuned_square(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + i, i < n)
    tl.store(out + i, a * a, i < n)


def _own_kernel(x, y):
    out = torch.empty_like(x)
    _scaled_add[(triton.cdiv(x.numel(), 128),)](x, y, out, x.numel(), 2.5, BLOCK=128)
    return out.relu() + 1


def _own_kernels(x, y):
    out, more = torch.zeros_like(x), torch.empty_like(x)
    _tuned_square[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](x * 2, out, x.numel())
    _scaled_add[(triton.cdiv(x.numel(), 256), 1, 1)](out, y, more, x.numel(), 0.5, BLOCK=256)
    return more.sum(1), out


for _name, _dynamic in {"own_kernel": False, "own_kernel_dynamic": True}.items():
    _options = {"dynamic": _dynamic, "again": (lambda: (randn(33, 45), randn(33, 45))) if _dynamic else None}
    _pair = lambda: (randn(20, 31), randn(20, 31))  # noqa: E731
    each(_name, {"one": _own_kernel}, _pair, reference=lambda *a: ((a[-2] * 2.5 + a[-1]).relu() + 1,), **_options)
    each(_name, {"tuned": _own_kernels}, _pair, reference=lambda *a: ((4 * a[-2] ** 2 * 0.5 + a[-1]).sum(1), 4 * a[-2] ** 2), **_options)

# ── sizes and numbers that are known when the module runs ───────────────────────────────────────

_UNKNOWN = {
    "item": lambda x, n: x * x.amax().item() + n,
    "nonzero": lambda x, n: (x > 0).nonzero().float().mean(0) * n,
    "masked": lambda x, n: (x[x > 0].sum() * n, (x[x > 0.3] * 2).relu()),
    "int_argument": lambda x, n: x.repeat(n, 1)[:, : x.shape[1] // 2] + n,
    "int_slices": lambda x, n: (x[n:] - x[:-n], x.roll(n, 0), x.unfold(0, 4, 2).sum(-1)),
    "float_argument": lambda x, n: x * (n / 3) + n**0.5,
    "arange": lambda x, n: torch.arange(n * x.shape[0]) % 7 + torch.ones(n, 1),
    "reshape": lambda x, n: x.reshape(-1, 2, x.shape[1] // 2).permute(2, 0, 1).contiguous() + x.shape[0],
    "split": lambda x, n: [c * 2 for c in x.chunk(3, 0)] + [x.shape[0] * x.shape[1]],
    "constants": lambda x, n: (x.new_zeros(n, 3) + 1, torch.full((x.shape[0],), n), torch.eye(x.shape[0])[:, :n]),
    "mean": lambda x, n: (x.mean(), x.var(0), x.sum(1) / x.shape[1], x.std() * n),
    "tri": lambda x, n: (torch.tril(torch.ones(x.shape[0], x.shape[0])) @ x, x.triu(n)),
    "views": lambda x, n: (x.view(-1).unfold(0, n, n).amax(1), x.flatten()[:: n + 1], x.expand(n, *x.shape).sum(0)),
}
each("runtime", _UNKNOWN, lambda: (randn(24, 18), 3), dynamic=True, again=lambda: (randn(30, 26), 4))

# ── random numbers that are drawn inside of a kernel ────────────────────────────────────────────

_DRAWN = {
    "dropouts": lambda x: F.dropout(x, 0.2) + F.dropout(x * 2, 0.5),
    "feature_dropout": lambda x: F.dropout1d(x[None], 0.4) + F.alpha_dropout(x, 0.1),
    "noise": lambda x: x + torch.randn_like(x) * 0.1 + torch.rand(x.shape[1]),
    "integers": lambda x: (torch.randint(5, x.shape), torch.randint_like(x, -3, 9), torch.rand(9, dtype=f16)),
    "gumbel": lambda x: F.gumbel_softmax(x, tau=0.7),
    "bernoulli": lambda x: torch.bernoulli(x.sigmoid()) * torch.bernoulli(x, 0.3),
    "uniform": lambda x: (torch.empty_like(x).uniform_(-1, 2), torch.empty_like(x).normal_(3, 0.1), torch.empty(40).exponential_()),
    "sampling": lambda x: (x.softmax(1) / torch.empty_like(x).exponential_()).argmax(1),
}
_INSIDE = {k: f for k, f in _DRAWN.items() if k not in ("feature_dropout", "bernoulli")}
each("drawn", _INSIDE, lambda: (randn(30, 50),), random=True)
each("drawn_dynamic", _INSIDE, lambda: (randn(30, 50),), random=True, dynamic=True, again=lambda: (randn(41, 33),))
each("drawn_as_eager", _INSIDE, lambda: (randn(30, 50),), random=True, config={"align_random_eager": True})
each("drawn_fallback", _DRAWN, lambda: (randn(30, 50),), random=True, config={"fallback_random": True})
