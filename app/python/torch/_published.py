"""Functions as PyTorch publishes them: what a call may name its arguments, and `out=`.

`published` gives a function NumPy's names for PyTorch's arguments (`axis`, `keepdims`, `x`, `x2`), one name for
sizes that may also stand apart (`permute(x, dims=…)`), and an `out` that takes the result: it gets the result's
shape, and its numbers in the dtype of `out`, or an error where they do not convert.
"""

import functools
import warnings

from ._autograd import no_grad, no_gradient_into
from ._core import can_cast
from ._tensor import Tensor, write

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
        if own and _fits(name, target, args):
            return function(*args, out=target, **kwargs)
        if name in _MAKERS:
            kwargs = {"dtype": target.dtype, "device": target.device, **kwargs}
        inputs = [x for arg in args for x in (arg if isinstance(arg, (tuple, list)) else (arg,))]
        for part in target if isinstance(target, (tuple, list)) else (target,):
            no_gradient_into(name, part, *inputs)
        return into(target, function(*args, **kwargs), name)

    return call


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
        if _dense(made):
            out._strides = made._strides
    with no_grad():
        write(out, made)
    return out


def _dense(t):
    """Whether its elements fill their part of memory, each once."""
    step = 1
    for stride, size in sorted((stride, size) for stride, size in zip(t._strides, t._shape) if size != 1):
        if stride != step:
            return False
        step *= size
    return True


def publish(space, names):
    """Replaces functions of a module by what `published` makes of them."""
    for name in names.split():
        space[name] = published(space[name], name if name in _TAKES_OUT else None)
