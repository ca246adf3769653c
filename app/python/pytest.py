"""The names of pytest that Triton's own files use at module level: marks that keep a function as it is,
`raises`, `skip`. Nothing here collects or runs tests.
"""

import contextlib


class _Mark:
    def __init__(self, name):
        self.name = name
        self.args = ()
        self.kwargs = {}

    def __call__(self, *args, **kwargs):
        # Bare on a function, or with arguments first.
        if len(args) == 1 and not kwargs and callable(args[0]) and not isinstance(args[0], type):
            return args[0]
        return lambda function: function


class _Marks:
    def __getattr__(self, name):
        return _Mark(name)


mark = _Marks()


class Skipped(BaseException):
    pass


class Failed(BaseException):
    pass


def skip(reason="", *, allow_module_level=False):
    raise Skipped(reason)


def fail(reason="", pytrace=True):
    raise Failed(reason)


def importorskip(name, minversion=None, reason=None):
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError:
        raise Skipped(f"could not import {name!r}") from None


def fixture(function=None, **_):
    return (lambda f: f) if function is None else function


def param(*values, marks=(), id=None):
    return values


class _Raised:
    value = None
    type = None

    def match(self, pattern):
        import re

        return re.search(pattern, str(self.value)) is not None


@contextlib.contextmanager
def raises(expected, match=None):
    import re

    info = _Raised()
    try:
        yield info
    except expected as error:
        info.value, info.type = error, type(error)
        if match is not None and not re.search(match, str(error)):
            raise AssertionError(f"{match!r} does not match {str(error)!r}") from error
        return
    raise Failed(f"DID NOT RAISE {expected}")


class approx:
    def __init__(self, expected, rel=1e-6, abs=1e-12):
        self.expected, self.rel, self.abs = expected, rel, abs

    def __eq__(self, other):
        gap = other - self.expected
        size = self.expected if self.expected >= 0 else -self.expected
        return (gap if gap >= 0 else -gap) <= max(self.abs, self.rel * size)


def main(*args, **kwargs):
    raise NotImplementedError("pytest does not run in Hippocamp; call the test functions directly")
