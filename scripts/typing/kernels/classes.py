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
