"""Expressions that must mean the same in PyTorch and here. `generate.py` evaluates them with PyTorch and
writes expected.json; torch.test.ts evaluates them in Pyodide and compares dtype, shape, strides and
values, or the error's type and text.
"""

SETUP = """
import torch
import torch.nn.functional as F
from torch import nn
torch.manual_seed(0)
def grads(f, *shapes, dtype=torch.float32):
    torch.manual_seed(1)
    xs = [torch.rand(s, dtype=dtype).requires_grad_() for s in shapes]
    y = f(*xs)
    w = torch.rand(y.shape, dtype=torch.float32).to(y.dtype)
    (y * w).sum().backward()
    return [x.grad for x in xs]
a = torch.arange(24).reshape(2, 3, 4)
f = torch.linspace(-3, 3, 24).reshape(2, 3, 4)
x = torch.tensor([[1.5, -2.25, 0.0], [3.0, -0.5, 7.75]])
y = torch.tensor([[2.0, 4.0, -1.0], [0.5, 0.25, 3.0]])
i = torch.tensor([[7, -3, 0], [2, 5, -9]])
b = torch.tensor([[True, False, True], [False, False, True]])
v = torch.tensor([3.0, 1.0, 2.0])
nan = torch.tensor([1.0, float('nan'), -float('inf'), float('inf')])
def inplace(t, do):
    t = t.clone()
    do(t)
    return t
def train(make, steps=5):
    torch.manual_seed(2)
    model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.LayerNorm(4), nn.Linear(4, 1))
    optimizer = make(model.parameters())
    for _ in range(steps):
        optimizer.zero_grad()
        loss = F.mse_loss(model(x), v[:2, None])
        loss.backward()
        optimizer.step()
    return [p.detach() for p in model.parameters()]
def setitem(t, index, value):
    t = t.clone()
    t[index] = value
    return t
"""

from fourier import GROUPS as FOURIER  # noqa: E402
from layers import GROUPS as LAYERS, SETUP as LAYERS_SETUP  # noqa: E402
from linear import GROUPS as LINEAR, SETUP as LINEAR_SETUP  # noqa: E402
from published import GROUPS as PUBLISHED, SETUP as PUBLISHED_SETUP  # noqa: E402
from rarer import GROUPS as RARER, SETUP as RARER_SETUP  # noqa: E402
from versions import GROUPS as VERSIONS, SETUP as VERSIONS_SETUP  # noqa: E402
from windows import GROUPS as WINDOWS, SETUP as WINDOWS_SETUP  # noqa: E402

