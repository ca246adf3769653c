"""`nn.MultiheadAttention`."""

from .. import _create as create
from . import functional
from .init import xavier_uniform_
from .layers import Linear
from .module import Module
from .parameter import Parameter


class MultiheadAttention(Module):
    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True, add_bias_kv=False, add_zero_attn=False, kdim=None, vdim=None, batch_first=False, device=None, dtype=None):  # fmt: skip
        super().__init__()
        if add_bias_kv or add_zero_attn or kdim not in (None, embed_dim) or vdim not in (None, embed_dim):
            raise NotImplementedError(
                "nn.MultiheadAttention(add_bias_kv, add_zero_attn, kdim, vdim) is not available in Hippocamp's torch"
            )
        if embed_dim % num_heads:
            raise AssertionError("embed_dim must be divisible by num_heads")
        self.embed_dim, self.num_heads, self.dropout = embed_dim, num_heads, dropout
        self.head_dim, self.batch_first = embed_dim // num_heads, batch_first
        options = dict(device=device, dtype=dtype)
        self.in_proj_weight = Parameter(create.empty(3 * embed_dim, embed_dim, **options))
        self.register_parameter(
            "in_proj_bias", Parameter(create.zeros(3 * embed_dim, **options)) if bias else None
        )
        self.out_proj = Linear(embed_dim, embed_dim, bias=bias, **options)
        xavier_uniform_(self.in_proj_weight)
        if bias:
            create.fill_(self.out_proj.bias.detach(), 0.0)

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None, average_attn_weights=True, is_causal=False):  # fmt: skip
        import torch

        batched = query.dim() == 3
        q, k, v = (t if batched else t.unsqueeze(1) for t in (query, key, value))
        if self.batch_first and batched:
            q, k, v = (t.transpose(0, 1) for t in (q, k, v))
        biases = (None,) * 3 if self.in_proj_bias is None else self.in_proj_bias.chunk(3)
        weights = self.in_proj_weight.chunk(3)
        q, k, v = (functional.linear(t, w, b) for t, w, b in zip((q, k, v), weights, biases))
        length, batch = q.shape[:2]

        def heads(t):
            return t.reshape(t.shape[0], batch, self.num_heads, self.head_dim).permute(1, 2, 0, 3)

        mask = attn_mask
        if mask is not None and mask.dtype is torch.bool:
            mask = torch.zeros_like(mask, dtype=q.dtype).masked_fill(mask, float("-inf"))
        if mask is not None and mask.dim() == 3:
            mask = mask.reshape(batch, self.num_heads, *mask.shape[1:])
        if key_padding_mask is not None:
            padded = key_padding_mask
            if padded.dtype is torch.bool:
                padded = torch.zeros_like(padded, dtype=q.dtype).masked_fill(padded, float("-inf"))
            padded = padded.reshape(batch, 1, 1, -1)
            mask = padded if mask is None else mask + padded
        scores = heads(q) * self.head_dim**-0.5 @ heads(k).transpose(-1, -2)
        attention = functional.softmax(scores if mask is None else scores + mask, -1)
        if self.training and self.dropout:
            attention = functional.dropout(attention, self.dropout)
        out = (attention @ heads(v)).permute(2, 0, 1, 3).reshape(length, batch, self.embed_dim)
        out = self.out_proj(out)
        if self.batch_first and batched:
            out = out.transpose(0, 1)
        if not batched:
            out, attention = out.squeeze(1), attention.squeeze(0)
        if not need_weights:
            return out, None
        return out, attention.mean(-3) if average_attn_weights else attention
