"""What Triton 3.8's own front end makes of public kernels: types and shapes by source line, or a refusal.

    python expected.py FOLDER GUESSES.json OUT.json [PATTERN]

Needs triton 3.8 and torch (CPU), no GPU. FOLDER holds collections of programs, one a folder. Every file is
imported, in a process of its own, on a made-up driver that records launches instead of running them:
a program that runs its own tests gives the specializations that it really uses. Kernels that nothing
launches get the specializations of GUESSES.json (`typing.ts guess`), for several dtypes of pointers.

OUT.json holds, for each kernel and specialization: file, name, hash of the text, arguments, the globals that
its functions see, and either the facts (line → operation and type) or Triton's refusal. No program text.
"""

import contextlib
import hashlib
import json
import os
import re
import signal
import sys
import traceback
from collections import namedtuple
from pathlib import Path
from unittest.mock import MagicMock

import fake_device  # noqa: F401  before torch is used by anybody else
import triton
import triton.language as tl
import data
from facts import facts_of
from program import Builder, Unsupported, argument_specs
from triton._C.libtriton import ir
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.compiler.compiler import make_backend
from triton.runtime.autotuner import Autotuner, Heuristics
from triton.runtime.jit import JITFunction

BACKEND = make_backend(fake_device.TARGET)
#: Seconds for one file: importing it, its tests, and all its kernels.
FILE_LIMIT = int(os.environ.get("TYPING_LIMIT", "90"))
#: Specializations of one kernel that are kept.
MOST = 3


def ttir(fn, signature, constexprs, attrs):
    source = ASTSource(fn=fn, signature=signature, constexprs=constexprs, attrs=attrs)
    options = BACKEND.parse_options({"sanitize_overflow": False})
    context = ir.context()
    ir.load_dialects(context)
    BACKEND.load_dialects(context)
    codegen = BACKEND.get_codegen_implementation(options)
    # Warnings and failed modules are printed by Triton; they are not for us.
    with open(os.devnull, "w") as null, contextlib.redirect_stdout(null):
        module = source.make_ir(
            fake_device.TARGET, options, codegen, BACKEND.get_module_map(), context
        )
    return str(module)


def message_of(error, builder):
    """The innermost cause in one line, with the place in the program's own files where it stands."""
    place = ""
    sources = {fn.src: fn for fn in builder.jits}
    while True:
        node, fn = getattr(error, "node", None), sources.get(getattr(error, "src", None))
        if node is not None and fn is not None and hasattr(node, "lineno"):
            file = fn.fn.__code__.co_filename[len(builder.folder) + 1 :]
            place = f"{file}:{fn.def_file_line_number + node.lineno - 1} "
        if error.__cause__ is None:
            break
        error = error.__cause__
    text = getattr(error, "error_message", None)
    if text is None:
        text = type(error).__name__ if hasattr(error, "node") else str(error)
    lines = [line for line in str(text).splitlines() if line.strip()]
    return (place + (lines[-1] if lines else type(error).__name__))[:300]


