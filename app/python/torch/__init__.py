"""An honest subset of PyTorch, for the host code of Triton programs: PyTorch's names, dtypes, promotion,
strides, printing and errors; the numbers are computed by app/numerics. The device called `cuda` is the
visitor's GPU. What is not here raises an error that names it and the nearest thing that is.
"""

import builtins as _builtins
import sys as _sys

from . import _autograd, _complex, _composed, _core, _indexing, _join, _methods, _ops, _order
from . import _published, _random, _reductions, _scans, _views
from ._core import (  # noqa: F401
    OutOfMemoryError, Size, bfloat16, broadcast_shapes, can_cast, complex64, complex128, device, dtype, float16,
    float32, float64, float8_e4m3fn, float8_e5m2, get_default_dtype, int16, int32, int64, int8,
    promote_types, result_type, set_default_dtype, uint16, uint32, uint64, uint8,
)  # fmt: skip
from ._named_dtypes import BY_NAME as _NAMED
from ._autograd import (  # noqa: F401
    enable_grad, inference_mode, is_grad_enabled, no_grad, set_grad_enabled,
)  # fmt: skip
from ._create import (  # noqa: F401
    as_tensor, empty, empty_like, empty_strided, from_numpy, frombuffer, full, full_like, ones, ones_like,
    scalar_tensor, tensor, zeros, zeros_like,
)  # fmt: skip
from ._limits import finfo, iinfo  # noqa: F401
from ._namespaces import (  # noqa: F401
    accelerator, backends, hpu, mps, mtia, random, version, xpu,
)  # fmt: skip
from ._patterns import (  # noqa: F401
    arange, diag, diag_embed, eye, linspace, logspace, meshgrid, tril, tril_indices, triu, triu_indices,
)  # fmt: skip
from ._print import set_printoptions  # noqa: F401
from ._random import (  # noqa: F401
    Generator, bernoulli, get_rng_state, initial_seed, manual_seed, multinomial, normal, rand, rand_like,
    randint, randint_like, randn, randn_like, randperm, seed, set_rng_state,
)  # fmt: skip
from ._tensor import Tensor
from .testing import allclose, equal, isclose

__version__ = "2.13.0"

bool = _core.bool_
half, float, double = float16, float32, float64
cfloat, cdouble = complex64, complex128
short, int, long = int16, int32, int64
inf, nan, pi, e = _builtins.float("inf"), _builtins.float("nan"), 3.141592653589793, 2.718281828459045
strided = _core.strided
contiguous_format, preserve_format, channels_last, channels_last_3d = _core.MEMORY_FORMATS
memory_format, layout = _core.memory_format, _core.layout
newaxis = None
_sys.modules["torch.version"] = version
_sys.modules["torch.backends"] = backends
_sys.modules["torch.backends.cuda"], _sys.modules["torch.backends.cudnn"] = backends.cuda, backends.cudnn
_sys.modules["torch.random"] = random


def _export(module, names):
    space = globals()
    for name in names.split():
        space[name] = _published.published(getattr(module, name), name)


_export(
    _ops,
    """abs absolute acos acosh add addcdiv addcmul addmm addmv arccos arccosh arcsin arcsinh arctan arctan2
    arctanh asin asinh atan atan2 atanh baddbmm bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift
    bitwise_xor bmm ceil clamp clamp_max clamp_min clip copysign cos cosh digamma div dot einsum eq erf erfc
    erfinv exp exp2 expm1 fix floor floor_divide fmax fmin fmod frac ge ger greater greater_equal gt hypot i0
    isfinite isinf isnan isneginf isposinf le lerp less less_equal lgamma log log10 log1p log2
    logical_and logical_not logical_or logical_xor lt masked_fill matmul maximum minimum mm mul mv
    nan_to_num ne neg not_equal outer positive pow reciprocal relu remainder round rsqrt rsub
    sigmoid sign signbit sin sinh sqrt square sub tan tanh trunc where xlogy""",
)
_export(
    _reductions,
    """all amax amin aminmax any argmax argmin count_nonzero dist logsumexp max mean min nansum norm prod
    std std_mean sum var var_mean""",
)
_export(_scans, "cummax cummin cumprod cumsum log_softmax logcumsumexp softmax")
_export(_order, "argsort kthvalue median msort nanmedian quantile sort topk unique")
_export(
    _views,
    """as_strided broadcast_tensors broadcast_to chunk clone diagonal flatten movedim narrow permute
    ravel reshape select split split_with_sizes squeeze swapaxes t transpose unbind unflatten unsqueeze""",
)
_export(
    _join,
    """block_diag cat concat concatenate flip hstack repeat_interleave roll stack tile vstack""",
)
_export(
    _indexing,
    """argwhere bincount bucketize gather histc index_put index_select masked_select nonzero scatter
    scatter_add searchsorted take take_along_dim""",
)
_export(
    _composed,
    """addbmm addr atleast_3d cartesian_prod cdist chain_matmul column_stack combinations corrcoef
    cov cross deg2rad diagflat diagonal_scatter diff dsplit dstack fill fliplr flipud float_power gcd
    heaviside hsplit index_add index_copy index_fill inner isin isreal kron lcm ldexp logaddexp
    logaddexp2 logit matrix_power mode moveaxis nanmean put rad2deg rot90 scatter_reduce
    select_scatter sgn sinc slice_scatter tensor_split tensordot trace trapezoid trapz
    unique_consecutive unravel_index vander vdot vsplit""",
)
multiply, subtract, divide, true_divide, negative = mul, sub, div, div, neg  # noqa: F405
swapdims, row_stack = transpose, vstack  # noqa: F405
absolute = abs
_published.publish(
    globals(),
    """arange bernoulli diag empty eye full linspace logspace multinomial normal ones rand randint randn
    randperm tril triu zeros""",
)
default_generator = _random.default


