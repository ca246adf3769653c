"""`perf_report`: runs a benchmark's points one after the other, sends the chart as they arrive, and
prints the table that pandas would print.
"""

import time

import _hippocamp_bridge as bridge


#: Charts whose time one `run` may take, however many it has.
_CHARTS = 3


#: Whether a chart's point is measured now.
_charting = False
#: Charts of the calls of `do_bench` outside of charts, by their line.
_calls = {}


class Benchmark:
    def __init__(
        self,
        x_names,
        x_vals,
        line_arg,
        line_vals,
        line_names,
        plot_name,
        args,
        xlabel="",
        ylabel="",
        x_log=False,
        y_log=False,
        styles=None,
    ):
        self.x_names = x_names
        self.x_vals = x_vals
        self.x_log = x_log
        self.line_arg = line_arg
        self.line_vals = line_vals
        self.line_names = line_names
        self.y_log = y_log
        self.styles = styles
        self.xlabel = xlabel
        self.ylabel = ylabel
        self.plot_name = plot_name
        self.args = args


class Table:
    """The little of a pandas DataFrame that programs use of `return_df`."""

    def __init__(self, columns, rows):
        self.columns = list(columns)
        self.rows = [list(r) for r in rows]

    @property
    def shape(self):
        return (len(self.rows), len(self.columns))

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, key):
        if isinstance(key, list):
            places = [self.columns.index(k) for k in key]
            return Table(key, [[r[i] for i in places] for r in self.rows])
        i = self.columns.index(key)
        return [r[i] for r in self.rows]

    def __setitem__(self, key, values):
        self.columns.append(key)
        for row, value in zip(self.rows, values):
            row.append(value)

    def to_dict(self, orient="dict"):
        if orient == "records":
            return [dict(zip(self.columns, r)) for r in self.rows]
        return {c: dict(enumerate(self[c])) for c in self.columns}

    def to_string(self):
        if not self.rows:
            return f"Empty DataFrame\nColumns: {self.columns}\nIndex: []".replace("'", "")
        cells = [[str(i) for i in range(len(self.rows))]]
        heads = [""]
        for i, name in enumerate(self.columns):
            cells.append(_format_column([r[i] for r in self.rows]))
            heads.append(str(name))
        widths = [max(len(h), *map(len, c)) for h, c in zip(heads, cells)]
        lines = ["  ".join(h.rjust(w) for h, w in zip(heads, widths))]
        for r in range(len(self.rows)):
            first = cells[0][r].ljust(widths[0])
            rest = [c[r].rjust(w) for c, w in zip(cells[1:], widths[1:])]
            lines.append("  ".join([first, *rest]))
        return "\n".join(lines)

    __repr__ = __str__ = to_string

    def to_csv(self, path, float_format="%.6f", index=False):
        with open(path, "w") as file:
            file.write(",".join(map(str, self.columns)) + "\n")
            for row in self.rows:
                file.write(
                    ",".join(float_format % v if isinstance(v, float) else str(v) for v in row) + "\n"
                )


def _format_column(values):
    """Six decimals, fewer where the numbers need fewer, as pandas shows a column of floats."""
    if not all(isinstance(v, (int, float)) or v is None for v in values):
        return [str(v) for v in values]
    floats = [float("nan") if v is None else float(v) for v in values]
    texts = [f"{v:.6f}" if v == v and abs(v) != float("inf") else str(v) for v in floats]
    texts = ["NaN" if t == "nan" else t for t in texts]
    numeric = [t for t in texts if "." in t]
    if any(v != 0 and (abs(v) >= 1e16 or abs(v) < 1e-5) for v in floats if v == v):
        return [f"{v:.6e}" if v == v else "NaN" for v in floats]
    while numeric and all(t.endswith("0") and not t.endswith(".0") for t in numeric):
        numeric = [t[:-1] for t in numeric]
        texts = [t[:-1] if "." in t else t for t in texts]
    return texts


