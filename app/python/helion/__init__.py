"""What the Triton that Helion prints imports: `helion.runtime`, `helion.cdiv`, `helion.next_power_of_2`.

Helion's compiler, `@helion.kernel`, is not here: its names can be bound, and calling one raises.
"""

from triton import cdiv, next_power_of_2  # noqa: F401

from . import runtime  # noqa: F401
from ._absent import absent

__getattr__ = absent("helion")
