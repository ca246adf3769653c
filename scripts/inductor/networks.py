"""Programs for Inductor: attention, products, convolutions, optimizers and whole networks, forward and backward."""

import torch
import torch.nn.functional as F
from registry import bf16, each, f16, f32, i8, i32, ints, program, randn
from templates import TEMPLATES
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

_SHORT = {"float32": f32, "float16": f16, "bfloat16": bf16}

# ── attention ───────────────────────────────────────────────────────────────────────────────────


def _scores(q, k):
    return q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5


def _window(n, width):
    i = torch.arange(n)
    return (i[:, None] >= i) & (i[:, None] - i < width)


_ATTENTION = {
    "plain": lambda q, k, v: F.softmax(_scores(q, k), -1) @ v,
    "window": lambda q, k, v: F.softmax(_scores(q, k).masked_fill(~_window(q.shape[2], 5), float("-inf")), -1) @ v,
    "alibi": lambda q, k, v: F.softmax(_scores(q, k) - (torch.arange(q.shape[2])[:, None] - torch.arange(q.shape[2])).abs().to(q.dtype) * 0.25, -1) @ v,
    "grouped": lambda q, k, v: F.softmax(_scores(q, k[:, :1].expand_as(q)), -1) @ v[:, :1].expand_as(q),
    "soft_cap": lambda q, k, v: F.softmax(torch.tanh(_scores(q, k) / 9) * 9, -1) @ v,
    "normalized": lambda q, k, v: F.softmax(F.normalize(q, dim=-1) @ F.normalize(k, dim=-1).transpose(-1, -2) * 4, -1) @ v,
    "linear": lambda q, k, v: F.elu(q) @ (F.elu(k).transpose(-1, -2) @ v) / 16,
    "sigmoid": lambda q, k, v: torch.sigmoid(_scores(q, k) - 2) @ v,
    "sink": lambda q, k, v: F.softmax(torch.cat([_scores(q, k), torch.zeros_like(q[..., :1])], -1), -1)[..., :-1] @ v,
    "decode": lambda q, k, v: F.softmax(_scores(q[:, :, -1:], k), -1) @ v,
}
for _name, _dtype in _SHORT.items():
    for _dynamic in (False, True):

        def _qkv(length=20, dtype=_dtype, grad=True):
            return tuple(randn(2, 3, length, 16, dtype=dtype, grad=grad) for _ in range(3))

        each(
            f"attend_{_name}_{'dynamic' if _dynamic else 'static'}",
            _ATTENTION,
            _qkv,
            dynamic=_dynamic,
            again=(lambda a=_qkv: a(27)) if _dynamic else None,
            backward=_dtype is f32,
        )


@program(lambda: (randn(2, 3, 1, 16), randn(2, 3, 1, 16), randn(2, 3, 32, 16), randn(2, 3, 32, 16), torch.tensor([7])))
def cached_decode(q, new, keys, values, position):
    """Keys and values are written into the cache in place."""
    keys.index_copy_(2, position, new)
    values.index_copy_(2, position, new * 2)
    seen = torch.arange(32) <= position
    return F.softmax(_scores(q, keys).masked_fill(~seen, float("-inf")), -1) @ values


def _sdpa(backend):
    def attend(q, k, v):
        with torch.nn.attention.sdpa_kernel(backend):
            return F.scaled_dot_product_attention(q, k, v, is_causal=True) * 2

    return attend


each(
    "attend_library",
    {"math": _sdpa(torch.nn.attention.SDPBackend.MATH), "flash": _sdpa(torch.nn.attention.SDPBackend.FLASH_ATTENTION)},
    lambda: tuple(randn(2, 3, 20, 16) for _ in range(3)),
)


def _mask(rule, q=128, kv=128):
    return create_block_mask(rule, None, None, q, kv, device="cpu")


each(
    "flexible",
    {
        "window": lambda q, k, v: flex_attention(q, k, v, block_mask=_mask(lambda b, h, i, j: (i >= j) & (i - j < 40))),
        "prefix": lambda q, k, v: flex_attention(q, k, v, block_mask=_mask(lambda b, h, i, j: (i >= j) | (j < 30))),
        "scores": lambda q, k, v: flex_attention(q, k, v, score_mod=lambda s, b, h, i, j: s * 0.5 + torch.where(i > j, 0.1, -0.2), return_lse=True),
        "both": lambda q, k, v: flex_attention(q, k, v, score_mod=lambda s, b, h, i, j: s + h, block_mask=_mask(lambda b, h, i, j: i >= j)),
        "scaled": lambda q, k, v: flex_attention(q, k, v, scale=0.3) + 1,
    },
    lambda: tuple(randn(1, 2, 128, 32) for _ in range(3)),
)


