"""The ndarray: a window on a tensor of torch's, in CPU memory. Views, indexing and conversions are
here; arithmetic is in `_ufuncs`, and everything else is attached as methods by `numpy/__init__`.
"""

from torch import _core as core
from torch import _create as torch_create
from torch import _indexing as torch_indexing
from torch import _tensor as torch_tensor
from torch import _views as torch_views
from torch._core import CPU, numel
from torch._tensor import Tensor, view_of

from ._dtypes import (
    BOOL, FLOAT64, INT64, UINT64, check_fits, common_dtype, dtype, from_torch, generic, new_scalar, weak,
)  # fmt: skip


class ndarray:
    __slots__ = ("_t", "base", "__weakref__")
    __array_priority__ = 100.0

    def __new__(cls, shape, dtype=None, buffer=None, offset=0, strides=None, order=None):
        made = empty(shape, dtype)
        if buffer is not None or strides is not None:
            raise NotImplementedError("ndarray(buffer=, strides=) is not available in Hippocamp's numpy")
        return made

    dtype = property(lambda self: from_torch(self._t.dtype))
    shape = property(lambda self: tuple(self._t._shape))
    ndim = property(lambda self: len(self._t._shape))
    size = property(lambda self: numel(self._t._shape))
    itemsize = property(lambda self: self._t.dtype.itemsize)
    nbytes = property(lambda self: self.size * self._t.dtype.itemsize)
    strides = property(lambda self: tuple(s * self._t.dtype.itemsize for s in self._t._strides))
    T = property(lambda self: self.transpose())
    real = property(lambda self: self)
    flat = property(lambda self: flatiter(self))

    @shape.setter
    def shape(self, shape):
        t = torch_views.view(self._t, *_shape(shape))
        self._t = t

    @property
    def flags(self):
        return _Flags(self._t)

    @property
    def __array_interface__(self):
        raise AttributeError("__array_interface__ is not available in Hippocamp's numpy")

    @property
    def ctypes(self):
        raise NotImplementedError("ndarray.ctypes is not available in Hippocamp's numpy")

    def __array__(self, dtype=None, copy=None):
        return self if dtype is None else self.astype(dtype)

    # ── values ──────────────────────────────────────────────────────────────────────────────────

    def tolist(self):
        return self._t.tolist()

    def item(self, *index):
        if index:
            index = index[0] if len(index) == 1 else index
            found = self.reshape(-1)[index] if isinstance(index, int) else self[index]
            return found.item()
        if self.size != 1:
            raise ValueError("can only convert an array of size 1 to a Python scalar")
        return self._t.item()

    def tobytes(self, order="C"):
        t = self._t.contiguous()
        view = t._storage.bytes()
        start = t._offset * t.dtype.itemsize
        return bytes(view.to_py()[start : start + self.nbytes])

    def __len__(self):
        if not self._t._shape:
            raise TypeError("len() of unsized object")
        return self._t._shape[0]

    def __iter__(self):
        if not self._t._shape:
            raise TypeError("iteration over a 0-d array")
        if self.ndim == 1:
            d = self.dtype
            return iter([new_scalar(d, v) for v in self.tolist()])
        return iter([self[i] for i in range(len(self))])

    def __bool__(self):
        if self.size != 1:
            if self.size == 0:
                raise ValueError("The truth value of an empty array is ambiguous. Use `array.size > 0`.")
            raise ValueError(
                "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()"
            )
        return bool(self._t.item())

    def __float__(self):
        return float(self._only())

    def __int__(self):
        return int(self._only())

    def __index__(self):
        if self.ndim or self.dtype.kind not in "iu":
            raise TypeError("only integer scalar arrays can be converted to a scalar index")
        return self._t.item()

    def _only(self):
        if self._t._shape:
            raise TypeError("only 0-dimensional arrays can be converted to Python scalars")
        return self._t.item()

    def __contains__(self, value):
        return bool((self == value).any())

    __hash__ = None

    def __repr__(self):
        from ._printing import array_repr

        return array_repr(self)

    def __str__(self):
        from ._printing import array_str

        return array_str(self)

    def __format__(self, spec):
        return format(self.item(), spec) if not self.ndim and spec else str(self)

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo):
        return self.copy()

    # ── views and copies ────────────────────────────────────────────────────────────────────────

    def copy(self, order="C"):
        return wrap(torch_tensor.contiguous_copy(self._t))

    def astype(self, dtype, order="K", casting="unsafe", subok=True, copy=True):
        kind = _dtype(dtype)
        if kind is self.dtype and not copy:
            return self
        return wrap(_converted(self._t, kind.torch))

    def view(self, dtype=None, type=None):
        if dtype is None or (isinstance(dtype, builtins_type) and issubclass(dtype, ndarray)):
            return window(self, self._t._shape, self._t._strides, self._t._offset)
        kind = _dtype(dtype).torch
        t = self._t
        if not t._shape and kind.itemsize != t.dtype.itemsize:
            raise ValueError("Changing the dtype of a 0d array is only supported if the itemsize is unchanged")
        try:
            return wrap(torch_views.view(t, dtype=kind), self)
        except RuntimeError as error:
            raise ValueError(f"To change to a dtype of a different size, the last axis must be contiguous ({error})") from None

    def reshape(self, *shape, order="C", copy=None):
        _only_c(order)
        sizes = _shape(shape[0] if len(shape) == 1 else shape)
        unknown = [i for i, s in enumerate(sizes) if s < 0]
        rest = numel([s for s in sizes if s >= 0])
        if len(unknown) > 1:
            raise ValueError("can only specify one unknown dimension")
        if unknown and (rest == 0 or self.size % rest) or not unknown and rest != self.size:
            raise ValueError(f"cannot reshape array of size {self.size} into shape {_shown(sizes)}")
        return wrap(torch_views.reshape(_positive(self._t), *sizes), self)

    def ravel(self, order="C"):
        return self.reshape(-1, order=order)

    def flatten(self, order="C"):
        _only_c(order)
        return self.copy().reshape(-1)

    def transpose(self, *axes):
        if len(axes) == 1 and (axes[0] is None or isinstance(axes[0], (tuple, list))):
            axes = axes[0]
        t = self._t
        rank = len(t._shape)
        order = [axis_of(a, rank) for a in axes] if axes else list(range(rank))[::-1]
        if sorted(order) != list(range(rank)):
            raise ValueError("axes don't match array")
        return window(self, [t._shape[a] for a in order], [t._strides[a] for a in order], t._offset)

    def swapaxes(self, axis1, axis2):
        order = list(range(self.ndim))
        a, b = axis_of(axis1, self.ndim), axis_of(axis2, self.ndim)
        order[a], order[b] = order[b], order[a]
        return self.transpose(order)

    def squeeze(self, axis=None):
        t = self._t
        rank = len(t._shape)
        if axis is None:
            gone = {i for i, s in enumerate(t._shape) if s == 1}
        else:
            gone = {axis_of(a, rank) for a in (axis if isinstance(axis, (tuple, list)) else (axis,))}
            if any(t._shape[a] != 1 for a in gone):
                raise ValueError("cannot select an axis to squeeze out which has size not equal to one")
        keep = [i for i in range(rank) if i not in gone]
        return window(self, [t._shape[i] for i in keep], [t._strides[i] for i in keep], t._offset)

    def diagonal(self, offset=0, axis1=0, axis2=1):
        return wrap(torch_views.diagonal(self._t, offset, axis1, axis2), self)

    def fill(self, value):
        self[...] = value

    # ── indexing ────────────────────────────────────────────────────────────────────────────────

    def __getitem__(self, index):
        source, index = _prepared(self, index)
        try:
            out = torch_indexing.get(source, index)
        except (RuntimeError, IndexError) as error:
            raise IndexError(_numpy_words(str(error))) from None
        if not out._shape and not _keeps_zero(index):
            return new_scalar(self.dtype, out.item())
        return wrap(out, self)

    def __setitem__(self, index, value):
        value = asarray(value) if not weak(value) else _fitting(value, self.dtype)
        source, index = _prepared(self, index)
        try:
            if isinstance(value, ndarray):
                torch_indexing.put(source, index, _converted(value._t, self._t.dtype, copy=False))
            else:
                torch_indexing.put(source, index, value)
        except IndexError as error:
            raise IndexError(_numpy_words(str(error))) from None
        except RuntimeError as error:
            raise ValueError(f"could not broadcast input array: {error}") from None


