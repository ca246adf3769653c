"""`torch._inductor.runtime.triton_compat`: Triton's names, as code that PyTorch and Helion generate imports them."""

import triton
import triton.language as tl
from triton import Config, knobs  # noqa: F401
from triton.compiler import ASTSource, CompiledKernel  # noqa: F401
from triton.language.extra import libdevice  # noqa: F401
from triton.runtime.autotuner import OutOfResources  # noqa: F401
from triton.runtime.jit import JITFunction, KernelInterface  # noqa: F401

math = tl.math
HAS_TRITON = True
HAS_WARP_SPEC = False
builtins_use_semantic_kwarg = True

__all__ = ["Config", "JITFunction", "libdevice", "math", "tl", "triton"]
