"""What the programs of the benchmark share: sizes, and a measurement with its check as a line of JSON.

BENCH_SIZES is `quick` or `full`; BENCH_ONLY, where it is set, is a part of the names of what is measured.
BENCH_COMPILE=1 only runs what would be measured once, so that Triton's compilations are cached: programs that
do so can run side by side. On CUDA the library's own operation (cuBLAS, cuDNN and the like, by torch) is
measured beside; where torch computes on the CPU that would say nothing, so it is left out.
"""

import json
import os
import sys

import torch
import triton

#: Real CUDA: there is a version of it.
CUDA = getattr(torch.version, "cuda", None) is not None and "hippocamp" not in str(triton.__file__)


def sizes(quick, full):
    return full if os.environ.get("BENCH_SIZES") == "full" else quick


def wanted(name):
    """Whether `name` is to be measured: asked before its tensors are made."""
    return os.environ.get("BENCH_ONLY", "") in name


def measure(name, ours, library, out, expected, close, rows=None):
    """Times `ours`, which writes `out`, a tensor of NaN; and `library`. `expected()` is the result in f64, of the
    first `rows` where it would take too long."""
    ours()
    if os.environ.get("BENCH_COMPILE"):
        torch.cuda.synchronize()
        return
    right = expected()
    actual = out if rows is None else out[:rows]
    error = (actual.double() - right).abs().max().item()
    if not error <= close or torch.isnan(out).any().item():
        raise AssertionError(f"{name} is wrong by {error}")
    row = {"name": name, "error": error}
    report(row, "triton" if CUDA else "hippocamp", ours)
    if CUDA:
        # As our own side is measured: many runs in a row, the caches as they are, no launches from
        # the CPU.
        try:
            emit(row, "triton, graph", triton.testing.do_bench_cudagraph(ours, rep=100, quantiles=[0.1, 0.5, 0.9]))
        except RuntimeError as error:
            # A work that cannot be captured has no such row; the others count.
            print(f"{name}: no graph: {error}", file=sys.stderr)
        if library is not None:
            report(row, "torch", library)


def report(row, by, run):
    emit(row, by, triton.testing.do_bench(run, rep=200, quantiles=[0.1, 0.5, 0.9]))


def emit(row, by, times):
    low, middle, high = times
    print("BENCH", json.dumps({**row, "by": by, "ms": middle, "low": low, "high": high}), flush=True)
