"""What a run leaves behind in this Python. Settings that programs make on purpose are put back.
Anything else, such as a patched function or a task that is not done, makes this Python unfit for
another run: `left` names it, and the page starts a fresh one.
"""

import atexit
import builtins
import gc
import importlib.abc
import importlib.machinery
import operator
import os
import random
import signal
import sys
import types
import warnings

_ABSENT = object()
LIBRARY = "/lib/"
#: Names that Python itself sets in modules as it runs.
_BY_PYTHON = {
    "__warningregistry__", "__annotate_func__", "__annotations_cache__", "__static_attributes__", "__abstractmethods__",
    "_epoch", "last_exc", "last_type", "last_value", "last_traceback",
}  # fmt: skip
#: Names of modules and classes in which Python keeps what it computes at the first call.
_KEPT = (
    ("ast", "_line_pattern"), ("builtins", "_"), ("string.Template", "flags"), ("string.Template", "pattern"),
    ("tempfile", "_name_sequence"), ("tempfile", "tempdir"), ("uuid", "_last_timestamp"), ("uuid", "_node"),
)  # fmt: skip
#: Packages whose own counters and caches, which have private names, change in every run.
_OURS = {"torch", "triton", "numpy", "_hippocamp_host", "_hippocamp_bridge"}
#: Modules that make names when they are first looked for.
_LAZY = {"typing"}
#: Dictionaries with public names that Python itself fills as it runs; and what is behind
#: `os.environ`, a setting.
_CACHES = {"sys.modules", "sys.path_importer_cache", "linecache.cache", "inspect.modulesbyfile", "posix.environ"}


def _is_library(module):
    """Whether it came with Python or with us; a module without a file is built in, if it has a loader."""
    file = getattr(module, "__file__", None)
    if file is None:
        return getattr(module, "__spec__", None) is not None
    return file.startswith(LIBRARY)


# ── settings ────────────────────────────────────────────────────────────────────────────────────


class _List:
    """A list that programs append to."""

    def __init__(self, items, changed=lambda: None):
        self.items, self.changed = items, changed
        self.before = list(items)

    def restore(self):
        if self.items != self.before:
            self.items[:] = self.before
            self.changed()


class _Names:
    """An object's attributes, or a dictionary."""

    def __init__(self, names):
        self.names = names
        self.before = dict(names)

    def restore(self):
        if self.names != self.before:
            self.names.clear()
            self.names.update(self.before)


class _Value:
    """Something with a function that reads it and one that sets it."""

    def __init__(self, read, write):
        self.read, self.write = read, write
        self.before = read()

    def restore(self):
        if self.read() != self.before:
            self.write(self.before)


def _signals():
    for number in signal.valid_signals():
        handler = signal.getsignal(number)
        if handler is not None:
            yield _Value(lambda n=number: signal.getsignal(n), lambda to, n=number: signal.signal(n, to))


def _gc():
    yield _Value(gc.isenabled, lambda on: gc.enable() if on else gc.disable())
    yield _Value(gc.get_threshold, lambda to: gc.set_threshold(*to))
    yield _Value(gc.get_debug, gc.set_debug)
    yield _List(gc.callbacks)


def _umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _process():
    import locale
    import socket

    yield _Value(lambda: locale.setlocale(locale.LC_ALL), lambda to: locale.setlocale(locale.LC_ALL, to))
    yield _Value(_umask, os.umask)
    yield _Value(socket.getdefaulttimeout, socket.setdefaulttimeout)


def _sys():
    yield _Value(sys.getrecursionlimit, sys.setrecursionlimit)
    yield _Value(sys.get_int_max_str_digits, sys.set_int_max_str_digits)
    yield _Value(sys.getswitchinterval, sys.setswitchinterval)
    yield _Value(sys.gettrace, sys.settrace)
    yield _Value(sys.getprofile, sys.setprofile)
    for items in (sys.path, sys.meta_path, sys.path_hooks):
        yield _List(items, sys.path_importer_cache.clear)


def _packages():
    """What torch, numpy and triton let programs set."""
    import numpy
    import torch
    import triton

    yield _Value(lambda: triton.runtime._allocator, lambda to: setattr(triton.runtime, "_allocator", to))
    memory = torch.utils.deterministic
    yield _Value(lambda: memory.fill_uninitialized_memory, lambda on: setattr(memory, "fill_uninitialized_memory", on))
    yield _Names(numpy._printing.options)
    yield _Names(vars(torch._print.options))
    switches = [each for each in vars(torch.backends).values() if isinstance(each, torch._namespaces._Switch)]
    for switch in switches:
        switches += [each for each in vars(switch).values() if isinstance(each, torch._namespaces._Switch)]
        yield _Names(vars(switch))
    for knobs in vars(triton.knobs).values():
        if isinstance(knobs, triton.knobs._Knobs):
            yield _Names(vars(knobs))
            for hook in vars(knobs).values():
                if isinstance(hook, triton.knobs.HookChain):
                    yield _List(hook.calls)


