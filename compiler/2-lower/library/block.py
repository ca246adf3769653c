"""Addresses and masks of the tiles of block pointers and tensor descriptors."""


def _add_each(left, right):
    return [left[i] + right[i] for i in _indices(len(left))]


def _indices(count: tl.constexpr):
    return (0, 1, 2, 3, 4, 5, 6, 7)[:count]


def _coordinate(offset, extent: tl.constexpr, dim: tl.constexpr, rank: tl.constexpr):
    """The coordinates of a tile along `dim`, shaped to broadcast over the other dimensions. Offsets of
    descriptors have 32 bits: one that wraps around is negative, and outside as it was before."""
    coordinate = offset + tl.arange(0, extent)
    for _ in tl.static_range(dim):
        coordinate = tl.expand_dims(coordinate, 0)
    for _ in tl.static_range(rank - dim - 1):
        coordinate = tl.expand_dims(coordinate, -1)
    return coordinate


def _block_pointers(base, strides, offsets, block_shape):
    pointers = base
    for dim in tl.static_range(len(block_shape)):
        coordinate = _coordinate(offsets[dim], block_shape[dim], dim, len(block_shape))
        pointers = pointers + coordinate * strides[dim]
    return pointers


def _block_mask(shape, offsets, block_shape, checked):
    """Inside the tensor, in the dimensions that `checked` lists."""
    mask = tl.full(block_shape, True, tl.int1)
    for i in tl.static_range(len(checked)):
        coordinate = _coordinate(offsets[checked[i]], block_shape[checked[i]], checked[i], len(block_shape))
        mask = mask & (coordinate >= 0) & (coordinate < shape[checked[i]])
    return mask


def _row_pointers(base, strides, rows, first_column, width: tl.constexpr):
    columns = first_column + tl.arange(0, width)
    return base + rows[:, None] * strides[0] + columns[None, :] * strides[1]


def _row_mask(shape, rows, first_column, width: tl.constexpr):
    columns = first_column + tl.arange(0, width)
    in_rows = (rows >= 0) & (rows < shape[0])
    in_columns = (columns >= 0) & (columns < shape[1])
    return in_rows[:, None] & in_columns[None, :]
