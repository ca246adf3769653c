"""What those who come from NumPy, PyTorch or CUDA write in their first kernels.

The comment above a kernel says what we answer and for which arguments; `refusals.json` says what Triton
3.8 answers, and at which line.
"""

import math

import triton
import triton.language as tl


def doubled(x):
    return x * 2


# HC0102: X=*fp32 Y=*fp32
@triton.jit
def pointer_as_array(X, Y):
    i = tl.program_id(0)
    Y[i] = X[i] * 2


# HC0102: X=*fp32 Y=*fp32
@triton.jit
def pointer_read_as_array(X, Y):
    i = tl.program_id(0)
    tl.store(Y + i, X[i] * 2)


# HC0214: X=*fp32
@triton.jit
def size_of_a_pointer(X):
    n = X.shape[0]


# HC0109: X=*fp32
@triton.jit
def stride_of_a_pointer(X):
    x = tl.load(X + X.stride(0))


# HC0109: X=*fp32
@triton.jit
def list_that_grows(X):
    acc = []
    for t in tl.static_range(4):
        acc.append(tl.load(X + t))


# HC0113: X=*fp32
@triton.jit
def loop_over_a_tile(X):
    s = 0.0
    for v in tl.load(X + tl.arange(0, 16)):
        s += v


# HC0108: X=*fp32
@triton.jit
def helper_without_jit(X):
    tl.store(X, doubled(tl.load(X)))


# HC0107: X=*fp32
@triton.jit
def function_of_math(X):
    tl.store(X, math.exp(tl.load(X)))


# accepted: X=*fp32
@triton.jit
def constant_of_math(X):
    tl.store(X, tl.load(X) * math.pi)


# HC0105: X=*fp32
@triton.jit
def mean_of_a_tile(X):
    tl.store(X, tl.mean(tl.load(X + tl.arange(0, 16))))


# HC0105: X=*fp32
@triton.jit
def tanh_of_tl(X):
    tl.store(X, tl.tanh(tl.load(X)))


# HC0105: X=*fp32
@triton.jit
def infinity_of_tl(X):
    tl.store(X, -tl.inf)


# HC0105: X=*fp32
@triton.jit
def threads_that_wait(X):
    tl.store(X, 1.0)
    tl.syncthreads()


# HC0109: X=*fp32
@triton.jit
def float_method(X):
    tl.store(X, tl.load(X).float())


# HC0109: X=*fp32
@triton.jit
def unsqueeze_method(X):
    x = tl.load(X + tl.arange(0, 16)).unsqueeze(1)


# HC0215: X=*fp32
@triton.jit
def dtype_as_a_string(X):
    tl.store(X, tl.load(X).to("float16"))


# HC0215: X=*fp32
@triton.jit
def larger_of_two_by_max(X):
    x = tl.load(X + tl.arange(0, 16))
    tl.store(X + tl.arange(0, 16), tl.max(x, 0.0))


# HC0215: N==16
@triton.jit
def shape_that_is_a_number(N):
    x = tl.zeros(N, tl.float32)


# HC0215: N==16
@triton.jit
def full_of_a_number(N):
    x = tl.full(N, 1.0, tl.float32)


# HC0215: X=*fp32 N==16
@triton.jit
def descriptor_of_numbers(X, N):
    d = tl.make_tensor_descriptor(X, 64, 1, N)


# HC0215: N==16
@triton.jit
def broadcast_of_a_number(N):
    x = tl.broadcast_to(1.0, N)


# HC0215: N==16
@triton.jit
def half_a_block(N):
    x = tl.arange(0, N / 2)


# HC0201: N==16
@triton.jit
def half_a_block_in_a_variable(N):
    half = N // 2
    x = tl.arange(0, half)


# HC0201: n=i32
@triton.jit
def range_of_cdiv(n):
    x = tl.arange(0, tl.cdiv(n, 2))


# HC0202: X=*fp32
@triton.jit
def mask_by_place(X):
    x = tl.load(X, tl.arange(0, 16) < 8)


# HC0204: X=*fp32 Y=*fp32
@triton.jit
def store_the_wrong_way_round(X, Y):
    r = tl.arange(0, 16)
    tl.store(tl.load(X + r), Y + r)


# HC0204: X=*fp32 n=i32
@triton.jit
def offset_by_a_quotient(X, n):
    x = tl.load(X + n / 2)


# HC0110: n=i32
@triton.jit
def and_before_comparison(n):
    i = tl.arange(0, 16)
    m = i > 2 & i < n


# HC0202: X=*fp32
@triton.jit
def rows_less_their_maxima(X):
    x = tl.load(X + tl.arange(0, 16)[:, None] * 32 + tl.arange(0, 32)[None, :])
    e = tl.exp(x - tl.max(x, axis=1))


# HC0202: X=*fp32
@triton.jit
def rows_and_columns_without_none(X):
    x = tl.load(X + tl.arange(0, 16) * 32 + tl.arange(0, 32))


# HC0208: X=*fp32 n=i32
@triton.jit
def sum_that_begins_as_an_integer(X, n):
    acc = 0
    for t in range(n):
        acc += tl.load(X + t)


# HC0208: X=*fp32 n=i32
@triton.jit
def half_that_takes_singles(X, n):
    acc = tl.zeros([16], dtype=tl.float16)
    for t in range(n):
        acc += tl.load(X + t * 16 + tl.arange(0, 16))


# HC0208: X=*fp32 n=i32
@triton.jit
def pointer_that_becomes_a_tile(X, n):
    p = X
    for t in range(n):
        p += tl.arange(0, 16)


# HC0111: X=*fp32 n=i32
@triton.jit
def while_true_and_break(X, n):
    while True:
        tl.store(X, n)
        if n < 0:
            break


# HC0107: X=*fp32
@triton.jit
def keepdim_of_torch(X):
    s = tl.sum(tl.load(X + tl.arange(0, 16)), axis=0, keepdim=True)


# HC0107: X=*fp32
@triton.jit
def dim_of_torch(X):
    s = tl.sum(tl.load(X + tl.arange(0, 16)), dim=0)


# HC0107: X=*fp32 n=i32
@triton.jit
def others_for_other(X, n):
    x = tl.load(X + tl.arange(0, 16), mask=tl.arange(0, 16) < n, others=0.0)


# HC0102: n=i32
@triton.jit
def match_statement(n):
    match n:
        case 1:
            pass


# HC0102
@triton.jit
def with_statement():
    with tl.float32:
        pass


# HC0210: ACT=="relu"
@triton.jit
def string_as_a_flag(ACT):
    if ACT:
        pass


# accepted: ACT=="relu" X=*fp32
@triton.jit
def string_compared(ACT, X):
    x = tl.load(X)
    if ACT == "relu":
        x = tl.maximum(x, 0.0)
    tl.store(X, x)


# accepted: X=*fp32
@triton.jit
def pointer_as_a_flag(X):
    if X:
        tl.store(X, 1.0)


# HC0211: X=*fp32 n=i32
@triton.jit
def two_kinds_of_results(X, n):
    x = clipped(tl.load(X + tl.arange(0, 16)), n)


@triton.jit
def clipped(x, n):
    if n > 3:
        return x
    return 0
