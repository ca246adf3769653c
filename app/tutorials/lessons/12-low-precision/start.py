import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@triton.jit
def flash_kernel(
    q_ptr, k_ptr, v_ptr, ks_ptr, vs_ptr, o_ptr, N, scale,
    D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
):
    head = tl.program_id(1)
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    d = tl.arange(0, D)
    q_offsets = head * N * D + rows[:, None] * D + d[None, :]
    q = tl.load(q_ptr + q_offsets, mask=rows[:, None] < N, other=0.0)
    m = tl.full((BLOCK_M,), -float("inf"), dtype=tl.float32)
    l = tl.zeros((BLOCK_M,), dtype=tl.float32)
    acc = tl.zeros((BLOCK_M, D), dtype=tl.float32)
    for start in range(0, N, BLOCK_N):
        n = start + tl.arange(0, BLOCK_N)
        offsets = head * N * D + n[:, None] * D + d[None, :]
        k = tl.load(k_ptr + offsets, mask=n[:, None] < N, other=0.0).to(tl.float32)
        v = tl.load(v_ptr + offsets, mask=n[:, None] < N, other=0.0).to(tl.float32)
        k_scale = tl.load(ks_ptr + head * N + n, mask=n < N, other=0.0)
        v_scale = tl.load(vs_ptr + head * N + n, mask=n < N, other=0.0)
        # The scores want the keys' scales.
        s = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
        s = tl.where(n[None, :] < N, s, -float("inf"))
        m_new = tl.maximum(m, tl.max(s, axis=1))
        alpha = tl.exp(m - m_new)
        p = tl.exp(s - m_new[:, None])
        l = l * alpha + tl.sum(p, axis=1)
        # The average needs the values' scales.
        acc = acc * alpha[:, None] + tl.dot(p, v, input_precision="ieee")
        m = m_new
    tl.store(o_ptr + q_offsets, acc / l[:, None], mask=rows[:, None] < N)


def quantize(x):
    """x: [..., N, D]. @returns its int8 numbers, and the scale of each row, float32 [..., N]."""
    scale = torch.ones(x.shape[:-1], device=x.device)
    return torch.round(x).to(torch.int8), scale


def attention(q, k8, v8, k_scale, v_scale):
    """q: [heads, N, D] float32; k8, v8 the same shape in a small type; scales: [heads, N]."""
    heads, N, D = q.shape
    o = torch.empty_like(q)
    flash_kernel[(triton.cdiv(N, 32), heads)](
        q, k8, v8, k_scale, v_scale, o, N, D**-0.5, D=D, BLOCK_M=32, BLOCK_N=32,
    )
    return o


def reference(q, k, v):
    s = q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5
    return torch.softmax(s, dim=-1) @ v


if __name__ == "__main__":
    print(f"int8 step: {2.54 / 127:.3g}")
    print("KiB as int8:", 2 * 4096 * (128 + 4) // 1024)

    torch.manual_seed(0)
    q, k, v = (torch.randn(2, 100, 32, device=DEVICE) for _ in range(3))
    exact = reference(q, k, v)
    (k8, k_scale), (v8, v_scale) = quantize(k), quantize(v)
    error8 = float((attention(q, k8, v8, k_scale, v_scale) - exact).abs().max())
    ones = torch.ones(2, 100, device=DEVICE)
    kf, vf = k.to(torch.float8_e4m3fn), v.to(torch.float8_e4m3fn)
    errorf = float((attention(q, kf, vf, ones, ones) - exact).abs().max())
    errorh = float((attention(q, k.to(torch.float16), v.to(torch.float16), ones, ones) - exact).abs().max())
    print(f"largest error, float16: {errorh:.2g}")
    print(f"largest error, int8:    {error8:.2g}")
    print(f"largest error, fp8:     {errorf:.2g}")
    print("closer:", "int8" if error8 < errorf else "fp8")
