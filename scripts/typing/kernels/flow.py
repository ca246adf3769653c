"""Branches, loops, calls and returns, and what Triton refuses of them."""

import torch
import triton
import triton.language as tl


@triton.jit
def early_return(x, n):
    i = tl.program_id(0)
    if i >= n:
        return
    tl.store(x + i, 1)


@triton.jit
def returns_in_branches(a, b):
    if a > b:
        return a
    else:
        return b


@triton.jit
def returns_early(a, b):
    if a > b:
        return a * 2
    c = a + b
    if c > 3:
        return c
    return b


@triton.jit
def static_return(a, MODE: tl.constexpr):
    if MODE == 0:
        return a
    b = a.to(tl.float32)
    return b * 0.5


@triton.jit
def constants_or_tensors(a):
    if a > 3:
        return 1
    return a


@triton.jit
def uses_returns(x, n, m):
    tl.store(x, returns_in_branches(n, m))
    tl.store(x + 1, returns_early(n, m))
    tl.store(x + 2, static_return(n, 0))
    tl.store(x + 3, static_return(n, 1))
    tl.store(x + 4, constants_or_tensors(n))


@triton.jit
def mismatched_returns(a):
    if a > 3:
        return a
    return a.to(tl.float32)


@triton.jit
def uses_mismatched(x, n):
    tl.store(x, mismatched_returns(n))


@triton.jit
def after_static_return(x, FLAG: tl.constexpr):
    if FLAG:
        tl.store(x, 1)
        return
    tl.store(x, not_defined_anywhere)


@triton.jit
def after_return(x):
    tl.store(x, 1)
    return
    tl.store(x, not_defined_anywhere)


@triton.jit
def kernel_returns_none(x):
    return None


@triton.jit
def ternaries(x, n, F: tl.constexpr):
    a = n if n > 3 else n * 2
    b = 1 if F else n
    c = 2.0 if n > 5 else 3.0
    d = n if F else None
    tl.store(x, a + b + c)
    if d is None:
        tl.store(x + 1, 1)


@triton.jit
def ternary_types(x, n):
    a = n if n > 3 else 1.0
    tl.store(x, a)


@triton.jit
def compound_while(x, n):
    i = 0
    s = 0.0
    while (i < n) & (s < 100.0):
        s += tl.load(x + i)
        i += 1
    while i < n and s < 200.0:
        s += 1
        i = i + 2
    while not (i > 3):
        i += 1
    tl.store(x, s)


@triton.jit
def static_while(x, N: tl.constexpr):
    i = 0
    while i < N:
        i += 1
    tl.store(x, i)


@triton.jit
def hints(x, n):
    s = 0.0
    for i in tl.range(0, n, 2, num_stages=2, loop_unroll_factor=2, flatten=True):
        s += tl.load(x + i)
    for i in tl.range(n, disallow_acc_multi_buffer=True, warp_specialize=False, disable_licm=True):
        s += i
    tl.store(x, s)


@triton.jit
def loop_types(x, n64, n32, u):
    s = tl.zeros((), tl.int64) if False else 0.0
    for i in range(n64):
        s += tl.load(x + i)
    for i in range(n32, n64):
        s += i
    for i in range(10, n32, -2):
        s += i
    for i in range(n32 + 3, 0, -1):
        tl.store(x + i, i)
    tl.store(x, s)


@triton.jit
def changes_type(x, n):
    s = 0
    for i in range(n):
        s += tl.load(x + i)
    tl.store(x, s)


@triton.jit
def changes_shape(x, n):
    s = tl.zeros((1,), tl.float32)
    for i in range(n):
        s += tl.load(x + tl.arange(0, 16))
    tl.store(x + tl.arange(0, 16), s)


@triton.jit
def constexpr_in_loop(x, n):
    k: tl.constexpr = 3
    for i in range(n):
        k = i
    tl.store(x, k)


@triton.jit
def defined_in_loop(x, n):
    for i in range(n):
        last = i * 2
    tl.store(x, last)


@triton.jit
def counter_after(x, n):
    for i in range(n):
        tl.store(x + i, 1)
    tl.store(x, i)


@triton.jit
def defined_in_one_branch(x, n):
    if n > 3:
        y = 1
    tl.store(x, y)


@triton.jit
def defined_in_both(x, n):
    if n > 3:
        y = n
        z = 1.0
    else:
        y = n + 1
    tl.store(x, y)


