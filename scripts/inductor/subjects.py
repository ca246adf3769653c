"""Programs for Inductor by subject: losses, pooling, resizing, padding, indexing, scans, sorts, types; forward and backward."""

import torch
import torch.nn.functional as F
from registry import bf16, each, f16, f32, f64, i8, i16, i32, i64, ints, program, randn, u8

_DYNAMIC = {"dynamic": True}


def _both(name, functions, args, again=None, **options):
    """Static and dynamic sizes; the dynamic module is also called with the sizes of `again`."""
    each(name, functions, args, **options)
    each(f"{name}_dynamic", functions, args, dynamic=True, again=again, **options)


# ── losses and distances, with gradients ────────────────────────────────────────────────────────

_both(
    "loss",
    {
        "focal": lambda x, y, t: -((1 - x.sigmoid()) ** 2 * x.sigmoid().log() * (t > 0)).mean(),
        "dice": lambda x, y, t: 1 - (2 * (x.sigmoid() * t).sum() + 1) / (x.sigmoid().sum() + t.sum() + 1),
        "contrastive": lambda x, y, t: F.cross_entropy(F.normalize(x, dim=1) @ F.normalize(y, dim=1).t() * 10, torch.arange(x.shape[0])),
        "cross_entropy_mean": lambda x, y, t: F.cross_entropy(x, t.long()[:, 0]),
        "cross_entropy_sum": lambda x, y, t: F.cross_entropy(x, t.long()[:, 0], reduction="sum", ignore_index=1),
        "soft_targets": lambda x, y, t: F.cross_entropy(x, y.softmax(1)),
        "kl": lambda x, y, t: F.kl_div(F.log_softmax(x, 1), F.log_softmax(y, 1), log_target=True, reduction="batchmean"),
        "hinge": lambda x, y, t: F.hinge_embedding_loss(x, t * 2 - 1) + F.soft_margin_loss(x, t * 2 - 1),
        "triplet": lambda x, y, t: F.triplet_margin_loss(x, y, x + y),
        "cosine": lambda x, y, t: F.cosine_embedding_loss(x, y, t[:, 0] * 2 - 1),
        "gaussian": lambda x, y, t: F.gaussian_nll_loss(x, y, y.exp()) + F.poisson_nll_loss(x, t),
        "multi_label": lambda x, y, t: F.multilabel_soft_margin_loss(x, t),
        "ranking": lambda x, y, t: F.margin_ranking_loss(x[:, 0], y[:, 0], t[:, 0] * 2 - 1, margin=0.3),
        "none_reduced": lambda x, y, t: F.smooth_l1_loss(x, y, reduction="none", beta=0.5) * F.l1_loss(x, y, reduction="none"),
        "bce_weighted": lambda x, y, t: F.binary_cross_entropy_with_logits(x, t, pos_weight=y[0].detach().exp(), weight=t + 1),
        "logsumexp_margin": lambda x, y, t: (x.logsumexp(1) - x.amax(1) + y.logsumexp(0).mean()).mean(),
    },
    lambda: (randn(14, 37, grad=True), randn(14, 37, grad=True), ints(2, 14, 37).float()),
    again=lambda: (randn(23, 51, grad=True), randn(23, 51, grad=True), ints(2, 23, 51).float()),
    backward=True,
)

# ── windows: pooling, resizing, padding ─────────────────────────────────────────────────────────

