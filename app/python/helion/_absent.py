"""Names of Helion's compiler: they can be bound; calling one, or decorating with it, raises."""


class _Absent:
    def __init__(self, path):
        self._path = path

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(f"'{self._path}' has no attribute '{name}'")
        return _Absent(f"{self._path}.{name}")

    def __call__(self, *_, **__):
        raise NotImplementedError(
            f"{self._path} belongs to Helion’s compiler, which Hippocamp does not have. The Triton that "
            "Helion prints runs here: set HELION_PRINT_OUTPUT_CODE=1 where Helion is, and paste that"
        )

    def __repr__(self):
        return f"<{self._path}: not available in Hippocamp>"


def absent(module):
    """A module's `__getattr__`."""

    def __getattr__(name):
        if name.startswith("__"):
            raise AttributeError(f"module '{module}' has no attribute '{name}'")
        return _Absent(f"{module}.{name}")

    return __getattr__
