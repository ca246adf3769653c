"""What the program worker calls: it runs a file as `__main__`, turns what goes wrong into diagnostics,
and shows the tensors that the program leaves behind.
"""

import asyncio
import functools
import gc
import importlib
import io
import linecache
import os
import re
import sys
import traceback
import types
from builtins import open as _open
from json import dumps as _dumps, loads as _loads
from time import monotonic as _monotonic, perf_counter as _perf_counter

import _hippocamp_bridge as bridge
from _hippocamp_imports import TOP, explain

ROOT = "/program/"
LIBRARY = "/lib/hippocamp/"
#: Prints are sent in pieces of at least this many characters, or when this much time has passed.
_CHUNK = 4096
#: And of at most this many: a message is copied several times on its way.
_MOST = 2**20
_SECONDS = 0.05


class _Stream(io.TextIOBase):
    """stdout or stderr as `print` events."""

    encoding = "utf-8"

    def __init__(self, name):
        self.name = name
        self.parts = []
        self.size = 0
        self.sent = 0.0

    def writable(self):
        return True

    def isatty(self):
        return False

    def write(self, text):
        if not text:
            return 0
        self.parts.append(text)
        self.size += len(text)
        now = _monotonic()
        if self.size >= _CHUNK or (now - self.sent > _SECONDS and "\n" in text):
            self.flush()
        return len(text)

    def flush(self):
        if self.parts:
            text = "".join(self.parts)
            self.parts = []
            self.size = 0
            self.sent = _monotonic()
            for start in range(0, len(text), _MOST):
                piece = text[start : start + _MOST]
                bridge.emit({"type": "print", "stream": self.name, "text": piece})


_baseline = None
_main = None
#: Nothing ran since `tidy`.
_tidied = True


def prepare():
    """Imports what nearly every program does, which takes most of a second the first time, and notes how this
    Python is before the first run."""
    global torch, triton, _baseline, _main
    if _baseline is not None:
        return
    import ast

    import torch
    import triton
    from _hippocamp_leftovers import Baseline

    # The first comparison names its tensors by it, which imports a module of Python's own.
    ast.unparse(ast.Constant(0))

    _main = sys.modules["__main__"]
    sys.path.insert(0, ROOT)
    _watch_loops()
    _baseline = Baseline()
    # Objects that exist by now stay, so no later collection has to look at them.
    gc.collect()
    gc.freeze()


#: A Stop or an exit that ended the program inside of its event loop.
_ended = []


def _watch_loops():
    """Lets what ends a task or a callback by a Stop or an exit end the program. Pyodide's loop is the page's, which would report it
    as an error of the page, and the program would go on."""
    from pyodide.webloop import WebLoop

    initialize = WebLoop.__init__

    def watch(loop):
        report = loop.default_exception_handler
        # Tasks that fail because the program has ended are nobody's fault.
        loop.default_exception_handler = lambda context: _ended or report(context)
        loop._keyboard_interrupt_handler = lambda: _end_in(loop, KeyboardInterrupt())
        loop._system_exit_handler = lambda code: _end_in(loop, SystemExit(code))

    @functools.wraps(initialize)
    def initialize_watched(loop):
        initialize(loop)
        watch(loop)

    WebLoop.__init__ = initialize_watched
    watch(asyncio.get_event_loop())


def _end_in(loop, error):
    """The program waits for a task, if it still runs: that is cancelled."""
    _ended.append(error)
    for task in asyncio.all_tasks(loop):
        task.cancel()


def _execute(code, names):
    _ended.clear()
    try:
        exec(code, names)
    finally:
        if _ended:
            raise _ended[0]


def tidy():
    """Lets go of what the run made and puts back what it set. @returns JSON: what it changed beyond that, which
    makes this Python unfit for another run."""
    global _tidied
    prepare()
    for name, module in list(sys.modules.items()):
        if (getattr(module, "__file__", None) or "").startswith(ROOT):
            del sys.modules[name]
    sys.modules["__main__"] = _main
    if "_hippocamp_cudart" in sys.modules:
        sys.modules["_hippocamp_cudart"].install(False)
    _close_figures()
    triton._program.reset()
    _baseline.restore()
    gc.collect()
    _tidied = True
    return _dumps(_baseline.left())


