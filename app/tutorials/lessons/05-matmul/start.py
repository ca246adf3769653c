import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@triton.jit
def matmul_kernel(
    a_ptr, b_ptr, c_ptr, M, N, K,
    stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    cols = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, K, BLOCK_K):
        ks = k + tl.arange(0, BLOCK_K)
        # Load a tile of A and a tile of B; add their product to acc:
        # acc = tl.dot(a, b, acc, input_precision="ieee")
        ...
    c = acc.to(c_ptr.dtype.element_ty)
    mask = (rows[:, None] < M) & (cols[None, :] < N)
    tl.store(c_ptr + rows[:, None] * stride_cm + cols[None, :] * stride_cn, c, mask=mask)


def matmul(a, b):
    (M, K), N = a.shape, b.shape[1]
    c = torch.empty(M, N, device=a.device, dtype=a.dtype)
    grid = (triton.cdiv(M, 32), triton.cdiv(N, 32))
    matmul_kernel[grid](
        a, b, c, M, N, K,
        a.stride(0), a.stride(1), b.stride(0), b.stride(1), c.stride(0), c.stride(1),
        BLOCK_M=32, BLOCK_N=32, BLOCK_K=32,
    )
    return c


if __name__ == "__main__":
    torch.manual_seed(0)
    a = torch.randn(200, 100, device=DEVICE)
    b = torch.randn(100, 300, device=DEVICE)
    c = matmul(a, b)
    print("loads of each element of A:", triton.cdiv(300, 32))
    print("loads of each element of B:", triton.cdiv(200, 32))
    print("matmul is right:", torch.allclose(c, a @ b, atol=1e-4, rtol=0))
    print("also transposed:", torch.allclose(matmul(b.T, a.T), (a @ b).T, atol=1e-4, rtol=0))