_both(
    "pool",
    {
        "max_dilated": lambda x: F.max_pool2d(x, 3, stride=2, padding=1, dilation=2),
        "max_ceil": lambda x: F.max_pool2d(x, 2, stride=3, ceil_mode=True),
        "max_indices": lambda x: F.max_pool2d(x, 2, return_indices=True)[0],
        "avg_padded": lambda x: F.avg_pool2d(x, 3, stride=2, padding=1, count_include_pad=False),
        "avg_divisor": lambda x: F.avg_pool2d(x, (2, 3), divisor_override=5, ceil_mode=True),
        "avg_large": lambda x: F.avg_pool2d(x, 6, stride=2),
        "adaptive_avg": lambda x: F.adaptive_avg_pool2d(x, (3, 4)) * 2,
        "adaptive_one": lambda x: F.adaptive_avg_pool2d(x, 1).flatten(1),
        "global_max": lambda x: x.amax((2, 3)) + x.mean((2, 3)),
        "lp": lambda x: F.lp_pool2d(x.abs() + 0.1, 2.0, 3),
        "unpool_like": lambda x: F.interpolate(F.max_pool2d(x, 2), scale_factor=2)[:, :, :4, :4] + x[:, :, :4, :4],
        "max_1d": lambda x: F.max_pool1d(x.flatten(2), 5, 3, 2),
        "avg_1d": lambda x: F.avg_pool1d(x.flatten(2), 4, 2, 1),
    },
    lambda: (randn(2, 3, 13, 14, grad=True),),
    again=lambda: (randn(3, 3, 12, 19, grad=True),),
    backward=True,
)
_both(
    "resize",
    {
        "nearest": lambda x: F.interpolate(x, scale_factor=1.7),
        "nearest_exact": lambda x: F.interpolate(x, size=(9, 5), mode="nearest-exact"),
        "bilinear": lambda x: F.interpolate(x, size=(15, 11), mode="bilinear", align_corners=True),
        "bilinear_half": lambda x: F.interpolate(x, scale_factor=0.5, mode="bilinear"),
        "bicubic": lambda x: F.interpolate(x, size=(14, 9), mode="bicubic"),
        "shuffle": lambda x: F.pixel_shuffle(x, 2) * 3,
        "unshuffle": lambda x: F.pixel_unshuffle(x[:, :, :6, :6], 3),
        "flip_stack": lambda x: torch.stack([x, x.flip(2), x.flip(3), x.flip((2, 3))]).mean(0),
    },
    lambda: (randn(2, 4, 8, 7, grad=True),),
    again=lambda: (randn(1, 4, 11, 9, grad=True),),
    backward=True,
)
_both(
    "pad",
    {
        "constant": lambda x: F.pad(x, (1, 2, 3, 0), value=0.5),
        "negative": lambda x: F.pad(x, (-1, 2, 3, -2)),
        "reflect": lambda x: F.pad(x, (3, 2, 1, 1), mode="reflect"),
        "replicate": lambda x: F.pad(x, (2, 2, 0, 3), mode="replicate"),
        "circular": lambda x: F.pad(x, (2, 1, 1, 2), mode="circular"),
        "reflect_1d": lambda x: F.pad(x.flatten(2), (4, 5), mode="reflect"),
        "batch": lambda x: F.pad(x, (0, 0, 0, 0, 0, 0, 1, 1)),
        "then_conv_like": lambda x: F.pad(x, (1, 1, 1, 1)).unfold(2, 3, 1).unfold(3, 3, 1).amax((-1, -2)),
    },
    lambda: (randn(2, 3, 8, 9, grad=True),),
    again=lambda: (randn(1, 3, 12, 7, grad=True),),
    backward=True,
)
each(
    "volume",
    {
        "max_pool": lambda x: F.max_pool3d(x, 2, 2),
        "avg_pool": lambda x: F.avg_pool3d(x, 3, 2, 1),
        "nearest": lambda x: F.interpolate(x, scale_factor=2),
        "trilinear": lambda x: F.interpolate(x, size=(5, 7, 6), mode="trilinear", align_corners=False),
        "pad": lambda x: F.pad(x, (1, 0, 0, 2, 1, 1), mode="replicate"),
        "batch_norm": lambda x: F.batch_norm(x, None, None, training=True),
    },
    lambda: (randn(2, 3, 6, 6, 8, grad=True),),
    backward=True,
)

# ── indexing ────────────────────────────────────────────────────────────────────────────────────