def _close_figures():
    """Figures, settings and their like: of Hippocamp's matplotlib all of it, of the real one what it puts back."""
    matplotlib = sys.modules.get("matplotlib")
    if (getattr(matplotlib, "__file__", None) or "").startswith(LIBRARY):
        for name in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]:
            del sys.modules[name]
    elif "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
        matplotlib.rcdefaults()


def reset(options):
    """Begins a run: without what an earlier one left, and with its own random numbers."""
    global _tidied
    if not _tidied:
        tidy()
    _tidied = False
    torch.manual_seed(options.get("seed", 0))
    if options.get("instrumentation"):
        os.environ["TRITON_INSTRUMENTATION_MODE"] = options["instrumentation"]
    if "numpy.random" in sys.modules:
        sys.modules["numpy.random"].seed()
    torch._autograd._enabled = True
    torch._autograd._anomaly = False
    torch._core._default = torch.float32
    torch._core._device_stack.clear()
    torch.compiler._said.clear()
    bridge.capture = None
    if "torch.amp" in sys.modules:
        sys.modules["torch.amp"].reset()


#: Folder of the files that came as bytes, by their number.
DATA = "/lib/hippocamp-data/"


def _write_files(files, data):
    import shutil

    shutil.rmtree(ROOT, ignore_errors=True)
    for name, text in files.items():
        path = os.path.normpath(ROOT + name)
        # The packages' own files lie beside the program's folder.
        if not path.startswith(ROOT):
            raise ValueError(f"{name} is outside of the program's folder")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with _open(path, "wb") as file:
            file.write(_encoded(text))
    for i, name in enumerate(data):
        path = os.path.normpath(ROOT + name)
        if not path.startswith(ROOT):
            raise ValueError(f"{name} is outside of the program's folder")
        # The program's own file of that name is what somebody wrote.
        if name not in files:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            os.replace(f"{DATA}{i}", path)
    linecache.clearcache()
    importlib.invalidate_caches()
    os.chdir(ROOT)


_RELATIVE = re.compile(r"^[ \t]*from[ \t]+(\.+)[ \t]*[\w.]*[ \t]+import\b", re.MULTILINE)


def _needs_package(text):
    """Whether a file has relative imports other than such as it tries, to import from beside itself where they fail."""
    if not _RELATIVE.search(text):
        return False
    import ast  # Only for such a text: every start imports this module.

    try:
        open_ones = [ast.parse(text)]
    except (SyntaxError, ValueError):
        return False
    for node in open_ones:
        if isinstance(node, ast.ImportFrom) and node.level > 0:
            return True
        tried = node.body if isinstance(node, ast.Try) and node.handlers else ()
        open_ones.extend(each for each in ast.iter_child_nodes(node) if each not in tried)
    return False


def _enter_package(module, entry, files):
    """A file that needs a package runs as `python -m package.module` does, in the package of its folders. Any other
    runs as `python folder/file.py` does: the modules beside it come first."""
    folders = entry.split("/")[:-1]
    if not _needs_package(files[entry].removeprefix("\ufeff")):
        if folders:
            sys.path.insert(sys.path.index(ROOT), ROOT + "/".join(folders))
        return
    names = [name.split("/")[:-1] for name in files]
    if any(
        len(dots) > len(above)
        for above, (name, text) in zip(names, files.items())
        if name.endswith(".py")
        for dots in _RELATIVE.findall(text)
    ):
        _make_top()
        folders = [TOP, *folders]
    module.__package__ = ".".join(folders)
    importlib.import_module(module.__package__)


