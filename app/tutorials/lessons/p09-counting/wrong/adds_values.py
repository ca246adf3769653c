import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@triton.jit
def count_kernel(x_ptr, counts_ptr, n, BLOCK: tl.constexpr):
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = places < n
    x = tl.load(x_ptr + places, mask=mask, other=0)
    tl.atomic_add(counts_ptr + x, x, mask=mask)


def count(x):
    n = x.numel()
    counts = torch.zeros(16, dtype=torch.int32, device=x.device)
    count_kernel[(triton.cdiv(n, 128),)](x, counts, n, BLOCK=128)
    return counts


if __name__ == "__main__":
    torch.manual_seed(0)
    x = torch.randint(0, 16, (1000,), device=DEVICE).to(torch.int32)
    print("sum of the counters:", x.numel())
    print("yours sum to", int(count(x).sum()))
