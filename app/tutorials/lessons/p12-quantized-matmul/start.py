import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@triton.jit
def matmul_kernel(x_ptr, packed_ptr, scale_ptr, y_ptr, M, N, K):
    i = tl.program_id(0) * 16 + tl.arange(0, 16)
    j = tl.program_id(1) * 32 + tl.arange(0, 32)
    acc = tl.zeros((16, 32), dtype=tl.float32)
    for start in range(0, K // 2, 16):
        r = start + tl.arange(0, 16)
        inside = (r[:, None] < K // 2) & (j[None, :] < N)
        packed = tl.load(packed_ptr + r[:, None] * N + j[None, :], mask=inside, other=0)
        x_mask = (i[:, None] < M) & (r[None, :] < K // 2)
        even = tl.load(x_ptr + i[:, None] * K + 2 * r[None, :], mask=x_mask, other=0.0)
        odd = tl.load(x_ptr + i[:, None] * K + 2 * r[None, :] + 1, mask=x_mask, other=0.0)
        # Two dots: the lower halves with the even columns, the upper with the odd.
        ...
    # The scale of each column.
    y = acc
    tl.store(y_ptr + i[:, None] * N + j[None, :], y, mask=(i[:, None] < M) & (j[None, :] < N))


def matmul(x, packed, scale):
    """x: [M, K], K even; packed: uint8 [K / 2, N]; scale: [N]."""
    (M, K), N = x.shape, packed.shape[1]
    y = torch.empty(M, N, device=x.device)
    matmul_kernel[(triton.cdiv(M, 16), triton.cdiv(N, 32))](x, packed, scale, y, M, N, K)
    return y


def unpack(packed, scale):
    q = packed.to(torch.int32)
    w = torch.stack([q % 16, q // 16], dim=1).reshape(2 * q.shape[0], q.shape[1])
    return (w.to(torch.float32) - 8) * scale


if __name__ == "__main__":
    torch.manual_seed(0)
    print("MiB with 4 bits:", 4096 * 4096 // 2 // 2**20)
    x = torch.randn(20, 100, device=DEVICE)
    packed = torch.randint(0, 256, (50, 70), device=DEVICE).to(torch.uint8)
    scale = torch.rand(70, device=DEVICE)
    print("right:", torch.allclose(matmul(x, packed, scale), x @ unpack(packed, scale), atol=3e-4, rtol=0))
