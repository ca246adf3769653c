"""What `prune_configs_by={'early_config_prune': …, 'perf_model': …}` of older matmul kernels names."""

from ..runtime.driver import driver


def early_config_prune(configs, named_args, **kwargs):
    """Leaves out tiles far larger than the matrices; at least one configuration stays."""
    sizes = [named_args.get(name) for name in ("M", "N", "K")]
    kept = []
    for config in configs:
        blocks = [config.kwargs.get(f"BLOCK_{name}") for name in ("M", "N", "K")]
        pairs = [(b, s) for b, s in zip(blocks, sizes) if b is not None and s is not None]
        if all(b <= max(16, 2 * s) for b, s in pairs):
            kept.append(config)
    return kept or list(configs[:1])


def estimate_matmul_time(
    num_warps, num_stages, A, B, C, M, N, K, BLOCK_M, BLOCK_N, BLOCK_K, SPLIT_K=1, debug=False, **kwargs
):
    """A number that grows with the time: waves of tiles, each with its loads and its products."""
    tiles = -(-M // BLOCK_M) * -(-N // BLOCK_N) * SPLIT_K
    processors = driver.active.utils.get_device_properties(0)["multiprocessor_count"]
    waves = -(-tiles // processors)
    steps = -(-K // (BLOCK_K * SPLIT_K))
    products = BLOCK_M * BLOCK_N * BLOCK_K
    loads = (BLOCK_M + BLOCK_N) * BLOCK_K * A.element_size()
    # A byte costs as much as some thirty multiplications.
    return waves * steps * (products + 30 * loads) * 1e-9
