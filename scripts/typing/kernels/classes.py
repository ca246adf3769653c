"""Classes under @triton.aggregate: made in kernels, carried, returned, with methods of every kind."""

from typing import NamedTuple

import torch
import triton
import triton.language as tl


@triton.aggregate
class Pair:
    first: tl.tensor
    second: tl.tensor

    @triton.jit
    def get_first(self):
        return self.first

    @tl.core.builtin
    def get_second(self, _semantic=None):
        return self.second

    @triton.jit
    def unpack(self):
        return self.get_first(), self.get_second()

    @triton.jit
    def __add__(self, other):
        return Pair(self.first + other.first, self.second + other.second)

    @tl.core.builtin
    def __getitem__(self, ind: tl.constexpr, _semantic=None):
        if ind == 0:
            return self.first
        assert ind == 1
        return self.second


@triton.aggregate
class Row:
    pointer: tl.tensor
    stride: tl.tensor
    size: tl.constexpr

    @triton.constexpr_function
    def __init__(self, pointer, stride, size):
        self.pointer = pointer
        self.stride = stride
        self.size = tl.constexpr(size * 2)

    @triton.jit
    def offsets(self, i):
        return self.pointer + i * self.stride + tl.arange(0, self.size)

    @triton.jit
    def load(self, i, other=0.0):
        return tl.load(self.offsets(i), mask=tl.arange(0, self.size) < self.half(), other=other)

    @triton.constexpr_function
    def half(self):
        return self.size // 2

    @staticmethod
    @triton.jit
    def narrow(pointer):
        n = 3
        return Row(pointer, n, 4)


@triton.aggregate
class Options:
    width: tl.constexpr
    depth: tl.constexpr = 2
    kind: tl.constexpr = "sum"

    @triton.jit
    def reduce(self, x):
        if self.kind == "sum":
            return tl.sum(x, axis=0)
        else:
            return tl.max(x, axis=0)


@triton.aggregate
class Child(Options):
    scale: tl.constexpr = 1.5

    @triton.jit
    def reduce(self, x):
        return tl.sum(x * self.scale, axis=0)


@triton.aggregate
class Outer:
    pair: Pair
    shape: tl.tuple


@triton.jit
def swapped(p):
    return Pair(p.second, p.first)


@triton.jit
def basic(x, n):
    p = Pair(tl.load(x), n)
    a, b = p.unpack()
    q = swapped(p)
    tl.store(x, a + b + q.get_first() + p[1] + p[0])
    r = p + swapped(q)
    tl.store(x + 1, r.first)


@triton.jit
def fields_of_wrong_kind(x):
    p = Pair(tl.load(x), 3)
    tl.store(x, p.first)


@triton.jit
def with_init(x, n):
    row = Row(x, n, 8)
    v = row.load(2)
    tl.static_assert(row.size == 16)
    tl.static_assert(v.shape[0] == 16)
    tl.store(row.offsets(1), v)
    small = Row.narrow(x)
    tl.store(small.offsets(0), small.load(0))


@triton.jit
def with_defaults(x):
    o = Options(16)
    c = Child(8, kind="max")
    v = tl.load(x + tl.arange(0, o.width * o.depth))
    tl.store(x, o.reduce(v) + c.reduce(v))


@triton.jit
def carried(x, n):
    p = Pair(tl.load(x), 1.0 * n)
    for i in range(n):
        p = Pair(p.second, p.first + tl.load(x + i))
        if i > 3:
            p = swapped(p)
    while p.second > 3.0:
        p = Pair(p.first, p.second - 1.0)
    tl.store(x, p.first - p.second)


@triton.jit
def nested(x, n):
    one = 1
    o = Outer(Pair(n, one), (n, 2.0))
    tl.store(x, o.pair.first + o.pair.get_second() + o.shape[1])


@triton.jit
def replaced(x, n):
    p = Pair(tl.load(x), n)
    q = tl.core.aggregate_replace(p, second=p.first)
    tl.store(x, q.second)


@triton.jit
def assigned(x, n):
    p = Pair(tl.load(x), n)
    p.second = n
    tl.store(x, p.second)


f = torch.zeros(64, dtype=torch.float32)
basic[(1,)](f, 5)
fields_of_wrong_kind[(1,)](f)
with_init[(1,)](f, 5)
with_defaults[(1,)](f)
carried[(1,)](f, 5)
nested[(1,)](f, 5)
replaced[(1,)](f, 5)
assigned[(1,)](f, 5)