ndarray.__module__ = "numpy"
builtins_type = type


class flatiter:
    """`a.flat`: the elements in order, to read and to write."""

    def __init__(self, a):
        self.base = a
        self._next = iter(a.reshape(-1))

    def __iter__(self):
        return self

    def __next__(self):
        return next(self._next)

    def __len__(self):
        return self.base.size

    def __getitem__(self, index):
        return self.base.reshape(-1)[index]

    def __setitem__(self, index, value):
        view = self.base.reshape(-1)
        view[index] = value
        if view._t._storage is not self.base._t._storage:
            self.base[...] = view.reshape(self.base.shape)


class _Flags:
    def __init__(self, t):
        self.c_contiguous = self.contiguous = t.is_contiguous()
        reverse = view_of(t, list(t._shape)[::-1], list(t._strides)[::-1], t._offset)
        self.f_contiguous = reverse.is_contiguous()
        self.writeable = self.aligned = True
        self.owndata = t._base is None

    def __getitem__(self, name):
        return getattr(self, name.lower())


def wrap(t, base=None):
    made = object.__new__(ndarray)
    made._t = t
    made.base = base
    return made


def of_tensor(t):
    """The array over a tensor's memory. @throws TypeError for bf16 and fp8, which NumPy has not."""
    from_torch(t.dtype)
    return wrap(t)


