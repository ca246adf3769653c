"""`torch._inductor.kernel.flex_decoding`: the grid of FlexAttention for a few queries, in PyTorch 2.5 and 2.6."""


def flex_decoding_grid(batch_size, kv_heads, gqa_group_size, n_keys, d_model, meta):
    return batch_size * kv_heads, meta["SPLIT_KV"], 1
