"""The Tensor: a window on a storage. Views, indexing, conversions and the operators; the functions
themselves are in `_ops`, `_reductions`, `_create`, and are attached as methods by `torch/__init__`.
"""

import json

from . import _core as core, _real_numpy
from ._core import CPU, CUDA, Size, axis_of, numel, row_major, run


class Tensor:
    __slots__ = (
        "_storage", "dtype", "device", "_shape", "_strides", "_offset", "requires_grad", "_grad",
        "_grad_fn", "_base", "_base_fn", "_counter", "_hooks", "__weakref__", "__dict__",
    )  # fmt: skip
    __array_priority__ = 1000

    def __new__(cls, *args, **kwargs):
        if cls is Tensor:
            from . import tensor

            return tensor(*args, dtype=core.get_default_dtype()) if args and not _sizes(args) else _legacy(args)
        return object.__new__(cls)

    @property
    def shape(self):
        return self._shape

    @property
    def grad(self):
        return self._grad

    @grad.setter
    def grad(self, value):
        if value is not None and value._shape != self._shape:
            raise RuntimeError(
                f"assigned grad has data of a different size: {list(value._shape)} vs {list(self._shape)}"
            )
        self._grad = value

    @property
    def grad_fn(self):
        """The node on the tape; a node of several outputs is kept with which of them this is."""
        return self._grad_fn[0] if self._grad_fn.__class__ is tuple else self._grad_fn

    @grad_fn.setter
    def grad_fn(self, node):
        self._grad_fn = node

    @property
    def output_nr(self):
        return self._grad_fn[1] if self._grad_fn.__class__ is tuple else 0

    @property
    def retains_grad(self):
        return bool(self._hooks) and "retain" in self._hooks

    @property
    def _version(self):
        """How often operations in place wrote this memory: one count for all views of it."""
        return (self._counter or self._storage).version

    @_version.setter
    def _version(self, value):
        (self._counter or self._storage).version = value

    # ── facts ───────────────────────────────────────────────────────────────────────────────────

    @property
    def is_leaf(self):
        return self.grad_fn is None

    @property
    def is_cuda(self):
        return self.device.type == "cuda"

    @property
    def is_cpu(self):
        return self.device.type == "cpu"

    is_sparse = is_quantized = is_meta = is_mps = is_nested = False
    layout = core.strided

    @property
    def ndim(self):
        return len(self._shape)

    def dim(self):
        return len(self._shape)

    ndimension = dim

    def size(self, dim=None):
        return self._shape if dim is None else self._shape[axis_of(dim, len(self._shape))]

    def stride(self, dim=None):
        return self._strides if dim is None else self._strides[axis_of(dim, len(self._shape))]

    def numel(self):
        return numel(self._shape)

    nelement = numel

    def element_size(self):
        return self.dtype.itemsize

    @property
    def itemsize(self):
        return self.dtype.itemsize

    @property
    def nbytes(self):
        return self.numel() * self.dtype.itemsize

    def storage_offset(self):
        return self._offset

    def untyped_storage(self):
        return core.UntypedStorage(self._storage, self.device)

    storage = untyped_storage

    def data_ptr(self):
        if self.numel() == 0:
            return 0
        return self._storage.address(self.device) + self._offset * self.dtype.itemsize

    def is_contiguous(self, memory_format=None):
        if str(memory_format).startswith("torch.channels_last"):
            from ._views import is_channels_last

            last = 5 if memory_format.name.endswith("3d") else 4
            return len(self._shape) == last and is_channels_last(self._shape, self._strides)
        expected = 1
        for size, stride in zip(reversed(self._shape), reversed(self._strides)):
            if size == 1:
                continue
            if size == 0:
                return True
            if stride != expected:
                return False
            expected *= size
        return True

    def is_floating_point(self):
        return self.dtype.is_floating_point

    def is_complex(self):
        return self.dtype.is_complex

    def is_signed(self):
        return self.dtype.is_signed

    def get_device(self):
        return 0 if self.is_cuda else -1

    def is_pinned(self, device=None):
        return False

    def pin_memory(self, device=None):
        return self

    def is_shared(self):
        return False

    def __len__(self):
        if not self._shape:
            raise TypeError("len() of a 0-d tensor")
        return self._shape[0]

    def __hash__(self):
        return id(self)

    def __bool__(self):
        n = self.numel()
        if n == 0:
            raise RuntimeError("Boolean value of Tensor with no values is ambiguous")
        if n > 1:
            raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")
        return bool(self.item())

    def _number(self):
        if self.numel() != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
        return self.item()

    def __float__(self):
        return float(self._number())

    def __int__(self):
        return int(self._number())

    def __index__(self):
        if self.dtype.is_floating_point or self.dtype.is_complex or self.numel() != 1:
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return int(self.item())

    def __complex__(self):
        return complex(self.item())

    def __contains__(self, value):
        return bool((self == value).any().item())

    def __iter__(self):
        if not self._shape:
            raise TypeError("iteration over a 0-d tensor")
        return iter([self[i] for i in range(self._shape[0])])

    def __deepcopy__(self, memo):
        if not self.is_leaf:
            raise RuntimeError(
                "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol "
                "at the moment.  If you were attempting to deepcopy a module, this may be because of a "
                "torch.nn.utils.weight_norm usage, see https://github.com/pytorch/pytorch/pull/103001"
            )
        data = self.detach().clone()
        shape, strides = data._shape, data._strides
        copy = make(data._storage, data.dtype, data.device, shape, strides, 0, type(self))
        copy.requires_grad = self.requires_grad
        copy._grad = None if self._grad is None else self._grad.clone()
        copy.__dict__.update(self.__dict__)
        memo[id(self)] = copy
        return copy

    def __repr__(self, *, tensor_contents=None):
        from ._print import tensor_str

        return tensor_str(self)

    def __format__(self, spec):
        if not self._shape:
            return format(self.item(), spec)
        return object.__format__(self, spec)

    # ── values ──────────────────────────────────────────────────────────────────────────────────

    def _flat(self):
        if self.dtype.is_complex:
            from ._complex import values

            return values(self)
        values = json.loads(run("tolist", (), (self,)))
        return [bool(v) for v in values] if self.dtype is core.bool_ else values

    def tolist(self):
        values = self._flat()
        if not self._shape:
            return values[0]
        for size in reversed(self._shape[1:]):
            if size == 0:
                return _empty_nest(self._shape)
            values = [values[i : i + size] for i in range(0, len(values), size)]
        return values

    def item(self):
        if self.numel() != 1:
            raise RuntimeError(
                f"a Tensor with {self.numel()} elements cannot be converted to Scalar"
            )
        return self._flat()[0]

    def numpy(self, *, force=False):
        if self.device.type != "cpu" and not force:
            raise TypeError(
                "can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first."
            )
        if self.requires_grad and not force:
            raise RuntimeError(
                "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
            )
        import numpy

        if _real_numpy.is_real(numpy):
            plain = self.detach().cpu().contiguous().clone()
            data = plain._storage.bytes().to_py()[: plain.numel() * plain.dtype.itemsize]
            return _real_numpy.array_of(numpy, data, str(plain.dtype)[6:], tuple(plain.shape))
        return numpy._array.of_tensor(self.cpu() if self.is_cuda else self.data)

    def __array__(self, dtype=None):
        found = self.numpy()
        return found if dtype is None else found.astype(dtype)

    # ── autograd ────────────────────────────────────────────────────────────────────────────────

    def requires_grad_(self, requires_grad=True):
        if requires_grad and not (self.dtype.is_floating_point or self.dtype.is_complex):
            raise RuntimeError("only Tensors of floating point dtype can require gradients")
        self.requires_grad = requires_grad
        return self

    def detach(self):
        return alias(self)

    def detach_(self):
        self.grad_fn = None
        self.requires_grad = False
        return self

    @property
    def data(self):
        out = alias(self)
        out._counter = Counter()
        return out

    @data.setter
    def data(self, other):
        # The variable keeps its own count, and counts none of the other's changes.
        if other._storage is not self._storage:
            self._counter = Counter(self._version)
        self._storage = other._storage
        self.dtype = other.dtype
        self.device = other.device
        self._shape = other._shape
        self._strides = other._strides
        self._offset = other._offset

    def backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None):
        from ._autograd import backward

        backward([self], [gradient], create_graph, inputs)

    def retain_grad(self):
        self._hooks = self._hooks or []
        self._hooks.append("retain")

    def register_hook(self, hook):
        if not self.requires_grad:
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        self._hooks = self._hooks or []
        self._hooks.append(hook)
        return core.RemovableHandle(self._hooks, hook)

    def register_post_accumulate_grad_hook(self, hook):
        self._hooks = self._hooks or []
        entry = ("accumulated", hook)
        self._hooks.append(entry)
        return core.RemovableHandle(self._hooks, entry)

    def __getitem__(self, index):
        from ._indexing import get

        return get(self, index)

    def __setitem__(self, index, value):
        from ._indexing import put

        put(self, index, value)


