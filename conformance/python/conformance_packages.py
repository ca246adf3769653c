"""Packages of kernels, from a folder of files: which modules have kernels, how they are imported, and which of
their jit functions are kernels. Runs on real Triton (`conformance/specialize.py`) and on ours alike.
"""

import ast
import importlib
import importlib.abc
import importlib.machinery
import os
import re
import sys
from types import ModuleType
from unittest.mock import MagicMock

_JIT = re.compile(r"^\s*@(triton\.)?jit\b", re.MULTILINE)
#: Packages that have to be what they are: what one of them lacks is an error.
_OWN = ("torch", "triton", "numpy")


class Anything(type):
    """A class of a package that is not here: every attribute is there."""

    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return MagicMock()

    def __getitem__(cls, item):
        return cls

    def __setitem__(cls, item, value):
        pass


def _decorate(self, *args, **kwargs):
    return args[0] if len(args) == 1 and callable(args[0]) else MagicMock()


class Absent(ModuleType):
    """Any name of a package that is not here: enough for imports that no kernel needs."""

    __path__: list = []

    def __getattr__(self, name):
        if name == "__version__":
            return "99.0.0"
        if name.startswith("__"):
            raise AttributeError(name)
        members = {"__init__": lambda self, *_, **__: None, "__bool__": lambda self: False, "__call__": _decorate}
        made = Anything(name, (), members)
        setattr(self, name, made)
        return made


def _imported_by_library():
    """Installed packages try imports themselves, and do without what is not there."""
    frame = sys._getframe(2)
    while frame is not None and "importlib" in frame.f_code.co_filename:
        frame = frame.f_back
    return frame is not None and ("site-packages" in frame.f_code.co_filename or "/lib/" in frame.f_code.co_filename)


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """The last that is asked."""

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in _OWN or name.endswith("__main__") or _imported_by_library():
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        module = Absent(spec.name)
        if spec.name.endswith("._ops"):  # written by the build of a package for the Hub
            module.add_op_namespace_prefix = lambda name: f"{spec.name.split('.')[0]}::{name}"
        return module

    def exec_module(self, module):
        pass


sys.meta_path.append(_Finder())


class Source:
    """A file with jit functions."""

    def __init__(self, path):
        self.path = path
        folder, name = os.path.split(path)
        parts = [name.removesuffix(".py")]
        # A folder without `__init__` is a part of the package around it.
        while _in_package(folder):
            folder, parent = os.path.split(folder)
            parts.insert(0, parent)
        self.root, self.module = folder, ".".join(parts)
        with open(path) as file:
            self.tree = ast.parse(file.read())
        self.functions = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.FunctionDef) and any(_is_jit(each) for each in node.decorator_list):
                self.functions.setdefault(node.name, node)


def _in_package(folder):
    above = (folder, os.path.dirname(folder))
    return any(os.path.exists(os.path.join(each, "__init__.py")) for each in above)


def _is_jit(decorator):
    text = ast.unparse(decorator.func if isinstance(decorator, ast.Call) else decorator)
    return text in ("triton.jit", "jit")


class Package:
    """A folder of files, and the kernels in it: jit functions that a host launches, or that return nothing and
    that no other calls."""

    def __init__(self, folder):
        self.sources, self.trees = [], []
        for place, folders, files in os.walk(folder):
            folders[:] = sorted(f for f in folders if not f.startswith("."))
            for file in sorted(files):
                if file.endswith(".py"):
                    self._add(os.path.join(place, file))
        called, launched = set(), set()
        for source in self.sources:
            for name, function in source.functions.items():
                called |= {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and n.id != name}
                called |= {n.attr for n in ast.walk(function) if isinstance(n, ast.Attribute)}
        for tree in self.trees:
            for node in ast.walk(tree):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Subscript):
                    launched.add(_last_name(node.func.value))
        self.launched = launched
        self.kernels = [
            (source, name)
            for source in self.sources
            for name, function in source.functions.items()
            if name in launched or name not in called and not _returns(function)
        ]

    def _add(self, path):
        try:
            with open(path) as file:
                text = file.read()
            tree = ast.parse(text)
        except (SyntaxError, UnicodeDecodeError):
            return
        self.trees.append(tree)
        if _JIT.search(text):
            source = Source(path)
            if source.functions:
                self.sources.append(source)


def _returns(function):
    """Whether it returns a value, which no kernel does."""
    found = [node for node in ast.walk(function) if isinstance(node, ast.Return)]
    return any(node.value is not None and not _is_none(node.value) for node in found)


def _is_none(node):
    return isinstance(node, ast.Constant) and node.value is None


def _last_name(node):
    return node.id if isinstance(node, ast.Name) else getattr(node, "attr", None)


def load(source):
    """The module of a file. Where the package's own `__init__` fails, without it.

    @raises what the file's own text raises
    """
    if source.root not in sys.path:
        sys.path.insert(0, source.root)
    try:
        return importlib.import_module(source.module)
    except Exception:
        parts = source.module.split(".")
        for depth in range(1, len(parts)):
            name = ".".join(parts[:depth])
            if name not in sys.modules:
                bare = ModuleType(name)
                bare.__path__ = [os.path.join(source.root, *parts[:depth])]
                sys.modules[name] = bare
        return importlib.import_module(source.module)


def kernel_of(module, name, jit_function):
    """The jit function of that name under its decorators, and the decorators' objects from outside in."""
    value = vars(module)[name]
    around = []
    while not isinstance(value, jit_function):
        around.append(value)
        value = value.fn
    return value, around
