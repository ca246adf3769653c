"""`triton.experimental.gluon.language`. Functions exist for kernels only; layouts, types and dtypes also on the host."""

from triton.language import core as _core
from triton.language._stubs import Builtin as _Builtin
from triton.language._stubs import define as _define
from triton.language.core import (  # noqa: F401
    bfloat16, block_type, constexpr, dtype, float8e4b8, float8e4b15, float8e4nv, float8e5, float8e5b16, float16,
    float32, float64, int1, int8, int16, int32, int64, pointer_type, tensor, tuple, uint8, uint16, uint32, uint64, void,
)  # fmt: skip

from .. import _hardware
from ._layouts import (  # noqa: F401
    AutoLayout, BlockedLayout, CoalescedLayout, DistributedLinearLayout, DotOperandLayout, NVMMADistributedLayout,
    NVMMASharedLayout, PaddedSharedLayout, SharedLinearLayout, SliceLayout, SwizzledSharedLayout,
)  # fmt: skip

_define(
    globals(),
    __name__,
    """abs add aggregate_replace allocate_shared_memory arange associative_scan assume atomic_add atomic_and atomic_cas
    atomic_max atomic_min atomic_or atomic_xchg atomic_xor bank_conflicts barrier broadcast cast cdiv ceil clamp
    convert_layout cos device_assert device_print div_rn dot_fma erf exp exp2 expand_dims expect_zero fdiv floor fma
    fp4_to_fp full full_like gather histogram inline_asm_elementwise join load log log2 map_elementwise max
    max_constancy max_contiguous maximum min minimum mul multiple_of num_ctas num_programs num_warps permute program_id
    ravel reduce reduce_or reshape rsqrt set_auto_layout sin split sqrt sqrt_rn static_assert static_print static_range
    store sub sum to_linear_layout to_tensor umulhi warp_specialize where xor_sum zeros zeros_like""",
)
shared_memory_descriptor = _Builtin(f"{__name__}.shared_memory_descriptor")
static_range = _core.static_range

nvidia, amd = _hardware.install(__name__)
