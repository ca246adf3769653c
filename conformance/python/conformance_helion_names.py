"""Names of Helion that its tests import. `@helion.kernel` gives an object that is called and compiled as Helion's
is, and takes the printed text from the session of `conformance_helion`; what else belongs to Helion's compiler
answers every name, and does nothing.
"""

import contextlib
import dis
import importlib.abc
import importlib.machinery
import importlib.util
import itertools
import sys
import unittest
from pathlib import Path
from types import ModuleType, SimpleNamespace
from unittest.mock import MagicMock

import helion
import torch

#: The test that runs.
session = None
_FOLDER = Path("/program")


class Printed(str):
    """A journal's text, and the request that it answered."""

    entry = request = None


class Nothing:
    """The result of a kernel that does not run: it has every attribute, and as many items as are unpacked."""

    def __iter__(self):
        frame = sys._getframe(1)
        code, at = frame.f_code.co_code, frame.f_lasti
        count = code[at + 1] if dis.opname[code[at]] == "UNPACK_SEQUENCE" else 0
        return iter([Nothing() for _ in range(count)])

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Nothing()

    def __call__(self, *_, **__):
        return Nothing()

    __getitem__ = __add__ = __radd__ = __sub__ = __mul__ = __truediv__ = __neg__ = __call__
    __lt__ = __le__ = __gt__ = __ge__ = __and__ = __or__ = __call__


def stand_in(args):
    """Arguments that are results of kernels that did not run: tensors like the first."""
    like = next((a for a in args if isinstance(a, torch.Tensor)), None)
    return [torch.empty_like(like) if isinstance(a, Nothing) and like is not None else a for a in args]


class Config(dict):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.config = self


class Kernel:
    def __init__(self, fn, config=None, configs=None, **settings):
        self.fn, self.name = fn, fn.__name__
        self.configs = [config] if config is not None else list(configs or ())
        self.settings = SimpleNamespace(**settings)
        self.__name__ = fn.__name__

    def bind(self, args):
        return Bound(self, args)

    def __call__(self, *args, **kwargs):
        return session.call(self.name, args, kwargs, self.configs)

    def reset(self):
        pass

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return MagicMock()


class Bound:
    def __init__(self, kernel, args):
        self.kernel, self.args = kernel, args
        self._config = None

    def to_triton_code(self, config=None, **_):
        code = session.text(self.kernel.name, self.args, config or self._config or self.kernel.configs)
        if session.compiled is not None and code.entry is not None:
            session.play(session.entries[code.entry], self.args, {})
        return code

    def compile_config(self, config=None, **_):
        return lambda *args: session.call(
            self.kernel.name, args, {}, config or self._config or self.kernel.configs
        )

    def set_config(self, config):
        self._config = config

    def __call__(self, *args):
        return self.compile_config()(*args)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return MagicMock()


def kernel(fn=None, **options):
    if fn is None:
        return lambda each: Kernel(each, **options)
    return Kernel(fn, **options)


def code_and_output(fn, args, **config):
    code = session.text(fn.name, args, config or fn.configs)
    return code, Nothing() if code.entry is None else session.play(session.entries[code.entry], args, {})


def check_example(
    name, args, expected, fn_name=None, skip_accuracy=False, static_shapes=None, atol=1e-1, rtol=1e-2, **config
):
    fn = getattr(import_path(_FOLDER / "examples" / f"{name}.py"), fn_name or name)
    code, result = code_and_output(fn, args, **config)
    if not skip_accuracy and not isinstance(result, Nothing):
        many = isinstance(result, (tuple, list))
        for got, wanted in zip(result, expected, strict=True) if many else [(result, expected)]:
            if wanted is not None:
                torch.testing.assert_close(got.float(), wanted.float(), atol=atol, rtol=rtol)
    return code


def import_path(path):
    name = f"helion._testing.{path.stem}"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        sys.modules[name] = module
    return sys.modules[name]


class TestCase(unittest.TestCase):
    _in_ref_eager_mode = False

    def assertExpectedJournal(self, code):
        session.check(code)

    def _about_the_compiler(self, *_, **__):
        """Which text Helion prints, and which of its objects it keeps, is not what is tested here."""

    assertIn = assertNotIn = assertIs = assertIsNot = assertTrueIfInNormalMode = _about_the_compiler
    assertEqualCode = assertNotEqualCode = _about_the_compiler

    @contextlib.contextmanager
    def capture_output(self):
        yield SimpleNamespace(readouterr=lambda: ("", ""))

    capture_logs = capture_output