class Mark:
    def __init__(self, fn, benchmarks):
        self.fn = fn
        self.benchmarks = benchmarks
        self.ran = False

    def run(self, show_plots=False, print_data=False, save_path="", return_df=False, **kwargs):
        single = isinstance(self.benchmarks, Benchmark)
        benches = [self.benchmarks] if single else self.benchmarks
        tables = []
        self.ran = True
        # Each chart may take its time, and all of them together: a first point is always measured,
        # however long that takes, and programs have a dozen charts: three charts' time has to do
        # for all.
        options = bridge.environment()["options"]
        if options.get("measures") is False:
            tables = [Table(list(b.x_names) + list(b.line_names), []) for b in benches]
            return (tables[0] if single else tables) if return_df else None
        limit = options.get("chartSeconds")
        start = time.monotonic()
        for place, bench in enumerate(benches):
            spent = time.monotonic() - start
            if place and limit is not None and spent > limit * min(len(benches), _CHARTS):
                _leave_out(benches[place:], spent)
                names = list(bench.x_names)
                tables += [Table(names + list(b.line_names), []) for b in benches[place:]]
                break
            try:
                tables.append(self._run(bench, save_path, print_data, **kwargs))
                for repeat in range(1, (options.get("bench") or {}).get("repeats", 1)):
                    self._run(bench, "", False, repeat=repeat, **kwargs)
            finally:
                bridge.point_progress("")
        if return_df:
            return tables[0] if single else tables
        return None

    def _run(self, bench, save_path, print_data, diff_col=False, save_precision=6, repeat=0, **kwargs):
        chart = Chart(bench, repeat)
        names = list(bench.x_names)
        labels = [f"{name} ({bench.ylabel})" for name in bench.line_names]
        rows = []
        limit = bridge.environment()["options"].get("chartSeconds")
        start = previous = time.monotonic()
        for place, x in enumerate(bench.x_vals):
            now = time.monotonic()
            # The next point takes at least as long as the last: sizes grow.
            if rows and limit is not None and (now - start) + (now - previous) > limit:
                chart.stop(bench.x_vals[place:], now - start)
                break
            previous = now
            chart.progress(place, len(bench.x_vals))
            values = list(x) if isinstance(x, (list, tuple)) else [x] * len(names)
            if len(values) != len(names):
                raise ValueError(f"Expected {len(names)} values, got {values}")
            row = []
            left_out = False
            for i, line in enumerate(bench.line_vals):
                if i and not rows and limit is not None and time.monotonic() - now > limit:
                    chart.cut(bench.line_names[i:], values[0], time.monotonic() - now)
                    row += [None] * (len(bench.line_vals) - i)
                    break
                point = self._point(bench, dict(zip(names, values)), line, kwargs)
                if point is None:
                    left_out = True
                    break
                row.append(point[0])
                chart.add(i, values[0], *point)
            if left_out:
                chart.skip(values[0])
                continue
            rows.append(values + row)
        chart.finish()
        table = Table(names + labels, rows)
        if diff_col and table.shape[1] == 2:
            first, second = table.columns
            table["Diff"] = [b - a for a, b in zip(table[first], table[second])]
        if print_data:
            print(bench.plot_name + ":")
            print(table.to_string())
            for note in chart.notes:
                print(f"note: {note}")
        if save_path:
            import os

            os.makedirs(save_path, exist_ok=True)
            table.to_csv(
                os.path.join(save_path, f"{bench.plot_name}.csv"), f"%.{save_precision}f"
            )
        return table

    def _point(self, bench, xs, line, kwargs):
        """(mean, low, high, clock, whether it was timed by waiting, names of torch's operations that have no kernel,
        whether others were launches), or None where the tensors would be too large here."""
        import torch

        from . import testing

        testing.clocks_seen.clear()
        testing._lacking.clear()
        testing._eager_seen.clear()
        global _charting
        _charting = True
        try:
            result = self.fn(**xs, **{bench.line_arg: line}, **bench.args, **kwargs)
        except torch.OutOfMemoryError:
            return None
        finally:
            _charting = False
        # Too slow to be run again only for the GPU's clock.
        waited = "waiting" in testing.clocks_seen
        clock = testing.clock_seen()
        try:
            mean, low, high = result
        except TypeError:
            mean, low, high = result, None, None
        return mean, low, high, clock, waited, list(testing._lacking), bool(testing._eager_seen)


def _leave_out(benches, seconds):
    """Says that these charts were not made."""
    names = ", ".join(bench.plot_name for bench in benches)
    print(
        f"note: skipped {names}: the earlier charts used the time budget of this adapter ({seconds:.0f} s)"
    )


def _style(value):
    return None if value is None else str(value)


