"""Corners: annotations, names, conversions, values without a type, strings, slices, odd targets."""

from typing import Optional

import torch
import triton
import triton.language as tl

EPS = tl.constexpr(1e-6)
BIG = tl.constexpr(1 << 40)
LIST = tl.constexpr([1, 2, 3])
pi = tl.constexpr(3.14159)


@triton.jit
def annotated(x, flag: bool, n: int, s: float, k: "tl.int32", m: tl.int64):
    y: tl.float32 = n * s
    z: int = k + m
    if flag:
        tl.store(x, y + z)


@triton.jit
def optional_annotation(x, n: Optional[int] = None):
    if n is None:
        tl.store(x, 1)


@triton.jit
def tensor_annotation(x: torch.Tensor, n: tl.tensor):
    tl.store(x, n)


@triton.jit
def big_numbers(x):
    a = BIG
    b = 1 << 31
    c = 2**32 - 1
    d = -(2**31)
    e = 0xFFFFFFFF
    f = 2**63
    tl.store(x, a + b)
    tl.store(x + 1, c + d)
    tl.store(x + 2, e * 2)
    tl.store(x + 3, (f >> 1).to(tl.int64))


@triton.jit
def too_big(x):
    a = 2**64
    tl.store(x, a)


@triton.jit
def floats(x):
    a = 1e-6
    b = EPS
    c = 1e300
    d = float("inf")
    e = float("nan")
    g = -0.0
    tl.store(x, a + b + d + e + g)
    tl.store(x + 1, (c * 2).to(tl.float32))
    tl.store(x + 2, 7 // 2.0 + 7 % 2.5 + 2**0.5 + 2**-1)


@triton.jit
def lists(x):
    a = LIST[1]
    b: tl.constexpr = LIST
    tl.store(x, a + b[0] + b[-1] + len(LIST))


@triton.jit
def bool_arithmetic(x, n):
    a = n > 3
    b = a + a
    c = a * 2
    d = a & (n > 4) | ~a
    e = a ^ a
    f = True + n
    tl.store(x, b + c + f)
    tl.store(x + 1, d)
    tl.store(x + 2, e)
    tl.store(x + 3, a.to(tl.float32) * 0.5)
    tl.store(x + 4, -n + +n)


@triton.jit
def shifts(x, n, u):
    v = u.to(tl.uint32)
    tl.store(x, (n << 3) + (n >> 1))
    tl.store(x + 1, (v >> 1) + (1 << n))
    tl.store(x + 2, n << v.to(tl.int32))


@triton.jit
def unsigned_and_signed(x, n, m):
    u = n.to(tl.uint32)
    w = m.to(tl.uint64)
    tl.store(x, u + n)
    tl.store(x + 1, (u * w).to(tl.int64))
    tl.store(x + 2, u > n)
    tl.store(x + 3, u // 3 + u % 3)
    tl.store(x + 4, tl.cdiv(n, 3))


@triton.jit
def mixed_division(x, n):
    u = n.to(tl.uint32)
    tl.store(x, u // n)


@triton.jit
def float_floor_division(x, s):
    tl.store(x, s // 2.0)


@triton.jit
def power(x, n):
    tl.store(x, n**2)


@triton.jit
def none_stored(x):
    a = None
    tl.store(x, a)


@triton.jit
def none_compared(x, a, b):
    if a == None:
        tl.store(x, 1)
    if b != None:
        tl.store(x, 2)


@triton.jit
def strings(x, A: tl.constexpr, B: tl.constexpr):
    C: tl.constexpr = A + B
    if C == "ab":
        tl.store(x, 1)
    if A < B:
        tl.store(x, 2)
    tl.static_assert(C != "b", f"got {C!r} and {A}")


@triton.jit
def in_operator(x, A: tl.constexpr):
    if A in (1, 2):
        tl.store(x, 1)


@triton.jit
def string_method(x, A: tl.constexpr):
    if A.startswith("a"):
        tl.store(x, 1)


@triton.jit
def unknown_attribute(x):
    tl.store(x, tl.nothing_like_it(x))


@triton.jit
def unknown_method(x):
    tl.store(x, tl.load(x).nothing())


@triton.jit
def wrong_keyword(x):
    tl.store(x, tl.load(x, masks=None))


@triton.jit
def wrong_count(x):
    tl.store(x)


@triton.jit
def keyword_twice(x):
    tl.store(x, 1, value=2)


@triton.jit
def slice_of_tile(x):
    v = tl.load(x + tl.arange(0, 16))
    tl.store(x, v[0])


@triton.jit
def ellipsis_index(x):
    v = tl.load(x + tl.arange(0, 16))
    tl.store(x + tl.arange(0, 16)[:, None], v[..., None])


@triton.jit
def scalar_indexed(x, n):
    v = tl.load(x + tl.arange(0, 16))
    w = v + n[None] + n[:, None]
    tl.store(x + tl.arange(0, 16), w)


@triton.jit
def ranks(x):
    i = tl.arange(0, 4)
    a = i[:, None, None] * 16 + i[None, :, None] * 4 + i[None, None, :]
    v = tl.load(x + a)
    w = v.sum(2).sum(0)
    b = v + w[None, :, None] + 1
    c = b.permute(1, 0, 2).reshape(16, 4)
    d = tl.trans(b, 2, 1, 0)
    e = tl.expand_dims(i, (0, 2))
    tl.store(x + a, d + e)
    tl.store(x + tl.arange(0, 16)[:, None] * 4 + i[None, :], c)


@triton.jit
def broadcasts(x, n):
    i = tl.arange(0, 16)
    a = tl.broadcast_to(n, (16,)) + i
    b, c = tl.broadcast(i[:, None], i[None, :])
    d = tl.full((16, 16), n, tl.float32) + tl.zeros_like(b)
    tl.store(x + b * 16 + c, d + a[:, None])


@triton.jit
def not_a_power_of_two(x):
    tl.store(x + tl.arange(0, 12), 1)


@triton.jit
def shapes_do_not_fit(x):
    tl.store(x + tl.arange(0, 16), tl.load(x + tl.arange(0, 8)))


@triton.jit
def del_statement(x):
    a = 1
    del a
    tl.store(x, 1)


@triton.jit
def try_statement(x):
    try:
        tl.store(x, 1)
    except ValueError:
        pass


@triton.jit
def import_statement(x):
    import math

    tl.store(x, math.pi)


@triton.jit
def global_statement(x):
    global EPS
    tl.store(x, EPS)


@triton.jit
def dict_literal(x):
    d = {"a": 1}
    tl.store(x, d["a"])


@triton.jit
def generator(x):
    tl.store(x, sum(i for i in (1, 2)))


@triton.jit
def python_functions(x, N: tl.constexpr):
    tl.store(x, abs(N))


@triton.jit
def star_call(x, t):
    tl.store(x, tl.maximum(*t))


@triton.jit
def double_star_call(x):
    d = {"mask": None}
    tl.store(x, 1, **d)


@triton.jit
def raise_statement(x):
    raise ValueError("no")


@triton.jit
def static_condition_tensor(x, n):
    tl.static_assert(n > 3)


@triton.jit
def loop_over_tuple(x):
    for i in (1, 2, 3):
        tl.store(x + i, i)


@triton.jit
def loop_over_floats(x, s):
    for i in range(s):
        tl.store(x + i, i)


@triton.jit
def loop_else(x, n):
    for i in range(n):
        tl.store(x + i, i)
    else:
        tl.store(x, 0)


@triton.jit
def zero_step(x, n):
    for i in range(0, n, 0):
        tl.store(x + i, i)


@triton.jit
def named_tuple_mismatch(x, n):
    if n > 3:
        t = (1, 2)
    else:
        t = (1, 2, 3)
    tl.store(x, t[0])


@triton.jit
def tuple_index_out_of_range(x):
    t = (1, 2)
    tl.store(x, t[2])


@triton.jit
def dynamic_tuple_index(x, n):
    t = (1, 2)
    tl.store(x, t[n])


@triton.jit
def pointer_arithmetic(x, n):
    p = x + n
    q = n + p
    r = q - 1
    p += 2
    tl.store(r, tl.load(p))
    s = p - q
    tl.store(x, s)


@triton.jit
def pointer_types(x, y):
    p = x.to(tl.pointer_type(tl.int32))
    q = x.to(tl.int64)
    tl.store(y, tl.load(p))
    tl.static_assert(x.dtype == tl.pointer_type(tl.float32))
    tl.static_assert(x.type.element_ty == tl.float32)
    tl.static_assert(p.dtype.element_ty.is_int())
    tl.store(y + 1, q % 16 == 0)


@triton.jit
def where_types(x, n, h):
    i = tl.arange(0, 16)
    v = tl.load(h + i)
    a = tl.where(i > n, v, 0)
    b = tl.where(i > n, v, 0.0)
    c = tl.where(n > 3, v, -1)
    d = tl.where(i > n, 1, 0)
    e = tl.where(i > n, 1.0, float("-inf"))
    tl.store(x + i, a + b + c + d + e)


f = torch.zeros(4096, dtype=torch.float32)
h = torch.zeros(64, dtype=torch.float16)
i = torch.zeros(64, dtype=torch.int32)
j = torch.zeros(64, dtype=torch.int64)
annotated[(1,)](f, True, 5, 2.5, 6, 7)
optional_annotation[(1,)](f)
tensor_annotation[(1,)](f, 5)
big_numbers[(1,)](j)
too_big[(1,)](j)
floats[(1,)](f)
lists[(1,)](i)
bool_arithmetic[(1,)](f, 5)
shifts[(1,)](j, 5, 6)
unsigned_and_signed[(1,)](j, 5, 1 << 40)
mixed_division[(1,)](j, 5)
float_floor_division[(1,)](f, 2.5)
power[(1,)](i, 5)
none_stored[(1,)](i)
none_compared[(1,)](i, None, None)
none_compared[(1,)](i, i, i)
strings[(1,)](i, "a", "b")
in_operator[(1,)](i, 1)
string_method[(1,)](i, "ab")
unknown_attribute[(1,)](i)
unknown_method[(1,)](i)
wrong_keyword[(1,)](i)
wrong_count[(1,)](i)
keyword_twice[(1,)](i)
slice_of_tile[(1,)](f)
ellipsis_index[(1,)](f)
scalar_indexed[(1,)](f, 5)
ranks[(1,)](f)
broadcasts[(1,)](f, 5)
not_a_power_of_two[(1,)](f)
shapes_do_not_fit[(1,)](f)
del_statement[(1,)](f)
try_statement[(1,)](f)
import_statement[(1,)](f)
global_statement[(1,)](f)
dict_literal[(1,)](f)
generator[(1,)](f)
python_functions[(1,)](i, -4)
star_call[(1,)](f, (2.5, 3.5))
double_star_call[(1,)](f)
raise_statement[(1,)](f)
static_condition_tensor[(1,)](f, 5)
loop_over_tuple[(1,)](f)
loop_over_floats[(1,)](f, 2.5)
loop_else[(1,)](f, 5)
zero_step[(1,)](f, 5)
named_tuple_mismatch[(1,)](f, 5)
tuple_index_out_of_range[(1,)](f)
dynamic_tuple_index[(1,)](f, 5)
pointer_arithmetic[(1,)](f, 5)
pointer_types[(1,)](f, f)
where_types[(1,)](f, 5, h)
