"""Functions as PyTorch publishes them: what a call may name its arguments, and `out=`.

`published` gives a function NumPy's names for PyTorch's arguments (`axis`, `keepdims`, `x`, `x2`), one name for
sizes that may also stand apart (`permute(x, dims=…)`), and an `out` that takes the result: it gets the result's
shape, and its numbers in the dtype of `out`, or an error where they do not convert, where `out` needs gradients, or
where it shares memory with itself or an operand in a way that PyTorch refuses.
"""

import functools
import warnings

from ._autograd import needs, no_grad, no_gradient_into
from ._core import can_cast
from ._tensor import Tensor, write
from ._views import dense_strides

#: PyTorch's name of an argument, by the name that NumPy has for it.
_NUMPY = {"axis": "dim", "keepdims": "keepdim", "x": "input", "a": "input", "x1": "input", "x2": "other"}
#: One argument that holds what a function also takes as many.
_AT_ONCE = {
    "broadcast_to": "size", "expand": "size", "flip": "dims", "permute": "dims", "repeat": "repeats",
    "reshape": "shape", "tile": "dims", "view": "size",
}  # fmt: skip
#: Functions that write into an `out` of their result's shape and their first argument's dtype.
_DIRECT = frozenset(
    """abs absolute acos acosh add arccos arccosh arcsin arcsinh arctan arctanh asin asinh atan atanh
    bitwise_and bitwise_or bitwise_xor ceil clamp clip cos cosh div divide erf erfc erfinv exp exp2 expm1 floor
    fmod frac lgamma log log10 log1p log2 maximum minimum mul multiply neg negative pow reciprocal remainder round
    rsqrt sigmoid sign sin sinh sqrt square sub subtract tan tanh true_divide trunc""".split()
)
_PRODUCTS = frozenset(["matmul", "mm", "bmm"])
#: Functions whose operands may be `out` itself, but no other part of its memory.
_ELEMENTWISE = _DIRECT | frozenset(["addcdiv", "addcmul", "lerp", "where"])
#: Functions whose operands may share no memory with `out`.
_APART = frozenset(["cat", "gather", "index_select", "stack"])
#: Functions that compute in the dtype of `out`.
_IN_ITS_DTYPE = frozenset(["cumprod", "cumsum", "nansum", "prod", "sum"])
#: Functions whose `out` must have the result's dtype.
_EXACT = frozenset(
    """addmm argmax argmin bmm det diag gather inv log_softmax matmul max min mm norm softmax solve tril
    triu""".split()
)
#: PyTorch's words where the dtype of `out` is another: {0} is the result's, {1} that of `out`.
_OTHER_DTYPE = {
    "amax": "Expected the dtype for input and out to match, but got {0} for input's dtype and {1} for out's dtype.",
    "clamp": "Found dtype {1} but expected {0}",
    "dot": "result dtype {1} does not match input dtype {0}",
    "index_select": "index_select(): self and result must have the same scalar type",
    "isneginf": "isneginf does not support non-boolean outputs.",
    "isposinf": "isposinf does not support non-boolean outputs.",
    "masked_select": "masked_select(): self and result must have the same scalar type",
    "nonzero": "nonzero: Expected out tensor to have scalar type {0} but got scalar type{1}",
    "signbit": "signbit does not support non-boolean outputs.",
    "take": "take(): self and out expected to have the same dtype, but got self.dtype = {0} and out.dtype = {1}",
    "where": "Expected out type to be {0} but got {1}",
}
_OTHER_DTYPE["amin"] = _OTHER_DTYPE["amax"]
#: C++ names of dtypes, which some errors give.
_CPP = {
    "float32": "float", "float64": "double", "float16": "c10::Half", "bfloat16": "c10::BFloat16",
    "int64": "long int", "int32": "int", "int16": "short int", "int8": "signed char", "uint8": "unsigned char",
}  # fmt: skip
#: Functions that make a tensor of sizes: of the dtype of `out`, on its device.
_MAKERS = frozenset("arange empty eye full linspace logspace ones rand randint randn randperm zeros".split())
#: Functions without an `out` of their own that take one.
_TAKES_OUT = frozenset(
    """addbmm addcdiv addcmul addmm addmv addr all amax amin any argmax argmin argsort baddbmm bernoulli bitwise_not
    bucketize chain_matmul clamp_max clamp_min column_stack conj_physical count_nonzero cross cummax cummin cumprod
    cumsum deg2rad diag diff dot dstack eye float_power gather gcd ger heaviside histc hstack index_add index_copy
    index_select inner isin isneginf isposinf kron kthvalue lcm ldexp lerp linspace log_softmax logaddexp
    logaddexp2 logcumsumexp logit logspace logsumexp masked_select matrix_power max mean median min mode msort
    multinomial mv nan_to_num nanmean nanmedian nansum nonzero norm normal outer prod quantile rad2deg
    scatter scatter_add scatter_reduce searchsorted sgn signbit sinc softmax sort std sum take take_along_dim
    tensordot topk tril_indices triu_indices var vdot vstack where
    adaptive_avg_pool1d avg_pool1d avg_pool2d avg_pool3d channel_shuffle gelu hardshrink linear pixel_shuffle
    pixel_unshuffle softplus softshrink
    matrix_norm matrix_rank multi_dot pinv vecdot vector_norm entr""".split()
)


