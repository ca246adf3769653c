"""Programs for Inductor whose operations it leaves to PyTorch's own: linear algebra, order, windows, sparse sums."""

import torch
import torch.nn.functional as F
from registry import each, f16, f32, i32, i64, ints, program, randn

_matrix = lambda: (randn(12, 12) + 4 * torch.eye(12),)  # noqa: E731
each(
    "linalg",
    {
        "inverse": lambda x: torch.linalg.inv(x) * 2,
        "solve": lambda x: torch.linalg.solve(x, x.sum(1)) + 1,
        "cholesky": lambda x: torch.linalg.cholesky(x @ x.t() + 9 * torch.eye(12)),
        "det": lambda x: (torch.linalg.det(x), torch.linalg.slogdet(x)[1]),
        "qr_r": lambda x: torch.linalg.qr(x)[1].abs(),
        "svdvals": lambda x: torch.linalg.svdvals(x),
        "eigvalsh": lambda x: torch.linalg.eigvalsh(x + x.t()),
        "matrix_power": lambda x: torch.linalg.matrix_power(x / 8, 3),
        "norm": lambda x: (torch.linalg.norm(x), torch.linalg.matrix_norm(x, 1), x.norm(p=3)),
        "pinv": lambda x: torch.linalg.pinv(x),
        "trace_diag": lambda x: (x.trace(), x.diag() * 2, torch.diag_embed(x[0]), x.diagonal(1)),
        "kron": lambda x: torch.kron(x[:3, :3], x[:2, :2]),
        "cross": lambda x: torch.linalg.cross(x[:, :3], x[:, 3:6]),
        "tensordot": lambda x: torch.tensordot(x.reshape(3, 4, 12), x.reshape(12, 3, 4), dims=([2], [0])),
        "chain": lambda x: torch.linalg.multi_dot([x, x.t(), x]) / 9,
    },
    _matrix,
)
each(
    "fallback",
    {
        "topk": lambda x: (x.topk(4, 1, largest=False), x.flatten().topk(3)),
        "long_sort": lambda x: x.flatten().sort(descending=True),
        "kthvalue": lambda x: (x.kthvalue(4, 1), x.median(0), x.flatten().median(), x.nanmedian()),
        "mode": lambda x: x.round().mode(1).values,
        "quantile": lambda x: (x.quantile(0.3, 1), x.nanquantile(0.5)),
        "unique": lambda x: x.round().unique(),
        "unique_consecutive": lambda x: x.round().flatten().unique_consecutive(),
        "histogram": lambda x: (x.histc(10, -3, 3), (x.abs() * 3).to(i64).flatten().bincount(minlength=20)),
        "fft": lambda x: (torch.fft.rfft(x).abs(), torch.fft.ifft(x).real, torch.fft.fft2(x).imag),
        "cdist": lambda x: (torch.cdist(x, x[:5]), torch.pdist(x[:6])),
        "masked_scatter": lambda x: x.masked_scatter(x > 0, x.flatten()),
        "repeat_interleave": lambda x: x.repeat_interleave(torch.arange(x.shape[0]) % 3, 0),
        "cumulative_trapezoid": lambda x: (torch.cumulative_trapezoid(x, dim=1), torch.trapezoid(x), x.diff()),
        "meshgrid": lambda x: torch.meshgrid(x[0, :4], x[1, :5], indexing="ij"),
        "combinations": lambda x: torch.cartesian_prod(x[0, :3], x[1, :4]),
        "polar": lambda x: torch.polar(x.abs(), x).real,
        "renorm": lambda x: x.renorm(2, 0, 1.5),
        "logit_entropy": lambda x: (torch.special.entr(x.abs()), torch.special.xlogy(x.abs(), x.abs() + 1), torch.sinc(x)),
        "gammas": lambda x: (torch.special.gammaln(x.abs() + 0.5), torch.special.gammainc(x.abs() + 1, x.abs()), torch.polygamma(1, x.abs() + 1)),
        "bessel": lambda x: (torch.special.i1(x), torch.special.i0e(x), torch.special.i1e(x), torch.special.bessel_y0(x.abs() + 1)),
        "zeta": lambda x: (torch.special.zeta(x.abs() + 2, x.abs() + 1), torch.special.erfcx(x), torch.special.log_ndtr(x)),
        "channel_shuffle": lambda x: F.channel_shuffle(x.reshape(1, 20, 6, 5), 4),
        "fold": lambda x: F.fold(F.unfold(x.reshape(1, 1, 20, 30), 3, padding=1), (20, 30), 3, padding=1),
        "pools": lambda x: (F.avg_pool1d(x[None], 3), F.max_pool1d(x[None], 4, 2), F.adaptive_max_pool1d(x[None], 7), F.lp_pool1d(x[None], 2, 3)),
        "pool_3d": lambda x: (F.avg_pool3d(x.reshape(1, 1, 6, 10, 10), 2), F.max_pool3d(x.reshape(1, 1, 6, 10, 10), 2)),
        "adaptive": lambda x: (F.adaptive_avg_pool2d(x[None], (7, 11)), F.adaptive_max_pool2d(x[None], (3, 5))),
        "local_response": lambda x: F.local_response_norm(x.reshape(2, 5, 60), 3),
        "interpolate_1d": lambda x: (F.interpolate(x[None], 17, mode="linear"), F.interpolate(x[None], 45, mode="nearest-exact")),
        "affine_grid": lambda x: F.affine_grid(x[0, :6].reshape(1, 2, 3), (1, 1, 4, 5), align_corners=False),
        "searchsorted": lambda x: torch.searchsorted(x[0].sort()[0], x[1], right=True),
        "nansum": lambda x: (x.sqrt().nansum(1), x.sqrt().nanmean(0)),
        "aminmax": lambda x: (x.aminmax(dim=1), x.aminmax()),
        "scatter_mean": lambda x: x.scatter_reduce(1, (x.abs() * 9).to(i64) % 30, x, "mean", include_self=False),
    },
    lambda: (randn(20, 30),),
)  # fmt: skip


