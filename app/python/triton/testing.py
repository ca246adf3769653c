"""`triton.testing`: timing on the GPU's clock, charts, and comparing."""

import sys

import _hippocamp_bridge as bridge

from . import _benchmark
from ._benchmark import Benchmark, Mark, perf_report  # noqa: F401


def _quantile(samples, quantiles):
    import math

    ordered = sorted(samples)
    out = []
    for q in quantiles:
        if not 0 <= q <= 1:
            raise ValueError("Quantiles must be in the range [0, 1]")
        point = q * (len(ordered) - 1)
        low, high = math.floor(point), math.ceil(point)
        t = point - low
        out.append((1 - t) * ordered[low] + t * ordered[high])
    return out


def _summarize_statistics(times, quantiles, return_mode):
    if quantiles is not None:
        out = _quantile(times, quantiles)
        return out[0] if len(out) == 1 else out
    if return_mode == "all":
        return times
    if return_mode == "min":
        return min(times)
    if return_mode == "max":
        return max(times)
    if return_mode == "median":
        return _quantile(times, [0.5])[0]
    return sum(times) / len(times)


#: The clocks that measurements since the chart last asked came from.
clocks_seen = set()


def clock_seen():
    """`gpu`, `cpu` or `mixed`, of these measurements."""
    clocks = {"cpu" if clock == "waiting" else clock for clock in clocks_seen}
    return "mixed" if len(clocks) > 1 else next(iter(clocks), "cpu")


def do_bench(fn, warmup=25, rep=100, grad_to_none=None, quantiles=None, return_mode="mean"):
    """Milliseconds that `fn` takes.

    Launches are recorded once and replayed on the GPU, timed by its clock. So are torch's operations on CUDA
    tensors, as launches of kernels of Hippocamp's own (`torch/_eager`). A function with an operation that has no
    kernel there runs on the CPU, and is timed by the CPU's clock.
    """
    assert return_mode in ["min", "max", "mean", "median", "all"]
    if bridge.environment()["options"].get("measures") is False:
        # A program may use what the call computed.
        fn()
        return _summarize_statistics([1.0], quantiles, return_mode)

    def clear():
        if grad_to_none is not None:
            for x in grad_to_none:
                x.grad = None

    def measure(rep):
        times = _eager_times(fn, clear, rep)
        return _sampled(fn, clear, rep)[1] if times is None else times

    bench = bridge.environment()["options"].get("bench")
    times = _repeated(fn, clear, rep, measure, bench) if bench else measure(rep)
    return _summarize_statistics(times, quantiles, return_mode)


def _repeated(fn, clear, rep, measure, bench):
    """The times of a call for `hippocamp bench`; outside of a chart, it is a row of its own."""
    rep = bench.get("rep", rep)
    limit = bench.get("warmup", 0)
    spent = 0.0
    while spent < limit:
        clear()
        spent += max(_elapsed(fn, bridge.synchronize), 1e-3)
    if _benchmark._charting:
        return measure(rep)
    repeats = []
    for _ in range(bench["repeats"]):
        clocks_seen.clear()
        times = measure(rep)
        repeats.append((clock_seen(), times))
    _benchmark.record_calls(repeats)
    return repeats[0][1]


#: Operations without a kernel on the GPU, since the chart last asked.
_lacking = []
#: Launches of torch's operations by measurements since then.
_eager_seen = []
#: Work of a call (`torch._eager.work`) that the CPU does once more, for tensors left behind.
_CHEAP = 2**28


def _eager_times(fn, clear, rep):
    """Times with torch's operations as launches; None where they cannot be, or the GPU has no clock."""
    eager = sys.modules.get("torch._eager")
    if eager is None or not eager.available():
        return None
    calls = 0

    def call():
        nonlocal calls
        calls += 1
        fn()

    with eager.timed() as missing:
        measured, times = _sampled(call, clear, rep, missing=missing)
        launches = eager.launches
    if not launches and not missing:
        return times
    _lacking.extend(name for name in missing if name not in _lacking)
    if not missing and len(eager.written) and eager.work <= _CHEAP * calls:
        # Tensors that it leaves behind come from the CPU, as all that a program reads.
        clear()
        fn()
    if missing:
        clocks_seen.discard("missing")
        # A first call without launches is the CPU's as it is.
        return times if measured["clock"] == "cpu" and launches == 0 else None
    _eager_seen.append(launches)
    return times


def _sampled(fn, clear, rep, best=0, missing=()):
    """What `bench_end` said, with the clock's step as `quantum`, and the times in ms. What is clearly slower
    than `best` ms is dropped. Nothing is measured where the first call adds to `missing`."""
    bridge.bench_mark(True)
    try:
        measured, times = _measure(fn, clear, rep, best, missing)
    finally:
        bridge.bench_mark(False)
    clocks_seen.add(measured["clock"])
    if measured["clock"] == "waiting":
        measured = {**measured, "clock": "cpu"}
    # A clock that did not move has measured less than its step, not nothing: rates divide by this.
    quantum = measured.get("quantum") or 1e-6
    return {**measured, "quantum": quantum}, [t if t > 0 else quantum / 2 for t in times]


