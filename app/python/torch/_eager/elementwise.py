"""Elementwise operations: any strides, broadcasting, and conversions on the way in and out. An element is loaded,
converted to the dtype that is computed in, given to a function of one element, and converted to the result's dtype.
"""

import json

import triton
import triton.language as tl
from triton.language.extra import libdevice

from .. import _core as core
from . import kernel_for, launched

#: Dtypes that kernels here compute in and store. float64, which WebGPU lacks, would be emulated.
TYPES = {
    "float32": tl.float32, "float16": tl.float16, "bfloat16": tl.bfloat16, "int64": tl.int64, "int32": tl.int32,
    "int16": tl.int16, "int8": tl.int8, "uint8": tl.uint8, "bool": tl.int1,
}  # fmt: skip
#: Elements of a program; fewer where an element's place takes divisions, which make code long.
_BLOCK, _BLOCK_OF_STRIDES = 1024, 256


# ── addresses ───────────────────────────────────────────────────────────────────────────────────


@triton.jit
def place(i, sizes, strides, RANK: tl.constexpr):
    """Where element `i`, counted row by row, lies in a window; in elements."""
    at = i * 0
    for k in tl.static_range(RANK - 1):
        at += (i % sizes[RANK - 1 - k]) * strides[RANK - 1 - k]
        i = i // sizes[RANK - 1 - k]
    return at + i * strides[0]


def collapse(shape, *strides):
    """The same windows in as few dimensions as there can be, at least one: (sizes, (strides of each …))."""
    dims = [(s, *each) for s, *each in zip(shape, *strides) if s != 1]
    dims.sort(key=lambda dim: [-d for d in dim[1:]])
    merged = []
    for dim in dims:
        if merged and all(outer == inner * dim[0] for outer, inner in zip(merged[-1][1:], dim[1:])):
            merged[-1] = (merged[-1][0] * dim[0], *dim[1:])
        else:
            merged.append(dim)
    merged = merged or [(1, *[1 for _ in strides])]
    sizes, *rest = zip(*merged)
    return sizes, rest


@triton.jit
def converted(x, T: tl.constexpr):
    if T == tl.int1:
        return x != 0
    else:
        return x.to(T)


# ── functions of one element ────────────────────────────────────────────────────────────────────


@triton.jit
def _same(x):
    return x


@triton.jit
def _neg(x):
    return -x


@triton.jit
def _abs(x):
    return tl.abs(x)


@triton.jit
def _exp(x):
    return tl.exp(x)


@triton.jit
def _exp2(x):
    return tl.exp2(x)


@triton.jit
def _log(x):
    # SwiftShader gives a finite number for −0.
    return tl.where(x == 0, float("-inf"), tl.log(x))


@triton.jit
def _log2(x):
    return tl.where(x == 0, float("-inf"), tl.log2(x))


@triton.jit
def _sqrt(x):
    return tl.sqrt_rn(x)


@triton.jit
def _rsqrt(x):
    return 1.0 / tl.sqrt_rn(x)


@triton.jit
def _sin(x):
    return tl.sin(x)


@triton.jit
def _cos(x):
    return tl.cos(x)


@triton.jit
def _erf(x):
    return tl.erf(x)


@triton.jit
def _tanh(x):
    return libdevice.tanh(x)


@triton.jit
def _log1p(x):
    return libdevice.log1p(x)


@triton.jit
def _expm1(x):
    return libdevice.expm1(x)


@triton.jit
def _sigmoid(x):
    return 1.0 / (1.0 + tl.exp(-x))


@triton.jit
def _floor(x):
    return tl.floor(x)


@triton.jit
def _ceil(x):
    return tl.ceil(x)


@triton.jit
def _round(x):
    return libdevice.rint(x)


@triton.jit
def _trunc(x):
    return libdevice.trunc(x)


@triton.jit
def _reciprocal(x):
    return tl.div_rn(1.0, x)


@triton.jit
def _square(x):
    return x * x


@triton.jit
def _sign(x):
    return (x > 0).to(x.dtype) - (x < 0).to(x.dtype)


@triton.jit
def _relu(x):
    # NaN stays: it is not less than 0.
    return tl.where(x <= 0, 0, x)


@triton.jit
def _gelu(x):
    return x * 0.5 * (1.0 + tl.erf(x * 0.7071067811865476))


@triton.jit
def _gelu_tanh(x):
    return 0.5 * x * (1.0 + libdevice.tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))


@triton.jit
def _silu(x):
    return x / (1.0 + tl.exp(-x))


@triton.jit
def _softplus(x):
    return tl.where(x > 20.0, x, libdevice.log1p(tl.exp(tl.where(x > 20.0, 0.0, x))))


@triton.jit
def _logical_not(x):
    return x == 0


@triton.jit
def _bitwise_not(x):
    return ~x


@triton.jit
def _isnan(x):
    return x != x


@triton.jit
def _isinf(x):
    return tl.abs(x) == float("inf")


@triton.jit
def _isfinite(x):
    return tl.abs(x) < float("inf")


