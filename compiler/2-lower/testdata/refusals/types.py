"""Operators, dtypes, shapes and mathematics that Triton rejects, or accepts against expectation.

The comment above a kernel says what we answer and for which arguments; `refusals.json` says what Triton
3.8 answers, and at which line.
"""

import triton
import triton.language as tl


# HC0204: X=*i32 Y=*u32
@triton.jit
def mod_of_two_signs(X, Y):
    a = tl.load(X)
    b = tl.load(Y)
    c = a % b


# HC0204: X=*i32 Y=*u32
@triton.jit
def floor_division_of_two_signs(X, Y):
    a = tl.load(X)
    b = tl.load(Y)
    c = a // b


# HC0204: X=*i32 Y=*u32
@triton.jit
def division_of_two_signs(X, Y):
    a = tl.load(X)
    b = tl.load(Y)
    c = a / b


# HC0205: X=*fp32
@triton.jit
def floor_division_of_floats(X):
    a = tl.load(X)
    b = a // a


# HC0205: X=*i32
@triton.jit
def floor_division_by_a_float(X):
    a = tl.load(X)
    b = a // 2.0


# HC0205: X=*fp32
@triton.jit
def bitwise_and_of_floats(X):
    a = tl.load(X)
    b = a & a


# HC0205: X=*i32
@triton.jit
def bitwise_or_with_a_float(X):
    a = tl.load(X)
    b = a | 1.0


# HC0205: X=*fp32
@triton.jit
def shift_of_a_float(X):
    a = tl.load(X)
    b = a << 1


# HC0204: X=*fp32
@triton.jit
def invert_a_float(X):
    a = tl.load(X)
    b = ~a


# HC0204: X=*fp32
@triton.jit
def invert_a_pointer(X):
    b = ~X


# HC0204: X=*fp32
@triton.jit
def negate_a_pointer(X):
    b = -X


# HC0204: X=*fp32
@triton.jit
def add_pointers(X):
    b = X + X


# HC0204: X=*fp32
@triton.jit
def add_float_to_pointer(X):
    b = X + 1.0


# HC0204: X=*fp32 f=fp32
@triton.jit
def add_float_tensor_to_pointer(X, f):
    b = X + f


# HC0204: X=*fp32
@triton.jit
def pointer_minus_pointer(X):
    b = X - X


# HC0204: X=*fp32 n=i32
@triton.jit
def integer_minus_pointer(X, n):
    b = n - X


# accepted: X=*fp32 n=i32
@triton.jit
def pointer_minus_integer(X, n):
    b = X - n


# HC0204: X=*fp32
@triton.jit
def multiply_a_pointer(X):
    b = X * 2


# HC0204: X=*fp32
@triton.jit
def divide_a_pointer(X):
    b = X / 2


# HC0204: X=*fp32
@triton.jit
def and_of_a_pointer(X):
    b = X & 15


# HC0204: X=*fp32
@triton.jit
def compare_pointer_with_float(X):
    b = X == 1.0


# HC0204: X=*fp32
@triton.jit
def compare_pointers(X):
    b = X == X


# HC0204: n=i32
@triton.jit
def not_of_an_integer(n):
    b = not n


# HC0204: n=i32
@triton.jit
def and_of_integers(n):
    b = n and n


# accepted: n=i32
@triton.jit
def and_of_conditions(n):
    b = n > 1 and n < 3


# accepted: n=i32
@triton.jit
def not_of_a_condition(n):
    b = not (n > 1)


# HC0204
@triton.jit
def or_of_integer_tiles():
    x = tl.arange(0, 4)
    b = x or x


# HC0204: X=*u32
@triton.jit
def negative_with_unsigned(X):
    a = tl.load(X)
    b = a + -1


# HC0207: X=*i8
@triton.jit
def scalar_out_of_range(X):
    a = tl.load(X)
    b = a + 300


# HC0207: X=*i8
@triton.jit
def scalar_below_range(X):
    a = tl.load(X)
    b = a - -129


# accepted: X=*i8
@triton.jit
def scalar_in_range(X):
    a = tl.load(X)
    b = a + 127


# accepted: n=i32
@triton.jit
def scalar_out_of_range_of_bool(n):
    b = (n > 1) & 2


# HC0207
@triton.jit
def integer_beyond_64_bits():
    a = 2**70


# HC0214
@triton.jit
def string_plus_number():
    a: tl.constexpr = 0 + "a"


# HC0214
@triton.jit
def shift_of_a_constant_float():
    a = 1.0 << 1


# HC0214
@triton.jit
def minus_a_tuple():
    a = -(0, 0)


