"""An honest subset of PyTorch, for the host code of Triton programs: PyTorch's names, dtypes, promotion,
strides, printing and errors; the numbers are computed by app/numerics. The device called `cuda` is the
visitor's GPU. What is not here raises an error that names it and the nearest thing that is.
"""

import builtins as _builtins
import sys as _sys

from . import _autograd, _core, _create, _indexing, _join, _ops, _reductions, _views
from ._core import (  # noqa: F401
    OutOfMemoryError, Size, bfloat16, broadcast_shapes, can_cast, device, dtype, float16,
    float32, float64, float8_e4m3fn, float8_e5m2, get_default_dtype, int16, int32, int64, int8,
    promote_types, result_type, set_default_dtype, uint16, uint32, uint64, uint8,
)  # fmt: skip
from ._autograd import (  # noqa: F401
    enable_grad, inference_mode, is_grad_enabled, no_grad, set_grad_enabled,
)  # fmt: skip
from ._create import *  # noqa: F403
from ._create import (  # noqa: F401
    Generator, arange, as_tensor, empty, empty_like, empty_strided, eye, finfo, full, full_like,
    iinfo, linspace, manual_seed, ones, ones_like, rand, rand_like, randint, randn, randn_like,
    randperm, tensor, tril, triu, zeros, zeros_like,
)  # fmt: skip
from ._print import set_printoptions  # noqa: F401
from ._tensor import Tensor
from .testing import allclose, equal, isclose

__version__ = "2.13.0"

bool = _core.bool_
half, float, double = float16, float32, float64
short, int, long = int16, int32, int64
inf, nan, pi, e = _builtins.float("inf"), _builtins.float("nan"), 3.141592653589793, 2.718281828459045
strided = "torch.strided"
contiguous_format, preserve_format, channels_last = "contiguous", "preserve", "channels_last"
newaxis = None


class _Version:
    cuda = "12.8"
    hip = None
    git_version = "hippocamp"


version = _Version()
_sys.modules["torch.version"] = version


def _export(module, names):
    space = globals()
    for name in names.split():
        space[name] = getattr(module, name)


_export(
    _ops,
    """abs absolute acos acosh add addcdiv addcmul addmm arccos arcsin arctan asin asinh atan atan2
    atanh baddbmm bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift
    bitwise_xor bmm ceil clamp clamp_max clamp_min clip copysign cos cosh div dot einsum eq erf erfc
    exp exp2 expm1 fix floor floor_divide fmax fmin fmod frac ge ger greater greater_equal gt hypot
    isfinite isinf isnan isneginf isposinf le lerp less less_equal lgamma log log10 log1p log2
    logical_and logical_not logical_or logical_xor lt masked_fill matmul maximum minimum mm mul mv
    nan_to_num ne neg not_equal outer positive pow reciprocal relu remainder round rsqrt rsub
    sigmoid sign signbit sin sinh sqrt square sub tan tanh trunc where xlogy""",
)
_export(
    _reductions,
    """all amax amin aminmax any argmax argmin argsort count_nonzero cummax cummin cumprod cumsum dist
    flip kthvalue log_softmax logcumsumexp logsumexp max mean median min msort nansum norm prod
    quantile softmax sort std std_mean sum topk unique var var_mean""",
)
_export(
    _views,
    """as_strided broadcast_tensors broadcast_to chunk clone diagonal flatten movedim narrow permute
    ravel reshape select split squeeze t transpose unbind unflatten unsqueeze""",
)
_export(
    _join,
    """block_diag cat concat concatenate hstack repeat_interleave roll stack tile vstack""",
)
_export(
    _indexing,
    """argwhere bincount bucketize gather histc index_put index_select masked_select nonzero scatter
    scatter_add searchsorted take take_along_dim""",
)
_export(
    _create,
    """as_tensor bernoulli diag diag_embed from_numpy frombuffer get_rng_state initial_seed logspace
    meshgrid multinomial normal randint_like scalar_tensor seed set_rng_state tril_indices
    triu_indices""",
)
multiply, subtract, divide, true_divide, negative = mul, sub, div, div, neg  # noqa: F405
swapaxes = swapdims = transpose  # noqa: F405
absolute = abs
default_generator = _create.default


def numel(input):
    return input.numel()


def is_tensor(obj):
    return isinstance(obj, Tensor)


def is_floating_point(input):
    return input.dtype.is_floating_point


def is_complex(input):
    return False


def is_nonzero(input):
    return _builtins.bool(input)


def typename(obj):
    return obj.type() if isinstance(obj, Tensor) else f"{type(obj).__module__}.{type(obj).__qualname__}"


def atleast_1d(t):
    return t.reshape(1) if t.dim() == 0 else t


