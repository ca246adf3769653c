"""How many programs a kernel of TorchInductor is launched with: `grid_type` of its decorator over its sizes, or what
older versions name at the launch.
"""

from triton import cdiv

#: Programs along y, as on CUDA; what is over goes along z, and the kernels count on it.
_MOST_Y = 65535


def grid_of(facts, values, meta):
    """`facts`: the decorator's facts (inductor_meta); `values`: arguments by name; `meta`: block sizes."""
    kind = facts["grid_type"]
    if kind == "FixedGrid":
        return tuple(_number(e, values) for e in facts["fixed_grid"])
    if kind == "PrecomputedGrid":
        return _precomputed(facts, values, meta)
    if kind.endswith("ComboKernelGrid"):
        return _combined(kind, facts["combo_grid_meta"], values, meta)
    known = _KINDS.get(kind)
    if known is None:
        raise NotImplementedError(f"grid_type {kind!r} is not available in Hippocamp's torch")
    return known(values, meta)


def blocks(values, meta, name):
    """Programs along the axis `name`: x, y or z."""
    size = values.get(f"{name}numel")
    return 1 if size is None else cdiv(size, meta.get(f"{name.upper()}BLOCK", 1))


def overflowing(y):
    """Programs along y and z where there may be more than CUDA takes along y."""
    z = cdiv(y, _MOST_Y)
    return (cdiv(y, z) if z else 0), z


def _number(expression, values):
    return expression if isinstance(expression, int) else int(eval(expression, {}, dict(values)))


def _precomputed(facts, values, meta):
    for sample in facts["precomputed_grids"]:
        if all(meta.get(k) == v for k, v in sample["config"].items()):
            return tuple(_number(e, values) for e in sample["python"])
    raise RuntimeError(f"no precomputed grid of {facts.get('kernel_name')} is for {meta}")


_KINDS = {
    "Grid1D": lambda v, m: (blocks(v, m, "x"), 1, 1),
    "Grid2D": lambda v, m: (blocks(v, m, "x"), blocks(v, m, "y"), 1),
    "Grid3D": lambda v, m: (blocks(v, m, "x"), blocks(v, m, "y"), blocks(v, m, "z")),
    "BatchMatmulGrid3D": lambda v, m: (blocks(v, m, "z"), blocks(v, m, "y"), blocks(v, m, "x")),
    "Grid2DWithYZOverflow": lambda v, m: (blocks(v, m, "x"), *overflowing(blocks(v, m, "y"))),
    "MixOrderReductionGrid": lambda v, m: (cdiv(v["xnumel"], m["RSPLIT_SIZE"]), 1, 1),
    "CooperativeReductionGrid": lambda v, m: (m["RSPLIT"], blocks(v, m, "x"), 1),
    "SplitScanGrid": lambda v, m: (cdiv(v["r0_numel"], m["R0_BLOCK"]), v["xnumel"], 1),
}


def _combined(kind, facts, values, meta):
    """Several kernels in one: their programs lie one after another, or in turn."""
    meta = {**(facts["default_config"] or {}), **meta}
    each = range(facts["num_kernels"])

    def along(name, i, block):
        size = facts.get(f"{name}numel_{i}", 1)
        return cdiv(values[f"{name}numel_{i}"] if size is None else size, block)

    def x(i, block):
        return along("x", i, 1 if facts[f"no_x_dim_{i}"] else meta.get(block, 1))

    y, z = 1, 1
    if kind == "SequentialFlattenComboKernelGrid":
        programs = sum(x(i, f"XBLOCK_{i}") * along("y", i, meta.get(f"YBLOCK_{i}", 1)) for i in each)
    else:
        rows = [x(i, "XBLOCK") for i in each]
        programs = max(rows) * len(rows) if kind.startswith("RoundRobin") else sum(rows)
        if any(f"ynumel_{i}" in facts for i in each):
            y, z = overflowing(max(along("y", i, meta.get("YBLOCK", 1)) for i in each))
    return max(programs, facts["min_blocks"] or 0), y, z


# ── grids by name, as PyTorch 2.4 to 2.6 writes them beside each launch ─────────────────────────


def grid(*numels):
    """`grid([[znumel,] ynumel,] xnumel)`: as many programs as there are blocks. No more than 65,535 along
    y, as on CUDA: what is over goes along z, and the kernels count on it.
    """
    znumel, ynumel, xnumel = (None,) * (3 - len(numels)) + tuple(numels)

    def fn(meta):
        x = cdiv(xnumel, meta.get("XBLOCK", 1))
        y = 1 if ynumel is None else cdiv(ynumel, meta.get("YBLOCK", 1))
        if znumel is not None:
            return x, y, cdiv(znumel, meta.get("ZBLOCK", 1))
        return x, *overflowing(y)

    return fn


def split_scan_grid(xnumel, rnumel):
    return lambda meta: (cdiv(rnumel, meta["RBLOCK"]), xnumel, 1)


def cooperative_reduction_grid(xnumel):
    return lambda meta: (meta["RSPLIT"], cdiv(xnumel, meta.get("XBLOCK", 1)), 1)


def maybe_cooperative_reduction_grid(xnumel):
    def fn(meta):
        return (cooperative_reduction_grid if "RSPLIT" in meta else grid)(xnumel)(meta)

    return fn


def grid_combo_kernels(*numels, num_kernels, min_blocks, is_sequential):
    """The last of `numels` are the kernels' sizes along x, each alone in a tuple where its blocks are single
    elements; without `is_sequential` it is the greatest of them.
    """
    *outer, xnumels = numels

    def x(numel, block):
        return numel[0] if isinstance(numel, (tuple, list)) else cdiv(numel, block)

    def fn(meta):
        _, y, z = grid(*outer, 1)(meta)
        block = meta.get("XBLOCK", 1)
        if is_sequential:
            return sum(x(n, block) for n in xnumels), y, z
        return max(num_kernels * x(xnumels, block), min_blocks or 0), y, z

    return fn
