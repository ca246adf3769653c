"""`torch.nn.functional`, the usual part."""

import math

from .. import _core as core
from .. import _ops as ops
from .. import _reductions as reductions
from .. import _views as views
from .._autograd import needs, record
from .._ops import relu, sigmoid, tanh  # noqa: F401
from .._reductions import log_softmax, softmax  # noqa: F401
from .._tensor import Tensor


def _float_first(t, compute):
    """The narrow floats compute in f32 and are rounded once."""
    if t.dtype.is_floating_point and t.dtype.itemsize < 4:
        return compute(ops.cast(t, core.float32)).to(t.dtype)
    return compute(t)


def relu_(input):
    return input.relu_()


def relu6(input, inplace=False):
    return ops.clamp(input, 0, 6)


def leaky_relu(input, negative_slope=0.01, inplace=False):
    return ops.where(ops.gt(input, 0), input, ops.mul(input, negative_slope))


def elu(input, alpha=1.0, inplace=False):
    return _float_first(
        input, lambda x: ops.where(ops.gt(x, 0), x, ops.mul(ops.expm1(x), alpha))
    )


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
                lambda g: _float_first(input, lambda x: gradient(g.to(x.dtype), x)),
            )
        return result

    return function


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


def silu(input, inplace=False):
    return _silu(input)


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


def hardtanh(input, min_val=-1.0, max_val=1.0, inplace=False):
    return ops.clamp(input, min_val, max_val)


def hardsigmoid(input, inplace=False):
    return ops.div(ops.clamp(ops.add(input, 3), 0, 6), 6)


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

    return _float_first(input, compute)


def rms_norm(input, normalized_shape, weight=None, eps=None):
    shape = tuple(normalized_shape) if not isinstance(normalized_shape, int) else (normalized_shape,)
    axes = tuple(range(-len(shape), 0))

    def compute(x):
        from .._create import finfo

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
    else:
        mean, variance = views.reshape(running_mean, *shape), views.reshape(running_var, *shape)
    out = ops.mul(ops.sub(input, mean), ops.rsqrt(ops.add(variance, eps)))
    if weight is not None:
        out = ops.mul(out, views.reshape(weight, *shape))
    return out if bias is None else ops.add(out, views.reshape(bias, *shape))


def normalize(input, p=2.0, dim=1, eps=1e-12, out=None):
    return ops.div(input, ops.clamp(reductions.norm(input, p, dim, True), min=eps))


def cosine_similarity(x1, x2, dim=1, eps=1e-8):
    dot = reductions.sum(ops.mul(x1, x2), dim)
    lengths = ops.mul(reductions.norm(x1, 2, dim), reductions.norm(x2, 2, dim))
    return ops.div(dot, ops.clamp(lengths, min=eps))


def dropout(input, p=0.5, training=True, inplace=False):
    if p < 0.0 or p > 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    if not training or p == 0:
        return ops.mul(input, 1)
    from .._create import bernoulli, zeros_like

    if p == 1:
        return ops.mul(input, zeros_like(input))
    keep = bernoulli(input.detach(), 1 - p)
    return ops.mul(input, ops.div(keep, 1 - p))


def linear(input, weight, bias=None):
    if len(weight._shape) == 1:
        out = ops.matmul(input, weight)
    else:
        out = ops.matmul(input, views.transpose(weight, 0, 1))
    return out if bias is None else ops.add(out, bias)


def bilinear(input1, input2, weight, bias=None):
    out = ops.einsum("...i,oij,...j->...o", input1, weight, input2)
    return out if bias is None else ops.add(out, bias)


def embedding(input, weight, padding_idx=None, **_):
    from .._indexing import get

    return get(weight, input)


def one_hot(tensor, num_classes=-1):
    from .._create import zeros
    from .._indexing import scatter_

    n = int(reductions.max(tensor).item()) + 1 if num_classes == -1 else num_classes
    out = zeros(*tensor._shape, n, dtype=core.int64, device=tensor.device)
    return scatter_(out, -1, views.unsqueeze(tensor, -1), 1)


def _reduced(loss, reduction):
    if reduction == "mean":
        return reductions.mean(loss)
    if reduction == "sum":
        return reductions.sum(loss)
    if reduction == "none":
        return loss
    raise ValueError(f"{reduction} is not a valid value for reduction")


def mse_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    return _reduced(ops.square(ops.sub(input, target)), reduction)


def l1_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    return _reduced(ops.abs(ops.sub(input, target)), reduction)


def smooth_l1_loss(input, target, reduction="mean", beta=1.0):
    d = ops.abs(ops.sub(input, target))
    small = ops.div(ops.mul(ops.mul(d, d), 0.5), beta)
    return _reduced(ops.where(ops.lt(d, beta), small, ops.sub(d, 0.5 * beta)), reduction)