def atleast_2d(t):
    return t.reshape(1, -1) if t.dim() < 2 else t


def complex(*args, **kwargs):
    raise NotImplementedError("complex tensors are not available in Hippocamp's torch")


def compile(model=None, **kwargs):
    """Programs run as they are: there is nothing to compile."""
    return (lambda f: f) if model is None else model


def use_deterministic_algorithms(mode, *, warn_only=False):
    pass


def set_float32_matmul_precision(precision):
    """Reference products are always full f32."""


def get_float32_matmul_precision():
    return "highest"


def set_num_threads(n):
    pass


def get_num_threads():
    return 1


def set_default_device(d):
    _core._device_stack[:] = [] if d is None else [device(d)]


def get_default_device():
    return _core.as_device(None)


def save(*args, **kwargs):
    raise NotImplementedError("torch.save is not available in Hippocamp; print(tensor.tolist()) is the nearest thing")


def load(*args, **kwargs):
    raise NotImplementedError("torch.load is not available in Hippocamp; torch.tensor(list) is the nearest thing")


class _Autocast:
    def __init__(self, *args, **kwargs):
        raise NotImplementedError("torch.autocast is not available in Hippocamp; .to(dtype) is the nearest thing")


autocast = _Autocast


# ── methods ─────────────────────────────────────────────────────────────────────────────────────


def _methods(module, names):
    for name in names.split():
        setattr(Tensor, name, _plain(getattr(module, name)))


def _plain(function):
    """A function that binds as a method (our callables are all plain functions)."""
    return function


_methods(
    _ops,
    """abs absolute acos acosh add addcdiv addcmul addmm arccos arcsin arctan asin asinh atan atan2
    atanh baddbmm bitwise_and bitwise_not bitwise_or bitwise_xor bmm ceil clamp clamp_max clamp_min
    clip copysign cos cosh cpu cuda div dot eq erf erfc exp exp2 expm1 fix floor floor_divide fmax
    fmin fmod frac ge ger greater greater_equal gt hypot isfinite isinf isnan le lerp less
    less_equal lgamma log log10 log1p log2 logical_and logical_not logical_or logical_xor lt
    masked_fill matmul maximum minimum mm mul mv nan_to_num ne neg not_equal outer positive pow
    reciprocal relu remainder round rsqrt sigmoid sign signbit sin sinh sqrt square sub tan tanh to
    trunc type_as xlogy""",
)
_methods(
    _reductions,
    """all amax amin aminmax any argmax argmin argsort count_nonzero cummax cummin cumprod cumsum dist flip
    kthvalue log_softmax logcumsumexp logsumexp max mean median min msort nansum norm prod quantile
    softmax sort std sum topk unique var""",
)
_methods(
    _views,
    """as_strided broadcast_to chunk clone contiguous diagonal expand expand_as flatten movedim narrow
    permute ravel reshape reshape_as select split squeeze t transpose unbind unflatten unfold
    unsqueeze view view_as""",
)
_methods(_join, "repeat repeat_interleave roll tile")
_methods(
    _indexing,
    """argwhere gather index_add_ index_copy_ index_fill_ index_put index_put_ index_select
    masked_select nonzero scatter scatter_ scatter_add scatter_add_ take""",
)
_methods(
    _create,
    """bernoulli_ diag diag_embed exponential_ fill_ multinomial new_empty new_full new_ones
    new_tensor new_zeros normal_ random_ tril triu uniform_""",
)
for _name, _dtype in _ops.CASTS.items():
    setattr(Tensor, _name, _ops._caster(_dtype))
Tensor.type = _ops.type_
Tensor.multiply, Tensor.subtract, Tensor.divide, Tensor.true_divide = mul, sub, div, div  # noqa: F405
Tensor.negative = neg  # noqa: F405
Tensor.swapaxes = Tensor.swapdims = transpose  # noqa: F405
Tensor.allclose, Tensor.equal, Tensor.isclose = allclose, equal, isclose
Tensor.where = lambda self, condition, other: _ops.where(condition, self, other)
Tensor.bernoulli = _create.bernoulli
Tensor.T = property(_views.reversed_dims)
Tensor.mT = property(lambda self: _views.transpose(self, -1, -2))
Tensor.H = Tensor.T
Tensor.real = property(lambda self: self)


