import torch
from judge import DEVICE, check, close, guarded, program, randn, require, watch

watch("flash_kernel")
configs = program.configs("flash_kernel")


def reference(q, k, v):
    s = q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5
    return torch.softmax(s, dim=-1) @ v


def run(n, what):
    q, k, v = (randn(1, 2, n, 16) for _ in range(3))
    close(program.attention(q, k, v), reference, q, k, v, what=what, terms=n + 16)


def counted():
    require(program.flops(3, 100, 16) == 4 * 3 * 100 * 100 * 16, "flops(3, 100, 16) should be 1,920,000")
    require(program.least_bytes(3, 100, 16, 2) == 4 * 3 * 100 * 16 * 2, "least_bytes(3, 100, 16, 2) should be 38,400")


@check("Flops and bytes, and the right numbers")
def numbers():
    counted()
    blocks = {tuple(sorted(config.items())) for config in configs}
    require(len(blocks) >= 3, "autotune should have at least three configurations with different blocks")
    program.use_config("flash_kernel", 0)
    run(40, "N = 40")


@check("Right with every configuration, not only the best")
def every():
    for number, config in enumerate(configs):
        program.use_config("flash_kernel", number)
        run(50, f"N = 50 with {config}")


@check("Edges of a block, and scores of any size")
def edges():
    program.use_config("flash_kernel", len(configs) - 1)
    for n in (1, 31, 33, 65):
        run(n, f"N = {n}")
    q, k = (guarded(6.0 * torch.randn(1, 2, 70, 16, device=DEVICE)) for _ in range(2))
    v = randn(1, 2, 70, 16)
    close(program.attention(q, k, v), reference, q, k, v, what="scores of about a hundred", terms=70 + 16)
    program.use_config("flash_kernel")
