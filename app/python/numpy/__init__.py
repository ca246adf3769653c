"""`numpy`, a small and honest subset: arrays of bool, 8- to 64-bit integers and f16, f32, f64 in CPU
memory, with NumPy 2's names, promotion, views and errors. Numbers are computed by app/numerics, as
torch's are, and an array shares its memory with the tensor that `torch.from_numpy` makes of it. What is
not here raises an error that names it and the nearest thing that is.
"""

import builtins as _builtins
import math as _math

from . import _array, _creation, _linear, _printing, _reductions, _shaping, _ufuncs
from . import exceptions
from ._array import array, asarray, empty, ndarray
from ._creation import *  # noqa: F403
from ._dtypes import (
    bool_, can_cast, dtype, finfo, float16, float32, float64, floating, generic, iinfo, inexact, int8,
    int16, int32, int64, integer, issubdtype, number, promote_types, signedinteger, uint8, uint16,
    uint32, uint64, unsignedinteger,
)  # fmt: skip
from ._dtypes import common_dtype as _common
from ._linear import *  # noqa: F403
from ._printing import array2string, array_repr, array_str, get_printoptions, set_printoptions
from ._reductions import *  # noqa: F403
from ._shaping import *  # noqa: F403
from ._ufuncs import UFUNCS as _UFUNCS
from ._ufuncs import known as _known
from ._ufuncs import ufunc

_ufuncs.install()
globals().update(_UFUNCS)

__version__ = "2.4.0"
bool = bool_
int_ = intp = long = longlong = int64
uint = uintp = ulong = ulonglong = uint64
intc, short, byte = int32, int16, int8
uintc, ushort, ubyte = uint32, uint16, uint8
half, single, double = float16, float32, float64
newaxis = None
pi, e, inf, nan, euler_gamma = _math.pi, _math.e, _math.inf, _math.nan, 0.5772156649015329
True_, False_ = bool_(True), bool_(False)
AxisError = exceptions.AxisError


def result_type(*arrays_and_dtypes):
    return _common(
        *[x if isinstance(x, (ndarray, generic, int, float)) else dtype(x) for x in arrays_and_dtypes]
    )


def isscalar(element):
    return isinstance(element, (generic, int, float, complex, str, bytes))


def shares_memory(a, b, max_work=None):
    return a._t._storage is b._t._storage


may_share_memory = shares_memory


def deg2rad(x):
    return multiply(x, pi / 180)  # noqa: F405,F821


def rad2deg(x):
    return multiply(x, 180 / pi)  # noqa: F405,F821


radians, degrees = deg2rad, rad2deg


def cbrt(x):
    return copysign(power(absolute(x), 1 / 3), x)  # noqa: F405,F821


def logaddexp(a, b):
    top = maximum(a, b)  # noqa: F821
    return top + log1p(exp(-absolute(subtract(a, b))))  # noqa: F821


def nextafter(x1, x2):
    """By the bits: the next integer is the next float of the same sign."""
    kind = _UFUNCS["divide"].compute_dtype(_common(*map(_known, (x1, x2))), None)
    a, b = (asarray(x, kind) for x in (x1, x2))
    a, b = broadcast_arrays(a, b)  # noqa: F405
    bits = a.copy().view({2: int16, 4: int32, 8: int64}[kind.itemsize])
    outward = (b > a) == (a > 0)
    moved = where(outward, bits + 1, bits - 1).astype(bits.dtype).view(kind)  # noqa: F405
    least = copysign(finfo(kind).smallest_subnormal, b)  # noqa: F821
    moved = where(a == 0, least, moved)  # noqa: F405
    out = where(a == b, b, where(isnan(a) | isnan(b), nan, moved))  # noqa: F405,F821
    return out.astype(kind)[()]


def isneginf(x):
    return equal(x, -inf)  # noqa: F821


def isposinf(x):
    return equal(x, inf)  # noqa: F821


def divmod(x, y):
    return floor_divide(x, y), remainder(x, y)  # noqa: F821


def ndindex(*shape):
    import itertools

    if len(shape) == 1 and isinstance(shape[0], tuple):
        shape = shape[0]
    return itertools.product(*map(range, shape))


def ndenumerate(a):
    a = asarray(a)
    return ((i, a[i]) for i in ndindex(*a.shape))


def unravel_index(indices, shape):
    out = []
    rest = int64(indices) if isinstance(indices, int) else asarray(indices)
    for size in reversed(shape):
        out.append(rest % size)
        rest = rest // size
    return tuple(reversed(out))


def vectorize(pyfunc, otypes=None, **_):
    def call(*args):
        xs = broadcast_arrays(*args)  # noqa: F405
        values = [pyfunc(*row) for row in zip(*[x.ravel() for x in xs])]
        return array(values, otypes[0] if otypes else None).reshape(xs[0].shape)

    return call


class errstate:
    """Warnings of arithmetic are not given here: there is nothing to silence."""

    def __init__(self, **_):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False

    def __call__(self, function):
        return function


def seterr(**_):
    return {}


def _methods():
    """Functions that arrays have as methods."""
    for name in (
        "sum prod mean var std max min argmax argmin any all cumsum cumprod argsort nonzero clip round "
        "take repeat dot searchsorted ptp trace"
    ).split():
        function = globals()[name]
        setattr(ndarray, name, lambda self, *args, _f=function, **kw: _f(self, *args, **kw))

    def sort_in_place(self, axis=-1, kind=None, order=None, *, stable=None):
        self[...] = _reductions.sort(self, axis)

    ndarray.sort = sort_in_place
    ndarray.conj = ndarray.conjugate = lambda self: self


_methods()


def _missing(module, name, known):
    """Names that NumPy has and this subset has not: the error names the nearest one that exists."""
    if name.startswith("__"):
        return AttributeError(f"module '{module}' has no attribute '{name}'")
    import difflib

    near = difflib.get_close_matches(name, [n for n in known if not n.startswith("_")], 1, 0.6)
    hint = f"; the nearest name that is: {module}.{near[0]}" if near else ""
    return AttributeError(
        f"module '{module}' has no attribute '{name}' (not available in Hippocamp's numpy{hint})"
    )


def __getattr__(name):
    if name in ("random", "testing", "linalg"):
        import importlib

        return importlib.import_module("numpy." + name)
    raise _missing("numpy", name, globals())


__all__ = [n for n in globals() if not n.startswith("_") and n not in _builtins.__dict__]
