"""Everything that computes one tensor from others element by element, or by a matrix product, under one
name. Modules that reduce, index or build on them say `ops.mul`.
"""

from ._arithmetic import *  # noqa: F403
from ._arithmetic import _true_div  # noqa: F401
from ._elementwise import *  # noqa: F403
from ._elementwise import NUMBER, Tensor, _caster, _unary  # noqa: F401
from ._functions import *  # noqa: F403
from ._products import *  # noqa: F403