class Trivial(NamedTuple):
    foo: tl.constexpr


@triton.constexpr_function
def through(x):
    return x


@tl.core.builtin
def make_list(*args, _semantic=None):
    return list(args)


@triton.constexpr_function
def second_of(x):
    return x[1]


@triton.jit(noinline=True)
def not_inlined(x, k):
    return x * k


@triton.jit
def constexpr_types(x, N: tl.constexpr):
    a: tl.constexpr
    b, a = 1, N
    tl.static_assert(a.type == tl.constexpr_type(7))
    tl.static_assert(isinstance(a.type, tl.constexpr_type))
    tl.static_assert(b.dtype == tl.int32)
    tl.static_assert(through(Trivial(0)).foo == 0)
    c: tl.constexpr = second_of(make_list(4, 8, 16))
    tl.store(x, a + b + c)


@triton.jit
def calls_noinline(x, n):
    tl.store(x, not_inlined(tl.load(x), n))


@triton.jit
def noinline_of_tile(x, n):
    i = tl.arange(0, 16)
    tl.store(x + i, not_inlined(tl.load(x + i), n))


@triton.jit
def specialized_recursion(x):
    if x.shape[0] == 1:
        return x
    else:
        a, b = x.reshape((x.shape[0] // 2, 2)).split()
        return specialized_recursion(a) + specialized_recursion(b)


@triton.jit
def recursive_sum(x):
    v = tl.load(x + tl.arange(0, 8))
    w = v.reshape(4, 2)
    a, b = w.split()
    c, d = (a + b).reshape(2, 2).split()
    tl.store(x + tl.arange(0, 2), c + d)


@triton.jit
def tuple_logic(x, n):
    tl.static_assert(((3, 4) or (5, 6)) == (3, 4))
    tl.static_assert(((3, 4) and (5, 6)) == (5, 6))
    tl.static_assert(((3, 4) and ()) == ())
    tl.static_assert((() or (5, 6)) == (5, 6))
    tl.static_assert((() and tl.program_id(0)) == ())
    low, high = float("-inf"), float("inf")
    tl.store(x, (1, 2) == (1, 2))
    tl.store(x + 1, low + high)
    t = tl.tuple([v + 1 for v in (n, 2)])
    tl.store(x + 2, t[0] + t[1])


@triton.jit
def tuple_item_assigned(x):
    t = tl.tuple([5, 6, 7])
    t[0] = 0
    tl.store(x, t[0])


@triton.jit
def too_many(x):
    a, b = (1, 2, 3)
    tl.store(x, a)


@triton.jit
def too_few(x):
    a, b, c = (1, 2)
    tl.store(x, a)


@triton.jit
def starred_target(x):
    a, *rest = (1, 2, 3)
    tl.store(x, a)


@triton.jit
def filtered_comprehension(x):
    v: tl.constexpr = [k for k in (10, 20, 30) if k > 10]
    tl.store(x, v[0])


@triton.jit
def min_of_nan(x, a: tl.constexpr, b: tl.constexpr):
    tl.store(x, min(a, b))


@triton.jit
def modified_counter(x):
    for i in range(4):
        tl.store(x + i, i)
        i += 1
        tl.store(x + i, i)


@triton.jit
def functions_in_tuple(x, fns: tl.constexpr):
    for k in tl.static_range(len(fns)):
        tl.store(x + k, fns[k](tl.load(x + k), 2.0))


@triton.jit
def closure_tuple(f, x):
    tl.store(x, f.fn(tl.load(x), *f.captured))


class Closure(NamedTuple):
    fn: tl.constexpr
    captured: tuple


constexpr_types[(1,)](f, 7)
calls_noinline[(1,)](f, 5)
noinline_of_tile[(1,)](f, 5)
recursive_sum[(1,)](f)
tuple_logic[(1,)](f, 5)
tuple_item_assigned[(1,)](f)
too_many[(1,)](f)
too_few[(1,)](f)
starred_target[(1,)](f)
filtered_comprehension[(1,)](f)
min_of_nan[(1,)](f, 1.0, float("nan"))
min_of_nan[(1,)](f, 1.0, -0.0)
min_of_nan[(1,)](f, 1.0, 2)
modified_counter[(1,)](f)
functions_in_tuple[(1,)](f, (not_inlined, not_inlined))
closure_tuple[(1,)](Closure(not_inlined, (2.5,)), f)
