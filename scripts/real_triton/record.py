"""Records what real Triton makes of the gallery's kernels: TTIR, TTGIR and PTX for one NVIDIA target.

    python scripts/real_triton/record.py OUT_FOLDER PROGRAM.py ...

Needs Triton with its NVIDIA backend and CPU PyTorch, and no GPU. Each program runs: Triton's own
binder specializes each launch, its compiler makes the code, and its interpreter computes the values,
so that the host code after a launch finds what a GPU leaves. An autotuner compiles all of its
configurations and takes the first.

Writes OUT_FOLDER/PROGRAM.json, as `app/state/recorded.ts` describes it: one entry for each
specialization, with the line of the program that each line of code comes from, and what `ptxas`
reports. Where a program's host code fails, its failure is printed and the launches before it stay.
"""

import contextlib
import hashlib
import importlib.util
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import types

import torch
import triton
from triton.backends.compiler import GPUTarget
from triton.runtime import driver, interpreter, jit

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import compare_programs

CAPABILITY = 90
TARGET = GPUTarget("cuda", CAPABILITY, 32)
PTXAS = pathlib.Path(triton.__file__).parent / "backends" / "nvidia" / "bin" / "ptxas"


class Driver:
    """What Triton reads of a driver before it compiles."""

    def get_current_target(self):
        return TARGET

    def get_current_device(self):
        return 0

    def get_current_stream(self, _device=None):
        return 0

    def get_active_torch_device(self):
        return torch.device("cpu")

    def get_device_interface(self):
        return torch.cuda

    def get_benchmarker(self):
        return lambda call, quantiles=None, **_: measure(call, quantiles)


def measure(call, quantiles=None, **_):
    """Calls once. Nothing here is a time: an autotuner takes its first configuration."""
    measure.count += 1
    call()
    return [float(measure.count)] * len(quantiles) if quantiles else float(measure.count)


measure.count = 0


class Recorder:
    def __init__(self, path: pathlib.Path):
        self.path = path
        self.kernels: dict[str, dict] = {}

    def launch(self, function, args, grid, kwargs):
        """Records the specialization of one launch, where it is new."""
        options = {**kwargs, "debug": False, "instrumentation_mode": ""}
        *_, backend, binder = function.device_caches[0]
        bound, specialization, parsed = binder(*args, **options)
        parsed, signature, constants, attributes = function._pack_args(
            backend, options, bound, specialization, parsed
        )
        entry = {
            "kernel": function.__name__,
            "signature": describe(signature, constants, attributes),
            "numWarps": parsed.num_warps,
            "numStages": parsed.num_stages,
        }
        key = json.dumps(entry, sort_keys=True)
        if key in self.kernels:
            return
        made = triton.compiler.ASTSource(function, signature, constants, attributes)
        self.kernels[key] = {**entry, **self.compile(made, backend, parsed)}

    def compile(self, source, backend, options):
        from triton._C.libtriton import ir

        context = ir.context()
        ir.load_dialects(context)
        backend.load_dialects(context)
        stages: dict = {}
        backend.add_stages(stages, options, source.language)
        metadata = {"target": TARGET, **options.__dict__}
        module = source.make_ir(
            TARGET, options, backend.get_codegen_implementation(options), backend.get_module_map(), context
        )
        code = {}
        for name, stage in stages.items():
            if name == "cubin":
                break
            module = stage(module, metadata)
            if name in ("ttir", "ttgir"):
                code[name] = without_locations(str(module), self.path)
            elif name == "ptx":
                code[name] = without_debug(module, self.path)
                code |= assembled(module)
        code["shared"] = metadata["shared"]
        return code


def describe(signature, constants, attributes):
    """By parameter: a Triton type, `:16` behind it where it is divisible; or `=` and the constant."""
    listed = {}
    for place, (name, kind) in enumerate(signature.items()):
        if kind == "constexpr":
            value = constants[(place,)]
            listed[name] = "=" + (value.__name__ if hasattr(value, "__name__") else repr(value))
        else:
            divisible = any("tt.divisibility" in str(one) for one in attributes.get((place,), []))
            listed[name] = (kind if isinstance(kind, str) else repr(kind)) + (":16" if divisible else "")
    return listed


LOCATION = re.compile(r"^#(loc\d*) = loc\((.*)\)$")


def without_locations(text, path):
    """MLIR's text without its locations, and the program's line for each of its lines (0: none)."""
    defined, lines, places = {}, [], []
    for line in text.split("\n"):
        found = LOCATION.match(line)
        if found:
            defined[found[1]] = found[2]

    def resolve(location, depth=0):
        if depth > 50:
            return 0
        for part in re.finditer(r'#(loc\d*)|"([^"]*)":(\d+):\d+', location):
            if part[1]:
                line = resolve(defined.get(part[1], ""), depth + 1)
            else:
                line = int(part[3]) if part[2] == str(path) else 0
            if line:
                return line
        return 0

    for line in text.rstrip().split("\n"):
        if LOCATION.match(line):
            continue
        found = re.search(r" loc\(#(loc\d*)\)(?= \{$|$)", line)
        places.append(resolve(f"#{found[1]}") if found else 0)
        lines.append(re.sub(r" loc\((?:[^()]|\([^()]*\))*\)", "", line))
    return {"text": "\n".join(lines), "lines": places}


