"""`@triton.autotune` and `@triton.heuristics`, with Triton's keys, hooks and pruning.

Configurations are measured on the adapter at hand; what is clearly slower than the best is dropped after a
first look. What was measured is kept by adapter, kernel and key (`tuning.py`), so that the next run begins
where this one ended.
"""

import os
import time

import _hippocamp_bridge as bridge

from .. import knobs
from . import configurations, tuning
from .cache import get_cache_manager, triton_key  # noqa: F401
from .driver import driver  # noqa: F401
from .errors import AutotunerError, OutOfResources, PTXASError
from .jit import MOST_THREADS, JITFunction, KernelInterface, TARGET, call_site, report_once
from .options import DefaultWarps
from ..compiler.errors import CompileTimeAssertionFailure

def get_cache_invalidating_env_vars():
    """None of Triton's environment variables changes what is compiled here."""
    return {}


_INFINITE = [float("inf")] * 3


class Config:
    """One kernel configuration to try."""

    def __init__(
        self,
        kwargs,
        num_warps=DefaultWarps(4),
        num_stages=3,
        num_ctas=1,
        maxnreg=None,
        pre_hook=None,
        ir_override=None,
    ):
        self.kwargs = kwargs
        self.num_warps = num_warps
        self.num_ctas = num_ctas
        self.num_stages = num_stages
        self.maxnreg = maxnreg
        self.pre_hook = pre_hook
        self.ir_override = ir_override

    def all_kwargs(self):
        options = {
            "num_warps": self.num_warps,
            "num_ctas": self.num_ctas,
            "num_stages": self.num_stages,
            "maxnreg": self.maxnreg,
            "ir_override": self.ir_override,
        }
        return {**self.kwargs, **{k: v for k, v in options.items() if v is not None}}

    def __str__(self):
        parts = {
            **self.kwargs,
            "num_warps": self.num_warps,
            "num_ctas": self.num_ctas,
            "num_stages": self.num_stages,
            "maxnreg": self.maxnreg,
        }
        return ", ".join(f"{k}: {v}" for k, v in parts.items())

    def _identity(self):
        return (*self.all_kwargs().items(), self.pre_hook)

    def __hash__(self):
        return hash(self._identity())

    def __eq__(self, other):
        return isinstance(other, Config) and self._identity() == other._identity()


#: Operations on floats that a software adapter computes in a second, at the most that was seen.
SOFTWARE_RATE = 5e9


def _check_conflicts(given, config):
    conflicts = given.keys() & config.kwargs.keys()
    if conflicts:
        raise ValueError(
            f"Conflicting meta-parameters: {', '.join(conflicts)}."
            " Make sure that you don't re-define auto-tuned symbols."
        )