class File:
    """The cases of one file of a collection."""

    def __init__(self, folder, path):
        self.folder, self.path = folder, path
        self.cases, self.keys, self.counts = [], set(), {}

    def add(self, fn, signature, constexprs, attrs, how):
        name = fn.__name__
        key = repr((name, fn.fn.__code__.co_firstlineno, list(signature.items()), sorted(constexprs.items(), key=repr), attrs))
        where = name, fn.fn.__code__.co_firstlineno
        if key in self.keys or self.counts.get(where, 0) >= MOST:
            return None
        self.keys.add(key)
        case = {"kernel": name, "how": how}
        builder = Builder(self.folder)
        try:
            entry = builder.function_id(fn)
            case["arguments"] = argument_specs(builder, fn, signature, constexprs, attrs)
            builder.drain()
        except Unsupported as error:
            case["skipped"] = str(error)
            self.cases.append(case)
            return None
        case["entry"] = entry
        case["line"] = fn.fn.__code__.co_firstlineno
        try:
            with builder.recording_constexpr_functions():
                text = ttir(fn, signature, constexprs, attrs)
            case["facts"] = facts_of(text, builder.folder)
        except Exception as error:  # whatever Triton says
            case["refused"] = message_of(error, builder)
        case["functions"] = builder.functions
        if builder.calls:
            case["calls"] = builder.calls
        case["files"] = {
            file: hashlib.sha256((Path(self.folder) / file).read_bytes()).hexdigest()[:16]
            for file in sorted({f["file"] for f in builder.functions.values()})
        }
        self.cases.append(case)
        if "facts" in case:
            self.counts[where] = self.counts.get(where, 0) + 1
        return "facts" in case

    def launched(self, fn, signature, constexprs, attrs):
        self.add(fn, signature, constexprs, attrs, "launched")

    def guessed(self, module, guesses):
        """Kernels of the module that nothing launched, as GUESSES.json has them."""
        seen = {case["kernel"] for case in self.cases}
        for value in list(vars(module).values()):
            configs = {}
            heuristics = []
            while value is not None and not isinstance(value, JITFunction):
                if isinstance(value, Autotuner) and value.configs:
                    configs = {**value.configs[0].kwargs, **configs}
                if isinstance(value, Heuristics):
                    heuristics.append(value.values)
                value = value.__dict__.get("fn") if hasattr(value, "__dict__") else None
                if callable(value) and not hasattr(value, "__dict__"):
                    value = None
            if value is None or value.__name__ in seen:
                continue
            seen.add(value.__name__)
            guess = guesses.get(value.__name__)
            if guess is None or value.__module__ != module.__name__:
                continue
            self.guess(value, guess, configs, heuristics)

    def guess(self, fn, guess, configs, heuristics):
        for dtype in ("fp32", "fp16", "bf16"):
            signature, constants, attrs, values = {}, {}, {}, {}
            for i, param in enumerate(fn.params):
                name = param.name
                text = guess["arguments"].get(name)
                if name in configs:
                    text = {"constexpr": configs[name]}
                if text is None or (param.is_constexpr and isinstance(text, str)):
                    text = self.fallback(param, dtype)
                if isinstance(text, dict):
                    signature[name] = "constexpr"
                    constants[(i,)] = values[name] = text["constexpr"]
                    continue
                base, _, hint = text.partition(":")
                if hint:
                    attrs[(i,)] = [["tt.divisibility", 16]]
                if param.annotation_type:
                    base = param.annotation_type
                signature[name] = base.replace("*fp32", f"*{dtype}")
                values[name] = MagicMock() if base.startswith("*") else 16
            for table in heuristics:
                for name, function in table.items():
                    if name not in fn.arg_names:
                        continue
                    try:
                        value = function(values)
                    except Exception:
                        value = False
                    if not isinstance(value, (bool, int, float, str, type(None))):
                        value = False
                    signature[name] = "constexpr"
                    constants[(fn.arg_names.index(name),)] = values[name] = value
            if self.add(fn, signature, constants, attrs, "guessed") is None:
                continue


    @staticmethod
    def fallback(param, dtype):
        """For values that the text does not show."""
        name = param.name
        if not param.is_constexpr:
            pointer = re.search(r"ptr|pointer|^[a-z]$|_[a-z]$|grad|input|output", name, re.I)
            return f"*{dtype}:16" if pointer else "i32"
        if param.has_default:
            default = param.default
            if isinstance(default, tl.constexpr):
                default = default.value
            return {"constexpr": default}
        if re.search(r"dtype|_type", name, re.I):
            return {"constexpr": tl.float32}
        if re.search(r"eps", name, re.I):
            return {"constexpr": 1e-6}
        size = r"block|size|dim|tile|hidden|head|chunk|num|^n_|_[dnmkc]$|^[A-Z][A-Z0-9]?$"
        return {"constexpr": 32 if re.search(size, name, re.I) else False}


