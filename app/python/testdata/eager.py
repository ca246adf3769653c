"""Each operation of `torch._eager` against the CPU: `run(seed, groups)` draws a dtype and a layout for each."""

import random

import torch
import torch.nn.functional as F
from torch import _eager

checked = 0


def check(name, f, *inputs, rtol=None, atol=None):
    """`f` launches, and gives what the CPU gives: dtype, shape, strides, and values up to rounding."""
    global checked
    expected = f(*inputs)
    with _eager.timed() as missing:
        found = f(*inputs)
        launches = _eager.launches
    where = (name, [(t.dtype, tuple(t.shape), t.stride()) for t in inputs])
    assert not missing, (where, missing)
    assert launches or not expected.numel(), (where, "no launch")
    assert (found.dtype, found.shape, found.stride()) == (expected.dtype, expected.shape, expected.stride()), where
    kind = expected.dtype
    a, b = found.cpu(), expected.cpu()
    if kind.is_floating_point:
        rtol = {torch.float32: 2e-5, torch.float16: 2e-3, torch.bfloat16: 1.6e-2}[kind] if rtol is None else rtol
        atol = {torch.float32: 2e-6}.get(kind, 1e-5) if atol is None else atol
        a, b = a.double(), b.double()
        near = (a - b).abs() <= atol + rtol * b.abs()
        same = (a == b) | (a.isnan() & b.isnan()) | near & b.isfinite()
    else:
        same = a == b
    if not same.all().item():
        at = tuple((~same).nonzero()[0].tolist())
        given = [t[at].item() for t in inputs if t.shape == expected.shape]
        raise AssertionError((where, at, a[at].item(), b[at].item(), given))
    checked += 1


FLOATS = [torch.float32, torch.float16, torch.bfloat16]
INTEGERS = [torch.int32, torch.int64]
SPECIAL = [0.0, -0.0, 1.0, -1.0, float("inf"), -float("inf"), float("nan"), 0.5, 2.5, 3.5, -2.5, 88.0, -88.0, 1e-30]


def values(shape, dtype, special=False):
    if dtype is torch.bool:
        return torch.rand(shape, device="cuda") > 0.5
    if not dtype.is_floating_point:
        return torch.randint(-9, 9, shape, dtype=dtype, device="cuda")
    x = torch.randn(shape, device="cuda") * 3
    if special and x.numel() > 20:
        x.reshape(-1)[torch.randperm(x.numel(), device="cuda")[: len(SPECIAL)]] = torch.tensor(SPECIAL, device="cuda")
    return x.to(dtype)


LAYOUTS = [
    lambda d, s: values((), d, s),
    lambda d, s: values((1,), d, s),
    lambda d, s: values((7, 13), d, s),
    lambda d, s: values((13, 31), d, s).t(),
    lambda d, s: values((3, 5, 17), d, s).transpose(0, 2),
    lambda d, s: values((9, 40), d, s)[2:7, 3:35:2],
    lambda d, s: values((1, 37), d, s).expand(5, 37),
    lambda d, s: values((1031,), d, s),
    lambda d, s: values((4, 0), d, s),
]


def any_layout(dtype, special=True):
    return random.choice(LAYOUTS)(dtype, special)


def methods(names):
    return {name: getattr(torch, name) for name in names.split()}


UNARY = methods(
    "neg abs exp exp2 log log2 sqrt rsqrt sin cos erf tanh log1p expm1 sigmoid floor ceil round trunc reciprocal "
    "square sign relu isnan isinf isfinite logical_not"
)
UNARY.update(gelu=F.gelu, tanh_gelu=lambda x: F.gelu(x, approximate="tanh"), silu=F.silu, softplus=F.softplus)
UNARY_INTEGERS = methods("neg abs square sign relu bitwise_not logical_not")
BINARY = methods("add sub mul div maximum minimum fmax fmin eq ne lt le gt ge logical_and logical_or logical_xor")
BINARY_INTEGERS = methods("add sub mul div maximum minimum eq ne lt le gt ge bitwise_and bitwise_or bitwise_xor")


def unary():
    for name, f in UNARY.items():
        x = any_layout(random.choice(FLOATS))
        wave = name in ("sin", "cos")
        check(name, f, torch.where(x.abs() < 100, x, 1.0).to(x.dtype) if wave else x, atol=1e-4 if wave else None)
    for name, f in UNARY_INTEGERS.items():
        check(name, f, any_layout(random.choice(INTEGERS)))


