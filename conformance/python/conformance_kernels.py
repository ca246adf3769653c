"""The program of a worker for packages of kernels: compiles each at the specialization that
`conformance/specialize.py` found for it with Triton.

A kernel that Triton refuses at all that were tried is skipped; so is one whose module does not import there.
"""

import json

import torch
import triton
import triton.language as tl
from conformance_jobs import judge, run_case, serve
from conformance_packages import Source, kernel_of, load

ROOT = "/program/"
TYPES = {
    "fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16, "fp64": torch.float64, "i1": torch.bool,
    "i8": torch.int8, "i16": torch.int16, "i32": torch.int32, "i64": torch.int64, "u8": torch.uint8,
    "fp8e4nv": torch.float8_e4m3fn, "fp8e5": torch.float8_e5m2,
}  # fmt: skip
#: Values of scalars: neither 1 nor a multiple of 16, as Triton was given no more than their types.
SCALARS = {"i32": 7, "i64": 2**33 + 7, "fp32": 0.5}

_packages = {}


def _listed(package):
    with open(f"{ROOT}{package}/specializations.json") as file:
        found = {f"{each['file']} {each['kernel']}": each for each in json.load(file)}
    _packages[package] = found
    return [{"name": name, "interpreter": False} for name in found]


def _run(package, names):
    if package not in _packages:
        _listed(package)
    for name in names:
        run_case(name, lambda: _compile(package, _packages[package][name]))


def _compile(package, described):
    if "refused" in described:
        return {"outcome": "skipped", "reason": f"Triton: {described['refused']}"}
    try:
        module = load(Source(f"{ROOT}{package}/{described['file']}"))
        fn, _ = kernel_of(module, described["kernel"], triton.JITFunction)
        constants = {name: _value(module, value) for name, value in described["constants"].items()}
        args = {
            name: constants[name] if kind == "constexpr" else _argument(kind)
            for name, kind in described["signature"].items()
        }
        fn.run(**args, grid=(1,), warmup=True)
    except Exception as error:
        return judge("failed", None, error)
    return {"outcome": "passed"}


def _argument(kind):
    return triton.MockTensor(TYPES[kind[1:]]) if kind.startswith("*") else SCALARS[kind]


def _value(module, value):
    if isinstance(value, dict):
        if "dtype" in value:
            return tl.dtype(value["dtype"])
        return kernel_of(module, value["function"], triton.JITFunction)[0]
    return value


serve(_listed, _run)
