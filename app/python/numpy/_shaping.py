"""Shapes: joining, splitting, broadcasting, turning around."""

from torch import _core as core
from torch import _tensor as torch_tensor

from ._array import _dtype, _shape, asarray, axis_of, new, window, wrap
from ._dtypes import common_dtype
from ._ufuncs import UFUNCS, broadcast_shapes, expanded


def reshape(a, /, shape=None, order="C", *, newshape=None, copy=None):
    return asarray(a).reshape(newshape if shape is None else shape, order=order)


def ravel(a, order="C"):
    return asarray(a).ravel(order)


def transpose(a, axes=None):
    return asarray(a).transpose(axes) if axes is not None else asarray(a).transpose()


permute_dims = transpose


def swapaxes(a, axis1, axis2):
    return asarray(a).swapaxes(axis1, axis2)


def moveaxis(a, source, destination):
    a = asarray(a)
    source = [axis_of(x, a.ndim) for x in (source if isinstance(source, (tuple, list)) else [source])]
    target = [
        axis_of(x, a.ndim) for x in (destination if isinstance(destination, (tuple, list)) else [destination])
    ]
    order = [i for i in range(a.ndim) if i not in source]
    for to, frm in sorted(zip(target, source)):
        order.insert(to, frm)
    return a.transpose(order)


def squeeze(a, axis=None):
    return asarray(a).squeeze(axis)


def expand_dims(a, axis):
    a = asarray(a)
    axes = axis if isinstance(axis, (tuple, list)) else (axis,)
    rank = a.ndim + len(axes)
    places = {axis_of(x, rank) for x in axes}
    return a[tuple(None if i in places else slice(None) for i in range(rank))] if rank else a


def _at_least(rank):
    def function(*arys):
        out = []
        for a in arys:
            a = asarray(a)
            if a.ndim < rank:
                a = a.reshape(*([1] * (rank - a.ndim) + list(a.shape)))
            out.append(a)
        return out[0] if len(out) == 1 else tuple(out)

    return function


atleast_1d, atleast_2d = _at_least(1), _at_least(2)


def concatenate(arrays, /, axis=0, out=None, *, dtype=None, casting="same_kind"):
    xs = [asarray(a) for a in arrays]
    if not xs:
        raise ValueError("need at least one array to concatenate")
    if axis is None:
        xs, axis = [x.ravel() for x in xs], 0
    if not xs[0].ndim:
        raise ValueError("zero-dimensional arrays cannot be concatenated")
    rank = xs[0].ndim
    axis = axis_of(axis, rank)
    for i, x in enumerate(xs):
        if x.ndim != rank:
            raise ValueError(
                f"all the input array dimensions except for the concatenation axis must match exactly, but along dimension 0, "
                f"the array at index 0 has {rank} dimension(s) and the array at index {i} has {x.ndim} dimension(s)"
            )
        for d in range(rank):
            if d != axis and x.shape[d] != xs[0].shape[d]:
                raise ValueError(
                    "all the input array dimensions except for the concatenation axis must match exactly, but along "
                    f"dimension {d}, the array at index 0 has size {xs[0].shape[d]} and the array at index {i} has size {x.shape[d]}"
                )
    kind = _dtype(dtype) if dtype is not None else common_dtype(*xs)
    shape = list(xs[0].shape)
    shape[axis] = sum(x.shape[axis] for x in xs)
    made = wrap(new(shape, kind))
    at = 0
    for x in xs:
        n = x.shape[axis]
        part = list(shape)
        part[axis] = n
        t = made._t
        torch_tensor.write(
            torch_tensor.view_of(t, part, t._strides, t._offset + at * t._strides[axis]), x._t
        )
        at += n
    return made


concat = concatenate


