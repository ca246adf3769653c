"""Types of the kernel language as the host sees them: dtypes, `constexpr`, pointer and block types."""

import builtins
from enum import Enum

TRITON_MAX_TENSOR_NUMEL = 1048576

_SIGNED = ("int8", "int16", "int32", "int64")
_UNSIGNED = ("int1", "uint8", "uint16", "uint32", "uint64")
_FLOATS = {
    # name: (bits, mantissa bits, exponent bias)
    "fp8e4b15": (8, 3, 15),
    "fp8e4nv": (8, 3, 7),
    "fp8e4b8": (8, 3, 8),
    "fp8e5": (8, 2, 15),
    "fp8e5b16": (8, 2, 16),
    "fp16": (16, 10, 15),
    "bf16": (16, 7, 127),
    "fp32": (32, 23, 127),
    "fp64": (64, 52, 1023),
}


def _unwrap_if_constexpr(value):
    return value.value if isinstance(value, constexpr) else value


class PropagateNan(Enum):
    NONE = 0
    ALL = 0xFFFF


class base_value:
    pass


class base_type:
    pass


class dtype(base_type):
    SINT_TYPES = list(_SIGNED)
    UINT_TYPES = list(_UNSIGNED)
    FP_TYPES = list(_FLOATS)
    STANDARD_FP_TYPES = ["fp16", "bf16", "fp32", "fp64"]
    OTHER_TYPES = ["void"]

    class SIGNEDNESS(Enum):
        SIGNED = 0
        UNSIGNED = 1

    class KIND(Enum):
        BOOLEAN = 0
        INTEGRAL = 1
        FLOATING = 2

    def __init__(self, name):
        name = _unwrap_if_constexpr(name)
        assert dtype.is_dtype(name), name
        self.name = name
        if name in _FLOATS:
            bits, self.fp_mantissa_width, self.exponent_bias = _FLOATS[name]
        elif name == "void":
            bits = 0
        else:
            bits = int(name.lstrip("uint"))
            self.int_bitwidth = bits
            kind = dtype.SIGNEDNESS
            self.int_signedness = kind.SIGNED if name in _SIGNED else kind.UNSIGNED
        self.primitive_bitwidth = bits
        self.itemsize = bits // 8

    @staticmethod
    def is_dtype(text):
        return text in _SIGNED or text in _UNSIGNED or text in _FLOATS or text == "void"

    def is_fp8(self):
        return "fp8" in self.name

    def is_floating(self):
        return self.name in _FLOATS

    def is_standard_floating(self):
        return self.name in dtype.STANDARD_FP_TYPES

    def is_int_signed(self):
        return self.name in _SIGNED

    def is_int_unsigned(self):
        return self.name in _UNSIGNED

    def is_int(self):
        return self.name in _SIGNED or self.name in _UNSIGNED

    def is_bool(self):
        return self.name == "int1"

    def kind(self):
        if self.is_bool():
            return dtype.KIND.BOOLEAN
        return dtype.KIND.INTEGRAL if self.is_int() else dtype.KIND.FLOATING

    def get_int_max_value(self):
        return (1 << (self.int_bitwidth - (self.name in _SIGNED))) - 1

    def get_int_min_value(self):
        return -(1 << (self.int_bitwidth - 1)) if self.name in _SIGNED else 0

    @staticmethod
    def is_void():
        raise RuntimeError("Not implemented")

    @staticmethod
    def is_block():
        return False

    @staticmethod
    def is_ptr():
        return False

    @staticmethod
    def is_const():
        return False

    def __eq__(self, other):
        other = _unwrap_if_constexpr(other)
        return isinstance(other, dtype) and self.name == other.name

    def __hash__(self):
        return hash((self.name,))

    @property
    def scalar(self):
        return self

    @property
    def cache_key_part(self):
        return self.name

    def codegen_name(self):
        for short, long in (("fp", "float"), ("bf", "bfloat")):
            if self.name.startswith(short):
                return long + self.name[2:]
        return self.name

    def __str__(self):
        return self.name

    def __repr__(self):
        return f"triton.language.{self.codegen_name()}"

    def mangle(self):
        if self.is_int():
            return ("i" if self.name in _SIGNED else "u") + str(self.int_bitwidth)
        return "V" if self.name == "void" else self.name

    def with_element_ty(self, element_ty):
        return element_ty


def _predicate(name):
    return lambda self: self.name == name


