"""What is known at compile time: constexpr in all its forms, dtypes, globals, Python's own functions."""

import torch
import triton
import triton.language as T
import triton.language as tl
from triton.language import load, store
from triton.language import constexpr as C

WIDTH = tl.constexpr(16)
NAME = tl.constexpr("relu")
HALF: tl.constexpr = tl.constexpr(0.5)
TYPE = tl.constexpr(tl.float16)
SHAPE = tl.constexpr((4, 4))
FLAG = tl.constexpr(True)
NOTHING = tl.constexpr(None)
ALIAS = tl.float32
PLAIN = 16


@triton.constexpr_function
def next_even(n):
    return n + n % 2


@triton.constexpr_function
def scaled(n, by=2, *, plus=0):
    return n * by + plus


@triton.constexpr_function
def wider(dtype):
    return tl.float32 if dtype.primitive_bitwidth < 32 else dtype


@triton.constexpr_function
def halves(n):
    return (n // 2, n - n // 2)


@triton.constexpr_function
def describe(n: tl.constexpr):
    return f"n={n}"


def outside(n):
    return n + 1


@triton.jit
def globals_(x, out):
    i = tl.arange(0, WIDTH)
    v = tl.load(x + i).to(TYPE)
    if NAME == "relu":
        v = tl.where(v > 0, v, 0)
    if FLAG and NOTHING is None:
        v = v * HALF
    w = v.reshape(SHAPE)
    tl.store(out + i, w.reshape(WIDTH).to(ALIAS))


@triton.jit
def plain_global(out):
    tl.store(out, PLAIN)


@triton.jit
def aliases(x, out):
    i = T.arange(0, WIDTH)
    v = load(x + i)
    store(out + i, T.exp(v) + tl.math.exp(v) + tl.core.full((16,), 1, tl.float32))


@triton.jit
def constexpr_functions(x, out, N: tl.constexpr):
    W: tl.constexpr = next_even(N) + 1
    i = tl.arange(0, W)
    a: tl.constexpr = scaled(2)
    b: tl.constexpr = scaled(2, by=3)
    c: tl.constexpr = scaled(N, 1, plus=a)
    v = tl.load(x + i).to(wider(x.dtype.element_ty))
    lo, hi = halves(N)
    tl.static_assert(describe(N) == "n=15")
    tl.store(out + i, v * a + b + c + lo + hi)


@triton.jit
def calls_python(out):
    tl.store(out, outside(3))


@triton.jit
def arithmetic(out, A: tl.constexpr, B: tl.constexpr):
    tl.static_assert(A // B == -4)
    tl.static_assert(A % B == 1)
    tl.static_assert(A**2 == 49)
    tl.static_assert(-A == 7)
    tl.static_assert(not (A > B))
    tl.static_assert((A < B) and (B < 3))
    tl.static_assert((A & 7) == 1)
    tl.static_assert((1 << B) == 4)
    tl.static_assert(~B == -3)
    tl.static_assert(A / B == -3.5)
    tl.static_assert(A != B)
    tl.static_assert(min(A, B) == A)
    tl.static_assert(max(A, B, 9) == 9)
    tl.static_assert(float(B) == 2.0)
    tl.static_assert(int(2.7) == 2)
    tl.static_assert(A.value == -7)
    tl.store(out, A + B)


@triton.jit
def promotion(x, out, S: tl.constexpr):
    i = tl.arange(0, 16)
    v = tl.load(x + i)
    s = 2.0
    k: tl.constexpr = 2.0
    tl.store(out + i, v * s)
    tl.store(out + i, v * k)
    tl.store(out + i, v * S)
    tl.store(out + i, v * (S + 1))
    t = S
    tl.store(out + i, v * t)


@triton.jit
def dtype_argument(x, out, D: tl.constexpr, E: tl.constexpr):
    i = tl.arange(0, 16)
    v = tl.load(x + i).to(D)
    if D == tl.float16:
        v = v + 1
    if D.is_floating():
        v = v * 2
    if E is tl.float32:
        v = v - 1
    a = tl.full((16,), 3, D)
    b = tl.zeros((16,), E)
    tl.store(out + i, v + a + b)


@triton.jit
def dtype_methods(x, out):
    i = tl.arange(0, 16)
    v = tl.load(x + i)
    D: tl.constexpr = v.dtype
    tl.static_assert(D.primitive_bitwidth == 16)
    tl.static_assert(D.is_fp16())
    tl.static_assert(not D.is_fp8())
    tl.static_assert(x.dtype.is_ptr())
    tl.static_assert(x.dtype.element_ty == D)
    I: tl.constexpr = tl.core.get_int_dtype(D.primitive_bitwidth, signed=True)
    bits = v.to(I, bitcast=True)
    tl.static_assert(bits.dtype.is_int_signed())
    tl.static_assert(v.type.is_block())
    tl.static_assert(v.type.scalar == D)
    tl.static_assert(D.itemsize == 2)
    tl.store(out + i, (bits & 1).to(D))


@triton.jit
def strings(out, KIND: tl.constexpr, n):
    if KIND == "a" or KIND == "b":
        tl.store(out, n)
    elif KIND != "c":
        tl.store(out, n + 1.0)
    else:
        tl.store(out, 3)


@triton.jit
def string_annotation(x, out, N: "tl.constexpr", M: C):
    i = tl.arange(0, N)
    j: "tl.constexpr" = M
    tl.store(out + i, tl.load(x + i) + j)


@triton.jit
def reassigned(out, N: tl.constexpr):
    M = N
    M += 1
    M = M * 2
    tl.store(out, M)


@triton.jit
def constexpr_reassigned(out, N: tl.constexpr):
    m: tl.constexpr = N
    m: tl.constexpr = N + 1
    tl.store(out, m)


@triton.jit
def type_queries(x, out, n):
    i = tl.arange(0, 16)
    v = tl.load(x + i)
    tl.static_assert(isinstance(v, tl.tensor))
    tl.static_assert(isinstance(n, tl.tensor))
    tl.static_assert(not isinstance(WIDTH, tl.tensor))
    tl.static_assert(isinstance(WIDTH, tl.constexpr))
    tl.static_assert(hasattr(v, "shape"))
    tl.static_assert(getattr(tl, "float32") == tl.float32)
    tl.static_assert(len(v.shape) == 1)
    tl.static_assert(v.numel == 16)
    tl.store(out + i, v)


@triton.jit
def optional(x, bias, out, n, eps=1e-6, flag: tl.constexpr = None):
    i = tl.arange(0, 16)
    v = tl.load(x + i) + eps
    if bias is not None:
        v += tl.load(bias + i)
    if not bias is None:
        v += 1
    b = n if flag else None
    if b is not None:
        v += b
    tl.store(out + i, v)


@triton.jit
def messages(x, N: tl.constexpr):
    tl.static_assert(N > 0, f"N must be positive, got {N}")
    tl.static_print("N", N, f"{N}", x.dtype)
    tl.store(x, N)


@triton.jit
def failing_message(x, N: tl.constexpr):
    tl.static_assert(N > 16, f"N must be above 16, got {N}")
    tl.store(x, N)


@triton.jit
def static_for(out, N: tl.constexpr):
    acc = 0
    for i in tl.static_range(N):
        if i % 2 == 0:
            acc += i
    for j in tl.static_range(4, 0, step=-1):
        acc += j
    for k in tl.static_range(0, N, 2):
        acc += k
    tl.store(out, acc)


def make(width, scale):
    """A kernel inside a function, which sees the function's variables."""

    @triton.jit
    def inner(x, out, n):
        i = tl.arange(0, width)
        tl.store(out + i, tl.load(x + i, mask=i < n) * scale)

    return inner


f = torch.zeros(64, dtype=torch.float32)
h = torch.zeros(64, dtype=torch.float16)
i = torch.zeros(64, dtype=torch.int32)
globals_[(1,)](f, f)
plain_global[(1,)](i)
aliases[(1,)](f, f)
constexpr_functions[(1,)](h, f, 15)
calls_python[(1,)](i)
arithmetic[(1,)](i, -7, 2)
promotion[(1,)](h, f, 3)
promotion[(1,)](h, f, 3.0)
promotion[(1,)](i, f, 3)
dtype_argument[(1,)](f, f, tl.float16, tl.float32)
dtype_argument[(1,)](f, f, tl.int32, tl.int8)
dtype_methods[(1,)](h, h)
strings[(1,)](f, "a", 5)
strings[(1,)](f, "z", 5)
strings[(1,)](f, "c", 5)
string_annotation[(1,)](h, h, 16, 2)
reassigned[(1,)](i, 4)
constexpr_reassigned[(1,)](i, 4)
type_queries[(1,)](f, f, 3)
optional[(1,)](f, None, f, 3)
optional[(1,)](f, h, f, 3, 0.5, True)
messages[(1,)](i, 4)
failing_message[(1,)](i, 4)
static_for[(1,)](i, 5)
make(tl.constexpr(32), tl.constexpr(2.0))[(1,)](h, f, 5)
make(32, 2.0)[(1,)](h, f, 5)
