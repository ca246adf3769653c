import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@triton.jit
def multiply_kernel(x_ptr, out_ptr, s, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, s * x, mask=mask)


@triton.jit
def plus_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + y, mask=mask)


@triton.jit
def relu_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, tl.maximum(x, 0.0), mask=mask)


@triton.jit
def fused_kernel(x_ptr, y_ptr, out_ptr, s, n, BLOCK: tl.constexpr):
    # All three operations, and only x, y and out in memory.
    ...


BLOCK = 1024


def three(s, x, y):
    n = x.numel()
    grid = (triton.cdiv(n, BLOCK),)
    t, u, out = torch.empty_like(x), torch.empty_like(x), torch.empty_like(x)
    multiply_kernel[grid](x, t, s, n, BLOCK=BLOCK)
    plus_kernel[grid](t, y, u, n, BLOCK=BLOCK)
    relu_kernel[grid](u, out, n, BLOCK=BLOCK)
    return out


def fused(s, x, y):
    n = x.numel()
    out = torch.empty_like(x)
    fused_kernel[(triton.cdiv(n, BLOCK),)](x, y, out, s, n, BLOCK=BLOCK)
    return out


if __name__ == "__main__":
    torch.manual_seed(0)
    n = 1 << 20
    x = torch.randn(n, device=DEVICE)
    y = torch.randn(n, device=DEVICE)
    expected = torch.relu(2.0 * x + y)
    print("three kernels are right:", torch.allclose(three(2.0, x, y), expected, atol=1e-6, rtol=5e-7))
    print("one kernel is right:", torch.allclose(fused(2.0, x, y), expected, atol=1e-6, rtol=5e-7))

    size = x.element_size()
    apart, together = (2 + 3 + 2) * size, (2 + 1) * size
    print("bytes for each element, fused:", together)
    print(f"bytes, three kernels against one: {apart / together:.3g}")
    if DEVICE == "cuda":
        ms_three = triton.testing.do_bench(lambda: three(2.0, x, y))
        ms_fused = triton.testing.do_bench(lambda: fused(2.0, x, y))
        print(f"measured, three kernels against one: {ms_three / ms_fused:.3g}")
        print(f"three kernels: {ms_three:.4g} ms, {apart * n / ms_three / 1e6:.4g} GB/s")
        print(f"one kernel:    {ms_fused:.4g} ms, {together * n / ms_fused / 1e6:.4g} GB/s")
