"""The names of pytest that test files use: marks, fixtures, parameters, `raises`, `skip`. They only
record their arguments; `pytest.main` collects and runs the tests of a file (`_hippocamp_tests`).
"""

import contextlib
import re

__version__ = "9.0.0"


class Mark:
    """`name(*args, **kwargs)`, as it stands in a function's `pytestmark`."""

    def __init__(self, name, args=(), kwargs=None):
        self.name = name
        self.args = args
        self.kwargs = kwargs or {}

    def __repr__(self):
        return f"Mark(name={self.name!r}, args={self.args!r}, kwargs={self.kwargs!r})"


class MarkDecorator(Mark):
    def __call__(self, *args, **kwargs):
        # Bare on a function or class, or with arguments first.
        if len(args) == 1 and not kwargs and callable(args[0]) and not self.args and not self.kwargs:
            target = args[0]
            own = list(target.__dict__.get("pytestmark", ()))
            target.pytestmark = [*own, Mark(self.name)]
            return target
        if len(args) == 1 and not kwargs and callable(args[0]):
            target = args[0]
            own = list(target.__dict__.get("pytestmark", ()))
            target.pytestmark = [*own, Mark(self.name, self.args, self.kwargs)]
            return target
        return MarkDecorator(self.name, self.args + args, {**self.kwargs, **kwargs})

    def with_args(self, *args, **kwargs):
        return MarkDecorator(self.name, self.args + args, {**self.kwargs, **kwargs})

    @property
    def mark(self):
        return Mark(self.name, self.args, self.kwargs)


class _Marks:
    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return MarkDecorator(name)


mark = _Marks()


class _Outcome(BaseException):
    """How a test ends before its end."""

    def __init__(self, msg="", pytrace=True):
        super().__init__(msg)
        self.msg = msg


class Skipped(_Outcome):
    pass


class Failed(_Outcome):
    pass


class XFailed(_Outcome):
    pass


def skip(reason="", *, allow_module_level=False):
    raise Skipped(reason)


def fail(reason="", pytrace=True):
    raise Failed(reason)


def xfail(reason=""):
    raise XFailed(reason)


skip.Exception, fail.Exception, xfail.Exception = Skipped, Failed, XFailed


def importorskip(modname, minversion=None, reason=None, *, exc_type=None):
    import importlib

    try:
        return importlib.import_module(modname)
    except ImportError:
        raise Skipped(reason or f"could not import {modname!r}") from None


# ── fixtures and parameters ─────────────────────────────────────────────────────────────────────


class Fixture:
    """A function whose result, or what it yields, tests take by name."""

    def __init__(self, function, scope, params, autouse, ids, name):
        self.function = function
        self.scope = scope
        self.params = params
        self.autouse = autouse
        self.ids = ids
        self.name = name or function.__name__
        self.__name__ = function.__name__

    def __call__(self, *args, **kwargs):
        raise Failed(f'Fixture "{self.name}" called directly. Fixtures are not meant to be called directly')


def fixture(function=None, *, scope="function", params=None, autouse=False, ids=None, name=None):
    make = lambda f: Fixture(f, scope, params, autouse, ids, name)  # noqa: E731
    return make if function is None else make(function)


yield_fixture = fixture


class ParameterSet(tuple):
    """One row of parameters, with marks and a name of its own."""

    def __new__(cls, values, marks=(), id=None):
        made = tuple.__new__(cls, values)
        made.marks = [marks] if isinstance(marks, Mark) else list(marks)
        made.id = id
        return made


def param(*values, marks=(), id=None):
    return ParameterSet(values, marks, id)


# ── assertions ──────────────────────────────────────────────────────────────────────────────────


class ExceptionInfo:
    value = None
    type = None
    tb = None

    def match(self, regexp):
        assert re.search(regexp, str(self.value)), (
            f"Regex pattern did not match.\n Regex: {regexp!r}\n Input: {str(self.value)!r}"
        )
        return True

    @property
    def typename(self):
        return self.type.__name__

    def exconly(self, tryshort=False):
        return f"{self.typename}: {self.value}"

    def __str__(self):
        return repr(self)


@contextlib.contextmanager
def _raises(expected, match):
    info = ExceptionInfo()
    try:
        yield info
    except expected as error:
        info.value, info.type, info.tb = error, type(error), error.__traceback__
        if match is not None:
            info.match(match)
        return
    names = expected if isinstance(expected, tuple) else (expected,)
    raise Failed(f"DID NOT RAISE {' or '.join(n.__name__ for n in names)}")


def raises(expected_exception, *args, match=None, check=None, **kwargs):
    if not args:
        return _raises(expected_exception, match)
    function, *args = args
    with _raises(expected_exception, match) as info:
        function(*args, **kwargs)
    return info


