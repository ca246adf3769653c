"""NumPy's dtypes, scalar types and promotion. An array's memory is a tensor of torch's, so every dtype
here is one of torch's as well; complex numbers, strings, structures and objects have none, and say so.
"""

import struct

from torch import _core as torch_core


class generic:
    """A NumPy scalar: a Python value of a dtype. Arithmetic is that of a 0-d array."""

    _name = None

    def __new__(cls, value=0):
        if cls._name is None:
            raise TypeError(f"cannot create '{cls.__name__}' instances")
        return make_scalar(dtype(cls._name), value)

    @property
    def dtype(self):
        return dtype(type(self)._name)

    shape, ndim, size, strides = (), 0, 1, ()
    itemsize = nbytes = property(lambda self: self.dtype.itemsize)
    T = real = property(lambda self: self)
    imag = property(lambda self: type(self)(0))

    def item(self, *index):
        return self._value

    tolist = item

    def _array(self):
        from ._array import asarray

        return asarray(self)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")
        from ._array import ndarray

        if not hasattr(ndarray, name):
            raise AttributeError(f"'numpy.{type(self).__name__}' object has no attribute '{name}'")
        return getattr(self._array(), name)

    def __getitem__(self, index):
        return self._array()[index]

    def __float__(self):
        return float(self._value)

    def __int__(self):
        return int(self._value)

    def __bool__(self):
        return bool(self._value)

    def __complex__(self):
        return complex(self._value)

    def __hash__(self):
        return hash(self._value)

    def __str__(self):
        from ._printing import scalar_text

        return scalar_text(self)

    def __repr__(self):
        return f"np.{self}_" if self._name == "bool" else f"np.{type(self).__name__}({self})"

    def __format__(self, spec):
        return format(self._value, spec) if spec else str(self)

    def __round__(self, digits=None):
        return round(self._value) if digits is None else type(self)(round(self._value, digits))

    def __reduce__(self):
        return (type(self), (self._value,))

    def __deepcopy__(self, memo):
        return self

    def is_integer(self):
        return float(self._value).is_integer()


class number(generic):
    pass


class integer(number):
    def __index__(self):
        return self._value


class signedinteger(integer):
    pass


class unsignedinteger(integer):
    pass


class inexact(number):
    pass


class floating(inexact):
    pass


class bool_(generic):
    _name = "bool"

    def __index__(self):
        raise TypeError("only integer scalar arrays can be converted to a scalar index")


def _scalar_class(name, *bases):
    return type(name, bases, {"_name": name, "__module__": "numpy"})


int8, int16, int32, int64 = (_scalar_class(f"int{b}", signedinteger) for b in (8, 16, 32, 64))
uint8, uint16, uint32, uint64 = (_scalar_class(f"uint{b}", unsignedinteger) for b in (8, 16, 32, 64))
float16, float32 = (_scalar_class(f"float{b}", floating) for b in (16, 32))


class float64(floating, float):
    _name = "float64"

    @property
    def _value(self):
        return float.__float__(self)

    __hash__ = float.__hash__


for _class in (generic, number, integer, signedinteger, unsignedinteger, inexact, floating, bool_, float64):
    _class.__module__ = "numpy"
bool_.__name__ = bool_.__qualname__ = "bool"

_CLASSES = {
    "bool": bool_, "int8": int8, "int16": int16, "int32": int32, "int64": int64, "uint8": uint8,
    "uint16": uint16, "uint32": uint32, "uint64": uint64, "float16": float16, "float32": float32,
    "float64": float64,
}  # fmt: skip
#: Character codes, with '<', '=' or '|' before them.
_CODES = {
    "?": "bool", "b1": "bool", "i1": "int8", "b": "int8", "i2": "int16", "h": "int16", "i4": "int32",
    "i": "int32", "i8": "int64", "l": "int64", "q": "int64", "p": "int64", "u1": "uint8", "B": "uint8",
    "u2": "uint16", "H": "uint16", "u4": "uint32", "I": "uint32", "u8": "uint64", "L": "uint64",
    "Q": "uint64", "f2": "float16", "e": "float16", "f4": "float32", "f": "float32", "f8": "float64",
    "d": "float64",
}  # fmt: skip
_ALIASES = {
    "bool_": "bool", "int_": "int64", "int": "int64", "intp": "int64", "long": "int64",
    "longlong": "int64", "intc": "int32", "short": "int16", "byte": "int8", "uint": "uint64",
    "uintp": "uint64", "ulong": "uint64", "ulonglong": "uint64", "uintc": "uint32",
    "ushort": "uint16", "ubyte": "uint8", "float": "float64", "float_": "float64",
    "double": "float64", "single": "float32", "half": "float16",
}  # fmt: skip
#: Names that NumPy has and this subset has not.
_ABSENT = ("complex", "object", "str", "bytes", "void", "datetime", "timedelta", "longdouble", "float128")