for _name in ("fp16", "bf16", "fp32", "fp64", *_FLOATS, *_SIGNED, *_UNSIGNED):
    setattr(dtype, "is_" + _name, _predicate(_name))


class pointer_type(dtype):
    def __init__(self, element_ty, address_space=1, const=False):
        element_ty = _unwrap_if_constexpr(element_ty)
        if not isinstance(element_ty, dtype):
            raise TypeError(f"element_ty has type `{type(element_ty).__name__}`; expected `dtype`.")
        self.element_ty = element_ty
        self.address_space = address_space
        self.const = const
        self.name = f"pointer<{element_ty}>" if not const else f"const_pointer<{element_ty}>"
        self.primitive_bitwidth = 64
        self.itemsize = 8

    def __str__(self):
        return self.name

    def is_ptr(self):
        return True

    def is_const(self):
        return self.const

    def __eq__(self, other):
        return isinstance(other, pointer_type) and self.name == other.name

    def __hash__(self):
        return hash((self.name,))

    def __repr__(self):
        return f"pointer_type({self.element_ty!r})"


class block_type(dtype):
    def __init__(self, element_ty, shape):
        self.element_ty = element_ty
        self.shape = builtins.tuple(_unwrap_if_constexpr(s) for s in shape)
        self.numel = 1
        for size in self.shape:
            self.numel *= size
        self.name = f"<{self.shape}, {self.element_ty}>"
        self.primitive_bitwidth = element_ty.primitive_bitwidth

    def __str__(self):
        return self.name

    @property
    def scalar(self):
        return self.element_ty

    def is_block(self):
        return True

    def get_block_shapes(self):
        return self.shape

    def __eq__(self, other):
        return isinstance(other, block_type) and self.name == other.name

    def __hash__(self):
        return hash((self.name,))


class constexpr_type(base_type):
    def __init__(self, value):
        self.value = value

    def __repr__(self):
        return f"constexpr_type[{self.value}]"

    def __eq__(self, other):
        return isinstance(other, constexpr_type) and self.value == other.value

    def __hash__(self):
        return hash(self.value)


class constexpr(base_value):
    """A compile-time value; at module level, the way to give kernels a global."""

    def __init__(self, value):
        while isinstance(value, constexpr):
            value = value.value
        self.value = value
        self.type = constexpr_type(value)

    def __repr__(self):
        return f"constexpr[{self.value}]"

    def __hash__(self):
        return hash((self.value, self.type))

    def __index__(self):
        return self.value

    def __bool__(self):
        return bool(self.value)

    def __not__(self):
        return constexpr(not self.value)

    def __neg__(self):
        return constexpr(-self.value)

    def __pos__(self):
        return constexpr(+self.value)

    def __invert__(self):
        return constexpr(~self.value)

    def logical_and(self, other):
        return constexpr(self.value and _unwrap_if_constexpr(other))

    def logical_or(self, other):
        return constexpr(self.value or _unwrap_if_constexpr(other))

    def __call__(self, *args, **kwargs):
        return self.value(*args, **kwargs)

    def __getitem__(self, *args):
        return self.value.__getitem__(*(_unwrap_if_constexpr(a) for a in args))


def _forward(operator, reflected):
    name = f"__{operator}__"

    def method(self, other):
        return constexpr(getattr(self.value, name)(_unwrap_if_constexpr(other)))

    setattr(constexpr, name, method)
    if reflected:
        import operator as operators

        apply = getattr(operators, operator if operator != "and" and operator != "or" else operator + "_")

        def method(self, other):
            return constexpr(apply(self.value, _unwrap_if_constexpr(other)))

        def reverse(self, other):
            return constexpr(apply(_unwrap_if_constexpr(other), self.value))

        setattr(constexpr, name, method)
        setattr(constexpr, f"__r{operator}__", reverse)


for _name in "add sub mul truediv floordiv mod pow and or xor lshift rshift".split():
    _forward(_name, True)


def _comparison(name):
    import operator as operators

    apply = getattr(operators, name)
    return lambda self, other: constexpr(apply(self.value, _unwrap_if_constexpr(other)))


for _name in "eq ne lt le gt ge".split():
    setattr(constexpr, f"__{_name}__", _comparison(_name))


CONSTEXPR_0 = constexpr(0)


class const:
    """Annotation of a pointer that the kernel only reads."""


class tensor(base_value):
    """A tile inside a kernel; there are none on the host."""

    def __init__(self, *args, **kwargs):
        raise RuntimeError("tl.tensor values exist inside kernels only")


