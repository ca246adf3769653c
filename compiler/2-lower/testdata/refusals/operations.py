"""Memory, dot, reductions, block pointers and hints that Triton rejects, or accepts against expectation.

The comment above a kernel says what we answer and for which arguments; `refusals.json` says what Triton
3.8 answers, and at which line.
"""

import triton
import triton.language as tl


@triton.jit
def add(a, b):
    return a + b


@triton.jit
def add_as_float(a, b):
    return (a + b).to(tl.float32)


@triton.jit
def add_pairs(a, b, c, d):
    return a + c, b + d


@triton.jit
def add_pairs_to_one(a, b, c, d):
    return a + c


@triton.jit
def undefined_sum(a, b):
    return a + missing


# HC0204: n=i32
@triton.jit
def load_a_number(n):
    a = tl.load(n)


# HC0204
@triton.jit
def load_a_tile_of_numbers():
    r = tl.arange(0, 16)
    a = tl.load(r)


# HC0204
@triton.jit
def load_a_constant():
    a = tl.load(4)


# HC0215: X=*fp32
@triton.jit
def other_without_mask(X):
    r = tl.arange(0, 16)
    a = tl.load(X + r, other=0.0)


# HC0215: X=*fp32
@triton.jit
def boundary_check_of_pointers(X):
    r = tl.arange(0, 16)
    a = tl.load(X + r, boundary_check=(0,))


# HC0215: X=*fp32
@triton.jit
def padding_of_pointers(X):
    r = tl.arange(0, 16)
    a = tl.load(X + r, padding_option="zero")


# HC0202: X=*fp32
@triton.jit
def tile_mask_of_a_scalar_pointer(X):
    r = tl.arange(0, 16)
    a = tl.load(X, mask=r < 4)


# HC0202: X=*fp32 n=i32
@triton.jit
def tile_other_of_a_scalar_pointer(X, n):
    r = tl.arange(0, 16)
    a = tl.load(X, mask=n > 1, other=r)


# HC0202: X=*fp32
@triton.jit
def mask_of_another_shape(X):
    r = tl.arange(0, 16)
    a = tl.load(X + r, mask=tl.arange(0, 8) < 4)


# accepted: X=*fp32
@triton.jit
def mask_of_a_larger_shape(X):
    r = tl.arange(0, 16)
    a = tl.load(X + r, mask=r[:, None] < r[None, :])


# HC0202: X=*fp32
@triton.jit
def other_of_another_shape(X):
    r = tl.arange(0, 16)
    a = tl.load(X + r, mask=r < 4, other=tl.zeros((8,), tl.float32))


# accepted: X=*fp32 n=i32
@triton.jit
def scalar_mask(X, n):
    r = tl.arange(0, 16)
    a = tl.load(X + r, mask=n > 1)


# HC0205: X=*fp32 n=i32
@triton.jit
def integer_mask(X, n):
    r = tl.arange(0, 16)
    a = tl.load(X + r, mask=r)


# HC0215: X=*fp32
@triton.jit
def unknown_cache_modifier(X):
    r = tl.arange(0, 16)
    a = tl.load(X + r, cache_modifier=".xx")


# HC0215: X=*fp32
@triton.jit
def unknown_eviction_policy(X):
    r = tl.arange(0, 16)
    a = tl.load(X + r, eviction_policy="never")


# HC0201: X=*fp32 n=i32
@triton.jit
def volatile_of_a_value(X, n):
    r = tl.arange(0, 16)
    a = tl.load(X + r, mask=r < 4, volatile=n)


# HC0204: n=i32
@triton.jit
def store_to_a_number(n):
    tl.store(n, 1)


# HC0216: X=*kfp32
@triton.jit
def store_to_constant(X):
    tl.store(X, 1.0)


# HC0202: X=*fp32
@triton.jit
def store_a_tile_to_a_scalar(X):
    r = tl.arange(0, 16)
    tl.store(X, r)


# HC0202: X=*fp32
@triton.jit
def store_mask_to_a_scalar(X):
    r = tl.arange(0, 16)
    tl.store(X, 1.0, mask=r < 4)