class Autotuner(KernelInterface):
    def __init__(
        self,
        fn,
        arg_names,
        configs,
        key,
        reset_to_zero,
        restore_value,
        pre_hook=None,
        post_hook=None,
        prune_configs_by=None,
        warmup=None,
        rep=None,
        use_cuda_graph=False,
        do_bench=None,
        cache_results=False,
    ):
        self.fn = fn
        self.arg_names = arg_names
        self.configs = configs or [Config({})]
        self.keys = key
        self.cache = {}
        self.cache_results = cache_results
        self.reset_to_zero = list(reset_to_zero or [])
        self.restore_value = list(restore_value or [])
        self.user_defined_pre_hook = pre_hook is not None
        self.user_defined_post_hook = post_hook is not None
        self.pre_hook = pre_hook or self._reset
        self.post_hook = post_hook or self._restore
        self.restore_copies = {}
        prune = prune_configs_by or {}
        self.perf_model = prune.get("perf_model")
        self.configs_top_k = prune.get("top_k", 1.0)
        self.early_config_prune = prune.get("early_config_prune")
        self.num_warmups = 25 if warmup is None else warmup
        self.num_reps = rep
        self.use_cuda_graph = use_cuda_graph
        self._do_bench = do_bench
        self.best_config = None
        self.reported = set()
        #: Keys whose configurations were compared.
        self.compared = set()
        #: Keys reported as not measured at all; others of the same line may have been.
        self.reported_unmeasured = set()
        self.nargs = None
        self.base_fn = fn
        while hasattr(self.base_fn, "fn"):
            self.base_fn = self.base_fn.fn
        self.__name__ = self.base_fn.__name__
        self.__doc__ = self.base_fn.__doc__

    @property
    def do_bench(self):
        if self._do_bench is not None:
            return self._do_bench
        from ..testing import do_bench

        # Each configuration needs one good measurement, not 100 ms of them.
        rep = 20 if self.num_reps is None else self.num_reps
        return lambda call, quantiles: do_bench(call, rep=rep, quantiles=quantiles)

    def _reset(self, kwargs, reset_only=False):
        for name in self.reset_to_zero:
            if kwargs[name] is not None:
                kwargs[name].zero_()
        if not reset_only and self.restore_value:
            self.restore_copies = {
                name: kwargs[name].clone()
                for name in self.restore_value
                if kwargs[name] is not None
            }

    def _restore(self, kwargs, exception):
        for name, value in self.restore_copies.items():
            kwargs[name].copy_(value)
        self.restore_copies = {}

    def _bench(self, *args, config, best=0, **meta):
        _check_conflicts(meta, config)
        current = {**meta, **config.all_kwargs()}
        every = {**self.nargs, **current}

        def call():
            if config.pre_hook:
                config.pre_hook(every)
            self.pre_hook(every)
            try:
                self.fn.run(*args, **current)
            except Exception as error:
                self.post_hook(every, exception=error)
                raise
            self.post_hook(every, exception=None)

        try:
            if self._do_bench is not None:
                return tuning.Measured(tuning.marked(lambda: self._do_bench(call, quantiles=(0.5, 0.2, 0.8))))
            # Each configuration needs one good measurement, not 100 ms of them.
            return tuning.measure(call, 20 if self.num_reps is None else self.num_reps, best)
        except (OutOfResources, CompileTimeAssertionFailure, PTXASError) as error:
            return tuning.Measured(_INFINITE, error=str(error))

    def run(self, *args, **kwargs):
        self.nargs = dict(zip(self.arg_names, args))
        compares = False
        if len(self.configs) > 1:
            bound = {k: v for k, v in {**self.nargs, **kwargs}.items() if k in self.arg_names}
            key = [bound[k] for k in self.keys if k in bound]
            key.extend(str(v.dtype) for v in bound.values() if hasattr(v, "dtype"))
            key = tuple(key)
            if key not in self.cache:
                with tuning.apart():
                    self._tune(key, args, kwargs)
            config = self.cache[key]
            compares = not kwargs.get("warmup") and configurations.wanted(self, key)
        else:
            config = self.configs[0]
        self.best_config = config

        def launch(config, args, kwargs):
            if config.pre_hook is not None:
                config.pre_hook({**self.nargs, **kwargs, **config.all_kwargs()})
            return self.fn.run(*args, **kwargs, **config.all_kwargs())

        result = (
            configurations.launch(self, config, args, kwargs, launch) if compares else launch(config, args, kwargs)
        )
        self.nargs = None
        return result

    def _tune(self, key, args, kwargs):
        pruned = self.prune_configs(kwargs)
        environment = bridge.environment()
        if len(pruned) == 1:
            self.cache[key] = pruned[0]
            return
        for config in pruned:
            _check_conflicts(kwargs, config)
        measures = environment["options"].get("measures") is not False
        if environment["adapter"]["kind"] == "interpreter" or not measures:
            if measures:
                report_once(
                    self.reported,
                    "HC0901",
                    f"{self.base_fn.__name__} was not tuned: the interpreter's times say nothing of a GPU's, so "
                    f"the first of {len(pruned)} configurations is used.",
                )
            fits = [c for c in pruned if c.num_warps * TARGET.warp_size <= MOST_THREADS]
            self.cache[key] = (fits or pruned)[0]
            self._reset_only(self.cache[key], kwargs)
            return
        start = time.time()
        nargs = self.nargs
        limit = environment["options"].get("tuneSeconds")
        if limit is not None:
            # Small tiles compile soonest, so most is learnt from them.
            pruned = sorted(pruned, key=_size)
        record = tuning.Record(self, pruned, key, environment, call_site())
        if limit and not record.timings and self._takes_longer(limit, pruned[0], args, kwargs):
            report_once(
                self.reported_unmeasured,
                "HC0902",
                f"{self.base_fn.__name__} was not autotuned for these sizes: one launch needs more than the "
                f"{limit:.0f} s of the time budget on this adapter. The smallest tiles of {len(pruned)} configs are "
                "used.",
            )
            self.cache[key] = pruned[0]
            self.configs_timings = record.timings
            self._describe(pruned, record, args, kwargs)
            record.finish(0.0)
            self._reset_only(pruned[0], kwargs)
            return
        if not all(map(record.has, pruned)):
            for config in filter(record.has, pruned):
                self._same_as(config, record, args, kwargs)
        if limit is None:
            unknown = [c for c in pruned if not record.has(c)]
            apart = [c for c in unknown if self._same_as(c, record, args, kwargs) is None]
            self._compile_all(apart, args, kwargs)
        skipped = False
        for number, config in enumerate(pruned):
            if record.has(config):
                continue
            same = self._same_as(config, record, args, kwargs)
            if same is not None:
                record.add_same(config, same)
                continue
            if limit is not None and record.measured and time.time() - start > limit:
                skipped = True
                break
            self._progress("autotuning", number, pruned)
            record.add(config, self._bench(*args, config=config, best=record.best_time, **kwargs))
            self.nargs = nargs
        bridge.progress("")
        if skipped:
            report_once(
                self.reported,
                "HC0902",
                f"Autotuning of {self.base_fn.__name__} stopped after {limit:.0f} s: {len(record.timings)} of "
                f"{len(pruned)} configs measured, the smallest tiles first. The fastest of them is used; the next "
                "run measures more.",
            )
        self.bench_time = time.time() - start
        best = record.best()
        self.cache[key] = best
        self.configs_timings = record.timings
        self._describe(pruned, record, args, kwargs)
        record.finish(time.time() - start)
        self._reset_only(best, kwargs)
        printing = os.environ.get("TRITON_PRINT_AUTOTUNING") == "1" or knobs.autotuning.print
        if printing and record.measured:
            print(
                f"Triton autotuning for function {self.base_fn.__name__},\nwith key as {key},\n"
                f"finished after {self.bench_time:.2f}s,\nbest config selected: {best};"
            )

    def _reset_only(self, config, kwargs):
        """As before the first launch for a key: the tensors that measurements may have written are cleared."""
        self.pre_hook({**self.nargs, **kwargs, **config.all_kwargs()}, reset_only=True)

    def _same_as(self, config, record, args, kwargs):
        """An earlier configuration whose launch is the same: its code, grid and arguments; None where it is the first."""
        if config not in record.launches:
            # An error is raised, or means a slow configuration, when it is measured.
            key, made = self._warm_up(config, "code", args, kwargs) or (None, config)
            record.specializations[config] = key
            record.launches[config] = (made, config.pre_hook)
        launch = record.launches[config]
        first = next(c for c, other in record.launches.items() if other == launch)
        return None if first is config else first

    def _describe(self, configs, record, args, kwargs):
        """Names the specialization of every configuration, also of those that were not compiled."""
        for config in configs:
            if record.specializations.get(config) is None:
                record.specializations[config] = self._warm_up(config, "describe", args, kwargs)

    def _warm_up(self, config, how, args, kwargs):
        """A launch of `config` short of launching; None where it raises."""
        nargs = self.nargs
        try:
            if config.pre_hook:
                config.pre_hook({**nargs, **kwargs, **config.all_kwargs()})
            return self.fn.run(*args, **{**kwargs, **config.all_kwargs(), "warmup": how})
        except Exception:
            return None
        finally:
            self.nargs = nargs

    def _takes_longer(self, seconds, config, args, kwargs):
        """Whether one launch alone would take all the time there is, by what it computes."""
        operations = self._operations(config, args, kwargs)
        return operations is not None and operations > seconds * SOFTWARE_RATE

    def _operations(self, config, args, kwargs):
        """Operations on floats of one launch; None where that is not known."""
        try:
            compiled = self.fn.run(*args, **{**kwargs, **config.all_kwargs(), "warmup": "ahead"})
        except Exception:
            return None  # It is raised, or means a slow configuration, when it is measured.
        return getattr(compiled, "operations", None)

    def _compile_all(self, configs, args, kwargs):
        """Starts the GPU's compiler for every configuration, then waits for one after the other, so
        that they compile side by side and nothing else runs while they are measured."""
        for warmup in "ahead", True:
            for number, config in enumerate(configs):
                self._progress("compiling", number, configs)
                try:
                    self.fn.run(*args, **{**kwargs, **config.all_kwargs(), "warmup": warmup})
                except Exception:
                    pass  # It is raised, or means a slow configuration, when it is measured.

    def _progress(self, what, number, configs):
        text = f"{what} {self.base_fn.__name__}: config {number + 1} of {len(configs)}"
        bridge.progress(text, number / len(configs))

    def prune_configs(self, kwargs):
        pruned = self.configs
        if self.early_config_prune:
            pruned = self.early_config_prune(self.configs, self.nargs, **kwargs)
            if not pruned:
                raise AutotunerError(
                    "No valid autotuner configs after pruning. `early_config_prune` should return at least one config."
                )
        if self.perf_model:
            top_k = self.configs_top_k
            if isinstance(top_k, float) and top_k <= 1.0:
                top_k = int(len(self.configs) * top_k)
            elif not isinstance(top_k, int):
                raise TypeError(
                    "Error while pruning configs, top_k must be either 1) a float <= 1.0 or 2) an int"
                )
            if len(pruned) > top_k:
                expected = {
                    c: self.perf_model(**self.nargs, **kwargs, **c.all_kwargs()) for c in pruned
                }
                pruned = sorted(expected, key=expected.get)[:top_k]
        return pruned

    def warmup(self, *args, **kwargs):
        self.nargs = dict(zip(self.arg_names, args))
        compiled = [
            self.fn.warmup(*args, **kwargs, **config.all_kwargs())
            for config in self.prune_configs(kwargs)
        ]
        self.nargs = None
        return compiled

    def __call__(self, *args, **kwargs):
        raise RuntimeError("Cannot call @triton.jit'd outside of the scope of a kernel")