@triton.jit
def mismatched_branches(x, n):
    if n > 3:
        y = 1
    else:
        y = 1.0
    tl.store(x, y)


@triton.jit
def none_then_tensor(x, n):
    y = None
    if n > 3:
        y = n
    tl.store(x, n)


@triton.jit
def elif_chain(x, n):
    if n == 0:
        y = 1
    elif n == 1:
        y = 2
    elif n > 5:
        y = n
    else:
        y = 0
    tl.store(x, y)


@triton.jit
def nested_loops(x, n, m):
    acc = tl.zeros((16,), tl.float32)
    i = tl.arange(0, 16)
    for a in range(n):
        row = x + a * m
        for b in range(0, m, 16):
            v = tl.load(row + b + i, mask=b + i < m, other=0.0)
            acc += v
            if b > 32:
                acc = acc * 0.5
    tl.store(x + i, acc)


@triton.jit
def with_break(x, n):
    for i in range(n):
        if i > 3:
            break


@triton.jit
def with_continue(x, n):
    for i in range(n):
        continue


@triton.jit
def return_in_loop(x, n):
    for i in range(n):
        if i > 3:
            return


@triton.jit
def chained(x, n):
    if 0 < n < 3:
        tl.store(x, 1)


@triton.jit
def tensor_condition(x):
    if tl.load(x + tl.arange(0, 16)) > 0:
        tl.store(x, 1)


@triton.jit
def one_element_condition(x):
    if tl.load(x + tl.arange(0, 1)) > 0:
        tl.store(x, 1)


@triton.jit
def float_condition(x, F: tl.constexpr):
    if F:
        tl.store(x, 1)


@triton.jit
def logic(x, n, m, f):
    a = (n > 3) and (m > 4)
    b = (n > 3) or (m > 4) or (n < 1)
    c = not (n > 3)
    d = n and m
    e = not f
    tl.store(x, a)
    tl.store(x + 1, b)
    tl.store(x + 2, c)
    tl.store(x + 3, d)
    tl.store(x + 4, e)


@triton.jit
def multiple_targets(x):
    a = b = 3
    tl.store(x, a)


@triton.jit
def walrus(x, n):
    if (m := n * 2) > 3:
        tl.store(x, m)


@triton.jit
def default_arguments(x, n, k=3, *, scale: tl.constexpr = 2):
    tl.store(x, n * k * scale)


@triton.jit
def calls_defaults(x, n):
    helper_with_defaults(x, n)
    helper_with_defaults(x, n, 4.0)
    helper_with_defaults(n=n, x=x, k=5)


@triton.jit
def helper_with_defaults(x, n, k=3, scale: tl.constexpr = 2):
    tl.store(x, n * k * scale)


@triton.jit
def recursive(x, n):
    if n > 0:
        recursive(x, n - 1)
    tl.store(x, n)


@triton.jit
def factorial(N: tl.constexpr):
    if N <= 1:
        return 1
    return N * factorial(N - 1)


@triton.jit
def static_recursion(x, N: tl.constexpr):
    tl.store(x, factorial(N))


@triton.jit
def passes_function(x, n, FN: tl.constexpr):
    tl.store(x, FN(n, 3))


@triton.jit
def nested_function(x):
    def inner():
        return 1

    tl.store(x, inner())


@triton.jit
def lambda_(x):
    f = lambda y: y + 1
    tl.store(x, f(1))


@triton.jit
def unused_things(x, n):
    """A docstring, and statements without effect."""
    pass
    _ = tl.load(x)
    _, y = (1, n)
    n + 1
    ...
    assert n >= 0, "negative"
    print("n", n)
    tl.store(x, y)


@triton.jit
def members(x, out):
    i = tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :]
    v = tl.load(x + i)
    s = v.sum(axis=1) + v.max(1) - v.min(axis=0)
    t = v.T.to(tl.float16).trans().reshape(256).reshape(16, 16)
    u = v.exp().abs().sqrt()
    w = (t + u).sum().to(tl.int32)
    one = tl.sum(v.reshape(1, 256), axis=1).item()
    tl.store(out + tl.arange(0, 16), s + w + one)
    a = v.reshape(16, 8, 2).permute(2, 0, 1)
    (out + i).store(a.reshape((16, 16)))
    tl.store(out, v.argmax(0).sum() + v.cumsum(1).max())


