"""`torch._inductor.kernel.flex_attention`: the grids of FlexAttention in PyTorch 2.5 and 2.6."""

from triton import cdiv


def flex_attention_grid(batch_size, q_heads, num_queries, d_model, meta):
    return cdiv(num_queries, meta["BLOCK_M"]), batch_size * q_heads, 1


def flex_attention_backward_grid(batch_size, q_heads, num_queries, d_model, kv_heads, num_key_value, meta):
    """Programs for the queries' gradient, of all heads that share keys, and for the keys'."""
    of_queries = cdiv(num_queries, meta["BLOCK_M2"]) * (q_heads // kv_heads)
    return of_queries + cdiv(num_key_value, meta["BLOCK_N1"]), 1, batch_size * kv_heads
