"""An example, as Helion's tests take them from a file."""

import helion
import helion.language as hl
import torch


@helion.kernel()
def negate(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    for tile in hl.tile(x.size(0)):
        out[tile] = -x[tile]
    return out
