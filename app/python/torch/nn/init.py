"""`torch.nn.init`: fills tensors in place, off the tape."""

import math


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


def __getattr__(name):
    from .._missing import missing

    raise missing("torch.nn.init", name, globals())
