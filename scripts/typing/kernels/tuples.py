"""Tuples and named tuples: as arguments, as results, made inside kernels, unpacked, indexed and sliced."""

from typing import NamedTuple
from collections import namedtuple

import torch
import triton
import triton.language as tl


class Pair(NamedTuple):
    first: tl.tensor
    second: tl.tensor


class Tile(NamedTuple):
    pointer: tl.tensor
    stride: tl.tensor
    size: tl.constexpr


Point = namedtuple("Point", ["x", "y"])
Nested = namedtuple("Nested", ["name", "at"])
ORIGIN = Point(tl.constexpr(3), tl.constexpr(4))


@triton.jit
def swap(a, b):
    return b, a


@triton.jit
def pair(a, b):
    return Pair(a, b)


@triton.jit
def nested(a, b):
    return (a, (b, a + b), 7)


@triton.jit
def get_second(p):
    return p.second


@triton.jit
def plain_tuple(out, n):
    t = (n, n + 1)
    a, b = t
    b, a = a, b
    tl.store(out + a, t[0] + t[1])
    tl.store(out + b, t[-1])


@triton.jit
def helper_returns_tuple(x, out, n):
    i = tl.arange(0, 16)
    v = tl.load(x + i)
    a, b = swap(v, n)
    tl.store(out + i, a + b)


@triton.jit
def helper_returns_named(x, out, n):
    i = tl.arange(0, 16)
    p = pair(tl.load(x + i), n)
    q = Pair(second=p.first, first=p.second)
    tl.store(out + i, get_second(q) * q.first)


@triton.jit
def unpack_nested(out, n):
    a, (b, c), d = nested(n, n * 2)
    tl.store(out, a + b + c + d)


@triton.jit
def tuple_argument(t, out):
    x, y, scale = t
    i = tl.arange(0, 16)
    tl.store(out + i, tl.load(x + i) + tl.load(y + i) * scale)


@triton.jit
def tuple_with_none(t, out):
    i = tl.arange(0, 16)
    r = tl.load(t[0] + i)
    if t[1] is not None:
        r += tl.load(t[1] + i)
    if t[2][0] is None:
        r += t[2][1]
    tl.store(out + i, r)


@triton.jit
def named_argument(p, out):
    i = tl.arange(0, p.size)
    tl.store(out + i, tl.load(p.pointer + i * p.stride))


@triton.jit
def nested_named_argument(p, out):
    tl.store(out, p.at.x + p.at.y)


@triton.jit
def global_named(out):
    tl.store(out, ORIGIN.x + ORIGIN.y)


@triton.jit
def comprehension(ts, out):
    i = tl.arange(0, 16)
    loaded = [tl.load(t + i) for t in ts]
    scaled = [2 * v for v in loaded]
    tl.store(out + i, scaled[0] + scaled[1])


@triton.jit
def slices(out, a, b, c):
    t = (a, b, c)
    u = t[1:]
    w = t[:2] + u
    tl.static_assert(len(w) == 4)
    tl.store(out, w[0] + w[3] + u[0])


@triton.jit
def carried(out, n):
    t = (n, 1.0)
    for i in range(n):
        t = (t[0] + i, t[1] * 2)
    tl.store(out, t[0] * t[1])


@triton.jit
def carried_named(out, n):
    p = Pair(n, n)
    for i in range(n):
        p = Pair(p.second, p.first + i)
    tl.store(out, p.first)


@triton.jit
def in_branches(out, n):
    if n > 3:
        t = (n, n * 2)
    else:
        t = (n * 3, n)
    tl.store(out, t[0] + t[1])


@triton.jit
def many(out, *args):
    total = 0
    for i in tl.static_range(len(args)):
        total += args[i]
    tl.store(out, total)


@triton.jit
def sum_all(first, *rest):
    if len(rest) == 0:
        return first
    return first + sum_all(*rest)


@triton.jit
def varargs_kernel(out, a, b, c):
    many(out, a, b, c)
    t = (a, b)
    many(out + 1, *t, c)
    tl.store(out + 2, sum_all(a, b, c))


@triton.jit
def tl_tuple(out, a, b):
    t = tl.tuple([a, b])
    u = t + (1,)
    tl.store(out, u[0] + u[1] + u[2])


@triton.jit
def equal_shapes(x, out):
    v = tl.load(x + tl.arange(0, 16))
    tl.static_assert(v.shape[0] == 16)
    tl.static_assert(v.shape == (16,))
    w = v.reshape(v.shape[0] // 4, 4)
    tl.static_assert(len(w.shape) == 2)
    m, n = w.shape
    tl.store(out + tl.arange(0, m), tl.sum(w, axis=1))


f = torch.zeros(64, dtype=torch.float32)
h = torch.zeros(64, dtype=torch.float16)
i = torch.zeros(64, dtype=torch.int32)
plain_tuple[(1,)](i, 5)
helper_returns_tuple[(1,)](h, f, 5)
helper_returns_named[(1,)](h, f, 5)
unpack_nested[(1,)](i, 5)
tuple_argument[(1,)]((f, h, 2.5), f)
tuple_argument[(1,)]((f, h, 2), f)
tuple_argument[(1,)]((f, h, 1), f)
tuple_with_none[(1,)]((f, None, (None, 3)), f)
tuple_with_none[(1,)]((f, h, (4, 3)), f)
named_argument[(1,)](Tile(f, 3, tl.constexpr(16)), f)
nested_named_argument[(1,)](Nested(7, Point(5, 6.5)), f)
global_named[(1,)](i)
comprehension[(1,)]((f, h), f)
slices[(1,)](f, 2, 3.0, 4)
carried[(1,)](f, 5)
carried_named[(1,)](i, 5)
in_branches[(1,)](i, 5)
varargs_kernel[(1,)](i, 5, 6, 7)
tl_tuple[(1,)](i, 5, 6)
equal_shapes[(1,)](f, f)