# HC0202: X=*fp32
@triton.jit
def store_another_shape(X):
    r = tl.arange(0, 16)
    tl.store(X + r, tl.arange(0, 8))


# HC0202: X=*fp32
@triton.jit
def store_a_larger_shape(X):
    r = tl.arange(0, 16)
    tl.store(X + r, r[:, None] + r[None, :])


# HC0205: X=*fp32
@triton.jit
def store_mask_of_integers(X):
    r = tl.arange(0, 16)
    tl.store(X + r, 1.0, mask=r)


# HC0215: X=*fp32
@triton.jit
def store_cache_modifier(X):
    r = tl.arange(0, 16)
    tl.store(X + r, 1.0, cache_modifier=".ca")


# HC0215: X=*fp32
@triton.jit
def store_boundary_check(X):
    r = tl.arange(0, 16)
    tl.store(X + r, 1.0, boundary_check=(0,))


# HC0205: X=*fp32
@triton.jit
def store_a_pointer(X):
    tl.store(X, X)


# HC0204: X=*fp32
@triton.jit
def store_a_string(X):
    tl.store(X, "text")


# HC0204: X=*fp32
@triton.jit
def store_none(X):
    tl.store(X, None)


# HC0204: n=i32
@triton.jit
def atomic_add_to_a_number(n):
    tl.atomic_add(n, 1)


# HC0216: X=*kfp32
@triton.jit
def atomic_add_to_constant(X):
    tl.atomic_add(X, 1.0)


# HC0205: X=*i8
@triton.jit
def atomic_add_of_int8(X):
    tl.atomic_add(X, 1)


# HC0205: X=*i16
@triton.jit
def atomic_add_of_int16(X):
    tl.atomic_add(X, 1)


# HC0205: X=*fp16
@triton.jit
def atomic_max_of_half(X):
    tl.atomic_max(X, 1.0)


# HC0205: X=*bf16
@triton.jit
def atomic_max_of_bf16(X):
    tl.atomic_max(X, 1.0)


# HC0205: X=*fp32
@triton.jit
def atomic_and_of_float(X):
    tl.atomic_and(X, 1)


# HC0205: X=*i16
@triton.jit
def atomic_xor_of_int16(X):
    tl.atomic_xor(X, 1)


# HC0205: X=*fp16
@triton.jit
def atomic_xchg_of_half(X):
    tl.atomic_xchg(X, 1.0)


# HC0205: X=*i8
@triton.jit
def atomic_cas_of_int8(X):
    tl.atomic_cas(X, 0, 1)


# HC0204: X=*i16
@triton.jit
def atomic_cas_of_int16(X):
    tl.atomic_cas(X, 0, 1)


# HC0205: X=*i32
@triton.jit
def atomic_mask_of_integers(X):
    r = tl.arange(0, 16)
    tl.atomic_add(X + r, 1, mask=r)


# HC0215: X=*i32
@triton.jit
def atomic_unknown_semantic(X):
    tl.atomic_add(X, 1, sem="weak")


# HC0215: X=*i32
@triton.jit
def atomic_unknown_scope(X):
    tl.atomic_add(X, 1, scope="world")


# HC0202: X=*i32
@triton.jit
def atomic_another_shape(X):
    r = tl.arange(0, 16)
    tl.atomic_add(X + r, tl.arange(0, 8))


# HC0202: f=fp32
@triton.jit
def dot_of_scalars(f):
    a = tl.dot(f, f)


# HC0202
@triton.jit
def dot_of_vectors():
    r = tl.arange(0, 16)
    a = tl.dot(r, r)


# HC0202
@triton.jit
def dot_k_differs():
    a = tl.zeros((32, 32), tl.float32)
    b = tl.zeros((16, 32), tl.float32)
    c = tl.dot(a, b)


# HC0202
@triton.jit
def dot_ranks_differ():
    a = tl.zeros((32, 32), tl.float32)
    b = tl.zeros((2, 32, 32), tl.float32)
    c = tl.dot(a, b)