each(
    "flexible_gradient",
    {
        "plain": lambda q, k, v: flex_attention(q, k, v),
        "causal": lambda q, k, v: flex_attention(q, k, v, block_mask=_mask(lambda b, h, i, j: i >= j)),
        "alibi": lambda q, k, v: flex_attention(q, k, v, score_mod=lambda s, b, h, i, j: s + (j - i) * 0.1),
    },
    lambda: tuple(randn(1, 2, 128, 32, grad=True) for _ in range(3)),
    backward=True,
)
each(
    "flexible_decoding",
    {
        "plain": lambda q, k, v: flex_attention(q, k, v),
        "grouped": lambda q, k, v: flex_attention(torch.cat([q, q], 1), k, v, enable_gqa=True),
    },
    lambda: (randn(1, 2, 1, 32), randn(1, 2, 256, 32), randn(1, 2, 256, 32)),
)
each(
    "flexible_half",
    {"plain": lambda q, k, v: flex_attention(q, k, v), "mods": lambda q, k, v: flex_attention(q, k, v, score_mod=lambda s, b, h, i, j: s - (i - j).abs())},
    lambda: tuple(randn(1, 2, 128, 64, dtype=f16) for _ in range(3)),
)

# ── products: templates and their epilogues and prologues ───────────────────────────────────────

_PRODUCTS = {
    "chain": lambda x, w, b: F.relu(x @ w) @ w.t() @ w,
    "prologue": lambda x, w, b: (x.sigmoid() * 2) @ (w + 1),
    "prologue_cast": lambda x, w, b: x.half() @ w.half().relu(),
    "bias_residual_norm": lambda x, w, b: F.layer_norm(x @ w + b, (64,)) + b,
    "glu": lambda x, w, b: (lambda h: h[:, :32].sigmoid() * h[:, 32:])(x @ w),
    "several": lambda x, w, b: (x @ w, (x + 1) @ w, x.relu() @ w),
    "two_epilogues": lambda x, w, b: (lambda h: (h.relu(), h.sum(0), h.t().contiguous()))(x @ w),
    "batched_bias": lambda x, w, b: torch.bmm(x.expand(4, -1, -1), w.expand(4, -1, -1)) + b,
    "batched_transposed": lambda x, w, b: torch.bmm(w.t().expand(2, -1, -1), x.t().expand(2, -1, -1)).transpose(1, 2),
    "vector": lambda x, w, b: (x @ w @ b, b @ w.t()),
    "alpha_beta": lambda x, w, b: torch.addmm(b, x, w, alpha=0.3, beta=1.5).tanh(),
    "einsum": lambda x, w, b: torch.einsum("ik,kj,j->ij", x, w, b),
    "long_inner": lambda x, w, b: x.t() @ x + 1,
}
for _name, _dtype in _SHORT.items():
    for _dynamic in (False, True):

        def _args(rows=50, dtype=_dtype):
            return randn(rows, 40, dtype=dtype), randn(40, 64, dtype=dtype) / 6, randn(64, dtype=dtype)

        each(
            f"product_{_name}_{'dynamic' if _dynamic else 'static'}",
            _PRODUCTS,
            _args,
            dynamic=_dynamic,
            again=(lambda a=_args: a(81)) if _dynamic else None,
            config=TEMPLATES,
        )
_GEMM = {
    "tma_store": {**TEMPLATES, "triton.enable_persistent_tma_matmul": True, "triton.enable_template_tma_store": True},
    "tma_epilogue": {**TEMPLATES, "triton.enable_persistent_tma_matmul": True, "triton.enable_tma_load_for_template_epilogue": True},
    "no_prologue": {**TEMPLATES, "prologue_fusion": False, "epilogue_fusion": False},
    "exhaustive": {**TEMPLATES, "max_autotune_gemm_search_space": "EXHAUSTIVE"},
    "split_k": {**TEMPLATES, "triton.num_decompose_k_splits": 4, "triton.decompose_k_threshold": 2},
    "aten": {**TEMPLATES, "max_autotune_gemm_backends": "ATEN"},
    "fast": {**TEMPLATES, "use_fast_math": True},
    "native": {"triton.native_matmul": True},
}
for _name, _config in _GEMM.items():
    each(
        f"gemm_{_name}",
        {k: _PRODUCTS[k] for k in ("chain", "bias_residual_norm", "prologue_cast", "batched_bias", "long_inner")},
        lambda: (randn(128, 64, dtype=f16), randn(64, 64, dtype=f16) / 6, randn(64, dtype=f16)),
        config=_config,
    )


