"""Names of Helion's compiler: they can be bound; calling one, or decorating with it, raises."""

from torch._missing import binds

_WHY = (
    "belongs to Helion’s compiler, which Hippocamp does not have. The Triton that "
    "Helion prints runs here: set HELION_PRINT_OUTPUT_CODE=1 where Helion is, and paste that"
)


def absent(module):
    """A module's `__getattr__`."""
    return binds(module, "Hippocamp", _WHY)
