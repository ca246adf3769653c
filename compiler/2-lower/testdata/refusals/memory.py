"""Tensor descriptors, atomics and pointers: what Triton refuses of them, and what it accepts."""

import triton
import triton.language as tl


# HC0205: X=*fp32 n=i64
@triton.jit
def descriptor_wide_offset(X, n):
    d = tl.make_tensor_descriptor(X, [64, 64], [64, 1], [16, 16])
    a = d.load([n, 0])


# HC0205: X=*fp32
@triton.jit
def descriptor_far_offset(X):
    d = tl.make_tensor_descriptor(X, [64, 64], [64, 1], [16, 16])
    a = d.load([0, 2147483648])


# accepted: X=*fp32 n=i32 s=i64
@triton.jit
def descriptor_offsets(X, n, s):
    d = tl.make_tensor_descriptor(X, [n, s], [s, 1], [16, 16])
    d.store([n, -5], d.load([tl.program_id(0) * 16, 0]))


# HC0215: X=*fp32 s=i64
@triton.jit
def descriptor_last_stride_at_run_time(X, s):
    d = tl.make_tensor_descriptor(X, [64, 64], [64, s], [16, 16])


# HC0205: X=*i64
@triton.jit
def descriptor_add_of_int64(X):
    d = tl.make_tensor_descriptor(X, [64, 64], [64, 1], [16, 16])
    d.atomic_add([0, 0], tl.zeros((16, 16), tl.int64))


# HC0205: X=*fp32
@triton.jit
def descriptor_max_of_floats(X):
    d = tl.make_tensor_descriptor(X, [64, 64], [64, 1], [16, 16])
    d.atomic_max([0, 0], tl.zeros((16, 16), tl.float32))


# accepted: X=*u64
@triton.jit
def descriptor_atomics(X):
    d = tl.make_tensor_descriptor(X, [64, 64], [64, 1], [16, 16])
    v = tl.zeros((16, 16), tl.uint64)
    d.atomic_add([0, 0], v)
    d.atomic_min([0, 0], v)
    d.atomic_xor([0, 0], v)


# HC0202: X=*fp32
@triton.jit
def gather_few_rows(X):
    d = tl.make_tensor_descriptor(X, [64, 64], [64, 1], [1, 16])
    a = d.gather(tl.arange(0, 4), 0)


# HC0202: X=*fp16
@triton.jit
def scatter_few_columns(X):
    d = tl.make_tensor_descriptor(X, [64, 64], [64, 1], [1, 8])
    d.scatter(tl.zeros((8, 8), tl.float16), tl.arange(0, 8), 0)


# HC0205: X=*fp32
@triton.jit
def gather_wide_rows(X):
    d = tl.make_tensor_descriptor(X, [64, 64], [64, 1], [1, 16])
    a = d.gather(tl.arange(0, 8).to(tl.int64), 0)


# accepted: X=*fp32 Y=*i64 Z=*fp64
@triton.jit
def atomics(X, Y, Z):
    i = tl.arange(0, 16)
    a = tl.atomic_add(Y + i, 1)
    b = tl.atomic_max(Z + i, 1.0, mask=i < 3)
    c = tl.atomic_xchg(Z, 1.0, sem="relaxed", scope="cta")
    d = tl.atomic_cas(Y, a.to(tl.int64).reshape(16).sum(), tl.full([], 1, tl.int64))
    e = tl.atomic_add(X + i, b.to(tl.float32))


# HC0205: X=*fp16
@triton.jit
def exchange_of_halves(X):
    tl.atomic_xchg(X, 1.0)


# HC0205: X=*i16
@triton.jit
def add_of_shorts(X):
    tl.atomic_add(X, 1)


# HC0205: X=*i8
@triton.jit
def compare_of_bytes(X):
    tl.atomic_cas(X, tl.full([], 1, tl.int8), tl.full([], 1, tl.int8))


# accepted: X=*i64 Y=*fp32
@triton.jit
def addresses(X, Y):
    p = tl.load(X).to(tl.pointer_type(tl.float32))
    q = tl.where(tl.program_id(0) == 0, p, Y)
    tl.store(q + tl.arange(0, 4), tl.load(Y.to(tl.pointer_type(tl.int32)) + tl.arange(0, 4)).to(tl.float32))
    tl.store(X + 1, q.to(tl.int64))
    slots = X.to(tl.pointer_type(tl.pointer_type(tl.float16)))
    tl.store(tl.load(slots), 1.0)


# HC0204: X=*fp32 Y=*fp32
@triton.jit
def difference_of_pointers(X, Y):
    a = X - Y


# HC0204: X=*fp32 Y=*fp32
@triton.jit
def order_of_pointers(X, Y):
    a = X < Y


# HC0204: X=*fp32
@triton.jit
def product_of_pointers(X):
    a = X * 2


# HC0205: X=*fp32
@triton.jit
def pointer_as_float(X):
    a = X.to(tl.float32)


# HC0205: X=fp32
@triton.jit
def float_as_pointer(X):
    a = X.to(tl.pointer_type(tl.float32))
