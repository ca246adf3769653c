"""`interpolate`: tensors at another size, by a matrix for each dimension."""

import math

from .. import _core as core
from .pooling import adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d, along


def _cubic(distance, a=-0.75):
    """The weight of an element at that distance, as OpenCV and PyTorch choose it; -0.5 with `antialias`."""
    x = abs(distance)
    if x <= 1:
        return ((a + 2) * x - (a + 3)) * x * x + 1
    return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a if x < 2 else 0.0


def _weights(size, target, scale, align_corners, cubic):
    """[size][target]: how much of each old element goes to a new one."""
    rows = [[0.0] * target for _ in range(size)]
    for i in range(target):
        if align_corners:
            at = i * (size - 1) / (target - 1) if target > 1 else 0.0
        else:
            at = (i + 0.5) * scale - 0.5
            at = at if cubic else max(0.0, at)
        low = math.floor(at)
        taps = range(low - 1, low + 3) if cubic else (low, low + 1)
        for k in taps:
            share = _cubic(at - k) if cubic else 1 - abs(at - k)
            rows[min(max(k, 0), size - 1)][i] += share
    return rows


def _wide_weights(size, target, scale, cubic):
    """[size][target] with `antialias`: the filter is stretched over all that a new element covers."""
    width = max(scale, 1.0)
    reach = (2 if cubic else 1) * width
    rows = [[0.0] * target for _ in range(size)]
    for k in range(target):
        center = scale * (k + 0.5)
        covered = range(max(0, int(center - reach + 0.5)), min(size, int(center + reach + 0.5)))
        at = [(i - center + 0.5) / width for i in covered]
        weights = [_cubic(x, -0.5) if cubic else max(0.0, 1 - abs(x)) for x in at]
        for i, weight in zip(covered, weights):
            rows[i][k] = weight / sum(weights)
    return rows


def interpolate(input, size=None, scale_factor=None, mode="nearest", align_corners=None, recompute_scale_factor=None, antialias=False):  # fmt: skip
    from .._create import tensor
    from .._indexing import index_select

    rank = len(input._shape) - 2
    if (size is None) == (scale_factor is None):
        raise ValueError("only one of size or scale_factor should be defined")
    if antialias and not (rank == 2 and mode in ("bilinear", "bicubic")):
        raise ValueError(
            "Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires a 4-D tensor as input"
        )
    sizes = input._shape[2:]
    if size is not None:
        targets, steps = [size] * rank if isinstance(size, int) else list(size), [None] * rank
    else:
        factors = [scale_factor] * rank if isinstance(scale_factor, (int, float)) else list(scale_factor)
        targets = [math.floor(s * f) for s, f in zip(sizes, factors)]
        steps = [None] * rank if recompute_scale_factor else [1 / f for f in factors]
    if mode == "area":
        return (adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d)[rank - 1](input, targets)
    linear = {1: "linear", 2: "bilinear", 3: "trilinear"}.get(rank)
    if mode not in ("nearest", "nearest-exact", linear) and not (mode == "bicubic" and rank == 2):
        raise NotImplementedError(
            f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {rank + 2}D) for the mode {mode}"
        )
    out = input
    for i, (s, target, step) in enumerate(zip(sizes, targets, steps)):
        scale = step if step is not None else s / target
        if mode.startswith("nearest"):
            half = 0.5 if mode == "nearest-exact" else 0.0
            places = [min(s - 1, math.floor((k + half) * scale)) for k in range(target)]
            index = tensor(places, dtype=core.int64, device=input.device)
            out = index_select(out, 2 + i, index)
        else:
            cubic = mode == "bicubic"
            if antialias:
                step = (s - 1) / (target - 1) if align_corners and target > 1 else 0.0 if align_corners else scale
                rows = _wide_weights(s, target, step, cubic)
            else:
                rows = _weights(s, target, scale, align_corners, cubic)
            out = along(out, 2 + i, tensor(rows))
    return out


def upsample(input, size=None, scale_factor=None, mode="nearest", align_corners=None):
    return interpolate(input, size, scale_factor, mode, align_corners)


__all__ = ["interpolate", "upsample"]