UNARY = {
    "neg": _neg, "abs": _abs, "exp": _exp, "exp2": _exp2, "log": _log, "log2": _log2, "sqrt": _sqrt,
    "rsqrt": _rsqrt, "sin": _sin, "cos": _cos, "erf": _erf, "tanh": _tanh, "log1p": _log1p, "expm1": _expm1,
    "sigmoid": _sigmoid, "floor": _floor, "ceil": _ceil, "round": _round, "trunc": _trunc,
    "reciprocal": _reciprocal, "square": _square, "sign": _sign, "relu": _relu, "gelu": _gelu,
    "gelu_tanh": _gelu_tanh, "silu": _silu, "softplus": _softplus, "logical_not": _logical_not,
    "isnan": _isnan, "isinf": _isinf, "isfinite": _isfinite, "positive": _same,
}  # fmt: skip
#: Functions of integers; the others are of floats.
UNARY_OF_INTEGERS = {
    "neg": _neg, "abs": _abs, "square": _square, "sign": _sign, "relu": _relu, "logical_not": _logical_not,
    "bitwise_not": _bitwise_not, "positive": _same,
}  # fmt: skip


@triton.jit
def _add(a, b):
    return a + b


@triton.jit
def _sub(a, b):
    return a - b


@triton.jit
def _mul(a, b):
    return a * b


@triton.jit
def _div(a, b):
    return tl.div_rn(a, b)


@triton.jit
def _maximum(a, b):
    return tl.where(a != a, a, tl.where(b != b, b, tl.where(a > b, a, b)))


@triton.jit
def _minimum(a, b):
    return tl.where(a != a, a, tl.where(b != b, b, tl.where(a < b, a, b)))


@triton.jit
def _fmax(a, b):
    return tl.where(a != a, b, tl.where(b != b, a, tl.where(a > b, a, b)))


@triton.jit
def _fmin(a, b):
    return tl.where(a != a, b, tl.where(b != b, a, tl.where(a < b, a, b)))


@triton.jit
def _pow(a, b):
    return libdevice.pow(a, b)


@triton.jit
def _pow2(a, b):
    return a * a


@triton.jit
def _eq(a, b):
    return a == b


@triton.jit
def _ne(a, b):
    return a != b


@triton.jit
def _lt(a, b):
    return a < b


@triton.jit
def _le(a, b):
    return a <= b


@triton.jit
def _gt(a, b):
    return a > b


@triton.jit
def _ge(a, b):
    return a >= b


@triton.jit
def _logical_and(a, b):
    return (a != 0) & (b != 0)


@triton.jit
def _logical_or(a, b):
    return (a != 0) | (b != 0)


@triton.jit
def _logical_xor(a, b):
    return (a != 0) ^ (b != 0)


@triton.jit
def _and(a, b):
    return a & b


@triton.jit
def _or(a, b):
    return a | b


@triton.jit
def _xor(a, b):
    return a ^ b


_COMPARISONS = {
    "eq": _eq, "ne": _ne, "lt": _lt, "le": _le, "gt": _gt, "ge": _ge, "logical_and": _logical_and,
    "logical_or": _logical_or, "logical_xor": _logical_xor,
}  # fmt: skip
_EITHER = {
    "add": _add, "sub": _sub, "mul": _mul, "maximum": _maximum, "minimum": _minimum, "fmax": _fmax, "fmin": _fmin,
    **_COMPARISONS,
}  # fmt: skip
BINARY = {**_EITHER, "div": _div, "pow": _pow}
BINARY_OF_INTEGERS = {**_EITHER, "bitwise_and": _and, "bitwise_or": _or, "bitwise_xor": _xor}
#: Functions of bool; its sums and products are other operations.
BINARY_OF_BOOLS = {**_COMPARISONS, "bitwise_and": _and, "bitwise_or": _or, "bitwise_xor": _xor}
del BINARY_OF_BOOLS["lt"], BINARY_OF_BOOLS["le"], BINARY_OF_BOOLS["gt"], BINARY_OF_BOOLS["ge"]


# ── kernels ─────────────────────────────────────────────────────────────────────────────────────


@triton.jit
def operand(x, i, mask, sizes, strides, T: tl.constexpr, RANK: tl.constexpr, IS_TENSOR: tl.constexpr):
    """An operand's elements, or its one number, in the dtype that is computed in."""
    if IS_TENSOR:
        return converted(tl.load(x + place(i, sizes, strides, RANK), mask=mask), T)
    elif T == tl.int1:
        return tl.zeros(i.shape, tl.float32) + x != 0
    else:
        return tl.zeros(i.shape, T) + tl.full((), x, T)


