import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@triton.jit
def forward_kernel(
    q_ptr, k_ptr, v_ptr, o_ptr, L_ptr, N, scale,
    D: tl.constexpr, BLOCK: tl.constexpr,
):
    head = tl.program_id(1)
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    d = tl.arange(0, D)
    q_offsets = head * N * D + rows[:, None] * D + d[None, :]
    q = tl.load(q_ptr + q_offsets, mask=rows[:, None] < N, other=0.0)
    m = tl.full((BLOCK,), -float("inf"), dtype=tl.float32)
    l = tl.zeros((BLOCK,), dtype=tl.float32)
    acc = tl.zeros((BLOCK, D), dtype=tl.float32)
    for start in range(0, N, BLOCK):
        n = start + tl.arange(0, BLOCK)
        offsets = head * N * D + n[:, None] * D + d[None, :]
        k = tl.load(k_ptr + offsets, mask=n[:, None] < N, other=0.0)
        v = tl.load(v_ptr + offsets, mask=n[:, None] < N, other=0.0)
        s = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
        s = tl.where(n[None, :] < N, s, -float("inf"))
        m_new = tl.maximum(m, tl.max(s, axis=1))
        alpha = tl.exp(m - m_new)
        p = tl.exp(s - m_new[:, None])
        l = l * alpha + tl.sum(p, axis=1)
        acc = acc * alpha[:, None] + tl.dot(p, v, input_precision="ieee")
        m = m_new
    tl.store(o_ptr + q_offsets, acc / l[:, None], mask=rows[:, None] < N)
    tl.store(L_ptr + head * N + rows, m + tl.log(l), mask=rows < N)


@triton.jit
def dkv_kernel(
    q_ptr, k_ptr, v_ptr, do_ptr, L_ptr, delta_ptr, dk_ptr, dv_ptr, N, scale,
    D: tl.constexpr, BLOCK: tl.constexpr,
):
    head = tl.program_id(1)
    n = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    d = tl.arange(0, D)
    kv_offsets = head * N * D + n[:, None] * D + d[None, :]
    k = tl.load(k_ptr + kv_offsets, mask=n[:, None] < N, other=0.0)
    v = tl.load(v_ptr + kv_offsets, mask=n[:, None] < N, other=0.0)
    dk = tl.zeros((BLOCK, D), dtype=tl.float32)
    dv = tl.zeros((BLOCK, D), dtype=tl.float32)
    for start in range(0, N, BLOCK):
        rows = start + tl.arange(0, BLOCK)
        offsets = head * N * D + rows[:, None] * D + d[None, :]
        q = tl.load(q_ptr + offsets, mask=rows[:, None] < N, other=0.0)
        do = tl.load(do_ptr + offsets, mask=rows[:, None] < N, other=0.0)
        L = tl.load(L_ptr + head * N + rows, mask=rows < N, other=0.0)
        delta = tl.load(delta_ptr + head * N + rows, mask=rows < N, other=0.0)
        s = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
        exists = (rows[:, None] < N) & (n[None, :] < N)
        p = tl.where(exists, tl.exp(s - L[:, None]), 0.0)
        dv += tl.dot(tl.trans(p), do, input_precision="ieee")
        dp = tl.dot(do, tl.trans(v), input_precision="ieee")
        ds = p * (dp - delta[:, None]) * scale
        dk += tl.dot(tl.trans(ds), q, input_precision="ieee")
    tl.store(dk_ptr + kv_offsets, dk, mask=n[:, None] < N)
    tl.store(dv_ptr + kv_offsets, dv, mask=n[:, None] < N)


@triton.jit
def dq_kernel(
    q_ptr, k_ptr, v_ptr, do_ptr, L_ptr, delta_ptr, dq_ptr, N, scale,
    D: tl.constexpr, BLOCK: tl.constexpr,
):
    head = tl.program_id(1)
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    d = tl.arange(0, D)
    q_offsets = head * N * D + rows[:, None] * D + d[None, :]
    q = tl.load(q_ptr + q_offsets, mask=rows[:, None] < N, other=0.0)
    do = tl.load(do_ptr + q_offsets, mask=rows[:, None] < N, other=0.0)
    L = tl.load(L_ptr + head * N + rows, mask=rows < N, other=0.0)
    delta = tl.load(delta_ptr + head * N + rows, mask=rows < N, other=0.0)
    dq = tl.zeros((BLOCK, D), dtype=tl.float32)
    for start in range(0, N, BLOCK):
        n = start + tl.arange(0, BLOCK)
        offsets = head * N * D + n[:, None] * D + d[None, :]
        k = tl.load(k_ptr + offsets, mask=n[:, None] < N, other=0.0)
        v = tl.load(v_ptr + offsets, mask=n[:, None] < N, other=0.0)
        s = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
        exists = (rows[:, None] < N) & (n[None, :] < N)
        p = tl.where(exists, tl.exp(s - L[:, None]), 0.0)
        dp = tl.dot(do, tl.trans(v), input_precision="ieee")
        ds = p * (dp - delta[:, None]) * scale
        dq += tl.dot(ds, k, input_precision="ieee")
    tl.store(dq_ptr + q_offsets, dq, mask=rows[:, None] < N)


class Attention(torch.autograd.Function):
    @staticmethod
    def forward(ctx, q, k, v):
        heads, N, D = q.shape
        o = torch.empty_like(q)
        L = torch.empty(heads, N, dtype=torch.float32, device=q.device)
        grid = (triton.cdiv(N, 16), heads)
        forward_kernel[grid](q, k, v, o, L, N, D**-0.5, D=D, BLOCK=16)
        ctx.save_for_backward(q, k, v, o, L)
        return o

    @staticmethod
    def backward(ctx, do):
        q, k, v, o, L = ctx.saved_tensors
        heads, N, D = q.shape
        do = do.contiguous()
        delta = (do * o).sum(dim=-1)
        dq, dk, dv = torch.empty_like(q), torch.empty_like(k), torch.empty_like(v)
        grid = (triton.cdiv(N, 16), heads)
        dkv_kernel[grid](q, k, v, do, L, delta, dk, dv, N, D**-0.5, D=D, BLOCK=16)
        dq_kernel[grid](q, k, v, do, L, delta, dq, N, D**-0.5, D=D, BLOCK=16)
        return dq, dk, dv


attention = Attention.apply


def reference(q, k, v):
    s = q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5
    return torch.softmax(s, dim=-1) @ v


if __name__ == "__main__":
    torch.manual_seed(0)
    q, k, v, do = (torch.randn(2, 80, 16, device=DEVICE) for _ in range(4))
    p = torch.softmax(q[0] @ k[0].T * 16**-0.5, dim=-1)
    dp = do[0] @ v[0].T
    ds = p * (dp - (p * dp).sum(dim=-1, keepdim=True))
    print(f"sum of a row of dS: {abs(round(float(ds[0].sum()), 4)):.4g}")

    grads = []
    for f in (attention, reference):
        inputs = [t.clone().requires_grad_() for t in (q, k, v)]
        f(*inputs).backward(do)
        grads.append([t.grad for t in inputs])
    for name, mine, torchs in zip(("dQ", "dK", "dV"), *grads):
        print(f"{name} is right:", torch.allclose(mine, torchs, atol=3e-6, rtol=0))
