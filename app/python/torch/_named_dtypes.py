"""Dtypes of PyTorch of which there are no tensors here. Programs name them, compare a tensor's dtype with them and
query their limits; a tensor of one is refused when it is made.
"""

from . import _core as core


class NamedDtype(core.dtype):
    __slots__ = ()

    def __init__(self, name, kind, short):
        self.name, self.short = name, short
        self.is_floating_point, self.is_signed, self.is_complex = kind == "f", kind != "u", kind == "c"
        self.rank = 1

    @property
    def itemsize(self):
        raise NotImplementedError(f"tensors of {self!r} are not available in Hippocamp's torch")

    fill = itemsize

    def __reduce__(self):
        return (BY_NAME.__getitem__, (self.name,))


NamedDtype.__module__ = "torch"
NamedDtype.__name__ = NamedDtype.__qualname__ = "dtype"

_FLOATS = "float8_e4m3fnuz float8_e5m2fnuz float4_e2m1fn_x2"
_SMALL = [f"{sign}int{bits}" for sign in ("", "u") for bits in range(1, 8)]
BY_NAME = {
    **{name: NamedDtype(name, "f", name.capitalize()) for name in _FLOATS.split()},
    "float8_e8m0fnu": NamedDtype("float8_e8m0fnu", "f", "Float8_e8m0fnu"),
    "complex32": NamedDtype("complex32", "c", "ComplexHalf"),
    **{name: NamedDtype(name, "u" if name[0] == "u" else "i", name.capitalize()) for name in _SMALL},
    **{name: NamedDtype(name, "u" if "u" in name else "i", name.capitalize()) for name in ("qint8", "quint8", "qint32")},
}
#: Powers of two alone.
BY_NAME["float8_e8m0fnu"].is_signed = False
BY_NAME["chalf"] = BY_NAME["complex32"]
