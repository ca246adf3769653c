"""The decorators that TorchInductor writes above its kernels, and the grids it launches them on.

A decorated kernel has `run(*args, stream=…)`: block sizes and, where the caller gives none, the grid are
chosen here, from the sizes that the decorator tells. PyTorch tries several block sizes; this takes one,
which never changes a result beyond the order of a sum.
"""

from triton import Config, cdiv, next_power_of_2
from triton.runtime.autotuner import Autotuner

#: Elements of a tile: enough to fill a workgroup, few enough to stay in registers.
_POINTWISE, _REDUCTION = 1024, 2048


class CachingAutotuner:
    def __init__(self, fn, configs, inductor_meta=None, triton_meta=None, size_hints=None):
        self.fn, self.configs = fn, configs
        self.inductor_meta, self.triton_meta = inductor_meta or {}, triton_meta or {}
        self.size_hints = size_hints
        self.__name__ = getattr(fn, "__name__", "kernel")
        self.arg_names = list(getattr(fn, "arg_names", ()))

    def _grid(self, given, args, meta):
        if given is not None:
            return given(meta) if callable(given) else tuple(given)
        kind = self.inductor_meta.get("grid_type")
        if kind is None:
            raise TypeError(f"{self.__name__}.run() needs a grid: the kernel's decorator names no grid_type")
        values = {**dict(zip(self.arg_names, args)), **meta}
        if kind == "FixedGrid":
            return tuple(self.inductor_meta["fixed_grid"])
        if kind == "PrecomputedGrid":
            for sample in self.inductor_meta["precomputed_grids"]:
                if all(meta.get(k) == v for k, v in sample["config"].items()):
                    return tuple(eval(str(e), {}, dict(values)) for e in sample["python"])
            raise RuntimeError(f"no precomputed grid of {self.__name__} is for {meta}")
        if kind not in ("Grid1D", "Grid2D", "Grid3D", "Grid2DWithYZOverflow"):
            raise NotImplementedError(f"grid_type {kind!r} is not available in Hippocamp's torch")
        # A kernel that is told its size as a constant has none among its arguments: it says it itself.
        sizes = [values[n] for n in ("znumel", "ynumel", "xnumel") if isinstance(values.get(n), int)]
        return grid(*sizes)(meta)

    def run(self, *args, grid=None, stream=None, benchmark_run=False, **kwargs):
        if isinstance(self.fn, Autotuner):
            return self.fn[grid](*args, **kwargs)
        config = self.configs[0]
        meta = {k: v for k, v in config.kwargs.items() if k in self.arg_names}
        if config.pre_hook is not None:
            config.pre_hook({**dict(zip(self.arg_names, args)), **meta, **kwargs})
        where = self._grid(grid, args, {**config.kwargs, **kwargs})
        options = {"num_warps": config.num_warps, "num_stages": config.num_stages}
        return self.fn[where](*args, **meta, **{**options, **kwargs})

    def __getitem__(self, grid):
        return lambda *args, **kwargs: self.run(*args, grid=grid, **kwargs)

    def precompile(self, *_, **__):
        """Kernels are compiled when they are first launched."""

    def __getattr__(self, name):
        return getattr(self.fn, name)


class DebugAutotuner(CachingAutotuner):
    pass


# ── block sizes ─────────────────────────────────────────────────────────────────────────────────


def _hints(size_hints):
    """{'x': n, 'y': n, 'r': n}: dicts name them; older lists go from the outermost to x, or end with r."""
    if isinstance(size_hints, dict):
        return {("r" if k.startswith("r") else k): v for k, v in size_hints.items()}
    return dict(zip("xyz", size_hints))


def _blocks(sizes, most):
    """Powers of two whose product is at most `most`, the first dimension's the longest."""
    made, left = {}, most
    share = {1: most, 2: 32, 3: 16}[len(sizes)]
    for name, size in sizes.items():
        block = max(1, min(next_power_of_2(max(1, size)), share if len(sizes) > 1 else most, left))
        made[f"{name.upper()}BLOCK"] = block
        left = max(1, left // block)
    return made


def _decorated(configs, size_hints, triton_meta, inductor_meta):
    return lambda fn: CachingAutotuner(fn, configs, inductor_meta, triton_meta, size_hints)


def pointwise(size_hints, triton_meta=None, tile_hint=None, filename=None, min_elem_per_thread=0, inductor_meta=None, return_configs=False):  # fmt: skip
    blocks = _blocks(_hints(size_hints), _POINTWISE)
    return _decorated([Config(blocks, num_warps=4)], size_hints, triton_meta, inductor_meta)


def reduction(size_hints, reduction_hint=False, triton_meta=None, filename=None, inductor_meta=None, return_configs=False):  # fmt: skip
    sizes = _hints(size_hints)
    if not isinstance(size_hints, dict):
        *outer, last = size_hints
        sizes = {**dict(zip("xyz", outer)), "r": last}
    r = min(next_power_of_2(max(1, sizes.pop("r"))), _REDUCTION)
    blocks = _blocks(sizes, max(1, _REDUCTION // r))
    blocks |= {"RBLOCK": r, "R0_BLOCK": r, "R1_BLOCK": 1}
    return _decorated([Config(blocks, num_warps=4)], size_hints, triton_meta, inductor_meta)


persistent_reduction = cooperative_reduction = split_scan = reduction


def template(num_stages=3, num_warps=4, triton_meta=None, num_consumer_groups=0, num_buffers_warp_spec=0, filename=None, inductor_meta=None, **_):  # fmt: skip
    config = Config({}, num_warps=num_warps, num_stages=num_stages)
    return _decorated([config], None, triton_meta, inductor_meta)


def foreach(triton_meta=None, num_warps=8, filename=None, inductor_meta=None):
    return _decorated([Config({}, num_warps=num_warps)], None, triton_meta, inductor_meta)


def fixed_config(config, filename, triton_meta, inductor_meta):
    rest = {k: v for k, v in config.items() if k not in ("num_warps", "num_stages")}
    made = Config(rest, num_warps=config["num_warps"], num_stages=config["num_stages"])
    return _decorated([made], None, triton_meta, inductor_meta)


def user_autotune(configs, triton_meta=None, filename=None, inductor_meta=None, custom_kernel=False):
    made = [
        c if isinstance(c, Config)
        else Config(c["kwargs"], num_warps=c.get("num_warps", 4), num_stages=c.get("num_stages", 3))
        for c in configs
    ]  # fmt: skip
    return _decorated(made or [Config({})], None, triton_meta, inductor_meta)


# ── grids ───────────────────────────────────────────────────────────────────────────────────────


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
        z = cdiv(y, 65535)
        return x, cdiv(y, z), z

    return fn


def _no_grid(name):
    def made(*_):
        raise NotImplementedError(f"triton_heuristics.{name} is not available in Hippocamp's torch")

    return made


split_scan_grid = _no_grid("split_scan_grid")
grid_combo_kernels = _no_grid("grid_combo_kernels")
cooperative_reduction_grid = _no_grid("cooperative_reduction_grid")


def start_graph():
    """Measures a graph of kernels: the page's timing does."""


def end_graph(output_file=None):
    """See `start_graph`."""
