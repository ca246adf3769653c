"""What the programs of the benchmark share: sizes, and a measurement with its check as a line of JSON.

BENCH_SIZES is `quick` or `full`. On CUDA the library's own operation (cuBLAS, cuDNN and the like, by
torch) is measured beside; where torch computes on the CPU that would say nothing, so it is left out.
"""

import json
import os

import torch
import triton

#: Real CUDA: there is a version of it.
CUDA = getattr(torch.version, "cuda", None) is not None and "hippocamp" not in str(triton.__file__)


def sizes(quick, full):
    return full if os.environ.get("BENCH_SIZES") == "full" else quick


def measure(name, ours, library, out, expected, close, rows=None):
    """Times `ours`, which writes `out`, a tensor of NaN; and `library`. `expected()` is the result in f64, of the
    first `rows` where it would take too long."""
    ours()
    wanted = expected()
    actual = out if rows is None else out[:rows]
    error = (actual.double() - wanted).abs().max().item()
    if not error <= close or torch.isnan(out).any().item():
        raise AssertionError(f"{name} is wrong by {error}")
    row = {"name": name, "error": error, "by": "triton" if CUDA else "hippocamp"}
    low, middle, high = triton.testing.do_bench(ours, rep=200, quantiles=[0.1, 0.5, 0.9])
    print("BENCH", json.dumps({**row, "ms": middle, "low": low, "high": high}), flush=True)
    if CUDA and library is not None:
        low, middle, high = triton.testing.do_bench(library, rep=200, quantiles=[0.1, 0.5, 0.9])
        print("BENCH", json.dumps({**row, "by": "torch", "ms": middle, "low": low, "high": high}), flush=True)
