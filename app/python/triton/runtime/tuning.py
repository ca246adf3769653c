"""What an autotuner measures and keeps: times of configurations with their spread, reported as events while
they arrive, and remembered by adapter, kernel and key beyond the run.
"""

import hashlib
import json
import os
import sys
from contextlib import contextmanager, nullcontext

import _hippocamp_bridge as bridge

from .. import knobs

_counts = {"tunings": 0}


def reset():
    """Between programs."""
    _counts["tunings"] = 0


class Measured:
    """Milliseconds: median, and the quantiles 0.2 and 0.8."""

    def __init__(self, quantiles, samples=0, clock="gpu", quantum=0.0, dropped=False, error=None):
        if not isinstance(quantiles, (list, tuple)):
            quantiles = [quantiles] * 3
        self.quantiles = list(quantiles)
        self.samples = samples
        self.clock = clock
        self.quantum = quantum
        self.dropped = dropped
        self.error = error


def marked(measuring):
    """Calls it; no schedule of ours is searched for what it launches."""
    bridge.autotune_mark(True)
    try:
        return measuring()
    finally:
        bridge.autotune_mark(False)


@contextmanager
def apart():
    """Within `do_bench`: what a tuner's hooks compute, and by which clock it measures, is no part of the timed
    function."""
    from .. import testing

    eager = sys.modules.get("torch._eager")
    clocks = set(testing.clocks_seen)
    try:
        with eager.paused() if eager else nullcontext():
            yield
    finally:
        testing.clocks_seen.clear()
        testing.clocks_seen.update(clocks)


def measure(call, rep, best):
    """Times `call` as `do_bench` does; `best` ms is the best so far (0: none)."""
    from .. import testing

    measured, times = marked(lambda: testing._sampled(call, lambda: None, rep, best))
    return Measured(
        testing._quantile(times, (0.5, 0.2, 0.8)),
        len(times),
        measured["clock"],
        measured["quantum"],
        bool(measured.get("dropped")),
    )


def _is_time(kept):
    """Whether this is what `Record.finish` writes of a configuration."""
    if not isinstance(kept, dict):
        return False
    quantiles = kept.get("quantiles")
    numbers = [*(quantiles if isinstance(quantiles, list) else ()), kept.get("samples"), kept.get("quantum")]
    return (
        len(numbers) == 5
        and all(type(n) in (int, float) and 0 <= n < float("inf") for n in numbers)
        and kept.get("clock") in ("gpu", "cpu")
        and type(kept.get("dropped")) is bool
    )


def _believed(kept):
    """What an earlier run kept, without what is no measurement: that is made again."""
    kept = kept if isinstance(kept, dict) else {}
    times = kept.get("times")
    return {c: t for c, t in times.items() if _is_time(t)} if isinstance(times, dict) else {}


