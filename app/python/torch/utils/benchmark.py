"""`torch.utils.benchmark.Timer`: how long a statement takes. What only launches kernels is timed by the GPU's
clock, as `triton.testing.do_bench` does; what also computes with torch, by the CPU's.
"""

import textwrap


class Measurement:
    """Times of one statement, in seconds."""

    def __init__(self, times, stmt, label=None, sub_label=None, description=None, num_threads=1):
        self.times = list(times)
        self.raw_times = self.times
        self.number_per_run = 1
        self.stmt, self.label = stmt, label
        self.sub_label, self.description, self.num_threads = sub_label, description, num_threads

    @property
    def mean(self):
        return sum(self.times) / len(self.times)

    @property
    def median(self):
        from triton.testing import _quantile

        return _quantile(self.times, [0.5])[0]

    @property
    def iqr(self):
        from triton.testing import _quantile

        low, high = _quantile(self.times, [0.25, 0.75])
        return high - low

    def __repr__(self):
        what = ": ".join(part for part in (self.label or self.stmt, self.sub_label) if part)
        return f"{what}\n  Median: {_unit(self.median)}\n  {len(self.times)} measurements"


def _unit(seconds):
    for name, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.2f} {name}"
    return f"{seconds / 1e-9:.2f} ns"


class Timer:
    def __init__(self, stmt="pass", setup="pass", global_setup="", timer=None, globals=None, label=None,
                 sub_label=None, description=None, env=None, num_threads=1, language=None):  # fmt: skip
        self._scope = dict(globals or {})
        self._about = (stmt, label, sub_label, description, num_threads)
        exec(textwrap.dedent(setup), self._scope)
        self._code = compile(textwrap.dedent(stmt), "<timer>", "exec")

    def _measured(self, milliseconds):
        from triton.testing import do_bench

        times = do_bench(
            lambda: exec(self._code, self._scope), rep=milliseconds, return_mode="all"
        )
        return Measurement([t * 1e-3 for t in times], *self._about)

    def timeit(self, number=1000000):
        return self._measured(100)

    def blocked_autorange(self, callback=None, min_run_time=0.2):
        return self._measured(min_run_time * 1e3)

    adaptive_autorange = blocked_autorange


class Compare:
    """A table of measurements: a row for each sub-label, a column for each description."""

    def __init__(self, results):
        self._results = list(results)

    def extend_results(self, results):
        self._results.extend(results)

    def __str__(self):
        from tabulate import tabulate

        columns = list(dict.fromkeys(m.description or "" for m in self._results))
        rows = {}
        for m in self._results:
            rows.setdefault(m.sub_label or m.stmt, {})[m.description or ""] = _unit(m.median)
        body = [[name, *(cells.get(c, "") for c in columns)] for name, cells in rows.items()]
        return tabulate(body, headers=["", *columns])

    def print(self):
        print(self)

    def trim_significant_figures(self):
        pass

    colorize = highlight_warnings = trim_significant_figures
