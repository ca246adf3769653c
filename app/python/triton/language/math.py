"""`tl.math`. What older programs reach here (tanh, pow, isnan …) is libdevice's."""

from ._stubs import define as _define

_define(
    globals(),
    "triton.language.math",
    "abs ceil cos div_rn erf exp exp2 fdiv floor fma log log2 rsqrt sin sqrt sqrt_rn umulhi",
)


def __getattr__(name):
    from .extra import libdevice

    return getattr(libdevice, name)
