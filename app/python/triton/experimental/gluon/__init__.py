"""Gluon: kernels whose layouts their author chooses. The portable core is here; what is of one kind of hardware
(tensor memory, mbarriers, wgmma, buffer instructions) has its names, and a kernel that uses one is refused at its line.
"""

from triton import aggregate, must_use_result
from triton.runtime.jit import GluonJITFunction, constexpr_function, gluon_jit

from . import _hardware

jit = gluon_jit
jit.__name__ = jit.__qualname__ = "jit"

nvidia, amd = _hardware.install(__name__)

__all__ = ["aggregate", "amd", "constexpr_function", "GluonJITFunction", "jit", "must_use_result", "nvidia"]
