"""`torch._inductor.kernel.conv`: the grids of convolutions."""

from triton import cdiv


def conv2d_grid(n, c, h, w, meta):
    return cdiv(n * h * w, meta["BLOCK_M"]), cdiv(c, meta["BLOCK_N"]), meta["GROUPS"]


def conv3d_grid(n, c, d, h, w, meta):
    return conv2d_grid(n, c, d * h, w, meta)


conv_grid = conv2d_grid
