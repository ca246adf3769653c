"""The decorators that TorchInductor writes above its kernels, and the grids it launches them on.

A decorated kernel has `run(*args, stream=…)`: block sizes and, where the caller gives none, the grid are
chosen from the decorator (`block_sizes.py`, `grids.py`). Before PyTorch 2.2 one dictionary, `meta`, stands for
`triton_meta` and `inductor_meta`.
"""

from triton import Config
from triton.runtime.autotuner import Autotuner

from .block_sizes import combined_blocks, pointwise_blocks, reduction_blocks
from .grids import (  # noqa: F401
    cooperative_reduction_grid,
    grid,
    grid_combo_kernels,
    grid_of,
    maybe_cooperative_reduction_grid,
    split_scan_grid,
)


class CachingAutotuner:
    def __init__(self, fn, configs, inductor_meta=None, triton_meta=None, size_hints=None):
        self.fn, self.configs = fn, configs
        self.inductor_meta, self.triton_meta = inductor_meta or {}, triton_meta or {}
        self.size_hints = size_hints
        self.__name__ = getattr(fn, "__name__", "kernel")
        self.arg_names = list(getattr(fn, "arg_names", ()))

    def _grid(self, given, values, meta):
        if given is not None:
            return given(meta) if callable(given) else tuple(given)
        if self.inductor_meta.get("grid_type") is None:
            raise TypeError(f"{self.__name__}.run() needs a grid: the kernel's decorator names no grid_type")
        return grid_of(self.inductor_meta, {**values, **meta}, meta)

    def run(self, *args, grid=None, stream=None, benchmark_run=False, **kwargs):
        if isinstance(self.fn, Autotuner):
            return self.fn[grid](*args, **kwargs)
        args, places = self._without_places(args)
        config = self.configs[0]
        values = {**self._by_name(args), **self._constants()}
        values |= {k: v for k, v in config.kwargs.items() if k in self.arg_names}
        if config.pre_hook is not None:
            config.pre_hook({**values, **kwargs})
        options = {"num_warps": config.num_warps, "num_stages": config.num_stages}
        where = self._grid(grid, values, {**config.kwargs, **options, **kwargs, **places})
        return self.fn[where](**{**values, **options, **kwargs})

    def _by_name(self, args):
        """Arguments stand for the parameters that are no constants, but for some that are None."""
        constant = {self.arg_names[i] for i in getattr(self.fn, "constexprs", ())}
        names = [n for n in self.arg_names if n not in constant]
        if len(args) > len(names):
            names = self.arg_names
        elif len(args) < len(names):
            none = {n for n, v in self._given().items() if v is None}
            names = [n for n in names if n not in none]
        return dict(zip(names, args))

    def _given(self):
        """Values that stand in the decorator, by name; before PyTorch 2.6 by place."""
        given = self.triton_meta.get("constants") or {}
        return {self.arg_names[k] if isinstance(k, int) else k: v for k, v in given.items()}

    def _constants(self):
        """Of a program's own kernel: its constants, and arguments that are None."""
        constant = {self.arg_names[i] for i in getattr(self.fn, "constexprs", ())}
        return {n: v for n, v in self._given().items() if n in constant or v is None}

    def _without_places(self, args):
        """A template's caller passes its grid behind the kernel's arguments. @returns both, the grid by its names."""
        names = self.inductor_meta.get("extra_launcher_args", ())
        at = len(args) - len(names)
        return args[:at], dict(zip(names, args[at:]))

    def __getitem__(self, grid):
        return lambda *args, **kwargs: self.run(*args, grid=grid, **kwargs)

    def precompile(self, *_, **__):
        """Kernels are compiled when they are first launched."""

    def __getattr__(self, name):
        return getattr(self.fn, name)


class DebugAutotuner(CachingAutotuner):
    pass


# ── decorators ──────────────────────────────────────────────────────────────────────────────────


def _decorated(configs, size_hints, triton_meta, inductor_meta):
    return lambda fn: CachingAutotuner(fn, configs, inductor_meta, triton_meta, size_hints)


def _either(triton_meta, meta):
    return meta if triton_meta is None else triton_meta


