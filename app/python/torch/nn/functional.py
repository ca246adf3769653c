"""`torch.nn.functional`, the usual part."""

import functools
import math

from .. import _core as core
from .. import _eager
from .. import _ops as ops
from .. import _reductions as reductions
from .. import _views as views
from .._autograd import needs, record
from .._eager import singles
from .._methods import _in_place
from .._published import publish
from .._ops import sigmoid, tanh  # noqa: F401
from .._scans import log_softmax, softmax  # noqa: F401
from .losses import *  # noqa: F403
from .convolution import *  # noqa: F403
from .pooling import *  # noqa: F403
from .resize import *  # noqa: F403
from .windows import *  # noqa: F403
from .grid import affine_grid, grid_sample  # noqa: F401


def _float_first(t, compute):
    """The narrow floats compute in f32 and are rounded once."""
    if t.dtype.is_floating_point and t.dtype.itemsize < 4:
        return compute(ops.cast(t, core.float32)).to(t.dtype)
    return compute(t)


def _with_inplace(function):
    """`function`, which writes its result into its input where `inplace` is true."""
    at = function.__code__.co_varnames.index("inplace") - 1
    into = _in_place(function.__name__ + "_", function)

    @functools.wraps(function)
    def chosen(input, *args, **kwargs):
        inplace = args[at] if len(args) > at else kwargs.get("inplace", False)
        return (into if inplace else function)(input, *args, **kwargs)

    chosen.into = into
    return chosen


@_with_inplace
def relu(input, inplace=False):
    return ops.relu(input)


@_with_inplace
def relu6(input, inplace=False):
    return hardtanh(input, 0, 6)


@_with_inplace
def leaky_relu(input, negative_slope=0.01, inplace=False):
    return ops.where(ops.gt(input, 0), input, ops.mul(input, negative_slope))


@_with_inplace
def elu(input, alpha=1.0, inplace=False):
    return _float_first(
        input, lambda x: ops.where(ops.gt(x, 0), x, ops.mul(ops.expm1(x), alpha))
    )


@_with_inplace
def selu(input, inplace=False):
    return ops.mul(elu(input, 1.6732632423543772), 1.0507009873554805)


def _activation(name, gradient):
    def function(input):
        result = ops._unary(name, input, True)
        if needs(input):
            record(
                result,
                f"{name.capitalize()}Backward0",
                [input],
                lambda g: _activation_gradient(name, gradient, g, input),
            )
        return result

    return function


def _activation_gradient(name, gradient, g, input):
    made = _eager.gradient("gradients.activation", g, input, name)
    return _float_first(input, lambda x: gradient(g.to(x.dtype), x)) if made is None else made


def _gelu_gradient(g, x):
    cdf = ops.mul(ops.add(ops.erf(ops.mul(x, math.sqrt(0.5))), 1), 0.5)
    pdf = ops.mul(ops.exp(ops.mul(ops.mul(x, x), -0.5)), 1 / math.sqrt(2 * math.pi))
    return ops.mul(g, ops.add(cdf, ops.mul(x, pdf)))


def _gelu_tanh_gradient(g, x):
    k = math.sqrt(2 / math.pi)
    cube = ops.mul(ops.mul(x, x), x)
    t = ops.tanh(ops.mul(ops.add(x, ops.mul(cube, 0.044715)), k))
    slope = ops.mul(ops.add(ops.mul(ops.mul(x, x), 3 * 0.044715), 1), k)
    left = ops.mul(ops.add(t, 1), 0.5)
    right = ops.mul(ops.mul(ops.mul(x, 0.5), ops.sub(1, ops.mul(t, t))), slope)
    return ops.mul(g, ops.add(left, right))


def _silu_gradient(g, x):
    s = ops.sigmoid(x)
    return ops.mul(g, ops.mul(s, ops.add(ops.mul(x, ops.sub(1, s)), 1)))


_gelu_erf = _activation("gelu", _gelu_gradient)
_gelu_tanh = _activation("gelu_tanh", _gelu_tanh_gradient)
_silu = _activation("silu", _silu_gradient)
_softplus = _activation("softplus", lambda g, x: ops.mul(g, ops.sigmoid(x)))


def gelu(input, approximate="none"):
    if approximate not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")
    return _gelu_tanh(input) if approximate == "tanh" else _gelu_erf(input)


