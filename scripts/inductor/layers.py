"""Programs for Inductor: layers and losses, indexing, attention, optimizers; forward and backward."""

import torch
import torch.nn.functional as F
from registry import bf16, each, f16, f32, i8, i32, i64, ints, program, randn

# ── layers, with their gradients ────────────────────────────────────────────────────────────────


@program(lambda: (randn(16, 300, grad=True), randn(300, grad=True), randn(300, grad=True)), backward=True)
def layer_norm(x, w, b):
    return F.layer_norm(x, (300,), w, b)


@program(lambda: (randn(8, 1500, grad=True), randn(1500, grad=True)), backward=True)
def layer_norm_long(x, w):
    return F.layer_norm(x, (1500,), w)


@program(lambda: (randn(12, 256, dtype=f16, grad=True), randn(256, dtype=f16, grad=True)), backward=True)
def rms_norm_f16(x, w):
    return F.rms_norm(x, (256,), w)


@program(lambda: (randn(12, 256, dtype=bf16, grad=True), randn(256, dtype=bf16, grad=True)), backward=True)
def layer_norm_bf16(x, w):
    return F.layer_norm(x, (256,), w) * F.silu(x)


@program(lambda: (randn(4, 6, 10, 10, grad=True), randn(6, grad=True), randn(6, grad=True)), backward=True)
def batch_norm(x, w, b):
    return F.batch_norm(x, None, None, w, b, True).relu()


@program(lambda: (randn(4, 6, 9), torch.zeros(6), torch.ones(6)))
def batch_norm_running(x, mean, var):
    return F.batch_norm(x, mean, var, None, None, True), mean, var


@program(lambda: (randn(3, 8, 7, 7, grad=True), randn(8, grad=True), randn(8, grad=True)), backward=True)
def group_norm(x, w, b):
    return F.group_norm(x, 4, w, b)


@program(lambda: (randn(3, 4, 6, 6),))
def instance_norm(x):
    return F.instance_norm(x)


@program(lambda: (randn(10, 130, grad=True),), backward=True)
def softmax_backward(x):
    return F.softmax(x, 1)


@program(lambda: (randn(10, 3000, grad=True),), backward=True)
def log_softmax_long_backward(x):
    return F.log_softmax(x, 1)


@program(lambda: (randn(24, 50, grad=True), ints(50, 24)), backward=True)
def cross_entropy(x, t):
    return F.cross_entropy(x, t, label_smoothing=0.1)


@program(lambda: (randn(24, 50, grad=True), ints(50, 24)), backward=True)
def nll_ignore(x, t):
    return F.nll_loss(F.log_softmax(x, 1), t, ignore_index=3)


@program(lambda: (randn(50, grad=True), randn(50), ints(2, 50).float()), backward=True)
def losses(x, y, t):
    return F.smooth_l1_loss(x, y) + F.binary_cross_entropy_with_logits(x, t) + F.huber_loss(x, y) + F.mse_loss(x, y) + F.kl_div(x, y.softmax(0))


@program(lambda: (randn(30, 3, 8), ints(3, 30)))
def embedding_bag_like(w, i):
    return F.embedding(torch.arange(5) * 3, w.reshape(90, 8)).sum(0), w[torch.arange(30), i]


@program(lambda: (randn(20, 8, grad=True), ints(20, 4, 6)), backward=True)
def embedding(w, i):
    return F.embedding(i, w, padding_idx=2) * 2


@program(lambda: (randn(16, 24, grad=True), randn(40, 24, grad=True), randn(40, grad=True), randn(8, 40, grad=True)), backward=True)
def mlp(x, w, b, v):
    return F.gelu(x @ w.t() + b) @ v.t()


@program(lambda: (randn(16, 24, dtype=f16), randn(24, 32, dtype=f16), randn(32, dtype=f16)))
def linear_f16(x, w, b):
    return torch.addmm(b, x, w).relu() + x.sum()


@program(lambda: (randn(2, 3, 12, 12, grad=True),), backward=True)
def max_pool(x):
    return F.max_pool2d(x, 3, 2, 1)


