"""Operators of `torch.ops.aten` that are no function of torch by that name: attention, windows, and random numbers
that a function returns. Gradients go through autograd; results lie in memory as PyTorch lays them.
"""

import torch
from torch.nn import functional as F


def _gradients(function, inputs, grad):
    """Of function(*inputs) by its inputs, each contiguous as in PyTorch."""
    with torch.enable_grad():
        inner = [t.detach().requires_grad_(True) for t in inputs]
        output = function(*inner)
    return [t.contiguous() for t in torch.autograd.grad(output, inner, grad)]


# ── attention ───────────────────────────────────────────────────────────────────────────────────


def _scores(query, key, bias, dropout, causal, scale):
    if dropout:
        raise NotImplementedError("attention of aten with dropout is not available in Hippocamp's torch")
    scale = query.shape[-1] ** -0.5 if scale is None else scale
    scores = (query.float() @ _of_each_head(key, query).float().transpose(-1, -2)) * scale
    if bias is not None:
        hidden = bias.dtype == torch.bool
        scores = scores.masked_fill(~bias, float("-inf")) if hidden else scores + bias
    if causal:
        seen = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).tril()
        scores = scores.masked_fill(~seen, float("-inf"))
    return scores


def _of_each_head(keys, query):
    """Keys or values for every head of the query: a group of its heads may share one."""
    groups = query.shape[1] // keys.shape[1]
    return keys if groups == 1 else keys.repeat_interleave(groups, 1)


def _weighted(scores, query, value):
    return (scores.softmax(-1) @ _of_each_head(value, query).float()).to(query.dtype)


def _attend(query, key, value, bias=None, dropout=0.0, causal=False, scale=None):
    """Attention, laid like the query, and for each row the logarithm of its scores' sum."""
    scores = _scores(query, key, bias, dropout, causal, scale)
    made = _weighted(scores, query, value)
    like = torch.empty_like(query) if made.shape == query.shape else torch.empty_like(made)
    return like.copy_(made), scores.logsumexp(-1)


def _by_tokens(t):
    """[batch, heads, tokens, width], in memory a token's heads side by side."""
    return t.transpose(1, 2).contiguous().transpose(1, 2)


def _attention_gradients(grad, query, key, value, bias=None, dropout=0.0, causal=False, scale=None):
    def attend(q, k, v, *b):
        return _weighted(_scores(q, k, b[0] if b else bias, dropout, causal, scale), q, v)

    learned = bias is not None and bias.dtype != torch.bool
    made = _gradients(attend, (query, key, value, *([bias] if learned else [])), grad)
    return [_by_tokens(t) for t in made[:3]] + (made[3:] or [None])


def _seeds():
    return torch.empty(2, dtype=torch.int64), torch.empty(2, dtype=torch.int64)


def _scaled_dot_product_flash_attention_for_cpu(query, key, value, dropout_p=0.0, is_causal=False, *, attn_mask=None, scale=None):  # fmt: skip
    made, sums = _attend(query, key, value, attn_mask, dropout_p, is_causal, scale)
    return made, sums.transpose(1, 2).contiguous().transpose(1, 2)


def _scaled_dot_product_flash_attention(query, key, value, dropout_p=0.0, is_causal=False, return_debug_mask=False, *, scale=None):  # fmt: skip
    made = _attend(query, key, value, None, dropout_p, is_causal, scale)
    return (*made, None, None, query.shape[-2], key.shape[-2], *_seeds(), torch.empty(0))


def _scaled_dot_product_efficient_attention(query, key, value, attn_bias, compute_log_sumexp, dropout_p=0.0, is_causal=False, *, scale=None):  # fmt: skip
    """Its sums are filled up to a multiple of 32 rows."""
    made, sums = _attend(query, key, value, attn_bias, dropout_p, is_causal, scale)
    rows = query.shape[-2]
    sums = F.pad(sums, (0, -rows % 32)) if compute_log_sumexp else sums[..., :0].contiguous()
    return (_by_tokens(made), sums, *_seeds())