def _in_place(name, function):
    """`x.f_(…)`: computes `f`, then writes the result into x's own window."""

    def method(self, *args, **kwargs):
        if self.requires_grad and _autograd._enabled:
            if self.grad_fn is None:
                raise RuntimeError(
                    "a leaf Variable that requires grad is being used in an in-place operation."
                )
            return _in_place_recorded(self, function, args, kwargs)
        if _autograd.needs(*args):
            return _in_place_recorded(self, function, args, kwargs)
        result = function(self, *args, **kwargs)
        if result._shape != self._shape:
            raise RuntimeError(
                f"output with shape {list(self._shape)} doesn't match the broadcast shape {list(result._shape)}"
            )
        if not _core.can_cast(result.dtype, self.dtype):
            raise RuntimeError(
                f"result type {result.dtype.short} can't be cast to the desired output type {self.dtype.short}"
            )
        _tensor_module.write(self, result)
        return self

    method.__name__ = name
    return method


def _in_place_recorded(self, function, args, kwargs):
    """On the tape, x becomes the result; what it was lives on as the operation's input."""
    if self._base is not None:
        raise NotImplementedError(
            "an in-place operation on a view in an autograd graph is not available in Hippocamp's "
            "torch; the same operation without the underscore is the nearest thing"
        )
    before = _tensor_module.make(
        self._storage, self.dtype, self.device, self._shape, self._strides, self._offset
    )
    before.requires_grad, before.grad_fn = self.requires_grad, self.grad_fn
    # Nodes that saved this tensor keep the values they saw.
    kept = _views.contiguous_copy(before)
    before._storage, before._strides, before._offset = kept._storage, kept._strides, 0
    result = function(before, *args, **kwargs)
    with no_grad():
        _tensor_module.write(self, result.detach())
    self.grad_fn = result.grad_fn
    self.requires_grad = result.requires_grad
    return self


from . import _tensor as _tensor_module  # noqa: E402

for _name in """abs add addcdiv addcmul ceil clamp clamp_max clamp_min cos cumprod cumsum div erf exp exp2
    expm1 floor floor_divide fmod frac lerp log log10 log1p log2 logical_and logical_not logical_or
    masked_fill mul nan_to_num neg pow reciprocal relu remainder round rsqrt sigmoid sign sin sqrt
    square sub tan tanh tril triu trunc bitwise_and bitwise_or bitwise_xor bitwise_not eq ne lt le
    gt ge""".split():
    setattr(Tensor, _name + "_", _in_place(_name + "_", getattr(Tensor, _name)))
Tensor.clip_ = Tensor.clamp_


def _zero_(self):
    return _create.fill_(self, 0)


def _copy_(self, src, non_blocking=False):
    if not isinstance(src, Tensor):
        src = tensor(src)
    if not _indexing._fits(src._shape, self._shape):
        raise RuntimeError(
            f"The size of tensor a ({self._shape[-1] if self._shape else 1}) must match the size of tensor b ({src._shape[-1] if src._shape else 1}) at non-singleton dimension {_builtins.max(0, len(self._shape) - 1)}"
        )
    window = _views.view_of(src, self._shape, _ops._expanded(src, self._shape), src._offset)
    if src._storage is self._storage:
        window = window.contiguous() if not window.is_contiguous() else window.clone()
    _tensor_module.write(self, window)
    return self


def _squeeze_(self, dim=None):
    return _reshaped_in_place(self, _views.squeeze(self.detach(), dim))


def _unsqueeze_(self, dim):
    return _reshaped_in_place(self, _views.unsqueeze(self.detach(), dim))


def _transpose_(self, a, b):
    return _reshaped_in_place(self, _views.transpose(self.detach(), a, b))


def _reshaped_in_place(self, view):
    self._shape, self._strides, self._offset = view._shape, view._strides, view._offset
    return self


def _masked_scatter(self, mask, source):
    out = self.clone()
    out[mask] = source.reshape(-1)[: _builtins.int(mask.sum().item())]
    return out


Tensor.zero_ = _zero_
Tensor.copy_ = _copy_
Tensor.squeeze_, Tensor.unsqueeze_ = _squeeze_, _unsqueeze_
Tensor.transpose_, Tensor.t_ = _transpose_, lambda self: _transpose_(self, 0, 1)
Tensor.masked_scatter = _masked_scatter
Tensor.eq_ = Tensor.eq_


def _operator(function, swap=False):
    """A dunder that answers NotImplemented to operands it does not know."""
    known = (Tensor, _builtins.bool, _builtins.int, _builtins.float)
    if swap:

        def method(self, other):
            return function(other, self) if isinstance(other, known) else NotImplemented

    else:

        def method(self, other):
            return function(self, other) if isinstance(other, known) else NotImplemented

    return method


