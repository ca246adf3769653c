"""Programs for Inductor: whole layers of `torch.nn` and steps of training."""

import torch
import torch.nn.functional as F
from registry import bf16, each, f16, f32, i8, ints, program, randn
from torch import nn


def _module(make, dtype=f32):
    """A function of tensors alone: the module's parameters are constants of it."""
    torch.manual_seed(1)
    module = make().to(dtype).eval()
    return lambda *args: torch.func.functional_call(module, dict(module.named_parameters()), args)


class Block(nn.Module):
    def __init__(self, width=32, heads=4):
        super().__init__()
        self.heads, self.norm, self.again = heads, nn.LayerNorm(width), nn.RMSNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = (t.view(batch, length, self.heads, -1).transpose(1, 2) for t in self.qkv(self.norm(x)).chunk(3, -1))
        scores = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5
        causal = torch.ones(length, length, dtype=torch.bool, device=x.device).tril()
        seen = F.softmax(scores.masked_fill(~causal, float("-inf")), -1) @ v
        x = x + self.out(seen.transpose(1, 2).reshape(batch, length, width))
        return x + self.down(F.gelu(self.up(self.again(x))))


class Residual(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Conv2d(4, 4, 3, padding=1), nn.Conv2d(4, 4, 3, padding=1)
        self.one, self.two = nn.BatchNorm2d(4), nn.GroupNorm(2, 4)

    def forward(self, x):
        return F.relu(x + self.two(self.b(F.relu(self.one(self.a(x))))))


_tokens = lambda: (randn(2, 12, 32),)  # noqa: E731
each("block", {"float32": _module(Block), "mlp": _module(lambda: nn.Sequential(nn.Linear(32, 48), nn.SiLU(), nn.Linear(48, 32)))}, _tokens)
each("block", {"dynamic": _module(Block)}, _tokens, dynamic=True)
each("block", {"float16": _module(Block, f16)}, lambda: (randn(2, 12, 32, dtype=f16),))
each("block", {"bfloat16": _module(Block, bf16)}, lambda: (randn(2, 12, 32, dtype=bf16),))
each("block", {"backward": _module(Block)}, lambda: (randn(2, 12, 32, grad=True),), backward=True)
each("residual", {"forward": _module(Residual)}, lambda: (randn(2, 4, 8, 8),))
each("residual", {"backward": _module(Residual)}, lambda: (randn(2, 4, 8, 8, grad=True),), backward=True)
each(
    "layer",
    {
        "gru_cell": _module(lambda: nn.GRUCell(8, 12)),
        "lstm_cell": _module(lambda: nn.LSTMCell(8, 12)),
        "bilinear": _module(lambda: nn.Sequential(nn.Linear(8, 8), nn.Hardtanh(), nn.Threshold(0.1, 2), nn.Softsign(), nn.CELU(), nn.SELU())),
        "glu": _module(lambda: nn.Sequential(nn.Linear(8, 8), nn.GLU(), nn.PReLU(), nn.LogSigmoid(), nn.Tanhshrink(), nn.Hardshrink())),
        "norms": _module(lambda: nn.Sequential(nn.LayerNorm(8), nn.RMSNorm(8), nn.BatchNorm1d(8), nn.Softmin(1))),
    },
    lambda: (randn(5, 8),),
)


def _adam(p, g, m, v, step):
    m.mul_(0.9).add_(g, alpha=0.1)
    v.mul_(0.999).addcmul_(g, g, value=0.001)
    p.addcdiv_(m / (1 - 0.9**step), (v / (1 - 0.999**step)).sqrt() + 1e-8, value=-1e-3)
    return p.norm()


@program(lambda: (randn(40, 9), randn(40, 9), torch.zeros(40, 9), torch.zeros(40, 9), torch.tensor(3.0)))
def adam_step(p, g, m, v, step):
    return _adam(p, g, m, v, step)


@program(lambda: ([randn(n, 7) for n in (3, 40, 11)], [randn(n, 7) for n in (3, 40, 11)], [torch.zeros(n, 7) for n in (3, 40, 11)]), config={"combo_kernels": True})
def momentum_steps(parameters, gradients, momenta):
    torch._foreach_mul_(momenta, 0.9)
    torch._foreach_add_(momenta, gradients)
    torch._foreach_add_(parameters, momenta, alpha=-0.1)
    total = torch.stack(torch._foreach_norm(gradients)).norm()
    return total, torch._foreach_mul(gradients, (1.0 / (total + 1e-6)).clamp(max=1.0))


@program(lambda: (randn(6, 10), randn(10, 12), randn(12, 5), ints(5, 6)))
def training_step(x, w, v, t):
    """Gradients inside the compiled function."""
    loss = lambda w, v: F.cross_entropy(F.relu(x @ w) @ v, t)  # noqa: E731
    by_w, by_v = torch.func.grad(loss, argnums=(0, 1))(w, v)
    return w - 0.1 * by_w, v - 0.1 * by_v


@program(lambda: (randn(5, 7, 4), randn(4, 6)))
def mapped(x, w):
    return torch.func.vmap(lambda a: (a @ w).softmax(-1).sum(0))(x)


@program(lambda: (ints(127, 32, 64, low=-127, dtype=i8), randn(32, 1), randn(8, 64, dtype=bf16)))
def dequantized_product(w, scale, x):
    return x @ (w.to(bf16) * scale.to(bf16)).t()