def without_debug(text, path):
    """PTX without its debug sections and comments, and the program's line for each of its lines."""
    own = {
        number
        for number, name in re.findall(r'^\s*\.file\s+(\d+) "([^"]*)"', text, re.MULTILINE)
        if pathlib.Path(name).name == path.name
    }
    lines, places, at = [], [], 0
    # LLVM counts lines within inline assembly: only the first location of a block is the program's.
    located_block = None
    for line in text.split("\n"):
        if "// begin inline asm" in line:
            located_block = False
        elif "// end inline asm" in line:
            located_block = None
        if re.match(r"\s*\.(file|section)\b", line):
            if line.lstrip().startswith(".section"):
                break
            continue
        located = re.match(r"\s*\.loc\s+(\d+) (\d+) \d+(.*)", line)
        if located:
            if located_block:
                continue
            located_block = None if located_block is None else True
            at = int(located[2]) if located[1] in own else inlined_at(located[3], path)
            continue
        code = re.sub(r"\s*//.*$", "", line).rstrip()
        if code == "" or re.match(r"\$L__(tmp|func)", code):
            continue
        lines.append(code.replace("\t", "    "))
        places.append(at if code.startswith(("\t", " ")) else 0)
    return {"text": "\n".join(lines), "lines": places}


def inlined_at(rest, path):
    """The line in the program of a call whose code was inlined, from the comment behind `.loc`."""
    found = re.search(rf"{re.escape(path.name)}:(\d+)", rest)
    return int(found[1]) if found else 0


def assembled(ptx):
    """What ptxas reports: registers of a thread, and bytes that it spills."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder, "kernel.ptx")
        source.write_text(ptx)
        command = [PTXAS, "-v", f"--gpu-name=sm_{CAPABILITY}a", source, "-o", source.with_suffix(".cubin")]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    registers = re.search(r"Used (\d+) registers", said)
    spilled = re.search(r"(\d+) bytes spill stores", said)
    return {"registers": int(registers[1]), "spilled": int(spilled[1])}


def record(path: pathlib.Path, out: pathlib.Path):
    recorder = Recorder(path)
    interpreted = {}

    def in_interpreter(function):
        return interpreted.setdefault(function.fn, interpreter.InterpretedFunction(function.fn))

    def run(self, *args, grid, warmup, **kwargs):
        recorder.launch(self, args, grid, kwargs)
        if not warmup:
            options = {k: v for k, v in kwargs.items() if k in self.arg_names}
            in_interpreter(self).run(*args, grid=grid, warmup=False, **options)

    jit.JITFunction.run = run

    def call(self, *args, **kwargs):
        # `InterpretedFunction.__call__` leaves triton.language patched: nothing compiles then.
        scope = interpreter._patch_lang(self.fn)
        try:
            return in_interpreter(self).rewrite()(*args, **kwargs)
        finally:
            scope.restore()

    jit.JITFunction.__call__ = call
    failure = None
    text = path.read_text()
    with contextlib.redirect_stdout(sys.stderr):
        module = types.ModuleType("__main__")
        module.__file__ = str(path)
        sys.modules["__main__"] = module
        try:
            exec(compile(text, str(path), "exec"), module.__dict__)
        except BaseException as error:  # noqa: BLE001 - whatever a program raises
            failure = f"{type(error).__name__}: {error}"
    entries = sorted(recorder.kernels.values(), key=lambda one: one["kernel"])
    made = {
        "triton": triton.__version__,
        "target": f"sm_{CAPABILITY}",
        "digest": hashlib.sha256(text.encode()).hexdigest(),
        "kernels": entries,
    }
    (out / path.with_suffix(".json").name).write_text(json.dumps(made, separators=(",", ":")) + "\n")
    return len(entries), failure


def main(out, *paths):
    pathlib.Path(out).mkdir(parents=True, exist_ok=True)
    driver.set_active(Driver())
    triton.testing.do_bench = measure
    # A chart is of times alone.
    triton.testing.Mark.run = lambda *_, **__: None
    testing = ROOT / "app" / "python" / "hippocamp_testing.py"
    spec = importlib.util.spec_from_file_location("hippocamp_testing", testing)
    sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules[spec.name])
    setup = compare_programs.PREAMBLE.split("_hc_begin()\ndel")[0]
    space: dict = {}
    exec(setup, space)
    space["_hc_cpu"](torch)
    for path in paths:
        began = time.time()
        count, failure = record(pathlib.Path(path).resolve(), pathlib.Path(out))
        print(
            f"{path}: {count} specializations, {time.time() - began:.0f} s{f', {failure}' if failure else ''}"
        )


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