def _make_top():
    """The program's folder as a package. Its modules are found by their own names, too, as files in Python's working
    directory are."""
    from importlib.util import module_from_spec, spec_from_file_location

    init = ROOT + "__init__.py"
    if not os.path.exists(init):
        top = types.ModuleType(TOP)
        top.__path__ = [ROOT]
        # `tidy` removes modules by their files.
        top.__file__ = ROOT
        sys.modules[TOP] = top
        return
    spec = spec_from_file_location(TOP, init, submodule_search_locations=[ROOT])
    top = sys.modules[TOP] = module_from_spec(spec)
    spec.loader.exec_module(top)


def _encoded(text):
    """A file's bytes. A text that declares its encoding is read back by that."""
    data = text.encode("utf-8", "replace")
    if "coding" not in text[:1000]:
        return data
    import io
    import tokenize

    try:
        return text.encode(tokenize.detect_encoding(io.BytesIO(data).readline)[0])
    except (SyntaxError, UnicodeEncodeError):
        return data


def run(request):
    """Runs a program. `request`: JSON `{files, entry, options}`. @returns JSON `{outcome, milliseconds}`."""
    try:
        return _run(request)
    except KeyboardInterrupt:
        # A Stop before the program's own first line.
        return _dumps({"outcome": "stopped", "milliseconds": 0})


def _run(request):
    prepare()
    request = _loads(request)
    start = _perf_counter()
    saved = sys.stdout, sys.stderr, sys.argv
    sys.stdout, sys.stderr = bridge.streams = _Stream("stdout"), _Stream("stderr")
    outcome = "ok"
    module = None
    try:
        reset(request.get("options") or {})
        _write_files(request["files"], (request.get("options") or {}).get("data") or ())
        wheels = (request.get("options") or {}).get("packages")
        if wheels:
            importlib.import_module("_hippocamp_packages").install(wheels)
        # Only comparisons ask how elements came to be; recording it slows small operations down.
        words = ("close", "equal", "hippocamp_testing")
        torch._history.enabled = any(word in text for text in request["files"].values() for word in words)
        if any("cudart" in text for text in request["files"].values()):
            importlib.import_module("_hippocamp_cudart").install(True)
        entry = request["entry"]
        sys.argv = [entry]
        module = types.ModuleType("__main__")
        module.__file__ = ROOT + entry
        module.__builtins__ = __builtins__
        sys.modules["__main__"] = module
        _enter_package(module, entry, request["files"])
        # Python drops the byte-order mark of a file; a pasted text may begin with one.
        source = request["files"][entry].removeprefix("\ufeff")
        code = compile(source, module.__file__, "exec", dont_inherit=True)
        bench = (request.get("options") or {}).get("bench")
        if bench:
            from triton import _benchmark

            _benchmark.begin_calls()
        _execute(code, module.__dict__)
        if bench:
            _benchmark.run_rest(module.__dict__)
        bridge.catch_up()
        bridge.synchronize()
    except SystemExit as error:
        if error.code not in (None, 0):
            outcome = "error"
            if not isinstance(error.code, int):
                print(error.code, file=sys.stderr)
    except KeyboardInterrupt:
        outcome = "stopped"
    except BaseException as error:
        outcome = "error"
        _report(error)
    finally:
        try:
            if module is not None and outcome != "stopped":
                _show_tensors(module)
        except Exception as error:
            print(f"tensors could not be shown: {error}", file=sys.stderr)
        bridge.flush_prints()
        bridge.streams = ()
        sys.stdout, sys.stderr, sys.argv = saved
    return _dumps(
        {"outcome": outcome, "milliseconds": (_perf_counter() - start) * 1e3}
    )


def call_constexpr(key, args):
    import triton

    try:
        return triton._program.call_constexpr(key, args)
    except Exception:
        raise
    except BaseException as error:
        # A Stop is no failure of the function: it passes through the compiler, as in Triton.
        bridge.passing = error
        raise


# ── errors ──────────────────────────────────────────────────────────────────────────────────────