@program(lambda: (randn(20, 6), ints(20, 15), torch.tensor([0, 4, 4, 11])))
def embedding_bag(w, i, offsets):
    return F.embedding_bag(i, w, offsets, mode="mean"), F.embedding_bag(i, w, offsets, mode="max")


@program(lambda: (randn(12, 3, 9).log_softmax(-1), ints(9, 3, 5, low=1), torch.tensor([12, 11, 9]), torch.tensor([5, 3, 4])))
def ctc_loss(x, targets, lengths, target_lengths):
    return F.ctc_loss(x, targets, lengths, target_lengths)


@program(lambda: (randn(1, 2, 5, 6, 7), randn(1, 3, 4, 5, 3) / 2))
def grid_sample_3d(x, g):
    return F.grid_sample(x, g, align_corners=True, padding_mode="border")


@program(lambda: (randn(2, 4, 12, grad=True), randn(6, 2, 3, grad=True), randn(6, grad=True)), backward=True)
def convolution_grouped_1d(x, w, b):
    return F.conv1d(x, w, b, groups=2, dilation=2)


@program(lambda: (randn(1, 2, 5, 6, 6), randn(3, 2, 2, 3, 3)))
def convolution_3d(x, w):
    return F.conv3d(x, w, padding=1).relu().mean((2, 3, 4))


@program(lambda: (randn(1, 4, 7, 7, grad=True), randn(4, 3, 3, 3, grad=True), randn(3, grad=True)), backward=True)
def conv_transpose_2d(x, w, b):
    return F.conv_transpose2d(x, w, b, stride=2, padding=1, output_padding=1)


@program(lambda: (randn(2, 2, 24, 16), randn(2, 2, 24, 16), randn(2, 2, 24, 16)))
def sdpa_fused(q, k, v):
    return F.scaled_dot_product_attention(q, k, v, is_causal=True) * 2


@program(lambda: (randn(2, 2, 24, 16, dtype=f16), randn(2, 2, 24, 16, dtype=f16), randn(2, 2, 24, 16, dtype=f16)))
def sdpa_fused_f16(q, k, v):
    return F.scaled_dot_product_attention(q, k, v)


@program(lambda: (randn(6, 9),), random=True)
def drawn(x):
    return torch.randperm(9), torch.multinomial(x.softmax(1), 3), torch.normal(x, x.abs())


@program(lambda: (randn(6, 9), ints(6, 20)), dynamic=True)
def sizes_of_data(x, i):
    chosen = x[i[i > 2]]
    return chosen.sum(0), chosen.shape[0] + x.sum()


@program(lambda: (ints(1000, 50, dtype=i32), randn(50)), dynamic=True)
def item_of_data(i, x):
    return torch.where(x > 0, x, i[0].item()) + i.max().item()


@program(lambda: (randn(30, dtype=f32),))
def copies(x):
    y = x.cpu().double() * 2
    return y.to(x.device, f16), torch.zeros_like(x).copy_(x), x.clone().fill_(3), x.new_zeros(3).t()