@program(lambda: (randn(2, 3, 12, 12, grad=True),), backward=True)
def avg_pool(x):
    return F.avg_pool2d(x, 2) + F.adaptive_avg_pool2d(x, 6)


@program(lambda: (randn(2, 3, 8, 8, grad=True),), backward=True)
def upsample_nearest(x):
    return F.interpolate(x, scale_factor=2)


@program(lambda: (randn(2, 3, 8, 8),))
def upsample_bilinear(x):
    return F.interpolate(x, size=(13, 11), mode="bilinear"), F.interpolate(x, scale_factor=2, mode="bicubic", align_corners=True)


@program(lambda: (randn(2, 4, 6, 6), (randn(2, 5, 5, 2) / 2)))
def grid_sample(x, g):
    return F.grid_sample(x, g, align_corners=False)


@program(lambda: (randn(2, 3, 7, 7, grad=True),), backward=True)
def pads(x):
    return F.pad(x, (1, 2, 0, 1)) + F.pad(x, (1, 2, 0, 1), mode="reflect") + F.pad(x, (1, 2, 0, 1), value=3.0)


@program(lambda: (randn(2, 4, 6, 6),))
def pixel_shuffle(x):
    return F.pixel_shuffle(x, 2), F.unfold(x, 3), F.pixel_unshuffle(x, 3)


@program(lambda: (randn(1, 3, 9, 9), randn(4, 3, 3, 3), randn(4)))
def convolution(x, w, b):
    return F.conv2d(x, w, b, padding=1).relu()


# ── indexing, order, joining ────────────────────────────────────────────────────────────────────

each(
    "index",
    {
        "gather": lambda x, i: x.gather(1, i),
        "scatter": lambda x, i: (x.scatter(1, i[:, :1], 9.0), torch.zeros(40, 30).scatter_add(1, i, x)),
        "scatter_reduce": lambda x, i: (x.scatter_reduce(1, i, x * 2, "amax"), x.scatter_reduce(1, i, x, "sum")),
        "index_put": lambda x, i: (x.index_put((i[:, 0],), torch.ones(30)), x.index_put((i[:, 0],), x, accumulate=True)),
        "select": lambda x, i: (x[i[:, 0]], x.index_select(1, i[0]), x[:, i[0], None]),
        "add": lambda x, i: x.index_add(0, i[:, 0], x),
        "mask": lambda x, i: (x.masked_fill(i > 12, -1), torch.where(i > 3, x, 0.0)),
        "take": lambda x, i: (x.take(i), x.take_along_dim(i, 1), F.one_hot(i[0], 40)),
    },
    lambda: (randn(40, 30), ints(30, 40, 30)),
)  # fmt: skip
each(
    "order",
    {
        "sort": lambda x: torch.sort(x, 1),
        "sort_bool": lambda x: (x > 0).sort(1),
        "sort_stable_descending": lambda x: torch.sort(x.round(), dim=1, descending=True, stable=True),
        "argsort": lambda x: x.argsort(0),
        "topk": lambda x: x.topk(5, 1),
        "median_kthvalue": lambda x: (*x.median(1), *x.kthvalue(3, 1)),
        "searchsorted": lambda x: (torch.searchsorted(x.sort(1)[0], x), torch.bucketize(x, torch.linspace(-2, 2, 33))),
    },
    lambda: (randn(12, 70),),
)
each(
    "shape",
    {
        "cat": lambda x: torch.cat([x, x * 2, x[:, :5]], 1),
        "cat_rows": lambda x: torch.cat([x + 1, x[:4].relu()]),
        "stack": lambda x: torch.stack([x, x.sin(), x + 1], 1),
        "split": lambda x: [t + 1 for t in x.split(7, 1)],
        "flip_roll": lambda x: (x.flip(1), x.roll(3, 1), torch.rot90(x)),
        "tril": lambda x: (x.tril(), x.triu(1), torch.tril(torch.ones_like(x)).bool()),
        "repeat": lambda x: (x.repeat(2, 3), x.repeat_interleave(2, 1), torch.tile(x, (1, 2))),
        "slices": lambda x: (x[::2, 1::3] * 2, x[..., None, 3], x[-3:]),
        "slice_scatter": lambda x: (x.slice_scatter(x[:, :4] * 2, 1, 2, 6), x.select_scatter(x[0], 0, 3), x.diagonal().clone()),
        "constructors": lambda x: (torch.arange(30) * 2 + x, torch.full((3,), 2), torch.eye(5) + 1, torch.linspace(0, 1, 9)),
        "as_strided": lambda x: x.as_strided((4, 4), (3, 1), 2) + 1,
        "unfold": lambda x: x.unfold(1, 5, 2).sum(-1),
        "view_dtype": lambda x: (x.view(i32) >> 2, x.to(f16).view(torch.int16) + 1),
    },
    lambda: (randn(20, 30),),
)  # fmt: skip