def _trim(error, seen=None):
    """Takes our own frames off the traceback, here and in what caused it."""
    seen = seen or set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        kept = [
            frame
            for frame, _ in traceback.walk_tb(error.__traceback__)
            if frame.f_code.co_filename.startswith(ROOT)
        ]
        tb = error.__traceback__
        chain = []
        while tb is not None:
            if tb.tb_frame in kept:
                chain.append(tb)
            tb = tb.tb_next
        trimmed = None
        for entry in reversed(chain):
            trimmed = types.TracebackType(trimmed, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
        error.__traceback__ = trimmed
        error = error.__cause__ or error.__context__


_NO_NETWORK = "programs have no network here. Put the data into the program, as a file of its own"


def _used_network(error):
    """Whether it was raised below Python's functions for sockets and HTTP."""
    files = {frame.f_code.co_filename for frame, _ in traceback.walk_tb(error.__traceback__)}
    return any(re.search(r"/(socket|ssl|urllib/request|http/client)\.py$", file) for file in files)


def _report(error):
    """The traceback on stderr, and one diagnostic."""
    offline = isinstance(error, OSError) and _used_network(error)
    _trim(error)
    why = explain(error) if error.__traceback__ is not None else None
    if why:
        # The place in the library where a name was looked for is no place in the program.
        error.msg = re.sub(r" \(/lib/hippocamp/[^)]*\)", "", error.msg)
        error.add_note(f"→ {why}")
    elif offline:
        error.add_note(f"→ {_NO_NETWORK}")
    if getattr(error, "diagnostics", None):
        # Its cause is the same message again.
        error.__cause__, error.__suppress_context__ = None, True
    text = "".join(traceback.format_exception(error)).replace(f'File "{ROOT}', 'File "')
    for name in ("triton.compiler.errors.", "triton.runtime.errors.", "torch."):
        text = text.replace("\n" + name, "\n")
    sys.stderr.write(text)
    diagnostics = getattr(error, "diagnostics", None)
    if diagnostics:
        first = dict(diagnostics[0])
        # The line that waited stands for what no launch caused.
        if first["location"]["file"] == "<program>":
            first["location"] = _location(error)
        first["notes"] = [*first.get("notes", ()), {"message": text}]
        bridge.emit({"type": "diagnostic", "diagnostic": first})
        for other in diagnostics[1:]:
            bridge.emit({"type": "diagnostic", "diagnostic": other})
        return
    if why:
        message = f"{error.msg}: {why}"
    elif offline:
        message = f"{traceback.format_exception_only(error)[0].strip()}: {_NO_NETWORK}"
    else:
        message = traceback.format_exception_only(error)[-1].strip()
    message = message.split(": ", 1)[-1] if isinstance(error, SyntaxError) else message
    bridge.emit(
        {
            "type": "diagnostic",
            "diagnostic": {
                "code": "HC0905" if why else "HC0900",
                "severity": "error",
                "message": message,
                "location": _location(error),
                "notes": [{"message": text}],
            },
        }
    )


def _location(error):
    """The innermost place in the user's program; columns count from 1."""
    if isinstance(error, SyntaxError) and (error.filename or "").startswith(ROOT):
        line, column = error.lineno or 1, error.offset or 1
        return {
            "file": error.filename.removeprefix(ROOT),
            "line": line,
            "column": column,
            "endLine": error.end_lineno or line,
            "endColumn": max(error.end_offset or 0, column + 1),
        }
    tb = error.__traceback__
    if tb is None:
        return {"file": "", "line": 1, "column": 1, "endLine": 1, "endColumn": 1}
    while tb.tb_next is not None:
        tb = tb.tb_next
    code = tb.tb_frame.f_code
    line, column, end_line, end_column = tb.tb_lineno, 1, tb.tb_lineno, 1
    for i, (first, last, start, stop) in enumerate(code.co_positions()):
        if i == tb.tb_lasti // 2 and first is not None:
            line, end_line = first, last or first
            column, end_column = _utf16(code, first, start or 0), _utf16(code, end_line, stop or 0)
            break
    return {
        "file": code.co_filename.removeprefix(ROOT),
        "line": line,
        "column": column,
        "endLine": end_line,
        "endColumn": end_column,
    }


def _utf16(code, line, offset):
    """A byte offset in a line as a 1-based column of UTF-16 units."""
    text = linecache.getline(code.co_filename, line).encode()[:offset].decode(errors="ignore")
    return len(text.encode("utf-16-le")) // 2 + 1


# ── tensors ─────────────────────────────────────────────────────────────────────────────────────

#: More than these many tensors of a program are not shown.
_MOST_TENSORS = 64
#: Containers are looked into so deep, and so many of their items.
_DEEPEST, _MOST_ITEMS = 6, 1000


def _show_tensors(module):
    found = {}
    looked = set()
    for name, value in list(vars(module).items()):
        if not name.startswith("_"):
            _collect(name, value, found, looked, 0)
    for tensor, names in list(found.values())[:_MOST_TENSORS]:
        emit_tensor(names[0], tensor, also=names[1:])
    if len(found) > _MOST_TENSORS:
        bridge.emit({"type": "more-tensors", "count": len(found) - _MOST_TENSORS})


def _collect(name, value, found, looked, depth):
    """Puts the tensors in `value` into `found`, with the expressions that reach them. One tensor (its
    storage and window) is listed once, with all of its names."""
    import torch

    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, numpy.ndarray):
        value = value._t
    if isinstance(value, torch.Tensor):
        window = (value._storage.id, value._offset, tuple(value._shape), tuple(value._strides), value.dtype)
        found.setdefault(window, (value, []))[1].append(name)
        if value.grad is not None and depth < _DEEPEST:
            _collect(f"{name}.grad", value.grad, found, looked, _DEEPEST)
        return
    if isinstance(value, (types.ModuleType, type, str, bytes, int, float)) or depth >= _DEEPEST:
        return
    if id(value) in looked:
        return
    parts = _parts(name, value)
    if parts is None:
        return
    looked.add(id(value))
    for inner, item in parts:
        _collect(inner, item, found, looked, depth + 1)