def window(a, shape, strides, offset):
    return wrap(view_of(a._t, shape, strides, offset), a)


def result(t):
    """A ufunc's or reduction's result: 0-d ones are scalars."""
    return wrap(t) if t._shape else new_scalar(from_torch(t.dtype), t.item())


def new(shape, d, fill=()):
    return torch_tensor.empty(tuple(shape), d.torch, CPU, fill)


def new_like(t, kind, shape=None, fill=()):
    """A new tensor with the strides of `t`, where those fill a piece of memory."""
    strides = torch_views.dense_strides(t) if shape is None else None
    shape = t._shape if shape is None else shape
    return torch_tensor.empty_strided(shape, strides, kind, CPU, fill)


def axis_of(axis, rank):
    axis = axis.__index__()
    if not -rank <= axis < rank:
        from .exceptions import AxisError

        raise AxisError(f"axis {axis} is out of bounds for array of dimension {rank}")
    return axis % rank if rank else 0


def _shape(shape):
    if hasattr(shape, "__index__"):
        return (shape.__index__(),)
    return tuple(s.__index__() for s in shape)


def _shown(shape):
    return f"({','.join(map(str, shape))}{',' if len(shape) == 1 else ''})"


def _only_c(order):
    if order not in ("C", "A", "K", None):
        raise NotImplementedError(f"order={order!r} is not available in Hippocamp's numpy")


def _dtype(spec):
    if isinstance(spec, core.dtype):
        raise TypeError(f"Cannot interpret '{spec!r}' as a data type")
    return dtype(spec)


def _converted(t, kind, copy=True):
    """A dense array keeps its order in memory, as order='K' says."""
    if t.dtype is kind and not copy:
        return t
    out = new_like(t, kind)
    if t.numel():
        core.run("copy", (out,), (t,))
    return out