SETUP += LAYERS_SETUP + LINEAR_SETUP + WINDOWS_SETUP + RARER_SETUP + VERSIONS_SETUP + PUBLISHED_SETUP
_TYPES = ("float64", "float32", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool")


def _promotion():
    out = []
    for p in _TYPES:
        for q in _TYPES:
            out.append(f"(torch.ones(2, dtype=torch.{p}) + torch.ones(2, dtype=torch.{q})).dtype")
            out.append(f"(torch.ones(2, dtype=torch.{p}) * torch.ones((), dtype=torch.{q})).dtype")
        for s in ("True", "2", "2.5"):
            out.append(f"(torch.ones(2, dtype=torch.{p}) * {s}).dtype")
            out.append(f"torch.ones((), dtype=torch.{p}) * {s}")
        out.append(f"torch.ones(3, dtype=torch.{p}) / 3")
        if p != "bool":
            out.append(f"torch.tensor([7, 3, 100]).to(torch.{p}) // 4")
            out.append(f"torch.tensor([7, 3, 100]).to(torch.{p}) % 4")
            out.append(f"-torch.tensor([1, 2]).to(torch.{p})")
        out.append(f"torch.tensor([0, 1, 5, 100]).to(torch.{p}).sum()")
        out.append(f"torch.tensor([1, 2, 5]).to(torch.{p}).prod()")
        out.append(f"torch.tensor([0, 1, 5, 100]).to(torch.{p}).cumsum(0)")
        out.append(f"torch.tensor([0, 1, 5, 100]).to(torch.{p}).max()")
        out.append(f"torch.tensor([0, 1, 5, 100]).to(torch.{p}).argmax()")
        out.append(f"torch.tensor([0, 1, 5, 100]).to(torch.{p}).mean()")
        out.append(f"torch.tensor([0, 1, 5, 100]).to(torch.{p}).any()")
        for q in _TYPES:
            out.append(f"torch.tensor([0.0, 1.75, -2.5, 100.25, 300.0]).to(torch.{p}).to(torch.{q})")
    return out


_UNARY = """abs exp exp2 expm1 log log2 log10 log1p sqrt rsqrt sin cos tan asin acos atan sinh cosh tanh asinh
    atanh erf erfc sigmoid floor ceil round trunc frac sign reciprocal square isnan isinf isfinite
    relu signbit neg""".split()


def _unary():
    out = []
    for name in _UNARY:
        out.append(f"torch.{name}(f)")
        out.append(f"torch.{name}(nan)")
        out.append(f"torch.{name}(f.half())")
        out.append(f"torch.{name}(f.bfloat16())")
        out.append(f"torch.{name}(i)")
    return out


_BINARY = """add sub mul div floor_divide remainder fmod pow maximum minimum fmax fmin atan2 hypot eq ne lt le
    gt ge logical_and logical_or logical_xor copysign""".split()


def _binary():
    out = []
    for name in _BINARY:
        out.append(f"torch.{name}(x, y)")
        out.append(f"torch.{name}(x.half(), y.half())")
        out.append(f"torch.{name}(x.bfloat16(), y)")
        if name not in ("hypot",):
            out.append(f"torch.{name}(i, i.abs() + 1)")
            out.append(f"torch.{name}(i.int(), i.abs().int() + 1)")
        out.append(f"torch.{name}(x[:, None], y[None])")
    return out


INDEXING = [
    "a[0]", "a[-1]", "a[0, 1]", "a[:, 1]", "a[..., 0]", "a[0, ..., 1]", "a[1:]", "a[:, ::2]",
    "a[:, 1:3, ::3]", "a[None]", "a[:, None, 1]", "a[..., None]", "a[0, 1, 2]", "a[5:]", "a[:, :0]",
    "a[[0, 1]]", "a[[1, 0], [2, 1]]", "a[(1, 0), (2, 1)]", "a[:, (2, 0)]", "setitem(a, ([0, 1], (2, 0)), 7)", "a[:, [2, 0]]", "a[:, [0, 2], [1, 3]]", "a[[0, 1], :, [1, 3]]",
    "a[a > 10]", "a[a[:, :, 0] > 3]", "a[:, torch.tensor([True, False, True])]",
    "a[torch.tensor([[0, 1], [1, 0]])]", "a[torch.tensor(1)]", "a[True]", "a[False]",
    "a[torch.tensor([0, 1]), 1:]", "a[:, torch.tensor([-1, 0])]", "a[0][torch.tensor([2, 2])]",
    "x[b]", "x[b].shape", "x[[True, False]]", "v[[2, 0]]", "v[torch.tensor([], dtype=torch.long)]",
    "setitem(a, 0, 5)", "setitem(a, (slice(None), 1), -1)", "setitem(a, a > 20, 0)",
    "setitem(a, ([0, 1], [1, 2]), torch.tensor([[9], [8]]))", "setitem(x, b, 0.5)",
    "setitem(x, b, torch.tensor([10., 20., 30.]))", "setitem(x, (slice(None), 0), torch.tensor([4., 5.]))",
    "setitem(a, (..., [0, 3]), 7)", "setitem(x, 0, y[1])", "setitem(x, 1, [1, 2, 3])",
    "a[7]", "a[0, 5]", "a[0, 0, 0, 0]", "a[1.5]", "a['k']", "a[[0, 9]]", "a[::-1]", "x[v > 0]",
    "setitem(x, 0, torch.ones(5))", "len(a)", "list(v)", "[t.shape for t in a]",
    "torch.gather(i, 1, torch.tensor([[0, 0, 2], [1, 2, 0]]))", "torch.take(i, torch.tensor([0, 5]))",
    "torch.index_select(x, 1, torch.tensor([2, 0]))", "torch.nonzero(b)", "b.nonzero(as_tuple=True)",
    "torch.masked_select(x, b)", "torch.zeros(2, 3).scatter_(1, torch.tensor([[0], [2]]), 1.0)",
    "torch.zeros(2, 3).scatter_add_(1, torch.tensor([[0, 0, 1], [2, 2, 2]]), x)",
    "torch.zeros(4).index_add_(0, torch.tensor([0, 0, 3]), v)", "x.masked_fill(b, -1)", "torch.where(b, x, 0)",
    "torch.where(b, x, y)", "torch.where(b, 1, 2)", "torch.where(x > 0)",
]  # fmt: skip

VIEWS = [
    "a.T", "a.mT", "a.permute(2, 0, 1)", "a.transpose(0, 2)", "x.t()", "a.reshape(6, 4)", "a.reshape(-1)",
    "a.view(4, -1)", "a.permute(2, 0, 1).reshape(4, 6)", "a.permute(2, 0, 1).reshape(-1)", "a.transpose(0, 1).view(-1)",
    "a.transpose(1, 2).contiguous()", "a.transpose(1, 2).is_contiguous()", "a.transpose(1, 2).stride()",
    "a.flatten(1)", "a.flatten(0, 1)", "a.squeeze()", "a[None].squeeze(0)", "a.unsqueeze(-1)", "a.unsqueeze(1)",
    "v.expand(2, 3)", "v.expand(2, -1)", "x[:, :1].expand(-1, 5)", "v.expand(4)", "v.repeat(2, 2)", "a.chunk(2, 2)",
    "a.split(2, 1)", "a.split([1, 3], 2)", "a.unbind(1)", "a.narrow(2, 1, 2)", "torch.cat([x, y], 1)", "torch.cat([x, i])",
    "torch.stack([v, v], 1)", "torch.cat([x, v])", "x.movedim(0, 1)", "a.swapaxes(0, 1)", "a.diagonal(0, 1, 2)",
    "torch.tile(v, (2, 2))", "v.repeat_interleave(2)", "torch.roll(a, 1, 2)", "torch.flip(a, [0, 2])", "a.view(5, 5)",
    "a.size()", "a.size(1)", "a.stride()", "a.stride(-1)", "a.numel()", "a.dim()", "a.shape[1:]", "a.element_size()",
    "a.T.stride()", "a[:, ::2].stride()", "a[:, 1].storage_offset()", "torch.empty_like(a.transpose(0, 1)).stride()",
    "a.transpose(0, 1).clone().stride()", "(a.transpose(0, 1) + 1).shape", "torch.broadcast_to(v, (2, 3))",
    "a.unflatten(2, (2, 2))", "torch.vstack([v, v])", "torch.hstack([v, v])", "x.reshape(7)", "a.permute(0, 1)",
    "a.transpose(0, 5)", "v.expand(4, 4)", "torch.stack([x, v])", "x.view(torch.int32)", "x.half().view(torch.int16)",
    "f.view(torch.uint8).shape", "a.unfold(2, 2, 1)", "torch.as_strided(a, (2, 2), (1, 2), 3)", "x.to(torch.float64)",
    "inplace(x, lambda t: t.T.add_(1))", "inplace(x, lambda t: t[:, 1].mul_(10))", "inplace(x, lambda t: t.zero_())",
    "inplace(x, lambda t: t.copy_(v))", "inplace(x, lambda t: t.fill_(2))", "inplace(i, lambda t: t.add_(1.5))",
    "inplace(i, lambda t: t.div_(2))", "inplace(x, lambda t: t.clamp_(-1, 1))", "inplace(x, lambda t: t.add_(torch.ones(2, 2, 3)))",
]  # fmt: skip

CREATION = [
    "torch.tensor([1, 2])", "torch.tensor([1.5, 2])", "torch.tensor(True)", "torch.tensor([[1, 2], [3, 4]], dtype=torch.float16)",
    "torch.tensor([])", "torch.tensor(3.0)", "torch.tensor([[1], [2, 3]])", "torch.tensor('s')", "torch.arange(5)",
    "torch.arange(1, 2, 0.25)", "torch.arange(10, 0, -3)", "torch.arange(0, 5, 2, dtype=torch.float32)", "torch.linspace(0, 1, 5)",
    "torch.linspace(-1, 2, 7, dtype=torch.float64)", "torch.eye(3)", "torch.eye(2, 3, dtype=torch.int32)", "torch.full((2, 2), 7)",
    "torch.full((2,), 0.5)", "torch.full((2,), True)", "torch.zeros(2, 3, dtype=torch.int8)", "torch.ones((2, 1))", "torch.ones_like(i)",
    "torch.full_like(x, 3)", "torch.tril(x)", "torch.triu(torch.ones(3, 3), 1)", "torch.tril(torch.ones(3, 3), -1)", "torch.diag(v)",
    "torch.meshgrid(v, v, indexing='ij')", "x.new_zeros(2)", "x.new_full((2,), 3)", "torch.zeros(0, 3)", "torch.tensor([300], dtype=torch.int8)",
    "torch.tensor([1.7, -1.7]).to(torch.int32)", "torch.tensor([1e10]).to(torch.int64)", "torch.tensor([65520., 1e-8, 6e-5]).half()",
    "torch.tensor([3.4e38, 1e-40]).bfloat16()", "torch.tensor([0.1, 448., 480., 1e9, 0.001]).to(torch.float8_e4m3fn).float()",
    "torch.tensor([0.1, 57344., 61440., 1e9, 1e-5]).to(torch.float8_e5m2).float()", "torch.tensor([1, 2]).float().dtype",
    "torch.tensor([2**40, -5]) * 3", "torch.tensor([2**62]) * 4", "torch.tensor([200], dtype=torch.uint8) + 100",
    "torch.tensor([100], dtype=torch.int8) + 100", "torch.tensor([2**31 - 1], dtype=torch.int32) + 1", "torch.tensor([1]) + 2**63",
    "torch.finfo(torch.float16).max", "torch.iinfo(torch.int32).min", "torch.tensor([5, -5]) >> 1", "torch.tensor([1, 3]) << 2",
    "torch.tensor([6]) & 3", "torch.tensor([6.0]) & 3", "~torch.tensor([5])", "~b", "b ^ True", "b & ~b", "b + b", "-b", "b.sum()", "b.float().mean()",
]  # fmt: skip

REDUCTIONS = [
    "f.sum()", "f.sum(0)", "f.sum((0, 2))", "f.sum(-1, keepdim=True)", "f.mean()", "f.mean(1)", "f.mean(dim=(0, 1))", "i.mean()", "f.max()",
    "f.max(1)", "f.min(dim=0)", "f.max(dim=1)[0]", "f.max(dim=-1, keepdim=True).values", "f.amax((0, 1))", "f.amin(2)", "f.argmax()",
    "f.argmax(1)", "f.argmin(dim=2, keepdim=True)", "f.var()", "f.var(1)", "f.var(1, unbiased=False)", "f.std(2)", "f.std(correction=0)",
    "f.prod(1)", "f.norm()", "f.norm(dim=1)", "f.norm(p=1)", "f.any()", "b.any(0)", "b.all(1)", "b.all()", "f.cumsum(1)", "f.cumprod(2)",
    "f.logsumexp(1)", "torch.softmax(f, 1)", "torch.softmax(f, dim=-1)", "torch.log_softmax(f, 0)", "f.half().softmax(-1)", "f.softmax(axis=1)",
    "nan.max()", "nan.min()", "nan.sum()", "nan.argmax()", "torch.sort(v)", "torch.sort(x, descending=True)", "torch.argsort(x, dim=0)",
    "torch.topk(x, 2)", "x.topk(2, largest=False)", "x.median()", "x.median(1)", "torch.quantile(x, 0.3)", "x.count_nonzero()", "x.kthvalue(2)",
    "torch.unique(torch.tensor([3, 1, 3]))", "x.cummax(1)", "x.sum(5)", "x.max(3)", "torch.zeros(0).max()", "torch.zeros(0).sum()", "torch.zeros(0).mean()",
    "torch.zeros(0, 3).sum(0)", "f.half().sum()", "f.bfloat16().sum(1)", "i.sum(dtype=torch.float32)", "x.sum(axis=1)", "f.aminmax()", "x.dist(y)",
    "torch.tensor([2, 2, 1]).argmax()", "torch.tensor(5.).max(0)", "torch.tensor([1, 2], dtype=torch.uint8).sum()", "torch.bincount(torch.tensor([1, 1, 3]))",
]  # fmt: skip

#: A product with a bias, and what is rounded once in its place.
ROUNDED_ONCE = [
    ("F.linear(p, q, r)", "p.float() @ q.float().T + r.float()"), ("F.linear(p[0], q, r)", "q.float() @ p[0].float() + r.float()"),
    ("torch.addmm(r, p, q, beta=0.5, alpha=0.75)", "p.float() @ q.float() * 0.75 + r.float() * 0.5"),
    ("torch.addmv(r, p, q[0])", "p.float() @ q[0].float() + r.float()"),
    ("torch.baddbmm(r, p[None], q[None])", "p[None].float() @ q[None].float() + r.float()"),
]  # fmt: skip


def rounded_once(product, once, kind):
    """How many elements of a product of halves with a bias are those that are rounded once."""
    whole = f"torch.arange(64.).reshape(8, 8).{kind}()"
    return f"(lambda p, q, r: ({product} == ({once}).to(p.dtype)).sum())({whole}, {whole} + 1, torch.arange(8.).{kind}() / 3)"


PRODUCTS = [
    "x @ y.T", "torch.matmul(x, v)", "v @ v", "f @ torch.ones(4, 2)", "torch.bmm(f, f.transpose(1, 2))", "torch.mm(x, x)", "x.half() @ y.half().T",
    "x.bfloat16() @ y.bfloat16().T", "i @ i.T", "i.int() @ i.int().T", "x @ i", "torch.einsum('ij,kj->ik', x, y)", "torch.einsum('bij,bkj->bik', f, f)",
    "torch.einsum('ij->j', x)", "torch.einsum('i,j->ij', v, v)", "torch.einsum('...ij,...jk->...ik', f, f.transpose(1, 2))", "torch.einsum('ii', torch.eye(3))",
    "torch.outer(v, v)", "torch.dot(v, v)", "torch.addmm(torch.ones(2, 2), x, y.T, alpha=2)", "torch.arange(4096.).reshape(64, 64) @ torch.eye(64)",
    "f[:, None] @ f.transpose(1, 2)", "x @ 2", "x.T @ torch.ones(5, 2)", "torch.linalg.norm(x)", "F.linear(x, y, torch.ones(2))", "x.double() @ y.double().T",
    "(torch.rand(40, 50) @ torch.rand(50, 60))", "(torch.rand(3, 40, 50) @ torch.rand(50, 60))", "(torch.rand(64, 64).half() @ torch.rand(64, 64).half())",
    *[rounded_once(*pair, kind) for kind in ("bfloat16", "half") for pair in ROUNDED_ONCE],
    *[f"grads(F.linear, (3, 4), (5, 4), (5,), dtype=torch.{kind})" for kind in ("bfloat16", "half")],
]  # fmt: skip

FUNCTIONAL = [
    "F.relu(f)", "F.leaky_relu(f)", "F.leaky_relu(f, 0.2)", "F.gelu(f)", "F.gelu(f, approximate='tanh')", "F.silu(f)", "F.elu(f)", "F.softplus(f)",
    "F.layer_norm(f, (4,))", "F.layer_norm(f, (3, 4))", "F.layer_norm(f, (4,), torch.ones(4) * 2, torch.ones(4), 1e-3)", "F.layer_norm(f.half(), (4,))",
    "F.rms_norm(f, (4,))", "F.rms_norm(f, (4,), torch.ones(4) * 3, 1e-6)", "F.dropout(x, 0.0)", "F.dropout(x, 0.5, training=False)", "F.softmax(f, dim=1)",
    "F.scaled_dot_product_attention(f, f, f)", "F.scaled_dot_product_attention(f, f, f, is_causal=True)", "F.cross_entropy(x, torch.tensor([0, 2]))",
    "F.cross_entropy(x, torch.tensor([0, 2]), reduction='sum')", "F.cross_entropy(x, torch.tensor([0, -100]))", "F.mse_loss(x, y)", "F.l1_loss(x, y)",
    "F.nll_loss(torch.log_softmax(x, 1), torch.tensor([0, 2]))", "F.pad(x, (1, 2))", "F.pad(x, (1, 0, 0, 1), value=5)", "F.one_hot(torch.tensor([0, 2]))",
    "F.normalize(x)", "F.cosine_similarity(x, y)", "F.embedding(torch.tensor([1, 0]), x)", "F.glu(f)", "F.hardswish(f)", "F.mish(f)", "F.logsigmoid(f)",
    "F.binary_cross_entropy_with_logits(x, y.sigmoid())", "F.smooth_l1_loss(x, y)", "F.kl_div(torch.log_softmax(x, 1), torch.softmax(y, 1), reduction='batchmean')",
    "F.group_norm(torch.arange(16.).reshape(2, 4, 2), 2)", "x.clamp(0)", "x.clamp(max=1)", "x.clamp(-1, 1)", "i.clamp(0, 3)", "torch.clamp(x, min=y)",
    "torch.lerp(x, y, 0.5)", "torch.addcmul(x, x, y, value=2)", "torch.nan_to_num(nan)", "x.nan_to_num()", "torch.isclose(x, x + 1e-7)", "torch.allclose(x, y)",
    "torch.equal(x, x.clone())", "x.round(decimals=1)", "torch.div(i, 2, rounding_mode='floor')", "torch.div(i, 2, rounding_mode='trunc')", "i ** 2", "2 ** i.abs()",
    "x ** 0.5", "i ** -1", "1 / x", "2 - x", "i // 2", "i % 4", "-7 // torch.tensor([2, -2])", "x // 0.5", "x % -0.7", "i / 0", "i // 0", "x > 0", "x == 1.5", "i == 7",
    "x.half() * 0.1", "x.half() > 0.1", "x.half() + 1e-4", "x.bfloat16() * 1.001", "1 - b.float()", "x.half() ** 2", "x.half().exp()", "x.add(y, alpha=2)",
]  # fmt: skip

GRADIENTS = [
    "grads(lambda a: setitem(a * 2, 0, 0.5), (3, 2))", "grads(lambda a: setitem(a * 2, (slice(None), torch.tensor([True, False])), -1.0), (3, 2))",
    "grads(lambda a, b: setitem(a * 2, 1, b * 3), (3, 2), (2,))", "grads(lambda a, b: setitem(torch.zeros(3, 2), ([0, 2],), b * a[0, 0]), (3, 2), (2,))",
    "grads(lambda a: (a * 2).mul_(3).add_(a), (3,))", "grads(lambda a: (a * 2).exp_(), (3,))",
    "train(lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9))", "train(lambda p: torch.optim.Adam(p, lr=0.01))", "train(lambda p: torch.optim.AdamW(p, lr=0.01))",
    "grads(lambda a, b: a * b, (2, 3), (3,))", "grads(lambda a, b: a / b, (2, 3), (2, 1))", "grads(lambda a, b: a @ b, (2, 3), (3, 4))",
    "grads(lambda a, b: a @ b, (5, 2, 3), (3, 4))", "grads(lambda a, b: a @ b, (3,), (3, 4))", "grads(lambda a: a.exp().log1p().sin(), (4,))",
    "grads(lambda a: a.softmax(-1), (2, 5))", "grads(lambda a: a.log_softmax(0), (2, 5))", "grads(lambda a: a.sum(1).sqrt(), (2, 5))",
    "grads(lambda a: a.mean((0, 1), keepdim=True), (2, 5))", "grads(lambda a: a.var(1), (2, 5))", "grads(lambda a: a.std(), (2, 5))", "grads(lambda a: a.max(1)[0], (2, 5))",
    "grads(lambda a: a.max(), (2, 5))", "grads(lambda a: a.amax(0), (2, 5))", "grads(lambda a: a[:, 1:3], (2, 5))", "grads(lambda a: a[0], (2, 5))",
    "grads(lambda a: a[:, [0, 0, 3]], (2, 5))", "grads(lambda a: a.T.reshape(-1), (2, 5))", "grads(lambda a: a.permute(1, 0).contiguous(), (2, 5))",
    "grads(lambda a, b: torch.cat([a, b], 1), (2, 2), (2, 3))", "grads(lambda a, b: torch.where(a > b, a, b * 2), (4,), (4,))", "grads(lambda a, b: torch.maximum(a, b), (4,), (4,))",
    "grads(lambda a: a.clamp(0.2, 0.7), (6,))", "grads(lambda a: a ** 3, (4,))", "grads(lambda a, b: a ** b, (4,), (4,))", "grads(lambda a: 2 ** a, (4,))", "grads(F.relu, (4,))",
    "grads(lambda a: F.gelu(a - 0.5), (4,))", "grads(lambda a: F.gelu(a, approximate='tanh'), (4,))", "grads(lambda a: F.silu(a - 0.5), (4,))",
    "grads(lambda a, w, b: F.layer_norm(a, (5,), w, b), (3, 5), (5,), (5,))", "grads(lambda a, w: F.rms_norm(a, (5,), w, 1e-5), (3, 5), (5,))",
    "grads(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True), (2, 4, 8), (2, 4, 8), (2, 4, 8))", "grads(lambda a: F.cross_entropy(a, torch.tensor([1, 0])), (2, 5))",
    "grads(lambda a: a.cumsum(1), (2, 5))", "grads(lambda a: a.norm(), (5,))", "grads(lambda a: a.tril(), (3, 3))", "grads(lambda a: a.expand(4, 3), (3,))",
    "grads(lambda a, b: torch.einsum('ij,kj->ik', a, b), (2, 3), (4, 3))", "grads(lambda a: a.half().float() * 2, (4,))", "grads(lambda a: a * 2, (4,), dtype=torch.float16)",
    "grads(lambda a: a.sigmoid().tanh().abs(), (4,))", "grads(lambda a: a.unsqueeze(0).squeeze(0).view(2, 2), (4,))", "grads(lambda a: a.prod(), (4,))", "grads(lambda a: a.logsumexp(1), (2, 3))",
    "grads(lambda a: a.sort()[0], (5,))", "grads(lambda a: a.gather(1, torch.tensor([[0], [2]])), (2, 3))", "grads(lambda a: a.masked_fill(a > 0.5, 0.0), (5,))",
    "grads(lambda a: torch.stack([a, a * 2]), (3,))", "grads(lambda a: a.rsqrt(), (3,))", "torch.ones(2, requires_grad=True).backward()", "torch.ones(2).sum().backward()",
]  # fmt: skip

RANDOM = [
    "torch.rand(10)", "torch.rand(3, 5, dtype=torch.float64)", "torch.rand(6, dtype=torch.float16)", "torch.rand(6, dtype=torch.bfloat16)", "torch.randn(5)", "torch.randn(16)",
    "torch.randn(100)", "torch.randn(4, 4, dtype=torch.float64)", "torch.randn(20, dtype=torch.float16)", "torch.randint(0, 10, (12,))", "torch.randint(100, (5,))",
    "torch.randint(-5, 5, (6,), dtype=torch.int32)", "torch.randint(0, 2**40, (4,))", "torch.randperm(10)", "torch.rand_like(x)", "torch.randn_like(x)", "(torch.rand(3), torch.randn(3), torch.rand(2))",
    "torch.empty(8).uniform_(-1, 1)", "torch.empty(20).normal_(1.0, 2.0)", "torch.manual_seed(1234) and torch.rand(4)", "torch.rand(4, generator=torch.Generator().manual_seed(7))",
    "torch.normal(0.0, 1.0, (5,))", "torch.randn(20, dtype=torch.float64)", "torch.randn(40, dtype=torch.bfloat16)", "torch.randint(0, 2, (6,), dtype=torch.bool)", "torch.rand(700)[-3:]", "torch.bernoulli(torch.full((8,), 0.5))", "torch.empty(5).bernoulli_(0.3)",
]  # fmt: skip

PRINTED = [
    "torch.tensor([1., 2.5, -3.])", "torch.tensor([1., 2., 3.])", "torch.tensor([1e-5, 1.0])", "torch.tensor([1e10, 1.0])", "torch.tensor([1, 20, -300])", "torch.tensor(3.14159)", "torch.tensor(7)",
    "torch.tensor([])", "torch.zeros(0, 3)", "torch.tensor([True, False])", "torch.arange(2000)", "torch.arange(30)", "torch.arange(2000.).reshape(40, 50)", "torch.zeros(3, 4, 5)", "torch.rand(2, 3)",
    "torch.rand(1001)", "torch.rand(20, 20, 20)", "torch.randn(3, 3).half()", "torch.tensor([float('nan'), 1.0, float('inf')])", "torch.tensor([float('nan')])", "torch.tensor([float('inf'), 2.5])",
    "torch.tensor([0.0001, 0.00005])", "torch.tensor([123456.789])", "torch.tensor([1000000.0, 1.0])", "torch.tensor([100000.0, 99.0])", "torch.ones(2, dtype=torch.int32)", "torch.tensor([1.5], requires_grad=True)",
    "(torch.ones(2, requires_grad=True) * 2)", "torch.rand(2, 2, dtype=torch.float64)", "torch.tensor([[1, -1], [100, 2]])", "torch.arange(100.)", "torch.rand(5, 30)", "torch.float32", "torch.Size([2, 3])",
    "torch.device('cuda', 0)", "torch.device('cpu')", "str(torch.device('cuda:0'))", "torch.max(x, dim=1)", "torch.tensor([-0.0, 0.0])", "torch.tensor(1e-8)", "torch.tensor([[[1.5]]])", "torch.rand(1200, 2)", "torch.zeros(2, 2000)",
    "f'{torch.tensor(2.5)}'", "f'{torch.tensor(2.5):.3f}'", "torch.tensor([2**53])", "torch.finfo(torch.float32)", "torch.iinfo(torch.int8)", "torch.tensor([1.5, 2.5]).bfloat16()", "torch.eye(3)", "nn.Parameter(torch.ones(2))",
    "torch.tensor([[0.1, 1e6]])", "x.tolist()", "torch.ones(2).tolist()", "torch.ones(()).item()", "torch.tensor([2]).item()", "torch.tensor([1e30, -0.0]).tolist()", "torch.randn(3, 4, 5)", "torch.tensor([[1e-20, 1.0]])", "torch.tensor([3, 4], dtype=torch.uint8)", "(torch.rand(2, 2) > 0.5)",
]  # fmt: skip

ERRORS = [
    "torch.ones(2) + torch.ones(3)", "torch.ones(2, 3) @ torch.ones(2, 3)", "torch.zeros(2, 2).item()", "bool(torch.ones(2))", "torch.ones(2, 3).view(7)", "torch.ones(2) + 'a'", "torch.testing.assert_close(x, y)",
    "torch.testing.assert_close(x, x + 1e-3)", "torch.testing.assert_close(x, v)", "torch.testing.assert_close(x, x.half())", "torch.testing.assert_close(torch.tensor(1.0), torch.tensor(2.0))",
    "torch.testing.assert_close(i, i + (i > 0))", "torch.testing.assert_close(x, y, rtol=0.1, atol=0.1)", "torch.testing.assert_close(x.half(), y.half())", "torch.testing.assert_close(x, y, rtol=0, atol=0)",
    "torch.testing.assert_close(1.0, 2.0)", "torch.testing.assert_close(nan, nan)", "torch.testing.assert_close(nan, nan, equal_nan=True)", "torch.testing.assert_close(x, x)", "torch.ones(2, requires_grad=True).numpy",
    "torch.testing.assert_close(None, None)", "torch.testing.assert_close(None, x)", "torch.testing.assert_close(x, None)", "torch.testing.assert_close([None, x], [None, x])",
    "torch.no_grad()(lambda t: str([s.requires_grad for s in (t.view(-1), t.reshape(6), t.T, t[0], t.expand(2, 3), t.unsqueeze(0), t.chunk(2)[0], t + 1, t.clone(), t.detach())]))(torch.ones(2, 3, requires_grad=True))",
    "torch.no_grad()(lambda t: str([t.view(-1).is_leaf, t.view(-1).grad_fn, (t * 2).requires_grad]))(torch.ones(2, 3, requires_grad=True) * 1)",
    "len(torch.tensor(1))", "torch.arange(3)[5]", "torch.tensor([1, 2]).requires_grad_()", "inplace(torch.ones(2), lambda t: t.requires_grad_().add_(1))", "torch.cat([])", "torch.zeros(-1)", "torch.device('foo')", "x.squeeze(5)",
    "torch.randn(2, dtype=torch.int32)", "torch.arange(0, 5, -1)", "x.sum('a')", "torch.softmax(i, 0)", "torch.allclose(x, x.half())", "torch.allclose(x, i)", "torch.bmm(x, x)", "torch.ones(3).backward()", "int(x)", "torch.tensor(3)[0]",
    "torch.ones(2, 3) @ torch.ones(4)", "torch.where(x, x, y)", "x.to(torch.float32) is x", "x.expand(3, 3, 3)", "torch.full((2,), 1.5, dtype=torch.int32)", "x.masked_fill(b, 'a')", "x.transpose(0, 3)",
]  # fmt: skip

PYTHON_TYPES = [
    *[f"torch.{f}, dtype={t})" for t in ("bool", "int", "float", "complex") for f in ("ones(2", "zeros((2, 1)", "full((2,), 1", "zeros_like(x", "tensor([1, 0]", "eye(2")],
    *[f"x.to({t})" for t in ("bool", "int", "float", "complex")], "i.to(dtype=float)", "x.to('cpu', int)", "x.new_zeros(2, dtype=bool)", "torch.arange(3, dtype=float)",
    "inplace(torch.zeros(2, 3), lambda t: torch.cumsum(torch.ones(2, 3), 1, out=t))", "inplace(torch.zeros(3), lambda t: torch.cumprod(v[:3], 0, out=t))",
    "x.sum(dtype=float)", "i.cumsum(0, dtype=float)", "torch.softmax(x, 0, dtype=float)", "torch.as_tensor([1, 2], dtype=float)", "torch.randint(3, (4,), dtype=int)",
]  # fmt: skip

COMPLEX_SETUP = """
def parts(z):
    return torch.view_as_real(z.resolve_conj())
def cgrads(f, *shapes, dtype=torch.complex64):
    torch.manual_seed(1)
    xs = [torch.rand(s, dtype=dtype).requires_grad_() for s in shapes]
    y = f(*xs)
    y.backward(torch.ones_like(y) * (2 - 1j) if y.is_complex() else torch.ones_like(y) * 2)
    return [x.grad for x in xs]
z = torch.tensor([[1 + 2j, -3.5j, 2], [0.25 - 0.5j, -1, 0]])
o = torch.tensor([[2 - 1j, 0.5 + 0.5j, -1j], [1e-3 + 4j, 3, -2 - 2j]])
def alone(do):
    t = z.clone()
    do(t)
    return t
"""
SETUP += COMPLEX_SETUP

_COMPLEX_TYPES = ("complex64", "complex128", "float64", "float32", "bfloat16", "int32", "bool")
COMPLEX = [
    *[f"(torch.ones(2, dtype=torch.{c}) * torch.ones({s}, dtype=torch.{p})).dtype" for c in _COMPLEX_TYPES[:2] for p in _COMPLEX_TYPES for s in ("2", "()")],
    *[f"(torch.ones(2, dtype=torch.{p}) * torch.ones((), dtype=torch.complex64)).dtype" for p in _COMPLEX_TYPES],
    *[f"torch.ones(2, dtype=torch.{p}) * (1 + 2j)" for p in _COMPLEX_TYPES],
    *[f"torch.ones(2, dtype=torch.{p}) * torch.ones((), dtype=torch.complex128)" for p in _COMPLEX_TYPES],
    *[f"z {op} {q}" for op in ("+", "-", "*", "/") for q in ("o", "x[:, :3]", "2", "2.5", "(1 - 2j)", "o[0]", "o[:, :1]", "i")],
    *[f"{q} {op} o" for op in ("+", "-", "*", "/") for q in ("x", "2", "2.5", "(1 - 2j)", "i")],
    *[f"torch.{f}(o)" for f in ("abs", "angle", "exp", "log", "sqrt", "sin", "cos", "neg", "square", "reciprocal", "conj", "real", "imag", "sgn", "isnan", "isfinite", "sum", "mean")],
    "o.abs()", "abs(o)", "-o", "z == o", "z != z", "z == 2", "o ** 2", "o ** 3", "o ** -1", "o ** 0.5", "o.conj() * o", "o.H", "o.mH",
    "o.sum(0)", "o / torch.zeros(3, dtype=torch.complex64)", "o / z", "z / 0", "x / (z * 0)", "torch.isreal(z)", "z.norm()", "torch.dist(z, o)", "nn.Parameter(z)", "z.roll(1)", "z.repeat(2)", "z.index_select(1, torch.tensor([2, 0]))", "z.index_add(0, torch.tensor([0]), o[:1])", "torch.diag(z[0])", "z[0].diff()", "torch.masked_select(z, b)", "z.unbind()[1]", "2 in z", "o.nbytes", "o.sum(-1, keepdim=True)", "o.mean(1)", "x.sum(dtype=torch.complex64)", "x.mean(dtype=torch.complex64)", "o.real", "o.imag", "o.real.stride()", "o.imag.storage_offset()",
    "torch.view_as_real(o)", "torch.view_as_real(o).stride()", "torch.view_as_real(o.T)", "torch.view_as_complex(torch.arange(12.).reshape(2, 3, 2))", "torch.view_as_complex(torch.arange(12.).reshape(2, 3, 2)[1:])",
    "o.view(torch.float32)", "torch.arange(4.).view(torch.complex64)", "alone(lambda t: torch.view_as_real(t).mul_(2))", "alone(lambda t: t.real.fill_(7))", "alone(lambda t: t.imag.neg_())",
    "alone(lambda t: t.mul_(1j))", "alone(lambda t: t.add_(t.conj()))", "alone(lambda t: t.fill_(1 + 1j))", "alone(lambda t: t.zero_())", "alone(lambda t: t.copy_(x))", "setitem(z, 0, 3)", "setitem(z, (0, 1), 1j)",
    "setitem(z, (slice(None), 1), o[:, 0])", "setitem(z, torch.tensor([1, 0]), o)", "setitem(z, z.real > 0, 5j)", "alone(lambda t: setattr(t, 'real', x))",
    "torch.complex(x, y)", "torch.complex(x.double(), y.double())", "torch.complex(x, v)", "torch.polar(x.abs(), y)", "torch.polar(v.double(), v.double())",
    "torch.zeros(2, dtype=torch.complex64)", "torch.ones(2, dtype=torch.complex64)", "torch.ones(2, dtype=torch.cfloat).dtype", "torch.empty(3, dtype=torch.complex128).dtype", "torch.full((2,), 1 + 2j)", "torch.full((2,), 2, dtype=torch.complex64)",
    "torch.zeros_like(z)", "torch.ones_like(z)", "torch.empty_like(z).shape", "torch.tensor([1, 2j])", "torch.tensor(1j)", "torch.tensor([1.5, 2], dtype=torch.complex64)", "torch.tensor([1j], dtype=torch.complex128)",
    "torch.randn(3, 4, dtype=torch.complex64)", "torch.randn(20, dtype=torch.complex64)", "torch.randn(5, dtype=torch.complex128)", "torch.rand(3, 4, dtype=torch.complex64)", "torch.randn_like(z)",
    "z[0]", "z[0, 1]", "z[:, 1:]", "z[..., 0]", "z.T", "z.reshape(3, 2)", "z.T.contiguous()", "z[torch.tensor([1, 0, 1])]", "z[z.abs() > 1]", "z.flatten()", "z.unsqueeze(1).expand(2, 4, 3)", "torch.cat([z, o])", "torch.stack([z, o], 1)",
    "torch.where(b, z, o)", "torch.where(b, z, 0)", "z.masked_fill(b, 1j)", "torch.tril(z)", "z.gather(1, torch.tensor([[2], [0]]))", "z.permute(1, 0).stride()", "z.clone()", "z.flip(0)", "torch.outer(z[0], o[0])",
    "x.to(torch.complex64)", "x.to(torch.complex128)", "i.to(torch.complex64)", "x.half().cfloat()", "o.to(torch.complex128)", "o.to(torch.float32)", "z.bool()", "o.double()",
    "z.is_complex()", "torch.is_complex(x)", "z.is_floating_point()", "z.dtype.is_complex", "z.dtype.is_floating_point", "z.dtype.itemsize", "torch.complex64.to_real()", "torch.float64.to_complex()", "z.element_size()", "torch.promote_types(torch.complex64, torch.float64)",
    "z[0, 0].item()", "z.tolist()", "complex(z[0, 0])", "torch.allclose(z, z + 1e-9)", "torch.allclose(z, o)", "torch.isclose(z, z * (1 + 1e-6))", "torch.equal(z, z.clone())",
    "cgrads(lambda p: p * p, (3,))", "cgrads(lambda p, q: p * q, (3,), (3,))", "cgrads(lambda p, q: p / q, (3,), (2, 3))", "cgrads(lambda p: p + 2j, (3,))", "cgrads(lambda p, q: p - q * 1j, (3,), ())", "cgrads(lambda p: p.abs(), (3,))",
    "cgrads(lambda p: p.angle(), (3,))", "cgrads(lambda p: p.exp(), (3,))", "cgrads(lambda p: p.log(), (3,))", "cgrads(lambda p: p.sqrt(), (3,))", "cgrads(lambda p: p.sin(), (3,))", "cgrads(lambda p: p.conj(), (3,))", "cgrads(lambda p: p.norm(), (2, 3))", "cgrads(lambda p: p.real * 3, (3,))", "cgrads(lambda p: p.imag * 3, (3,))",
    "cgrads(lambda p: torch.view_as_real(p) * torch.tensor([1., 2.]), (3,))", "cgrads(lambda p: torch.view_as_complex(p) * 1j, (3, 2), dtype=torch.float32)", "cgrads(lambda p, q: torch.complex(p, q) * (1 + 1j), (3,), (3,), dtype=torch.float32)",
    "cgrads(lambda p, q: torch.polar(p, q), (3,), (3,), dtype=torch.float32)", "cgrads(lambda p: p * 1j, (3,), dtype=torch.float32)", "cgrads(lambda p: p.sum(0), (2, 3))", "cgrads(lambda p: p.mean(), (2, 3))", "cgrads(lambda p: p[0] * p[1], (2, 3))",
    "cgrads(lambda p: p ** 2, (3,))", "cgrads(lambda p: (p * p.conj()).real, (3,))", "cgrads(lambda p: p.reshape(3, 2).T * 2, (2, 3))", "cgrads(lambda p: p.to(torch.complex64) * 1j, (3,), dtype=torch.float32)", "cgrads(lambda p: p.square() / 3, (3,))", "cgrads(lambda p: p.reciprocal(), (3,))",
    "x.imag", "torch.view_as_real(x)", "torch.view_as_complex(x)", "torch.view_as_complex(torch.ones(()))", "torch.view_as_complex(torch.ones(3, 2).T.contiguous().T)", "z < o", "torch.complex(x, i)", "torch.complex(x, y.double())",
    "inplace(x, lambda t: t.mul_(1j))", "torch.tensor([1j], dtype=torch.float32)", "torch.ones(2, dtype=torch.complex64, requires_grad=True).sum().backward()", "torch.testing.assert_close(z, z + 1e-3)", "torch.testing.assert_close(z, o)",
]  # fmt: skip
COMPLEX_PRINTED = [
    "z", "o", "z[0]", "z[0, 0]", "torch.randn(3, 4, dtype=torch.complex64)", "torch.randn(2, 3, dtype=torch.complex128)", "torch.zeros(2, dtype=torch.complex64)", "torch.complex(torch.arange(1600.), -torch.arange(1600.) / 8).reshape(40, 40)", "torch.tensor([1e-5 + 1j, 1e5j])",
    "torch.ones(2, dtype=torch.complex64, requires_grad=True)", "torch.tensor(2 - 1j)", "torch.tensor([complex(float('nan'), 1), complex(1, float('inf'))])", "torch.randn(30, dtype=torch.complex64)", "torch.complex64", "z.dtype", "torch.tensor([], dtype=torch.complex64)",
]  # fmt: skip

GROUPS = {
    "promotion": _promotion(),
    "unary": _unary(),
    "binary": _binary(),
    "indexing": INDEXING,
    "views": VIEWS,
    "creation": CREATION,
    "reductions": REDUCTIONS,
    "products": PRODUCTS,
    "functional": FUNCTIONAL,
    "gradients": GRADIENTS,
    "random": RANDOM,
    "printed": PRINTED,
    "complex": COMPLEX,
    "complex, printed": COMPLEX_PRINTED,
    "errors": ERRORS,
    "Python's types as dtypes": PYTHON_TYPES,
    **LAYERS,
    **WINDOWS,
    **FOURIER,
    **LINEAR,
    **RARER,
    **PUBLISHED,
    **VERSIONS,
}


def describe(value, torch):
    """A result as plain data."""
    if isinstance(value, torch.Tensor):
        flat = value.detach()
        if flat.is_complex():
            flat = torch.view_as_real(flat.resolve_conj())
        if str(flat.dtype).startswith("torch.float8"):
            flat = flat.float()
        return {
            "tensor": str(value.dtype),
            "shape": list(value.shape),
            "stride": list(value.stride()) if value.numel() else [],
            "values": [str(v) if v != v or v in (float("inf"), float("-inf")) else v for v in flat.reshape(-1).tolist()],
        }  # fmt: skip
    if isinstance(value, (list, tuple)) and not isinstance(value, torch.Size):
        return {"list": [describe(v, torch) for v in value]}
    if isinstance(value, bool) or value is None:
        return {"plain": str(value)}
    if isinstance(value, float):
        return {"number": value if abs(value) < 1e300 else str(value)}
    return {"plain": str(value) if not callable(value) else "callable"}


def evaluate(expression, group, torch):
    space = {}
    exec(SETUP, space)
    try:
        value = eval(expression, space)
        if group.endswith("printed"):
            return {"plain": str(value) if isinstance(value, str) else repr(value)}
        return describe(value, torch)
    except Exception as error:
        return {"error": type(error).__name__, "text": str(error)}
