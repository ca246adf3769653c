"""Names that mean something inside a kernel only. The compiler finds them by `path`; calling one on
the host raises what Triton raises there.
"""


class Builtin:
    """A primitive: `tl.load`, `tl.dot`, libdevice's functions …"""

    __triton_builtin__ = True

    def __init__(self, path):
        self.hippocamp_path = path
        self.__module__, self.__name__ = path.rsplit(".", 1)
        self.__qualname__ = self.__name__

    def __call__(self, *args, **kwargs):
        raise ValueError(
            "Did you forget to add @triton.jit ? (`_semantic` argument must be provided outside of JIT functions.)"
        )

    def __repr__(self):
        return f"<function {self.__name__} of {self.__module__}>"


class LibraryFunction(Builtin):
    """A function that Triton itself writes in Triton: `tl.sum`, `tl.zeros`, `tl.rand` …"""

    def __call__(self, *args, **kwargs):
        raise RuntimeError("Cannot call @triton.jit'd outside of the scope of a kernel")

    def __repr__(self):
        return f"JITFunction({self.__module__}:{self.__name__})"


def define(namespace, module, names, kind=Builtin):
    for name in names.split():
        namespace[name] = kind(f"{module}.{name}")