def pointwise(size_hints, triton_meta=None, tile_hint=None, filename=None, min_elem_per_thread=0, inductor_meta=None, return_configs=False, meta=None):  # fmt: skip
    facts = inductor_meta or {}
    blocks = combined_blocks(facts) or pointwise_blocks(size_hints, facts)
    return _decorated([Config(blocks, num_warps=4)], size_hints, _either(triton_meta, meta), inductor_meta)


def reduction(size_hints, reduction_hint=False, triton_meta=None, filename=None, inductor_meta=None, return_configs=False, meta=None):  # fmt: skip
    facts = inductor_meta or {}
    blocks = combined_blocks(facts) or reduction_blocks(size_hints, facts)
    return _decorated([Config(blocks, num_warps=4)], size_hints, _either(triton_meta, meta), inductor_meta)


def persistent_reduction(size_hints, reduction_hint=False, triton_meta=None, filename=None, inductor_meta=None, meta=None, **_):  # fmt: skip
    made = reduction(size_hints, reduction_hint, _either(triton_meta, meta), filename, inductor_meta)

    def decorate(fn):
        tuner = made(fn)
        split = (inductor_meta or {}).get("RSPLIT_SIZE")
        if split:
            # Each program takes `split` rows, a block of them at a time.
            tuner.configs[0].kwargs |= {"RSPLIT_SIZE": split, "NUM_STAGES": 1}
            tuner.configs[0].kwargs["XBLOCK"] = min(tuner.configs[0].kwargs["XBLOCK"], split)
        return tuner

    return decorate


def cooperative_reduction(size_hints, reduction_hint=False, triton_meta=None, filename=None, inductor_meta=None):  # fmt: skip
    """Programs that share a reduction wait for each other, which WebGPU does not promise to end: one has it all."""
    made = reduction(size_hints, reduction_hint, triton_meta, filename, inductor_meta)

    def decorate(fn):
        tuner = made(fn)
        tuner.configs[0].kwargs["RSPLIT"] = 1
        return tuner

    return decorate


def split_scan(size_hints, reduction_hint=False, triton_meta=None, filename=None, inductor_meta=None):
    """A scan whose programs wait for each other; its workspace is large enough for blocks of 256 elements or more."""
    blocks = {"XBLOCK": 1, "RBLOCK": 1024, "R0_BLOCK": 1024}
    return _decorated([Config(blocks)], size_hints, triton_meta, inductor_meta)


def template(num_stages=3, num_warps=4, triton_meta=None, num_consumer_groups=0, num_buffers_warp_spec=0, filename=None, inductor_meta=None, meta=None, **_):  # fmt: skip
    config = Config({}, num_warps=num_warps, num_stages=num_stages)
    return _decorated([config], None, _either(triton_meta, meta), inductor_meta)


def foreach(triton_meta=None, num_warps=8, filename=None, inductor_meta=None, meta=None, **_):
    return _decorated([Config({}, num_warps=num_warps)], None, _either(triton_meta, meta), inductor_meta)


def fixed_config(config, filename, triton_meta, inductor_meta):
    rest = {k: v for k, v in config.items() if k not in ("num_warps", "num_stages")}
    made = Config(rest, num_warps=config["num_warps"], num_stages=config["num_stages"])
    return _decorated([made], None, triton_meta, inductor_meta)


def user_autotune(configs, triton_meta=None, filename=None, inductor_meta=None, custom_kernel=False, meta=None):
    """Of the configurations the first is taken: they are the program's own, and all compute the same."""
    made = [c if isinstance(c, Config) else _config(c) for c in configs]
    return _decorated(made or [Config({})], None, _either(triton_meta, meta), inductor_meta)


#: Options of a configuration, which stand beside its block sizes.
_OPTIONS = frozenset("num_warps num_stages num_ctas maxnreg ir_override num_consumer_groups num_buffers_warp_spec".split())


def _config(values):
    """A configuration from its dictionary."""
    options = {k: values[k] for k in ("num_warps", "num_stages") if k in values}
    return Config({k: v for k, v in values.items() if k not in _OPTIONS}, **options)


def start_graph():
    """Measures a graph of kernels: the page's timing does."""


def end_graph(output_file=None):
    """See `start_graph`."""
