"""The operations of torch that the host code of Triton programs uses most, and their times on the CPU.

`measure` runs under PyTorch and under Hippocamp's torch alike and prints a line of JSON a row:
`{"operation", "dtype", "size", "seconds"}`, or `"error"` in place of the time. The time is the minimum over
samples of at least 2 ms; `"estimated"` marks one that follows from the size before, because a call
would take longer than `LONGEST` seconds.
"""

import json
import time

import torch
import torch.nn.functional as F

FLOATS = ("float32", "float64", "float16", "bfloat16")
WIDE = ("float32", "float64")
INTEGERS = ("int64", "int32", "int8", "uint8")
NUMBERS = (*FLOATS, *INTEGERS)
ALL = (*NUMBERS, "bool")

#: Elements, and the rows and columns of the same elements as a matrix.
SIZES = {1_000: (20, 50), 100_000: (250, 400), 4_000_000: (2000, 2000)}

#: Seconds that a call may take, and that a row's samples take together.
LONGEST = 8.0
BUDGET = {1_000: 0.02, 100_000: 0.04, 4_000_000: 0.12}

#: Name, dtypes, expression. `x`, `y`: n elements, y not zero; `X`, `Y`: the same as matrices; `p`:
#: positive; `m`: a mask; `d`: the dtype; `i`: n indices below n; `j`: column indices; `A`, `B`:
#: factors of a product with n elements in A; `P`, `Q`: batches of 32 × 32.
OPERATIONS = [
    ("arange", NUMBERS, "torch.arange(k, dtype=d)"),
    ("rand", FLOATS, "torch.rand(n, dtype=d)"),
    ("randn", FLOATS, "torch.randn(n, dtype=d)"),
    ("randint", INTEGERS, "torch.randint(0, 100, (n,), dtype=d)"),
    ("randperm", ("int64",), "torch.randperm(n)"),
    ("zeros", ALL, "torch.zeros(n, dtype=d)"),
    ("ones", ALL, "torch.ones(n, dtype=d)"),
    ("full", ALL, "torch.full((n,), 3, dtype=d)"),
    ("add", ALL, "x + y"),
    ("add scalar", NUMBERS, "x + 3"),
    ("add row", NUMBERS, "X + Y[0]"),
    ("sub", NUMBERS, "x - y"),
    ("mul", ALL, "x * y"),
    ("div", ALL, "x / y"),
    ("floor_divide", NUMBERS, "x // y"),
    ("remainder", NUMBERS, "x % y"),
    ("remainder scalar", NUMBERS, "x % 7"),
    ("multiply-add-modulo", INTEGERS, "(x * 31 + 7) % 101"),
    ("neg", NUMBERS, "-x"),
    ("abs", NUMBERS, "x.abs()"),
    ("pow", NUMBERS, "x ** 2"),
    ("maximum", ALL, "torch.maximum(x, y)"),
    ("clamp", NUMBERS, "x.clamp(0, 1)"),
    ("exp", FLOATS, "torch.exp(x)"),
    ("log", FLOATS, "torch.log(p)"),
    ("sqrt", FLOATS, "torch.sqrt(p)"),
    ("rsqrt", FLOATS, "torch.rsqrt(p)"),
    ("sin", FLOATS, "torch.sin(x)"),
    ("tanh", FLOATS, "torch.tanh(x)"),
    ("sigmoid", FLOATS, "torch.sigmoid(x)"),
    ("relu", NUMBERS, "torch.relu(x)"),
    ("gelu", FLOATS, "F.gelu(x)"),
    ("silu", FLOATS, "F.silu(x)"),
    ("floor", FLOATS, "torch.floor(x)"),
    ("round", FLOATS, "torch.round(x)"),
    ("eq", ALL, "x == y"),
    ("lt", ALL, "x < y"),
    ("logical_and", ALL, "torch.logical_and(x, y)"),
    ("bitwise_and", (*INTEGERS, "bool"), "x & y"),
    ("bitwise_xor", (*INTEGERS, "bool"), "x ^ y"),
    ("shift left", INTEGERS, "x << 3"),
    ("shift right", INTEGERS, "x >> 3"),
    ("where", ALL, "torch.where(m, x, y)"),
    ("masked_fill", ALL, "x.masked_fill(m, 0)"),
    ("isnan", FLOATS, "torch.isnan(x)"),
    ("softmax", FLOATS, "torch.softmax(X, -1)"),
    ("log_softmax", FLOATS, "torch.log_softmax(X, -1)"),
    ("layer_norm", FLOATS, "F.layer_norm(X, (X.shape[1],))"),
    ("sum", ALL, "x.sum()"),
    ("sum rows", NUMBERS, "X.sum(1)"),
    ("sum columns", NUMBERS, "X.sum(0)"),
    ("mean", FLOATS, "x.mean()"),
    ("max", ALL, "x.max()"),
    ("max rows", NUMBERS, "X.max(1)"),
    ("argmax", NUMBERS, "X.argmax(1)"),
    ("var", FLOATS, "X.var(1)"),
    ("std", FLOATS, "x.std()"),
    ("any", ("bool",), "x.any()"),
    ("cumsum", NUMBERS, "X.cumsum(1)"),
    ("sort", NUMBERS, "torch.sort(X, -1)"),
    ("topk", NUMBERS, "torch.topk(X, 8, -1)"),
    ("matmul", NUMBERS, "A @ B"),
    ("bmm", NUMBERS, "torch.bmm(P, Q)"),
    ("einsum", WIDE, "torch.einsum('bij,bjk->bik', P, Q)"),
    ("outer", NUMBERS, "torch.outer(X[:, 0], X[0])"),
    ("transpose", ALL, "X.t().contiguous()"),
    ("clone", ALL, "x.clone()"),
    ("cat", ALL, "torch.cat((x, y))"),
    ("stack", ALL, "torch.stack((x, y), 1)"),
    ("index_select", ALL, "torch.index_select(x, 0, i)"),
    ("indexing", ALL, "x[i]"),
    ("gather", ALL, "torch.gather(X, 1, j)"),
    ("scatter_add", NUMBERS, "torch.zeros_like(x).scatter_add_(0, i, x)"),
    ("tril", ALL, "torch.tril(X)"),
    ("allclose", FLOATS, "torch.allclose(x, z)"),
    ("equal", ALL, "torch.equal(x, z)"),
    ("to float32", ("float64", "float16", "bfloat16", *INTEGERS, "bool"), "x.to(torch.float32)"),
    ("to float16", ("float32", "float64", "int64", "int32"), "x.to(torch.float16)"),
    ("to bfloat16", ("float32", "float64", "float16", "int64"), "x.to(torch.bfloat16)"),
    ("to int64", (*FLOATS, "int32", "int8", "uint8", "bool"), "x.to(torch.int64)"),
    ("to int32", (*FLOATS, "int64", "int8", "bool"), "x.to(torch.int32)"),
    ("to bool", ("float32", "int64"), "x.to(torch.bool)"),
    ("add in place", NUMBERS, "w.add_(1)"),
]


