"""`functional.affine_grid` and `functional.grid_sample`: an image read at places between its elements."""

import torch


def _base(size, align_corners, like):
    steps = torch.linspace(-1, 1, size, dtype=like.dtype, device=like.device) if size > 1 else like.new_zeros(1)
    return steps if align_corners else steps * (size - 1) / size


def affine_grid(theta, size, align_corners=False):
    """theta: (N, 2, 3) or (N, 3, 4); the result is (N, …, 2 or 3), the last dimension x, y, z."""
    places = torch.meshgrid(*[_base(n, bool(align_corners), theta) for n in size[2:]], indexing="ij")
    points = torch.stack([*places[::-1], torch.ones_like(places[0])], -1)
    flat = points.reshape(1, -1, points.shape[-1]).expand(size[0], -1, -1)
    return (flat @ theta.transpose(1, 2)).reshape(size[0], *size[2:], len(size) - 2)


def _folded(x, low, high):
    """Reflected at both ends as often as it takes; low and high are twice the ends."""
    if low == high:
        return torch.zeros_like(x)
    start, span = low / 2, (high - low) / 2
    away = (x - start).abs()
    extra, turns = torch.fmod(away, span), torch.floor(away / span)
    return torch.where(turns % 2 == 0, extra + start, span - extra + start)


def _inside(x, size, padding_mode, align_corners):
    if padding_mode == "reflection":
        x = _folded(x, 0, 2 * (size - 1)) if align_corners else _folded(x, -1, 2 * size - 1)
    if padding_mode == "zeros":
        return x
    # As PyTorch's, the clamp of a NaN is the lower end.
    return torch.where(x.isnan(), torch.zeros_like(x), x).clamp(0, size - 1)


def grid_sample(input, grid, mode="bilinear", padding_mode="zeros", align_corners=None):
    """input: (N, C, H, W) or (N, C, D, H, W); grid: (N, …, 2 or 3) in −1 … 1, x first."""
    if mode not in ("bilinear", "nearest"):
        raise NotImplementedError(f"grid_sample(mode={mode!r}) is not available in Hippocamp's torch")
    if padding_mode not in ("zeros", "border", "reflection"):
        raise ValueError(
            f"nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', but got: '{padding_mode}'"
        )
    sizes, align = input.shape[2:], bool(align_corners)
    places = []
    for size, x in zip(sizes, reversed(grid.unbind(-1))):
        x = (x + 1) / 2 * (size - 1) if align else ((x + 1) * size - 1) / 2
        places.append(_inside(x, size, padding_mode, align))
    if mode == "nearest":
        return _read(input, [x.round() for x in places])
    low = [x.floor() for x in places]
    out = 0
    for corner in range(1 << len(sizes)):
        at, weight = [], 1
        for d, (x, left) in enumerate(zip(places, low)):
            right = corner >> d & 1
            at.append(left + right)
            weight = weight * (x - left if right else left + 1 - x)
        out = out + _read(input, at) * weight.unsqueeze(1)
    return out


def _read(input, places):
    """The elements at whole places, (N, C, …); 0 outside."""
    n, channels, *sizes = input.shape
    index, valid = 0, True
    for size, x in zip(sizes, places):
        within = (x >= 0) & (x <= size - 1)
        valid = valid & within
        index = index * size + torch.where(within, x, torch.zeros_like(x)).long()
    flat = index.reshape(n, 1, -1).expand(n, channels, -1)
    found = input.reshape(n, channels, -1).gather(2, flat).reshape(n, channels, *index.shape[1:])
    return torch.where(valid.unsqueeze(1), found, torch.zeros_like(found))