def published(function, name=None, method=False):
    """The function, or one around it that converts names and writes `out`; a method takes no `out` of its own."""
    name = name or function.__name__
    code = getattr(getattr(function, "__wrapped__", function), "__code__", None)
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount] if code else ()
    at_once = _AT_ONCE.get(name)
    own = "out" in names
    out = not method and (own or name in _TAKES_OUT)
    if not (out or at_once or "dim" in names or (names and names[0] == "t" and not method)):
        return function
    renamed = {theirs: ours for theirs, ours in _NUMPY.items() if theirs not in names and ours in names}
    first_is_input = "input" not in names and bool(names) and not method

    @functools.wraps(function)
    def call(*args, **kwargs):
        if not kwargs:
            return function(*args)
        for theirs in [k for k in kwargs if k in renamed]:
            kwargs[renamed[theirs]] = kwargs.pop(theirs)
        if first_is_input and not args and "input" in kwargs:
            args = (kwargs.pop("input"),)
        if at_once in kwargs:
            args += (kwargs.pop(at_once),)
        if not out or "out" not in kwargs:
            return function(*args, **kwargs)
        target = kwargs.pop("out")
        if target is None:
            return function(*args, **kwargs)
        parts = target if isinstance(target, (tuple, list)) else (target,)
        inputs = _tensors((*args, *kwargs.values()))
        for part in parts:
            _writable(name, part, inputs)
        if own and _fits(name, target, args):
            return function(*args, out=target, **kwargs)
        if name in _MAKERS:
            kwargs = {"dtype": target.dtype, "device": target.device, **kwargs}
        elif name in _IN_ITS_DTYPE and not target.dtype.is_complex:
            kwargs.setdefault("dtype", target.dtype)
        for part in parts:
            no_gradient_into(name, part, *inputs)
        return into(target, function(*args, **kwargs), name)

    return call


def _tensors(values):
    """The tensors among arguments, and in lists of them."""
    flat = [x for value in values for x in (value if isinstance(value, (tuple, list)) else (value,))]
    return [x for x in flat if isinstance(x, Tensor)]


def _writable(name, out, inputs):
    """@raises RuntimeError where `out` needs gradients or shares memory that PyTorch does not let it share."""
    if not isinstance(out, Tensor):
        raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type(out).__name__}")
    if needs(out):
        no_gradient_into(name, out, out)
    if name not in _MAKERS and any(step == 0 and size > 1 for step, size in zip(out._strides, out._shape)):
        raise RuntimeError(
            "unsupported operation: more than one element of the written-to tensor refers to a single memory "
            "location. Please clone() the tensor before performing the operation."
        )
    if name in _ELEMENTWISE or name in _APART:
        for x in inputs:
            if x._storage is out._storage and _overlaps(x, out, name in _APART):
                raise RuntimeError(
                    "unsupported operation: some elements of the input tensor and the written-to tensor refer to a "
                    "single memory location. Please clone() the tensor before performing the operation."
                )