_both(
    "take",
    {
        "two_indices": lambda x, i, j: x[i, j],
        "index_with_slice": lambda x, i, j: x[:, j] * x[i].sum(),
        "broadcast_indices": lambda x, i, j: x[i[:, None], j[None, :]],
        "negative_indices": lambda x, i, j: x[-1 - i] + x[i - 3],
        "gather_columns": lambda x, i, j: x.gather(0, j[None, :].expand(4, -1) % x.shape[0]),
        "nested": lambda x, i, j: x[i][:, j].exp(),
        "index_select": lambda x, i, j: torch.index_select(x, 0, i) - torch.index_select(x, 1, j).mean(),
        "embedding": lambda x, i, j: F.embedding(i, x).softmax(-1),
        "embedding_of_matrix": lambda x, i, j: F.embedding((i[:, None] + j[None]) % x.shape[0], x).mean(1),
        "strided_select": lambda x, i, j: x[i, ::2] * 2 + x[1::2].sum(),
        "masked": lambda x, i, j: torch.where((i > 2)[:, None], x[i], 0.0),
        "one_hot_product": lambda x, i, j: F.one_hot(i, 12).to(x.dtype) @ x[:12],
    },
    lambda: (randn(15, 18, grad=True), ints(12, 9), ints(18, 9)),
    again=lambda: (randn(21, 18, grad=True), ints(12, 14), ints(18, 14)),
    backward=True,
)
for _name, _dtype in {"float32": f32, "float16": f16, "bfloat16": bf16, "int32": i32, "int64": i64}.items():

    def _values(dtype=_dtype):
        made = (ints(50, 17, 12), ints(50, 9, 12)) if dtype in (i32, i64) else (randn(17, 12).round(), randn(9, 12).round())
        return *(m.to(dtype) for m in made), torch.randperm(17)[:9], ints(17, 9)

    each(
        f"put_{_name}",
        {
            "assign": lambda x, v, i, j: x.index_put((i,), v),
            "accumulate": lambda x, v, i, j: x.index_put((j,), v, accumulate=True),
            "index_add": lambda x, v, i, j: x.index_add(0, j, v),
            "index_copy": lambda x, v, i, j: x.index_copy(0, i, v).index_fill(0, j, 3),
            "scatter": lambda x, v, i, j: x.scatter(0, i[:, None].expand(-1, 12), v),
            "scatter_add": lambda x, v, i, j: x.scatter_add(0, j[:, None].expand(-1, 12), v),
            "scatter_value": lambda x, v, i, j: x.scatter(0, i[:, None], 7),
            "scatter_amin": lambda x, v, i, j: x.scatter_reduce(0, j[:, None].expand(-1, 12), v, "amin"),
            "scatter_prod": lambda x, v, i, j: x.scatter_reduce(0, j[:, None].expand(-1, 12), v, "prod", include_self=False),
            "in_place": lambda x, v, i, j: x.index_add_(0, j, v).mul_(2),
            "masked_store": lambda x, v, i, j: x.masked_fill(x > 1, 9).clone().copy_(x * 2),
        },
        _values,
    )

# ── scans, sorts and searches by type ───────────────────────────────────────────────────────────

for _name, _dtype in {"float16": f16, "bfloat16": bf16, "float64": f64, "int32": i32, "int64": i64, "uint8": u8, "int16": i16}.items():

    def _row(dtype=_dtype, rows=6, columns=150):
        whole = not dtype.is_floating_point
        return (ints(5, rows, columns).to(dtype) if whole else (randn(rows, columns) / 4).to(dtype),)

    _both(
        f"by_type_{_name}",
        {
            "cumsum": lambda x: x.cumsum(1),
            "cumsum_rows": lambda x: x.cumsum(0),
            "sort": lambda x: x.sort(dim=1, stable=True),
            "reductions": lambda x: (x.amax(1), x.amin(0), x.sum(1), x.argmax(1)),
            "compare": lambda x: (x == x.flip(1), (x > 1).sum(0), x.ne(0).all(1), torch.where(x > 0, x, x + 1)),
        },
        _row,
        again=lambda r=_row: r(rows=9, columns=77),
    )