# HC0202
@triton.jit
def dot_batches_differ():
    a = tl.zeros((4, 32, 32), tl.float32)
    b = tl.zeros((2, 32, 32), tl.float32)
    c = tl.dot(a, b)


# HC0204
@triton.jit
def dot_dtypes_differ():
    a = tl.zeros((32, 32), tl.float32)
    b = tl.zeros((32, 32), tl.float16)
    c = tl.dot(a, b)


# HC0205
@triton.jit
def dot_of_int32():
    a = tl.zeros((32, 32), tl.int32)
    c = tl.dot(a, a)


# HC0205
@triton.jit
def dot_of_uint8():
    a = tl.zeros((32, 32), tl.uint8)
    c = tl.dot(a, a)


# HC0205
@triton.jit
def dot_of_int16():
    a = tl.zeros((32, 32), tl.int16)
    c = tl.dot(a, a)


# HC0202
@triton.jit
def dot_k_of_8():
    a = tl.zeros((16, 8), tl.float16)
    b = tl.zeros((8, 16), tl.float16)
    c = tl.dot(a, b)


# HC0202
@triton.jit
def dot_k_of_16_for_int8():
    a = tl.zeros((16, 16), tl.int8)
    c = tl.dot(a, a)


# accepted
@triton.jit
def dot_m_of_1():
    a = tl.zeros((1, 16), tl.float16)
    b = tl.zeros((16, 16), tl.float16)
    c = tl.dot(a, b)


# HC0202
@triton.jit
def dot_acc_shape():
    a = tl.zeros((32, 32), tl.float32)
    c = tl.dot(a, a, acc=tl.zeros((16, 32), tl.float32))


# HC0204
@triton.jit
def dot_acc_dtype():
    a = tl.zeros((32, 32), tl.float32)
    c = tl.dot(a, a, acc=tl.zeros((32, 32), tl.float16))


# HC0205
@triton.jit
def dot_out_bf16():
    a = tl.zeros((32, 32), tl.bfloat16)
    c = tl.dot(a, a, out_dtype=tl.bfloat16)


# HC0215
@triton.jit
def dot_unknown_precision():
    a = tl.zeros((32, 32), tl.float32)
    c = tl.dot(a, a, input_precision="fp9")


# HC0107
@triton.jit
def dot_precision_and_tf32():
    a = tl.zeros((32, 32), tl.float32)
    c = tl.dot(a, a, input_precision="ieee", allow_tf32=True)


# HC0215
@triton.jit
def dot_imprecise_accumulations():
    a = tl.zeros((64, 64), tl.float8e5)
    c = tl.dot(a, a, max_num_imprecise_acc=128)


# HC0215
@triton.jit
def dot_scaled_unknown_format():
    a = tl.zeros((32, 64), tl.uint8)
    b = tl.zeros((64, 32), tl.uint8)
    s = tl.zeros((32, 2), tl.uint8)
    c = tl.dot_scaled(a, s, "e3m4", b, s, "e5m2")


# HC0202
@triton.jit
def dot_scaled_scale_shape():
    a = tl.zeros((32, 64), tl.uint8)
    b = tl.zeros((64, 32), tl.uint8)
    s = tl.zeros((32, 4), tl.uint8)
    q = tl.zeros((32, 2), tl.uint8)
    c = tl.dot_scaled(a, s, "e5m2", b, q, "e5m2")


# HC0215
@triton.jit
def dot_scaled_out_dtype():
    a = tl.zeros((32, 64), tl.uint8)
    b = tl.zeros((64, 32), tl.uint8)
    s = tl.zeros((32, 2), tl.uint8)
    c = tl.dot_scaled(a, s, "e5m2", b, s, "e5m2", out_dtype=tl.float16)


# HC0215
@triton.jit
def sum_axis_out_of_range():
    r = tl.arange(0, 16)
    a = tl.sum(r, axis=1)


# HC0215
@triton.jit
def sum_negative_axis_out_of_range():
    r = tl.arange(0, 16)
    a = tl.sum(r, axis=-2)