# HC0204
@triton.jit
def string_assigned():
    a = "text"


# accepted
@triton.jit
def string_constexpr():
    a: tl.constexpr = "text"


# HC0214
@triton.jit
def division_by_zero():
    a = 1 // 0


# HC0214: N==0
@triton.jit
def constant_division_by_zero(N: tl.constexpr):
    a = 4 / N


# HC0214
@triton.jit
def tuple_index_out_of_range():
    a = (1, 2)[2]


# HC0201: n=i32
@triton.jit
def tuple_index_at_run_time(n):
    a = (1, 2)[n]


# HC0202
@triton.jit
def shapes_differ():
    a = tl.arange(0, 4) + tl.arange(0, 8)


# HC0202
@triton.jit
def shapes_differ_in_comparison():
    a = tl.arange(0, 4) < tl.arange(0, 8)


# HC0202
@triton.jit
def shapes_differ_in_where():
    a = tl.arange(0, 4)
    b = tl.where(a > 2, a, tl.arange(0, 8))


# HC0202
@triton.jit
def condition_shape_differs():
    a = tl.arange(0, 4)
    b = tl.where(tl.arange(0, 8) > 2, a, a)


# accepted
@triton.jit
def where_with_number_condition():
    a = tl.arange(0, 4)
    b = tl.where(a, 1.0, 2.0)


# HC0205: f=fp32
@triton.jit
def float_to_pointer(f):
    p = f.to(tl.pointer_type(tl.float32))


# HC0205: n=i32
@triton.jit
def int32_to_pointer(n):
    p = n.to(tl.pointer_type(tl.float32))


# accepted: n=i64
@triton.jit
def int64_to_pointer(n):
    p = n.to(tl.pointer_type(tl.float32))


# HC0205: X=*fp32
@triton.jit
def pointer_to_float(X):
    p = X.to(tl.float32)


# accepted: X=*fp32
@triton.jit
def pointer_to_int64(X):
    p = X.to(tl.int64)


# accepted: X=*fp32
@triton.jit
def pointer_to_int1(X):
    p = X.to(tl.int1)


# HC0205: X=*fp32
@triton.jit
def pointer_to_int32(X):
    p = X.to(tl.int32)


# HC0204: n=i32
@triton.jit
def bitcast_between_widths(n):
    p = n.to(tl.float16, bitcast=True)


# accepted: n=i32
@triton.jit
def bitcast_same_width(n):
    p = n.to(tl.float32, bitcast=True)


# HC0215: f=fp32
@triton.jit
def unknown_rounding(f):
    p = f.to(tl.float16, fp_downcast_rounding="up")


# HC0215: h=fp16
@triton.jit
def rounding_of_a_widening(h):
    p = h.to(tl.float32, fp_downcast_rounding="rtz")


# HC0215: n=i32
@triton.jit
def rounding_of_an_integer(n):
    p = n.to(tl.float32, fp_downcast_rounding="rtz")


# HC0215: n=i32
@triton.jit
def cast_to_a_string(n):
    p = n.to("float32")


# HC0215: n=i32
@triton.jit
def cast_to_a_value(n):
    p = n.to(n)


# HC0205: X=*i8
@triton.jit
def integer_to_fp8(X):
    a = tl.load(X).to(tl.float8e5)


# HC0203
@triton.jit
def arange_of_seven():
    a = tl.arange(0, 7)


# HC0203
@triton.jit
def arange_from_two_to_seven():
    a = tl.arange(2, 7)


# HC0215
@triton.jit
def arange_backwards():
    a = tl.arange(8, 0)


# HC0215
@triton.jit
def arange_of_nothing():
    a = tl.arange(4, 4)


# HC0201: n=i32
@triton.jit
def arange_of_a_value(n):
    a = tl.arange(0, n)


# HC0215
@triton.jit
def arange_of_a_float():
    a = tl.arange(0, 4.0)


# HC0215
@triton.jit
def arange_beyond_int32():
    a = tl.arange(0, 2**32)


# HC0215
@triton.jit
def arange_below_int32():
    a = tl.arange(-(2**32), 0)


# HC0215
@triton.jit
def arange_negative_start():
    a = tl.arange(-4, 4)


# HC0217
@triton.jit
def arange_too_large():
    a = tl.arange(0, 2**21)


# HC0203
@triton.jit
def full_of_33():
    a = tl.full((33,), 0, dtype=tl.int64)


# HC0203
@triton.jit
def zeros_of_3():
    a = tl.zeros((4, 3), tl.float32)


