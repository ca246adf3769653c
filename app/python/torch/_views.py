"""Views: the same storage under another shape, stride or offset. Where PyTorch would have to copy
(`reshape`), so does this. Gradients flow through each.
"""

from ._autograd import needs, record
from ._core import Size, axis_of, broadcast_shapes, numel, row_major
from ._tensor import Tensor, contiguous_copy, empty, view_of


def _as_shape(args):
    if len(args) == 1 and isinstance(args[0], (tuple, list)):
        args = args[0]
    return tuple(int(a) for a in args)


def _resolve(shape, n):
    """Fills in −1 and checks the count."""
    if -1 in shape:
        known = 1
        for s in shape:
            if s != -1:
                known *= s
        if shape.count(-1) > 1:
            raise RuntimeError("only one dimension can be inferred")
        if known == 0 and n == 0:
            raise RuntimeError(
                f"cannot reshape tensor of 0 elements into shape {list(shape)} because the unspecified "
                "dimension size -1 can be any value and is ambiguous"
            )
        if known == 0 or n % known:
            raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {n}")
        shape = tuple(n // known if s == -1 else s for s in shape)
    if any(s < 0 for s in shape):
        raise RuntimeError(f"invalid shape dimension {min(shape)}")
    if numel(shape) != n:
        raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {n}")
    return shape


def _view_strides(t, shape):
    """Strides of `shape` on `t`'s memory, or None where it needs a copy."""
    if t.numel() == 0 or t.is_contiguous():
        return row_major(shape)
    # Runs of dimensions that lie evenly in memory are each divided among new dimensions.
    strides = [0] * len(shape)
    place = len(shape) - 1
    chunk_numel = 1
    view_numel = 1
    old = t._shape
    base = t._strides[-1] if old else 1
    for i in range(len(old) - 1, -1, -1):
        chunk_numel *= old[i]
        end = i == 0 or (old[i - 1] != 1 and t._strides[i - 1] != chunk_numel * base)
        if end:
            while place >= 0 and (view_numel < chunk_numel or shape[place] == 1):
                strides[place] = view_numel * base
                view_numel *= shape[place]
                place -= 1
            if view_numel != chunk_numel:
                return None
            if i > 0:
                base = t._strides[i - 1]
                chunk_numel = view_numel = 1
    return tuple(strides) if place == -1 else None


def _reshaped(t, shape, out):
    if needs(t):
        old = t._shape
        record(out, "ViewBackward0", [t], lambda g: g.reshape(old))
    return out


def view(t, *args, dtype=None):
    if dtype is None and len(args) == 1 and type(args[0]).__name__ == "dtype":
        dtype = args[0]
    if dtype is not None:
        return _view_dtype(t, dtype)
    shape = _resolve(_as_shape(args), t.numel())
    strides = _view_strides(t, shape)
    if strides is None:
        raise RuntimeError(
            "view size is not compatible with input tensor's size and stride (at least one dimension "
            "spans across two contiguous subspaces). Use .reshape(...) instead."
        )
    return _reshaped(t, shape, view_of(t, shape, strides, t._offset))


def _view_dtype(t, dtype):
    """The same bits read as another dtype."""
    old, new = t.dtype.itemsize, dtype.itemsize
    shape, strides, offset = list(t._shape), list(t._strides), t._offset
    if old != new:
        if not shape:
            raise RuntimeError(
                f"self.dim() cannot be 0 to view {t.dtype.short} as {dtype.short} (different element sizes)"
            )
        if strides[-1] != 1:
            raise RuntimeError("self.stride(-1) must be 1 to view as a different element size")
        if (shape[-1] * old) % new or (offset * old) % new:
            raise RuntimeError("self.size(-1) must be divisible by the ratio of element sizes")
        shape[-1] = shape[-1] * old // new
        strides = [s * old // new for s in strides[:-1]] + [1]
        offset = offset * old // new
    out = view_of(t, shape, strides, offset)
    out.dtype = dtype
    return out


def reshape(t, *args):
    shape = _resolve(_as_shape(args), t.numel())
    strides = _view_strides(t, shape)
    if strides is None:
        source = contiguous_copy(t)
        return _reshaped(t, shape, view_of(source, shape, row_major(shape), 0))
    return _reshaped(t, shape, view_of(t, shape, strides, t._offset))


def view_as(t, other):
    return view(t, other._shape)


def reshape_as(t, other):
    return reshape(t, other._shape)


def permute(t, *dims):
    dims = _as_shape(dims)
    rank = len(t._shape)
    if len(dims) != rank:
        raise RuntimeError(
            f"permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired ordering of dimensions i.e. input.dim() = {rank} is not equal to len(dims) = {len(dims)}"
        )
    dims = [axis_of(d, rank) for d in dims]
    if len(set(dims)) != rank:
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    out = view_of(t, [t._shape[d] for d in dims], [t._strides[d] for d in dims], t._offset)
    if needs(t):
        back = [0] * rank
        for i, d in enumerate(dims):
            back[d] = i
        record(out, "PermuteBackward0", [t], lambda g: permute(g, *back) if rank else g)
    return out


def transpose(t, dim0, dim1):
    rank = len(t._shape)
    dims = list(range(rank))
    a, b = axis_of(dim0, rank), axis_of(dim1, rank)
    if not rank:
        return t
    dims[a], dims[b] = dims[b], dims[a]
    return permute(t, *dims)


def swapaxes(input, axis0, axis1):
    return transpose(input, axis0, axis1)


def t(input):
    if len(input._shape) > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {len(input._shape)}D")
    return transpose(input, 0, 1) if len(input._shape) == 2 else input


def reversed_dims(input):
    return permute(input, *reversed(range(len(input._shape)))) if input._shape else input


def movedim(t, source, destination):
    rank = len(t._shape)
    source = [source] if isinstance(source, int) else list(source)
    destination = [destination] if isinstance(destination, int) else list(destination)
    source = [axis_of(d, rank) for d in source]
    destination = [axis_of(d, rank) for d in destination]
    order = [d for d in range(rank) if d not in source]
    for d, s in sorted(zip(destination, source)):
        order.insert(d, s)
    return permute(t, *order)


def expand(t, *sizes):
    sizes = _as_shape(sizes)
    extra = len(sizes) - len(t._shape)
    if extra < 0:
        raise RuntimeError(
            f"expand({{{', '.join(map(str, t._shape))}}}, size={list(sizes)}): the number of sizes provided ({len(sizes)}) must be greater or equal to the number of dimensions in the tensor ({len(t._shape)})"
        )
    shape, strides = [], []
    for i, size in enumerate(sizes):
        old = t._shape[i - extra] if i >= extra else 1
        stride = t._strides[i - extra] if i >= extra else 0
        if size == -1:
            if i < extra:
                raise RuntimeError(
                    f"The expanded size of the tensor ({size}) isn't allowed in a leading, non-existing dimension {i}"
                )
            size = old
        if size != old:
            if old != 1:
                raise RuntimeError(
                    f"The expanded size of the tensor ({size}) must match the existing size ({old}) at non-singleton dimension {i}.  Target sizes: {list(sizes)}.  Tensor sizes: {list(t._shape)}"
                )
            stride = 0
        shape.append(size)
        strides.append(stride)
    out = view_of(t, shape, strides, t._offset)
    if needs(t):
        record(out, "ExpandBackward0", [t], lambda g: g)
    return out


def expand_as(t, other):
    return expand(t, *other._shape)


broadcast_to = expand


def broadcast_tensors(*tensors):
    shape = broadcast_shapes(*[t._shape for t in tensors])
    return tuple(expand(t, *shape) for t in tensors)


def unsqueeze(t, dim):
    rank = len(t._shape) + 1
    dim = axis_of(dim, rank)
    shape, strides = list(t._shape), list(t._strides)
    stride = shape[dim] * strides[dim] if dim < rank - 1 else 1
    shape.insert(dim, 1)
    strides.insert(dim, stride)
    out = view_of(t, shape, strides, t._offset)
    return _reshaped(t, shape, out)


def squeeze(t, dim=None):
    rank = len(t._shape)
    if dim is None:
        drop = [i for i in range(rank) if t._shape[i] == 1]
    else:
        dims = dim if isinstance(dim, (tuple, list)) else (dim,)
        drop = [axis_of(d, rank) for d in dims]
        drop = [d for d in drop if rank and t._shape[d] == 1]
    shape = [s for i, s in enumerate(t._shape) if i not in drop]
    strides = [s for i, s in enumerate(t._strides) if i not in drop]
    return _reshaped(t, shape, view_of(t, shape, strides, t._offset))


def flatten(t, start_dim=0, end_dim=-1):
    rank = len(t._shape)
    if not rank:
        return reshape(t, 1)
    start, end = axis_of(start_dim, rank), axis_of(end_dim, rank)
    if start > end:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if start == end:
        return t
    return reshape(t, *t._shape[:start], numel(t._shape[start : end + 1]), *t._shape[end + 1 :])


def ravel(t):
    return reshape(t, -1) if t.numel() else reshape(t, 0)


def unflatten(t, dim, sizes):
    dim = axis_of(dim, len(t._shape))
    sizes = _resolve(tuple(sizes), t._shape[dim])
    return view(t, *t._shape[:dim], *sizes, *t._shape[dim + 1 :])


def narrow(t, dim, start, length):
    dim = axis_of(dim, len(t._shape))
    size = t._shape[dim]
    start = int(start)
    if start < 0:
        start += size
    if start < 0 or start + length > size:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({size}).")
    return slice_view(t, dim, start, 1, length)


def select(t, dim, index):
    rank = len(t._shape)
    if not rank:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    dim = axis_of(dim, rank)
    size = t._shape[dim]
    if not -size <= index < size:
        raise IndexError(f"index {index} is out of bounds for dimension {dim} with size {size}")
    if index < 0:
        index += size
    shape = t._shape[:dim] + t._shape[dim + 1 :]
    strides = t._strides[:dim] + t._strides[dim + 1 :]
    out = view_of(t, shape, strides, t._offset + index * t._strides[dim])
    if needs(t):
        _scatter_gradient(t, out, lambda whole: select(whole, dim, index))
    return out


def slice_view(t, dim, start, step, length):
    shape, strides = list(t._shape), list(t._strides)
    shape[dim] = length
    offset = t._offset + start * strides[dim]
    strides[dim] *= step
    out = view_of(t, shape, strides, offset)
    if needs(t):
        _scatter_gradient(t, out, lambda whole: slice_view(whole, dim, start, step, length))
    return out


def _scatter_gradient(t, out, window):
    """The gradient of a part: zeros, with the part's gradient in its window."""
    shape, dtype, device = t._shape, t.dtype, t.device

    def back(g):
        from ._tensor import write

        whole = empty(shape, dtype, device)
        write(window(whole), g)
        return whole

    record(out, "SliceBackward0", [t], back)


def chunk(t, chunks, dim=0):
    dim = axis_of(dim, len(t._shape))
    size = t._shape[dim]
    each = -(-size // chunks) if size else 0
    if not each:
        return (t,) * chunks
    return split(t, each, dim)


def split(t, split_size_or_sections, dim=0):
    dim = axis_of(dim, len(t._shape))
    size = t._shape[dim]
    if isinstance(split_size_or_sections, int):
        each = split_size_or_sections
        if each <= 0:
            raise RuntimeError(f"split_size can only be 0 if dimension size is 0, but got dimension size of {size}")
        sections = [min(each, size - at) for at in range(0, size, each)] or [0]
    else:
        sections = list(split_size_or_sections)
        if sum(sections) != size:
            raise RuntimeError(
                f"split_with_sizes expects split_sizes to sum exactly to {size} (input tensor's size at dimension {dim}), but got split_sizes={sections}"
            )
    out, at = [], 0
    for length in sections:
        out.append(slice_view(t, dim, at, 1, length))
        at += length
    return tuple(out)


def split_with_sizes(input, split_sizes, dim=0):
    return split(input, list(split_sizes), dim)


def split_at(t, edges, dim=0):
    """Parts between neighbouring edges; an edge before the last one makes an empty part."""
    dim = axis_of(dim, len(t._shape))
    return tuple(
        slice_view(t, dim, start, 1, max(0, end - start)) for start, end in zip(edges, edges[1:])
    )


def unbind(t, dim=0):
    dim = axis_of(dim, len(t._shape))
    return tuple(select(t, dim, i) for i in range(t._shape[dim]))


def diagonal(t, offset=0, dim1=0, dim2=1):
    rank = len(t._shape)
    a, b = axis_of(dim1, rank), axis_of(dim2, rank)
    n = max(0, min(t._shape[a], t._shape[b] - offset) if offset >= 0 else min(t._shape[a] + offset, t._shape[b]))
    at = t._offset
    if n:
        at += offset * t._strides[b] if offset >= 0 else -offset * t._strides[a]
    keep = [i for i in range(rank) if i not in (a, b)]
    shape = [t._shape[i] for i in keep] + [n]
    strides = [t._strides[i] for i in keep] + [t._strides[a] + t._strides[b]]
    out = view_of(t, shape, strides, at)
    if needs(t):
        _scatter_gradient(t, out, lambda whole: diagonal(whole, offset, dim1, dim2))
    return out


def as_strided(t, size, stride, storage_offset=None):
    offset = t._offset if storage_offset is None else storage_offset
    last = offset + sum((s - 1) * d for s, d in zip(size, stride)) if numel(size) else offset
    if (last + 1) * t.dtype.itemsize > t._storage.nbytes and numel(size):
        raise RuntimeError(
            f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {offset}, and itemsize {t.dtype.itemsize} requiring a storage size of {(last + 1) * t.dtype.itemsize} are out of bounds for storage of size {t._storage.nbytes}"
        )
    out = view_of(t, size, stride, offset)
    if needs(t):
        if offset < t._offset:
            raise NotImplementedError(
                "the gradient of as_strided that begins before its input is not available in Hippocamp's torch"
            )
        windows_gradient(t, out)
    return out


def window_in(base, view):
    """A function from a tensor of the base's shape to a copy, which lies in memory as the base does, and that
    copy's window which is of the elements that the view has of the base."""
    from ._tensor import empty_strided, write

    sizes, steps = base._shape, base._strides
    shape, strides, offset = view._shape, view._strides, view._offset - base._offset

    def window(whole):
        copy = empty_strided(sizes, steps, whole.dtype, whole.device)
        write(copy, whole)
        return copy, as_strided(copy, shape, strides, offset)

    return window


def windows_gradient(base, view):
    window = window_in(base, view)
    _overlap_gradient(base, view, lambda places: window(places)[1])


def _overlap_gradient(t, out, window):
    """The gradient of a window that may show an element more than once: what it shows is added up."""
    shape, dtype, device = t._shape, t.dtype, t.device

    def back(g):
        from ._patterns import arange
        from ._indexing import scatter_add_

        n = numel(shape)
        places = contiguous(window(reshape(arange(n, device=device), *shape)))
        whole = empty((n,), dtype, device)
        scatter_add_(whole, 0, reshape(places, -1), reshape(g, -1))
        return reshape(whole, *shape)

    record(out, "AsStridedBackward0", [t], back)


def unfold(t, dimension, size, step):
    dim = axis_of(dimension, len(t._shape))
    shape, strides = list(t._shape), list(t._strides)
    shape.append(size)
    strides.append(strides[dim])
    shape[dim] = (shape[dim] - size) // step + 1
    strides[dim] *= step
    out = view_of(t, shape, strides, t._offset)
    if needs(t):
        _overlap_gradient(t, out, lambda places: unfold(places, dimension, size, step))
    return out


def _channels_last(shape):
    """Strides of a tensor whose second dimension lies innermost."""
    n, c, *rest = range(len(shape))
    strides, step = [0] * len(shape), 1
    for d in (c, *reversed(rest), n):
        strides[d] = step
        step *= shape[d]
    return tuple(strides)


def is_channels_last(shape, strides):
    """Whether elements follow each other with the second dimension innermost; one of one element may lie anywhere."""
    exact = _channels_last(shape)
    return all(size == 1 or stride == step for size, stride, step in zip(shape, strides, exact))


def lies_channels_last(shape, strides):
    """Whether PyTorch takes a picture or a volume for one whose second dimension lies innermost: by the order of
    its strides alone, where dimensions of one element leave that open in favour of the usual order.
    """
    least = 0
    for d in (1, *range(len(shape) - 1, 1, -1), 0):
        size, stride = shape[d], strides[d]
        if size == 0 or stride < least or (d == 0 and least == strides[1]) or (d == 1 and stride == 0):
            return False
        least = stride * size if size > 1 else stride
    return True


def contiguous(t, memory_format=None):
    if str(memory_format).startswith("torch.channels_last"):
        strides = _channels_last(t._shape)
        if is_channels_last(t._shape, t._strides):
            return t
        from ._tensor import empty_strided, write

        out = empty_strided(t._shape, strides, t.dtype, t.device)
        write(out, t.detach())
        if needs(t):
            record(out, "CloneBackward0", [t], lambda g: g)
        return out
    if t.is_contiguous():
        return t
    out = contiguous_copy(t)
    if needs(t):
        record(out, "CloneBackward0", [t], lambda g: g)
    return out


def dense_strides(t):
    """The strides of a tensor whose elements fill a piece of memory, in whatever order; else None."""
    expected = 1
    for stride, size in sorted(zip(t._strides, t._shape)):
        if size != 1 and stride != expected:
            return None
        expected *= size
    return t._strides


def result_strides(shape, *operands):
    """Strides of an elementwise result of `shape`; None: row-major.

    The order of dimensions in memory is that of the first operand that has one, as PyTorch's
    TensorIterator takes it (`reorder_dimensions`): a transposed operand makes a transposed result.
    Operands that are numbers have none.
    """
    if len(shape) < 2 or 0 in shape:
        return None
    tensors = [x for x in operands if isinstance(x, Tensor) and x._shape]
    if all(t.is_contiguous() for t in tensors):
        return None
    first = tensors[0]
    if len(tensors) == len(operands) and first._shape == shape:
        alike = all(t._shape == shape and t._strides == first._strides for t in tensors)
        if alike and dense_strides(first):
            return first._strides
    strides = [spread(t, shape) for t in tensors]
    order = list(range(len(shape)))[::-1]
    for at in range(1, len(order)):
        for before in range(at - 1, -1, -1):
            way = _order(order[before], order[at], shape, strides)
            if way < 0:
                break
            if way > 0:
                order[before], order[at] = order[at], order[before]
                at = before
    if order == list(range(len(shape)))[::-1]:
        return None
    result, step = [0] * len(shape), 1
    for dim in order:
        result[dim] = step
        step *= shape[dim]
    return tuple(result)


def broadcast_view(t, shape):
    """The tensor as one of `shape`, without its gradient."""
    return t if t._shape == shape else view_of(t, shape, spread(t, shape), t._offset)


def spread(t, shape):
    """Strides of a tensor that is broadcast to `shape`: 0 along what it repeats."""
    extra = len(shape) - len(t._shape)
    own = zip(t._shape, t._strides, shape[extra:])
    return [0] * extra + [0 if size == 1 and to != 1 else stride for size, stride, to in own]


def _order(inner, outer, shape, strides):
    """Which of two dimensions is closer in memory: 1 where they should change places, -1 where not, else 0."""
    for each in strides:
        if each[inner] == 0 or each[outer] == 0:
            continue
        if each[inner] != each[outer]:
            return 1 if each[inner] > each[outer] else -1
        if shape[inner] > shape[outer]:
            return 1
    return 0


def clone(t, memory_format=None):
    if str(memory_format) not in ("None", "torch.preserve_format"):
        made = contiguous(t, memory_format)
        return clone(made) if made is t else made
    strides = result_strides(t._shape, t)
    if strides is None:
        out = contiguous_copy(t)
    else:
        # The order of dimensions stays, as PyTorch's preserve_format does.
        from ._tensor import empty_strided, run

        out = empty_strided(t._shape, strides, t.dtype, t.device)
        if t.numel():
            run("copy", (out,), (t,))
    if needs(t):
        record(out, "CloneBackward0", [t], lambda g: g)
    return out


__all__ = ["Size", "Tensor"]
