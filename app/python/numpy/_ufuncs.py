"""Universal functions: NumPy's promotion around the elementwise operations of app/numerics, with
`out=`, `where=`, `dtype=`, and the methods `reduce`, `accumulate` and `outer`.
"""

import operator

from torch import _core as core
from torch import _views as torch_views
from torch._core import compute_name, constant, run
from torch._tensor import view_of

from ._array import _converted, asarray, axis_of, ndarray, new, result, wrap
from ._dtypes import (
    BOOL, FLOAT16, FLOAT32, FLOAT64, INT64, UINT64, check_fits, common_dtype, dtype, generic, new_scalar, rounded,
    weak, wrapped,
)  # fmt: skip


def broadcast_shapes(*shapes):
    try:
        return tuple(core.broadcast_shapes(*shapes))
    except RuntimeError:
        shown = " ".join(f"({','.join(map(str, s))}{',' if len(s) == 1 else ''})" for s in shapes)
        raise ValueError(f"operands could not be broadcast together with shapes {shown} ") from None


def expanded(t, shape):
    """`t` as a window of `shape`."""
    if tuple(t._shape) == tuple(shape):
        return t
    extra = len(shape) - len(t._shape)
    strides = [0] * extra + [
        0 if s == 1 and shape[i + extra] != 1 else step
        for i, (s, step) in enumerate(zip(t._shape, t._strides))
    ]
    return view_of(t, shape, strides, t._offset)


def operand(x, shape, d):
    """`x` for app/numerics: a window, or a number of dtype `d` where it is Python's."""
    if isinstance(x, ndarray):
        return expanded(x._t, shape) if x._t._shape else x._t
    if isinstance(x, generic):
        return constant(x._value, x.dtype.torch)
    if d.kind in "iu" and not isinstance(x, bool):
        check_fits(x, d)
    return constant(x, d.torch)


def known(x):
    if isinstance(x, (ndarray, generic)) or weak(x):
        return x
    return asarray(x)


def _shape_of(x):
    return x._t._shape if isinstance(x, ndarray) else ()


def _float_of(d):
    if d.kind == "f":
        return d
    return {1: FLOAT16, 2: FLOAT32}.get(d.itemsize, FLOAT64)