# HC0217
@triton.jit
def zeros_too_large():
    a = tl.zeros((2048, 1024), tl.float32)


# HC0201: n=i32
@triton.jit
def zeros_of_a_value(n):
    a = tl.zeros((n,), tl.float32)


# HC0215
@triton.jit
def full_without_dtype():
    a = tl.full((4,), 1, None)


# HC0202
@triton.jit
def full_of_a_tile():
    a = tl.full((4,), tl.arange(0, 4), tl.int32)


# HC0203
@triton.jit
def zero_sized():
    a = tl.zeros((0,), tl.float32)


# HC0215
@triton.jit
def program_id_3():
    a = tl.program_id(3)


# HC0215
@triton.jit
def program_id_negative():
    a = tl.program_id(-1)


# HC0201: n=i32
@triton.jit
def program_id_of_a_value(n):
    a = tl.program_id(n)


# HC0215
@triton.jit
def num_programs_3():
    a = tl.num_programs(3)


# HC0102
@triton.jit
def index_by_number():
    a = tl.arange(0, 4)
    b = a[0]


# HC0102
@triton.jit
def index_by_slice():
    a = tl.arange(0, 4)
    b = a[0:2]


# HC0102
@triton.jit
def index_by_tile():
    a = tl.arange(0, 4)
    b = a[a]


# accepted
@triton.jit
def index_too_many():
    a = tl.arange(0, 4)
    b = a[:, :]


# accepted
@triton.jit
def index_none():
    a = tl.arange(0, 4)
    b = a[None, :, None]


# HC0102
@triton.jit
def index_ellipsis():
    a = tl.arange(0, 4)
    b = a[..., None]


# HC0215
@triton.jit
def expand_dims_low():
    a = tl.arange(0, 4)
    b = tl.expand_dims(a, -3)


# HC0215
@triton.jit
def expand_dims_high():
    a = tl.arange(0, 4)
    b = tl.expand_dims(a, 2)


# HC0215
@triton.jit
def expand_dims_second_high():
    a = tl.arange(0, 4)
    b = tl.expand_dims(a, (0, 3))


# HC0215
@triton.jit
def expand_dims_twice():
    a = tl.arange(0, 4)
    b = tl.expand_dims(a, (0, -3))


# HC0204
@triton.jit
def expand_dims_of_none():
    tl.arange(0, 4)
    tl.expand_dims(None, -1)


# HC0202
@triton.jit
def reshape_changes_count():
    a = tl.arange(0, 4)
    b = tl.reshape(a, (8,))


# HC0202
@triton.jit
def view_changes_count():
    a = tl.arange(0, 4)
    b = a.view(2, 4)


# HC0203
@triton.jit
def reshape_to_3():
    a = tl.arange(0, 4)
    b = tl.reshape(a, (3, 1))


# HC0202
@triton.jit
def broadcast_ranks():
    a = tl.arange(0, 4)
    b = tl.broadcast_to(a, (2, 4))


# HC0202
@triton.jit
def broadcast_sizes():
    a = tl.arange(0, 4)[:, None]
    b = tl.broadcast_to(a, (2, 4))


# HC0202
@triton.jit
def broadcast_two():
    a = tl.broadcast(tl.arange(0, 4), tl.arange(0, 8))


# HC0202
@triton.jit
def permute_wrong_count():
    a = tl.zeros((4, 4), tl.float32)
    b = tl.permute(a, (0,))


# HC0215
@triton.jit
def permute_no_permutation():
    a = tl.zeros((4, 4), tl.float32)
    b = tl.permute(a, (0, 0))


# HC0202
@triton.jit
def trans_of_a_vector():
    a = tl.arange(0, 4)
    b = tl.trans(a)


# HC0202
@triton.jit
def trans_of_three():
    a = tl.zeros((4, 4, 4), tl.float32)
    b = tl.trans(a, (1, 0))


# HC0202
@triton.jit
def join_of_two_shapes():
    a = tl.join(tl.arange(0, 4), tl.arange(0, 8))


# HC0202
@triton.jit
def split_of_four():
    a = tl.zeros((4, 4), tl.float32)
    b, c = tl.split(a)


# HC0202: n=i32
@triton.jit
def split_of_a_scalar(n):
    b, c = tl.split(n)


# HC0202
@triton.jit
def cat_of_two_ranks():
    a = tl.cat(tl.arange(0, 4), tl.zeros((4, 4), tl.int32), can_reorder=True)


# HC0202
@triton.jit
def unsplat_of_four():
    a = tl.arange(0, 4).item()


