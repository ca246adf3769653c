"""`torch.nn.attention.flex_attention`, computed densely: every score is made, then modified and masked. As a
reference it is what PyTorch's own is without `torch.compile`; block masks skip nothing here.
"""

import enum
from typing import Any as _Any

from ... import _core as core
from ... import _ops as ops
from ... import _views as views
from ..._create import ones, zeros
from ..._join import repeat_interleave
from ..._patterns import arange
from ..._reductions import any as _any
from ..._reductions import logsumexp
from ..._scans import softmax

_score_mod_signature = _mask_mod_signature = _Any
_DEFAULT_SPARSE_BLOCK_SIZE = 128


class _ModificationType(enum.Enum):
    SCORE_MOD = 1
    MASK_MOD = 2


def _identity(score, b, h, q_idx, kv_idx):
    return score


def noop_mask(b, h, q_idx, kv_idx):
    return ones((), dtype=core.bool_, device=getattr(b, "device", None))


def and_masks(*mask_mods):
    def mask(b, h, q_idx, kv_idx):
        out = noop_mask(b, h, q_idx, kv_idx)
        for each in mask_mods:
            out = ops.logical_and(out, each(b, h, q_idx, kv_idx))
        return out

    return mask


def or_masks(*mask_mods):
    def mask(b, h, q_idx, kv_idx):
        out = ops.logical_not(noop_mask(b, h, q_idx, kv_idx))
        for each in mask_mods:
            out = ops.logical_or(out, each(b, h, q_idx, kv_idx))
        return out

    return mask


def _places(*sizes, device):
    """An index tensor for each dimension, which broadcast against each other."""
    out = []
    for axis, size in enumerate(sizes):
        shape = [1] * len(sizes)
        shape[axis] = size
        out.append(views.reshape(arange(size, device=device, dtype=core.int32), *shape))
    return out


def create_mask(mod_fn, B, H, Q_LEN, KV_LEN, device="cuda", _compile=False):
    """The mask itself, an entry for each score."""
    made = mod_fn(*_places(B or 1, H or 1, Q_LEN, KV_LEN, device=device))
    return views.contiguous(views.broadcast_to(made, (B or 1, H or 1, Q_LEN, KV_LEN)))


class BlockMask:
    """What `create_block_mask` gives: the function, and the lengths it is for."""

    def __init__(self, mask_mod, shape, block_size, device):
        self.mask_mod, self.shape, self.BLOCK_SIZE = mask_mod, shape, block_size
        self.seq_lengths = shape[-2:]
        self._device = device

    def to_dense(self):
        """1 for each block in which something is seen."""
        b, h, q, k = self.shape
        rows, columns = self.BLOCK_SIZE
        padded = (b, h, -(-q // rows) * rows, -(-k // columns) * columns)
        full = zeros(padded, dtype=core.bool_, device=self._device)
        full[:, :, :q, :k] = create_mask(self.mask_mod, *self.shape, device=self._device)
        full = views.reshape(full, b, h, full._shape[2] // rows, rows, full._shape[3] // columns, columns)
        return _any(_any(full, 5), 3).to(core.int32)

    def sparsity(self):
        dense = self.to_dense()
        return 100 * (1 - dense.sum().item() / dense.numel())

    def to(self, device):
        return BlockMask(self.mask_mod, self.shape, self.BLOCK_SIZE, device)

    def __repr__(self):
        return f"BlockMask(shape={tuple(self.shape)}, sparsity={self.sparsity():.2f}%)"


def create_block_mask(mask_mod, B, H, Q_LEN, KV_LEN, device="cuda", BLOCK_SIZE=128, _compile=False):
    size = (BLOCK_SIZE, BLOCK_SIZE) if isinstance(BLOCK_SIZE, int) else tuple(BLOCK_SIZE)
    return BlockMask(mask_mod, (B or 1, H or 1, Q_LEN, KV_LEN), size, device)


def flex_attention(query, key, value, score_mod=None, block_mask=None, scale=None, enable_gqa=False,
                   return_lse=False, kernel_options=None, *, return_aux=None):  # fmt: skip
    if return_aux is not None:
        raise NotImplementedError("flex_attention(return_aux) is not available in Hippocamp's torch")
    if enable_gqa:
        times = query._shape[1] // key._shape[1]
        key, value = repeat_interleave(key, times, 1), repeat_interleave(value, times, 1)
    wide = core.float64 if query.dtype is core.float64 else core.float32
    q, k, v = (t.to(wide) for t in (query, key, value))
    factor = query._shape[-1] ** -0.5 if scale is None else scale
    scores = ops.mul(ops.matmul(q, views.transpose(k, -2, -1)), factor)
    places = _places(*scores._shape, device=query.device)
    scores = (score_mod or _identity)(scores, *places).to(wide)
    if block_mask is not None:
        scores = ops.where(block_mask.mask_mod(*places), scores, float("-inf"))
    # A row that sees nothing is 0, not NaN.
    weights = ops.nan_to_num(softmax(scores, -1), nan=0.0)
    out = ops.matmul(weights, v).to(query.dtype)
    return (out, logsumexp(scores, -1)) if return_lse else out


def __getattr__(name):
    from ..._missing import missing

    raise missing("torch.nn.attention.flex_attention", name, globals())