# HC0215
@triton.jit
def max_axis_out_of_range():
    r = tl.arange(0, 16)
    a = tl.max(r, axis=3)


# HC0215
@triton.jit
def cumsum_axis_out_of_range():
    r = tl.arange(0, 16)
    a = tl.cumsum(r, axis=1)


# HC0213
@triton.jit
def xor_sum_of_floats():
    a = tl.xor_sum(tl.zeros((16,), tl.float32), 0)


# HC0213
@triton.jit
def reduce_or_of_floats():
    a = tl.reduce_or(tl.zeros((16,), tl.float32), 0)


# HC0211
@triton.jit
def reduce_changes_dtype():
    r = tl.arange(0, 16)
    a = tl.reduce(r, 0, add_as_float)


# HC0211
@triton.jit
def reduce_wrong_count():
    r = tl.arange(0, 16)
    a = tl.reduce((r, r), 0, add_pairs_to_one)


# HC0107
@triton.jit
def reduce_function_of_too_few():
    r = tl.arange(0, 16)
    a = tl.reduce((r, r), 0, add)


# HC0202
@triton.jit
def reduce_shapes_differ():
    r = tl.arange(0, 16)
    a = tl.reduce((r, tl.arange(0, 8)), 0, add_pairs)


# accepted
@triton.jit
def reduce_pairs():
    r = tl.arange(0, 16)
    a = tl.reduce((r, r), 0, add_pairs)


# HC0103
@triton.jit
def reduce_with_an_error_inside():
    r = tl.arange(0, 16)
    a = tl.reduce(r, 0, undefined_sum)


# HC0201: n=i32
@triton.jit
def sum_axis_of_a_value(n):
    r = tl.arange(0, 16)
    a = tl.sum(r, axis=n)


# HC0202
@triton.jit
def scan_shapes_differ():
    r = tl.arange(0, 16)
    a = tl.associative_scan((r, tl.arange(0, 8)), 0, add_pairs)


# HC0215
@triton.jit
def scan_axis_out_of_range():
    r = tl.arange(0, 16)
    a = tl.associative_scan(r, 1, add)


# HC0202
@triton.jit
def histogram_of_two_dimensions():
    a = tl.histogram(tl.zeros((4, 4), tl.int32), 8)


# HC0205
@triton.jit
def histogram_of_floats():
    a = tl.histogram(tl.zeros((16,), tl.float32), 8)


# HC0205
@triton.jit
def histogram_mask_of_integers():
    r = tl.arange(0, 16)
    a = tl.histogram(r, 8, mask=r)


# HC0213
@triton.jit
def sort_other_dimension():
    a = tl.sort(tl.zeros((4, 4), tl.float32), dim=0)


# HC0214
@triton.jit
def flip_out_of_range():
    a = tl.flip(tl.zeros((4, 4), tl.float32), dim=2)


# HC0213
@triton.jit
def topk_other_dimension():
    a = tl.topk(tl.zeros((4, 4), tl.float32), 2, dim=0)


# accepted
@triton.jit
def topk_of_3():
    a = tl.topk(tl.zeros((16,), tl.float32), 3)


# HC0215
@triton.jit
def softmax_axis():
    a = tl.softmax(tl.zeros((16,), tl.float32), dim=2)


# HC0202
@triton.jit
def interleave_shapes():
    a = tl.interleave(tl.arange(0, 4), tl.arange(0, 8))


# HC0109: n=i32
@triton.jit
def ravel_of_a_scalar(n):
    a = tl.ravel(n)


# HC0213
@triton.jit
def squeeze_of_four():
    a = tl.squeeze(tl.zeros((4, 4), tl.float32), 0)


# HC0202: X=*fp32
@triton.jit
def block_pointer_strides(X):
    p = tl.make_block_ptr(X, (64, 64), (64,), (0, 0), (16, 16), (1, 0))


# HC0202: X=*fp32
@triton.jit
def block_pointer_offsets(X):
    p = tl.make_block_ptr(X, (64, 64), (64, 1), (0,), (16, 16), (1, 0))