def numel(input):
    return input.numel()


def is_tensor(obj):
    return isinstance(obj, Tensor)


def is_floating_point(input):
    return input.dtype.is_floating_point


def is_complex(input):
    return input.dtype.is_complex


def is_nonzero(input):
    return _builtins.bool(input)


def typename(obj):
    return obj.type() if isinstance(obj, Tensor) else f"{type(obj).__module__}.{type(obj).__qualname__}"


def atleast_1d(*tensors):
    made = tuple(t.reshape(1) if t.dim() == 0 else t for t in tensors)
    return made[0] if len(made) == 1 else made


def atleast_2d(*tensors):
    made = tuple(t.reshape(1, -1) if t.dim() < 2 else t for t in tensors)
    return made[0] if len(made) == 1 else made


def is_same_size(input, other):
    return input._shape == other._shape


def is_signed(input):
    return input.dtype.is_signed


def is_inference(input):
    return False


def is_inference_mode_enabled():
    return _autograd._inference


def is_conj(input):
    return False


is_neg = is_conj


def resolve_conj(input):
    return input


resolve_neg = resolve_conj
complex, polar, angle = _complex.complex_, _complex.polar, _complex.angle
conj = conj_physical = _complex.conj
real, imag = _complex.real, _complex.imag
view_as_real, view_as_complex = _complex.view_as_real, _complex.view_as_complex


def detach(input):
    return input.detach()


def asarray(obj, *, dtype=None, device=None, copy=None, requires_grad=False):
    made = as_tensor(obj, dtype=dtype, device=device)
    return made.clone() if copy and made is obj else made


def is_autocast_enabled(device_type="cuda"):
    amp = _sys.modules.get("torch.amp")
    return amp is not None and amp._enabled[device_type]


def get_autocast_dtype(device_type):
    import torch.amp as amp

    return amp._dtypes[device_type]


def get_autocast_gpu_dtype():
    return get_autocast_dtype("cuda")


def get_autocast_cpu_dtype():
    return get_autocast_dtype("cpu")


def is_autocast_cache_enabled():
    return False


def clear_autocast_cache():
    pass


def compile(model=None, **kwargs):
    """Programs run as they are: Inductor is not here. A warning says so, once a run."""
    if not kwargs.get("disable"):
        compiler.say_eager()
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


set_num_interop_threads, get_num_interop_threads = set_num_threads, get_num_threads


def set_default_tensor_type(t):
    """Of the older way to set dtype and device at once: `torch.cuda.FloatTensor`, or its name."""
    if isinstance(t, str):
        cuda_type, name = t.startswith("torch.cuda."), t.rpartition(".")[2]
        t = getattr(cuda, name) if cuda_type else globals()[name]
    set_default_dtype(t.dtype)
    set_default_device("cuda" if t.on_cuda else None)


def adjoint(input):
    return input.adjoint()


def masked_scatter(input, mask, source):
    return input.masked_scatter(mask, source)


def set_default_device(device):
    _core._device_stack[:] = [] if device is None else [_core.device(device)]


def get_default_device():
    return _core.as_device(None)


def save(*args, **kwargs):
    raise NotImplementedError("torch.save is not available in Hippocamp; print(tensor.tolist()) is the nearest thing")


