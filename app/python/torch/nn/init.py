"""`torch.nn.init`: fills tensors in place, off the tape."""

import math
import warnings


def _fill(t, change):
    from .._autograd import no_grad

    with no_grad():
        change(t.detach())
    return t


def uniform_(tensor, a=0.0, b=1.0, generator=None):
    return _fill(tensor, lambda d: d.uniform_(a, b, generator=generator))


def normal_(tensor, mean=0.0, std=1.0, generator=None):
    return _fill(tensor, lambda d: d.normal_(mean, std, generator=generator))


def trunc_normal_(tensor, mean=0.0, std=1.0, a=-2.0, b=2.0, generator=None):
    """By inversion of the normal distribution between `a` and `b`."""

    def cdf(x):
        return (1 + math.erf(x / math.sqrt(2))) / 2

    low, high = cdf((a - mean) / std), cdf((b - mean) / std)

    def change(d):
        d.uniform_(2 * low - 1, 2 * high - 1, generator=generator)
        d.erfinv_().mul_(std * math.sqrt(2)).add_(mean).clamp_(a, b)

    return _fill(tensor, change)


def constant_(tensor, val):
    return _fill(tensor, lambda d: d.fill_(val))


def zeros_(tensor):
    return constant_(tensor, 0.0)


def ones_(tensor):
    return constant_(tensor, 1.0)


def eye_(tensor):
    if tensor.ndim != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    return _fill(tensor, lambda d: d.zero_().fill_diagonal_(1))


def calculate_gain(nonlinearity, param=None):
    if nonlinearity == "tanh":
        return 5.0 / 3
    if nonlinearity == "relu":
        return math.sqrt(2.0)
    if nonlinearity == "leaky_relu":
        return math.sqrt(2.0 / (1 + (0.01 if param is None else param) ** 2))
    if nonlinearity == "selu":
        return 3.0 / 4
    if nonlinearity in ("linear", "sigmoid") or nonlinearity.startswith("conv"):
        return 1
    raise ValueError(f"Unsupported nonlinearity {nonlinearity}")


def _fans(t):
    if t.dim() < 2:
        raise ValueError(
            "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions"
        )
    field = t[0][0].numel() if t.dim() > 2 else 1
    return t.size(1) * field, t.size(0) * field


_calculate_fan_in_and_fan_out = _fans


def xavier_uniform_(tensor, gain=1.0, generator=None):
    bound = gain * math.sqrt(6.0 / sum(_fans(tensor)))
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor, gain=1.0, generator=None):
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / sum(_fans(tensor))), generator)


def _kaiming(tensor, a, mode, nonlinearity):
    fan_in, fan_out = _fans(tensor)
    fan = fan_in if mode == "fan_in" else fan_out
    return calculate_gain(nonlinearity, a) / math.sqrt(fan)


def kaiming_uniform_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    bound = math.sqrt(3.0) * _kaiming(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    return normal_(tensor, 0.0, _kaiming(tensor, a, mode, nonlinearity), generator)


def dirac_(tensor, groups=1):
    """Convolutions that keep their input: one 1 in the middle of each kernel on the diagonal."""
    rank = tensor.dim()
    if rank not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    if tensor.size(0) % groups:
        raise ValueError("dim 0 must be divisible by groups")
    each = tensor.size(0) // groups
    middle = [size // 2 for size in tensor.shape[2:]]

    def change(d):
        d.zero_()
        for group in range(groups):
            for k in range(min(each, tensor.size(1))):
                d[(group * each + k, k, *middle)] = 1

    return _fill(tensor, change)


def orthogonal_(tensor, gain=1, generator=None):
    """The Q of a normal matrix, with the signs that make R's diagonal positive."""
    if tensor.dim() < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if tensor.numel() == 0:
        return tensor
    rows = tensor.size(0)
    columns = tensor.numel() // rows
    from ..linalg import qr

    def change(d):
        flat = d.new_empty((rows, columns)).normal_(0, 1, generator=generator)
        wide = rows < columns
        q, r = qr((flat.t() if wide else flat).double())
        q = q * r.diagonal().sign()
        d.copy_((q.t() if wide else q).reshape(d.shape)).mul_(gain)

    return _fill(tensor, change)


def sparse_(tensor, sparsity, std=0.01, generator=None):
    if tensor.ndimension() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    rows, columns = tensor.shape
    from .. import randperm

    def change(d):
        d.normal_(0, std, generator=generator)
        for column in range(columns):
            d[randperm(rows)[: math.ceil(sparsity * rows)], column] = 0

    return _fill(tensor, change)


def _deprecated(new):
    old = new.__name__[:-1]

    def function(*args, **kwargs):
        warnings.warn(
            f"`nn.init.{old}` is now deprecated in favor of `nn.init.{new.__name__}`.",
            FutureWarning,
            stacklevel=2,
        )
        return new(*args, **kwargs)

    function.__name__ = old
    return function


uniform, normal, constant, eye = map(_deprecated, (uniform_, normal_, constant_, eye_))
dirac, orthogonal, sparse = map(_deprecated, (dirac_, orthogonal_, sparse_))
xavier_uniform, xavier_normal = map(_deprecated, (xavier_uniform_, xavier_normal_))
kaiming_uniform, kaiming_normal = map(_deprecated, (kaiming_uniform_, kaiming_normal_))


def __getattr__(name):
    from .._missing import missing

    raise missing("torch.nn.init", name, globals())
