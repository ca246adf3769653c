"""Typing a launch's arguments as Triton does: each becomes an `ArgumentSpec` (what the kernel is compiled
for), a value (what it is launched with), and a label for people.
"""

from .._program import LONG
from .._types import CANONICAL, normalize, short_dtype
from ..language.core import constexpr
from .callables import JITCallable
from .tensors import MockTensor, TensorWrapper

_SHORT_TYPES = frozenset(CANONICAL.values())
_NONE = {"kind": "constexpr", "value": {"kind": "none"}}
EMPTY = object()


class KernelParam:
    """A parameter, and what its annotation says."""

    def __init__(self, num, name, annotation, default, do_not_specialize, do_not_align):
        self.num = num
        self.name = name
        self.annotation = normalize(annotation) if annotation not in (None, EMPTY) else ""
        self.default = default
        self.has_default = default is not EMPTY
        self.do_not_specialize = do_not_specialize
        self.do_not_specialize_on_alignment = do_not_align
        self.is_constexpr = "constexpr" in self.annotation
        bare = self.annotation.removeprefix("*k").removeprefix("*")
        self.is_const = not self.is_constexpr and (
            "const" in self.annotation or self.annotation.startswith("*k")
        )
        self.annotation_type = self.annotation if bare in _SHORT_TYPES else ""


def annotations(fn):
    try:
        return fn.__annotations__
    except NameError:
        # An annotation names something that does not exist (yet): keep what is known.
        import annotationlib

        return annotationlib.get_annotations(fn, format=annotationlib.Format.FORWARDREF)


class Specialization:
    """What `@triton.jit(repr=...)` names a kernel by: the arguments' types and the constants."""

    def __init__(self, names, specs, values):
        self.signature = {name: _signature(spec) for name, spec in zip(names, specs)}
        self.constants = {
            name: value for name, spec, value in zip(names, specs, values) if spec["kind"] == "constexpr"
        }


def _signature(spec):
    kind = spec["kind"]
    if kind == "pointer":
        return ("*k" if spec.get("readonly") else "*") + CANONICAL[spec["dtype"]]
    if kind == "tuple":
        return tuple(_signature(item) for item in spec["items"])
    return CANONICAL[spec["dtype"]] if kind == "scalar" else "constexpr"