def _scaled_dot_product_cudnn_attention(query, key, value, attn_bias, compute_log_sumexp, dropout_p=0.0, is_causal=False, return_debug_mask=False, *, scale=None):  # fmt: skip
    made, sums = _attend(query, key, value, attn_bias, dropout_p, is_causal, scale)
    return (made, sums[..., None], None, None, query.shape[-2], key.shape[-2], *_seeds(), None)


def _scaled_dot_product_flash_attention_for_cpu_backward(grad_out, query, key, value, out, logsumexp, dropout_p, is_causal, *, attn_mask=None, scale=None):  # fmt: skip
    return tuple(_attention_gradients(grad_out, query, key, value, attn_mask, dropout_p, is_causal, scale)[:3])


def _scaled_dot_product_flash_attention_backward(grad_out, query, key, value, out, logsumexp, cum_seq_q, cum_seq_k, max_q, max_k, dropout_p, is_causal, philox_seed, philox_offset, *, scale=None):  # fmt: skip
    return tuple(_attention_gradients(grad_out, query, key, value, None, dropout_p, is_causal, scale)[:3])


def _scaled_dot_product_efficient_attention_backward(grad_out_, query, key, value, attn_bias, out, logsumexp, philox_seed, philox_offset, dropout_p, grad_input_mask, is_causal=False, *, scale=None):  # fmt: skip
    made = _attention_gradients(grad_out_, query, key, value, attn_bias, dropout_p, is_causal, scale)
    return tuple(t if wanted else None for t, wanted in zip(made, grad_input_mask))


def _scaled_dot_product_cudnn_attention_backward(grad_out, query, key, value, out, logsumexp, philox_seed, philox_offset, attn_bias, cum_seq_q, cum_seq_k, max_q, max_k, dropout_p, is_causal, *, scale=None):  # fmt: skip
    made = _attention_gradients(grad_out, query, key, value, attn_bias, dropout_p, is_causal, scale)
    return tuple(torch.empty_like(t).copy_(g) for t, g in zip((query, key, value), made))


# ── windows ─────────────────────────────────────────────────────────────────────────────────────


def _adaptive_avg_pool2d(input, output_size):
    return F.adaptive_avg_pool2d(input, output_size)


def _adaptive_avg_pool3d(input, output_size):
    return F.adaptive_avg_pool3d(input, output_size)


def _adaptive_avg_pool2d_backward(grad, input):
    return _gradients(lambda x: F.adaptive_avg_pool2d(x, grad.shape[-2:]), (input,), grad)[0]


def _adaptive_avg_pool3d_backward(grad, input):
    return _gradients(lambda x: F.adaptive_avg_pool3d(x, grad.shape[-3:]), (input,), grad)[0]