def _size(config):
    """The product of a configuration's whole numbers: larger tiles take longer to compile."""
    size = 1
    for value in config.kwargs.values():
        if isinstance(value, int) and value > 0:
            size *= value
    return size


class Heuristics(KernelInterface):
    def __init__(self, fn, arg_names, values):
        self.fn = fn
        self.values = values
        self.arg_names = arg_names
        self.__name__ = getattr(fn, "__name__", "kernel")

    def run(self, *args, **kwargs):
        for name, heuristic in self.values.items():
            kwargs[name] = heuristic({**dict(zip(self.arg_names, args)), **kwargs})
        return self.fn.run(*args, **kwargs)


def autotune(
    configs,
    key,
    prune_configs_by=None,
    reset_to_zero=None,
    restore_value=None,
    pre_hook=None,
    post_hook=None,
    warmup=None,
    rep=None,
    use_cuda_graph=False,
    do_bench=None,
    cache_results=False,
):
    """Tries every configuration once for each new `key` and keeps the fastest."""

    def decorator(fn):
        return Autotuner(
            fn,
            fn.arg_names,
            configs,
            key,
            reset_to_zero,
            restore_value,
            pre_hook=pre_hook,
            post_hook=post_hook,
            prune_configs_by=prune_configs_by,
            warmup=warmup,
            rep=rep,
            use_cuda_graph=use_cuda_graph,
            do_bench=do_bench,
            cache_results=cache_results,
        )

    return decorator


def heuristics(values):
    """Computes meta-parameters from the other arguments."""
    return lambda fn: Heuristics(fn, fn.arg_names, values)


__all__ = ["Autotuner", "Config", "Heuristics", "JITFunction", "autotune", "heuristics"]