#: Milliseconds after which a function on the CPU is not run again only to know its time better.
_PATIENCE = 500


def _measure(fn, clear, rep, best, missing=()):
    """What `_sampled` answers, by the clock. The first call warms up: it may compile or tune."""
    launches = bridge.launch_calls
    first = _elapsed(fn, bridge.synchronize)
    if bridge.launch_calls == launches and first > _PATIENCE:
        return {"clock": "cpu"}, [first]
    if missing:
        return {"clock": "missing"}, [first]
    clear()
    limit = bridge.environment()["options"].get("chartSeconds")
    if limit is not None and first > limit * 1e3:
        # Once more, without what the first compiled and tuned; a replay would run it several times.
        return {"clock": "waiting"}, [_elapsed(fn, bridge.synchronize)]
    work = bridge.numerics_calls
    bridge.bench_begin()
    failed = True
    try:
        second = _elapsed(fn)
        failed = False
    finally:
        computed = bridge.numerics_calls != work
        measured = bridge.bench_end(0 if failed else rep, computed or failed, best)
    if measured["clock"] == "gpu" and measured["samples"]:
        return measured, list(measured["samples"])
    if second > _PATIENCE:
        return measured, [second]
    return measured, _cpu_times(fn, clear, rep)


def _elapsed(*calls):
    from time import perf_counter

    start = perf_counter()
    for call in calls:
        call()
    return (perf_counter() - start) * 1e3


def _cpu_times(fn, clear, rep):
    """Runs for about `rep` ms of wall-clock time, three times at the least where that is not long."""
    times = []
    spent = 0.0
    while len(times) < 3 or (spent < rep and len(times) < 1000):
        clear()
        times.append(_elapsed(fn, bridge.synchronize))
        spent += times[-1]
        if spent > max(rep, _PATIENCE):
            break
    return times


def do_bench_cudagraph(fn, rep=20, grad_to_none=None, quantiles=None, return_mode="mean"):
    """Like `do_bench`: recorded launches are replayed there too."""
    return do_bench(fn, rep=rep, grad_to_none=grad_to_none, quantiles=quantiles, return_mode=return_mode)


def assert_close(x, y, atol=None, rtol=None, err_msg=""):
    """NumPy's rule, |x − y| ≤ atol + rtol·|y|; atol is 1e-2 and rtol 0 where not given."""
    import torch
    from torch.testing import compare_close

    x = x if isinstance(x, torch.Tensor) else torch.tensor(x)
    y = y if isinstance(y, torch.Tensor) else torch.tensor(y)
    atol = 1e-2 if atol is None else atol(x.dtype) if callable(atol) else atol
    rtol = 0.0 if rtol is None else rtol(x.dtype) if callable(rtol) else rtol
    compare_close(x.detach().cpu(), y.detach().cpu(), rtol, atol, err_msg)


# ── peak figures ────────────────────────────────────────────────────────────────────────────────
#
# WebGPU reports no clock and no number of multiprocessors. These follow Triton's formulas from the
# nominal ones of `driver.active.utils.get_device_properties`, so that a model that ranks
# configurations can: they are no figures of this GPU.


def _properties(device):
    from .runtime import driver

    return driver.active.utils.get_device_properties(device or 0)


def nvsmi(attrs):
    """The nominal clocks, in MHz; the rest of nvidia-smi is not available."""
    known = {"sm": "sm_clock_rate", "graphics": "sm_clock_rate", "mem": "mem_clock_rate", "memory": "mem_clock_rate"}
    out = []
    for attr in [attrs] if isinstance(attrs, str) else attrs:
        kind, _, of = attr.rpartition(".")
        if kind not in ("clocks.max", "clocks.current", "clocks") or of not in known:
            raise FileNotFoundError(f"there is no nvidia-smi here, so {attr} is unknown")
        out.append(_properties(0)[known[of]] // 1000)
    return out


def get_dram_gbps(device=None):
    found = _properties(device)
    return found["mem_clock_rate"] * found["mem_bus_width"] * 2 / 1e6 / 8


_PER_SUBCORE = {
    "tensorcore": {"float32": 256, "int32": 256, "float16": 512, "bfloat16": 512, "int16": 512, "int8": 1024,
                   "fp8e4nv": 1024, "fp8e4b15": 1024, "fp8e5": 1024},
    "simd": {"float32": 32, "float16": 64, "bfloat16": 64},
}  # fmt: skip


def _peak(kind, dtype, clock_rate, device):
    name = str(getattr(dtype, "name", dtype)).removeprefix("torch.")
    if name not in _PER_SUBCORE[kind]:
        raise RuntimeError("dtype not supported")
    return _properties(device)["multiprocessor_count"] * 4 * clock_rate * _PER_SUBCORE[kind][name] * 1e-9


def get_max_tensorcore_tflops(dtype, clock_rate, device=None):
    return _peak("tensorcore", dtype, clock_rate, device)


def get_max_simd_tflops(dtype, clock_rate, device=None):
    return _peak("simd", dtype, clock_rate, device)
