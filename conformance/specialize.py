"""Finds a specialization for each kernel in a folder of packages that Triton's own front end accepts.

    python conformance/specialize.py FOLDER [PACKAGE …] [--jobs N] [--sample N]

Needs Triton 3.8 and PyTorch (CPU), no GPU. Writes PACKAGE/specializations.json, which
`npm run conformance -- --kernels FOLDER` compiles here: the types of a kernel's arguments and its constants, no
program text. Types are inferred from the kernel's text, constants from its launches, its autotuner's first
configuration, its heuristics, its defaults, and else tried: a constant or type on the line that Triton refuses is
changed until Triton gets past that line. A kernel without one is listed with Triton's last refusal.
"""

import argparse
import ast
import contextlib
import importlib.util
import json
import os
import random
import re
import signal
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "scripts" / "typing"), str(HERE / "python")]



def provide(name):
    """A small package of ours, where the real one is not installed: modules use it as they are imported."""
    if importlib.util.find_spec(name) is None:
        folder = HERE.parent / "app" / "python" / name
        spec = importlib.util.spec_from_file_location(
            name, folder / "__init__.py", submodule_search_locations=[str(folder)]
        )
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])


provide("packaging")
import fake_device  # noqa: E402, F401  before torch is used
import triton  # noqa: E402
import triton.language as tl  # noqa: E402
from conformance_packages import Package, kernel_of, load  # noqa: E402
from triton._C.libtriton import ir  # noqa: E402
from triton.backends.compiler import GPUTarget  # noqa: E402
from triton.compiler import ASTSource  # noqa: E402
from triton.compiler.compiler import make_backend  # noqa: E402
from triton.runtime.autotuner import Autotuner, Heuristics  # noqa: E402
from triton.runtime.jit import JITFunction  # noqa: E402

#: With every type of fp8 that Triton has for NVIDIA.
TARGET = GPUTarget("cuda", 90, 32)
BACKEND = make_backend(TARGET)
#: Specializations tried for one kernel, and seconds of CPU time.
MOST, SECONDS = 80, 6
FLOATS = ["fp32", "fp16", "bf16"]
POINTERS = ["fp32", "fp16", "bf16", "i32", "i64", "u8", "i8", "fp8e4nv", "i1"]
SCALARS = ["i32", "fp32", "i64"]
BLOCKS = [16, 32, 64, 128, 8, 4, 1, 2, 256]


def ttir(fn, signature, constants):
    source = ASTSource(fn=fn, signature=signature, constexprs=constants, attrs={})
    options = BACKEND.parse_options({"sanitize_overflow": False})
    context = ir.context()
    ir.load_dialects(context)
    BACKEND.load_dialects(context)
    codegen = BACKEND.get_codegen_implementation(options)
    with open(os.devnull, "w") as null, contextlib.redirect_stdout(null), contextlib.redirect_stderr(null):
        source.make_ir(TARGET, options, codegen, BACKEND.get_module_map(), context)


