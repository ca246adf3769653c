"""Convolutions of one and two dimensions: a product whose left operand is gathered, tile by tile, from the input. Where
a group has few channels, each result is a sum of its own.
"""

import triton
import triton.language as tl

from .. import _core as core
from .. import _views as views
from . import launched
from .products import _check, _check_size

#: Channels of a group from which on a tile of them is multiplied.
_CHANNELS = 8


@triton.jit
def _patch(k, x_strides, dilation, KH: tl.constexpr, KW: tl.constexpr):
    """Of a weight's element: its row and column in the picture, and its channel's place."""
    inner = k % (KH * KW)
    return inner // KW * dilation[0], inner % KW * dilation[1], k // (KH * KW) * x_strides[1]


@triton.jit
def torch_convolution(
    out, x, w, bias, pixels, each, K, size, out_size, x_strides, w_strides, out_strides, stride, padding, dilation,
    BIAS: tl.constexpr, KH: tl.constexpr, KW: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
):  # fmt: skip
    """Pixels of all pictures by channels of a group."""
    group = tl.program_id(2)
    pixel = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    channel = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    area = out_size[0] * out_size[1]
    picture, place = pixel // area, pixel % area
    row, column = place // out_size[1], place % out_size[1]
    top, left = row * stride[0] - padding[0], column * stride[1] - padding[1]
    x += group * (K // (KH * KW)) * x_strides[1] + (picture * x_strides[0])[:, None]
    w += ((group * each + channel) * w_strides[0])[None, :]
    sums = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for first in range(0, K, BLOCK_K):
        k = first + tl.arange(0, BLOCK_K)
        down, right, at = _patch(k, x_strides, dilation, KH, KW)
        y, z = top[:, None] + down[None, :], left[:, None] + right[None, :]
        inside = (y >= 0) & (y < size[0]) & (z >= 0) & (z < size[1])
        inside = inside & (pixel < pixels)[:, None] & (k < K)[None, :]
        a = tl.load(x + at[None, :] + y * x_strides[2] + z * x_strides[3], mask=inside, other=0.0)
        inner = k % (KH * KW)
        of_weight = k // (KH * KW) * w_strides[1] + inner // KW * w_strides[2] + inner % KW * w_strides[3]
        b = tl.load(w + of_weight[:, None], mask=(k < K)[:, None] & (channel < each)[None, :], other=0.0)
        sums = tl.dot(a, b, sums, input_precision="ieee")
    number = group * each + channel
    if BIAS:
        sums += tl.load(bias + number, mask=channel < each, other=0.0).to(tl.float32)[None, :]
    to = (picture * out_strides[0] + row * out_strides[2] + column * out_strides[3])[:, None]
    mask = (pixel < pixels)[:, None] & (channel < each)[None, :]
    tl.store(out + to + (number * out_strides[1])[None, :], sums.to(out.dtype.element_ty), mask=mask)


@triton.jit
def torch_small_convolution(
    out, x, w, bias, pixels, each, K, size, out_size, x_strides, w_strides, out_strides, stride, padding, dilation,
    BIAS: tl.constexpr, KH: tl.constexpr, KW: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """Pixels of all pictures, of one channel."""
    pixel = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    number = tl.program_id(1)
    area = out_size[0] * out_size[1]
    picture, place = pixel // area, pixel % area
    row, column = place // out_size[1], place % out_size[1]
    top, left = row * stride[0] - padding[0], column * stride[1] - padding[1]
    x += number // each * (K // (KH * KW)) * x_strides[1] + picture * x_strides[0]
    w += number * w_strides[0]
    sums = tl.zeros((BLOCK,), tl.float32)
    for k in range(0, K):
        down, right, at = _patch(k, x_strides, dilation, KH, KW)
        y, z = top + down, left + right
        inside = (pixel < pixels) & (y >= 0) & (y < size[0]) & (z >= 0) & (z < size[1])
        a = tl.load(x + at + y * x_strides[2] + z * x_strides[3], mask=inside, other=0.0).to(tl.float32)
        inner = k % (KH * KW)
        of_weight = k // (KH * KW) * w_strides[1] + inner // KW * w_strides[2] + inner % KW * w_strides[3]
        sums += a * tl.load(w + of_weight).to(tl.float32)
    if BIAS:
        sums += tl.load(bias + number).to(tl.float32)
    to = picture * out_strides[0] + row * out_strides[2] + column * out_strides[3] + number * out_strides[1]
    tl.store(out + to, sums.to(out.dtype.element_ty), mask=pixel < pixels)


def conv1d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    flat = lambda t: views.unsqueeze(t.detach(), -2)  # noqa: E731
    one = lambda n: n if isinstance(n, (int, str)) else n[0]  # noqa: E731
    if len(weight._shape) != 3 or len(input._shape) not in (2, 3):
        raise NotImplementedError("these shapes")
    apart = "same" if padding == "same" else (0, 0 if padding == "valid" else one(padding))
    out = conv2d(flat(input), flat(weight), bias, (1, one(stride)), apart, (1, one(dilation)), groups)
    return views.squeeze(out, -2)


def conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    from .._tensor import empty_strided
    from ..nn.windows import many

    _check(input, weight, *([] if bias is None else [bias]))
    shapes = len(input._shape), len(weight._shape)
    if shapes not in ((3, 4), (4, 4)) or any(t.dtype is not input.dtype for t in (weight, bias) if t is not None):
        raise NotImplementedError("these operands")
    x = input.detach() if shapes[0] == 4 else views.unsqueeze(input.detach(), 0)
    channels, inputs, kh, kw = weight._shape
    if x._shape[1] != inputs * groups or channels % groups or not x.numel() or not weight.numel():
        raise NotImplementedError("these shapes")
    stride, dilation = many(stride, 2), many(dilation, 2)
    wide = [d * (k - 1) for d, k in zip(dilation, (kh, kw))]
    if padding == "same":
        before, total = tuple(each // 2 for each in wide), wide
    else:
        before = (0, 0) if padding == "valid" else many(padding, 2)
        total = [2 * each for each in before]
    size = x._shape[2:]
    out_size = tuple((s + t - d - 1) // step + 1 for s, t, d, step in zip(size, total, wide, stride))
    if min(out_size) < 1:
        raise NotImplementedError("these shapes")
    pictures, (h, w) = x._shape[0], out_size
    each, K = channels // groups, inputs * kh * kw
    pixels = pictures * h * w
    strides = (channels * h * w, h * w, w, 1)
    if any(len(t._shape) == 4 and views.lies_channels_last(t._shape, t._strides) for t in (input, weight)):
        strides = (channels * h * w, 1, w * channels, channels)
    out = empty_strided((pictures, channels, h, w), strides, x.dtype, core.CUDA)
    rest = (
        out, x, weight.detach(), (x if bias is None else bias).detach(), pixels, each, K, tuple(size), out_size,
        x._strides, weight._strides, strides, stride, before, dilation,
    )  # fmt: skip
    options = {"BIAS": bias is not None, "KH": kh, "KW": kw}
    if min(each, inputs) < _CHANNELS:
        torch_small_convolution[(triton.cdiv(pixels, 256), channels)](*rest, **options, BLOCK=256)
    else:
        _check_size(pixels * channels * K)
        columns = max(16, min(64, triton.next_power_of_2(each)))
        grid = (triton.cdiv(pixels, 64), triton.cdiv(each, columns), groups)
        torch_convolution[grid](*rest, **options, BLOCK_M=64, BLOCK_N=columns, BLOCK_K=16)
    launched(out, K)
    return out if shapes[0] == 4 else views.squeeze(out, 0)