def _overlaps(x, out, same_counts):
    """Whether two windows of one storage share elements, as far as PyTorch looks: both are to be without gaps."""
    if x.dtype is not out.dtype or not x.numel() or not out.numel() or None in (dense_strides(x), dense_strides(out)):
        return False
    if x._offset == out._offset and x.numel() == out.numel():
        return same_counts or x._strides != out._strides
    return x._offset < out._offset + out.numel() and out._offset < x._offset + x.numel()


def _fits(name, target, args):
    """Whether the function may write into `target` itself: its shape and dtype are the result's for certain."""
    if not args or not isinstance(target, Tensor):
        return False
    if not all(isinstance(x, Tensor) and x.dtype is target.dtype for x in args[:2] if not _plain(x)):
        return False
    first = args[0]
    if not isinstance(first, Tensor):
        return False
    if name in _DIRECT:
        return target._shape == first._shape and all(_spreads(x, first._shape) for x in args[1:])
    if name in _PRODUCTS and len(args) == 2:
        second, rank = args[1], len(first._shape)
        return (
            rank >= 2
            and len(second._shape) == rank
            and first._shape[:-2] == second._shape[:-2]
            and target._shape == first._shape[:-1] + second._shape[-1:]
        )
    return False


def _plain(x):
    return x is None or isinstance(x, (bool, int, float))


def _spreads(x, shape):
    """Whether an operand does not widen `shape`."""
    if not isinstance(x, Tensor):
        return True
    own = x._shape
    return len(own) <= len(shape) and all(a in (1, b) for a, b in zip(own[::-1], shape[::-1]))


def into(out, made, name):
    """Writes a result, or each of several, into `out`, which gets its shape.

    @raises RuntimeError where the dtype of `out` does not take the result's, or it lies on another device
    """
    if isinstance(made, (tuple, list)):
        if not isinstance(out, (tuple, list)) or len(out) != len(made):
            raise TypeError(f"{name}(): argument 'out' must be tuple of Tensors, not {type(out).__name__}")
        return type(made)([into(target, part, name) for target, part in zip(out, made)])
    if not isinstance(out, Tensor):
        raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type(out).__name__}")
    if made.dtype is not out.dtype:
        _check_dtype(out, made, name)
    if not can_cast(made.dtype, out.dtype):
        raise RuntimeError(
            f"result type {made.dtype.short} can't be cast to the desired output type {out.dtype.short}"
        )
    if made.device is not out.device:
        raise RuntimeError(
            f"Expected all tensors to be on the same device, but found at least two devices, {made.device} and {out.device}!"
        )
    if made._shape != out._shape:
        if out.numel():
            warnings.warn(
                f"An output with one or more elements was resized since it had shape {list(out._shape)}, which does "
                f"not match the required output shape {list(made._shape)}.",
                UserWarning,
                stacklevel=3,
            )
        out.resize_(made._shape)
        out._strides = dense_strides(made) or out._strides
    with no_grad():
        write(out, made)
    return out


def _check_dtype(out, made, name):
    """@raises RuntimeError where the function takes no `out` of another dtype than the result's"""
    if name in _EXACT:
        wanted, given = (_CPP.get(t.dtype.name, t.dtype.name) for t in (made, out))
        raise RuntimeError(f"Expected out tensor to have dtype {wanted}, but got {given} instead")
    if name in _OTHER_DTYPE:
        raise RuntimeError(_OTHER_DTYPE[name].format(made.dtype.short, out.dtype.short))
    if name in ("any", "all") and out.dtype.name not in ("bool", "uint8"):
        raise RuntimeError(f"{name} only supports bool tensor for result, got: {out.dtype.short}")
    if name in ("cat", "stack") and not can_cast(made.dtype, out.dtype):
        raise TypeError(f"torch.cat(): input types can't be cast to the desired output type {out.dtype.short}")


def publish(space, names):
    """Replaces functions of a module by what `published` makes of them."""
    for name in names.split():
        space[name] = published(space[name], name if name in _TAKES_OUT else None)