class ufunc:
    def __init__(self, name, op, nin, rule, identity=None):
        self.__name__ = name
        self.op = op
        self.nin = nin
        self.nout = 1
        self.nargs = nin + 1
        self.rule = rule
        self.identity = identity

    def __repr__(self):
        return f"<ufunc '{self.__name__}'>"

    def __call__(self, *args, out=None, where=True, dtype=None, casting="same_kind", order="K", subok=True):
        if len(args) == self.nin + 1:
            *args, out = args
        if len(args) != self.nin:
            raise TypeError(f"{self.__name__}() takes {self.nin} positional arguments but {len(args)} were given")
        xs = [known(x) for x in args]
        if isinstance(out, tuple):
            (out,) = out
        common = common_dtype(*xs)
        compute = self.compute_dtype(common, dtype)
        final = BOOL if self.rule in ("compare", "logical", "test") else compute
        shape = broadcast_shapes(*[_shape_of(x) for x in xs])
        if where is not True:
            shape = broadcast_shapes(shape, asarray(where).shape)
        made = new(shape, final)
        if made.numel():
            if self.rule == "compare":
                xs = _within(self.op, xs, compute)
            self.run(made, xs, shape, compute)
        if out is None and where is True:
            return result(made)
        if out is None:
            return result(_choose(where, made, new(shape, final), shape))
        if out.shape != tuple(shape) and broadcast_shapes(out.shape, shape) != out.shape:
            raise ValueError(f"non-broadcastable output operand with shape {out.shape} doesn't match {tuple(shape)}")
        from ._dtypes import can_cast

        if not can_cast(final, out.dtype, casting):
            raise _cast_error(self.__name__, final, out.dtype, casting)
        if where is not True:
            made = _choose(where, made, out._t, shape)
        out[...] = wrap(made)
        return out

    def compute_dtype(self, common, asked):
        """What operands are converted to; a TypeError where the operation has no such loop."""
        name, rule = self.__name__, self.rule
        if asked is not None:
            common = dtype(asked)
        if rule == "float":
            return FLOAT64 if self.op == "div" and common.kind != "f" else _float_of(common)
        if rule == "integer" and common.kind not in "biu" or rule == "shift" and common.kind == "f":
            raise TypeError(
                f"ufunc '{name}' not supported for the input types, and the inputs could not be safely "
                "coerced to any supported types according to the casting rule ''safe''"
            )
        if common is BOOL:
            if name in ("subtract", "negative"):
                raise TypeError(
                    f"numpy boolean {name}, the `{'-' }` operator, is not supported, use the bitwise_xor, "
                    "the `^` operator, or the logical_xor function instead."
                )
            if rule == "shift" or name in ("floor_divide", "remainder", "fmod", "power", "square", "sign"):
                return dtype("int8")
        return common

    def run(self, made, xs, shape, compute):
        op = self.op
        if compute is BOOL:
            op = {"add": "logical_or", "mul": "logical_and", "maximum": "logical_or", "fmax": "logical_or",
                  "minimum": "logical_and", "fmin": "logical_and", "bitwise_not": "logical_not",
                  "abs": "positive"}.get(op, op)  # fmt: skip
        name = "float32" if compute is FLOAT16 else compute.torch.name
        operands = [operand(x, shape, compute) for x in xs]
        if op in ("floor_divide", "remainder", "fmod") and compute.kind in "iu":
            return _by_zero(op, made, operands, shape, compute)
        if op == "pow" and compute.kind == "i" and _any_negative(xs[1]):
            raise ValueError("Integers to negative integer powers are not allowed.")
        if op in _IDENTITIES and compute.kind in "biu":
            op = "positive" if op != "frac" else op
        run("unary" if self.nin == 1 else "binary", (made,), operands, f=op, c=name)

    # ── methods ─────────────────────────────────────────────────────────────────────────────────

    def reduce(self, array, axis=0, dtype=None, out=None, keepdims=False, initial=None, where=True):
        """By halves: log₂(n) elementwise operations."""
        a = asarray(array)
        if where is not True:
            raise NotImplementedError("ufunc.reduce(where=) is not available in Hippocamp's numpy")
        if dtype is not None:
            a = a.astype(dtype)
        elif self.__name__ in ("add", "multiply"):
            a = a.astype(wide(a.dtype), copy=False)
        axes = range(a.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
        for each in sorted([axis_of(x, a.ndim) for x in axes], reverse=True):
            a = self._fold(a, each)
            if keepdims:
                from ._shaping import expand_dims

                a = expand_dims(a, each)
        if initial is not None:
            a = self(a, initial)
        return result(asarray(a)._t)

    def _fold(self, a, axis):
        a = asarray(a)
        a = a.transpose([axis] + [i for i in range(a.ndim) if i != axis])
        n = len(a)
        if n == 0:
            if self.identity is None:
                raise ValueError(f"zero-size array to reduction operation {self.__name__} which has no identity")
            from ._creation import full

            return full(a.shape[1:], self.identity, a.dtype)
        rest = None
        while n > 1:
            if n % 2:
                rest = a[n - 1 :] if rest is None else asarray(self(a[n - 1 :], rest))
            n //= 2
            a = asarray(self(a[:n], a[n : 2 * n]))
        if rest is not None:
            a = asarray(self(a, rest))
        return wrap(torch_views.select(a._t, 0, 0))

    def accumulate(self, array, axis=0, dtype=None, out=None):
        a = asarray(array).swapaxes(0, axis)
        rows = [a[0]]
        for i in range(1, len(a)):
            rows.append(self(rows[-1], a[i]))
        from ._shaping import stack

        return stack([asarray(r) for r in rows]).swapaxes(0, axis)

    def outer(self, a, b):
        a, b = asarray(a), asarray(b)
        return self(a.reshape(*a.shape, *[1] * b.ndim), b)

    def at(self, a, indices, b=None):
        if self.__name__ != "add":
            raise NotImplementedError(f"{self.__name__}.at is not available in Hippocamp's numpy")
        from torch import _indexing

        indices = indices if isinstance(indices, tuple) else (indices,)
        lists = [_converted(asarray(i)._t, core.int64, copy=False) for i in indices]
        _indexing.index_put_(a._t, lists, _converted(asarray(b)._t, a._t.dtype, copy=False), True)


ufunc.__module__ = "numpy"
#: On whole numbers these change nothing.
_IDENTITIES = {"floor", "ceil", "round", "trunc", "positive"}


def wide(d):
    """What sums and products of `d` are made in."""
    if d.kind in "bi":
        return INT64
    return UINT64 if d.kind == "u" else d


def _cast_error(name, source, target, casting):
    return TypeError(
        f"Cannot cast ufunc '{name}' output from dtype('{source}') to dtype('{target}') with casting rule '{casting}'"
    )


def _within(op, xs, d):
    """A Python integer outside of the dtype is as far out as its nearest end, and equal to nothing."""
    if d.kind not in "iu" or not any(type(x) is int for x in xs):
        return xs
    bits = d.itemsize * 8
    low, high = (-(1 << (bits - 1)), 1 << (bits - 1)) if d.kind == "i" else (0, 1 << bits)
    position = next(i for i, x in enumerate(xs) if type(x) is int)
    value = xs[position]
    if low <= value < high:
        return xs
    above = value >= high
    # The other operand's order to it is known: compare 0 with 1, or with -1 as 1 with 0.
    left, right = (0, 1) if above == (position == 1) else (1, 0)
    return [left, right]


def _any_negative(x):
    if isinstance(x, ndarray):
        return x.size > 0 and bool((x < 0).any())
    return x < 0


def _choose(where, yes, no, shape):
    out = new(shape, dtype(yes.dtype.name))
    if out.numel():
        condition = operand(asarray(where), shape, BOOL)
        run("where", (out,), (condition, yes, expanded(no, shape)), c=compute_name(yes.dtype))
    return out


def _by_zero(op, made, operands, shape, compute):
    """Division by the integer 0 is 0 (and a warning, in NumPy)."""
    name = compute.torch.name
    divisor = operands[1]
    zero = new(shape, BOOL)
    run("binary", (zero,), (divisor, constant(0, compute.torch)), f="eq", c=name)
    safe = new(shape, compute)
    run("where", (safe,), (zero, constant(1, compute.torch), divisor), c=name)
    run("binary", (made,), (operands[0], safe), f=op, c=name)
    run("where", (made,), (zero, constant(0, compute.torch), made), c=name)


def _make():
    """Name → ufunc."""
    table = {}

    def add(rule, nin, names, identity=None):
        for pair in names.split():
            name, _, op = pair.partition("=")
            table[name] = ufunc(name, op or name, nin, rule, identity)

    add("same", 2, "add=add subtract=sub", 0)
    add("same", 2, "multiply=mul", 1)
    add("same", 2, "floor_divide remainder fmod power=pow maximum minimum fmax fmin")
    add("float", 2, "divide=div arctan2=atan2 hypot copysign")
    add("integer", 2, "bitwise_and", -1)
    add("integer", 2, "bitwise_or bitwise_xor", 0)
    add("shift", 2, "left_shift=shift_left right_shift=shift_right")
    add("compare", 2, "equal=eq not_equal=ne less=lt less_equal=le greater=gt greater_equal=ge")
    add("logical", 2, "logical_and", True)
    add("logical", 2, "logical_or logical_xor", False)
    add("same", 1, "negative=neg positive absolute=abs sign square")
    add("same", 1, "floor ceil rint=round trunc")
    add("integer", 1, "invert=bitwise_not")
    add("logical", 1, "logical_not")
    add("test", 1, "isnan isinf isfinite signbit")
    add(
        "float",
        1,
        "exp exp2 expm1 log log2 log10 log1p sqrt sin cos tan arcsin=asin arccos=acos arctan=atan sinh "
        "cosh tanh arcsinh=asinh arccosh=acosh arctanh=atanh fabs=abs reciprocal",
    )
    table.update(
        true_divide=table["divide"], mod=table["remainder"], abs=table["absolute"], pow=table["power"],
        bitwise_not=table["invert"], bitwise_invert=table["invert"], conjugate=table["positive"],
        bitwise_left_shift=table["left_shift"], bitwise_right_shift=table["right_shift"],
        asin=table["arcsin"], acos=table["arccos"], atan=table["arctan"], atan2=table["arctan2"],
        asinh=table["arcsinh"], acosh=table["arccosh"], atanh=table["arctanh"], conj=table["positive"],
    )  # fmt: skip
    return table


UFUNCS = _make()


def _operators(cls):
    """The operators of arrays and of scalars."""
    pairs = {
        "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide",
        "floordiv": "floor_divide", "mod": "remainder", "pow": "power", "and": "bitwise_and",
        "or": "bitwise_or", "xor": "bitwise_xor", "lshift": "left_shift", "rshift": "right_shift",
    }  # fmt: skip

    def forward(f):
        quick = _QUICK.get(f.__name__) if cls is generic else None

        def method(self, other, *_):
            if quick is not None:
                found = _scalar(quick, self, self, other)
                if found is not None:
                    return found
            return f(self, other) if _takes(other) else NotImplemented

        return method

    def backward(f):
        quick = _QUICK.get(f.__name__) if cls is generic else None

        def method(self, other, *_):
            if quick is not None and weak(other):
                found = _scalar(quick, self, other, self)
                if found is not None:
                    return found
            return f(other, self) if _takes(other) else NotImplemented

        return method

    def in_place(f):
        def method(self, other):
            return f(self, other, out=self)

        return method

    for python, name in pairs.items():
        setattr(cls, f"__{python}__", forward(UFUNCS[name]))
        setattr(cls, f"__r{python}__", backward(UFUNCS[name]))
        if cls is ndarray:
            setattr(cls, f"__i{python}__", in_place(UFUNCS[name]))
    for python, name in {"lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal"}.items():
        setattr(cls, f"__{python}__", forward(UFUNCS[name]))

    quick_eq = operator.eq if cls is generic else None

    def eq(self, other):
        if quick_eq is not None:
            found = _scalar(quick_eq, self, self, other)
            if found is not None:
                return found
        return UFUNCS["equal"](self, other) if _takes(other) else NotImplemented

    def ne(self, other):
        return UFUNCS["not_equal"](self, other) if _takes(other) else NotImplemented

    hashed = cls.__hash__
    cls.__eq__, cls.__ne__ = eq, ne
    cls.__hash__ = hashed
    for python, name in {"neg": "negative", "pos": "positive", "abs": "absolute", "invert": "invert"}.items():
        setattr(cls, f"__{python}__", lambda self, f=UFUNCS[name]: f(self))
    cls.__divmod__ = lambda self, other: (self // other, self % other)
    cls.__rdivmod__ = lambda self, other: (other // self, other % self)
    from ._linear import matmul

    cls.__matmul__ = lambda self, other: matmul(self, other)
    cls.__rmatmul__ = lambda self, other: matmul(other, self)


#: Operations that Python's own numbers do as NumPy's do, but for wrapping and rounding.
_QUICK = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "bitwise_and": operator.and_,
    "bitwise_or": operator.or_, "bitwise_xor": operator.xor, "less": operator.lt,
    "less_equal": operator.le, "greater": operator.gt, "greater_equal": operator.ge,
}  # fmt: skip
_BITWISE = (operator.and_, operator.or_, operator.xor)
_COMPARISONS = (operator.lt, operator.le, operator.gt, operator.ge, operator.eq)


def _scalar(function, self, a, b):
    """An operation on scalars of one dtype, or one of them and a Python number, without an array; None
    where that is not what they are."""
    d = self.dtype
    values = []
    for x in (a, b):
        if isinstance(x, generic):
            if x.dtype is not d:
                return None
            values.append(x._value)
        elif type(x) is int and d.kind in "iu":
            if wrapped(x, d) != x:
                return None
            values.append(x)
        elif type(x) in (int, float) and d.kind == "f":
            values.append(rounded(float(x), d))
        else:
            return None
    if d.kind == "b" or function in _BITWISE and d.kind == "f":
        return None
    made = function(*values)
    if function in _COMPARISONS:
        return new_scalar(BOOL, made)
    return new_scalar(d, rounded(made, d) if d.kind == "f" else wrapped(made, d))


def _takes(other):
    return isinstance(other, (ndarray, generic, bool, int, float, list, tuple))


def install():
    _operators(ndarray)
    _operators(generic)
    from ._dtypes import float64

    # float's own methods come later in the order of bases, but repr and str must be NumPy's.
    float64.__repr__ = generic.__repr__
