"""The annotations of jaxtyping, `Float32[Tensor, "4 200"]`: what they say of dtype and sizes can be asked
for. Nothing is checked at run time.
"""


class _Dimension:
    """A size where the annotation gives a number, else a name."""

    def __init__(self, text):
        self.name = text
        self.size = int(text) if text.lstrip("-").isdigit() else None

    def __repr__(self):
        return self.name


class _Annotation:
    def __init__(self, kind, array_type, text):
        self.array_type = array_type
        self.dim_str = text
        self.dims = tuple(_Dimension(part) for part in text.split())
        self.dtypes = kind.dtypes
        self._kind = kind.__name__

    def __repr__(self):
        name = getattr(self.array_type, "__name__", self.array_type)
        return f'{self._kind}[{name}, "{self.dim_str}"]'


class _Kind(type):
    def __getitem__(cls, item):
        array_type, text = item
        return _Annotation(cls, array_type, text)


def _kind(name, *dtypes):
    return _Kind(name, (), {"dtypes": list(dtypes)})


Float16, BFloat16 = _kind("Float16", "float16"), _kind("BFloat16", "bfloat16")
Float32, Float64 = _kind("Float32", "float32"), _kind("Float64", "float64")
Int8, Int16 = _kind("Int8", "int8"), _kind("Int16", "int16")
Int32, Int64 = _kind("Int32", "int32"), _kind("Int64", "int64")
UInt8, Bool = _kind("UInt8", "uint8"), _kind("Bool", "bool")
Int = _kind("Int", "int8", "int16", "int32", "int64")
Float = _kind("Float", "float16", "bfloat16", "float32", "float64")


def jaxtyped(fn=None, *, typechecker=None):
    """The check at run time is not made."""
    return (lambda f: f) if fn is None else fn


def __getattr__(name):
    raise AttributeError(f"module 'jaxtyping' has no attribute '{name}' (not available in Hippocamp)")