def _operands(name, n):
    """What the expressions are made of, for a dtype and a size."""
    d = getattr(torch, name)
    rows, columns = SIZES[n]
    torch.manual_seed(0)
    if d.is_floating_point:
        x, p = (torch.rand(n) * 8 - 4).to(d), (torch.rand(n) * 4 + 0.25).to(d)
        y = (torch.rand(n) + 0.5).to(d)
        B, P = torch.rand(256, 256).to(d), torch.rand(n // 1024 + 1, 32, 32).to(d)
    elif d is torch.bool:
        x, y, p, B, P = torch.rand(n) > 0.5, torch.rand(n) > 0.5, None, None, None
    else:
        x, y, p = torch.randint(0, 100, (n,)).to(d), torch.randint(1, 50, (n,)).to(d), None
        B, P = torch.randint(0, 9, (256, 256)).to(d), torch.randint(0, 9, (n // 1024 + 1, 32, 32)).to(d)
    z, w = x.clone(), x.clone()
    X, Y = x.view(rows, columns), y.view(rows, columns)
    inner = 32 if n < 10_000 else 256
    A = None if B is None else x[: n // inner * inner].view(-1, inner)
    B = None if B is None else B[:inner, :inner].contiguous()
    return {
        "torch": torch, "F": F, "d": d, "n": n, "k": min(n, {1: 100, 2: n}.get(d.itemsize, n)) if n < 2048 else n,
        "x": x, "y": y, "z": z, "w": w, "p": p, "X": X, "Y": Y, "A": A, "B": B, "P": P, "Q": P,
        "m": torch.rand(n) > 0.5, "i": torch.randint(0, n, (n,)), "j": torch.randint(0, columns, (rows, columns)),
    }  # fmt: skip


def _seconds(call, budget):
    start = time.perf_counter()
    call()
    once = time.perf_counter() - start
    # The first calls compile what is called.
    until = start + budget / 3
    while time.perf_counter() < until:
        first = time.perf_counter()
        call()
        once = min(once, time.perf_counter() - first)
    count = max(1, int(0.002 / max(once, 1e-7)))
    best, until, samples = once if count == 1 else float("inf"), time.perf_counter() + budget, 0
    while samples < 3 or time.perf_counter() < until:
        first = time.perf_counter()
        for _ in range(count):
            call()
        best = min(best, (time.perf_counter() - first) / count)
        samples += 1
        if once > 1:
            break
    return best


def measure(only=(), dtypes=(), sizes=()):
    """Prints the rows of the named operations, dtypes and sizes; all where nothing is named."""
    before = {}
    for size in SIZES:
        if sizes and size not in sizes:
            continue
        for name in ALL:
            if dtypes and name not in dtypes:
                continue
            space = _operands(name, size)
            for operation, taken, text in OPERATIONS:
                if name not in taken or (only and operation not in only):
                    continue
                row = {"operation": operation, "dtype": name, "size": size}
                last = before.get((operation, name))
                try:
                    call = eval(f"lambda: {text}", space)
                    if last and last[1] * size / last[0] > LONGEST:
                        row["seconds"], row["estimated"] = last[1] * size / last[0], True
                    else:
                        row["seconds"] = _seconds(call, BUDGET[size])
                    before[operation, name] = (size, row["seconds"])
                except (RuntimeError, NotImplementedError, TypeError, ValueError) as error:
                    row["error"] = str(error).split("\n")[0][:100]
                print(json.dumps(row), flush=True)
