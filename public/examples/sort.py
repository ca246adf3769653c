"""
Sorting rows, and the order that sorts them
===========================================

tl.sort sorts a tile. To know where each element came from, its place is packed into the lower bits of an integer key, and the keys
are sorted.

Teaches: tl.sort, order-preserving bits of floats, 64-bit keys.
Costs: a bitonic sort: about log² n comparisons for each element, all in registers and exchanges between threads.
"""

import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"

@triton.jit
def sort_kernel(x_ptr, value_ptr, order_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    mask = columns < n_cols
    x = tl.load(x_ptr + row * n_cols + columns, mask=mask, other=float("inf"))
    bits = x.to(tl.int32, bitcast=True)
    # Negative floats sort backwards as integers: turn their bits around.
    ordered = bits ^ ((bits >> 31) & 0x7FFFFFFF)
    keys = tl.sort((ordered.to(tl.int64) << 32) | columns)
    order = (keys & 0xFFFFFFFF).to(tl.int32)
    ordered = (keys >> 32).to(tl.int32)
    value = (ordered ^ ((ordered >> 31) & 0x7FFFFFFF)).to(tl.float32, bitcast=True)
    tl.store(value_ptr + row * n_cols + columns, value, mask=mask)
    tl.store(order_ptr + row * n_cols + columns, order, mask=mask)


def sort(x):
    rows, cols = x.shape
    values = torch.empty_like(x)
    order = torch.empty(rows, cols, dtype=torch.int32, device=x.device)
    sort_kernel[(rows,)](x, values, order, cols, BLOCK=triton.next_power_of_2(cols))
    return values, order


def measure(name, run, amount, unit):
    """`amount` of `unit` a launch: bytes or operations, as a rate."""
    if DEVICE != "cuda":
        return
    ms = triton.testing.do_bench(run)
    print(f"{name}: {ms:.4g} ms, {amount / ms * 1e-6:.4g} {unit}")


torch.manual_seed(0)
x = torch.randn(20, 100, device=DEVICE)
values, order = sort(x)
expected = torch.sort(x, dim=1)
print("values:", torch.equal(values, expected.values))
print("order:", torch.equal(order.to(torch.int64), expected.indices))
measure("sort", lambda: sort(x), x.numel(), "G elements/s")
