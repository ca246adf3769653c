"""What is called like a function and is none: the bases of kernels, and Python functions that kernels
call with compile-time values.
"""

import linecache
from inspect import CO_COROUTINE
from types import FunctionType

from .._program import PROGRAM_ROOT
from ..language.core import constexpr
from .tensors import MockTensor


class KernelInterface:
    def warmup(self, *args, grid, **kwargs):
        """Compiles without launching. A dtype stands for a tensor of it."""
        return self.run(grid=grid, warmup=True, *map(MockTensor.wrap_dtype, args), **kwargs)

    def run(self, *args, grid, warmup, **kwargs):
        raise NotImplementedError("run not implemented")

    def __getitem__(self, grid):
        return lambda *args, **kwargs: self.run(grid=grid, warmup=False, *args, **kwargs)


class JITCallable:
    def __init__(self, fn):
        if not isinstance(fn, FunctionType):
            raise ValueError("@jit functions should be defined in a Python file")
        if fn.__name__ == "<lambda>" or fn.__code__.co_flags & CO_COROUTINE:
            raise ValueError("No function definition found for kernel: it begins with a plain def")
        self.fn = fn
        self.__doc__ = fn.__doc__
        self.__name__ = fn.__name__
        self.__qualname__ = fn.__qualname__
        self.__globals__ = fn.__globals__
        self.__module__ = fn.__module__
        self._src = None
        #: The name of a text that took the place of the function's own.
        self.source_file = None

    @property
    def src(self):
        if self._src is None:
            import inspect
            import textwrap

            text = textwrap.dedent("".join(inspect.getsourcelines(self.fn)[0]))
            self._src = text[text.index("def ") :] if "def " in text else text
        return self._src

    def _unsafe_update_src(self, new_src):
        """Another body for the same function, as text that begins with its `def`."""
        import hashlib

        self._src = new_src
        key = hashlib.sha256(new_src.encode()).hexdigest()[:12]
        self.source_file = f"{self.__name__}.{key}.py"
        lines = new_src.splitlines(True)
        linecache.cache[PROGRAM_ROOT + self.source_file] = (len(new_src), None, lines, self.source_file)

    @property
    def raw_src(self):
        import inspect

        return inspect.getsourcelines(self.fn)[0]

    @property
    def starting_line_number(self):
        return self.fn.__code__.co_firstlineno

    @property
    def signature(self):
        import inspect

        return inspect.signature(self.fn)

    @property
    def cache_key(self):
        import hashlib

        return hashlib.sha256(self.src.encode()).hexdigest()


class ConstexprFunction(JITCallable):
    """A Python function that kernels may call with compile-time values."""

    def __get__(self, instance, owner=None):
        return self if instance is None else BoundConstexprFunction(instance, self)

    def __call__(self, *args, _semantic=None, **kwargs):
        unwrap = lambda v: v.value if isinstance(v, constexpr) else v  # noqa: E731
        return self.fn(*map(unwrap, args), **{k: unwrap(v) for k, v in kwargs.items()})


class BoundConstexprFunction:
    def __init__(self, instance, function):
        self.__self__ = instance
        self.__func__ = function
        self.__name__ = function.__name__

    def __call__(self, *args, **kwargs):
        return self.__func__(self.__self__, *args, **kwargs)


def constexpr_function(fn):
    return ConstexprFunction(fn)
