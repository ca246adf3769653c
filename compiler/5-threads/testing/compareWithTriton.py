"""
Runs the kernels that `npm run fuzz -- --emit DIR` has written on Triton's own interpreter, and says where
its results differ from ours: what the front end makes of a kernel has no other judge. Kernels with bf16
or fp8 are left out: Triton's interpreter computes with their bits.

    TRITON_INTERPRET=1 python compiler/5-threads/testing/compareWithTriton.py DIR
"""

import base64
import importlib.util
import json
import pathlib
import sys
import traceback
import warnings

import numpy as np
import torch

warnings.filterwarnings("ignore")
np.seterr(all="ignore")

DTYPES = {
    "i1": torch.bool, "i8": torch.int8, "i16": torch.int16, "i32": torch.int32, "i64": torch.int64,
    "u8": torch.uint8, "u16": torch.uint16, "u32": torch.uint32, "u64": torch.uint64,
    "fp16": torch.float16, "bf16": torch.bfloat16, "fp32": torch.float32,
    "fp8e4nv": torch.float8_e4m3fn, "fp8e5": torch.float8_e5m2,
}
FLOATS = {"fp16", "bf16", "fp32", "fp8e4nv", "fp8e5"}


def tensor(text, dtype):
    raw = torch.frombuffer(bytearray(base64.b64decode(text)), dtype=torch.uint8)
    return raw.view(DTYPES[dtype]).clone()


def kernel_of(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.kernel


def difference(name, dtype, ours, theirs, bound):
    if dtype not in FLOATS:
        wrong = (ours.to(torch.int64) != theirs.to(torch.int64)).nonzero().flatten()
    else:
        a, b = ours.to(torch.float64), theirs.to(torch.float64)
        allowed = bound["absolute"] + bound["ulps"] * 2.0**-23 * a.abs()
        same = (a == b) | (a.isnan() & b.isnan()) | ((a - b).abs() <= allowed)
        wrong = (~same).nonzero().flatten()
    if wrong.numel() == 0:
        return None
    at = wrong[0].item()
    return f"{name}: {wrong.numel()} differ, as [{at}]: ours {ours[at].item()}, Triton's {theirs[at].item()}"


def main():
    folder = pathlib.Path(sys.argv[1])
    counts = {"same": 0, "differ": 0, "failed": 0, "left out": 0}
    for path in sorted(folder.glob("*.json"), key=lambda p: int(p.stem)):
        source = path.with_suffix(".py").read_text()
        if "bf16" in source or "bfloat16" in source or "fp8" in source or "float8" in source:
            counts["left out"] += 1
            continue
        case = json.loads(path.read_text())
        arguments, checked = [], []
        for p in case["parameters"]:
            if "dtype" in p:
                value = tensor(p["before"], p["dtype"])
                checked.append((p, value))
            else:
                value = p["constexpr"] if "constexpr" in p else p["number"]
            arguments.append(value)
        try:
            kernel_of(path.with_suffix(".py"))[tuple(case["grid"])](*arguments)
        except Exception as error:
            counts["failed"] += 1
            last = traceback.format_exception_only(error)[-1].strip()
            print(f"{path.stem}: Triton fails: {last[:300]}", flush=True)
            continue
        found = [
            difference(p["name"], p["dtype"], tensor(p["after"], p["dtype"]), value, p["bound"])
            for p, value in checked
        ]
        found = [line for line in found if line]
        counts["differ" if found else "same"] += 1
        if found:
            print(f"{path.stem}: " + "; ".join(found), flush=True)
    print(counts)


main()