@program(lambda: (randn(4, 2048), randn(2048, 8) / 40), config=_GEMM["split_k"])
def split_inner(x, w):
    return (x @ w).relu()


@program(lambda: (randn(64, 64) / 4, randn(64, 64) / 4, torch.tensor(0.5), torch.tensor(2.0)), config=TEMPLATES)
def scaled_product(x, w, a, b):
    e4m3 = torch.float8_e4m3fn
    return torch._scaled_mm(x.to(e4m3), w.to(e4m3).t().contiguous().t(), a, b, out_dtype=bf16)


@program(lambda: (randn(40, 64), ints(127, 48, 64, low=-127, dtype=i8), randn(48).abs() / 60), config=TEMPLATES)
def weight_int8(x, w, scale):
    return F.linear(x, w.to(f32)) * scale


@program(lambda: (ints(99, 40, 64, low=-99, dtype=i8), ints(99, 64, 48, low=-99, dtype=i8), randn(40, 1), randn(48)), config=TEMPLATES)
def int_product_scaled(x, w, a, b):
    return torch._int_mm(x, w) * a * b


# ── convolutions ────────────────────────────────────────────────────────────────────────────────

_CONVOLUTIONS = {
    "plain": lambda x, w: F.conv2d(x, w),
    "bias_relu": lambda x, w: F.conv2d(x, w, w.sum((1, 2, 3)), padding=1).relu(),
    "strided": lambda x, w: F.conv2d(x, w, stride=2, padding=1) * 2,
    "dilated": lambda x, w: F.conv2d(x, w, dilation=2, padding=2),
    "depthwise": lambda x, w: F.conv2d(x, w[:4, :1], groups=4, padding=1),
    "grouped": lambda x, w: F.conv2d(x, w[:, :2], groups=2),
    "transposed": lambda x, w: F.conv_transpose2d(x, w[:4], stride=2, output_padding=1, padding=1),
    "one_by_one": lambda x, w: F.silu(F.conv2d(x, w[:, :, :1, :1])),
    "norm": lambda x, w: F.relu(F.batch_norm(F.conv2d(x, w), None, None, training=True)),
    "pool": lambda x, w: F.max_pool2d(F.conv2d(x, w, padding=1).relu(), 2),
    "line": lambda x, w: F.conv1d(x.flatten(2), w[:, :, 0], padding=1),
    "residual": lambda x, w: x + F.conv2d(F.conv2d(x, w, padding=1).relu(), w.transpose(0, 1), padding=1),
}
for _name, _config in {"library": {}, "template": {**TEMPLATES, "max_autotune_conv_bwd_weight_backends": "TRITON,ATEN", "max_autotune_conv_bwd_input_backends": "TRITON,ATEN"}, "as_product": {"conv_1x1_as_mm": True, "layout_optimization": True, "force_layout_optimization": True}}.items():  # fmt: skip
    each(
        f"convolve_{_name}",
        _CONVOLUTIONS,
        lambda: (randn(2, 4, 9, 10, grad=True), (randn(6, 4, 3, 3) / 6).requires_grad_()),
        backward=True,
        config=_config,
    )
each(
    "convolve_dynamic",
    {k: _CONVOLUTIONS[k] for k in ("plain", "bias_relu", "strided", "depthwise", "norm", "pool", "line")},
    lambda: (randn(2, 4, 9, 10), randn(6, 4, 3, 3) / 6),
    dynamic=True,
    again=lambda: (randn(3, 4, 12, 11), randn(6, 4, 3, 3) / 6),
)

# ── optimizers ──────────────────────────────────────────────────────────────────────────────────


def _sgd(p, g, m):
    m.mul_(0.9).add_(g + 0.01 * p)
    return p.sub_(m * 0.1)


def _lion(p, g, m):
    p.mul_(0.99).sub_((m * 0.9 + g * 0.1).sign() * 1e-3)
    return m.lerp_(g, 0.01)


def _clip(p, g, m):
    scale = (1.0 / (g.norm() + 1e-6)).clamp(max=1.0)
    return p - g * scale, m * scale


def _rmsprop(p, g, m):
    m.mul_(0.99).addcmul_(g, g, value=0.01)
    return p.addcdiv_(g, m.sqrt() + 1e-8, value=-0.01)


def _muon(p, g, m):
    x = (g + m) / (g.norm() + 1e-7)
    for _ in range(2):
        a = x @ x.t()
        x = 3.4 * x + (-4.8 * a + 2.0 * a @ a) @ x
    return p - 0.02 * x


