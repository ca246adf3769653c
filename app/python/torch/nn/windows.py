"""What moves a window over a tensor (convolution, pooling), padding, and rearranged pixels."""

from .. import _core as core
from .. import _ops as ops
from .. import _reductions as reductions
from .. import _views as views
from .._autograd import needs, record


def pad(input, pad, mode="constant", value=None):
    if mode != "constant":
        return _pad_with_itself(input, pad, mode)
    from .._create import full
    from .._tensor import write

    rank = len(input._shape)
    before, after = [0] * rank, [0] * rank
    for i in range(len(pad) // 2):
        before[rank - 1 - i], after[rank - 1 - i] = pad[2 * i], pad[2 * i + 1]
    shape = [s + b + a for s, b, a in zip(input._shape, before, after)]
    out = full(shape, value or 0, dtype=input.dtype, device=input.device)
    source, window = input, out
    for dim, (b, a) in enumerate(zip(before, after)):
        kept = input._shape[dim] + min(b, 0) + min(a, 0)
        source = views.narrow(source, dim, -min(b, 0), kept)
        window = views.narrow(window, dim, max(b, 0), kept)
    write(window, source.detach())
    if needs(input):

        def gradient(g):
            part = g
            for dim, (b, a) in enumerate(zip(before, after)):
                if b < 0 or a < 0:
                    raise NotImplementedError("the gradient of a negative pad is not available")
                part = views.narrow(part, dim, b, input._shape[dim])
            return part

        record(out, "ConstantPadNdBackward0", [input], gradient)
    return out


def _pad_with_itself(input, pad, mode):
    """`reflect`, `replicate` and `circular`: along each dimension, the elements that stand there."""
    from .._create import tensor
    from .._indexing import index_select

    if mode not in ("reflect", "replicate", "circular"):
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    out = input
    for i in range(len(pad) // 2):
        dim = len(input._shape) - 1 - i
        n, before, after = input._shape[dim], pad[2 * i], pad[2 * i + 1]
        places = []
        for at in range(-before, n + after):
            if mode == "replicate":
                at = min(max(at, 0), n - 1)
            elif mode == "circular":
                at %= n
            else:
                at = abs(at) if at < n else 2 * (n - 1) - at
            places.append(at)
        out = index_select(out, dim, tensor(places, dtype=core.int64, device=input.device))
    return out


# ── windows ─────────────────────────────────────────────────────────────────────────────────────


def _many(value, rank):
    return (value,) * rank if isinstance(value, int) else tuple(value) * (rank // len(tuple(value)))


def _windows(x, kernel, stride, dilation):
    """[n, c, *spatial] → [n, c, *out, *kernel]; gathered, so that gradients flow back."""
    from .._create import tensor
    from .._indexing import get

    rank = len(kernel)
    out = [
        (s - d * (k - 1) - 1) // t + 1 for s, k, t, d in zip(x._shape[2:], kernel, stride, dilation)
    ]
    index = [slice(None), slice(None)]
    for i in range(rank):
        places = [[o * stride[i] + k * dilation[i] for k in range(kernel[i])] for o in range(out[i])]
        shape = [1] * (2 * rank)
        shape[i], shape[rank + i] = out[i], kernel[i]
        made = tensor(places, dtype=core.int64, device=x.device)
        index.append(views.reshape(made, *shape))
    return get(x, tuple(index)), out


def _convolution(input, weight, bias, stride, padding, dilation, groups, rank):
    batched = len(input._shape) == rank + 2
    x = input if batched else views.unsqueeze(input, 0)
    kernel = tuple(weight._shape[2:])
    if x._shape[1] != weight._shape[1] * groups:
        raise RuntimeError(
            f"Given groups={groups}, weight of size {list(weight._shape)}, expected input{list(x._shape)} to have "
            f"{weight._shape[1] * groups} channels, but got {x._shape[1]} channels instead"
        )
    stride, dilation = _many(stride, rank), _many(dilation, rank)
    if padding == "same":
        total = [d * (k - 1) for d, k in zip(dilation, kernel)]
        sides = [(t // 2, t - t // 2) for t in total]
    else:
        sides = [(p, p) for p in (_many(0, rank) if padding == "valid" else _many(padding, rank))]
    if any(a or b for a, b in sides):
        x = pad(x, [n for side in reversed(sides) for n in side])
    spread, out = _windows(x, kernel, stride, dilation)
    n, each, size = x._shape[0], weight._shape[1], core.numel(kernel)
    columns = views.reshape(spread, n, groups, each, core.numel(out), size)
    columns = views.reshape(views.permute(columns, 0, 1, 2, 4, 3), n, groups, each * size, -1)
    rows = views.reshape(weight, groups, weight._shape[0] // groups, each * size)
    result = views.reshape(ops.matmul(rows, columns), n, weight._shape[0], *out)
    if bias is not None:
        result = ops.add(result, views.reshape(bias, -1, *[1] * rank))
    return result if batched else views.squeeze(result, 0)


def conv1d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    return _convolution(input, weight, bias, stride, padding, dilation, groups, 1)


def conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    return _convolution(input, weight, bias, stride, padding, dilation, groups, 2)


def _pooled(rank, input, kernel_size, stride, padding, dilation, fill, fold):
    batched = len(input._shape) == rank + 2
    x = input if batched else views.unsqueeze(input, 0)
    kernel = _many(kernel_size, rank)
    stride = kernel if stride is None else _many(stride, rank)
    before = _many(padding, rank)
    if any(before):
        x = pad(x, [n for p in reversed(before) for n in (p, p)], value=fill)
    spread, out = _windows(x, kernel, stride, _many(dilation, rank))
    result = fold(views.reshape(spread, *x._shape[:2], *out, core.numel(kernel)))
    return result if batched else views.squeeze(result, 0)


def _max_pool(rank):
    def function(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
        if ceil_mode or return_indices:
            raise NotImplementedError(
                f"max_pool{rank}d(ceil_mode, return_indices) is not available in Hippocamp's torch"
            )
        fold = lambda t: reductions.max(t, -1)[0]  # noqa: E731
        return _pooled(rank, input, kernel_size, stride, padding, dilation, float("-inf"), fold)

    return function


def _avg_pool(rank):
    def function(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None):  # fmt: skip
        if ceil_mode or divisor_override or not (count_include_pad or padding in (0, (0,) * rank)):
            raise NotImplementedError(
                f"avg_pool{rank}d(ceil_mode, count_include_pad, divisor_override) is not available in Hippocamp's torch"
            )
        mean = lambda t: reductions.mean(t, -1)  # noqa: E731
        return _pooled(rank, input, kernel_size, stride, padding, 1, 0.0, mean)

    return function


max_pool1d, max_pool2d = _max_pool(1), _max_pool(2)
avg_pool1d, avg_pool2d = _avg_pool(1), _avg_pool(2)


def pixel_shuffle(input, upscale_factor):
    r = upscale_factor
    *batch, c, h, w = input._shape
    apart = views.reshape(input, *batch, c // (r * r), r, r, h, w)
    n = len(batch)
    order = [*range(n), n, n + 3, n + 1, n + 4, n + 2]
    return views.reshape(views.permute(apart, *order), *batch, c // (r * r), h * r, w * r)


def pixel_unshuffle(input, downscale_factor):
    r = downscale_factor
    *batch, c, h, w = input._shape
    apart = views.reshape(input, *batch, c, h // r, r, w // r, r)
    n = len(batch)
    order = [*range(n), n, n + 2, n + 4, n + 1, n + 3]
    return views.reshape(views.permute(apart, *order), *batch, c * r * r, h // r, w // r)


__all__ = """avg_pool1d avg_pool2d conv1d conv2d max_pool1d max_pool2d pad pixel_shuffle
    pixel_unshuffle""".split()