class dtype:
    """One of the twelve dtypes; each exists once."""

    __slots__ = ("name", "kind", "itemsize", "type", "torch")
    _known = {}

    def __new__(cls, spec=None, align=False, copy=False):
        if spec.__class__ is dtype:
            return spec
        return cls._known[_name_of(spec)]

    num = property(lambda self: list(_CLASSES).index(self.name))
    char = property(lambda self: next(c for c, n in _CODES.items() if n == self.name and len(c) == 1))
    str = property(lambda self: ("|" if self.itemsize == 1 else "<") + f"{self.kind}{self.itemsize}")
    alignment = property(lambda self: self.itemsize)
    byteorder = property(lambda self: "|" if self.itemsize == 1 else "=")
    isnative, hasobject, names, fields, shape, subdtype = True, False, None, None, (), None
    base = property(lambda self: self)

    def newbyteorder(self, order="="):
        if order not in ("=", "<", "|", "N", "I"):
            raise NotImplementedError("big-endian arrays are not available in Hippocamp's numpy")
        return self

    def __eq__(self, other):
        if other.__class__ is dtype:
            return self is other
        try:
            return other is not None and dtype(other) is self
        except (TypeError, NotImplementedError):
            return False

    def __hash__(self):
        return hash(("dtype", self.name))

    def __str__(self):
        return self.name

    def __repr__(self):
        return f"dtype('{self.name}')"

    def __reduce__(self):
        return (dtype, (self.name,))


dtype.__module__ = "numpy"


def _name_of(spec):
    if spec is None or spec is float:
        return "float64"
    if spec is int:
        return "int64"
    if spec is bool:
        return "bool"
    if isinstance(spec, type) and issubclass(spec, generic):
        if spec._name is None:
            raise TypeError(f"Converting '{spec.__name__}' to a dtype is not allowed")
        return spec._name
    if isinstance(spec, str):
        name = spec.lstrip("<=|")
        name = _CODES.get(name) or _ALIASES.get(name) or name
        if name in _CLASSES:
            return name
        if any(a in name for a in _ABSENT) or spec.startswith(">") or name[:1] in "OSUVcFDGMm":
            raise NotImplementedError(f"dtype {spec!r} is not available in Hippocamp's numpy")
        raise TypeError(f"data type {spec!r} not understood")
    found = getattr(spec, "dtype", None)
    if found.__class__ is dtype:
        return found.name
    if spec in (complex, object, str, bytes) or isinstance(spec, (list, tuple, dict)):
        raise NotImplementedError(f"dtype {spec!r} is not available in Hippocamp's numpy")
    raise TypeError(f"Cannot interpret {spec!r} as a data type")


for _name, _class in _CLASSES.items():
    _made = object.__new__(dtype)
    _made.name = _name
    _made.torch = torch_core.BY_NAME[_name]
    _made.itemsize = _made.torch.itemsize
    _made.kind = "b" if _name == "bool" else _name[0]
    _made.type = _class
    dtype._known[_name] = _made
BOOL, INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, UINT64, FLOAT16, FLOAT32, FLOAT64 = (
    dtype._known.values()
)


def from_torch(d):
    """The dtype of a torch dtype."""
    found = dtype._known.get(d.name)
    if found is None:
        raise TypeError(f"Got unsupported ScalarType {d.short}")
    return found


def make_scalar(d, value):
    """`value`, a number, wrapped or rounded to `d`."""
    if hasattr(value, "_t") or isinstance(value, (list, tuple)):
        from ._array import array

        return array(value, dtype=d)[()]
    if isinstance(value, generic):
        value = value._value
        if d.kind in "iu":
            value = wrapped(int(value), d)
    if isinstance(value, str):
        value = float(value) if d.kind == "f" else int(value)
    if d.kind == "b":
        value = bool(value)
    elif d.kind in "iu":
        value = int(value)
        check_fits(value, d)
    else:
        value = rounded(float(value), d)
    return new_scalar(d, value)


def new_scalar(d, value):
    """Without checks: `value` is one of `d`'s already."""
    if d is FLOAT64:
        return float.__new__(float64, value)
    made = object.__new__(d.type)
    made._value = value
    return made


def wrapped(value, d):
    bits = d.itemsize * 8
    value &= (1 << bits) - 1
    return value - (1 << bits) if d.kind == "i" and value >> (bits - 1) else value