class Chart:
    """The `benchmark` event, sent again with every point."""

    def __init__(self, bench, repeat=0):
        styles = bench.styles or [(None, None)] * len(bench.line_names)
        self.event = {
            "type": "benchmark",
            "name": str(bench.plot_name),
            "xName": str(bench.x_names[0]),
            "xLabel": str(bench.xlabel or bench.x_names[0]),
            "yLabel": str(bench.ylabel or ""),
            "xLog": bool(bench.x_log),
            "yLog": bool(bench.y_log),
            "lines": [
                {"name": str(name), "color": _style(color), "dash": _style(dash), "clock": "gpu", "points": []}
                for name, (color, dash) in zip(bench.line_names, styles)
            ],
            "done": False,
            "notes": [],
        }
        if bridge.environment()["options"].get("bench"):
            self.event["repeat"] = repeat
        self.notes = self.event["notes"]
        self.skipped = []
        #: Lines with kernels so slow that they were timed by waiting for them.
        self.waited = set()
        #: By line: torch's operations that kept it on the CPU.
        self.lacking = {}
        #: Lines with torch's operations as launches.
        self.eager = set()
        self._send()

    def add(self, line, x, mean, low, high, clock, waited, lacking, eager):
        entry = self.event["lines"][line]
        names = self.lacking.setdefault(line, [])
        names += [name for name in lacking if name not in names]
        if eager:
            self.eager.add(line)
        if waited:
            self.waited.add(line)
        if not entry["points"]:
            entry["clock"] = clock
        elif entry["clock"] != clock:
            entry["clock"] = "mixed"
        if mean is None or mean != mean or mean in (float("inf"), float("-inf")):
            return
        entry["points"].append(
            {"x": x if isinstance(x, (int, float)) and not isinstance(x, bool) else str(x), "y": mean,
             "low": finite(low), "high": finite(high)}
        )  # fmt: skip
        self._send()

    def skip(self, x):
        self.skipped.append(str(x))
        text = f"{self.event['xName']} = {', '.join(self.skipped)} left out: the tensors need more memory than there is here"
        if len(self.skipped) == 1:
            self.notes.append(text)
        else:
            self.notes[-1] = text
        self._send()

    def cut(self, lines, x, seconds):
        """The first point's other lines took the chart's time."""
        self.notes.append(
            f"Skipped {', '.join(map(str, lines))} at {self.event['xName']} = {x}: too slow on this adapter "
            f"({seconds:.0f} s used)"
        )

    def stop(self, rest, seconds):
        """The time is over: the points from here on are left out."""
        first = rest[0][0] if isinstance(rest[0], (list, tuple)) else rest[0]
        several = f" ({len(rest)} points)" if len(rest) > 1 else ""
        self.notes.append(
            f"Skipped {self.event['xName']} ≥ {first}{several}: too slow on this adapter ({seconds:.0f} s used)"
        )

    def progress(self, place, count):
        text = f"{self.event['name']}: point {place + 1} of {count}"
        bridge.point_progress(text, place / count)

    def finish(self):
        computed, waited = [], []
        for line, entry in enumerate(self.event["lines"]):
            if entry["clock"] != "gpu" and entry["points"]:
                (waited if line in self.waited else computed).append(line)
        name = lambda line: self.event["lines"][line]["name"]  # noqa: E731
        for reason in dict.fromkeys(", ".join(self.lacking[line]) for line in computed):
            names = ", ".join(name(line) for line in computed if ", ".join(self.lacking[line]) == reason)
            why = f", because no kernel of Hippocamp’s has {reason}" if reason else ""
            self.notes.append(f"{names}: computed and timed on the CPU{why}")
        if self.eager:
            names = ", ".join(map(name, sorted(self.eager)))
            self.notes.append(
                f"{names}: torch’s operations ran on the GPU as Hippocamp’s own kernels, not as cuBLAS or cuDNN"
            )
        waited = [name(line) for line in waited]
        if waited:
            self.notes.append(f"{', '.join(waited)}: timed by the CPU's clock, with what launching takes")
        self.event["done"] = True
        self._send()

    def _send(self):
        bridge.emit(self.event)


def record_calls(repeats):
    """Adds a call of `do_bench` to the chart of its line. `repeats`: of each, the clock and the times in ms."""
    from .runtime.jit import call_site
    from .testing import _quantile

    site = call_site()
    name = f"do_bench at {site['file']}:{site['line']}"
    charts = _calls.setdefault(name, [])
    if not charts:
        bench = Benchmark(["call"], [], "", [], ["do_bench"], name, {}, ylabel="ms")
        charts += [Chart(bench, i) for i in range(len(repeats))]
    for chart, (clock, times) in zip(charts, repeats):
        chart.event["done"] = True
        low, median, high = _quantile(times, [0.2, 0.5, 0.8])
        x = len(chart.event["lines"][0]["points"]) + 1
        chart.add(0, x, median, low, high, clock, False, [], False)


def begin_calls():
    _calls.clear()


def run_rest(names):
    """Runs the charts of a program that only defined them."""
    found = {id(value): value for value in names.values() if isinstance(value, Mark)}
    for mark in found.values():
        if not mark.ran:
            mark.run()


def finite(value):
    if value is None or value != value or value in (float("inf"), float("-inf")):
        return None
    return float(value)


def perf_report(benchmarks):
    """Marks a function for benchmarking; `.run()` runs it."""
    return lambda fn: Mark(fn, benchmarks)
