"""The losses of `torch.nn.functional`."""

from .. import _ops as ops
from .. import _reductions as reductions
from .. import _views as views
from .._eager import singles
from .._scans import log_softmax


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


def smooth_l1_loss(input, target, size_average=None, reduce=None, reduction="mean", beta=1.0):
    if beta == 0:
        return l1_loss(input, target, reduction=reduction)
    d = ops.abs(ops.sub(input, target))
    small = ops.div(ops.mul(ops.mul(d, d), 0.5), beta)
    return _reduced(ops.where(ops.lt(d, beta), small, ops.sub(d, 0.5 * beta)), reduction)


def huber_loss(input, target, reduction="mean", delta=1.0):
    d = ops.abs(ops.sub(input, target))
    small = ops.mul(ops.mul(d, d), 0.5)
    large = ops.mul(ops.sub(d, 0.5 * delta), delta)
    return _reduced(ops.where(ops.lt(d, delta), small, large), reduction)


def nll_loss(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean"):
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
        if label_smoothing:
            target = ops.add(
                ops.mul(target, 1 - label_smoothing), label_smoothing / input._shape[axis]
            )
        if weight is not None:
            logs = ops.mul(logs, _along_axis(weight, axis, logs))
        loss = ops.neg(reductions.sum(ops.mul(logs, target), axis))
        if reduction == "mean":
            return ops.div(reductions.sum(loss), loss.numel())
        return _reduced(loss, reduction)
    loss = nll_loss(logs, target, weight, ignore_index=ignore_index, reduction=reduction)
    if label_smoothing:
        valid = ops.ne(target, ignore_index).to(input.dtype)
        scaled = logs if weight is None else ops.mul(logs, _along_axis(weight, axis, logs))
        smooth = ops.neg(ops.mul(reductions.sum(scaled, axis), valid))
        if reduction == "mean":
            count = valid
            if weight is not None:
                from .._indexing import get

                count = ops.mul(valid, get(weight, ops.where(ops.ne(target, ignore_index), target, 0)))
            smooth = ops.div(reductions.sum(smooth), reductions.sum(count))
        elif reduction == "sum":
            smooth = reductions.sum(smooth)
        n = input._shape[axis]
        loss = ops.add(ops.mul(loss, 1 - label_smoothing), ops.mul(smooth, label_smoothing / n))
    return loss


def _along_axis(weight, axis, like):
    return views.reshape(weight, *[-1 if i == axis else 1 for i in range(len(like._shape))])


def binary_cross_entropy(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    low = lambda t: ops.clamp(ops.log(t), min=-100)  # noqa: E731
    loss = ops.neg(
        ops.add(ops.mul(target, low(input)), ops.mul(ops.sub(1, target), low(ops.sub(1, input))))
    )
    return _reduced(loss if weight is None else ops.mul(loss, weight), reduction)


def binary_cross_entropy_with_logits(input, target, weight=None, size_average=None, reduce=None, reduction="mean", pos_weight=None):  # fmt: skip
    # log(1 + e^x) without overflow; of −x it is less by x.
    softplus = ops.add(ops.clamp(input, min=0), ops.log1p(ops.exp(ops.neg(ops.abs(input)))))
    if pos_weight is None:
        loss = ops.sub(softplus, ops.mul(input, target))
    else:
        positive = ops.mul(ops.mul(ops.sub(softplus, input), target), pos_weight)
        loss = ops.add(positive, ops.mul(ops.sub(1, target), softplus))
    return _reduced(loss if weight is None else ops.mul(loss, weight), reduction)


def kl_div(input, target, size_average=None, reduce=None, reduction="mean", log_target=False):
    if log_target:
        loss = ops.mul(ops.exp(target), ops.sub(target, input))
    else:
        loss = ops.sub(ops.xlogy(target, target), ops.mul(target, input))
    if reduction == "batchmean":
        return ops.div(reductions.sum(loss), input._shape[0])
    return _reduced(loss, reduction)


def margin_ranking_loss(input1, input2, target, margin=0.0, size_average=None, reduce=None, reduction="mean"):
    loss = ops.clamp(ops.add(ops.mul(ops.neg(target), ops.sub(input1, input2)), margin), min=0)
    return _reduced(loss, reduction)


def hinge_embedding_loss(input, target, margin=1.0, size_average=None, reduce=None, reduction="mean"):
    apart = ops.clamp(ops.sub(margin, input), min=0)
    loss = ops.where(ops.eq(target, 1), input, ops.where(ops.eq(target, -1), apart, 0.0))
    return _reduced(loss, reduction)


def triplet_margin_loss(anchor, positive, negative, margin=1.0, p=2, eps=1e-6, swap=False, size_average=None, reduce=None, reduction="mean"):  # fmt: skip
    from .functional import pairwise_distance

    near = pairwise_distance(anchor, positive, p, eps)
    far = pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = ops.minimum(far, pairwise_distance(positive, negative, p, eps))
    return _reduced(ops.clamp(ops.add(ops.sub(near, far), margin), min=0), reduction)


def cosine_embedding_loss(input1, input2, target, margin=0.0, size_average=None, reduce=None, reduction="mean"):
    from .functional import cosine_similarity

    cosine = cosine_similarity(input1, input2, -1)
    apart = ops.clamp(ops.sub(cosine, margin), min=0)
    loss = ops.where(ops.eq(target, 1), ops.sub(1, cosine), apart)
    return _reduced(loss, reduction)


def poisson_nll_loss(input, target, log_input=True, full=False, size_average=None, eps=1e-8, reduce=None, reduction="mean"):  # fmt: skip
    if full:
        raise NotImplementedError("poisson_nll_loss(full=True) is not available in Hippocamp's torch")
    if log_input:
        loss = ops.sub(ops.exp(input), ops.mul(target, input))
    else:
        loss = ops.sub(input, ops.mul(target, ops.log(ops.add(input, eps))))
    return _reduced(loss, reduction)


def soft_margin_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    return _reduced(ops.log1p(ops.exp(ops.mul(ops.neg(target), input))), reduction)


singles(globals(), "nll_loss")
singles(globals(), "mse_loss smooth_l1_loss huber_loss cross_entropy", most=2)

__all__ = [name for name in dir() if name.endswith(("_loss", "_entropy", "_logits", "kl_div"))]