def load(*args, **kwargs):
    raise NotImplementedError("torch.load is not available in Hippocamp; torch.tensor(list) is the nearest thing")


def get_device_module(device=None):
    return cuda


def are_deterministic_algorithms_enabled():
    return True


def _assert(condition, message):
    assert condition, message


_assert_async = _assert_scalar = _assert


class _Typed(type):
    """`torch.LongTensor` and its like: makes tensors of one dtype, and reports which are."""

    def __call__(cls, *args):
        where = "cuda" if cls.on_cuda else "cpu"
        if args and isinstance(args[0], (list, tuple)):
            return tensor(args[0], dtype=cls.dtype, device=where)
        return empty(*args, dtype=cls.dtype, device=where)

    def __instancecheck__(cls, value):
        return isinstance(value, Tensor) and value.dtype is cls.dtype and value.is_cuda == cls.on_cuda


def _typed(dtype, on_cuda):
    name = dtype.short + "Tensor"
    module = "torch.cuda" if on_cuda else "torch"
    return _Typed(name, (), {"dtype": dtype, "on_cuda": on_cuda, "__module__": module})


for _dtype in _core.DTYPES[:6] + _core.DTYPES[6:10] + _core.DTYPES[13:]:
    globals()[_dtype.short + "Tensor"] = _typed(_dtype, False)
globals().update(_NAMED)

#: Arithmetic on sizes: they are numbers here, nothing is symbolic.
sym_float, sym_int = _builtins.float, _builtins.int
sym_max, sym_min, sym_sum = _builtins.max, _builtins.min, _builtins.sum


def sym_not(a):
    return not a


def sym_ite(b, t, f):
    return t if b else f


from . import autograd, cuda, testing  # noqa: E402,F401

_sys.modules["torch.cuda.nvtx"] = cuda.nvtx

#: Loaded when first requested: many programs never do, and starting must be quick.
_LAZY = frozenset(
    "amp compiler distributed fft functional fx jit library linalg multiprocessing nn optim profiler serialization special utils _C _dynamo _inductor".split()
)
_LINEAR = _methods.LINEAR | {"cholesky_solve": "cholesky_solve"}
_ELSEWHERE = {"autocast": "amp", "GradScaler": "amp", "ops": "library", "_scaled_mm": "_scaled"}
_ELSEWHERE["is_anomaly_enabled"] = "_autograd"
#: Functions that torch has of torch.nn.functional.
_FUNCTIONAL = frozenset(
    """adaptive_avg_pool1d adaptive_max_pool1d avg_pool1d batch_norm bilinear channel_shuffle instance_norm max_pool1d
    max_pool2d max_pool3d pixel_unshuffle binary_cross_entropy_with_logits celu conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d cosine_embedding_loss
    cosine_similarity dropout embedding group_norm hardshrink hinge_embedding_loss kl_div layer_norm
    margin_ranking_loss pairwise_distance pixel_shuffle prelu rms_norm selu threshold
    triplet_margin_loss celu_ selu_ threshold_""".split()
)
#: Methods in place that torch has as functions.
_METHODS = frozenset(
    """abs_ acos_ acosh_ addmv_ arccos_ arccosh_ arcsin_ arcsinh_ arctan_ arctanh_ as_strided_ asin_ asinh_ atan_ atanh_
    ceil_ clamp_ clamp_max_ clamp_min_ clip_ cos_ cosh_ deg2rad_ detach_ erf_ erfc_ exp2_ exp_ expm1_ fill_ fix_ floor_
    frac_ gcd_ i0_ index_put_ lcm_ ldexp_ log10_ log1p_ log2_ log_ logit_ nan_to_num_ neg_ negative_ rad2deg_ reciprocal_
    relu_ resize_as_ round_ rsqrt_ sigmoid_ sin_ sinc_ sinh_ sqrt_ square_ tan_ tanh_ trunc_ xlogy_ zero_""".split()
)


def __getattr__(name):
    import importlib

    if name in _LAZY:
        return importlib.import_module("torch." + name)
    if name in _ELSEWHERE:
        return getattr(importlib.import_module("torch." + _ELSEWHERE[name]), name)
    if name in _LINEAR:
        return getattr(importlib.import_module("torch.linalg"), _LINEAR[name])
    if name in _METHODS:
        return getattr(Tensor, name)
    if name in _FUNCTIONAL:
        return getattr(importlib.import_module("torch.nn.functional"), name)
    from ._missing import missing

    raise missing("torch", name, globals())


__all__ = [n for n in globals() if not n.startswith("_")]
del _dtype