@contextlib.contextmanager
def warns(expected_warning=Warning, *, match=None):
    import warnings

    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        yield seen
    found = [w for w in seen if issubclass(w.category, expected_warning)]
    if match is not None:
        found = [w for w in found if re.search(match, str(w.message))]
    if not found:
        raise Failed(f"DID NOT WARN. No warnings of type {expected_warning} were emitted.")


@contextlib.contextmanager
def deprecated_call(match=None):
    with warns((DeprecationWarning, PendingDeprecationWarning, FutureWarning), match=match) as seen:
        yield seen


class approx:
    """Equal to within `rel` of what is expected, or `abs`."""

    def __init__(self, expected, rel=None, abs=None, nan_ok=False):
        self.expected = expected
        self.rel = 1e-6 if rel is None else rel
        self.abs = (1e-12 if rel is None else 0.0) if abs is None else abs
        self.nan_ok = nan_ok

    def __eq__(self, other):
        if isinstance(self.expected, dict):
            return self.expected.keys() == other.keys() and all(
                self._near(other[k], v) for k, v in self.expected.items()
            )
        if isinstance(self.expected, (list, tuple)):
            return len(other) == len(self.expected) and all(map(self._near, other, self.expected))
        return self._near(other, self.expected)

    def _near(self, actual, expected):
        if actual == expected:
            return True
        if expected != expected:
            return self.nan_ok and actual != actual
        gap, size = actual - expected, expected if expected >= 0 else -expected
        return bool((gap if gap >= 0 else -gap) <= max(self.abs, self.rel * size))

    def __repr__(self):
        return f"approx({self.expected!r} ± {self.rel:g})"

    __hash__ = None


class MonkeyPatch:
    """Changes that are taken back."""

    def __init__(self):
        self._undo = []

    @classmethod
    @contextlib.contextmanager
    def context(cls):
        made = cls()
        try:
            yield made
        finally:
            made.undo()

    def setattr(self, target, name, value=None, raising=True):
        if isinstance(target, str):
            import importlib

            target, name, value = importlib.import_module(target.rpartition(".")[0]), target.rpartition(".")[2], name
        missing = object()
        old = getattr(target, name, missing)
        if raising and old is missing:
            raise AttributeError(f"{target!r} has no attribute {name!r}")
        setattr(target, name, value)
        self._undo.append(lambda: delattr(target, name) if old is missing else setattr(target, name, old))

    def delattr(self, target, name, raising=True):
        if not hasattr(target, name):
            if raising:
                raise AttributeError(name)
            return
        old = getattr(target, name)
        delattr(target, name)
        self._undo.append(lambda: setattr(target, name, old))

    def setitem(self, dictionary, name, value):
        missing = object()
        old = dictionary.get(name, missing)
        dictionary[name] = value
        self._undo.append(
            lambda: dictionary.pop(name, None) if old is missing else dictionary.__setitem__(name, old)
        )

    def delitem(self, dictionary, name, raising=True):
        if name not in dictionary:
            if raising:
                raise KeyError(name)
            return
        old = dictionary.pop(name)
        self._undo.append(lambda: dictionary.__setitem__(name, old))

    def setenv(self, name, value, prepend=None):
        import os

        self.setitem(os.environ, name, str(value))

    def delenv(self, name, raising=True):
        import os

        self.delitem(os.environ, name, raising)

    def syspath_prepend(self, path):
        import sys

        old = list(sys.path)
        sys.path.insert(0, str(path))
        self._undo.append(lambda: sys.path.__setitem__(slice(None), old))

    def chdir(self, path):
        import os

        old = os.getcwd()
        os.chdir(path)
        self._undo.append(lambda: os.chdir(old))

    def undo(self):
        while self._undo:
            self._undo.pop()()


class ExitCode(int):
    OK, TESTS_FAILED, NO_TESTS_COLLECTED = 0, 1, 5


def hookimpl(function=None, **_):
    """Hooks of a conftest are not called; marking them as such does no harm."""
    return function if function is not None else lambda function: function


hookspec = hookimpl


def main(args=None, plugins=None):
    """Runs the tests of the files named (default: the program's own). @returns 0 where none failed."""
    from _hippocamp_tests import run_files

    return run_files(args)


#: Types of built-in fixtures, which annotations name.
_FIXTURE_TYPES = {"FixtureRequest": "Request", "CaptureFixture": "Capture", "LogCaptureFixture": "Logs"}


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    if name in _FIXTURE_TYPES:
        import _hippocamp_tests

        return getattr(_hippocamp_tests, _FIXTURE_TYPES[name])
    raise AttributeError(f"module 'pytest' has no attribute '{name}' (not available in Hippocamp)")
