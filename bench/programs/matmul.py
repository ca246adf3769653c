"""Matrix products, summed in f32 or i32: programs grouped by eight rows of tiles, as in the tutorial."""

import torch
import triton
import triton.language as tl

from measure import measure, sizes, wanted

#: Rows, columns, depth, warps and stages: for f32, whose products are multiply-adds, and for what
#: matrix units take.
TILES = {
    "f32": [
        (64, 128, 16, 4, 3),
        (128, 64, 16, 4, 3),
        (128, 128, 16, 8, 3),
        (128, 256, 16, 8, 3),
        (64, 128, 32, 4, 3),
        (128, 128, 32, 8, 3),
        (64, 64, 16, 4, 4),
        (64, 64, 32, 4, 4),
        (32, 64, 32, 4, 4),
    ],
    "f16": [
        (128, 256, 64, 8, 3),
        (256, 128, 64, 8, 3),
        (128, 256, 64, 8, 4),
        (128, 128, 64, 4, 4),
        (128, 128, 64, 8, 3),
        (128, 128, 32, 4, 4),
        (64, 128, 64, 4, 4),
        (64, 64, 64, 4, 4),
    ],
    "i8": [
        (128, 256, 128, 8, 3),
        (256, 128, 128, 8, 3),
        (128, 128, 128, 4, 4),
        (128, 256, 64, 8, 4),
        (128, 128, 64, 4, 4),
        (64, 128, 128, 4, 4),
        (64, 64, 128, 4, 4),
    ],
}


@triton.jit
def matmul_kernel(
    a_ptr, b_ptr, c_ptr, M, N, K,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, EVEN: tl.constexpr, INTEGERS: tl.constexpr,
):  # fmt: skip
    tiles_m = tl.cdiv(M, BM)
    tiles_n = tl.cdiv(N, BN)
    program = tl.program_id(0)
    in_group = 8 * tiles_n
    first = program // in_group * 8
    height = tl.minimum(tiles_m - first, 8)
    tile_m = first + program % in_group % height
    tile_n = program % in_group // height
    rows = tile_m * BM + tl.arange(0, BM)
    columns = tile_n * BN + tl.arange(0, BN)
    depth = tl.arange(0, BK)
    a_ptrs = a_ptr + rows[:, None] * K + depth[None, :]
    b_ptrs = b_ptr + depth[:, None] * N + columns[None, :]
    if INTEGERS:
        acc = tl.zeros((BM, BN), dtype=tl.int32)
    else:
        acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        if EVEN:
            a = tl.load(a_ptrs)
            b = tl.load(b_ptrs)
        else:
            inside = depth < K - k * BK
            a = tl.load(a_ptrs, mask=(rows[:, None] < M) & inside[None, :], other=0.0)
            b = tl.load(b_ptrs, mask=inside[:, None] & (columns[None, :] < N), other=0.0)
        if INTEGERS:
            acc = tl.dot(a, b, acc, out_dtype=tl.int32)
        else:
            acc = tl.dot(a, b, acc, input_precision="ieee")
        a_ptrs += BK
        b_ptrs += BK * N
    c_ptrs = c_ptr + rows[:, None] * N + columns[None, :]
    c = acc.to(c_ptr.dtype.element_ty)
    if EVEN:
        tl.store(c_ptrs, c)
    else:
        tl.store(c_ptrs, c, mask=(rows[:, None] < M) & (columns[None, :] < N))


def tuned(label):
    configs = [
        triton.Config({"BM": bm, "BN": bn, "BK": bk}, num_warps=warps, num_stages=stages)
        for bm, bn, bk, warps, stages in TILES[label]
    ]
    return triton.autotune(configs=configs, key=["M", "N", "K"])(matmul_kernel)


if __name__ == "__main__":
    torch.backends.cuda.matmul.allow_tf32 = False
    shapes = sizes(
        quick=[(256, 256, 256)],
        full=[
            (4096, 4096, 4096),
            (1024, 1024, 1024),
            (8192, 4096, 1024),
            (8192, 1024, 4096),
            (1000, 1003, 997),
        ],
    )
    for dtype, label, close in (torch.float32, "f32", 1e-3), (torch.float16, "f16", 5e-2), (torch.int8, "i8", 0):
        kernel = tuned(label)
        integers = dtype == torch.int8
        for m, n, k in shapes:
            name = f"{label} matmul {m}×{n}×{k}"
            # As ours: odd sizes of f32 only.
            if not wanted(name) or (label != "f32" and m % 256):
                continue
            # Integers up to ±127, most of them small.
            scale = 40 if integers else 1
            a = (torch.randn(m, k, device="cuda") * scale).clamp(-127, 127).to(dtype)
            b = (torch.randn(k, n, device="cuda") * scale).clamp(-127, 127).to(dtype)
            kept = torch.int32 if integers else dtype
            c = torch.full((m, n), -1 if integers else float("nan"), device="cuda", dtype=kept)
            even = m % 256 == 0 and n % 256 == 0 and k % 128 == 0

            def ours():
                grid = lambda meta: (triton.cdiv(m, meta["BM"]) * triton.cdiv(n, meta["BN"]),)
                kernel[grid](a, b, c, m, n, k, EVEN=even, INTEGERS=integers)

            # 64 rows say enough, and do not take the CPU minutes.
            measure(
                name,
                ours,
                # cuBLAS takes integers with the right matrix by columns.
                (lambda: torch._int_mm(a, b)) if integers else (lambda: torch.matmul(a, b)),
                c,
                lambda: a[:64].double() @ b.double(),
                close * k**0.5,
                rows=64,
            )