Tensor.__module__ = "torch"


class Counter:
    """The versions of `x.data`, or of what got new `data`, and of their views. Other tensors' are their storage's."""

    __slots__ = ("version",)

    def __init__(self, version=0):
        self.version = version


def _sizes(args):
    return all(isinstance(a, int) and not isinstance(a, bool) for a in args)


def _legacy(args):
    dtype = core.get_default_dtype()
    return empty_strided(tuple(args) if args else (0,), None, dtype, CPU, dtype.fill)


def _empty_nest(shape):
    if len(shape) == 1:
        return []
    return [_empty_nest(shape[1:]) for _ in range(shape[0])]


def make(storage, dtype, device, shape, strides, offset, cls=Tensor):
    t = object.__new__(cls)
    t._storage = storage
    t.dtype = dtype
    t.device = device
    t._shape = shape if shape.__class__ is Size else Size(shape)
    t._strides = strides
    t._offset = offset
    t.requires_grad = False
    t._grad = None
    t._grad_fn = None
    t._base = None
    t._base_fn = None
    t._counter = None
    t._hooks = None
    return t


def empty(shape, dtype, device, fill=()):
    """A contiguous tensor on a new storage, of zeros, or of what a user's empty memory holds: `dtype.fill`."""
    storage = core.Storage(numel(shape) * dtype.itemsize, device, fill)
    return make(storage, dtype, device, shape, row_major(shape), 0)


