"""Block sizes of the kernels that TorchInductor writes, from the sizes in their decorators.

One choice for each kernel, where PyTorch measures several: block sizes never change a result beyond the order of a
sum. Every block is a power of two.
"""

from triton import next_power_of_2

#: Elements of a tile: enough to fill a workgroup, few enough to stay in registers.
_POINTWISE, _REDUCTION, _SORTED = 1024, 2048, 256


def pointwise_blocks(size_hints, facts):
    """`facts`: inductor_meta. @returns XBLOCK and, where the kernel has them, YBLOCK and ZBLOCK."""
    return at_least(_blocks(_named(size_hints), _POINTWISE), facts)


def reduction_blocks(size_hints, facts):
    """@returns the same with RBLOCK, R0_BLOCK and R1_BLOCK."""
    sizes = _named(size_hints, reduces=True)
    r = min(next_power_of_2(max(1, sizes.pop("r"))), _REDUCTION)
    # A kernel that reduces nothing sorts or scans, which is much code for each element.
    most = _REDUCTION if facts.get("num_reduction", 1) else _SORTED
    blocks = _blocks(sizes, max(1, most // r))
    return at_least(blocks | {"RBLOCK": r, "R0_BLOCK": r, "R1_BLOCK": 1}, facts)


def combined_blocks(facts):
    """Blocks of a combo kernel whose kernels have sizes of their own: XBLOCK_0, R0_BLOCK_1 …; else None.

    Where the decorator fixes them they are constants in the kernel's body.
    """
    combo = facts.get("combo_grid_meta") or {}
    if "heuristic_0" not in combo or combo.get("default_config"):
        return None
    made = {}
    for i in range(combo["num_kernels"]):
        of_one = {**facts, **combo.get(f"inductor_meta_{i}", {})}
        choose = pointwise_blocks if combo[f"heuristic_{i}"] == "pointwise" else reduction_blocks
        for name, block in choose(combo[f"size_hints_{i}"], of_one).items():
            made[f"{name}_{i}"] = block
    return made


def at_least(blocks, facts):
    """No block is smaller than a descriptor of the kernel takes (16 bytes)."""
    least = facts.get("tma_min_block_sizes") or {}
    return {name: max(block, least.get(name, 1)) for name, block in blocks.items()}


def _named(size_hints, reduces=False):
    """{'x': n, 'y': n, 'r': n}: dicts name them; older lists go from the outermost to x, or end with r."""
    if isinstance(size_hints, dict):
        return {("r" if k.startswith("r") else k): v for k, v in size_hints.items()}
    if not reduces:
        return dict(zip("xyz", size_hints))
    *outer, last = size_hints
    return {**dict(zip("xyz", outer)), "r": last}


def _blocks(sizes, most):
    """Powers of two whose product is at most `most`, the first dimension's the longest."""
    made, left = {}, most
    share = {1: most, 2: 32, 3: 16}[len(sizes)]
    for name, size in sizes.items():
        block = max(1, min(next_power_of_2(max(1, size)), share if len(sizes) > 1 else most, left))
        made[f"{name.upper()}BLOCK"] = block
        left = max(1, left // block)
    return made