def binary():
    for table, kinds in ((BINARY, FLOATS), (BINARY_INTEGERS, INTEGERS)):
        for name, f in table.items():
            x = any_layout(random.choice(kinds))
            other = values(tuple(x.shape[random.randrange(2) :]), x.dtype, True)
            check(name, f, x, other)
            check(name + " of a number", lambda t: f(t, 3), any_layout(random.choice(kinds)))
    a, b = values((5, 7), torch.float16), values((5, 7), torch.float32)
    check("promotion", torch.add, a, b)
    check("promotion", torch.mul, values((5, 7), torch.int64), b)
    check("promotion", torch.add, values((5, 7), torch.int32), values((5, 7), torch.int64))
    check("square", lambda t: t**2, b)
    check("pow", lambda t: t.abs() ** 1.7, b, rtol=1e-4)
    check("in place", lambda t: t.clone().add_(1).mul_(2), b)
    check("int64", lambda t: t * 3 + 5, torch.tensor([2**40 + 3, -(2**50), 2**62], device="cuda"))


def copies():
    kinds = [*FLOATS, *INTEGERS, torch.bool, torch.int8, torch.int16, torch.uint8]
    for source in kinds:
        target = random.choice([kind for kind in kinds if kind is not source])
        x = any_layout(source, False)
        if target is torch.uint8 and source is not torch.bool:
            x = x.abs()
        if x.numel():
            check("cast", lambda t: t.to(target), x)
    x = values((13, 31), random.choice(FLOATS), True)
    check("contiguous", lambda t: t.contiguous(), x.t())
    check("where", lambda t: torch.where(t > 0, t, 1.0), x)
    check("masked_fill", lambda t: t.masked_fill(t > 0, 1), x)
    check("zeros", lambda t: torch.zeros(7, 31, device="cuda") + t[:7], x)
    check("arange", lambda t: torch.arange(100, device="cuda") + t, torch.tensor([3], device="cuda"))


def reductions():
    shapes = [(1,), (7, 13), (3, 5, 17), (1, 1031), (5, 1), (2, 17000), (60, 20)]
    for name in "sum mean var std norm prod amax amin argmax argmin any all".split():
        of_floats = name in ("mean", "var", "std", "norm")
        for _ in range(2):
            shape = random.choice([(7, 13)] if name == "prod" else shapes)
            dtype = random.choice(FLOATS if of_floats else FLOATS + INTEGERS)
            x = values(shape, dtype).transpose(0, random.randrange(len(shape)))
            both = name not in ("prod", "argmax", "argmin", "any", "all") and len(shape) > 1
            dim = random.choice([None, 0, -1] + [(0, len(shape) - 1)] * both)
            given = {} if dim is None else {"dim": dim}
            f = torch.linalg.vector_norm if name == "norm" else getattr(torch, name)
            wide = {torch.float32: 5e-4, torch.float16: 0.05, torch.bfloat16: 0.3}.get(dtype)
            check(name, lambda t: f(t, **given), x, atol=wide, rtol=1e-4 if name == "prod" else None)
    x = torch.randn(3, 1031, device="cuda")
    x[1, random.randrange(1031)] = float("nan")
    x[2, 5] = float("inf")
    for name in ("amax", "amin", "argmax", "argmin", "sum", "var"):
        check(name + " of NaN", lambda t: getattr(t, name)(dim=-1), x, atol=5e-4)


def rows():
    for name in ("softmax", "log_softmax"):
        for shape in ((), (1,), (3, 5, 17), (2, 1000), (2, 9001)):
            x = values(shape, random.choice(FLOATS), False).transpose(0, -1) if shape else values((), torch.float32)
            dim = random.randrange(len(shape)) if shape else 0
            check(name, lambda t: getattr(torch, name)(t, dim), x, atol=5e-2 if x.dtype is not torch.float32 else 2e-5)
    x = torch.randn(4, 9001, device="cuda")
    x[0], x[1, 5], x[2, 8], x[3, 9:5000] = -float("inf"), float("nan"), float("inf"), -float("inf")
    check("softmax", lambda t: torch.softmax(t, 1), x)
    check("softmax", lambda t: torch.softmax(t[:, :77], 1), x)
    for shape in ((3, 7), (2, 3, 1031), (1, 5000)):
        dtype = random.choice(FLOATS)
        x, w, b = values(shape, dtype), values(shape[-1:], dtype), values(shape[-1:], dtype)
        wide = {torch.float32: 2e-5, torch.float16: 8e-3, torch.bfloat16: 6e-2}[dtype]
        check("layer_norm", lambda t: F.layer_norm(t, shape[-1:], w, b), x, atol=wide)
        check("rms_norm", lambda t: F.rms_norm(t, shape[-1:], w), x, atol=wide)


