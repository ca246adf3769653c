"""Padding, the windows that convolution and pooling move over a tensor, and rearranged pixels."""

from .. import _core as core
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


def many(value, rank):
    """One number for every dimension, or as many as there are."""
    return (value,) * rank if isinstance(value, int) else tuple(value) * (rank // len(tuple(value)))


def windows(x, kernel, stride, dilation):
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


def channel_shuffle(input, groups):
    n, c, *rest = input._shape
    apart = views.reshape(input, n, groups, c // groups, *rest)
    return views.reshape(views.transpose(apart, 1, 2), n, c, *rest)


__all__ = "channel_shuffle pad pixel_shuffle pixel_unshuffle".split()