def empty_strided(shape, strides, dtype, device, fill=()):
    if strides is None:
        return empty(shape, dtype, device, fill)
    span = 1 + sum((s - 1) * t for s, t in zip(shape, strides)) if numel(shape) else 0
    storage = core.Storage(span * dtype.itemsize, device, fill)
    return make(storage, dtype, device, shape, tuple(strides), 0)


def view_of(t, shape, strides, offset):
    """A view, without its gradient."""
    out = make(t._storage, t.dtype, t.device, shape, tuple(strides), offset)
    out._base = base = t if t._base is None else t._base
    out._base_fn = base._grad_fn
    out._counter = t._counter
    if t.requires_grad:
        from . import _autograd

        # As in PyTorch, a view made under no_grad still says that it requires grad: `forward` of a
        # Function often reshapes its input first, and tests then.
        if not _autograd._enabled:
            out.requires_grad = True
    return out


def alias(t):
    out = make(t._storage, t.dtype, t.device, t._shape, t._strides, t._offset)
    out._counter = t._counter
    return out


def contiguous_copy(t):
    out = empty(t._shape, t.dtype, t.device)
    if t.numel():
        run("copy", (out,), (t,))
    return out


def write(target, source, dtype=None):
    """Fills the window `target` with `source`, a tensor of its shape or an operand."""
    if target.numel():
        run("copy", (target,), (source,))
    target._version += 1


__all__ = ["CUDA", "Tensor", "alias", "contiguous_copy", "empty", "make", "view_of", "write"]
