"""`nn.TransformerEncoderLayer`, `nn.TransformerDecoderLayer` and stacks of them, with PyTorch's names of parameters."""

import copy

from . import functional
from .containers import ModuleList
from .layers import Dropout, LayerNorm, Linear
from .module import Module
from .multihead import MultiheadAttention


class _Layer(Module):
    crossed = False

    def __init__(self, d_model, nhead, dim_feedforward=2048, dropout=0.1, activation=functional.relu, layer_norm_eps=1e-5, batch_first=False, norm_first=False, bias=True, device=None, dtype=None):  # fmt: skip
        super().__init__()
        made = dict(bias=bias, device=device, dtype=dtype)
        heads = dict(dropout=dropout, batch_first=batch_first, **made)
        self.self_attn = MultiheadAttention(d_model, nhead, **heads)
        if self.crossed:
            self.multihead_attn = MultiheadAttention(d_model, nhead, **heads)
        self.linear1 = Linear(d_model, dim_feedforward, **made)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, **made)
        self.norm_first = norm_first
        for i in range(1, 4 if self.crossed else 3):
            setattr(self, f"norm{i}", LayerNorm(d_model, eps=layer_norm_eps, **made))
        for i in range(1, 4 if self.crossed else 3):
            setattr(self, f"dropout{i}", Dropout(dropout))
        self.activation = getattr(functional, activation) if isinstance(activation, str) else activation

    def _beside(self, x, number, block):
        """x beside what the block makes of it; its normalization comes first, or after the sum."""
        norm, drop = getattr(self, f"norm{number}"), getattr(self, f"dropout{number}")
        if self.norm_first:
            return x + drop(block(norm(x)))
        return norm(x + drop(block(x)))

    def _forward_block(self, x):
        return self.linear2(self.dropout(self.activation(self.linear1(x))))


class TransformerEncoderLayer(_Layer):
    def forward(self, src, src_mask=None, src_key_padding_mask=None, is_causal=False):
        attend = lambda x: self.self_attn(  # noqa: E731
            x, x, x, attn_mask=src_mask, key_padding_mask=src_key_padding_mask, need_weights=False
        )[0]
        return self._beside(self._beside(src, 1, attend), 2, self._forward_block)


class TransformerDecoderLayer(_Layer):
    crossed = True

    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None, memory_key_padding_mask=None, tgt_is_causal=False, memory_is_causal=False):  # fmt: skip
        own = lambda x: self.self_attn(  # noqa: E731
            x, x, x, attn_mask=tgt_mask, key_padding_mask=tgt_key_padding_mask, need_weights=False
        )[0]
        other = lambda x: self.multihead_attn(  # noqa: E731
            x, memory, memory, attn_mask=memory_mask, key_padding_mask=memory_key_padding_mask, need_weights=False
        )[0]
        return self._beside(self._beside(self._beside(tgt, 1, own), 2, other), 3, self._forward_block)


class _Stack(Module):
    def __init__(self, layer, num_layers, norm=None, enable_nested_tensor=True, mask_check=True):
        super().__init__()
        self.layers = ModuleList([copy.deepcopy(layer) for _ in range(num_layers)])
        self.num_layers, self.norm = num_layers, norm

    def _through(self, x, *others, **masks):
        for layer in self.layers:
            x = layer(x, *others, **masks)
        return x if self.norm is None else self.norm(x)


class TransformerEncoder(_Stack):
    def forward(self, src, mask=None, src_key_padding_mask=None, is_causal=None):
        return self._through(src, src_mask=mask, src_key_padding_mask=src_key_padding_mask)


class TransformerDecoder(_Stack):
    def forward(self, tgt, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None, memory_key_padding_mask=None, tgt_is_causal=None, memory_is_causal=False):  # fmt: skip
        return self._through(
            tgt,
            memory,
            tgt_mask=tgt_mask,
            memory_mask=memory_mask,
            tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask,
        )