def _positive(t):
    """torch's views cannot walk backwards: what does is copied."""
    return torch_tensor.contiguous_copy(t) if any(s < 0 for s in t._strides) else t


def _fitting(value, d):
    if isinstance(value, int) and not isinstance(value, bool) and d.kind in "iu":
        check_fits(value, d)
    if d.kind in "iu" and isinstance(value, float):
        return int(value)
    return value


def _keeps_zero(index):
    items = index if isinstance(index, tuple) else (index,)
    return any(x is Ellipsis for x in items)


def _numpy_words(text):
    import re

    text = re.sub(r"index (-?\d+) is out of bounds for dimension (\d+)", r"index \1 is out of bounds for axis \2", text)
    return text.replace("too many indices for tensor of dimension", "too many indices for array: array is of dimension")


def _prepared(a, index):
    """The tensor and index that torch's indexing understands: steps backwards become a view of `a`,
    arrays become tensors, whole numbers of any dtype are 64-bit (torch takes uint8 for a mask)."""
    items = list(index) if isinstance(index, tuple) else [index]
    t = a._t
    axis = 0
    used = sum(1 if not _is_mask(x) else _rank(x) for x in items if x is not None and x is not Ellipsis)
    for i, item in enumerate(items):
        if item is Ellipsis:
            axis += len(t._shape) - used
        elif item is None:
            continue
        elif isinstance(item, slice):
            if item.step is not None and item.step < 0:
                start, stop, step = item.indices(t._shape[axis])
                count = max(0, -((stop - start) // -step))
                shape, strides = list(t._shape), list(t._strides)
                offset = t._offset + (start * strides[axis] if count else 0)
                shape[axis], strides[axis] = count, strides[axis] * step
                t = view_of(t, shape, strides, offset)
                items[i] = slice(None)
            axis += 1
        elif isinstance(item, (ndarray, list, generic)):
            picked = asarray(item) if not isinstance(item, generic) else item
            if isinstance(picked, generic):
                items[i] = bool(picked) if picked.dtype is BOOL else picked.__index__()
                axis += 1
                continue
            if isinstance(item, list) and not item:
                picked = picked.astype(INT64)
            if picked.dtype is BOOL:
                items[i] = picked._t
                axis += picked.ndim
            elif picked.dtype.kind in "iu":
                if not picked.ndim:
                    items[i] = picked._t.item()
                else:
                    items[i] = _converted(picked._t, core.int64, copy=False)
                axis += 1
            else:
                raise IndexError("arrays used as indices must be of integer (or boolean) type")
        elif isinstance(item, float):
            raise IndexError(
                "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or boolean arrays are valid indices"
            )
        else:
            axis += 1
    return t, tuple(items) if isinstance(index, tuple) else items[0]


def _is_mask(x):
    return isinstance(x, ndarray) and x.dtype is BOOL


def _rank(x):
    return x.ndim


# ── from Python values ──────────────────────────────────────────────────────────────────────────


def array(object, dtype=None, *, copy=True, order="K", subok=False, ndmin=0, like=None):
    _only_c(order)
    kind = None if dtype is None else _dtype(dtype)
    if isinstance(object, ndarray):
        same = kind is None or kind is object.dtype
        made = object if same and not copy else object.astype(kind or object.dtype)
    elif isinstance(object, Tensor):
        made = wrap(_converted(object.numpy()._t, (kind or from_torch(object.dtype)).torch))
    elif hasattr(object, "__array__") and not isinstance(object, generic):
        made = array(object.__array__(), kind, copy=copy)
    else:
        made = _from_nested(object, kind)
    while made.ndim < ndmin:
        made = made[None]
    return made


def asarray(a, dtype=None, order=None, *, copy=None, like=None):
    if a.__class__ is ndarray and dtype is None:
        return a
    return array(a, dtype, copy=bool(copy))


def _from_nested(data, kind):
    if isinstance(data, (range, map, filter)) or hasattr(data, "__next__"):
        if not isinstance(data, range):
            raise NotImplementedError("arrays of objects are not available in Hippocamp's numpy")
        data = list(data)
    parts = _arrays_in(data)
    if parts is not None:
        # Lists of arrays are stacked without going through Python's numbers.
        kind = kind or common_dtype(*[p.dtype for p in parts])
        if any(p.shape != parts[0].shape for p in parts):
            raise ValueError("setting an array element with a sequence. The requested array has an inhomogeneous shape")
        out = new((len(parts), *parts[0].shape), kind)
        for i, p in enumerate(parts):
            torch_tensor.write(torch_views.select(out, 0, i), p._t)
        return wrap(out)
    shape = []
    level = data
    while isinstance(level, (list, tuple)):
        shape.append(len(level))
        if not level:
            break
        level = level[0]
        if isinstance(level, (ndarray, Tensor)):
            return _from_nested([array(x) for x in data], kind) if len(shape) == 1 else _from_nested(
                [_from_nested(x, kind) for x in data], kind
            )
    values = []
    _flatten(data, shape, 0, values)
    if kind is None:
        kind = _infer(values)
    values = [_plain(v, kind) for v in values]
    return wrap(torch_create._from_values(values, tuple(shape), kind.torch, CPU))


def _arrays_in(data):
    if isinstance(data, (list, tuple)) and data and all(isinstance(x, ndarray) for x in data):
        return data
    return None


def _flatten(data, shape, depth, out):
    if depth == len(shape):
        if isinstance(data, (list, tuple)):
            raise ValueError("setting an array element with a sequence. The requested array has an inhomogeneous shape")
        out.append(data)
        return
    if not isinstance(data, (list, tuple)) or len(data) != shape[depth]:
        raise ValueError(
            f"setting an array element with a sequence. The requested array has an inhomogeneous shape after {depth} dimensions."
        )
    if depth == len(shape) - 1 and not any(isinstance(x, (list, tuple)) for x in data):
        out.extend(data)
        return
    for item in data:
        _flatten(item, shape, depth + 1, out)


def _infer(values):
    if not values:
        return FLOAT64
    kinds = {type(v) for v in values}
    for v in values:
        if not isinstance(v, (bool, int, float, generic)) and not hasattr(v, "dtype"):
            raise NotImplementedError(
                f"arrays of {type(v).__name__} are not available in Hippocamp's numpy"
            )
    if kinds <= {bool, int, float}:
        if float in kinds:
            return FLOAT64
        if int in kinds:
            big = max((v for v in values), default=0)
            return UINT64 if big >= 2**63 else INT64
        return BOOL
    strong = [v.dtype for v in values if hasattr(v, "dtype") and v.dtype.__class__ is dtype]
    weak_kinds = kinds & {bool, int, float}
    extra = [{bool: BOOL, int: INT64, float: FLOAT64}[k] for k in weak_kinds]
    return common_dtype(*strong, *extra)


def _plain(v, kind):
    if isinstance(v, generic):
        from ._dtypes import make_scalar

        return make_scalar(kind, v)._value
    if kind.kind in "iu":
        if isinstance(v, float) and v != v:
            raise ValueError("cannot convert float NaN to integer")
        v = int(v)
        check_fits(v, kind)
        return v
    return float(v) if kind.kind == "f" else bool(v)


def empty(shape, dtype=None, order="C", *, device=None, like=None):
    """Holds what `torch.empty` does: nothing that a program could take for a result."""
    _only_c(order)
    d = _dtype(dtype)
    return wrap(new(_shape(shape), d, d.torch.fill))


def zeros(shape, dtype=None, order="C", *, device=None, like=None):
    _only_c(order)
    return wrap(new(_shape(shape), _dtype(dtype)))
