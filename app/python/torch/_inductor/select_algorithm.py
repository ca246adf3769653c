"""`extern_kernels`: what TorchInductor leaves to libraries. The CPU computes it, as torch's own functions."""

from .._missing import Unavailable
from .._operators import operator

#: Names of Inductor's own for operators of aten.
_ALIASES = {"bias_addmm": "addmm", "mm_dtype": "mm", "bmm_dtype": "bmm"}


class _ExternKernels:
    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(f"extern_kernels has no attribute '{name}'")
        found = operator("aten", _ALIASES.get(name, name)) or operator("inductor", name)
        return found or Unavailable(f"extern_kernels.{name}")


extern_kernels = _ExternKernels()