def _parts(name, value):
    """What a container holds, with the expressions that reach it; None of what is no container."""
    import dataclasses

    import torch

    if isinstance(value, torch.nn.Module):
        named = [*value.named_parameters(), *value.named_buffers()]
        return [(_path(name, inner), tensor) for inner, tensor in named]
    if isinstance(value, dict):
        return [(f"{name}[{key!r}]", item) for key, item in list(value.items())[:_MOST_ITEMS]]
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return [(f"{name}.{field}", getattr(value, field)) for field in value._fields]
    if isinstance(value, (list, tuple)):
        return [(f"{name}[{index}]", item) for index, item in enumerate(value[:_MOST_ITEMS])]
    if dataclasses.is_dataclass(value):
        names = [field.name for field in dataclasses.fields(value)]
        return [(f"{name}.{field}", getattr(value, field, None)) for field in names]
    return None


def _path(name, inner):
    """`model.layers.0.weight` as Python has it: `model.layers[0].weight`."""
    for part in inner.split("."):
        name += f"[{part}]" if part.isdigit() else f".{part}"
    return name


def emit_tensor(name, t, site=None, also=()):
    from torch._core import run as numeric

    columns = t.shape[-1] if t.shape else 1
    rows = t.shape[-2] if t.dim() > 1 else 1
    summary = {"nanCount": 0, "infCount": 0, "min": None, "max": None, "mean": None}
    preview = {"rows": 0, "columns": 0, "rowStep": 1, "columnStep": 1, "values": []}
    # The sizes of complex numbers are shown.
    numbers = t.detach().abs() if t.dtype.is_complex else t.detach()
    if t.numel():
        found = _loads(numeric("summarize", (), (numbers,), n=(rows, columns)))
        preview = found.pop("preview")
        summary = found
    place = {**bridge.tensor_place(numbers, "tensor"), "storage": t._storage.id}
    bridge.emit(
        {
            "type": "tensor",
            "site": site,
            "tensor": {
                "name": name,
                "also": list(also),
                "dtype": t.dtype.name,
                "shape": list(t.shape),
                "device": str(t.device),
                "place": place,
                "count": t.numel(),
                **summary,
                "preview": preview,
            },
        }
    )
