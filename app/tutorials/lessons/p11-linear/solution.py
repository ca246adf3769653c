import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@triton.jit
def linear_kernel(x_ptr, w_ptr, b_ptr, y_ptr, M, N, K):
    i = tl.program_id(0) * 32 + tl.arange(0, 32)
    j = tl.program_id(1) * 32 + tl.arange(0, 32)
    acc = tl.zeros((32, 32), dtype=tl.float32)
    for start in range(0, K, 32):
        k = start + tl.arange(0, 32)
        x = tl.load(x_ptr + i[:, None] * K + k[None, :], mask=(i[:, None] < M) & (k[None, :] < K), other=0.0)
        w = tl.load(w_ptr + k[:, None] * N + j[None, :], mask=(k[:, None] < K) & (j[None, :] < N), other=0.0)
        acc = tl.dot(x, w, acc, input_precision="ieee")
    b = tl.load(b_ptr + j, mask=j < N)
    y = tl.maximum(acc + b[None, :], 0.0)
    tl.store(y_ptr + i[:, None] * N + j[None, :], y, mask=(i[:, None] < M) & (j[None, :] < N))


def linear(x, w, b):
    (M, K), N = x.shape, w.shape[1]
    y = torch.empty(M, N, device=x.device)
    linear_kernel[(triton.cdiv(M, 32), triton.cdiv(N, 32))](x, w, b, y, M, N, K)
    return y


if __name__ == "__main__":
    torch.manual_seed(0)
    x, w, b = torch.randn(50, 100, device=DEVICE), torch.randn(100, 70, device=DEVICE), torch.randn(70, device=DEVICE)
    print("dots in a program:", triton.cdiv(100, 32))
    print("right:", torch.allclose(linear(x, w, b), torch.relu(x @ w + b), atol=5e-5, rtol=0))