@_with_inplace
def silu(input, inplace=False):
    return _silu(input)


@_with_inplace
def celu(input, alpha=1.0, inplace=False):
    below = ops.mul(ops.expm1(ops.div(ops.clamp(input, max=0), alpha)), alpha)
    return ops.add(ops.clamp(input, min=0), below)


@_with_inplace
def threshold(input, threshold, value, inplace=False):
    return ops.where(ops.gt(input, threshold), input, value)


def hardshrink(input, lambd=0.5):
    return ops.where(ops.gt(ops.abs(input), lambd), input, 0.0)


def softshrink(input, lambd=0.5):
    return ops.mul(ops.sign(input), ops.clamp(ops.sub(ops.abs(input), lambd), min=0))


def tanhshrink(input):
    return ops.sub(input, ops.tanh(input))


def prelu(input, weight):
    if weight.numel() > 1:
        weight = views.reshape(weight, *[-1 if i == 1 else 1 for i in range(len(input._shape))])
    return ops.where(ops.gt(input, 0), input, ops.mul(input, weight))


@_with_inplace
def mish(input, inplace=False):
    return _float_first(input, lambda x: ops.mul(x, ops.tanh(_softplus(x))))


def softplus(input, beta=1.0, threshold=20.0):
    if beta == 1.0:
        return _softplus(input)
    return ops.div(_softplus(ops.mul(input, beta)), beta)


def softsign(input):
    return ops.div(input, ops.add(ops.abs(input), 1))


def logsigmoid(input):
    return ops.neg(_softplus(ops.neg(input)))


@_with_inplace
def hardtanh(input, min_val=-1.0, max_val=1.0, inplace=False):
    # At a bound the gradient is 0, other than clamp's.
    inside = ops.logical_and(ops.gt(input, min_val), ops.lt(input, max_val))
    return ops.where(inside, input, ops.clamp(input.detach(), min_val, max_val))


@_with_inplace
def hardsigmoid(input, inplace=False):
    return ops.div(hardtanh(ops.add(input, 3), 0, 6), 6)


@_with_inplace
def hardswish(input, inplace=False):
    return ops.mul(input, hardsigmoid(input))


def glu(input, dim=-1):
    a, b = views.chunk(input, 2, dim)
    return ops.mul(a, sigmoid(b))


def softmin(input, dim=None, dtype=None):
    return softmax(ops.neg(input), dim, dtype)


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-05):
    shape = tuple(normalized_shape) if not isinstance(normalized_shape, int) else (normalized_shape,)
    if tuple(input._shape[-len(shape) :]) != shape:
        raise RuntimeError(
            f"Given normalized_shape={list(shape)}, expected input with shape [*, {', '.join(map(str, shape))}], but got input of size{list(input._shape)}"
        )
    axes = tuple(range(-len(shape), 0))

    def compute(x):
        mean = reductions.mean(x, axes, True)
        centered = ops.sub(x, mean)
        variance = reductions.mean(ops.mul(centered, centered), axes, True)
        out = ops.mul(centered, ops.rsqrt(ops.add(variance, eps)))
        if weight is not None:
            out = ops.mul(out, weight if weight.dtype is x.dtype else ops.cast(weight, x.dtype))
        if bias is not None:
            out = ops.add(out, bias if bias.dtype is x.dtype else ops.cast(bias, x.dtype))
        return out

    return _float_first(input.contiguous(), compute)


def rms_norm(input, normalized_shape, weight=None, eps=None):
    shape = tuple(normalized_shape) if not isinstance(normalized_shape, int) else (normalized_shape,)
    axes = tuple(range(-len(shape), 0))

    def compute(x):
        from .._limits import finfo

        small = finfo(input.dtype).eps if eps is None else eps
        square = reductions.mean(ops.mul(x, x), axes, True)
        out = ops.mul(x, ops.rsqrt(ops.add(square, small)))
        return out if weight is None else ops.mul(out, weight.to(x.dtype))

    return _float_first(input, compute)


def group_norm(input, num_groups, weight=None, bias=None, eps=1e-05):
    n, c = input._shape[:2]

    def compute(x):
        grouped = views.reshape(x, n, num_groups, -1)
        mean = reductions.mean(grouped, -1, True)
        variance = reductions.var(grouped, -1, False, True)
        out = views.reshape(
            ops.mul(ops.sub(grouped, mean), ops.rsqrt(ops.add(variance, eps))), *x._shape
        )
        shape = [1, c] + [1] * (len(x._shape) - 2)
        if weight is not None:
            out = ops.mul(out, views.reshape(weight, *shape))
        return out if bias is None else ops.add(out, views.reshape(bias, *shape))

    return _float_first(input, compute)


def batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-05):  # fmt: skip
    axes = tuple(i for i in range(len(input._shape)) if i != 1)
    shape = [1, -1] + [1] * (len(input._shape) - 2)
    if training or running_mean is None:
        mean = reductions.mean(input, axes, True)
        variance = reductions.var(input, axes, False, True)
        if running_mean is not None:
            n = core.numel([input._shape[i] for i in axes])
            unbiased = ops.mul(variance.detach(), n / max(1, n - 1))
            _follow(running_mean, mean.detach(), momentum)
            _follow(running_var, unbiased, momentum)
    else:
        mean, variance = views.reshape(running_mean, *shape), views.reshape(running_var, *shape)
    out = ops.mul(ops.sub(input, mean), ops.rsqrt(ops.add(variance, eps)))
    if weight is not None:
        out = ops.mul(out, views.reshape(weight, *shape))
    return out if bias is None else ops.add(out, views.reshape(bias, *shape))


def _follow(running, now, momentum):
    running.copy_(running * (1 - momentum) + views.reshape(now, -1) * momentum)


def instance_norm(input, running_mean=None, running_var=None, weight=None, bias=None, use_input_stats=True, momentum=0.1, eps=1e-05):  # fmt: skip
    if not use_input_stats:
        return batch_norm(input, running_mean, running_var, weight, bias, False, momentum, eps)
    if running_mean is not None:
        lines = views.reshape(input.detach(), *input._shape[:2], -1)
        _follow(running_mean, reductions.mean(reductions.mean(lines, -1), 0), momentum)
        _follow(running_var, reductions.mean(reductions.var(lines, -1, True), 0), momentum)
    return group_norm(input, input._shape[1], weight, bias, eps)


def normalize(input, p=2.0, dim=1, eps=1e-12, out=None):
    return ops.div(input, ops.clamp(reductions.norm(input, p, dim, True), min=eps))


def cosine_similarity(x1, x2, dim=1, eps=1e-8):
    dot = reductions.sum(ops.mul(x1, x2), dim)
    lengths = ops.mul(reductions.norm(x1, 2, dim), reductions.norm(x2, 2, dim))
    return ops.div(dot, ops.clamp(lengths, min=eps))


def pairwise_distance(x1, x2, p=2.0, eps=1e-6, keepdim=False):
    return reductions.norm(ops.add(ops.sub(x1, x2), eps), p, -1, keepdim)


def gumbel_softmax(logits, tau=1, hard=False, eps=1e-10, dim=-1):
    from .._create import empty_like, zeros_like
    from .._random import exponential_
    from .._indexing import scatter

    noise = ops.neg(ops.log(exponential_(empty_like(logits))))
    soft = softmax(ops.div(ops.add(logits, noise), tau), dim)
    if not hard:
        return soft
    index = reductions.max(soft.detach(), dim, True)[1]
    picked = scatter(zeros_like(logits), dim, index, 1.0)
    return ops.add(ops.sub(picked, soft.detach()), soft)


def dropout(input, p=0.5, training=True, inplace=False):
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    if not training or p == 0:
        return input
    return _dropped(input, p, inplace)


def _channels_dropped(batched):
    """Whole channels are dropped: of the first two dimensions, of the first where `batched` says that it is no batch."""

    def function(input, p=0.5, training=True, inplace=False):
        if not training or p == 0:
            return input
        from .._create import ones

        lead = input._shape[: 2 if len(input._shape) in batched else 1]
        mask = dropout(ones(*lead, dtype=input.dtype, device=input.device), p)
        made = ops.mul(input, views.reshape(mask, *lead, *(1,) * (len(input._shape) - len(lead))))
        return input.copy_(made) if inplace else made

    return function


dropout1d, dropout2d, dropout3d = _channels_dropped((3,)), _channels_dropped((3, 4)), _channels_dropped((5,))


