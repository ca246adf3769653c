"""The ground `torch` stands on: dtypes, devices, sizes, storages, type promotion, and the call into
app/numerics. A tensor is a strided window on a storage; a storage is bytes that the runtime keeps in
a CPU copy and a GPU copy.
"""

import functools
import weakref

import _hippocamp_bridge as bridge


#: The bits of NaN; the other complex and floating dtypes are made of these.
_NAN = {
    "float64": 0x7FF8 << 48, "float32": 0x7FC00000, "float16": 0x7E00, "bfloat16": 0x7FC0,
    "float8_e5m2": 0x7F, "float8_e4m3fn": 0x7F, "complex64": 0x7FC00000, "complex128": 0x7FF8 << 48,
}  # fmt: skip


def _fill(name, itemsize, kind):
    """What empty memory of a dtype holds, as PyTorch's deterministic mode fills it: NaN, the largest integer, True.
    The two words of 32 bits that memory repeats."""
    if kind in "fc":
        bits, itemsize = _NAN[name], itemsize // 2 if kind == "c" else itemsize
    elif name == "bool":
        bits = 1
    else:
        bits = (1 << (8 * itemsize - (kind == "i"))) - 1
    pattern = int.from_bytes(bits.to_bytes(itemsize, "little") * (8 // itemsize), "little")
    return pattern & 0xFFFFFFFF, pattern >> 32


class dtype:
    __slots__ = ("name", "itemsize", "is_floating_point", "is_signed", "is_complex", "rank", "short", "fill")

    def __init__(self, name, itemsize, kind, rank, short):
        self.name = name
        self.itemsize = itemsize
        self.is_floating_point = kind == "f"
        self.is_signed = kind != "u"
        self.is_complex = kind == "c"
        self.rank = rank
        self.short = short
        self.fill = _fill(name, itemsize, kind)

    def __repr__(self):
        return "torch." + self.name

    def __reduce__(self):
        return (_dtype_by_name, (self.name,))

    def to_complex(self):
        """The dtype of complex numbers whose parts are of this one."""
        if self.is_complex:
            return self
        if self is float16:
            raise NotImplementedError("torch.complex32 is not available in Hippocamp's torch")
        return complex128 if self is float64 else complex64

    def to_real(self):
        if not self.is_complex:
            return self
        return float64 if self is complex128 else float32


dtype.__module__ = "torch"

float64 = dtype("float64", 8, "f", 4, "Double")
float32 = dtype("float32", 4, "f", 3, "Float")
float16 = dtype("float16", 2, "f", 2, "Half")
bfloat16 = dtype("bfloat16", 2, "f", 2, "BFloat16")
float8_e5m2 = dtype("float8_e5m2", 1, "f", 1, "Float8_e5m2")
float8_e4m3fn = dtype("float8_e4m3fn", 1, "f", 1, "Float8_e4m3fn")
int64 = dtype("int64", 8, "i", 4, "Long")
int32 = dtype("int32", 4, "i", 3, "Int")
int16 = dtype("int16", 2, "i", 2, "Short")
int8 = dtype("int8", 1, "i", 1, "Char")
uint64 = dtype("uint64", 8, "u", 4, "UInt64")
uint32 = dtype("uint32", 4, "u", 3, "UInt32")
uint16 = dtype("uint16", 2, "u", 2, "UInt16")
uint8 = dtype("uint8", 1, "u", 1, "Byte")
bool_ = dtype("bool", 1, "u", 0, "Bool")
complex64 = dtype("complex64", 8, "c", 3, "ComplexFloat")
complex128 = dtype("complex128", 16, "c", 4, "ComplexDouble")

DTYPES = (
    float64, float32, float16, bfloat16, float8_e5m2, float8_e4m3fn,
    int64, int32, int16, int8, uint64, uint32, uint16, uint8, bool_,
)  # fmt: skip
BY_NAME = {d.name: d for d in (*DTYPES, complex64, complex128)}
FP8 = (float8_e5m2, float8_e4m3fn)

#: PyTorch takes Python's own types where it takes a dtype.
_PYTHON = {bool: bool_, int: int64, float: float64, complex: complex128}

_default = float32


def from_python(given):
    return _PYTHON.get(given, given) if given.__class__ is type else given


def takes_types(space, names):
    """Lets functions of a module be given `bool`, `int`, `float` or `complex` as their dtype."""
    for name in names.split():
        space[name] = _taking_types(space[name])


def _taking_types(function):
    @functools.wraps(function)
    def taking(*args, **kw):
        if kw.get("dtype").__class__ is type:
            kw["dtype"] = from_python(kw["dtype"])
        return function(*args, **kw)

    return taking


def _dtype_by_name(name):
    return BY_NAME[name]


def get_default_dtype():
    return _default


def set_default_dtype(d):
    global _default
    _default = d


def compute_name(d):
    """The dtype that numerics computes `d` in: the narrow floats widen to f32 and are rounded once."""
    return "float32" if d.is_floating_point and d.itemsize < 4 else d.name


class device:
    __slots__ = ("type", "index")

    def __init__(self, type="cuda", index=None):
        if isinstance(type, device):
            type, index = type.type, type.index
        elif isinstance(type, int):
            type, index = "cuda", type
        elif ":" in type:
            type, number = type.split(":", 1)
            if not number.isdigit():
                raise RuntimeError(f"Invalid device string: '{type}:{number}'")
            index = int(number)
        if type not in ("cpu", "cuda", "meta"):
            raise RuntimeError(
                "Expected one of cpu, cuda, ipu, xpu, mkldnn, opengl, opencl, ideep, hip, ve, fpga, "
                "maia, xla, lazy, vulkan, mps, meta, hpu, mtia, privateuseone device type at start "
                f"of device string: {type}"
            )
        self.type = type
        self.index = index

    def __repr__(self):
        if self.index is None:
            return f"device(type='{self.type}')"
        return f"device(type='{self.type}', index={self.index})"

    def __str__(self):
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __eq__(self, other):
        return isinstance(other, device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self):
        return hash((self.type, self.index))

    def __enter__(self):
        _device_stack.append(self)
        return self

    def __exit__(self, *_):
        _device_stack.pop()


device.__module__ = "torch"
CPU = device("cpu")
CUDA = device("cuda", 0)
_device_stack = []


def as_device(d):
    """Where a tensor requested on `d` lies: 'cuda' is 'cuda:0'."""
    if d is None:
        return as_device(_device_stack[-1]) if _device_stack else CPU
    if d is CUDA or d is CPU:
        return d
    d = device(d)
    if d.type == "cpu":
        return CPU
    if d.type == "meta":
        raise NotImplementedError("meta tensors are not available in Hippocamp's torch")
    if d.index not in (None, 0):
        raise RuntimeError(
            "CUDA error: invalid device ordinal\nThere is one device here, the visitor's GPU: "
            f"write cuda:0 in place of cuda:{d.index}."
        )
    return CUDA


class memory_format:
    """`torch.contiguous_format` and its like: how dimensions lie in memory."""

    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return "torch." + self.name


MEMORY_FORMATS = tuple(
    memory_format(n) for n in ("contiguous_format", "preserve_format", "channels_last", "channels_last_3d")
)


class layout:
    def __repr__(self):
        return "torch.strided"


strided = layout()


class Size(tuple):
    __slots__ = ()

    def numel(self):
        return numel(self)

    def __repr__(self):
        return f"torch.Size([{', '.join(map(str, self))}])"

    def __getitem__(self, index):
        part = tuple.__getitem__(self, index)
        return Size(part) if isinstance(index, slice) else part

    def __add__(self, other):
        return Size(tuple.__add__(self, tuple(other)))


Size.__module__ = "torch"


def numel(shape):
    n = 1
    for s in shape:
        n *= s
    return n


def row_major(shape):
    return _row_major(tuple(shape) if shape.__class__ is list else shape)


@functools.lru_cache(4096)
def _row_major(shape):
    strides = [1] * len(shape)
    step = 1
    for i in range(len(shape) - 1, -1, -1):
        strides[i] = step
        step *= shape[i] if shape[i] > 1 else 1
    return tuple(strides)


class RemovableHandle:
    """What registering a hook gives: `remove()` takes the hook away again."""

    def __init__(self, hooks, entry):
        self._hooks, self._entry = hooks, entry

    def remove(self):
        if self._entry in self._hooks:
            self._hooks.remove(self._entry)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.remove()


class OutOfMemoryError(RuntimeError):
    pass


OutOfMemoryError.__module__ = "torch"


class Storage:
    """Bytes. `stale` says that a kernel may have written the GPU copy since the bytes were read."""

    __slots__ = (
        "id", "nbytes", "_view", "stale", "on_device", "_address", "_new", "version", "fill", "state", "__weakref__",
    )  # fmt: skip
    #: Bytes of the storages on the device that are alive, and the most there were.
    allocated = peak = 0

    def __init__(self, nbytes, device=CPU, fill=()):
        self.on_device = False
        self.id = bridge.storage_create(nbytes, *fill)
        self.nbytes = nbytes
        self.fill = fill
        #: How its contents came to be (`_history.State`); None before anything has written it.
        self.state = None
        self._view = None
        self._address = None
        #: How often an operation in place wrote it; kernels are not counted, as in PyTorch.
        self.version = 0
        #: Nobody has read or written it.
        self._new = True
        self.stale = False
        self.on_device = device is CUDA
        if self.on_device:
            Storage.allocated += nbytes
            Storage.peak = max(Storage.peak, Storage.allocated)
            bridge.storages[self.id] = self
            if bridge.capture is not None and not fill:
                bridge.capture.created(self)

    def address(self, device):
        bridge.catch_up()
        bridge.storages[self.id] = self
        self._address = bridge.storage_address(self.id, device.type == "cpu")
        return self._address

    @staticmethod
    def at(address):
        """The storage that an address given out by `address` lies in, and the byte in it, or None."""
        for storage in list(bridge.storages.values()):
            start = storage._address
            if start is not None and start <= address < start + max(1, storage.nbytes):
                return storage, address - start
        return None

    def bytes(self):
        """The CPU copy, fresh."""
        if bridge.capture is not None and self.on_device:
            bridge.capture.refuse()
        self._new = False
        bridge.catch_up()
        if self._view is None or self.stale:
            self._view = bridge.storage_read(self.id)
            self.stale = False
        return self._view

    def operand(self):
        """What `bridge.numerics` takes for an operand that lies here."""
        self._new = False
        return self.bytes() if self.on_device or self.stale else self.id * 4

    def result(self, t, ins):
        """The same for a result in the window `t`."""
        if self.on_device or self.stale:
            return self.bytes()
        if not self._new:
            return self.id * 4 + 1
        self._new = False
        if t._strides != row_major(t._shape) or numel(t._shape) * t.dtype.itemsize != self.nbytes:
            return self.id * 4 + 1
        for each in ins:
            if each.__class__ is not str and each._storage is self:
                return self.id * 4 + 1
        return self.id * 4 + 2

    def __del__(self):
        if self.on_device:
            Storage.allocated -= self.nbytes
        try:
            bridge.storage_release(self.id)
        except Exception:
            pass


class UntypedStorage:
    """What `tensor.untyped_storage()` shows of a storage."""

    def __init__(self, storage, device):
        self._storage = storage
        self.device = device

    def nbytes(self):
        return self._storage.nbytes

    size = __len__ = nbytes

    def data_ptr(self):
        return self._storage.address(self.device)


#: Storages with results of our own products on the GPU, and of what was computed from them.
marked = weakref.WeakSet()


#: Within `_eager.timed()`: launches an operation of `run`, and answers whether it did.
eager = None
#: The function, one kernel in PyTorch, whose operations run now (`_eager.single`).
composite = None

#: During the backward of a node: what it saved, by the id of the version's counter (`_autograd`).
saved = None


def window(t):
    """A tensor as an operand of app/numerics."""
    shape, strides = t._shape, t._strides
    if len(shape) == 1:
        return f'{{"d":"{t.dtype.name}","s":[{tuple.__getitem__(shape, 0)}],"t":[{strides[0]}],"o":{t._offset}}}'
    return f'{{"d":"{t.dtype.name}","s":{list(shape)},"t":{list(strides)},"o":{t._offset}}}'


class ComplexConstant:
    """A Python number as an operand of complex dtype."""

    __slots__ = ("value", "dtype")

    def __init__(self, value, dtype):
        self.value, self.dtype = value, dtype


def constant(value, d):
    """A Python number as an operand, converted to dtype `d`."""
    if d.is_complex:
        return ComplexConstant(value, d)
    if value is True or value is False:
        value = int(value)
    elif isinstance(value, float):
        value = float(value)
    elif isinstance(value, complex):
        if value.imag:
            raise RuntimeError(
                f"value cannot be converted to type {d.name} without overflow"
            )
        value = value.real
    return f'{{"d":"{d.name}","v":"{value!r}"}}'


def run(op, outs, ins, f="", c=None, n=(), x=()):
    """Runs one numeric operation. `ins` are tensors, or operands made by `constant`."""
    if bridge.capture is not None and bridge.capture.operation((op, outs, ins, f, c, n, x)):
        return ""
    if eager is not None and eager(op, outs, ins, f, c, n, x):
        return ""
    for t in (*outs, *ins):
        if t.__class__ is not str and t.dtype.is_complex:
            from ._complex import run as run_parts

            return run_parts(op, outs, ins, f, n, x)
    if bridge.profile is not None:
        bridge.catch_up()
    buffers = [t._storage.result(t, ins) for t in outs]
    operands = []
    for t in ins:
        if t.__class__ is str:
            operands.append(t)
        else:
            operands.append(window(t))
            if saved is not None:
                _check_version(t)
            buffers.append(t._storage.operand())
    numbers = ",".join([f'"{v!r}"' if not isinstance(v, str) else f'"{v}"' for v in x])
    windows = [window(t) for t in outs]
    request = (
        f'{{"op":"{op}","f":"{f}","c":"{c or "float32"}","in":[{",".join(operands)}],'
        f'"out":[{",".join(windows)}],"n":{list(n)},"x":[{numbers}]}}'
    )
    try:
        answer = bridge.numerics(request, buffers)
    except Exception as error:
        # Memory that was to be written whole holds what it held for another tensor.
        for t, buffer in zip(outs, buffers):
            if buffer.__class__ is int and buffer % 4 == 2:
                bridge.storage_read(t._storage.id).fill(0)
        raise _python_error(error) from None
    for t in outs:
        storage = t._storage
        if storage.on_device or storage.stale:
            bridge.storage_written(storage.id)
    if marked:
        _mark(outs, ins)
    if outs and _history.enabled:
        _history.record(op, outs, ins, f, c, n, x, windows, operands)
    return answer


def _mark(outs, ins):
    """What comes of marked storages is marked; what is written whole from others is not."""
    found = any(t.__class__ is not str and t._storage in marked for t in ins)
    for t in outs:
        if found:
            marked.add(t._storage)
        elif numel(t._shape) * t.dtype.itemsize == t._storage.nbytes:
            marked.discard(t._storage)


def _check_version(t):
    """@raises RuntimeError where a backward reads a saved tensor that was changed since."""
    found = saved.get(id(t._counter or t._storage))
    if found is not None and found[0].version != found[1]:
        raise RuntimeError(changed_text(*found))


def changed_text(counter, version, t):
    """PyTorch's message; `t` is the tensor as it was saved."""
    where = "cuda." if t.device is CUDA else ""
    output = f", which is output {t.output_nr} of {t.grad_fn.name()}," if t.grad_fn is not None else ""
    return (
        "one of the variables needed for gradient computation has been modified by an inplace operation: "
        f"[torch.{where}{t.dtype.short}Tensor {list(t._shape)}]{output} is at version {counter.version}; "
        f"expected version {version} instead. Hint: enable anomaly detection to find the operation that "
        "failed to compute its gradient, with torch.autograd.set_detect_anomaly(True)."
    )


def _python_error(error):
    """JavaScript's error as the exception PyTorch would raise."""
    text = getattr(error, "message", None) or str(error)
    if text.startswith("Error: "):
        text = text[7:]
    if text.startswith("IndexError: "):
        return IndexError(text[12:])
    if getattr(error, "name", None) == "MemoryError":
        return bridge.python_error(error)
    if "ZeroDivisionError" in text:
        return RuntimeError("ZeroDivisionError")
    if "not implemented" in text:
        return NotImplementedError(text)
    return RuntimeError(text)


# ── type promotion ──────────────────────────────────────────────────────────────────────────────


def promote_types(a, b):
    if a is b:
        return a
    if a.is_complex or b.is_complex:
        if a in FP8 or b in FP8:
            raise RuntimeError(
                f"Promotion for Float8 Types is not supported, attempted to promote {a.short} and {b.short}"
            )
        wide = float64 in (a, b) or complex128 in (a, b)
        return complex128 if wide else complex64
    if a in FP8 or b in FP8:
        if a is bool_ or b is bool_ or not (a.is_floating_point and b.is_floating_point):
            return a if a.is_floating_point else b
        raise RuntimeError(
            f"Promotion for Float8 Types is not supported, attempted to promote {a.short} and {b.short}"
        )
    if a.is_floating_point or b.is_floating_point:
        if a.is_floating_point and b.is_floating_point:
            if a.rank == b.rank:
                return float32
            return a if a.rank > b.rank else b
        return a if a.is_floating_point else b
    if a is bool_:
        return b
    if b is bool_:
        return a
    if a.is_signed == b.is_signed:
        if not a.is_signed and (a is not uint8 and b is not uint8):
            _no_unsigned(a, b)
        return a if a.rank > b.rank else b
    signed, unsigned = (a, b) if a.is_signed else (b, a)
    if unsigned is uint8:
        return int16 if signed is int8 else signed
    _no_unsigned(a, b)


def _no_unsigned(a, b):
    raise RuntimeError(
        "Promotion for uint16, uint32, uint64 types is not supported, attempted to promote "
        f"{a.short} and {b.short}"
    )


def scalar_dtype(value):
    if isinstance(value, bool):
        return bool_
    if isinstance(value, int):
        return int64
    if isinstance(value, float):
        return _default
    if isinstance(value, complex):
        return _default.to_complex()
    raise TypeError(f"unsupported operand type: {type(value).__name__}")


def _combine(higher, lower):
    if higher is None:
        return lower
    if lower is None or higher.is_complex:
        return higher
    if higher.is_floating_point:
        return higher.to_complex() if lower.is_complex else higher
    if higher is bool_ or lower.is_floating_point or lower.is_complex:
        return promote_types(higher, lower)
    return higher


def result_type(*operands):
    """PyTorch's rule: tensors with dimensions before 0-d tensors before Python numbers."""
    dimensioned = zero = wrapped = None
    for t in operands:
        if isinstance(t, (bool, int, float, complex)):
            d = scalar_dtype(t)
            wrapped = d if wrapped is None else promote_types(wrapped, d)
        elif t._shape:
            dimensioned = t.dtype if dimensioned is None else promote_types(dimensioned, t.dtype)
        else:
            zero = t.dtype if zero is None else promote_types(zero, t.dtype)
    return _combine(dimensioned, _combine(zero, wrapped))


def can_cast(source, target):
    if source.is_complex and not target.is_complex:
        return False
    if source.is_floating_point and not (target.is_floating_point or target.is_complex):
        return False
    return not (source is not bool_ and target is bool_)


def broadcast_shapes(*shapes):
    first = shapes[0] if shapes else None
    if first.__class__ is Size and all([s == first for s in shapes]):
        return first
    rank = max([len(s) for s in shapes], default=0)
    out = [1] * rank
    for shape in shapes:
        for i in range(-1, -len(shape) - 1, -1):
            size = shape[i]
            if size == 1 or size == out[i]:
                continue
            if out[i] != 1:
                raise RuntimeError(
                    f"The size of tensor a ({out[i]}) must match the size of tensor b ({size}) at "
                    f"non-singleton dimension {rank + i}"
                )
            out[i] = size
    return Size(out)


def axis_of(dim, rank):
    if isinstance(dim, float) or not hasattr(dim, "__index__"):
        raise TypeError(f"dim must be an int, not {type(dim).__name__}")
    dim = dim.__index__()
    limit = rank if rank else 1
    if not -limit <= dim < limit:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-limit}, {limit - 1}], but got {dim})"
        )
    return dim + limit if dim < 0 else dim


from . import _history  # noqa: E402
