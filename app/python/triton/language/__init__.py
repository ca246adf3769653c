"""`triton.language`: every public name of Triton 3.8. Functions exist for kernels only; types, dtypes
and `constexpr` also on the host.
"""

from . import core, extra, math, random, standard, target_info  # noqa: F401
from .core import *  # noqa: F403
from .core import constexpr_type, get_int_dtype, str_to_ty  # noqa: F401
from .math import *  # noqa: F403
from .random import *  # noqa: F403
from .standard import *  # noqa: F403

libdevice = extra.libdevice

# The function behind `tl.exp` and `tl.math.exp` is one, known by one path.
for _name in "abs ceil cos div_rn erf exp exp2 fdiv floor fma log log2 rsqrt sin sqrt sqrt_rn umulhi".split():
    getattr(math, _name).hippocamp_path = "triton.language." + _name

# The private predecessors of today's names that published kernels still use.
make_tensor_descriptor = core.make_tensor_descriptor
_experimental_make_tensor_descriptor = make_tensor_descriptor
_experimental_descriptor_load = core.load_tensor_descriptor
_experimental_descriptor_store = core.store_tensor_descriptor


def __getattr__(name):
    raise AttributeError(
        f"module 'triton.language' has no attribute '{name}'"
    )