for _name, _function in {
    "add": _ops.add, "sub": _ops.sub, "mul": _ops.mul, "truediv": _ops._true_div,
    "floordiv": _ops.floor_divide, "mod": _ops.remainder, "pow": _ops.pow,
    "and": _ops.bitwise_and, "or": _ops.bitwise_or, "xor": _ops.bitwise_xor,
    "lshift": _ops.bitwise_left_shift, "rshift": _ops.bitwise_right_shift, 
}.items():  # fmt: skip
    setattr(Tensor, f"__{_name}__", _operator(_function))
    setattr(Tensor, f"__r{_name}__", _operator(_function, True))
    setattr(Tensor, f"__i{_name}__", _in_place(f"__i{_name}__", _function))
for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    setattr(Tensor, f"__{_name}__", _operator(getattr(_ops, _name)))
def _matmul_operator(self, other):
    return _ops.matmul(self, other) if isinstance(other, Tensor) else NotImplemented


Tensor.__matmul__ = _matmul_operator
Tensor.__imatmul__ = _in_place("__imatmul__", _ops.matmul)
Tensor.__neg__ = _ops.neg
Tensor.__pos__ = _ops.positive
Tensor.__abs__ = _ops.abs
Tensor.__invert__ = _ops.bitwise_not


def _tensor_missing(self, name):
    from ._missing import missing

    error = missing("torch.Tensor", name, dir(Tensor))
    if name.startswith("__"):
        raise error
    text = str(error).replace("module 'torch.Tensor' has", "'Tensor' object has")
    raise AttributeError(text, name=name, obj=None)


Tensor.__getattr__ = _tensor_missing


def _typed(dtype, on_cuda):
    def make(*args):
        where = "cuda" if on_cuda else "cpu"
        if args and isinstance(args[0], (list, tuple)):
            return tensor(args[0], dtype=dtype, device=where)
        return empty(*args, dtype=dtype, device=where)

    return make


for _dtype in _core.DTYPES[:6] + _core.DTYPES[6:10] + _core.DTYPES[13:]:
    globals()[_dtype.short + "Tensor"] = _typed(_dtype, False)

from . import autograd, cuda, testing  # noqa: E402,F401


class _Backends:
    class cuda:
        class matmul:
            allow_tf32 = False
            allow_fp16_reduced_precision_reduction = False

        @staticmethod
        def is_built():
            return True

    class cudnn:
        allow_tf32 = False
        benchmark = False
        deterministic = True
        enabled = False

    class mps:
        @staticmethod
        def is_available():
            return False


backends = _Backends
_sys.modules["torch.backends"] = _Backends


class _Linalg:
    @staticmethod
    def norm(A, ord=None, dim=None, keepdim=False, *, dtype=None):
        return _reductions.norm(A, 2 if ord is None else ord, dim, keepdim, dtype)

    @staticmethod
    def vector_norm(x, ord=2, dim=None, keepdim=False, *, dtype=None):
        return _reductions.norm(x, ord, dim, keepdim, dtype)

    matmul = staticmethod(_ops.matmul)
    diagonal = staticmethod(lambda A, *, offset=0, dim1=-2, dim2=-1: _views.diagonal(A, offset, dim1, dim2))

    def __getattr__(self, name):
        from ._missing import missing

        raise missing("torch.linalg", name, dir(_Linalg))


linalg = _Linalg()


class _Special:
    expit, erf, erfc = staticmethod(_ops.sigmoid), staticmethod(_ops.erf), staticmethod(_ops.erfc)
    exp2, expm1, log1p = staticmethod(_ops.exp2), staticmethod(_ops.expm1), staticmethod(_ops.log1p)
    softmax, log_softmax = staticmethod(_reductions.softmax), staticmethod(_reductions.log_softmax)
    logsumexp, gammaln = staticmethod(_reductions.logsumexp), staticmethod(_ops.lgamma)


special = _Special()


class _Random:
    manual_seed = staticmethod(_create.manual_seed)
    seed = staticmethod(_create.seed)
    initial_seed = staticmethod(_create.initial_seed)
    get_rng_state = staticmethod(_create.get_rng_state)
    set_rng_state = staticmethod(_create.set_rng_state)


random = _Random()


def get_device_module(device=None):
    return cuda


class _Accelerator:
    is_available = staticmethod(lambda: True)
    current_accelerator = staticmethod(lambda check_available=False: device("cuda"))
    current_device_index = staticmethod(lambda: 0)
    device_count = staticmethod(lambda: 1)
    synchronize = staticmethod(lambda device=None: cuda.synchronize())


accelerator = _Accelerator()


def __getattr__(name):
    # Loaded when first asked for: many programs never do, and starting must be quick.
    if name in ("nn", "optim"):
        import importlib

        return importlib.import_module("torch." + name)
    from ._missing import missing

    raise missing("torch", name, globals())


_HIDDEN = ("_builtins", "_sys")
__all__ = [n for n in globals() if not n.startswith("_")]
del _name, _dtype, _function