def _adafactor(p, g, m):
    rows, columns = (g * g).mean(1), (g * g).mean(0)
    return p - 0.1 * g / ((rows[:, None] * columns / rows.mean()).sqrt() + 1e-6)


_STEPS = {"sgd": _sgd, "lion": _lion, "clip": _clip, "rmsprop": _rmsprop, "muon": _muon, "adafactor": _adafactor}
each("step", _STEPS, lambda: (randn(20, 33), randn(20, 33), randn(20, 33).abs()))
each("step_dynamic", _STEPS, lambda: (randn(20, 33), randn(20, 33), randn(20, 33).abs()), dynamic=True, again=lambda: (randn(31, 9), randn(31, 9), randn(31, 9).abs()))
each("step_bfloat16", _STEPS, lambda: (randn(20, 33, dtype=bf16), randn(20, 33, dtype=bf16), randn(20, 33, dtype=bf16).abs()))


def _library_step(kind, **options):
    def step(parameters, gradients):
        made = kind(parameters, lr=0.01, foreach=True, **options)
        for p, g in zip(parameters, gradients):
            p.grad = g
        made.step()
        return [p + 0 for p in parameters]

    return step


each(
    "foreach",
    {
        "lerp": lambda p, g: torch._foreach_lerp(p, g, 0.3),
        "addcmul": lambda p, g: torch._foreach_addcmul(p, g, g, value=0.5),
        "addcdiv": lambda p, g: torch._foreach_addcdiv(p, g, [x.abs() + 1 for x in g], -0.1),
        "maximum": lambda p, g: (torch._foreach_maximum(p, g), torch._foreach_abs(p), torch._foreach_neg(g)),
        "norms": lambda p, g: (torch._foreach_norm(p), torch._foreach_norm(g, 1)),
        "copies": lambda p, g: torch._foreach_copy_(p, g),
        "clamp": lambda p, g: torch._foreach_clamp_max(torch._foreach_exp(p), 2.0),
        "pow": lambda p, g: torch._foreach_pow(torch._foreach_abs(p), 1.5),
    },
    lambda: ([randn(30), randn(7, 9), randn(1000), randn(2, 3, 4)], [randn(30), randn(7, 9), randn(1000), randn(2, 3, 4)]),
)

# ── networks ────────────────────────────────────────────────────────────────────────────────────


def _mixture(x, gate, w):
    """Two of four experts for each token."""
    weight, chosen = (x @ gate).softmax(-1).topk(2, -1)
    every = torch.einsum("td,edh->teh", x, w).relu()
    taken = every.gather(1, chosen[..., None].expand(-1, -1, w.shape[2]))
    return (taken * weight[..., None]).sum(1)


@program(lambda: (randn(12, 16, grad=True), randn(16, 4, grad=True), randn(4, 16, 16, grad=True)), backward=True)
def mixture_of_experts(x, gate, w):
    return _mixture(x, gate, w)


@program(lambda: (randn(12, 16), randn(16, 4), randn(4, 16, 16)), dynamic=True, again=lambda: (randn(19, 16), randn(16, 4), randn(4, 16, 16)))
def mixture_of_experts_dynamic(x, gate, w):
    return _mixture(x, gate, w)


@program(lambda: (randn(2, 25, 8, grad=True), randn(2, 25, 8, grad=True), randn(8, 4, grad=True), randn(2, 25, 4), randn(2, 25, 4)), backward=True)
def selective_scan(x, delta, a, b, c):
    delta = F.softplus(delta)
    state, out = torch.zeros(2, 8, 4), []
    for t in range(4):
        state = state * (-delta[:, t, :, None] * a.exp()).exp() + delta[:, t, :, None] * b[:, t, None] * x[:, t, :, None]
        out.append((state * c[:, t, None]).sum(-1))
    return torch.stack(out, 1)


@program(lambda: (randn(10, 6, grad=True), ints(10, 2, 24), randn(6, 8, grad=True)), backward=True)
def graph_convolution(x, edges, w):
    source, target = edges
    total = torch.zeros(10, 8).index_add(0, target, (x @ w)[source])
    degree = torch.zeros(10).index_add(0, target, torch.ones(24))
    return (total / degree.clamp(min=1)[:, None]).relu()


@program(lambda: (randn(3, 10), ints(9, 3, 4), randn(9, 8, grad=True), randn(10, 8, grad=True)), backward=True)
def recommender(dense, sparse, table, w):
    features = torch.cat([(dense @ w)[:, None], F.embedding(sparse, table)], 1)
    pairs = features @ features.transpose(1, 2)
    i, j = torch.tril_indices(5, 5, -1)
    return torch.cat([features.flatten(1), pairs[:, i, j]], 1).sigmoid()


