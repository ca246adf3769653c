"""Programs for Inductor: sizes that depend on data, calls into libraries, small floats, convolutions."""

import torch
import torch.nn.functional as F
from registry import bf16, each, f16, f32, i8, i32, ints, program, randn

_SQUARE = lambda: (randn(24, 24), randn(24, 24))  # noqa: E731


@program(lambda: (randn(20, 30),), dynamic=True, config={"fallback_random": False})
def nonzero(x):
    return (x > 1).nonzero() * 2


@program(lambda: (randn(20, 30),), dynamic=True)
def masked_select(x):
    return x[x > 0.5] + 1


each(
    "library",
    {
        "bmm": lambda x, y: torch.bmm(x.expand(3, 24, 24), y[None].repeat(3, 1, 1)).relu(),
        "addmm": lambda x, y: torch.addmm(x[0], x, y, beta=0.5, alpha=2.0).exp(),
        "baddbmm": lambda x, y: torch.baddbmm(x[None], y[None], y[None]) + 1,
        "einsum": lambda x, y: torch.einsum("ij,kj->ik", x, y).softmax(0),
        "outer": lambda x, y: (torch.outer(x[0], y[0]), x[0] @ y[0], x @ y[0]),
        "triangular": lambda x, y: torch.linalg.solve_triangular(x.tril() + 5 * torch.eye(24), y, upper=False),
        "norms": lambda x, y: (torch.linalg.vector_norm(x, dim=0), torch.cdist(x, y), F.cosine_similarity(x, y)),
        "unique": lambda x, y: (x.round().to(i32).flatten().sort()[0], x.histc(8, -2, 2)),
        "topk_mask": lambda x, y: torch.zeros_like(x).scatter(1, x.topk(4, 1)[1], 1.0) * y,
        "cumulative": lambda x, y: (x.cumsum(0).cumsum(1), y.cumprod(1).logsumexp(0)),
    },
    _SQUARE,
)


@program(lambda: (ints(99, 24, 24, low=-99, dtype=i8), ints(99, 24, 24, low=-99, dtype=i8)))
def int_matmul(x, y):
    return torch._int_mm(x, y) * 2


@program(lambda: (randn(2, 3, 20, 16, grad=True), randn(2, 3, 20, 16, grad=True), randn(2, 3, 20, 16, grad=True)), backward=True)
def sdpa(q, k, v):
    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
        return F.scaled_dot_product_attention(q, k, v, is_causal=True)


@program(lambda: (randn(2, 3, 20, 16), randn(2, 3, 20, 16), randn(2, 3, 20, 16), ints(2, 20, 20).bool()))
def sdpa_mask(q, k, v, mask):
    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
        return F.scaled_dot_product_attention(q, k, v, mask)


@program(lambda: (randn(20, 30),))
def float8(x):
    scale = x.abs().amax() / 448
    small = (x / scale).clamp(-448, 448).to(torch.float8_e4m3fn)
    return small.to(f32) * scale, x.to(torch.float8_e5m2).to(f16)


@program(lambda: (randn(2, 3, 9, 9, grad=True), randn(4, 3, 3, 3, grad=True)), backward=True)
def convolution_backward(x, w):
    return F.conv2d(x, w, stride=2, padding=1).relu()


@program(lambda: (randn(2, 3, 20, grad=True), randn(3, 4, 3, grad=True)), backward=True)
def conv_transpose(x, w):
    return F.conv_transpose1d(x, w, stride=2)


@program(lambda: (randn(5, 40), randn(40), randn(40)))
def scalars_of_cpu(x, a, b):
    return x * a.max() + b.mean().sqrt().nan_to_num()


@program(lambda: (randn(12, 40, dtype=bf16), randn(40, 40, dtype=bf16)))
def bf16_chain(x, w):
    return F.silu(x @ w) * x, (x.float() ** 2).mean(1).rsqrt().to(bf16)[:, None] * x


@program(lambda: (randn(6, 8, grad=True), randn(10, 6, 8), randn(32, 8, grad=True), randn(32, 8, grad=True), randn(32, grad=True)), backward=True)
def lstm_cell(h, xs, wx, wh, b):
    c = torch.zeros_like(h)
    for x in xs.unbind(0)[:3]:
        i, f, g, o = (x @ wx.t() + h @ wh.t() + b).chunk(4, 1)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        h = o.sigmoid() * c.tanh()
    return h


@program(lambda: (torch.rand(4, 3, 16, 16), torch.rand(4, 3, 16, 16)))
def image_metrics(a, b):
    mean = F.avg_pool2d(a, 3, 1, 1)
    return ((a - b) ** 2).mean((1, 2, 3)).log10() * -10, mean, (a * 255).round().to(torch.uint8)