def stack(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
    xs = [asarray(a) for a in arrays]
    if len({x.shape for x in xs}) > 1:
        raise ValueError("all input arrays must have the same shape")
    axis = axis_of(axis, xs[0].ndim + 1)
    return concatenate([expand_dims(x, axis) for x in xs], axis, dtype=dtype)


def vstack(tup, *, dtype=None, casting="same_kind"):
    xs = atleast_2d(*tup)
    return concatenate(xs if isinstance(xs, tuple) else (xs,), 0, dtype=dtype)


def hstack(tup, *, dtype=None, casting="same_kind"):
    xs = [atleast_1d(x) for x in tup]
    return concatenate(xs, 0 if xs[0].ndim == 1 else 1, dtype=dtype)


def column_stack(tup):
    return concatenate([x[:, None] if asarray(x).ndim == 1 else asarray(x) for x in map(asarray, tup)], 1)


def array_split(ary, indices_or_sections, axis=0):
    a = asarray(ary)
    n = a.shape[axis]
    if isinstance(indices_or_sections, int):
        base, extra = divmod(n, indices_or_sections)
        sizes = [base + 1] * extra + [base] * (indices_or_sections - extra)
        points = [0]
        for s in sizes:
            points.append(points[-1] + s)
    else:
        points = [0, *[int(i) for i in indices_or_sections], n]
    head = (slice(None),) * axis_of(axis, a.ndim)
    return [a[(*head, slice(lo, hi))] for lo, hi in zip(points, points[1:])]


def split(ary, indices_or_sections, axis=0):
    if isinstance(indices_or_sections, int) and asarray(ary).shape[axis] % indices_or_sections:
        raise ValueError("array split does not result in an equal division")
    return array_split(ary, indices_or_sections, axis)


def broadcast_to(array, shape, subok=False):
    a = asarray(array)
    shape = _shape(shape)
    if broadcast_shapes(a.shape, shape) != tuple(shape):
        raise ValueError(
            f"operands could not be broadcast together with remapped shapes [original->remapped]: {a.shape} and requested shape {tuple(shape)}"
        )
    return wrap(expanded(a._t, shape), a)


def broadcast_arrays(*args, subok=False):
    xs = [asarray(a) for a in args]
    shape = broadcast_shapes(*[x.shape for x in xs])
    return tuple(broadcast_to(x, shape) for x in xs)


def flip(m, axis=None):
    a = asarray(m)
    axes = range(a.ndim) if axis is None else axis if isinstance(axis, (tuple, list)) else (axis,)
    strides = list(a._t._strides)
    offset = a._t._offset
    for x in axes:
        x = axis_of(x, a.ndim)
        offset += max(0, a.shape[x] - 1) * strides[x]
        strides[x] = -strides[x]
    return window(a, a.shape, strides, offset)


def flipud(m):
    return flip(m, 0)


def fliplr(m):
    return flip(m, 1)


def rot90(m, k=1, axes=(0, 1)):
    a = asarray(m)
    for _ in range(k % 4):
        a = flip(a.swapaxes(*axes), axes[0])
    return a


def roll(a, shift, axis=None):
    a = asarray(a)
    if axis is None:
        return roll(a.ravel(), shift, 0).reshape(a.shape)
    for s, x in zip(*((v,) if isinstance(v, int) else v for v in (shift, axis))):
        n = a.shape[x]
        s = s % n if n else 0
        head = (slice(None),) * axis_of(x, a.ndim)
        a = concatenate([a[(*head, slice(n - s, n))], a[(*head, slice(0, n - s))]], x)
    return a


def repeat(a, repeats, axis=None):
    a = asarray(a)
    if axis is None:
        a, axis = a.ravel(), 0
    axis = axis_of(axis, a.ndim)
    from ._creation import arange

    if isinstance(repeats, int):
        places = arange(a.shape[axis] * repeats) // repeats
    else:
        counts = [int(r) for r in asarray(repeats).tolist()]
        places = asarray([i for i, c in enumerate(counts) for _ in range(c)], int)
    return take(a, places, axis)


def tile(A, reps):
    a = asarray(A)
    reps = (reps,) if isinstance(reps, int) else tuple(reps)
    rank = max(a.ndim, len(reps))
    shape = (1,) * (rank - a.ndim) + a.shape
    reps = (1,) * (rank - len(reps)) + reps
    pairs = [n for s, r in zip(shape, reps) for n in (r, s)]
    spread = a.reshape([n for s in shape for n in (1, s)])
    return broadcast_to(spread, pairs).reshape([s * r for s, r in zip(shape, reps)])


def pad(array, pad_width, mode="constant", constant_values=0):
    a = asarray(array)
    if mode not in ("constant", "edge"):
        raise NotImplementedError(f"pad(mode={mode!r}) is not available in Hippocamp's numpy")
    if isinstance(pad_width, int):
        pad_width = (pad_width,) * 2
    widths = [tuple(w) if isinstance(w, (tuple, list)) else None for w in pad_width]
    if None in widths:
        widths = [tuple(pad_width)]
    widths = widths * a.ndim if len(widths) == 1 else widths
    from ._creation import arange, full

    if mode == "edge":
        for axis, (low, high) in enumerate(widths):
            n = a.shape[axis]
            a = take(a, UFUNCS["minimum"](UFUNCS["maximum"](arange(-low, n + high), 0), n - 1), axis)
        return a
    made = full([s + lo + hi for s, (lo, hi) in zip(a.shape, widths)], constant_values, a.dtype)
    made[tuple(slice(lo, lo + s) for s, (lo, _) in zip(a.shape, widths))] = a
    return made


def take(a, indices, axis=None, out=None, mode="raise"):
    a = asarray(a)
    if axis is None:
        a, axis = a.ravel(), 0
    return a[(slice(None),) * axis_of(axis, a.ndim) + (asarray(indices) if not isinstance(indices, int) else indices,)]


def take_along_axis(arr, indices, axis=-1):
    a, i = asarray(arr), asarray(indices)
    if axis is None:
        a, axis = a.ravel(), 0
    axis = axis_of(axis, a.ndim)
    shape = broadcast_shapes(
        *[tuple(1 if d == axis else s for d, s in enumerate(x.shape)) for x in (a, i)]
    )
    sized = lambda x: [x.shape[d] if d == axis else s for d, s in enumerate(shape)]  # noqa: E731
    a, i = broadcast_to(a, sized(a)), broadcast_to(i, sized(i)).astype("int64")
    made = new(i.shape, a.dtype)
    if made.numel():
        core.run("gather", (made,), (a._t, i._t), c=core.compute_name(a._t.dtype), n=(axis,))
    return wrap(made)


def put_along_axis(arr, indices, values, axis):
    i = asarray(indices).astype("int64")
    v = broadcast_to(asarray(values, arr.dtype), i.shape)
    axis = axis_of(axis, arr.ndim)
    core.run("scatter", (arr._t,), (arr._t, i._t, v._t), c=core.compute_name(arr._t.dtype), n=(axis,))


def append(arr, values, axis=None):
    if axis is None:
        return concatenate([asarray(arr).ravel(), asarray(values).ravel()])
    return concatenate([arr, values], axis)


def shape(a):
    return asarray(a).shape


def ndim(a):
    return asarray(a).ndim


def size(a, axis=None):
    return asarray(a).size if axis is None else asarray(a).shape[axis]


__all__ = [
    "append", "array_split", "atleast_1d", "atleast_2d", "broadcast_arrays", "broadcast_shapes",
    "broadcast_to", "column_stack", "concat", "concatenate", "expand_dims", "flip", "fliplr", "flipud",
    "hstack", "moveaxis", "ndim", "pad", "permute_dims", "put_along_axis", "ravel", "repeat", "reshape",
    "roll", "rot90", "shape", "size", "split", "squeeze", "stack", "swapaxes", "take",
    "take_along_axis", "tile", "transpose", "vstack",
]  # fmt: skip