def module_name(folder, path):
    """The dotted name under which the file's own package imports it, and that package's root."""
    file = Path(folder) / path
    root = file.parent
    while (root / "__init__.py").exists():
        root = root.parent
    # Packages without __init__.py: the collection's folder or its src.
    name = file.relative_to(root).with_suffix("")
    parts = [p for p in name.parts if p != "__init__"]
    return root, ".".join(parts)


def run_file(folder, path, guesses, out):
    import importlib
    import importlib.util

    record = File(folder, path)
    problem = None
    root, name = module_name(folder, path)
    sys.path.insert(0, str(root))
    sys.argv = [path]
    with fake_device.recording(record.launched):
        signal.alarm(FILE_LIMIT)
        module = None
        try:
            with open(os.devnull, "w") as null, contextlib.redirect_stdout(null):
                if "." in name:
                    module = importlib.import_module(name)
                else:
                    spec = importlib.util.spec_from_file_location(name, Path(folder) / path)
                    module = importlib.util.module_from_spec(spec)
                    sys.modules[name] = module
                    spec.loader.exec_module(module)
                fake_device.finish(module)
        except BaseException as error:
            problem = f"{type(error).__name__}: {error}"[:200]
            if os.environ.get("TYPING_TRACE"):
                traceback.print_exc()
        try:
            if module is not None:
                record.guessed(module, guesses)
        except BaseException as error:
            problem = f"{type(error).__name__}: {error}"[:200]
            if os.environ.get("TYPING_TRACE"):
                traceback.print_exc()
        signal.alarm(0)
    result = {"file": path, "cases": record.cases, "problem": problem}
    with open(out, "w") as file:
        json.dump(result, file)


class TimeUp(BaseException):
    pass


_warm = set()


def warm(folder, path):
    """Imports a file's package here, once, so that the processes for its files need not."""
    import importlib

    root, name = module_name(folder, path)
    package = name.rpartition(".")[0]
    if not package or package in _warm:
        return
    _warm.add(package)
    sys.path.insert(0, str(root))
    signal.alarm(2 * FILE_LIMIT)
    try:
        with open(os.devnull, "w") as null, contextlib.redirect_stdout(null):
            with fake_device.recording(None):
                importlib.import_module(package)
    except BaseException as error:
        print(f"{package}: {type(error).__name__}: {error}"[:200], flush=True)
    signal.alarm(0)


def on_alarm(_signal, _frame):
    raise TimeUp("time is up")


def main(folder, guesses_path, out, pattern=""):
    folder = str(Path(folder).resolve())
    guesses = json.loads(Path(guesses_path).read_text())
    signal.signal(signal.SIGALRM, on_alarm)
    results = []
    for path in sorted(guesses):
        if not re.search(pattern, path):
            continue
        warm(folder, path)
        part = f"{out}.part"
        if os.path.exists(part):
            os.remove(part)
        pid = os.fork()
        if pid == 0:
            try:
                run_file(folder, path, guesses[path], part)
            except BaseException:
                traceback.print_exc()
            finally:
                sys.stdout.flush()
                os._exit(0)
        os.waitpid(pid, 0)
        if not os.path.exists(part):
            print(f"{path}: crashed", flush=True)
            continue
        result = json.loads(Path(part).read_text())
        os.remove(part)
        results.append(result)
        cases = result["cases"]
        taken = sum("facts" in case for case in cases)
        note = f"  ({result['problem']})" if result["problem"] else ""
        print(f"{path}: {taken} taken, {len(cases) - taken} refused{note}", flush=True)
    Path(out).write_text(data.write(results))
    print(f"{sum(len(r['cases']) for r in results)} cases of {len(results)} files")


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5):
        sys.exit(__doc__)
    main(*sys.argv[1:])
