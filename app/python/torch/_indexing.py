"""Indexing: integers, slices, None and Ellipsis make views; masks and index tensors pick elements."""

from . import _core as core
from . import _ops as ops
from . import _views as views
from ._autograd import needs, record
from ._core import axis_of, compute_name, constant, numel, run
from ._tensor import Tensor, empty, view_of, write


def _normalize(t, index):
    """Basic parts applied as a view; the rest as {dimension of the view: index tensor}."""
    items = list(index) if isinstance(index, tuple) else [index]
    if isinstance(index, list):
        items = [_from_list(index, t)]
    used = 0
    for i, item in enumerate(items):
        if isinstance(item, (list, tuple, range)):
            item = items[i] = _from_list(list(item), t)
        if item is None or item is Ellipsis or isinstance(item, bool):
            continue
        used += len(item._shape) if _is_mask(item) else 1
    if sum(1 for x in items if x is Ellipsis) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    rank = len(t._shape)
    if used and not rank:
        raise IndexError(
            "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a 0-dim tensor to a number"
        )
    if used > rank:
        raise IndexError(f"too many indices for tensor of dimension {rank}")
    view = t
    picks = {}
    dim = 0
    #: Dimensions of `view` that are not `t`'s, less those of `t` that are gone: for messages.
    before_none = 0
    for position, item in enumerate(items):
        if item is Ellipsis:
            rest = items[position + 1 :]
            after = sum(
                len(x._shape) if _is_mask(x) else 1
                for x in rest
                if x is not None and not isinstance(x, bool)
            )
            before = sum(
                len(x._shape) if _is_mask(x) else 1
                for x in items[:position]
                if x is not None and not isinstance(x, bool)
            )
            dim += rank - before - after
        elif item is None:
            view = views.unsqueeze(view, dim)
            dim += 1
            before_none -= 1
        elif item is True or item is False:
            view = views.unsqueeze(view, dim)
            from ._create import tensor

            picks[dim] = tensor([0] if item else [], dtype=core.int64)
            dim += 1
        elif isinstance(item, slice):
            view = _slice(view, dim, item)
            dim += 1
        elif isinstance(item, Tensor) and (item._shape or item.dtype in (core.bool_, core.uint8)):
            if _is_mask(item):
                for axis, size in enumerate(item._shape):
                    if size != view._shape[dim + axis]:
                        raise IndexError(
                            f"The shape of the mask {list(item._shape)} at index {axis} does not match the shape of the indexed tensor {list(t._shape)} at index {dim + axis}"
                        )
                if not item._shape:
                    view = views.unsqueeze(view, dim)
                    from ._create import tensor

                    picks[dim] = tensor([0] if bool(item) else [], dtype=core.int64)
                    dim += 1
                    continue
                where = nonzero(item, as_tuple=True)
                for axis, column in enumerate(where):
                    picks[dim + axis] = column
                dim += len(item._shape)
            else:
                if item.dtype.is_floating_point:
                    raise IndexError(
                        "tensors used as indices must be long, int, byte or bool tensors"
                    )
                picks[dim] = item
                dim += 1
        else:
            view = _select(view, dim, _integer(item), before_none)
            before_none += 1
    return view, picks


def _is_mask(item):
    return isinstance(item, Tensor) and item.dtype in (core.bool_, core.uint8)


def _from_list(values, t):
    from ._create import tensor

    out = tensor(values)
    return out if values and out.dtype is core.bool_ else out.to(core.int64)


def _integer(item):
    if isinstance(item, Tensor):
        return int(item.item())
    if isinstance(item, str):
        raise TypeError("new(): invalid data type 'str'")
    try:
        return item.__index__()
    except (AttributeError, TypeError):
        raise IndexError(
            "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid "
            f"indices (got {type(item).__name__})"
        ) from None


def _select(view, dim, index, shift):
    size = view._shape[dim]
    if not -size <= index < size:
        raise IndexError(f"index {index} is out of bounds for dimension {dim + shift} with size {size}")
    return views.select(view, dim, index)