# ── attention ───────────────────────────────────────────────────────────────────────────────────


def _qkv(dtype=f32, grad=False):
    return lambda: tuple(randn(2, 2, 24, 16, dtype=dtype, grad=grad) for _ in range(3))


@program(_qkv(grad=True), backward=True)
def attention_causal(q, k, v):
    scores = (q @ k.transpose(-1, -2)) * 0.25
    causal = torch.ones(24, 24, dtype=torch.bool).tril()
    return F.softmax(scores.masked_fill(~causal, float("-inf")), -1) @ v


@program(_qkv(f16))
def attention_f16(q, k, v):
    return F.softmax((q @ k.transpose(-1, -2)) * 0.25, -1) @ v


@program(lambda: (randn(2, 10, 4, 16), torch.arange(10).float()))
def rotary(x, position):
    angle = position[:, None] * 10000 ** (-torch.arange(0, 16, 2) / 16)
    cos, sin = angle.cos()[:, None], angle.sin()[:, None]
    a, b = x[..., ::2], x[..., 1::2]
    return torch.stack([a * cos - b * sin, a * sin + b * cos], -1).flatten(-2)


@program(lambda: (randn(3, 40, 32), randn(32), randn(64, 32), randn(32, 32)))
def transformer_mlp(x, w, up, down):
    h = F.rms_norm(x, (32,), w) @ up.t()
    a, b = h.chunk(2, -1)
    return x + (F.silu(a) * b) @ down.t()


@program(lambda: (randn(16, 64), ints(127, 48, 64, low=-127, dtype=i8), randn(48).abs() / 100))
def weight_only_int8(x, w, scale):
    return x @ (w.float() * scale[:, None]).t()


@program(lambda: (randn(16, 64),))
def quantize_rows(x):
    scale = x.abs().amax(1, keepdim=True) / 127
    return (x / scale).round().clamp(-128, 127).to(i8), scale


# ── optimizers and combined kernels ─────────────────────────────────────────────────────────────


@program(lambda: ([randn(30), randn(7, 9), randn(1000)], [randn(30), randn(7, 9), randn(1000)]))
def foreach_adam(parameters, gradients):
    means = torch._foreach_mul(gradients, 0.1)
    squares = torch._foreach_mul(torch._foreach_mul(gradients, gradients), 0.01)
    steps = torch._foreach_div(means, torch._foreach_add(torch._foreach_sqrt(squares), 1e-8))
    return torch._foreach_add(parameters, steps, alpha=-0.01)


@program(lambda: ([randn(30), randn(7, 9)],))
def foreach_in_place(parameters):
    torch._foreach_add_(parameters, 1.0)
    torch._foreach_mul_(parameters, 2.0)
    return torch._foreach_norm(parameters)


_COMBO = {"combo_kernels": True, "benchmark_combo_kernel": False}


@program(lambda: (randn(300), randn(20, 30), randn(7, 100)), config=_COMBO)
def combo_pointwise(x, y, z):
    return x + 1, y * 2, z.relu()