# HC0202: X=*fp32
@triton.jit
def block_pointer_block(X):
    p = tl.make_block_ptr(X, (64, 64), (64, 1), (0, 0), (16,), (1, 0))


# HC0215: X=*fp32
@triton.jit
def block_pointer_order(X):
    p = tl.make_block_ptr(X, (64, 64), (64, 1), (0, 0), (16, 16), (1, 1))


# accepted: X=*fp32
@triton.jit
def block_pointer_of_17(X):
    p = tl.make_block_ptr(X, (64, 64), (64, 1), (0, 0), (17, 16), (1, 0))


# HC0204: n=i32
@triton.jit
def block_pointer_of_a_number(n):
    p = tl.make_block_ptr(n, (64, 64), (64, 1), (0, 0), (16, 16), (1, 0))


# HC0204: X=*fp32
@triton.jit
def block_pointer_of_a_tile(X):
    r = tl.arange(0, 16)
    p = tl.make_block_ptr(X + r, (64,), (1,), (0,), (16,), (0,))


# HC0205: X=*fp32
@triton.jit
def block_pointer_float_shape(X):
    p = tl.make_block_ptr(X, (64.0, 64), (64, 1), (0, 0), (16, 16), (1, 0))


# HC0202: X=*fp32
@triton.jit
def block_pointer_nothing(X):
    p = tl.make_block_ptr(X, (), (), (), (), ())


# HC0202: X=*fp32
@triton.jit
def advance_wrong_count(X):
    p = tl.make_block_ptr(X, (64, 64), (64, 1), (0, 0), (16, 16), (1, 0))
    p = tl.advance(p, (16,))


# HC0204: X=*fp32
@triton.jit
def advance_a_pointer(X):
    p = tl.advance(X, (16,))


# HC0218: X=*fp32
@triton.jit
def advance_unused(X):
    p = tl.make_block_ptr(X, (64, 64), (64, 1), (0, 0), (16, 16), (1, 0))
    tl.advance(p, (16, 16))


# HC0215: X=*fp32
@triton.jit
def block_load_with_mask(X):
    p = tl.make_block_ptr(X, (64, 64), (64, 1), (0, 0), (16, 16), (1, 0))
    a = tl.load(p, mask=True)


# HC0215: X=*fp32
@triton.jit
def block_boundary_twice(X):
    p = tl.make_block_ptr(X, (64, 64), (64, 1), (0, 0), (16, 16), (1, 0))
    a = tl.load(p, boundary_check=(0, 0))


# HC0215: X=*fp32
@triton.jit
def block_boundary_range(X):
    p = tl.make_block_ptr(X, (64, 64), (64, 1), (0, 0), (16, 16), (1, 0))
    a = tl.load(p, boundary_check=(2,))


# HC0215: X=*fp32
@triton.jit
def block_padding_unknown(X):
    p = tl.make_block_ptr(X, (64, 64), (64, 1), (0, 0), (16, 16), (1, 0))
    a = tl.load(p, boundary_check=(0,), padding_option="one")


# HC0215: X=*i32
@triton.jit
def block_padding_nan_of_integers(X):
    p = tl.make_block_ptr(X, (64, 64), (64, 1), (0, 0), (16, 16), (1, 0))
    a = tl.load(p, boundary_check=(0,), padding_option="nan")


# HC0215: X=*fp32
@triton.jit
def block_store_with_mask(X):
    p = tl.make_block_ptr(X, (64, 64), (64, 1), (0, 0), (16, 16), (1, 0))
    tl.store(p, tl.zeros((16, 16), tl.float32), mask=True)


# HC0202: X=*fp32
@triton.jit
def block_store_shape(X):
    p = tl.make_block_ptr(X, (64, 64), (64, 1), (0, 0), (16, 16), (1, 0))
    tl.store(p, tl.zeros((8, 16), tl.float32))


# HC0204: n=i32
@triton.jit
def descriptor_of_a_number(n):
    d = tl.make_tensor_descriptor(n, [64, 64], [64, 1], [16, 16])