def products():
    for m, k, n in ((1, 1, 1), (7, 13, 5), (33, 100, 65)):
        dtype = random.choice(FLOATS)
        wide = {torch.float32: 2e-4, torch.float16: 0.06, torch.bfloat16: 0.5}[dtype]
        a, b = values((m, k), dtype), values((k, n), dtype)
        check("mm", torch.matmul, a, b, atol=wide)
        check("mm", lambda x, y: x.t() @ y.t(), values((k, m), dtype), values((n, k), dtype), atol=wide)
        check("mv", torch.matmul, a, values((k,), dtype), atol=wide)
        check("bmm", torch.matmul, values((2, 3, m, k), dtype), b, atol=wide)
        w, bias = values((n, k), dtype), values((n,), dtype)
        check("linear", lambda x: F.linear(x, w, bias), values((2, m, k), dtype), atol=wide)
        check("addmm", lambda x: torch.addmm(bias, x, b), a, atol=wide)


def vectors():
    for batch, m, k, n in ((1, 1, 1031, 5), (1, 1, 7, 2100), (3, 1, 40, 33), (1, 70, 100, 1), (2, 5, 513, 1)):
        dtype = random.choice(FLOATS)
        wide = {torch.float32: 5e-4, torch.float16: 0.2, torch.bfloat16: 1.5}[dtype]
        a, b = values((batch, m, k), dtype), values((batch, k, n), dtype)
        check("bmm", torch.bmm, a, b, atol=wide)
        check("matmul", lambda x, y: x.mT @ y.mT, values((batch, k, m), dtype), values((batch, n, k), dtype), atol=wide)
        w, bias, full = values((n, k), dtype), values((n,), dtype), values((m, n), dtype)
        check("linear", lambda x: F.linear(x, w, bias), a[0], atol=wide)
        check("addmm", lambda x: torch.addmm(full, x, b[0]), a[0], atol=wide)
    _attend(((1, 1, 1, 8, False), (3, 1, 37, 40, True), (2, 1, 70, 64, False)))


def attention():
    _attend(((1, 1, 1, 8, False), (3, 37, 37, 40, True), (2, 5, 70, 64, False)))


def _attend(cases):
    for heads, m, n, d, causal in cases:
        dtype = random.choice(FLOATS)
        wide = {torch.float32: 2e-5, torch.float16: 8e-3, torch.bfloat16: 6e-2}[dtype]
        q, k, v = (values((2, heads, size, d), dtype) for size in (m, n, n))
        attend = F.scaled_dot_product_attention
        check("attention", lambda q, k, v: attend(q, k, v, is_causal=causal), q, k, v, rtol=1e-3, atol=wide)
        mask = torch.rand(m, n, device="cuda") > 0.3
        mask[:, 0] = True
        check("attention", lambda q, k, v: attend(q, k, v, attn_mask=mask), q, k, v, rtol=1e-3, atol=wide)
        bias = values((heads, m, n), dtype)
        check("attention", lambda q, k, v: attend(q, k, v, attn_mask=bias), q, k, v, rtol=1e-3, atol=wide)


def selections():
    dtype = random.choice(FLOATS + INTEGERS)
    for table in (values((11, 5), dtype), values((5, 11), dtype).t(), values((11, 3, 4), dtype)):
        index = random.choice(
            [torch.randint(-11, 11, (17,), device="cuda"), torch.randint(0, 11, (2, 3), device="cuda")]
        )
        check("index", lambda t: t[index], table)
    zero, some = torch.zeros_like(index), torch.tensor([1, 0, 1], device="cuda")
    check("index", lambda t: t[index, zero], table)
    check("index_select", lambda t: torch.index_select(t, 1, some), table)
    axis = random.randrange(3)
    within = torch.randint(0, 3, (2, 2, 2), device="cuda")
    check("gather", lambda t: torch.gather(t, axis, within), table)
    words = torch.tensor([[1, 2], [0, 3]], device="cuda")
    check("embedding", lambda w: F.embedding(words, w), values((4, 8), torch.float32))


def scans():
    for name in ("cumsum", "cumprod", "logcumsumexp"):
        for shape in ((7, 13), (3, 5, 17), (2, 1031), (1, 20000)):
            dtype = random.choice(FLOATS if name == "logcumsumexp" else FLOATS + INTEGERS)
            if name == "cumprod" and shape[-1] > 20:
                continue
            x = values(shape, dtype, len(shape) == 3).transpose(0, random.randrange(len(shape)))
            dim = random.choice([0, -1]) if len(shape) < 3 else random.randrange(3)
            # Each step of the CPU's sum of halves is rounded as the result is.
            wide = {torch.float32: 5e-3, torch.float16: 0.5, torch.bfloat16: 4.0}.get(dtype)
            near = 1e-3 if dtype.is_floating_point else None
            check(name, lambda t: getattr(torch, name)(t, dim), x, atol=wide, rtol=near)
    check("cumsum of bool", lambda t: t.cumsum(0), values((300,), torch.bool))
    check("cumsum of int32", lambda t: t.cumsum(0, dtype=torch.int32), values((300,), torch.int64))