@program(lambda: (randn(300), randn(20, 30), randn(7, 100)), config=_COMBO)
def combo_reductions(x, y, z):
    return x.sum(), y.sum(1), z.amax(1), x + 1


@program(lambda: (randn(64, 700),), config={"triton.cooperative_reductions": True})
def cooperative(x):
    return x.sum(1), x.sum()


@program(lambda: (randn(2, 40000),), config={"triton.force_cooperative_reductions": True})
def cooperative_forced(x):
    return x.sum(1), F.softmax(x, 1)


@program(lambda: (randn(64, 60), randn(60, 64)), config={"triton.prefer_nd_tiling": True})
def tiled_nd(x, y):
    return x.t() + y, x.sum()


@program(lambda: (randn(4, 50, 60),), config={"triton.multi_kernel": 1})
def multi_kernel(x):
    return F.softmax(x, -1)


@program(lambda: (randn(40, 200),), config={"triton.use_block_ptr": True})
def block_pointers(x):
    return x + 1, x.sum(1), x.t().contiguous()


@program(lambda: (randn(40, 256),), config={"triton.use_tensor_descriptor": True, "assume_aligned_inputs": True})
def tensor_descriptors(x):
    return x * 2 + 1, x.sum(1)


@program(lambda: (randn(33, 40), randn(40, 50)), config={"max_autotune_gemm": False, "triton.native_matmul": True})
def native_matmul(x, w):
    return (x @ w).relu()


@program(lambda: (randn(30, 40), randn(30, 40)), config={"cpp_wrapper": False, "memory_planning": True, "memory_pool": "intermediates"})
def memory_planned(x, y):
    a = x @ y.t()
    b = (a + 1) @ a
    return (b.softmax(1) @ a).sum(1)


@program(lambda: (randn(50, 60),), config={"benchmark_kernel": True, "profile_bandwidth": False})
def benchmarked(x):
    return x.sin().sum(1)


@program(lambda: (randn(50, 60),), config={"deterministic": True, "emulate_precision_casts": True})
def precision_casts(x):
    return (x.half() * 1.1).exp().sum(1)


# ── dynamic shapes ──────────────────────────────────────────────────────────────────────────────

each(
    "dynamic",
    {
        "pointwise": lambda x, y: (x + y).relu() * x.shape[0],
        "softmax": lambda x, y: F.softmax(x, 1) + y,
        "sum_all": lambda x, y: (x * y).sum(),
        "layer_norm": lambda x, y: F.layer_norm(x, (x.shape[1],)) + y,
        "matmul": lambda x, y: x @ y.t() + x.shape[1],
        "cat": lambda x, y: torch.cat([x, y + 1], 1)[:, ::2],
        "transpose": lambda x, y: (x.t() + 1).contiguous() + y.t(),
        "argmax": lambda x, y: (x.argmax(1), y.var(0)),
        "cumsum": lambda x, y: x.cumsum(1) + y,
        "arange": lambda x, y: torch.arange(x.shape[1]) + y,
    },
    lambda: (randn(37, 130), randn(37, 130)),
    dynamic=True,
    again=lambda: (randn(19, 211), randn(19, 211)),
)


@program(lambda: (randn(21, 75, grad=True), randn(75, grad=True)), dynamic=True, backward=True)
def dynamic_rms_norm(x, w):
    return F.rms_norm(x, (x.shape[1],), w)


@program(lambda: (randn(9, 33), 5), dynamic=True)
def dynamic_scalar(x, n):
    return x * n + x.shape[0] // n


# ── random numbers ──────────────────────────────────────────────────────────────────────────────


@program(lambda: (randn(40, 50, grad=True),), backward=True, random=True)
def dropout(x):
    return F.dropout(x, 0.3)


@program(lambda: (randn(40, 50),), random=True)
def random_numbers(x):
    return torch.rand_like(x), torch.randn(30), torch.randint(3, 9, (50,)), torch.bernoulli(x.sigmoid())


@program(lambda: (randn(2, 40, 50),), random=True)
def dropout_softmax(x):
    return F.dropout(F.softmax(x, -1), 0.1, training=True) + x
