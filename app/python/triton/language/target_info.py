"""`tl.target_info`: facts of the target at compile time."""

from ._stubs import Builtin as _Builtin
from ._stubs import define as _define

_define(
    globals(),
    "triton.language.target_info",
    "current_target is_cuda is_hip cuda_capability_geq is_hip_cdna3 is_hip_cdna4",
    _Builtin,
)