class Typing:
    """Types one launch's arguments: `ArgumentSpec`s, values and labels."""

    def __init__(self, jit):
        self.jit = jit
        self.values = []
        self.labels = []
        self.storages = []
        self.functions = []
        self.placeholders = []

    def argument(self, param, value):
        if param.is_constexpr:
            self.values.append(None)
            self.labels.append(f"{param.name} = {_brief(value)}")
            # Triton finds the specialization by its values.
            if value is not None:
                hash(value)
            return {"kind": "constexpr", "value": self.static(value)}
        kind = param.annotation_type
        if kind and not kind.startswith("*") and not _is_pointer(value):
            return self.annotated(param, kind, value)
        return self.typed(param, value, param.name)

    def stated(self, param, kind, aligned):
        """An argument of which only the type is known, in Triton's notation: `*fp32`, `i32`."""
        if isinstance(kind, (tuple, list)):
            return {"kind": "tuple", "items": [self.stated(param, each, False) for each in kind]}
        self.labels.append(f"{param.name}: {kind}")
        if kind.startswith("*"):
            self.values.append(None)
            bare = kind.removeprefix("*k").removeprefix("*")
            spec = {"kind": "pointer", "dtype": LONG[bare], "divisibleBy16": aligned, "group": 0}
            if param.is_const or kind.startswith("*k"):
                spec["readonly"] = True
            return spec
        self.values.append({"scalar": "0"})
        return {"kind": "scalar", "dtype": LONG[kind], "divisibleBy16": aligned}

    def annotated(self, param, kind, value):
        """An annotation fixes a scalar's type; floats and bools are then not specialized at all."""
        dtype = LONG[kind]
        if kind == "u1" or kind[:2] in ("fp", "bf"):
            return self.scalar(param.name, dtype, value, False)
        spec = self.typed(param, value, param.name)
        if spec["kind"] == "scalar":
            spec["dtype"] = dtype
            self.labels[-1] = f"{param.name}: {kind} = {value!r}"
        return spec

    def typed(self, param, value, label):
        if isinstance(value, constexpr):
            value = value.value
            self.values.append(None)
            self.labels.append(f"{label} = {_brief(value)}")
            return {"kind": "constexpr", "value": self.static(value)}
        if value is None:
            self.values.append(None)
            self.labels.append(f"{label} = None")
            return _NONE
        if value is True or value is False:
            return self.scalar(label, "int1", int(value), False)
        if isinstance(value, int):
            return self.integer(param, value, label)
        if isinstance(value, float):
            return self.scalar(label, "float32", value, False)
        if _is_pointer(value):
            return self.pointer(param, value, label)
        if isinstance(value, tuple):
            items = [self.typed(param, v, f"{label}[{i}]") for i, v in enumerate(value)]
            out = {"kind": "tuple", "items": items}
            fields = getattr(type(value), "_fields", None)
            if fields is not None:
                out["fields"] = list(fields)
            return out
        if hasattr(value, "base") and hasattr(value, "block_shape"):
            return self.descriptor(param, value, label)
        if isinstance(value, JITCallable):
            self.values.append(None)
            self.labels.append(f"{label} = {_brief(value)}")
            return {"kind": "constexpr", "value": self.static(value)}
        raise TypeError(
            f"failed to specialize argument of type: {type(value).__name__}" + _hint(param, value)
        )

    def integer(self, param, value, label):
        value = int(value)
        if value == 1 and not param.do_not_specialize:
            self.values.append(None)
            self.labels.append(f"{label} = 1")
            return {"kind": "constexpr", "value": {"kind": "int", "value": "1"}}
        if -(2**31) <= value < 2**31:
            dtype = "int32"
        elif 2**63 <= value < 2**64:
            dtype = "uint64"
        elif -(2**63) <= value < 2**63:
            dtype = "int64"
        else:
            raise OverflowError("integer to be specialized too large to represent")
        aligned = value % 16 == 0
        if param.do_not_specialize or param.do_not_specialize_on_alignment:
            aligned = False
        return self.scalar(label, dtype, value, aligned)

    def scalar(self, label, dtype, value, aligned):
        if isinstance(value, bool):
            value = int(value)
        elif dtype.startswith(("float", "bfloat")):
            value = float(value)
        self.values.append({"scalar": repr(value)})
        self.labels.append(f"{label}: {CANONICAL[dtype]} = {value!r}")
        return {"kind": "scalar", "dtype": dtype, "divisibleBy16": aligned}

    def pointer(self, param, value, label):
        if isinstance(value, MockTensor):
            self.values.append(None)
            offset = 0
            shape = value.shape
        else:
            base = value
            while isinstance(base, TensorWrapper):
                base = base.base
            if base.device.type != "cuda":
                raise ValueError(
                    f"Pointer argument (at {param.num}) cannot be accessed from Triton (cpu tensor?)"
                )
            storage, offset = _place(base)
            shape = base.shape
            place = {"storage": storage.id, "byteOffset": offset, "shape": list(shape)}
            if hasattr(base, "stride"):
                place["strides"] = list(base.stride())
            self.values.append(place)
            self.storages.append(storage)
        short = short_dtype(value.dtype)
        aligned = offset % 16 == 0
        if param.do_not_specialize or param.do_not_specialize_on_alignment:
            aligned = False
        self.labels.append(f"{label}: *{short} [{', '.join(map(str, shape))}]")
        spec = {"kind": "pointer", "dtype": LONG[short], "divisibleBy16": aligned, "group": 0}
        if param.is_const:
            spec["readonly"] = True
        return spec

    def descriptor(self, param, value, label):
        """A host-made tensor descriptor: its pointer, sizes and strides travel as arguments."""
        base = self.pointer(param, value.base, f"{label}.base")
        self.labels[-1] += f" block [{', '.join(map(str, value.block_shape))}]"
        dimensions = []
        for part, numbers in (("shape", value.shape), ("strides", value.strides)):
            dimensions.append(
                [
                    self.scalar(f"{label}.{part}[{i}]", "int64", int(n), int(n) % 16 == 0)
                    for i, n in enumerate(numbers)
                ]
            )
        return {
            "kind": "tuple",
            "items": [base, *dimensions[0], *dimensions[1]],
            "descriptor": {
                "blockShape": [int(b) for b in value.block_shape],
                "padding": value.padding,
            },
        }

    def static(self, value):
        from .._program import Builder, static_scalar
        from .jit import JITFunction

        simple = static_scalar(value)
        if simple is not None:
            return simple
        if isinstance(value, constexpr):
            return self.static(value.value)
        if isinstance(value, JITFunction):
            if value not in self.functions:
                self.functions.append(value)
            holder = {"kind": "function", "id": ""}
            self.placeholders.append((holder, value))
            return holder
        if isinstance(value, (tuple, list)):
            out = {"kind": "tuple", "items": [self.static(v) for v in value]}
            fields = getattr(type(value), "_fields", None)
            if fields is not None:
                out["fields"] = list(fields)
                out["type"] = type(value).__name__
            return out
        return Builder().static(value)


def _hint(param, value):
    """What to do with an argument that is no number and no tensor."""
    name = param.name
    if isinstance(value, list):
        return f". Pass a tuple, or a tensor made of it: {name}=torch.tensor(…, device='cuda')"
    if isinstance(value, str) or hasattr(value, "primitive_bitwidth") or isinstance(value, type):
        return f". Declare the parameter as {name}: tl.constexpr"
    if hasattr(value, "__array__"):
        return ". Kernels take tensors and Python's numbers: torch.from_numpy(…).cuda(), float(…), int(…)"
    return ""


def _place(tensor):
    """The storage of a tensor and its first byte in it. Anything else that has a `data_ptr` is requested
    that, as by Triton: a buffer seen with other strides, say."""
    if hasattr(tensor, "_storage"):
        return tensor._storage, tensor._offset * tensor.dtype.itemsize
    from torch._core import Storage

    found = Storage.at(tensor.data_ptr())
    if found is None:
        raise ValueError("Pointer argument points to no tensor: its data_ptr() is no address of one")
    return found


def _is_pointer(value):
    return hasattr(value, "data_ptr")


def _brief(value):
    if hasattr(value, "primitive_bitwidth"):
        return str(value)
    if isinstance(value, JITCallable):
        return value.__name__
    return repr(value.value if isinstance(value, constexpr) else value)