class tensor_descriptor(base_value):
    def __init__(self, *args, **kwargs):
        raise RuntimeError("tl.tensor_descriptor values exist inside kernels only")


class tensor_descriptor_base(base_value):
    pass


class tensor_descriptor_type(base_type):
    pass


class tuple_type(base_type):
    pass


class tuple(base_value):
    """A kernel's tuple."""

    def __init__(self, args, type=None):
        self.values = builtins.list(args)

    def __getitem__(self, index):
        index = _unwrap_if_constexpr(index)
        part = self.values[index]
        return tuple(part) if isinstance(index, builtins.slice) else part

    def __iter__(self):
        return iter(self.values)

    def __len__(self):
        return len(self.values)


class slice:
    def __init__(self, start, stop, step):
        self.start, self.stop, self.step = start, stop, step


class _loop:
    def __init__(self, arg1, arg2=None, step=None, **hints):
        self.start, self.end = (0, arg1) if arg2 is None else (arg1, arg2)
        self.step = 1 if step is None else step
        self.__dict__.update(hints)

    def __iter__(self):
        raise RuntimeError(f"tl.{type(self).__name__} can only be used in @triton.jit'd functions")

    __next__ = __iter__


class range(_loop):
    """A loop with compiler hints, inside kernels."""


class static_range(_loop):
    """A loop that is unrolled, inside kernels."""


class condition:
    """A `while` condition with compiler hints."""

    def __init__(self, arg1, disable_licm=False):
        self.condition = arg1
        self.disable_licm = disable_licm


int1 = dtype("int1")
int8 = dtype("int8")
int16 = dtype("int16")
int32 = dtype("int32")
int64 = dtype("int64")
uint8 = dtype("uint8")
uint16 = dtype("uint16")
uint32 = dtype("uint32")
uint64 = dtype("uint64")
float8e5 = dtype("fp8e5")
float8e5b16 = dtype("fp8e5b16")
float8e4nv = dtype("fp8e4nv")
float8e4b8 = dtype("fp8e4b8")
float8e4b15 = dtype("fp8e4b15")
float16 = dtype("fp16")
bfloat16 = dtype("bf16")
float32 = dtype("fp32")
float64 = dtype("fp64")
void = dtype("void")
pi32_t = pointer_type(int32)


def get_int_dtype(bitwidth, signed):
    return dtype(f"{'' if signed else 'u'}int{bitwidth}")


def str_to_ty(name, c=None):
    """'*fp32' → pointer_type(float32), 'i32' → int32 …"""
    from .._types import normalize

    name = normalize(name)
    if name.startswith("*k"):
        return pointer_type(str_to_ty(name[2:]), const=True)
    if name.startswith("*"):
        return pointer_type(str_to_ty(name[1:]))
    if name == "u1":
        return int1
    if name[0] in "iu" and name[1:].isdigit():
        return dtype(("int" if name[0] == "i" else "uint") + name[1:])
    return dtype(name)


def must_use_result(x, s=True):
    """Marks a function whose result must be used; bare, or with words for the message."""
    if isinstance(x, str):
        return lambda fn: must_use_result(fn, x)
    try:
        x._must_use_result = s
    except AttributeError:
        pass
    return x


def _refuse(message):
    """Raises what an operation said of its arguments: the compiler has no Python to do it in."""
    raise ValueError(message)


def builtin(fn):
    fn.__triton_builtin__ = True
    return fn


def extern(fn):
    """A function of a library; as in Triton another name of `builtin`."""
    return builtin(fn)


def is_builtin(fn):
    return getattr(fn, "__triton_builtin__", False)


from ._aggregate import aggregate as _aggregate, aggregate_replace  # noqa: E402, F401


from ._stubs import define as _define  # noqa: E402

_define(
    globals(),
    "triton.language",
    """add advance arange associative_scan assume atomic_add atomic_and atomic_cas atomic_max atomic_min
    atomic_or atomic_xchg atomic_xor broadcast broadcast_to cast cat clamp debug_barrier
    device_assert device_print dot dot_scaled expand_dims expect_zero full gather histogram
    inline_asm_elementwise join load load_tensor_descriptor make_block_ptr make_tensor_descriptor
    map_elementwise max_constancy max_contiguous maximum minimum mul multiple_of num_programs permute
    program_id reduce reshape split static_assert static_print store store_tensor_descriptor sub
    to_tensor trans view where""",
)
