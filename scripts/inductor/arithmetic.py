"""Programs for Inductor: elementwise arithmetic of every type, reductions and scans of every length."""

import torch
import torch.nn.functional as F
from registry import bf16, each, f16, f32, f64, i8, i16, i32, i64, ints, program, randn, u8

# ── elementwise ─────────────────────────────────────────────────────────────────────────────────


def _one(dtype=f32, *shape):
    return lambda: (randn(*(shape or (37, 29)), dtype=dtype),)


each(
    "pointwise",
    {
        "gelu": lambda x: F.gelu(x) * x.pow(3) + torch.erf(x),
        "gelu_tanh": lambda x: F.gelu(x, approximate="tanh") - F.silu(x),
        "mish_softplus": lambda x: F.mish(x) + F.softplus(x) + F.elu(x) + F.hardswish(x),
        "logs": lambda x: x.abs().log1p() + torch.expm1(x / 4) + (x * x + 1).log2() + torch.exp2(x),
        "trig": lambda x: (x.sin() + x.cos(), x.tan(), x.atan(), torch.atan2(x, x + 1), (x / 5).asin()),
        "hyperbolic": lambda x: (x.tanh(), x.sinh(), x.cosh(), x.asinh(), (x.abs() + 1).acosh()),
        "special": lambda x: (torch.special.erfinv(x / 10), torch.lgamma(x.abs() + 1), torch.special.i0(x)),
        "digamma": lambda x: (torch.digamma(x.abs() + 1), torch.special.bessel_j0(x), torch.special.ndtri(x.sigmoid())),
        "rounding": lambda x: (x.round(), x.floor().to(i64), x.ceil(), x.trunc(), x.frac(), x.sign()),
        "where_clamp": lambda x: torch.where(x > 0, x.clamp(0.1, 0.9), x.clamp_min(-1)) * x.isnan().logical_not(),
        "nan_handling": lambda x: (x.sqrt().nan_to_num(7.0), x.sqrt().maximum(x), x.log().fmin(x), x.sqrt().isnan()),
        "powers": lambda x: (x.pow(2), x.abs().pow(0.3), x.pow(-1), 2.0**x, x.abs().rsqrt(), torch.ldexp(x, x.floor())),
        "remainders": lambda x: (x % 0.7, torch.fmod(x, 0.7), torch.remainder(x, -0.3), x // 0.4, torch.copysign(x, -x)),
        "frexp": lambda x: torch.frexp(x),
        "transpose": lambda x: (x.t() + 1).contiguous() * 2,
        "hypot_signbit": lambda x: (torch.hypot(x, x + 1), torch.signbit(x), torch.nextafter(x, x + 1), torch.logit(x.sigmoid())),
    },
    _one(),
)  # fmt: skip
for _dtype in (f16, bf16, f64):
    each(
        str(_dtype).removeprefix("torch."),
        {
            "chain": lambda x: (x * 2 + 1).relu() * x.sigmoid() - x.exp().clamp(max=9),
            "softmax": lambda x: F.softmax(x, -1),
            "sum": lambda x: (x.sum(), x.mean(0), x.amax(1)),
        },
        _one(_dtype),
    )


@program(lambda: (randn(300), randn(300, dtype=f16), ints(9, 300), ints(2, 300).bool(), ints(90, 300, dtype=u8)))
def mixed_dtypes(a, b, c, d, e):
    return a + b, c * d, (a > c) ^ d, e + 1, c / 3, b.to(bf16) * 3, e.to(i8) + c.to(i16), a.to(f64) + b


@program(lambda: (ints(99, 500, low=-99, dtype=i32), ints(9, 500, low=1, dtype=i32) * (ints(2, 500, dtype=i32) * 2 - 1)))
def int_math(a, b):
    return a // b, a % b, torch.div(a, b, rounding_mode="trunc"), a ^ b, a & b, a | ~b, a << (b & 3), a >> (b & 3), a.abs(), a.sign()


@program(lambda: (ints(2**40, 200, low=-(2**40)), ints(99, 200, low=1)))
def int64_math(a, b):
    return a * b, a // b, a % b, a >> 3, a.clamp(-5, 2**33), a.float(), (a > b) & (b > 3)


@program(lambda: (randn(8, 1, 12), randn(9, 1), randn(1)))
def broadcasting(x, y, z):
    return x + y * z, x.expand(8, 9, 12).sum(1) + z


@program(lambda: (randn(33, 17), randn(17, 33)))
def tiled_transpose(x, y):
    return x + y.t(), x.t() * y


@program(lambda: (randn(4, 6, 8, 10),))
def permuted(x):
    return x.permute(0, 2, 3, 1).contiguous() + 1, x.permute(3, 1, 0, 2).reshape(10, -1) * 2


@program(lambda: (randn(64, 3),))
def in_place(x):
    x.add_(1).mul_(2)
    return x.sum(1)


@program(lambda: (torch.randn(40, dtype=torch.complex64),))
def complex_numbers(x):
    return x.abs(), x * x.conj(), x.real + x.imag


# ── reductions and scans ────────────────────────────────────────────────────────────────────────

_REDUCTIONS = {
    "sum_rows": lambda x: x.sum(1),
    "sum_columns": lambda x: x.sum(0),
    "sum_all": lambda x: x.sum(),
    "mean_keepdim": lambda x: x - x.mean(1, keepdim=True),
    "var_mean": lambda x: torch.var_mean(x, 1),
    "std": lambda x: x.std(0),
    "argmax": lambda x: (x.argmax(1), x.argmin(0), x.argmax()),
    "max_min": lambda x: (*x.max(1), *x.min(0)),
    "amax_amin": lambda x: (x.amax(1), x.amin(0)),
    "prod": lambda x: (x / 2).prod(1),
    "any_all": lambda x: ((x > 2.5).any(1), (x > -3).all(0), (x > 0).sum(1)),
    "logsumexp": lambda x: x.logsumexp(1),
    "norm": lambda x: (x.norm(), x.norm(dim=1), x.abs().norm(1, dim=0), x.norm(float("inf"))),
    "softmax": lambda x: F.softmax(x, 1),
    "softmax_columns": lambda x: F.softmax(x, 0),
    "log_softmax": lambda x: F.log_softmax(x, 1),
    "count_nonzero": lambda x: (x > 1).count_nonzero(1),
    "cumsum": lambda x: x.cumsum(1),
    "cumsum_columns": lambda x: x.cumsum(0),
    "cumprod": lambda x: (x / 2 + 1).cumprod(1),
    "cummax": lambda x: (*x.cummax(1), *x.cummin(1)),
    "logcumsumexp": lambda x: x.logcumsumexp(1),
}
each("small", _REDUCTIONS, lambda: (randn(20, 100),))
each("long", _REDUCTIONS, lambda: (randn(3, 5000),))
each(
    "huge",
    {k: _REDUCTIONS[k] for k in ("sum_all", "var_mean", "argmax", "softmax", "cumsum", "max_min")},
    lambda: (randn(2, 70000),),
)
each(
    "split_scan",
    {"int64": lambda x: (x * 100).to(i64).cumsum(1), "float64": lambda x: x.double().cumsum(1), "half": lambda x: x.half().cumsum(1), "product": lambda x: (x / 999 + 1).cumprod(1)},
    lambda: (randn(2, 30000),),
)
each("empty", {"sum": lambda x: x.sum(0), "add": lambda x: x + 1, "cat": lambda x: torch.cat([x, x])}, lambda: (randn(0, 5),))


@program(lambda: (ints(100, 30, 60), ints(2, 30, 60).bool()))
def int_reductions(x, b):
    return x.sum(1), x.amax(0), x.argmin(1), x.cumsum(1), b.any(0), b.sum(1), x.prod(1)