@triton.jit
def builtin_minmax(x, n, m):
    a = min(n, m)
    b = max(n, 3)
    c = min(tl.load(x), 0.5)
    d = max(a, b, 5)
    tl.store(x, a + b + c + d)


@triton.jit
def counter_reassigned(x, n):
    for i in range(n):
        tl.store(x + i, 1)
    if n > 3:
        i = 7
    for j in range(n):
        i = j * 2
    for k in range(n):
        for j in range(k):
            tl.store(x + j, k)
    tl.store(x, i)


@triton.jit
def counter_of_another_type(x, n):
    for i in range(n):
        tl.store(x + i, 1)
    for j in range(n):
        i = tl.load(x + j)
    tl.store(x, 1)


@triton.jit
def counters_in_branches(x, n):
    if n > 3:
        for i in range(n):
            tl.store(x + i, 1)
    else:
        for i in range(n + 1):
            tl.store(x + i, 2)
    while n > 0:
        for i in range(n):
            tl.store(x + i, 3)
        n -= 1
    for i in range(2):
        tl.store(x + i, 4)


@triton.jit
def returns_constant(x):
    tl.store(x, 1)
    return 1


@triton.jit
def returns_tensor(x):
    return tl.load(x)


@triton.jit
def made_dtypes(x, N: tl.constexpr):
    D = tl.dtype(f"uint{N}")
    v = tl.full((16,), 3, D)
    M: tl.constexpr = tl.standard._log2(N)
    tl.store(x + tl.arange(0, 16), v + M)


@tl.constexpr
def accumulator(dtype):
    if dtype.is_fp16() or dtype.is_bf16():
        return tl.float32
    return dtype


@triton.jit
def constexpr_of_function(x):
    D: tl.constexpr = accumulator(x.dtype.element_ty)
    tl.store(x, tl.load(x).to(D) * 2)


f = torch.zeros(64, dtype=torch.float32)
h = torch.zeros(64, dtype=torch.float16)
i = torch.zeros(64, dtype=torch.int32)
j = torch.zeros(64, dtype=torch.int64)
BIG = 1 << 40
early_return[(1,)](f, 5)
uses_returns[(1,)](f, 5, 6)
uses_mismatched[(1,)](f, 5)
after_static_return[(1,)](f, True)
after_static_return[(1,)](f, False)
after_return[(1,)](f)
kernel_returns_none[(1,)](f)
ternaries[(1,)](f, 5, True)
ternaries[(1,)](f, 5, False)
ternary_types[(1,)](f, 5)
compound_while[(1,)](f, 5)
static_while[(1,)](i, 5)
hints[(1,)](f, 5)
loop_types[(1,)](f, BIG, 5, 7)
changes_type[(1,)](f, 5)
changes_shape[(1,)](f, 5)
constexpr_in_loop[(1,)](i, 5)
defined_in_loop[(1,)](i, 5)
counter_after[(1,)](i, 5)
defined_in_one_branch[(1,)](i, 5)
defined_in_both[(1,)](i, 5)
mismatched_branches[(1,)](i, 5)
none_then_tensor[(1,)](i, 5)
elif_chain[(1,)](i, 5)
nested_loops[(1,)](f, 5, 64)
with_break[(1,)](f, 5)
with_continue[(1,)](f, 5)
return_in_loop[(1,)](f, 5)
chained[(1,)](f, 5)
tensor_condition[(1,)](f)
one_element_condition[(1,)](f)
float_condition[(1,)](f, 1.5)
float_condition[(1,)](f, "yes")
float_condition[(1,)](f, (1, 2))
logic[(1,)](i, 5, 6, 0.5)
multiple_targets[(1,)](i)
walrus[(1,)](i, 5)
default_arguments[(1,)](i, 5)
calls_defaults[(1,)](f, 5)
static_recursion[(1,)](i, 5)
passes_function[(1,)](i, 5, returns_early)
nested_function[(1,)](i)
lambda_[(1,)](i)
unused_things[(1,)](i, 5)
members[(1,)](f, f)
builtin_minmax[(1,)](f, 5, 6)
counter_reassigned[(1,)](i, 5)
counter_of_another_type[(1,)](f, 5)
counters_in_branches[(1,)](i, 5)
returns_constant[(1,)](f)
returns_tensor[(1,)](f)
made_dtypes[(1,)](i, 16)
constexpr_of_function[(1,)](h)
