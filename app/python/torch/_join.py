"""Joining, repeating and turning tensors: `cat`, `stack`, `repeat`, `roll`, `flip` …"""

from . import _core as core
from . import _ops as ops
from . import _views as views
from ._autograd import needs, no_gradient_into, record
from ._core import axis_of
from ._tensor import empty, write


def cat(tensors, dim=0, *, axis=None, out=None):
    dim = dim if axis is None else axis
    tensors = list(tensors)
    if not tensors:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    no_gradient_into("cat", out, *tensors)
    used = [t for t in tensors if t._shape != (0,)] or tensors[:1]
    first = used[0]
    if not first._shape:
        raise RuntimeError("zero-dimensional tensor (at position 0) cannot be concatenated")
    axis = axis_of(dim, len(first._shape))
    dtype = first.dtype
    total = 0
    for i, t in enumerate(used):
        dtype = core.promote_types(dtype, t.dtype)
        if len(t._shape) != len(first._shape):
            raise RuntimeError(
                f"Tensors must have same number of dimensions: got {len(first._shape)} and {len(t._shape)}"
            )
        for d, (a, b) in enumerate(zip(first._shape, t._shape)):
            if d != axis and a != b:
                raise RuntimeError(
                    f"Sizes of tensors must match except in dimension {axis}. Expected size {a} but got size {b} for tensor number {i} in the list."
                )
        total += t._shape[axis]
    shape = list(first._shape)
    shape[axis] = total
    result = empty(shape, dtype, ops.device_of(*used))
    at = 0
    starts = []
    for t in used:
        starts.append(at)
        write(views.slice_view(result, axis, at, 1, t._shape[axis]), t)
        at += t._shape[axis]
    if needs(*used):
        record(
            result,
            "CatBackward0",
            used,
            lambda g: [
                views.narrow(g, axis, s, t._shape[axis]) for s, t in zip(starts, used)
            ],
        )
    if out is not None:
        write(out, result)
        return out
    return result


concat = concatenate = cat


def stack(tensors, dim=0, *, out=None):
    tensors = list(tensors)
    if not tensors:
        raise RuntimeError("stack expects a non-empty TensorList")
    for i, t in enumerate(tensors):
        if t._shape != tensors[0]._shape:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(tensors[0]._shape)} at entry 0 and {list(t._shape)} at entry {i}"
            )
    return cat([views.unsqueeze(t, dim) for t in tensors], dim, out=out)


def vstack(tensors):
    return cat([t if len(t._shape) > 1 else views.reshape(t, 1, -1) for t in tensors], 0)


def hstack(tensors):
    tensors = [t if t._shape else views.reshape(t, 1) for t in tensors]
    return cat(tensors, 0 if len(tensors[0]._shape) == 1 else 1)


def repeat(t, *sizes):
    if len(sizes) == 1 and isinstance(sizes[0], (tuple, list)):
        sizes = tuple(sizes[0])
    extra = len(sizes) - len(t._shape)
    if extra < 0:
        raise RuntimeError(
            "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor"
        )
    shape = [1] * extra + list(t._shape)
    # Each dimension becomes (times, size): expanded, then merged.
    split, wide = [], []
    for times, size in zip(sizes, shape):
        split += [1, size]
        wide += [times, size]
    merged = [times * size for times, size in zip(sizes, shape)]
    return views.reshape(views.expand(views.reshape(t, *split), *wide), *merged).clone()


def tile(t, *dims):
    if len(dims) == 1 and isinstance(dims[0], (tuple, list)):
        dims = tuple(dims[0])
    return repeat(t, *[1] * (len(t._shape) - len(dims)), *dims)


def repeat_interleave(input, repeats, dim=None, *, output_size=None):
    from ._indexing import index_select
    from ._create import tensor

    if dim is None:
        input, dim = views.reshape(input, -1), 0
    axis = axis_of(dim, len(input._shape))
    if isinstance(repeats, int):
        each = [repeats] * input._shape[axis]
    else:
        each = repeats.tolist()
        if len(each) == 1:
            each = each * input._shape[axis]
    index = [i for i, n in enumerate(each) for _ in range(n)]
    return index_select(input, axis, tensor(index, dtype=core.int64, device=input.device))


def roll(input, shifts, dims=None):
    if dims is None:
        return views.reshape(roll(views.reshape(input, -1), shifts, 0), *input._shape)
    shifts = [shifts] if isinstance(shifts, int) else list(shifts)
    dims = [dims] if isinstance(dims, int) else list(dims)
    out = input
    for shift, dim in zip(shifts, dims):
        n = out._shape[dim]
        if n:
            k = shift % n
            out = cat([views.narrow(out, dim, n - k, k), views.narrow(out, dim, 0, n - k)], dim)
    return out


def block_diag(*tensors):
    rows = sum(t._shape[-2] for t in tensors)
    columns = sum(t._shape[-1] for t in tensors)
    out = empty((rows, columns), tensors[0].dtype, tensors[0].device)
    r = c = 0
    for t in tensors:
        out[r : r + t._shape[-2], c : c + t._shape[-1]] = t
        r, c = r + t._shape[-2], c + t._shape[-1]
    return out


def flip(input, *dims):
    if len(dims) == 1 and isinstance(dims[0], (tuple, list)):
        dims = dims[0]
    from ._indexing import index_select
    from ._patterns import arange

    rank = len(input._shape)
    strides = views.result_strides(input._shape, input)
    order = sorted(range(rank), key=lambda axis: -strides[axis]) if strides else list(range(rank))
    if order != list(range(rank)):
        # The result has the order of dimensions that the input has in memory.
        turned = flip(views.permute(input, order), [order.index(axis_of(dim, rank)) for dim in dims])
        return views.permute(turned, [order.index(axis) for axis in range(rank)])
    out = input
    for dim in dims:
        axis = axis_of(dim, rank)
        n = input._shape[axis]
        out = index_select(out, axis, arange(n - 1, -1, -1, device=input.device))
    return views.clone(input) if not dims else out