def _filters_changed():
    """The module keeps what it decided by the filters of before."""
    with warnings._lock:
        warnings._filters_mutated_lock_held()


def _restore_logging():
    """Handlers hold streams of the run that is over. A logger of the program's own goes."""
    logging = sys.modules.get("logging")
    if logging is None:
        return
    for logger in [logging.root, *logging.root.manager.loggerDict.values()]:
        if isinstance(logger, logging.Logger):
            logger.handlers[:] = []
            logger.filters[:] = []
            logger.setLevel(logging.NOTSET)
            logger.propagate, logger.disabled = True, False
    logging.root.setLevel(logging.WARNING)
    logging.disable(logging.NOTSET)
    logging.captureWarnings(False)


def _restore_decimal():
    decimal = sys.modules.get("decimal")
    if decimal is not None:
        decimal.setcontext(decimal.Context())


def _restore_multiprocessing():
    multiprocessing = sys.modules.get("torch.multiprocessing")
    if multiprocessing is not None:
        multiprocessing._method = None


# ── JavaScript ──────────────────────────────────────────────────────────────────────────────────


class _JavaScript(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """The modules that lead to JavaScript, out of `sys.modules`: each import of one comes here, and is noted.
    A program can leave in JavaScript what nobody finds: hooks, listeners, timers, promises, ports."""

    NAMES = {
        "js", "pyodide_js", "pyodide", "_pyodide", "_pyodide_core",
        "_hippocamp", "_hippocamp_numerics", "_hippocamp_bridge",
    }  # fmt: skip
    #: Files of our packages and of Pyodide, whose own imports are none of the program's.
    OWN = ("/lib/hippocamp/", *(f"{os.path.dirname(os.__file__)}/{name}/" for name in ("pyodide", "_pyodide")))

    def __init__(self):
        self.modules = {name: module for name, module in sys.modules.items() if self._leads_there(name)}
        self.hide()
        sys.meta_path.insert(0, self)

    def hide(self):
        for name in self.modules:
            sys.modules.pop(name, None)
        self.reached = False

    def _leads_there(self, name):
        return name.partition(".")[0] in self.NAMES

    def find_spec(self, name, path=None, target=None):
        if not self._leads_there(name):
            return None
        self.reached = self.reached or not self._is_own()
        return importlib.machinery.ModuleSpec(name, self) if name in self.modules else None

    def _is_own(self):
        """Whether our packages or Pyodide import it, as asyncio makes Pyodide do."""
        frame = sys._getframe(2)
        while frame and frame.f_code.co_filename.startswith("<frozen importlib"):
            frame = frame.f_back
        return frame is not None and frame.f_code.co_filename.startswith(self.OWN)

    def create_module(self, spec):
        return self.modules[spec.name]

    def exec_module(self, module):
        """The module is complete."""


# ── what stays as it is ─────────────────────────────────────────────────────────────────────────


class Baseline:
    """Python as it is before the first run."""

    def __init__(self):
        self.javascript = _JavaScript()
        self.settings = [
            *_sys(), *_process(), *_gc(), *_signals(), *_packages(),
            _List(warnings.filters, _filters_changed),
            _Names(os.environ),
        ]  # fmt: skip
        self.exits = atexit._ncallbacks()
        self.modules = {}
        self.classes = {}
        #: Functions of our packages: what they run, and with what.
        self.functions = {}
        #: Dtypes, which are one object each.
        self.dtypes = {}
        #: Dictionaries and lists of modules, which change in place: what each holds. What they
        #: hold may change in place, too, unseen.
        self.containers = {}
        self._learn()

    def _learn(self):
        """Takes in the modules that were imported since, and their classes."""
        for name, module in list(sys.modules.items()):
            if name in self.modules or name == "__main__" or not isinstance(module, types.ModuleType):
                continue
            names = dict(vars(module))
            self.modules[name] = (module, names)
            ours = name.partition(".")[0] in _OURS
            self._learn_containers(name, names)
            for value in names.values():
                if isinstance(value, type) and value not in self.classes:
                    self.classes[value] = dict(value.__dict__)
                    if ours:
                        self._learn_functions(value.__dict__.values())
            if ours:
                self._learn_functions(names.values())
                self._learn_dtypes(names)

    def _learn_functions(self, values):
        for value in values:
            if isinstance(value, types.FunctionType):
                self.functions.setdefault(value, _inside(value))

    def _learn_dtypes(self, names):
        for name, value in names.items():
            if type(value).__name__ == "dtype":
                self.dtypes.setdefault(id(value), (value, name, _attributes(value)))

    def _learn_containers(self, module, names):
        for name, value in names.items():
            where = f"{module}.{name}"
            if type(value) in (dict, list) and not name.startswith("_") and where not in _CACHES:
                self.containers.setdefault(id(value), (value, where, value.copy()))

    def restore(self):
        """Puts the settings back."""
        for setting in self.settings:
            setting.restore()
        _restore_logging()
        _restore_decimal()
        _restore_multiprocessing()
        random.seed()
        for name, module in list(sys.modules.items()):
            if name not in self.modules and isinstance(module, types.ModuleType) and not _is_library(module):
                del sys.modules[name]
        for module, names in self.modules.values():
            if "__warningregistry__" not in names:
                vars(module).pop("__warningregistry__", None)
        for where, name in _KEPT:
            self._forget(*where.split("."), name)

    def _forget(self, module, *names):
        """Puts back one name of a module, or of a class in it."""
        *classes, name = names
        if module not in self.modules:
            return
        owner, before = self.modules[module]
        for each in classes:
            owner = before[each]
            before = self.classes[owner]
        if name in before:
            if owner.__dict__[name] is not before[name]:
                setattr(owner, name, before[name])
        elif name in owner.__dict__:
            delattr(owner, name)

    def left(self):
        """What is not as it was: names, for somebody who wonders."""
        found = []
        for name, (module, names) in self.modules.items():
            if sys.modules.get(name) is not module:
                found.append(name)
            elif not _same(vars(module), names):
                found += [f"{name}.{each}" for each in _changed(name, vars(module), names)]
        for cls, names in self.classes.items():
            if not _same(cls.__dict__, names):
                where = f"{cls.__module__}.{cls.__qualname__}"
                found += [f"{where}.{each}" for each in _changed(where, cls.__dict__, names)]
        for function, inside in self.functions.items():
            if any(map(operator.is_not, _inside(function), inside)):
                found.append(f"{function.__module__}.{function.__qualname__}")
        for value, where, attributes in self.dtypes.values():
            now = _attributes(value)
            if not _same(now, attributes):
                found += [f"{where}.{each}" for each in _changed(where, now, attributes)]
        found += [where for value, where, held in self.containers.values() if not _holds(value, held)]
        if self.javascript.reached:
            found.append("JavaScript")
        if atexit._ncallbacks() != self.exits:
            found.append("atexit")
        asyncio = sys.modules.get("asyncio")
        if asyncio is not None and any(not task.done() for task in asyncio.all_tasks(asyncio.get_event_loop())):
            found.append("asyncio tasks")
        found += self._patched_anew()
        if not found:
            self._learn()
        return found

    def _patched_anew(self):
        """Names of the program in modules that it imported first."""
        for name, module in list(sys.modules.items()):
            if name in self.modules or name == "__main__" or not isinstance(module, types.ModuleType):
                continue
            for each, value in vars(module).items():
                if getattr(value, "__module__", None) == "__main__":
                    yield f"{name}.{each}"


def _inside(function):
    """Of a function, for its identity: code, defaults. Those by keyword are a dictionary that can change in place."""
    keywords = function.__kwdefaults__
    if not keywords:
        return function.__code__, function.__defaults__
    return function.__code__, function.__defaults__, *keywords.values()


def _attributes(value):
    """The attributes of an object, in its dictionary or in slots."""
    slots = getattr(type(value), "__slots__", ())
    return {**{name: getattr(value, name, _ABSENT) for name in slots}, **getattr(value, "__dict__", {})}


def _same(now, before):
    return len(now) == len(before) and all(map(operator.is_, now.values(), before.values()))


def _holds(now, before):
    """Whether a dictionary or a list holds what it did, in that order; a dictionary may have more of the library."""
    if isinstance(now, list):
        return len(now) == len(before) and all(map(operator.is_, now, before))
    if _same(now, before) and all(map(operator.is_, now, before)):
        return True
    added = [value for key, value in now.items() if key not in before]
    return all(now.get(key, _ABSENT) is value for key, value in before.items()) and all(map(_is_of_library, added))


def _changed(where, now, before):
    """Names of a module or a class whose values differ, but for those that the library sets itself."""
    for name in now.keys() | before.keys():
        value, was = now.get(name, _ABSENT), before.get(name, _ABSENT)
        if name in _BY_PYTHON or value is was:
            continue
        if was is _ABSENT and (where in _LAZY or _is_of_library(value)):
            continue
        # Counters and caches of our own packages.
        private = "._" in f".{where}.{name}" and where.partition(".")[0] in _OURS
        kept = value is not _ABSENT and not callable(value) or was is None and _is_of_library(value)
        if private and kept and was is not _ABSENT and not callable(was):
            continue
        yield name


def _is_of_library(value):
    """A submodule, or a name that a module makes when it is first looked for."""
    if isinstance(value, (type, types.FunctionType, types.BuiltinFunctionType)):
        value = sys.modules.get(value.__module__)
    return isinstance(value, types.ModuleType) and _is_library(value)