def _adaptive_max(input, output_size, rank):
    """The values, and where each stood in its plane; of equals the one that stands first."""
    planes = input.shape[-rank:]
    spans = [[(j * n // t, -(-(j + 1) * n // t)) for j in range(t)] for n, t in zip(planes, output_size)]
    widths = [max(b - a for a, b in each) for each in spans]
    # Spans differ by an element: the shorter ones repeat their last.
    index = torch.zeros([1] * (2 * rank), dtype=torch.int64)
    for i, each in enumerate(spans):
        places = torch.tensor([[min(a + k, b - 1) for k in range(widths[i])] for a, b in each])
        shape = [1] * (2 * rank)
        shape[i], shape[rank + i] = places.shape
        index = index * planes[i] + places.reshape(shape)
    index = index.reshape(*output_size, -1).to(input.device)
    values, chosen = input.flatten(-rank)[..., index].max(-1)
    return values, index.expand(*values.shape, index.shape[-1]).gather(-1, chosen[..., None])[..., 0]


def adaptive_max_pool2d(input, output_size):
    return _adaptive_max(input, output_size, 2)


def adaptive_max_pool3d(input, output_size):
    return _adaptive_max(input, output_size, 3)


def _to_places(grad, input, indices, rank):
    flat = torch.zeros_like(input.flatten(-rank))
    return flat.scatter_add(-1, indices.flatten(-rank), grad.flatten(-rank)).reshape(input.shape)


def adaptive_max_pool2d_backward(grad_output, input, indices):
    return _to_places(grad_output, input, indices, 2)


def adaptive_max_pool3d_backward(grad_output, input, indices):
    return _to_places(grad_output, input, indices, 3)


def max_pool2d_with_indices(input, kernel_size, stride=(), padding=0, dilation=1, ceil_mode=False):
    return F.max_pool2d(input, kernel_size, stride or None, padding, dilation, ceil_mode, return_indices=True)


def max_pool3d_with_indices(input, kernel_size, stride=(), padding=0, dilation=1, ceil_mode=False):
    return F.max_pool3d(input, kernel_size, stride or None, padding, dilation, ceil_mode, return_indices=True)


def max_pool2d_with_indices_backward(grad_output, input, kernel_size, stride, padding, dilation, ceil_mode, indices):
    return _to_places(grad_output, input, indices, 2)


def max_pool3d_with_indices_backward(grad_output, input, kernel_size, stride, padding, dilation, ceil_mode, indices):
    return _to_places(grad_output, input, indices, 3)


def _avg_pool_backward(pool):
    def function(grad_output, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override):
        settings = (kernel_size, stride or None, padding, ceil_mode, count_include_pad, divisor_override)
        return _gradients(lambda x: pool(x, *settings), (input,), grad_output)[0]

    return function


avg_pool2d_backward, avg_pool3d_backward = _avg_pool_backward(F.avg_pool2d), _avg_pool_backward(F.avg_pool3d)


def _pad_and_gradient(mode):
    def pad(input, padding):
        return F.pad(input, padding, mode=mode)

    def backward(grad_output, input, padding):
        return _gradients(lambda x: F.pad(x, padding, mode=mode), (input,), grad_output)[0]

    return pad, backward


replication_pad1d, replication_pad1d_backward = _pad_and_gradient("replicate")
replication_pad2d, replication_pad2d_backward = replication_pad1d, replication_pad1d_backward
replication_pad3d, replication_pad3d_backward = replication_pad1d, replication_pad1d_backward
reflection_pad1d, reflection_pad1d_backward = _pad_and_gradient("reflect")
reflection_pad2d, reflection_pad2d_backward = reflection_pad1d, reflection_pad1d_backward
reflection_pad3d, reflection_pad3d_backward = reflection_pad1d, reflection_pad1d_backward


def _place(at, size, padding_mode, align_corners):
    """Elements from the grid's -1 … 1; by 1 (border) and 2 (reflection) never outside."""
    at = (at + 1) / 2 * (size - 1) if align_corners else ((at + 1) * size - 1) / 2
    if padding_mode == 2:
        low, span = (0, size - 1) if align_corners else (-0.5, size)
        turned = (at - low).abs().fmod(2 * span) if span else at * 0
        at = torch.where(turned > span, 2 * span - turned, turned) + low
    return at.clamp(0, size - 1) if padding_mode else at


def _grid_sampler(input, grid, interpolation_mode, padding_mode, align_corners):
    """`grid` [batch, …, rank] holds the place of each result, the last dimension's first."""
    if interpolation_mode == 2:
        raise NotImplementedError("grid_sample(mode='bicubic') of aten is not available in Hippocamp's torch")
    rank = input.dim() - 2
    sizes = input.shape[2:]
    places = [_place(grid[..., rank - 1 - i], sizes[i], padding_mode, align_corners) for i in range(rank)]
    if interpolation_mode == 1:
        corners = [([p.round() for p in places], 1.0)]
    else:
        corners = [([], 1.0)]
        for p in places:
            low = p.floor()
            share = p - low
            corners = [
                ([*at, low + up], part * (share if up else 1 - share)) for at, part in corners for up in (0, 1)
            ]
    total = 0
    flat = input.flatten(2)
    for at, part in corners:
        inside, index = True, 0
        for p, n in zip(at, sizes):
            inside = (p >= 0) & (p <= n - 1) & inside
            index = index * n + p.clamp(0, n - 1).long()
        taken = flat.gather(2, index.flatten(1)[:, None].expand(-1, input.shape[1], -1))
        weight = (inside.to(input.dtype) * part)[:, None]
        total = total + taken.reshape(*input.shape[:2], *grid.shape[1:-1]) * weight
    return total


def _grid_sampler_backward(grad_output, input, grid, interpolation_mode, padding_mode, align_corners, output_mask):
    settings = (interpolation_mode, padding_mode, align_corners)
    made = _gradients(lambda x, g: _grid_sampler(x, g, *settings), (input, grid), grad_output)
    return tuple(t if wanted else None for t, wanted in zip(made, output_mask))


grid_sampler_2d = grid_sampler_3d = _grid_sampler
grid_sampler_2d_backward = grid_sampler_3d_backward = _grid_sampler_backward


# ── embeddings ──────────────────────────────────────────────────────────────────────────────────


def _embedding_bag_forward_only(weight, indices, offsets, scale_grad_by_freq=False, mode=0, sparse=False, per_sample_weights=None, include_last_offset=False, padding_idx=-1):  # fmt: skip
    """The sums (0), means (1) or maxima (2) of each bag's rows, the bag of each index, the sizes of bags, and for
    maxima the index of each."""
    bags = offsets.shape[0] - 1 if include_last_offset else offsets.shape[0]
    starts = offsets[:bags]
    place = torch.arange(indices.shape[0], device=indices.device, dtype=offsets.dtype)
    bag = torch.searchsorted(starts, place, right=True) - 1
    counted = indices != padding_idx
    rows = weight[indices]
    if per_sample_weights is not None:
        rows = rows * per_sample_weights[:, None]
    member = (bag[None] == torch.arange(bags, device=bag.device)[:, None]) & counted
    sizes = member.sum(1)
    if mode == 2:
        shown = rows[None].masked_fill(~member[..., None], float("-inf"))
        greatest, chosen = shown.max(1)
        full = (sizes > 0)[:, None]
        return torch.where(full, greatest, 0), bag, sizes, torch.where(full, indices[chosen], -1)
    total = member.to(rows.dtype) @ rows
    made = total / sizes.clamp(min=1)[:, None].to(rows.dtype) if mode == 1 else total
    return made, bag, sizes, torch.zeros(0 if mode == 0 else bags, dtype=indices.dtype, device=indices.device)


_embedding_bag = _embedding_bag_forward_only


# ── random numbers, as results ──────────────────────────────────────────────────────────────────


def _filled(name):
    """What the method of that name, which fills a tensor, leaves in a new one."""

    def function(input, *args, generator=None, **kwargs):
        return getattr(torch.empty_like(input), name)(*args, **kwargs)

    return function


uniform, exponential, log_normal, random = map(_filled, ("uniform_", "exponential_", "log_normal_", "random_"))
normal_functional = _filled("normal_")


def native_dropout(input, p, train):
    if train is False or p == 0:
        return input.clone(), torch.ones_like(input, dtype=torch.bool)
    if p == 1:
        return torch.zeros_like(input), torch.zeros_like(input, dtype=torch.bool)
    kept = torch.rand(input.shape, device=input.device) >= p
    return input * kept.to(input.dtype) / (1 - p), kept


def _prims_normal(shape, *, mean, std, dtype, device, requires_grad=False, generator=None):
    return torch.randn(shape, dtype=dtype, device=device) * std + mean


def _prims_convert_element_type(a, dtype):
    return a.to(dtype)


def _prims_prepare_softmax_online(input, dim):
    """The greatest element along `dim`, and the sum of exponentials below it."""
    greatest = input.amax(dim, keepdim=True)
    return greatest, (input - greatest).exp().sum(dim, keepdim=True)


# ── views and lists ─────────────────────────────────────────────────────────────────────────────


_part = slice


def slice(self, dim=0, start=None, end=None, step=1):
    places = [_part(None)] * self.dim()
    places[dim] = _part(start, end, step)
    return self[tuple(places)]


def index(self, indices):
    """By tensors, and whole where there is None."""
    return self[tuple(_part(None) if i is None else i for i in indices)]


_unsafe_index = index


def foreach(name):
    """An operator of lists of tensors; None where one of its elements is none."""
    in_place = name.endswith("_")
    base = name.removeprefix("_foreach_")
    function = getattr(torch.Tensor, base, None)
    if function is None:
        return None

    def each(tensors, *args, **kwargs):
        columns = [a if isinstance(a, (list, tuple)) else [a] * len(tensors) for a in args]
        made = [function(*row, **kwargs) for row in zip(tensors, *columns)]
        return None if in_place else made

    return each
