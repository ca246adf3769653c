"""A stand-in for the helper module that Triton's tests import: which device this is, the lists of
dtypes, random inputs, and tensors from arrays. The device is neither NVIDIA's nor AMD's unless the
runner is set to answer for CUDA, so that the tests of their machine code stay out of the way. Set to
answer for Triton's interpreter, the tests leave out what only GPUs are expected to refuse.
"""

import os
import re

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from numpy.random import RandomState
from triton import knobs
from triton._types import CANONICAL
from triton.runtime.jit import TensorWrapper, reinterpret

int_dtypes = [f"int{n}" for n in (8, 16, 32, 64)]
uint_dtypes = [f"uint{n}" for n in (8, 16, 32, 64)]
integral_dtypes = int_dtypes + uint_dtypes
float_dtypes = ["float16", "float32", "float64"]
float_dtypes_with_bfloat16 = [*float_dtypes, "bfloat16"]
dtypes = integral_dtypes + float_dtypes
dtypes_with_bfloat16 = [*dtypes, "bfloat16"]
torch_float8_dtypes = ["float8_e4m3fn", "float8_e5m2"]
torch_dtypes = ["bool", *int_dtypes, "uint8", *float_dtypes, "bfloat16"]
tma_dtypes = sorted(set(dtypes_with_bfloat16) - {"int64", "uint64", "float64"})

_AS = os.environ.get("CONFORMANCE_AS", "")


def is_cuda():
    return _AS == "cuda"


def is_interpreter():
    return _AS == "interpreter"


def _never():
    return False


is_compile_warmup = is_hip = is_xpu = is_xpu_cri = is_cpu = is_hopper = _never
is_hip_cdna = is_hip_cdna2 = is_hip_cdna3 = is_hip_cdna4 = is_hip_cdna3_or_newer = _never
is_hip_rdna = is_hip_rdna3 = is_hip_rdna4 = is_hip_rdna4m = is_hip_gfx1250 = _never
is_ampere_or_newer = is_hopper_or_newer = is_blackwell = is_blackwell_ultra = is_sm12x = _never
is_rubin = supports_ws = is_sm100 = _never


def get_current_target():
    return triton.runtime.driver.active.get_current_target()


def get_hip_lds_size():
    return 65536


def supports_tma(byval_only=False):
    return True


def tma_skip_msg(byval_only=False):
    return "no tensor descriptors"


requires_tma = pytest.mark.skipif(False, reason="")


def numpy_random(shape, dtype_str, rs=None, low=None, high=None):
    """Random values of a dtype: integers over its whole range, without zeros."""
    shape = (shape,) if isinstance(shape, int) else shape
    rs = rs or RandomState(seed=17)
    if dtype_str in integral_dtypes:
        limits = np.iinfo(dtype_str)
        low = limits.min if low is None else max(low, limits.min)
        high = limits.max if high is None else min(high, limits.max)
        x = rs.randint(low, high, shape, dtype=dtype_str)
        x[x == 0] = 1
        return x
    if dtype_str and "float8" in dtype_str:
        return rs.randint(20, 40, shape, dtype=np.int8)
    if dtype_str in float_dtypes:
        return rs.normal(0, 1, shape).astype(dtype_str)
    if dtype_str == "bfloat16":
        bits = rs.normal(0, 1, shape).astype("float32").view("uint32")
        return (bits & np.uint32(0xFFFF0000)).view("float32")
    if dtype_str in ("bool", "int1", "bool_"):
        return rs.normal(0, 1, shape) > 0.0
    raise RuntimeError(f"no random values of {dtype_str}")


def to_triton(x, device, dst_type=None):
    """An array on the device; unsigned ones as the signed tensor reinterpreted."""
    name = x.dtype.name
    if name in uint_dtypes:
        signed = x.astype(name.removeprefix("u"))
        return reinterpret(torch.tensor(signed, device=device), getattr(tl, name))
    if dst_type and "float8" in dst_type:
        return reinterpret(torch.tensor(x, device=device), getattr(tl, dst_type))
    if name == "float32" and dst_type == "bfloat16":
        return torch.tensor(x, device=device).bfloat16()
    return torch.tensor(x, device=device)


def str_to_triton_dtype(x):
    return tl.str_to_ty(CANONICAL[x])


def torch_dtype_name(dtype):
    if isinstance(dtype, tl.dtype):
        return dtype.name
    return re.fullmatch(r"torch\.(\w+)", str(dtype)).group(1)


def to_numpy(x):
    if isinstance(x, TensorWrapper):
        return x.base.cpu().numpy().astype(getattr(np, torch_dtype_name(x.dtype)))
    if x.dtype is torch.bfloat16:
        return x.cpu().float().numpy()
    return x.cpu().numpy()


def unwrap_tensor(t):
    return t.base if isinstance(t, TensorWrapper) else t


def default_alloc_fn(size, align, _):
    return torch.empty(size, dtype=torch.int8, device="cuda")


def run_in_process(client_fn, args=(), kwargs=None, env=None):
    pytest.skip("there are no processes in WebAssembly")


def _fresh_knobs_impl(skipped_attr=None):
    return (lambda: knobs), (lambda: None)