def _where_values_count(name):
    assertion = getattr(unittest.TestCase, name)

    def method(self, *args, **kwargs):
        if session.compiled is None and not any(isinstance(each, Printed) for each in args):
            return assertion(self, *args, **kwargs)

    return method


for _name in ("Equal", "NotEqual", "True", "False", "Greater", "Less", "GreaterEqual"):
    setattr(TestCase, f"assert{_name}", _where_values_count(f"assert{_name}"))


class _Base:
    """Of tests that Helion also runs without its compiler."""


def _as_it_is(*_, **__):
    return lambda target: target


def _only_backends(backends):
    return (lambda cls: cls) if "triton" in backends else unittest.skip(f"for {backends}")


class _Testing(ModuleType):
    """`helion._testing`. Tests of other machines are skipped; those that need CUDA are not."""

    __path__: list = []

    def __getattr__(self, name):
        if name.startswith("skipUnless") and name != "skipUnlessTensorDescriptor":
            return lambda *_, **__: unittest.skip(name)
        if name.startswith(("skip", "xfail")):
            return _as_it_is
        raise AttributeError(name)


class _Anything(ModuleType):
    """A module of Helion's compiler."""

    __path__: list = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        made = type(name, (Exception,), {}) if self.__name__ == "helion.exc" else MagicMock(name=name)
        setattr(self, name, made)
        return made


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """The modules of Helion that are not ours, and PyTorch's own helpers of tests."""

    def find_spec(self, name, path=None, target=None):
        if name.startswith(("helion.", "torch.testing._internal", "torch.fx.", "sympy", "hypothesis")):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        return _Anything(spec.name)

    def exec_module(self, module):
        pass


def _parametrize(arguments, values, **_):
    names = [each.strip() for each in arguments.split(",")]

    def mark(test):
        rows = [value if len(names) > 1 else (value,) for value in values]
        test.rows = [dict(zip(names, row)) for row in rows], getattr(test, "rows", None)
        return test

    return mark


def _rows(test):
    rows, inner = test.rows if test.rows is not None else ([{}], None)
    return rows if inner is None else [{**a, **b} for a, b in itertools.product(inner[0], rows)]


def _named(value, index):
    if isinstance(value, (bool, int, float, str)):
        return str(value).replace(".", "_")
    return getattr(value, "__name__", None) or (str(value).split(".")[-1] if isinstance(value, torch.dtype) else index)


def _instantiate(cls):
    """A method for each row of parameters, named as PyTorch names it."""
    for name, test in list(vars(cls).items()):
        if not hasattr(test, "rows"):
            continue
        delattr(cls, name)
        for row in _rows(test):
            label = "_".join(f"{key}_{_named(value, key)}" for key, value in row.items())

            def method(self, test=test, row=row):
                return test(self, **row)

            setattr(cls, f"{name}_{label}", method)
    return cls


def install():
    sys.meta_path.insert(0, _Finder())
    testing = _Testing("helion._testing")
    vars(testing).update(
        DEVICE=torch.device("cuda"), EXAMPLES_DIR=_FOLDER / "examples", PROJECT_ROOT=_FOLDER, TestCase=TestCase,
        RefEagerTestBase=_Base, RefEagerTestDisabled=_Base, code_and_output=code_and_output,
        check_example=check_example, import_path=import_path, onlyBackends=_only_backends, is_cuda=lambda: True,
        is_cpu=lambda: False, get_test_dot_precision=lambda: "tf32", _get_backend=lambda: "triton",
        main=lambda: None, assert_ref_eager_mode=lambda: None, run_example=lambda *_, **__: None,
    )  # fmt: skip
    sys.modules["helion._testing"] = helion._testing = testing
    for name in ("language", "exc", "_compat", "_utils", "autotuner", "experimental"):
        module = _Anything(f"helion.{name}")
        sys.modules[f"helion.{name}"] = module
        setattr(helion, name, module)
    helion._compat.use_tileir_tunables = lambda: False
    helion._compat.requires_torch_version = lambda version: True
    helion.kernel = helion.jit = kernel
    helion.Config, helion.Kernel = Config, Kernel
    common = _Anything("torch.testing._internal.common_utils")
    common.parametrize, common.instantiate_parametrized_tests = _parametrize, _instantiate
    sys.modules["torch.testing._internal"] = _Anything("torch.testing._internal")
    sys.modules["torch.testing._internal.common_utils"] = common


install()