def local_response_norm(input, size, alpha=1e-4, beta=0.75, k=1.0):
    square = views.unsqueeze(ops.mul(input, input), 1)
    flat = views.reshape(square, square._shape[0], 1, square._shape[2], -1, 1)
    sides = (0, 0, 0, 0, size // 2, (size - 1) // 2)
    near = avg_pool3d(pad(flat, sides), (size, 1, 1), stride=1)  # noqa: F405
    return ops.div(input, ops.pow(ops.add(ops.mul(views.reshape(near, *input._shape), alpha), k), beta))


def upsample_bilinear(input, size=None, scale_factor=None):
    return interpolate(input, size, scale_factor, "bilinear", True)  # noqa: F405


@_with_inplace
def _dropped(input, p, inplace=False):
    from .._random import bernoulli
    from .._create import zeros_like

    if p == 1:
        return ops.mul(input, zeros_like(input))
    keep = bernoulli(input.detach(), 1 - p)
    return ops.mul(input, ops.div(keep, 1 - p))


def linear(input, weight, bias=None):
    turned = weight if len(weight._shape) == 1 else views.transpose(weight, 0, 1)
    return ops.matmul(input, turned) if bias is None else ops.fused(bias, input, turned)


def bilinear(input1, input2, weight, bias=None):
    out = ops.einsum("...i,oij,...j->...o", input1, weight, input2)
    return out if bias is None else ops.add(out, bias)


def embedding(input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False):  # fmt: skip
    from .._indexing import get

    if max_norm is not None or scale_grad_by_freq:
        raise NotImplementedError(
            "embedding(max_norm=…, scale_grad_by_freq=…) is not available in Hippocamp's torch"
        )
    out = get(weight, input)
    if padding_idx is None or not needs(weight):
        return out
    # The row that pads gets no gradient.
    padding = padding_idx % weight._shape[0]
    kept = views.unsqueeze(ops.ne(input, padding), -1)
    return ops.where(kept, out, out.detach())


def one_hot(tensor, num_classes=-1):
    from .._create import zeros
    from .._indexing import scatter_

    n = int(reductions.max(tensor).item()) + 1 if num_classes == -1 else num_classes
    out = zeros(*tensor._shape, n, dtype=core.int64, device=tensor.device)
    return scatter_(out, -1, views.unsqueeze(tensor, -1), 1)


def scaled_dot_product_attention(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):  # fmt: skip
    if enable_gqa:
        from .._join import repeat_interleave

        times = query._shape[-3] // key._shape[-3]
        key, value = repeat_interleave(key, times, -3), repeat_interleave(value, times, -3)

    def compute(q):
        factor = 1 / math.sqrt(query._shape[-1]) if scale is None else scale
        wide = lambda t: t.to(q.dtype)  # noqa: E731
        scores = ops.mul(ops.matmul(q, views.transpose(wide(key), -2, -1)), factor)
        if is_causal:
            from .._create import ones
            from .._patterns import tril

            rows, columns = scores._shape[-2:]
            allowed = tril(ones(rows, columns, dtype=core.bool_, device=q.device))
            scores = ops.where(allowed, scores, float("-inf"))
        if attn_mask is not None:
            if attn_mask.dtype is core.bool_:
                scores = ops.where(attn_mask, scores, float("-inf"))
            else:
                scores = ops.add(scores, wide(attn_mask))
        weights = softmax(scores, -1)
        if dropout_p:
            weights = dropout(weights, dropout_p)
        return ops.matmul(weights, wide(value))

    return _float_first(query, compute)


singles(
    globals(),
    "leaky_relu elu selu celu threshold hardshrink softshrink prelu mish softplus logsigmoid hardtanh relu6 "
    "hardsigmoid hardswish glu group_norm batch_norm instance_norm",
)
singles(globals(), "layer_norm", fused="rows.layer_norm")
singles(globals(), "rms_norm", fused="rows.rms_norm")
singles(globals(), "scaled_dot_product_attention", fused="products.attention")

for _name in ("celu", "elu", "hardtanh", "leaky_relu", "relu", "selu", "threshold"):
    globals()[_name + "_"] = globals()[_name].into

publish(
    globals(),
    "adaptive_avg_pool1d avg_pool1d avg_pool2d avg_pool3d channel_shuffle gelu hardshrink linear normalize "
    "pixel_shuffle pixel_unshuffle softplus softshrink",
)


def __getattr__(name):
    from .._missing import missing

    raise missing("torch.nn.functional", name, globals())
