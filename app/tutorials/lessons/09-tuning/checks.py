import torch
from lesson import DEVICE, attention_terms, check, close, guarded, program, randn, require, watch

kernel = program.flash_kernel
watch("flash_kernel")


def reference(q, k, v):
    s = q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5
    return torch.softmax(s, dim=-1) @ v


def run(n, what):
    q, k, v = (randn(1, 2, n, 16) for _ in range(3))
    terms = attention_terms(16, (q, k), part=1.0 if n > 1 else 0.2)
    close(program.attention(q, k, v), reference(q, k, v), what, terms=terms)


def counted():
    require(program.flops(3, 100, 16) == 4 * 3 * 100 * 100 * 16, "flops(3, 100, 16) should be 1,920,000")
    require(program.least_bytes(3, 100, 16, 2) == 4 * 3 * 100 * 16 * 2, "least_bytes(3, 100, 16, 2) should be 38,400")


@check("Flops and bytes, and the right numbers")
def numbers():
    counted()
    tuned()
    only(kernel.configs[0])
    run(40, "N = 40")
    kernel.configs[:] = configs


configs = list(getattr(kernel, "configs", []))


def only(config):
    kernel.configs[:] = [config]
    kernel.cache.clear()


def tuned():
    blocks = {tuple(sorted(config.kwargs.items())) for config in configs}
    require(len(blocks) >= 3, "autotune should have at least three configurations with different blocks")


@check("Right with every configuration, not only the best")
def every():
    for config in configs:
        only(config)
        run(50, f"N = 50 with {config.kwargs}")
    kernel.configs[:] = configs


@check("Edges of a block, and scores of any size")
def edges():
    only(configs[-1])
    for n in (1, 31, 33, 65):
        run(n, f"N = {n}")
    q, k = (guarded(6.0 * torch.randn(1, 2, 70, 16, device=DEVICE)) for _ in range(2))
    v = randn(1, 2, 70, 16)
    terms = attention_terms(16, (q, k), part=0.45)
    close(program.attention(q, k, v), reference(q, k, v), "scores of about a hundred", terms=terms)
    kernel.configs[:] = configs