def _slice(view, dim, item):
    if item.start is None and item.stop is None and item.step is None:
        return view
    whole = lambda v: int(v.item()) if isinstance(v, Tensor) else v  # noqa: E731
    step = whole(item.step)
    if step is not None and step <= 0:
        raise ValueError("step must be greater than zero")
    start, stop, step = slice(whole(item.start), whole(item.stop), step).indices(view._shape[dim])
    length = max(0, -((start - stop) // step))
    if length == view._shape[dim] and step == 1:
        return view
    return views.slice_view(view, dim, start, step, length)


def get(t, index):
    view, picks = _normalize(t, index)
    if picks:
        return _pick(view, picks)
    if view is t:
        view = view_of(t, t._shape, t._strides, t._offset)
        if needs(t):
            record(view, "AliasBackward0", [t], lambda g: g)
    return view


def _arranged(view, picks):
    """The picked dimensions first, the rest behind, and where the picked shape goes in the result."""
    axes = sorted(picks)
    lists = [picks[a] for a in axes]
    shape = core.broadcast_shapes(*[x._shape for x in lists])
    rest = [d for d in range(len(view._shape)) if d not in picks]
    adjacent = axes == list(range(axes[0], axes[0] + len(axes)))
    at = axes[0] if adjacent else 0
    moved = view_of(
        view,
        [view._shape[d] for d in axes + rest],
        [view._strides[d] for d in axes + rest],
        view._offset,
    )
    lists = [views.expand(x, *shape) for x in lists]
    inner = numel([view._shape[d] for d in rest])
    numbers = (inner, *[view._shape[a] for a in axes], *axes)
    return moved, lists, shape, [view._shape[d] for d in rest], at, numbers, axes, rest


def _pick(view, picks):
    moved, lists, shape, rest_shape, at, numbers, _, _ = _arranged(view, picks)
    out = empty(list(shape) + rest_shape, view.dtype, view.device)
    if out.numel():
        run("index", (out,), (moved, *lists), c=_raw(view.dtype), n=numbers)
    result = _placed(out, len(shape), at)
    if needs(view):

        def gradient(g):
            whole = empty(view._shape, g.dtype, g.device)
            _put(whole, picks, g, True)
            return whole

        record(result, "IndexBackward0", [view], gradient)
    return result


def _placed(out, count, at):
    """Moves the picked dimensions from the front to where they stood."""
    if not at or not count:
        return out
    order = list(range(count, count + at)) + list(range(count)) + list(
        range(count + at, len(out._shape))
    )
    return view_of(
        out, [out._shape[d] for d in order], [out._strides[d] for d in order], out._offset
    ).contiguous()


def _raw(dtype):
    return compute_name(dtype.to_real())


def put(t, index, value):
    if needs(t, value):
        if t.requires_grad and t.grad_fn is None:
            raise RuntimeError(
                "a view of a leaf Variable that requires grad is being used in an in-place operation."
            )
        from ._methods import recorded_in_place

        recorded_in_place(t, _assigned, (index, value), {})
        return
    view, picks = _normalize_detached(t, index)
    if not isinstance(value, Tensor):
        if isinstance(value, (list, tuple)):
            where = "cuda." if t.is_cuda else ""
            kind = type(value).__name__
            raise TypeError(f"can't assign a {kind} to a torch.{where}{t.dtype.short}Tensor")
        else:
            if view.numel() and not picks:
                write(view, constant(value, t.dtype))
                return
            from ._create import full

            value = full((), value, dtype=t.dtype, device=t.device)
    if value.device is not t.device and value._shape:
        ops.device_of(t, value)
    if picks:
        if view.numel() or any(p.numel() for p in picks.values()):
            _put(view, picks, value.to(t.dtype), False)
        t._version += 1
    else:
        source = value
        while len(source._shape) > len(view._shape) and source._shape[0] == 1:
            source = views.select(source, 0, 0)
        try:
            fits = _fits(source._shape, view._shape)
            source = views.broadcast_view(source, view._shape) if fits else None
        except RuntimeError:
            source = None
        if source is None:
            raise RuntimeError(
                f"The expanded size of the tensor ({view._shape[-1] if view._shape else 1}) must match the existing size ({value._shape[-1] if value._shape else 1}) at non-singleton dimension {max(0, len(view._shape) - 1)}.  Target sizes: {list(view._shape)}.  Tensor sizes: {list(value._shape)}"
            )
        if source._storage is view._storage:
            source = source.clone()
        write(view, source)


def _fits(shape, target):
    if len(shape) > len(target):
        return False
    return all(s in (1, t) for s, t in zip(reversed(shape), reversed(target)))


def _assigned(t, index, value):
    """A copy of `t` with `value` at `index`: what an assignment on the tape records."""
    from ._autograd import no_grad

    with no_grad():
        out = views.contiguous_copy(t)
        put(out, index, value.detach() if isinstance(value, Tensor) else value)

    def gradient(g):
        rest = g.clone()
        put(rest, index, 0.0)
        part = get(g, index) if isinstance(value, Tensor) and value.requires_grad else None
        return rest, part

    return record(out, "IndexPutBackward0", [t, value], gradient)


def _normalize_detached(t, index):
    from ._autograd import no_grad

    with no_grad():
        return _normalize(t, index)


def _put(view, picks, value, accumulate):
    moved, lists, shape, rest_shape, at, numbers, _, _ = _arranged(view, picks)
    target = list(shape) + rest_shape
    if at and len(shape) and value._shape:
        # The value's dimensions stand as in the result of reading: bring the picked ones first.
        natural = rest_shape[:at] + list(shape) + rest_shape[at:]
        value = views.expand(value, *natural)
        order = (
            list(range(at, at + len(shape)))
            + list(range(at))
            + list(range(at + len(shape), len(natural)))
        )
        value = view_of(
            value, [value._shape[d] for d in order], [value._strides[d] for d in order], value._offset
        )
    if value._shape:
        if not _fits(value._shape, target):
            raise RuntimeError(
                f"shape mismatch: value tensor of shape {list(value._shape)} cannot be broadcast to indexing result of shape {target}"
            )
        value = views.broadcast_view(value, target)
    if not numel(target):
        return
    run(
        "index_put",
        (moved,),
        (moved, value, *lists),
        f="accumulate" if accumulate else "",
        c=_raw(view.dtype),
        n=numbers,
    )


def index_put_(t, indices, values, accumulate=False):
    view, picks = _normalize_detached(t, tuple(indices))
    _put(view, picks, values.to(t.dtype), accumulate)
    t._version += 1
    return t


def put_(t, index, source, accumulate=False):
    from ._composed import put as put_into

    write(t, put_into(t, index, source, accumulate))
    return t


def index_put(t, indices, values, accumulate=False):
    indices = tuple(indices)
    out = index_put_(views.contiguous_copy(t), indices, values.detach(), accumulate)
    if needs(t, values):

        def gradient(g):
            rest = g
            if not accumulate:
                rest = views.clone(g)
                put(rest, indices, 0.0)
            return rest, get(g, indices)

        record(out, "IndexPutBackward0", [t, values], gradient)
    return out


def nonzero(input, *, as_tuple=False):
    count = int(run("nonzero_count", (), (input,)))
    rank = len(input._shape)
    # One dimension's coordinates lie together, as PyTorch lays them out.
    out = views.transpose(empty((rank, count), core.int64, input.device), 0, 1)
    if count and rank:
        run("nonzero", (out,), (input,))
    if as_tuple:
        if not rank:
            return nonzero(views.reshape(input, 1), as_tuple=True)
        return tuple(views.select(out, 1, i) for i in range(rank))
    return out


argwhere = nonzero


def masked_select(input, mask):
    input, mask = views.broadcast_tensors(input, mask)
    return get(input, mask)


def index_select(input, dim, index):
    axis = axis_of(dim, len(input._shape))
    if index.dtype not in (core.int64, core.int32):
        raise RuntimeError("index_select(): Expected dtype int32 or int64 for index")
    return _pick(input, {axis: index.reshape(-1)})


def take(input, index):
    return get(views.reshape(input, -1), index)


def gather(input, dim, index, *, sparse_grad=False):
    axis = axis_of(dim, len(input._shape))
    if len(index._shape) != len(input._shape):
        raise RuntimeError(
            "Index tensor must have the same number of dimensions as input tensor"
        )
    if index.dtype not in (core.int64, core.int32):
        raise RuntimeError("gather(): Expected dtype int64 for index")
    out = empty(index._shape, input.dtype, input.device)
    if out.numel():
        run("gather", (out,), (input, index), c=_raw(input.dtype), n=(axis,))
    if needs(input):

        def gradient(g):
            whole = empty(input._shape, g.dtype, g.device)
            return scatter_add_(whole, axis, index, g)

        record(out, "GatherBackward0", [input], gradient)
    return out


def take_along_dim(input, indices, dim=None):
    if dim is None:
        return gather(views.reshape(input, -1), 0, views.reshape(indices, -1))
    return gather(input, dim, indices)


def scatter_(t, dim, index, src=None, *, value=None, reduce=None):
    axis = axis_of(dim, len(t._shape))
    src = value if src is None else src
    if reduce == "multiply":
        from ._composed import scatter_reduce

        source = src if isinstance(src, Tensor) else t.new_full(index._shape, src)
        write(t, scatter_reduce(t.detach(), dim, index, source, "prod"))
        return t
    if not isinstance(src, Tensor):
        from ._create import full

        src = full((), src, dtype=t.dtype, device=t.device)
    elif src.dtype is not t.dtype:
        raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
    if src._shape and src._shape != index._shape:
        src = view_of(src, index._shape, src._strides, src._offset)
    if reduce not in (None, "add"):
        raise NotImplementedError(f"scatter_(reduce={reduce!r}) is not available in Hippocamp's torch")
    if index.numel():
        run(
            "scatter",
            (t,),
            (t, index, src),
            f="accumulate" if reduce == "add" else "",
            c=_raw(t.dtype),
            n=(axis,),
        )
    t._version += 1
    return t


def scatter(input, dim, index, src=None, *, value=None, reduce=None):
    src = value if src is None else src
    out = scatter_(input.detach().clone(), dim, index, src.detach() if isinstance(src, Tensor) else src, reduce=reduce)
    if needs(input, src):
        record(
            out,
            "ScatterBackward0",
            [input, src],
            lambda g: (
                scatter_(g.clone(), dim, index, 0.0) if reduce is None else g,
                gather(g, dim, index),
            ),
        )
    return out


def scatter_add_(t, dim, index, src):
    return scatter_(t, dim, index, src, reduce="add")


def scatter_add(input, dim, index, src):
    return scatter(input, dim, index, src, reduce="add")


def index_add_(t, dim, index, source, *, alpha=1):
    axis = axis_of(dim, len(t._shape))
    if alpha != 1:
        source = ops.mul(source, alpha)
    _put(t, {axis: index}, source, True)
    t._version += 1
    return t


def index_copy_(t, dim, index, source):
    _put(t, {axis_of(dim, len(t._shape)): index}, source, False)
    t._version += 1
    return t


def index_fill_(t, dim, index, value):
    from ._create import full

    _put(t, {axis_of(dim, len(t._shape)): index}, full((), value, dtype=t.dtype, device=t.device), False)
    t._version += 1
    return t


def bincount(input, weights=None, minlength=0):
    values = input.tolist()
    size = max([minlength - 1, *values]) + 1
    counts = [0] * size
    scale = weights.tolist() if weights is not None else None
    for i, v in enumerate(values):
        counts[v] += scale[i] if scale else 1
    from ._create import tensor

    return tensor(counts, dtype=core.float64 if scale else core.int64, device=input.device)


def histc(input, bins=100, min=0, max=0):
    values = input.reshape(-1).tolist()
    low, high = (min, max) if (min, max) != (0, 0) else (_min(values), _max(values))
    if low == high:
        low, high = low - 1, high + 1
    counts = [0.0] * bins
    for v in values:
        if low <= v <= high:
            place = int((v - low) / (high - low) * bins)
            counts[place if place < bins else bins - 1] += 1
    from ._create import tensor

    return tensor(counts, dtype=input.dtype, device=input.device)


def _min(values):
    return sorted(values)[0] if values else 0


def _max(values):
    return sorted(values)[-1] if values else 0


def searchsorted(sorted_sequence, values, *, right=False, out_int32=False, side=None, sorter=None):
    import bisect

    from ._create import tensor

    if sorter is not None:
        sorted_sequence = gather(sorted_sequence, -1, sorter)
    find = bisect.bisect_right if right or side == "right" else bisect.bisect_left
    single = not isinstance(values, Tensor)
    if len(sorted_sequence._shape) > 1:
        width = values._shape[-1]
        rows = sorted_sequence.reshape(-1, sorted_sequence._shape[-1]).tolist()
        wanted = values.reshape(-1, width).tolist()
        found = [[find(row, v) for v in each] for row, each in zip(rows, wanted)]
        kind = core.int32 if out_int32 else core.int64
        return tensor(found, dtype=kind, device=sorted_sequence.device).reshape(values._shape)
    ordered = sorted_sequence.tolist()
    wanted = [values] if single else values.reshape(-1).tolist()
    dtype = core.int32 if out_int32 else core.int64
    out = tensor([find(ordered, v) for v in wanted], dtype=dtype, device=sorted_sequence.device)
    return out.reshape(()) if single else out.reshape(values._shape)


def bucketize(input, boundaries, *, right=False, out_int32=False):
    return searchsorted(boundaries, input, right=right, out_int32=out_int32)
