"""Convolutions of one to three dimensions, their transposes, and the patches they are made of."""

from .. import _core as core
from .. import _ops as ops
from .. import _views as views
from .._eager import singles
from .._join import flip
from .windows import many, pad, windows


def _convolution(input, weight, bias, stride, padding, dilation, groups, rank):
    batched = len(input._shape) == rank + 2
    x = input if batched else views.unsqueeze(input, 0)
    kernel = tuple(weight._shape[2:])
    if x._shape[1] != weight._shape[1] * groups:
        raise RuntimeError(
            f"Given groups={groups}, weight of size {list(weight._shape)}, expected input{list(x._shape)} to have "
            f"{weight._shape[1] * groups} channels, but got {x._shape[1]} channels instead"
        )
    stride, dilation = many(stride, rank), many(dilation, rank)
    if padding == "same":
        total = [d * (k - 1) for d, k in zip(dilation, kernel)]
        sides = [(t // 2, t - t // 2) for t in total]
    else:
        sides = [(p, p) for p in (many(0, rank) if padding == "valid" else many(padding, rank))]
    if any(a or b for a, b in sides):
        x = pad(x, [n for side in reversed(sides) for n in side])
    spread, out = windows(x, kernel, stride, dilation)
    n, each, size = x._shape[0], weight._shape[1], core.numel(kernel)
    columns = views.reshape(spread, n, groups, each, core.numel(out), size)
    columns = views.reshape(views.permute(columns, 0, 1, 2, 4, 3), n, groups, each * size, -1)
    rows = views.reshape(weight, groups, weight._shape[0] // groups, each * size)
    result = views.reshape(ops.matmul(rows, columns), n, weight._shape[0], *out)
    if bias is not None:
        result = ops.add(result, views.reshape(bias, -1, *[1] * rank))
    return result if batched else views.squeeze(result, 0)


def _laid(result, input, weight):
    """Channels lie innermost where they do in the input or in the weight, as cuDNN and oneDNN lay them."""
    for t in (input, weight):
        if len(t._shape) == len(result._shape) > 3 and views.lies_channels_last(t._shape, t._strides):
            return views.contiguous(result, core.MEMORY_FORMATS[len(t._shape) - 2])
    return result


def conv1d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    return _convolution(input, weight, bias, stride, padding, dilation, groups, 1)


def conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    return _laid(_convolution(input, weight, bias, stride, padding, dilation, groups, 2), input, weight)


def conv3d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    return _laid(_convolution(input, weight, bias, stride, padding, dilation, groups, 3), input, weight)


_AXES = ("depth", "height", "width")


def _spread(x, stride):
    """Zeros between the elements: as far apart as `stride` says."""
    n, c, *sizes = x._shape
    if all(t == 1 for t in stride):
        return x
    apart = views.reshape(x, n, c, *[k for s in sizes for k in (s, 1)])
    apart = pad(apart, [k for t in reversed(stride) for k in (0, t - 1, 0, 0)])
    joined = views.reshape(apart, n, c, *[s * t for s, t in zip(sizes, stride)])
    for i, (s, t) in enumerate(zip(sizes, stride)):
        joined = views.narrow(joined, 2 + i, 0, (s - 1) * t + 1)
    return joined


def _transposed(input, weight, bias, stride, padding, output_padding, groups, dilation, rank):
    """The gradient of a convolution: a convolution of the spread input with the turned weight."""
    batched = len(input._shape) == rank + 2
    x = input if batched else views.unsqueeze(input, 0)
    stride, dilation = many(stride, rank), many(dilation, rank)
    padding, further = many(padding, rank), many(output_padding, rank)
    channels, each, *kernel = weight._shape
    if x._shape[1] != channels:
        raise RuntimeError(
            f"Given transposed=1, weight of size {list(weight._shape)}, expected input{list(x._shape)} to have "
            f"{channels} channels, but got {x._shape[1]} channels instead"
        )
    for f, t, d in zip(further, stride, dilation):
        if f >= max(t, d):
            sizes = {"output_padding": further, "stride": stride, "dilation": dilation}
            reported = [f"{n}_{a}: {v}" for n, vs in sizes.items() for a, v in zip(_AXES[-rank:], vs)]
            raise RuntimeError(
                f"output padding must be smaller than either stride or dilation, but got {' '.join(reported)}"
            )
    around = [d * (k - 1) - p for d, k, p in zip(dilation, kernel, padding)]
    x = pad(_spread(x, stride), [n for a, f in reversed(list(zip(around, further))) for n in (a, a + f)])
    turned = views.reshape(weight, groups, channels // groups, each, *kernel)
    turned = views.reshape(views.transpose(turned, 1, 2), groups * each, channels // groups, *kernel)
    turned = flip(turned, *range(2, 2 + rank))
    result = _convolution(x, turned, bias, 1, 0, dilation, groups, rank)
    return result if batched else views.squeeze(result, 0)


def conv_transpose1d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    return _transposed(input, weight, bias, stride, padding, output_padding, groups, dilation, 1)


def conv_transpose2d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    result = _transposed(input, weight, bias, stride, padding, output_padding, groups, dilation, 2)
    return _laid(result, input, weight)


def conv_transpose3d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    result = _transposed(input, weight, bias, stride, padding, output_padding, groups, dilation, 3)
    return _laid(result, input, weight)


def unfold(input, kernel_size, dilation=1, padding=0, stride=1):
    """[n, c, h, w] → [n, c · kernel, windows]."""
    kernel, p = many(kernel_size, 2), many(padding, 2)
    x = pad(input, (p[1], p[1], p[0], p[0])) if any(p) else input
    spread, out = windows(x, kernel, many(stride, 2), many(dilation, 2))
    n, c = x._shape[:2]
    patches = views.reshape(spread, n, c, core.numel(out), core.numel(kernel))
    return views.reshape(views.transpose(patches, 2, 3), n, c * core.numel(kernel), -1)


for _name in ("conv1d", "conv2d"):
    singles(globals(), _name, fused=f"convolutions.{_name}")
singles(globals(), "conv3d conv_transpose1d conv_transpose2d conv_transpose3d")

__all__ = """conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d unfold""".split()