# HC0202: X=*fp32
@triton.jit
def descriptor_strides(X):
    d = tl.make_tensor_descriptor(X, [64, 64], [1], [16, 16])


# HC0202: X=*fp32
@triton.jit
def descriptor_block(X):
    d = tl.make_tensor_descriptor(X, [64, 64], [64, 1], [16])


# HC0215: X=*fp32
@triton.jit
def descriptor_last_stride(X):
    d = tl.make_tensor_descriptor(X, [64, 64], [64, 2], [16, 16])


# HC0203: X=*fp32
@triton.jit
def descriptor_small_block(X):
    d = tl.make_tensor_descriptor(X, [64, 64], [64, 1], [16, 2])


# HC0202: X=*fp32
@triton.jit
def descriptor_six_dimensions(X):
    d = tl.make_tensor_descriptor(X, [4] * 6, [4] * 5 + [1], [4] * 6)


# HC0215: X=*i32
@triton.jit
def descriptor_nan_of_integers(X):
    d = tl.make_tensor_descriptor(X, [64, 64], [64, 1], [16, 16], padding_option="nan")


# HC0202: X=*fp32
@triton.jit
def descriptor_load_offsets(X):
    d = tl.make_tensor_descriptor(X, [64, 64], [64, 1], [16, 16])
    a = d.load([0])


# HC0202: X=*fp32
@triton.jit
def descriptor_store_shape(X):
    d = tl.make_tensor_descriptor(X, [64, 64], [64, 1], [16, 16])
    d.store([0, 0], tl.zeros((8, 16), tl.float32))


# HC0202: X=*fp32
@triton.jit
def descriptor_gather_block(X):
    d = tl.make_tensor_descriptor(X, [64, 64], [64, 1], [16, 16])
    a = d.gather(tl.arange(0, 16), 0)


# HC0205: X=*i8
@triton.jit
def descriptor_atomic_of_int8(X):
    d = tl.make_tensor_descriptor(X, [64, 64], [64, 1], [16, 16])
    d.atomic_add([0, 0], tl.zeros((16, 16), tl.int8))


# HC0205: X=*fp32
@triton.jit
def descriptor_atomic_and_of_floats(X):
    d = tl.make_tensor_descriptor(X, [64, 64], [64, 1], [16, 16])
    d.atomic_and([0, 0], tl.zeros((16, 16), tl.float32))


# HC0204: X=*fp32
@triton.jit
def load_descriptor_of_a_pointer(X):
    a = tl.load_tensor_descriptor(X, [0, 0])


# HC0215: n=i32
@triton.jit
def print_without_prefix(n):
    print(n)


# HC0215: n=i32
@triton.jit
def print_with_a_strange_prefix(n):
    print("π", n)


# HC0204
@triton.jit
def print_of_a_string():
    print("a", "b")


# HC0107: n=i32
@triton.jit
def print_with_sep(n):
    print("a", n, sep=",")


# HC0204
@triton.jit
def assert_of_none():
    tl.device_assert(None)


# HC0215: n=i32
@triton.jit
def inline_asm_without_text(n):
    a = tl.inline_asm_elementwise(n, "=r,r", [n], tl.int32, True, 1)


# HC0205: X=*i64
@triton.jit
def histogram_of_int64(X):
    x = tl.load(X + tl.arange(0, 8))
    h = tl.histogram(x, 4)


# HC0205: X=*i8
@triton.jit
def histogram_of_int8(X):
    x = tl.load(X + tl.arange(0, 8))
    h = tl.histogram(x, 4)


# HC0205
@triton.jit
def full_of_an_amd_float8():
    x = tl.full((32, 32), 0.0, tl.float8e4b8)
    y = tl.dot(x, x)


# HC0202
@triton.jit
def dot_scaled_groups_differ():
    a = tl.full((32, 64), 0, tl.uint8)
    b = tl.full((64, 32), 0, tl.uint8)
    s = tl.full((32, 4), 0, tl.uint8)
    t = tl.full((32, 2), 0, tl.uint8)
    acc = tl.dot_scaled(a, s, "e5m2", b, t, "e5m2")
