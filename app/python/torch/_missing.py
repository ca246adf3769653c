"""Names that PyTorch has and this subset has not.

`missing` is the error of a module whose names a program uses as it reads them: it names the nearest one that
exists. `binds` is for namespaces whose names generated code binds at its top and may never use: there only the
call is an error.
"""


def missing(module, name, known):
    if name.startswith("__"):
        return AttributeError(f"module '{module}' has no attribute '{name}'")
    import difflib

    names = [n for n in known if not n.startswith("_")]
    near = difflib.get_close_matches(name, names, 1, 0.6)
    hint = f"; the nearest name that is: {module}.{near[0]}" if near else ""
    return AttributeError(
        f"module '{module}' has no attribute '{name}' (not available in Hippocamp's torch{hint})"
    )


class Unavailable:
    """Stands for a function that is not here, or a namespace of such: calling it raises."""

    def __init__(self, path, place="Hippocamp's torch", why="is not available in Hippocamp's torch"):
        self._path, self._place, self._why = path, place, why
        self.__name__ = path.rpartition(".")[2]

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(f"'{self._path}' has no attribute '{name}'")
        return Unavailable(f"{self._path}.{name}", self._place, self._why)

    def __call__(self, *_, **__):
        raise NotImplementedError(f"{self._path} {self._why}")

    def __repr__(self):
        return f"<{self._path}: not available in {self._place}>"


def binds(module, *where):
    """A module's `__getattr__` that answers every name; `where`: of `Unavailable`, place and reason."""

    def __getattr__(name):
        if name.startswith("__"):
            raise AttributeError(f"module '{module}' has no attribute '{name}'")
        return Unavailable(f"{module}.{name}", *where)

    return __getattr__