def order():
    for shape, dim in (((1,), 0), ((7, 13), 0), ((3, 5, 17), 1), ((2, 1500), 1), ((1, 5000), 1)):
        dtype = random.choice(FLOATS + INTEGERS)
        x, down = values(shape, dtype, dtype.is_floating_point), random.random() < 0.5
        check("sort", lambda t: torch.sort(t, dim, down)[0], x)
        check("argsort", lambda t: torch.argsort(t, dim, down), x)
        k = random.randint(1, min(32, shape[dim]))
        check("topk", lambda t: torch.topk(t, k, dim, down)[0], x)
        check("topk", lambda t: torch.topk(t, k, dim, down)[1], x)
    check("topk of many", lambda t: torch.topk(t, 100)[1], values((2, 300), torch.float32))
    check("sort of a transposed", lambda t: t.sort(0)[1], values((11, 40), torch.float32).t())


def convolutions():
    for n, groups, inputs, outputs, size, kernel in (
        (1, 1, 1, 1, (5, 7), (3, 3)), (2, 1, 9, 17, (8, 11), (3, 2)), (1, 2, 8, 8, (9, 9), (1, 1)),
        (2, 3, 1, 2, (7, 6), (2, 3)),
    ):  # fmt: skip
        dtype = random.choice(FLOATS)
        wide = {torch.float32: 1e-3, torch.float16: 0.2, torch.bfloat16: 1.5}[dtype]
        x = values((n, groups * inputs, *size), dtype)
        w = values((groups * outputs, inputs, *kernel), dtype)
        bias = random.choice([None, values((groups * outputs,), dtype)])
        given = {"stride": random.choice([1, 2, (2, 1)]), "padding": random.choice([0, 1, (0, 2), "valid"]),
                 "dilation": random.choice([1, 2, (1, 2)]), "groups": groups}  # fmt: skip
        if random.random() < 0.3:
            given |= {"stride": 1, "padding": "same"}
        check("conv2d", lambda t: F.conv2d(t, w, bias, **given), x, atol=wide)
        check("conv2d", lambda t: F.conv2d(t, w, bias, **given), x[0], atol=wide)
        check("conv2d of a transposed", lambda t: F.conv2d(t, w.mT, bias, **given), x.mT, atol=wide)
        lines = {key: each if isinstance(each, (int, str)) else each[1] for key, each in given.items()}
        check("conv1d", lambda t: F.conv1d(t, w[:, :, 0], bias, **lines), x[:, :, 0], atol=wide)
    layer = values((4, 9, 6, 5), torch.float32).to(memory_format=torch.channels_last)
    check("conv2d of channels last", lambda t: F.conv2d(t, torch.ones(8, 9, 3, 3, device="cuda")), layer, atol=1e-3)


def _gradient(y, leaf):
    return lambda g: torch.autograd.grad(y, leaf, g, retain_graph=True)[0]


def gradients():
    names = {"softmax": torch.softmax, "log_softmax": torch.log_softmax}
    for name, f in [*names.items(), *((name, None) for name in ("gelu", "gelu_tanh", "silu"))]:
        for shape in ((7, 13), (3, 5, 17), (2, 3000)):
            dtype = random.choice(FLOATS)
            wide = {torch.float32: 2e-5, torch.float16: 2e-2, torch.bfloat16: 0.2}[dtype]
            turn, dim = random.randrange(len(shape)), random.randrange(len(shape))
            x, g = values(shape, dtype).transpose(0, turn), values(shape, dtype).transpose(0, turn)
            leaf = x.detach().requires_grad_()
            if f is not None:
                y = f(leaf, dim)
            else:
                y = F.gelu(leaf, approximate="tanh") if name == "gelu_tanh" else getattr(F, name)(leaf)
            near = 1e-3 if dtype is torch.float32 else 2e-2
            check(name + " backward", _gradient(y, leaf), g, atol=wide, rtol=near)
    leaf = values((5, 40), torch.float32).requires_grad_()
    other, g = values((40, 6), torch.float32), values((5, 6), torch.float32)
    y = leaf @ other
    check("matmul backward", _gradient(y, leaf), g, atol=1e-3)


GROUPS = (
    unary, binary, copies, reductions, rows, scans, order, products, vectors, attention, convolutions, selections,
    gradients,
)  # fmt: skip


def run(seed, groups=GROUPS):
    random.seed(seed)
    torch.manual_seed(seed)
    for group in groups:
        group()
    print(checked)
