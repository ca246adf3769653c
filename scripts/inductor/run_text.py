"""Runs a text that Inductor wrote and whose results are not known, from a log, an issue or a cache.

A complete module makes one call with the arguments of its own benchmark, and has to end without an error. Of any
other text (a kernel of the cache, kernels cut out of a log) each kernel has to compile for the argument types in
its decorator, at the block sizes that are chosen for it.
"""

import re
import runpy
import tempfile

import torch
import torch._inductor.utils
import triton
from torch._inductor.async_compile import AsyncCompile
from torch._inductor.runtime.triton_heuristics import CachingAutotuner

#: A kernel as a module holds it: its name, and its text in one of two kinds of quotes.
_HELD = re.compile(r"async_compile\.triton\(\s*'(\w+)',\s*(?:'''|\"\"\")(.*?)(?:'''|\"\"\")", re.DOTALL)
#: Values of scalars: neither 1 nor a multiple of 16.
_SCALARS = {"fp32": 0.5, "fp64": 0.5, "i1": True, "u1": True}
_DTYPES = {
    "fp16": torch.float16, "bf16": torch.bfloat16, "fp32": torch.float32, "fp64": torch.float64, "i1": torch.bool,
    "u1": torch.bool, "i8": torch.int8, "i16": torch.int16, "i32": torch.int32, "i64": torch.int64, "u8": torch.uint8,
    "u16": torch.uint16, "u32": torch.uint32, "u64": torch.uint64, "fp8e4nv": torch.float8_e4m3fn,
    "fp8e5": torch.float8_e5m2,
}  # fmt: skip


def main():
    from case import CODE

    if "def call(" in CODE and "def benchmark_compiled_module" in CODE:
        run(CODE)
        print("RAN")
        return
    compiled = [compile_kernel(each) for each in kernels(CODE)]
    if not compiled:
        raise ValueError("the text has no kernel of Inductor's, and no module that can be called")
    print(f"COMPILED {len(compiled)}")


def run(code):
    """One call; its time is of no interest."""
    torch._inductor.utils.print_performance = lambda fn, args=(), *_, **__: (fn(*args), 0.0)[1]
    runpy.run_path(_file(code), run_name="__main__")


def kernels(code):
    """Kernels with Inductor's decorators: those that a module holds as texts, or those of the text itself."""
    held = _HELD.findall(code)
    if held or "async_compile.triton(" in code:
        return [AsyncCompile().triton(name, source) for name, source in held]
    made = runpy.run_path(_file(code), run_name="kernel").values()
    return [each for each in made if isinstance(each, CachingAutotuner)]


def compile_kernel(tuner):
    """Compiles for the types in the decorator; named by parameter, or before PyTorch 2.6 by place."""
    names = tuner.arg_names
    signature = {names[k] if isinstance(k, int) else k: v for k, v in tuner.triton_meta["signature"].items()}
    args = {name: _argument(kind) for name, kind in signature.items() if kind != "constexpr"}
    blocks = {k: v for k, v in tuner.configs[0].kwargs.items() if k in names}
    tuner.fn.run(**{**args, **tuner._given(), **blocks}, grid=(1,), warmup=True)
    return tuner


def _argument(kind):
    if kind.startswith("*"):
        return triton.MockTensor(_DTYPES[kind[1:]])
    return _SCALARS.get(kind, 7)


def _file(code):
    with tempfile.NamedTemporaryFile("w", suffix=".py", delete=False) as file:
        file.write(code)
    return file.name
