"""Writes what Inductor makes of PyTorch programs: modules, their inputs, and PyTorch's own results.

    python scripts/inductor/write.py OUT [NAME …]

needs PyTorch 2.13 (CPU) and Triton, and no GPU. Each program of `programs.py` is compiled by `torch.compile` on the
CPU; every graph that reaches Inductor, forward or backward, is moved to a pretended GPU and written as NAME.py. The same
graph runs on the CPU: NAME.json holds the arguments it got and what it returned.
"""

import base64
import copy
import json
import os
import sys

import arithmetic  # noqa: F401
import fallbacks  # noqa: F401
import layers  # noqa: F401
import matrix  # noqa: F401
import models  # noqa: F401
import networks  # noqa: F401
import options  # noqa: F401
import pretend_gpu  # noqa: F401
import rarer  # noqa: F401
import subjects  # noqa: F401
import templates  # noqa: F401
import torch
from registry import PROGRAMS
from torch._guards import detect_fake_mode
from torch._inductor import compile_fx
from torch._inductor import config as inductor_config
from torch._inductor.graph import GraphLowering
from torch._subclasses.fake_tensor import FakeTensor
from torch.fx.node import map_aggregate
from torch.fx.passes.fake_tensor_prop import FakeTensorProp
from torch.utils._pytree import tree_map

GPU = torch.device("cuda", 0)


class Written(Exception):
    """Carries a module's text out of the compiler, before it would be loaded."""


def _hand_over(self):
    raise Written(self.codegen()[0].value)


GraphLowering.compile_to_module = _hand_over


def moved_to_gpu(graph, inputs):
    """`graph` with the GPU in place of the CPU. @returns its inputs there, which hold no data."""
    mode = detect_fake_mode(inputs)

    def moved(x):
        if not isinstance(x, FakeTensor):
            return x
        with mode:
            return torch.empty_strided(x.size(), x.stride(), dtype=x.dtype, device=GPU)

    def place(value):
        return GPU if isinstance(value, torch.device) and value.type == "cpu" else value

    for part in graph.modules():
        if not isinstance(part, torch.fx.GraphModule):
            continue
        for node in part.graph.nodes:
            node.args, node.kwargs = map_aggregate(node.args, place), map_aggregate(node.kwargs, place)
            if part is not graph and "val" in node.meta:
                # Branches and bodies of loops: `FakeTensorProp` does not enter them.
                node.meta["val"] = tree_map(moved, node.meta["val"])
        part.recompile()
    there = [moved(x) for x in inputs]
    FakeTensorProp(graph, mode=mode).propagate_dont_convert_inputs(*there)
    return there


def text_of(graph, inputs, options):
    graph = copy.deepcopy(graph)
    try:
        compile_fx.compile_fx_inner(graph, moved_to_gpu(graph, inputs), **options)
    except Exception as error:
        cause = error
        while cause is not None:
            if isinstance(cause, Written):
                return str(cause)
            cause = cause.__cause__ or cause.__context__
        raise
    raise AssertionError("Inductor has compiled nothing")


class Writer:
    """A backend of `torch.compile` that keeps each graph's module, arguments and results."""

    def __init__(self, reference):
        self.modules, self.reference = [], reference

    def __call__(self, graph, inputs):
        return compile_fx.compile_fx(graph, inputs, inner_compile=self._inner)

    def _inner(self, graph, inputs, **options):
        module = {"code": text_of(graph, inputs, options)}
        self.modules.append(module)
        on_cpu = copy.deepcopy(graph)

        def run(args):
            module["args"] = [described(a) for a in args]
            results = self.reference(*args) if self.reference else on_cpu(*args)
            module["results"] = [described(r) for r in results]
            after = [described(a) for a in args]
            module["changed"] = {i: a for i, a in enumerate(after) if a != module["args"][i]}
            return results

        run._boxed_call = True
        return run


def described(value):
    """A tensor's bytes, in the order of its memory; other values as they are."""
    if not isinstance(value, torch.Tensor):
        return value
    value = value.detach()
    room = sum((n - 1) * s for n, s in zip(value.shape, value.stride())) + 1 if value.numel() else 0
    memory = value.as_strided((room,), (1,)).contiguous()
    return {
        "dtype": str(value.dtype).removeprefix("torch."),
        "shape": list(value.shape),
        "stride": list(value.stride()),
        "bytes": base64.b64encode(memory.view(torch.uint8).numpy().tobytes()).decode() if room else "",
    }  # fmt: skip


def write(name, program, folder):
    torch._dynamo.reset()
    torch.manual_seed(0)
    writer = Writer(program.reference)
    args = program.args()
    with inductor_config.patch(program.config):
        compiled = torch.compile(program.function, backend=writer, dynamic=program.dynamic)
        results = compiled(*args)
        if program.again:
            # Other sizes than those the module was compiled for.
            results = compiled(*program.again())
        if program.backward:
            first = results[0] if isinstance(results, tuple) else results
            first.backward(torch.randn_like(first))
    names = []
    for i, module in enumerate(writer.modules):
        if "results" not in module:
            # Compiled with another one, and never called: a gradient that nobody took.
            continue
        each = name if i == 0 else f"{name}_{i}"
        with open(os.path.join(folder, f"{each}.py"), "w") as file:
            file.write(module.pop("code"))
        with open(os.path.join(folder, f"{each}.json"), "w") as file:
            json.dump({**module, "random": program.random}, file)
        names.append(each)
    return names


def main(folder, wanted):
    os.makedirs(folder, exist_ok=True)
    failed = 0
    for name, program in PROGRAMS.items():
        if wanted and name not in wanted:
            continue
        try:
            print("ok", *write(name, program, folder), flush=True)
        except Exception as error:
            failed += 1
            print("FAIL", name, type(error).__name__, str(error)[:300].replace("\n", " "), flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