class Uses:
    """What the text of a kernel says of its parameters."""

    def __init__(self, node, helpers):
        self.node = node
        self.names = [a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
        self.pointers = pointer_names(node, helpers, set())
        self.strings, self.numbers, self.tested, self.none = {}, {}, set(), set()
        for each in ast.walk(node):
            if isinstance(each, ast.Compare) and isinstance(each.left, ast.Name):
                self._compared(each.left.id, each.ops[0], each.comparators[0])
            tests = [each.test] if isinstance(each, (ast.If, ast.IfExp)) else []
            for test in tests:
                self.tested |= {n.id for n in ast.walk(test) if isinstance(n, ast.Name)}

    def _compared(self, name, op, other):
        values = [e.value for e in ast.walk(other) if isinstance(e, ast.Constant)]
        if isinstance(op, (ast.Is, ast.IsNot)) and None in values:
            self.none.add(name)
        for value in values:
            if isinstance(value, str):
                self.strings.setdefault(name, []).append(value)
            elif isinstance(value, int) and not isinstance(value, bool):
                self.numbers.setdefault(name, []).append(value)


def pointer_names(node, helpers, seen):
    """Parameters that the address of a load, store or atomic starts from, in helpers too."""
    if node.name in seen:
        return set()
    seen = seen | {node.name}
    parents, addresses = {}, set()

    def roots(value):
        if isinstance(value, ast.Name):
            return {value.id}
        if isinstance(value, ast.BinOp) and isinstance(value.op, (ast.Add, ast.Sub)):
            return roots(value.left)
        if isinstance(value, ast.Call):
            name = getattr(value.func, "attr", getattr(value.func, "id", ""))
            if name == "to" and isinstance(value.func, ast.Attribute):
                return roots(value.func.value)
            if name in ("make_block_ptr", "advance", "multiple_of", "max_contiguous", "make_tensor_descriptor"):
                given = list(value.args[:1]) + [k.value for k in value.keywords if k.arg == "base"]
                return set().union(*map(roots, given)) if given else set()
        if isinstance(value, ast.IfExp):
            return roots(value.body) | roots(value.orelse)
        return set()

    for each in ast.walk(node):
        if isinstance(each, ast.Assign) and isinstance(each.targets[0], ast.Name):
            parents.setdefault(each.targets[0].id, set()).update(roots(each.value))
        if isinstance(each, ast.AugAssign) and isinstance(each.target, ast.Name):
            parents.setdefault(each.target.id, set())
        if not isinstance(each, ast.Call):
            continue
        name = getattr(each.func, "attr", getattr(each.func, "id", ""))
        if re.fullmatch(r"load|store|atomic_\w+|make_block_ptr|make_tensor_descriptor", name) and each.args:
            addresses |= roots(each.args[0])
        for keyword in each.keywords:
            if name in ("make_block_ptr", "make_tensor_descriptor", "load", "store"):
                addresses |= roots(keyword.value) if keyword.arg in ("base", "pointer") else set()
        if name in helpers:
            inner = pointer_names(helpers[name], helpers, seen)
            arguments = helpers[name].args
            names = [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
            for parameter, value in [*zip(names, each.args), *((k.arg, k.value) for k in each.keywords)]:
                if parameter in inner:
                    addresses |= roots(value)
    found, todo = set(), list(addresses)
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            todo += parents.get(name, ())
    return found


class Launches:
    """What the package's own launches of a kernel pass for its parameters, where that is a constant."""

    def __init__(self, package, source, name, fn):
        self.values = {}
        for tree in [source.tree, *package.trees]:
            for outer in ast.walk(tree):
                if isinstance(outer, ast.FunctionDef):
                    self._in(outer, name, fn.arg_names)

    def _in(self, outer, name, names):
        calls = [
            call
            for call in ast.walk(outer)
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Subscript)
            and getattr(call.func.value, "id", getattr(call.func.value, "attr", None)) == name
        ]  # fmt: skip
        if not calls:
            return
        known = {}
        for each in ast.walk(outer):
            if isinstance(each, ast.Assign) and isinstance(each.targets[0], ast.Name):
                with contextlib.suppress(ValueError):
                    known.setdefault(each.targets[0].id, constant(each.value, known))
        for call in calls:
            for parameter, value in [*zip(names, call.args), *((k.arg, k.value) for k in call.keywords)]:
                with contextlib.suppress(ValueError):
                    self.values.setdefault(parameter, constant(value, known))


def constant(node, known):
    if isinstance(node, ast.Name) and node.id in known:
        return known[node.id]
    if isinstance(node, ast.IfExp):
        return constant(node.body, known)
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "tl":
        found = getattr(tl, node.attr, None)
        if isinstance(found, tl.dtype):
            return found
    value = ast.literal_eval(node)
    if isinstance(value, (int, float, str, bool, type(None))):
        return value
    raise ValueError(node)


class Choice:
    """What one parameter may be: the likeliest first. ('type', 'i32') or ('constant', value)."""

    def __init__(self, options):
        self.options = list(dict.fromkeys((kind, type(v).__name__, v) for kind, v in options))

    def at(self, index):
        kind, _, value = self.options[index]
        return kind, value


def choices(fn, uses, launches, fixed):
    found = {}
    for parameter in fn.params:
        name = parameter.name
        given = []
        if name in fixed:
            given.append(("constant", fixed[name]))
        if name in launches.values:
            given.append(("constant", launches.values[name]))
        if parameter.has_default and parameter.default is not None or name in uses.none and parameter.has_default:
            given.append(("constant", parameter.default))
        if parameter.is_constexpr:
            options = given + [("constant", v) for v in constants(name, uses)]
        elif name in uses.pointers or re.search(r"(^|_)(ptr|pointer|ptrs)\d*$|_ptr_", name, re.IGNORECASE):
            options = [("type", f"*{t}") for t in pointer_types(name)] + [("constant", None)]
        else:
            scalars = ["fp32", "i32", "i64"] if is_real(name) else SCALARS
            options = [("type", t) for t in scalars] + [("type", f"*{t}") for t in POINTERS[:4]]
            options.append(("constant", None))
        found[name] = Choice((k, v) for k, v in options if hashable(v))
    return found


def hashable(value):
    return isinstance(value, (int, float, str, bool, type(None), tl.dtype, JITFunction))


def is_real(name):
    return re.search(r"eps|scale|alpha|beta|gamma|^p$|prob|momentum|slope|^lr$|decay|rate|value|limit|smooth", name)


def pointer_types(name):
    if re.search(r"lock|count|index|indices|idx|ids?(_|$)|seed|sizes?|lens?(_|$)|offs?(et)?s?|table|cu_|mask", name):
        return ["i32", "i64", *FLOATS, "i8", "u8", "i1"]
    return POINTERS


def constants(name, uses):
    """Values of a constant of which only the name and its uses are known."""
    values = [*uses.strings.get(name, ()), *uses.numbers.get(name, ())]
    if name in uses.none:
        values.append(None)
    if re.search(r"dtype|_ty(pe)?$|precision", name, re.IGNORECASE) and not values:
        values += [tl.float32, tl.float16, tl.bfloat16, tl.int32, "ieee"]
    if re.search(r"block|tile|size|dim|^B[A-Z]$|^[A-Z]{1,2}$|chunk|len|width|rank|_[MNKDVC]$", name, re.IGNORECASE):
        values += BLOCKS
    elif re.match(r"(is|has|use|with|do|return|store|even|add|apply|need|enable|output|save)_?", name.lower()):
        values += [False, True]
    elif name in uses.tested:
        values += [False, True, *BLOCKS]
    else:
        values += [*BLOCKS, False, True]
    return [*values, 1.0, None, tl.float32, tl.int32, ""]


def line_of(error):
    """Where in the kernel's text the refusal stands, and its last cause."""
    line = getattr(getattr(error, "node", None), "lineno", 0)
    while error.__cause__ is not None:
        error = error.__cause__
    text = getattr(error, "error_message", None) or str(error)
    return line, " ".join(str(text).split())[-300:]


class TimeUp(Exception):
    pass


def search(fn, around, uses, launches):
    fixed, heuristics = {}, {}
    for each in around:
        if isinstance(each, Autotuner) and each.configs:
            fixed.update(each.configs[0].kwargs)
        if isinstance(each, Heuristics):
            heuristics.update(each.values)
    options = choices(fn, uses, launches, fixed)
    state = dict.fromkeys(options, 0)
    chance = random.Random(fn.__name__)
    lines = fn.src.splitlines()
    best, refusal, deepest = dict(state), "", -1
    for attempt in range(MOST):
        signature, given = {}, {}
        for name, choice in options.items():
            kind, value = choice.at(state[name])
            signature[name] = value if kind == "type" else "constexpr"
            if kind != "type":
                given[name] = value
        for name, value in heuristics.items():
            with contextlib.suppress(Exception):
                given[name] = value({n: Stand(signature[n], given.get(n)) .value for n in signature})
        try:
            ttir(fn, signature, {(fn.arg_names.index(n),): v for n, v in given.items()})
            return signature, given, None
        except TimeUp:
            raise
        except Exception as error:
            line, message = line_of(error)
        if line >= deepest:
            if line > deepest or attempt == 0:
                refusal = message
            deepest, best = line, dict(state)
        # Names on the line that was refused are the likeliest causes.
        near = [n for n in options if n in related(lines, deepest)]
        pool = near if near and chance.random() < 0.75 else list(options)
        state = dict(best)
        for name in chance.sample(pool, min(len(pool), chance.choice((1, 1, 1, 2, 3)))):
            state[name] = min(int(chance.expovariate(0.5)), len(options[name].options) - 1)
    return None, None, f"line {deepest}: {refusal}"


class Stand:
    """An argument as a heuristic sees it."""

    def __init__(self, kind, constant):
        self.value = constant if kind == "constexpr" else 64 if not kind.startswith("*") else self
        self.shape, self.dtype = (64, 64), fake_device.torch.float32

    def stride(self, _=0):
        return 64

    def numel(self):
        return 4096


def related(lines, line):
    """Names on a line, and those that it is computed from, three steps back."""
    text = lines[line - 1] if 0 < line <= len(lines) else ""
    names = set(re.findall(r"\w+", text))
    for _ in range(3):
        for each in lines[:line]:
            found = re.match(r"\s*(\w+)\s*=(.*)", each)
            if found and found[1] in names:
                names |= set(re.findall(r"\w+", found[2]))
    return names


def plain(value):
    if isinstance(value, tl.dtype):
        return {"dtype": str(value)}
    if isinstance(value, JITFunction):
        return {"function": value.__name__}
    return value


def specialize(package, source, name, helpers):
    module = load(source)
    fn, around = kernel_of(module, name, JITFunction)
    uses = Uses(source.functions[name], helpers)

    def stop(*_):
        raise TimeUp("no specialization found in time")

    signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        signature, given, refusal = search(fn, around, uses, Launches(package, source, name, fn))
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    if signature is None:
        return {"refused": refusal}
    return {"signature": signature, "constants": {key: plain(value) for key, value in given.items()}}


def sampled(kernels, most):
    """At most so many, evenly spread."""
    if most is None or len(kernels) <= most:
        return kernels
    return [kernels[i * len(kernels) // most] for i in range(most)]


class Children:
    """Kernels are searched in processes of their own: a front end that dies takes one kernel with it."""

    def __init__(self, most):
        self.most, self.running = most, {}

    def start(self, answer, work):
        if len(self.running) == self.most:
            self.wait()
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os.write(write, json.dumps(work()).encode())
            finally:
                os._exit(0)
        os.close(write)
        self.running[child] = read, answer

    def wait(self):
        child, _ = os.wait()
        read, answer = self.running.pop(child)
        with os.fdopen(read) as pipe:
            text = pipe.read()
        answer(json.loads(text) if text else {"refused": "the process ended"})

    def finish(self):
        while self.running:
            self.wait()


def specialized(*what):
    try:
        return specialize(*what)
    except (Exception, TimeUp) as error:
        return {"refused": f"{type(error).__name__}: {error}"[:300]}


def main(folder, wanted, jobs, most):
    for name in wanted or sorted(os.listdir(folder)):
        place = Path(folder) / name
        if not place.is_dir():
            continue
        package = Package(str(place))
        if not package.kernels:
            continue
        helpers = {n: f for source in package.sources for n, f in source.functions.items()}
        found, children = [], Children(jobs)
        for source, kernel in sampled(package.kernels, most):
            with contextlib.suppress(Exception):
                load(source)  # here, so that each process has it
            entry = {"file": os.path.relpath(source.path, place), "kernel": kernel}
            found.append(entry)
            children.start(entry.update, lambda: specialized(package, source, kernel, helpers))
        children.finish()
        (place / "specializations.json").write_text(json.dumps(found, indent=1) + "\n")
        accepted = sum("signature" in each for each in found)
        print(f"{name}: {accepted} of {len(found)} kernels", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("packages", nargs="*")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--sample", type=int, help="at most so many kernels of a package, evenly spread")
    given = parser.parse_intermixed_args()
    main(given.folder, given.packages, given.jobs, given.sample)