@triton.jit
def torch_unary(
    out, x, n, sizes, out_strides, x_strides, FN: tl.constexpr, T: tl.constexpr, RANK: tl.constexpr,
    X: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    y = FN(operand(x, i, mask, sizes, x_strides, T, RANK, X))
    tl.store(out + place(i, sizes, out_strides, RANK), converted(y, out.dtype.element_ty), mask=mask)


@triton.jit
def torch_binary(
    out, a, b, n, sizes, out_strides, a_strides, b_strides, FN: tl.constexpr, T: tl.constexpr,
    RANK: tl.constexpr, A: tl.constexpr, B: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    x = operand(a, i, mask, sizes, a_strides, T, RANK, A)
    y = operand(b, i, mask, sizes, b_strides, T, RANK, B)
    tl.store(out + place(i, sizes, out_strides, RANK), converted(FN(x, y), out.dtype.element_ty), mask=mask)


@triton.jit
def torch_where(
    out, c, a, b, n, sizes, out_strides, c_strides, a_strides, b_strides, T: tl.constexpr, RANK: tl.constexpr,
    C: tl.constexpr, A: tl.constexpr, B: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    condition = operand(c, i, mask, sizes, c_strides, tl.int1, RANK, C)
    x = operand(a, i, mask, sizes, a_strides, T, RANK, A)
    y = operand(b, i, mask, sizes, b_strides, T, RANK, B)
    z = tl.where(condition, x, y)
    tl.store(out + place(i, sizes, out_strides, RANK), converted(z, out.dtype.element_ty), mask=mask)


@triton.jit
def torch_arange(out, n, start, step, T: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, converted(start + i.to(T) * step, out.dtype.element_ty), mask=i < n)


# ── launches ────────────────────────────────────────────────────────────────────────────────────


def tl_type(name):
    if name not in TYPES:
        raise NotImplementedError(name)
    return TYPES[name]


def check_types(*tensors):
    for t in tensors:
        if t.__class__ is not str:
            tl_type(t.dtype.name)


def _elements(outs, ins):
    """What every kernel here begins with: (n, sizes, strides of each, operands, whether each is a tensor)."""
    (out,) = outs
    check_types(out, *ins)
    windows = [out._strides]
    values, tensors = [], []
    for t in ins:
        if t.__class__ is str:
            found = json.loads(t)
            tl_type(found["d"])
            values.append(_value(found))
            tensors.append(False)
            windows.append((0,) * len(out._shape))
        else:
            values.append(t.detach())
            tensors.append(True)
            windows.append(t._strides if t._shape else (0,) * len(out._shape))
    sizes, strides = collapse(out._shape, *windows)
    return core.numel(out._shape), sizes, strides, values, tensors


def _value(found):
    """A number as its dtype holds it."""
    if found["d"].startswith("float") or found["d"] == "bfloat16":
        return float(found["v"])
    value = float(found["v"])
    if value != value or value in (float("inf"), float("-inf")):
        raise NotImplementedError(f"{found['v']} as {found['d']}")
    return int(found["v"]) if found["v"].lstrip("-").isdigit() else int(value)


def _run(kernel, out, n, sizes, strides, values, *options):
    block = _BLOCK if len(sizes) == 1 else _BLOCK_OF_STRIDES
    kernel[(triton.cdiv(n, block),)](
        out.detach(), *values, n, sizes, *strides, *options, BLOCK=block
    )
    launched(out)


def _function(table, f):
    if f not in table:
        raise NotImplementedError()
    return table[f]


def _unary_table(c):
    return UNARY if c == "float32" else UNARY_OF_INTEGERS


@kernel_for("unary")
def unary(outs, ins, f, c, n, x):
    if c == "bool" and f != "logical_not":
        raise NotImplementedError(c)
    function = _function(_unary_table(c), f)
    count, sizes, strides, values, tensors = _elements(outs, ins)
    _run(torch_unary, outs[0], count, sizes, strides, values, function, tl_type(c), len(sizes), *tensors)


@kernel_for("copy")
def copy(outs, ins, f, c, n, x):
    source = ins[0]
    kind = json.loads(source)["d"] if source.__class__ is str else source.dtype.name
    count, sizes, strides, values, tensors = _elements(outs, ins)
    _run(torch_unary, outs[0], count, sizes, strides, values, _same, tl_type(kind), len(sizes), *tensors)


@kernel_for("binary")
def binary(outs, ins, f, c, n, x):
    table = BINARY if c == "float32" else BINARY_OF_BOOLS if c == "bool" else BINARY_OF_INTEGERS
    function = _function(table, f)
    count, sizes, strides, values, tensors = _elements(outs, ins)
    if f == "pow" and values[1].__class__ is float and values[1] == 2:
        function = _pow2
    _run(torch_binary, outs[0], count, sizes, strides, values, function, tl_type(c), len(sizes), *tensors)


@kernel_for("where")
def where(outs, ins, f, c, n, x):
    count, sizes, strides, values, tensors = _elements(outs, ins)
    _run(torch_where, outs[0], count, sizes, strides, values, tl_type(c), len(sizes), *tensors)


@kernel_for("arange")
def arange(outs, ins, f, c, n, x):
    (out,) = outs
    check_types(out)
    if c.startswith("float") or out._strides not in ((1,), ()):
        raise NotImplementedError(c)
    count = core.numel(out._shape)
    torch_arange[(triton.cdiv(count, _BLOCK),)](
        out.detach(), count, int(x[0]), int(x[1]), tl_type(c), BLOCK=_BLOCK
    )
    launched(out)