def rounded(value, d):
    if d is FLOAT64:
        return value
    code = "e" if d is FLOAT16 else "f"
    try:
        return struct.unpack(code, struct.pack(code, value))[0]
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def check_fits(value, d):
    bits = d.itemsize * 8
    low, high = (-(1 << (bits - 1)), 1 << (bits - 1)) if d.kind == "i" else (0, 1 << bits)
    if not low <= value < high:
        raise OverflowError(f"Python integer {value} out of bounds for {d.name}")


# ── promotion ───────────────────────────────────────────────────────────────────────────────────


def promote_types(a, b):
    a, b = dtype(a), dtype(b)
    if a is b or b is BOOL:
        return a
    if a is BOOL:
        return b
    if a.kind == b.kind:
        return a if a.itemsize > b.itemsize else b
    if "f" in (a.kind, b.kind):
        f, i = (a, b) if a.kind == "f" else (b, a)
        need = {1: 2, 2: 4}.get(i.itemsize, 8)
        return (FLOAT16, FLOAT32, FLOAT64)[max(f.itemsize, need).bit_length() - 2]
    s, u = (a, b) if a.kind == "i" else (b, a)
    if s.itemsize > u.itemsize:
        return s
    return {1: INT16, 2: INT32, 4: INT64, 8: FLOAT64}[u.itemsize]


def weak(value):
    """Whether `value` is a plain Python number, which takes the dtype of what it meets."""
    return isinstance(value, (bool, int, float)) and not isinstance(value, generic)


def common_dtype(*operands):
    """NumPy 2's rule: plain Python numbers are weak, everything else counts by its dtype."""
    strong = None
    kind = ""
    for x in operands:
        if weak(x):
            kind = max(kind, "b" if isinstance(x, bool) else "i" if isinstance(x, int) else "f", key="bif".find)
        else:
            d = x if x.__class__ is dtype else x.dtype
            strong = d if strong is None else promote_types(strong, d)
    if strong is None:
        return {"b": BOOL, "i": INT64, "f": FLOAT64}[kind]
    if kind == "f" and strong.kind != "f":
        return FLOAT64
    if kind == "i" and strong.kind == "b":
        return INT64
    return strong


def can_cast(source, target, casting="safe"):
    if weak(source):
        raise TypeError("can_cast() does not support Python ints, floats, and complex")
    source, target = dtype(source), dtype(target)
    if casting == "unsafe" or source is target:
        return True
    if casting in ("no", "equiv"):
        return False
    if casting == "same_kind" and "buif".index(source.kind) <= "buif".index(target.kind):
        return True
    return promote_types(source, target) is target


def issubdtype(a, b):
    cls = a if isinstance(a, type) and issubclass(a, generic) else dtype(a).type
    if not (isinstance(b, type) and issubclass(b, generic)):
        b = dtype(b).type
    return issubclass(cls, b)


class iinfo:
    def __init__(self, kind):
        self.dtype = kind.dtype if isinstance(kind, generic) else dtype(kind)
        if self.dtype.kind not in "iu":
            raise ValueError(f"Invalid integer data type {self.dtype.kind!r}.")
        self.kind = self.dtype.kind
        self.bits = self.dtype.itemsize * 8
        self.min = -(1 << (self.bits - 1)) if self.kind == "i" else 0
        self.max = (1 << (self.bits - (self.kind == "i"))) - 1

    def __repr__(self):
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype})"


class finfo:
    def __init__(self, kind):
        self.dtype = kind.dtype if isinstance(kind, generic) else dtype(kind)
        if self.dtype.kind != "f":
            raise ValueError(f"data type {self.dtype} not inexact")
        self.bits = self.dtype.itemsize * 8
        self.nmant, self.minexp, self.maxexp = {2: (10, -14, 16), 4: (23, -126, 128), 8: (52, -1022, 1024)}[
            self.dtype.itemsize
        ]
        make = self.dtype.type
        self.eps = make(2.0**-self.nmant)
        self.max = make((2.0 - 2.0**-self.nmant) * 2.0 ** (self.maxexp - 1))
        self.min = -self.max
        self.tiny = self.smallest_normal = make(2.0**self.minexp)
        self.smallest_subnormal = make(2.0 ** (self.minexp - self.nmant))
        self.precision = {2: 3, 4: 6, 8: 15}[self.dtype.itemsize]
        self.resolution = make(10.0**-self.precision)

    def __repr__(self):
        return f"finfo(resolution={self.resolution}, min={self.min}, max={self.max}, dtype={self.dtype})"
