"""Imports that fail: what is missing, why, and what to do about it. `explain` turns an ImportError of a
program into a sentence; a program that catches the error itself sees what Python raises everywhere.
"""

import importlib
import os
import sys

ROOT = "/program/"
#: Package of the program's own folder, where relative imports go above every folder of the program.
TOP = "program"

#: Packages that programs with kernels import, by why they are not here.
_CUDA = set(
    """apex awq_ext bitsandbytes causal_conv1d cuda cudnn cupy cutlass deep_gemm fbgemm_gpu flash_attn
    flash_attn_2_cuda flash_attn_interface flashinfer flash_mla marlin mamba_ssm numba nvshmem pycuda pynvml
    quack selective_scan_cuda sgl_kernel tensorrt tilelang torch_npu torch_scatter torch_sparse
    transformer_engine transformer_engine_torch vllm_flash_attn""".split()
)
_LIBRARIES = set(
    """absl accelerate aiter anthropic attn_gym attorch auto_gptq axolotl beartype click datasets deepspeed
    diffusers dotenv fairscale fire fla flag_attn flag_gems frozendict gemlite generative_recommenders hqq
    huggingface_hub hydra jax kernels kernl lightllm lightning liger_kernel litgpt lmdeploy loguru
    megatron mlstm_kernels mpmath native_sparse_attention networkx omegaconf openai optimum pandas peft PIL
    plotly polars prettytable psutil pydantic pytorch_lightning quanto requests rich scipy seaborn
    sentencepiece sglang sklearn sympy tensorboard tensorflow timm tokenizers torchao torchaudio
    torchvision torchtitan torchtune transformers trident triton_dist triton_kernels trl tyro unsloth
    unsloth_zoo vllm wandb xformers yaml""".split()
)
#: Packages beside torch and triton, for the sentence that lists what there is.
_HERE = "numpy, einops, jaxtyping, a small matplotlib, packaging, pytest, safetensors, tabulate, tqdm and Python’s own library"

#: The source of packages: on the page, and in the headless runner.
_FETCHED = (
    "Packages (in Settings; hippocamp run --packages) takes it where Pyodide’s index has it, or a wheel that "
    "is pure Python"
)

#: A package of ours of at most so many modules is a part of the real one, which can be listed.
_FEW = 3

_PARTS = {
    "torch.utils.cpp_extension": (
        "it compiles C++ and CUDA, which nothing here can run. Leave out the part that uses it"
    ),
}


def explain(error):
    """A sentence for an import that failed in the program's own text; None where there is none."""
    if isinstance(error, ModuleNotFoundError) and error.name:
        return _absent(error.name)
    if isinstance(error, ImportError):
        if "attempted relative import" in str(error):
            return (
                "the dots lead above the program’s folder. Open the folder that they name, or its address, or "
                "add its files to the program"
            )
        if error.name and error.name.partition(".")[0] == TOP and getattr(error, "name_from", None):
            return _without_file(error.name, error.name_from)
        if error.name and _is_package_of_ours(error.name.partition(".")[0]):
            return _without(error)
    return None


def _absent(name):
    top, _, rest = name.partition(".")
    if top == TOP and rest:
        return _without_file(*name.rpartition(".")[::2])
    if rest and _is_package_of_ours(top):
        for part, why in _PARTS.items():
            if name == part or name.startswith(part + "."):
                return why
        modules = _modules(top)
        near = _nearest(name, modules, 0.75)
        if near is None and len(modules) <= _FEW:
            near = " and ".join(each for each in modules if each != top) + " alone" if len(modules) > 1 else None
        return f"Hippocamp’s {top} has no such module" + (f". {near} is there" if near else "")
    if top in _CUDA:
        return (
            f"{top} needs CUDA, and here is WebGPU. Where it is what a kernel is compared with, compare "
            "with torch instead; of its Triton kernels, paste those that are used"
        )
    if top in _LIBRARIES:
        return (
            f"the package {top} is not here. {_FETCHED}; else paste what the program uses of it, or leave "
            f"that out. There are torch, triton, {_HERE}"
        )
    if os.path.isdir(ROOT + top):
        return f"the folder {top} has no file {(rest or '__init__').replace('.', '/')}.py in this program"
    return (
        f"neither a file {top}.py of this program nor a package that is here. If it is a file of yours, "
        f"add it to the program. If it is a package: {_FETCHED}; else paste what is "
        f"used of it. There are torch, triton, {_HERE}"
    )


def _without_file(package, name):
    path = "/".join([*package.split(".")[1:], name])
    return (
        f"a relative import names it, and this program has no file {path}.py. Add it (or open the folder or "
        "repository that the file comes from), or paste what is used of it"
    )


def _is_package_of_ours(top):
    module = sys.modules.get(top)
    file = getattr(module, "__file__", None) or ""
    return hasattr(module, "__path__") and file.startswith("/lib/hippocamp/")


def _nearest(name, names, cutoff):
    import difflib  # Only for a failure: every start imports this module.

    return next(iter(difflib.get_close_matches(name, names, 1, cutoff)), None)


def _modules(top):
    """The modules that there are of a package."""
    folder = os.path.dirname(sys.modules[top].__file__)
    found = []
    for path, folders, files in os.walk(folder):
        folders[:] = [each for each in folders if not each.startswith("_")]
        inner = path[len(folder) :].strip("/").replace("/", ".")
        prefix = f"{top}.{inner}" if inner else top
        found.append(prefix)
        found += [f"{prefix}.{f[:-3]}" for f in files if f.endswith(".py") and not f.startswith("_")]
    return found


def _without(error):
    """`from torch import x`, where torch has no x."""
    name = getattr(error, "name_from", None)
    if not name:
        return None
    module = error.name
    names = [each for each in dir(importlib.import_module(module)) if not each.startswith("_")]
    near = _nearest(name, names, 0.6)
    hint = f"; the nearest name that it has: {near}" if near else ""
    return f"Hippocamp’s {module} has no {name}{hint}"