_both(
    "scan",
    {
        "cumsum_middle": lambda x: x.cumsum(1),
        "cumprod_last": lambda x: (x / 8 + 1).cumprod(2),
        "cummax_middle": lambda x: x.cummax(1),
        "logcumsumexp_first": lambda x: x.logcumsumexp(0),
        "reverse": lambda x: x.flip(2).cumsum(2).flip(2) * x,
        "exclusive": lambda x: F.pad(x.cumsum(2), (1, 0))[..., :-1],
        "running_mean": lambda x: x.cumsum(2) / torch.arange(1, x.shape[2] + 1),
        "two_in_one": lambda x: (x.cumsum(2) + x.exp().cumsum(2), x.sum(2)),
        "bool": lambda x: (x > 0).cumsum(2),
    },
    lambda: (randn(3, 5, 70),),
    again=lambda: (randn(2, 7, 131),),
)
_both(
    "search",
    {
        "bucketize_right": lambda x, b: torch.bucketize(x, b.sort().values, right=True),
        "bucketize_int32": lambda x, b: torch.bucketize(x, torch.arange(-2, 3) / 2, out_int32=True),
        "searchsorted_rows": lambda x, b: torch.searchsorted(x.sort(1).values, x * 0.9),
        "searchsorted_sorter": lambda x, b: torch.searchsorted(b, x, sorter=b.argsort()),
        "histogram": lambda x, b: torch.zeros(8, dtype=i64).scatter_add(0, ((x.clamp(-2, 1.9) + 2) * 2).long().flatten(), torch.ones(x.numel(), dtype=i64)),
        "topk_mask": lambda x, b: torch.where(x >= x.topk(3, 1).values[:, -1:], x, float("-inf")).softmax(1),
        "sort_pairs": lambda x, b: (lambda s, i: (s, b[i % 20]))(*x.sort(1, descending=True)),
        "msort_unique_counts": lambda x, b: (x.msort(), (x.round()[:, :, None] == torch.arange(-2.0, 3.0)).sum(1)),
        "argsort_inverse": lambda x, b: x.argsort(1).argsort(1),
        "median": lambda x, b: x.sort(1).values[:, x.shape[1] // 2] - x.mean(1),
    },
    lambda: (randn(7, 60), randn(20)),
    again=lambda: (randn(11, 33), randn(20)),
)

# ── types of elements ───────────────────────────────────────────────────────────────────────────

_PAIRS = {"bool": torch.bool, "uint8": u8, "int8": i8, "int16": i16, "int32": i32, "int64": i64, "float16": f16, "bfloat16": bf16, "float32": f32, "float64": f64}
for _name, _dtype in _PAIRS.items():

    def _convert(x, dtype=_dtype):
        # Numbers that every type of integer holds: other conversions are undefined.
        whole = (x.clamp(0, 100).to(dtype), (x > 0).to(dtype), torch.full((3,), 1).to(dtype))
        return *whole, [w.to(f32) * 2 for w in whole], [w.to(i64) for w in whole], [w.to(bf16) for w in whole]

    # Inductor keeps the wider value across a narrower float, unless this option is set.
    _rounds = {"config": {"emulate_precision_casts": True}}
    _both("convert", {_name: _convert}, lambda: (randn(500) * 60,), again=lambda: (randn(777) * 60,), **_rounds)
each(
    "bits",
    {
        "shifts": lambda a, b: (a << (b & 7), a >> (b & 7), (a << 3) ^ (b >> 1), ~a & b),
        "popcount": lambda a, b: sum(((a >> k) & 1) for k in range(8)),
        "hash": lambda a, b: ((a * 2654435761) ^ (b + 0x9E3779B9 + (a << 6) + (a >> 2))) & 0xFFFFFFFF,
        "pack": lambda a, b: ((a & 15) | ((b & 15) << 4)).to(u8),
        "unpack": lambda a, b: torch.stack([a.to(u8) & 15, a.to(u8) >> 4], -1).flatten().to(f32) - 8,
        "logic": lambda a, b: (a.bool() & ~b.bool(), a.bool() ^ b.bool(), a.bool() | (b > 3), torch.logical_xor(a, b)),
        "gray": lambda a, b: a ^ (a >> 1),
        "divisions": lambda a, b: (a // (b + 1), a % (b + 1), torch.fmod(a, b + 1), torch.div(a, b + 1), a.float() // (b + 1), torch.gcd(a, b)),
        "views": lambda a, b: (a.to(i32).view(f32).isnan(), b.to(f32).view(i32) >> 23, b.to(f16).view(i16) & 1023, a.to(i16).view(bf16)),
        "minmax": lambda a, b: (torch.maximum(a, b), torch.minimum(a, b), a.clamp(b, b + 5), a.abs() - b.sign()),
    },
    lambda: (ints(1 << 20, 301), ints(1 << 10, 301)),
)
each(
    "unsigned",
    {
        "uint8": lambda a, b: (a.to(u8) + b.to(u8), a.to(u8) * 3, a.to(u8) - b.to(u8), ~a.to(u8), a.to(u8) // (b.to(u8) | 1)),
        "uint16": lambda a, b: (a.to(torch.uint16).to(i32) + 1, a.to(torch.uint16).to(f32)),
        "uint32": lambda a, b: (a.to(torch.uint32).to(i64) + 1, a.to(torch.uint32).to(f32)),
        "uint64": lambda a, b: (a.to(torch.uint64).to(i64) + 1,),
        "int8": lambda a, b: (a.to(i8) * b.to(i8), a.to(i8).float() / 3, (a.to(i8) >> 1).to(i16), a.to(i8).abs()),
    },
    lambda: (ints(250, 301), ints(250, 301)),
)