def huber_loss(input, target, reduction="mean", delta=1.0):
    d = ops.abs(ops.sub(input, target))
    small = ops.mul(ops.mul(d, d), 0.5)
    large = ops.mul(ops.sub(d, 0.5 * delta), delta)
    return _reduced(ops.where(ops.lt(d, delta), small, large), reduction)


def nll_loss(input, target, weight=None, ignore_index=-100, reduction="mean"):
    from .._indexing import gather, get

    axis = 1 if len(input._shape) > 1 else 0
    valid = ops.ne(target, ignore_index)
    safe = ops.where(valid, target, 0)
    picked = views.squeeze(gather(input, axis, views.unsqueeze(safe, axis)), axis)
    scale = valid.to(input.dtype)
    if weight is not None:
        scale = ops.mul(scale, get(weight, safe))
    loss = ops.neg(ops.mul(picked, scale))
    if reduction == "mean":
        return ops.div(reductions.sum(loss), reductions.sum(scale))
    return _reduced(loss, reduction)


def cross_entropy(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean", label_smoothing=0.0):  # fmt: skip
    axis = 1 if len(input._shape) > 1 else 0
    logs = log_softmax(input, axis)
    if target.dtype.is_floating_point:
        loss = ops.neg(reductions.sum(ops.mul(logs, target), axis))
        return reductions.mean(loss) if reduction == "mean" else _reduced(loss, reduction)
    loss = nll_loss(logs, target, weight, ignore_index, reduction)
    if label_smoothing:
        valid = ops.ne(target, ignore_index).to(input.dtype)
        smooth = ops.neg(ops.mul(reductions.sum(logs, axis), valid))
        if reduction == "mean":
            smooth = ops.div(reductions.sum(smooth), reductions.sum(valid))
        elif reduction == "sum":
            smooth = reductions.sum(smooth)
        n = input._shape[axis]
        loss = ops.add(ops.mul(loss, 1 - label_smoothing), ops.mul(smooth, label_smoothing / n))
    return loss


def binary_cross_entropy(input, target, weight=None, reduction="mean"):
    low = lambda t: ops.clamp(ops.log(t), min=-100)  # noqa: E731
    loss = ops.neg(
        ops.add(ops.mul(target, low(input)), ops.mul(ops.sub(1, target), low(ops.sub(1, input))))
    )
    return _reduced(loss if weight is None else ops.mul(loss, weight), reduction)


def binary_cross_entropy_with_logits(input, target, weight=None, reduction="mean", pos_weight=None):
    loss = ops.sub(_softplus(input), ops.mul(input, target))
    return _reduced(loss if weight is None else ops.mul(loss, weight), reduction)


def kl_div(input, target, reduction="mean", log_target=False):
    if log_target:
        loss = ops.mul(ops.exp(target), ops.sub(target, input))
    else:
        loss = ops.sub(ops.xlogy(target, target), ops.mul(target, input))
    if reduction == "batchmean":
        return ops.div(reductions.sum(loss), input._shape[0])
    return _reduced(loss, reduction)


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
            from .._create import ones, tril

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


def pad(input, pad, mode="constant", value=None):
    if mode != "constant":
        raise NotImplementedError(f"pad(mode={mode!r}) is not available in Hippocamp's torch")
    from .._create import full
    from .._tensor import write

    rank = len(input._shape)
    before, after = [0] * rank, [0] * rank
    for i in range(len(pad) // 2):
        before[rank - 1 - i], after[rank - 1 - i] = pad[2 * i], pad[2 * i + 1]
    shape = [s + b + a for s, b, a in zip(input._shape, before, after)]
    out = full(shape, value or 0, dtype=input.dtype, device=input.device)
    source, window = input, out
    for dim, (b, a) in enumerate(zip(before, after)):
        kept = input._shape[dim] + min(b, 0) + min(a, 0)
        source = views.narrow(source, dim, -min(b, 0), kept)
        window = views.narrow(window, dim, max(b, 0), kept)
    write(window, source.detach())
    if needs(input):

        def gradient(g):
            part = g
            for dim, (b, a) in enumerate(zip(before, after)):
                if b < 0 or a < 0:
                    raise NotImplementedError("the gradient of a negative pad is not available")
                part = views.narrow(part, dim, b, input._shape[dim])
            return part

        record(out, "ConstantPadNdBackward0", [input], gradient)
    return out


def __getattr__(name):
    from .._missing import missing

    raise missing("torch.nn.functional", name, globals())


__all__ = ["Tensor"]