class Record:
    """One tuning: of one kernel, for one key."""

    def __init__(self, tuner, configs, key, environment, site):
        self.tuner = tuner
        self.configs = configs
        self.key = key
        self.site = site
        self.timings = {}
        #: Measurements of this run.
        self.measured = 0
        self.found = {}
        #: Launches of each configuration, in the order in which they were looked at.
        self.launches = {}
        #: The configuration whose code another one's is.
        self.same = {}
        #: The key of what each configuration launches; None where it does not compile.
        self.specializations = {}
        _counts["tunings"] += 1
        self.id = _counts["tunings"]
        self.place = self._place(environment)
        self.kept = _believed(bridge.tuned(self.place) if self.place else None)
        for config in configs:
            times = self.kept.get(str(config))
            if times is not None:
                found = Measured(times["quantiles"], times["samples"], times["clock"], times["quantum"])
                found.dropped = times["dropped"]
                self.found[config] = found
                self.timings[config] = found.quantiles
                first = next((c for c in self.found if str(c) == times.get("same")), config)
                if first is not config and first not in self.same:
                    self.same[config] = first
        self._report(False)

    def _place(self, environment):
        """What the results are kept by; None where they are not: a hook may do anything, and a clock of the
        program's own may measure anything."""
        tuner = self.tuner
        off = os.environ.get("TRITON_CACHE_AUTOTUNING") == "0"
        asked = tuner.cache_results or knobs.autotuning.cache
        hooked = any(c.pre_hook for c in self.configs) or tuner.user_defined_pre_hook
        if off or hooked or tuner.user_defined_post_hook or (tuner._do_bench is not None and not asked):
            return None
        adapter = environment["adapter"]
        facts = (
            adapter["name"], adapter["vendor"], adapter["architecture"],
            # Another compiler makes other code of the same kernel, and so does a browser that
            # offers more.
            environment["compiler"], json.dumps(environment["target"], sort_keys=True),
            _sources(_jit_of(tuner)), repr(self.key),
        )  # fmt: skip
        return hashlib.sha256(repr(facts).encode()).hexdigest()

    def has(self, config):
        return config in self.timings

    @property
    def best_time(self):
        """Milliseconds; 0 where there is none yet."""
        times = [t[0] for c, t in self.timings.items() if t[0] != float("inf") and not self.found[c].dropped]
        return min(times, default=0)

    def best(self):
        """The fastest; of those whose code is the same, the first."""
        apart = [c for c in self.timings if c not in self.same]
        return min(apart, key=lambda c: (self.found[c].dropped, self.timings[c]))

    def add(self, config, found):
        self.found[config] = found
        self.timings[config] = found.quantiles
        self.measured += 1
        self._report(False)

    def add_same(self, config, first):
        """`config` launches what `first` does, which was measured: its times are the same."""
        self.same[config] = first
        self.found[config] = self.found[first]
        self.timings[config] = self.timings[first]
        self._report(False)

    def finish(self, seconds):
        if self.place and self.measured:
            # Errors are not kept: what fails for want of memory may fit another time.
            times = {
                str(c): {
                    "quantiles": f.quantiles, "samples": f.samples, "clock": f.clock,
                    "quantum": f.quantum, "dropped": f.dropped,
                    "same": str(self.same[c]) if c in self.same else None,
                }
                for c, f in self.found.items()
                if f.error is None and f.quantiles[0] != float("inf")
            }  # fmt: skip
            bridge.remember_tuned(self.place, {"times": times, "choices": None})
        self._report(True, seconds)

    def _row(self, config, done):
        row = _row(config, self.found.get(config), done, self.specializations.get(config))
        first = self.same.get(config)
        if first is None:
            return row
        return {**row, "state": "same", "timing": None, "error": None, "sameAs": self.configs.index(first)}

    def _report(self, done, seconds=0.0):
        rows = [self._row(c, done) for c in self.configs]
        best = None
        if done and self.timings:
            best = self.configs.index(self.best())
        bridge.emit(
            {
                "type": "autotune",
                "id": self.id,
                "kernel": self.tuner.base_fn.__name__,
                "key": str(self.key),
                "site": self.site,
                "configurations": rows,
                "best": best,
                "fromCache": bool(self.timings) and self.measured == 0,
                "seconds": seconds,
                "done": done,
            }
        )


def _row(config, found, done, specialization):
    settings = config.all_kwargs()
    plain = {k: v if isinstance(v, (int, float, str, bool)) else str(v) for k, v in settings.items()}
    row = {"text": str(config), "settings": plain, "timing": None, "error": None}
    if specialization is not None:
        row["specialization"] = specialization
    if found is None:
        return {**row, "state": "skipped" if done else "waiting"}
    if found.quantiles[0] == float("inf"):
        return {**row, "state": "failed", "error": found.error or "it does not run"}
    median, low, high = (t * 1e3 for t in found.quantiles)
    timing = {
        "clock": found.clock, "median": median, "low": low, "high": high,
        "samples": found.samples, "quantum": found.quantum * 1e3,
    }  # fmt: skip
    return {**row, "state": "dropped" if found.dropped else "measured", "timing": timing}


def _jit_of(tuner):
    from .callables import JITCallable

    fn = tuner.fn
    while not isinstance(fn, JITCallable):
        fn = fn.fn
    return fn


def _sources(fn, seen=None):
    """The text of a kernel and of the helpers it reaches, with the constants they name."""
    from .callables import JITCallable

    seen = set() if seen is None else seen
    if id(fn) in seen:
        return []
    seen.add(id(fn))
    out = [fn.src]
    space = fn.fn.__globals__
    for name in getattr(fn, "used_names", ()):
        value = space.get(name)
        if isinstance(value, JITCallable):
            out += _sources(value, seen)
        elif isinstance(getattr(value, "value", value), (int, float, str, bool)):
            out.append(f"{name}={value!r}")
    return out
