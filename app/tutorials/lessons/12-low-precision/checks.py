import torch
from judge import DEVICE, check, close, equal, guarded, program, randint, require, watch

watch("flash_kernel")


def reference(q, k, v):
    s = q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5
    return torch.softmax(s, dim=-1) @ v


def run(heads, n, d, what, spread=1.0):
    q = guarded(torch.randn(heads, n, d, device=DEVICE))
    k8, v8 = (randint(-127, 128, (heads, n, d), dtype=torch.int8) for _ in range(2))
    ks, vs = (guarded(spread * (0.001 + 0.02 * torch.rand(heads, n, device=DEVICE))) for _ in range(2))
    attend(q, k8, v8, ks, vs, what)


def attend(q, k8, v8, ks, vs, what):
    out = program.attention(q, k8, v8, ks, vs)

    def dequantized(q, k8, v8, ks, vs):
        return reference(q, k8 * ks[..., None], v8 * vs[..., None])

    close(out, dequantized, q, k8, v8, ks, vs, what=what, terms=sum(q.shape[-2:]))


@check("Scales of keys and values, each row its own")
def scales():
    run(1, 32, 16, "N = 32")
    run(2, 77, 32, "2 heads, N = 77")
    run(1, 3, 16, "N = 3")


@check("Half precision and fp8 in the same kernel")
def floats():
    for dtype in (torch.float16, torch.float8_e4m3fn):
        q, k, v = (torch.randn(1, 40, 16, device=DEVICE) for _ in range(3))
        k, v = k.to(dtype), v.to(dtype)
        ones = guarded(torch.ones(1, 40, device=DEVICE))
        out = program.attention(guarded(q), k, v, ones, ones)
        k, v = k.to(torch.float32), v.to(torch.float32)
        close(out, reference, q, k, v, what=str(dtype), terms=40 + 16)


def quantized(x, what):
    q, scale = program.quantize(x)
    require(q.dtype == torch.int8, f"{what}: quantize gives {q.dtype}, not int8")
    require(tuple(scale.shape) == tuple(x.shape[:-1]), f"{what}: a scale for each row is {tuple(x.shape[:-1])}")
    back = q.to(torch.float32) * scale[..., None]
    step = x.abs().amax(dim=-1, keepdim=True) / 127
    worst = float(((back - x).abs() - 0.502 * step).max())
    require(worst <= 1e-6, f"{what}: a number is off by more than half a step of its row")


@check("Every number within half a step of its row")
def rounding():
    quantized(torch.randn(2, 50, 32, device=DEVICE), "random rows")
    rows = torch.randn(1, 20, 16, device=DEVICE)
    rows[0, 3] *= 1000.0
    quantized(rows, "one large row")
    run(1, 8, 16, "N = 8")


@check("A row of zeros")
def zeros():
    x = torch.zeros(1, 4, 16, device=DEVICE)
    q, scale = program.quantize(x)
    equal(q, torch.zeros(1, 4, 16, dtype=torch.int8, device=DEVICE), "zeros", by_kernel=False)
    require(bool(torch.isfinite(scale).all()), "the scale of a row of zeros has to be a number")
    run(1, 8, 16, "N = 8")


@check("Scores of any size, and the largest numbers")
def large():
    run(1, 50, 16, "scales eight times as large", spread=8.0)
    q = guarded(torch.randn(1, 40, 16, device=DEVICE))
    k8 = guarded(torch.full((1, 40, 16), -127, dtype=torch.int8, device=DEVICE))
    v8 = guarded(torch.full((1, 40, 16), 127, dtype=torch.int8, device=DEVICE))
    ks, vs = (guarded(0.01 + 0.01 * torch.rand(1, 40, device=DEVICE)) for _ in range(2))
    attend(q, k8, v8, ks, vs, "keys of -127 and values of 127")