# HC0202
@triton.jit
def gather_ranks():
    a = tl.zeros((4, 4), tl.float32)
    b = tl.gather(a, tl.arange(0, 4), 0)


# HC0215
@triton.jit
def gather_axis():
    a = tl.zeros((4, 4), tl.float32)
    b = tl.gather(a, tl.zeros((4, 4), tl.int32), 2)


# HC0205
@triton.jit
def gather_float_index():
    a = tl.zeros((4, 4), tl.float32)
    b = tl.gather(a, a, 0)


# HC0202
@triton.jit
def gather_other_dimension():
    a = tl.zeros((4, 4), tl.float32)
    b = tl.gather(a, tl.zeros((4, 8), tl.int32), 0)


# HC0202
@triton.jit
def multiple_of_wrong_count():
    a = tl.arange(0, 4)
    b = tl.multiple_of(a, (4, 4))


# HC0201: n=i32
@triton.jit
def multiple_of_a_value(n):
    a = tl.arange(0, 4)
    b = tl.multiple_of(a, n)


# HC0215
@triton.jit
def multiple_of_a_float():
    a = tl.arange(0, 4)
    b = tl.multiple_of(a, 4.0)


# HC0202
@triton.jit
def max_contiguous_wrong_count():
    a = tl.arange(0, 4)
    b = tl.max_contiguous(a, (4, 4))


# HC0202
@triton.jit
def max_constancy_wrong_count():
    a = tl.arange(0, 4)
    b = tl.max_constancy(a, (4, 4))


# HC0205: h=fp16
@triton.jit
def exp_of_half(h):
    b = tl.exp(h)


# HC0205: h=fp16
@triton.jit
def log_of_half(h):
    b = tl.log(h)


# HC0205: h=fp16
@triton.jit
def sin_of_half(h):
    b = tl.sin(h)


# HC0205: h=fp16
@triton.jit
def cos_of_half(h):
    b = tl.cos(h)


# HC0205: h=fp16
@triton.jit
def sqrt_of_half(h):
    b = tl.sqrt(h)


# HC0205: h=fp16
@triton.jit
def exp2_of_half(h):
    b = tl.exp2(h)


# HC0205: h=fp16
@triton.jit
def log2_of_half(h):
    b = tl.log2(h)


# HC0205: h=fp16
@triton.jit
def rsqrt_of_half(h):
    b = tl.rsqrt(h)


# HC0205: h=fp16
@triton.jit
def erf_of_half(h):
    b = tl.erf(h)


# HC0205: h=fp16
@triton.jit
def floor_of_half(h):
    b = tl.floor(h)


# HC0205: h=fp16
@triton.jit
def ceil_of_half(h):
    b = tl.ceil(h)


# HC0205: n=i32
@triton.jit
def exp_of_an_integer(n):
    b = tl.exp(n)


# HC0205: h=fp16
@triton.jit
def sqrt_rn_of_half(h):
    b = tl.sqrt_rn(h)


# HC0205: h=fp16
@triton.jit
def div_rn_of_half(h):
    b = tl.div_rn(h, h)


# HC0205: X=*i16
@triton.jit
def umulhi_of_int16(X):
    a = tl.load(X)
    b = tl.umulhi(a, a)


# HC0205: f=fp32
@triton.jit
def umulhi_of_float(f):
    b = tl.umulhi(f, f)


# HC0205: n=i32
@triton.jit
def fdiv_of_integers(n):
    b = tl.fdiv(n, n)


# accepted: f=fp32
@triton.jit
def fdiv_of_floats(f):
    b = tl.fdiv(f, f)


# HC0205: n=i32
@triton.jit
def clamp_of_integers(n):
    b = tl.clamp(n, 0, 4)


# HC0215: f=fp32
@triton.jit
def maximum_unknown_nan_rule(f):
    b = tl.maximum(f, f, propagate_nan="all")


# HC0204: X=*fp32
@triton.jit
def maximum_of_pointers(X):
    b = tl.maximum(X, X)


# HC0205: X=*fp32
@triton.jit
def abs_of_a_pointer(X):
    b = tl.abs(X)


# accepted: u=u32
@triton.jit
def abs_of_unsigned(u):
    b = tl.abs(u)


# HC0214: A==float("nan")
@triton.jit
def constexpr_max_of_nan(A: tl.constexpr):
    b = max(1.0, A)


# HC0214: A==-0.0
@triton.jit
def constexpr_min_of_minus_zero(A: tl.constexpr):
    b = min(1.0, A)


# HC0107: n=i32
@triton.jit
def max_of_one(n):
    b = max(n)


# HC0107
@triton.jit
def min_of_nothing():
    b = min()