@program(lambda: (ints(30, 2, 10), randn(30, 16, grad=True), randn(10, 16, grad=True), randn(16, grad=True), randn(16, grad=True), ints(30, 2, 10)), backward=True)
def language_model(tokens, table, places, w, b, targets):
    h = F.layer_norm(table[tokens] + places, (16,), w, b)
    return F.cross_entropy((h @ table.t()).view(-1, 30), targets.view(-1))


@program(lambda: (randn(2, 3, 12, 12, grad=True), randn(16, 3, 4, 4, grad=True), randn(9, 16, grad=True)), backward=True)
def patches(x, w, places):
    tokens = F.conv2d(x, w, stride=4).flatten(2).transpose(1, 2) + places
    return F.rms_norm(tokens, (16,)).mean(1)


@program(lambda: (randn(6, 40, grad=True), randn(40, 8, grad=True), randn(8, 40, grad=True)), backward=True, random=True)
def autoencoder(x, down, up):
    mean, spread = (x @ down).chunk(2, 1)
    latent = mean + torch.randn_like(mean) * (spread / 2).exp()
    return F.mse_loss(latent @ up[:4], x) - (1 + spread - mean**2 - spread.exp()).mean()


@program(lambda: (torch.arange(7), 32))
def time_embedding(t, width):
    frequencies = torch.exp(-9.2 * torch.arange(width // 2) / (width // 2))
    angle = t[:, None] * frequencies
    return torch.cat([angle.sin(), angle.cos()], -1)


each(
    "picture",
    {
        "gray": lambda x: 0.299 * x[:, 0] + 0.587 * x[:, 1] + 0.114 * x[:, 2],
        "normalize": lambda x: (x - x.mean((2, 3), keepdim=True)) / (x.std((2, 3), keepdim=True) + 1e-5),
        "edges": lambda x: F.pad(x, (1, 1, 1, 1)).unfold(2, 3, 1).unfold(3, 3, 1).std((-1, -2)),
        "hue": lambda x: (x.amax(1) - x.amin(1)) / (x.amax(1) + 1e-6) + torch.atan2(x[:, 0] - x[:, 1], x[:, 2]),
        "histogram": lambda x: torch.stack([((x * 8).floor() == k).sum((2, 3)) for k in range(4)], -1),
        "warp": lambda x: F.grid_sample(x, F.affine_grid(torch.eye(2, 3).expand(2, 2, 3) * 0.9, (2, 3, 10, 10), align_corners=False), align_corners=False),
        "bytes": lambda x: (x.clamp(0, 1) * 255).round().to(torch.uint8).permute(0, 2, 3, 1).contiguous(),
        "tiles": lambda x: x.unfold(2, 4, 4).unfold(3, 4, 4).permute(0, 2, 3, 1, 4, 5).reshape(-1, 3, 4, 4).mean((2, 3)),
    },
    lambda: (torch.rand(2, 3, 16, 16),),
)
each(
    "physics",
    {
        "bodies": lambda x: ((x[None] - x[:, None]) / ((x[None] - x[:, None]).norm(dim=-1, keepdim=True) ** 3 + 0.1)).sum(1),
        "heat": lambda x: x + 0.1 * (x.roll(1, 0) + x.roll(-1, 0) + x.roll(1, 1) + x.roll(-1, 1) - 4 * x),
        "life": lambda x: (lambda a, n: ((n == 3) | (a & (n == 2))).to(i32))(x > 0, sum((x > 0).roll((i, j), (0, 1)).to(i32) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0))),
        "mandelbrot": lambda x: (lambda z: sum(((z := z * z + x) < 2).to(i32) for _ in range(8)))(x * 0),
        "rotation": lambda x: torch.stack([x[:, 0].cos(), -x[:, 0].sin(), x[:, 0].sin(), x[:, 0].cos()], -1).view(-1, 2, 2) @ x[:, :2, None],
        "boxes": lambda x: (lambda a, b: (torch.minimum(a, b.transpose(0, 1)) - torch.maximum(a - 1, b.transpose(0, 1) - 1)).clamp(min=0).prod(-1))(x[:, None, :2], x[:, None, :2]),
        "polynomial": lambda x: sum(c * x**k for k, c in enumerate((1.0, -2.0, 0.5, 0.25))),
        "geometry": lambda x: torch.linalg.cross(x[:, :3], x[:, 1:4]).norm(dim=1) + torch.cdist(x, x).argmin(1),
    },
    lambda: (randn(12, 6),),
)
