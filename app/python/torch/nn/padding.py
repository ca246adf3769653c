"""`nn.ReflectionPad2d` and its kind: `functional.pad` with one mode, along the last dimensions."""

from . import functional
from .module import Module


class _Pad(Module):
    rank, mode = 1, "constant"

    def __init__(self, padding):
        super().__init__()
        self.padding = (padding,) * (2 * self.rank) if isinstance(padding, int) else tuple(padding)

    def forward(self, input):
        return functional.pad(input, self.padding, self.mode)

    def extra_repr(self):
        return f"{self.padding}"


class _ConstantPad(_Pad):
    def __init__(self, padding, value):
        super().__init__(padding)
        self.value = value

    def forward(self, input):
        return functional.pad(input, self.padding, "constant", self.value)

    def extra_repr(self):
        return f"padding={self.padding}, value={self.value}"


def _of(kind, base, mode):
    for rank in (1, 2, 3):
        name = f"{kind}Pad{rank}d"
        made = type(name, (base,), {"rank": rank, "mode": mode, "__module__": __name__, "__qualname__": name})
        globals()[name] = made


_of("Zero", _Pad, "constant")
_of("Reflection", _Pad, "reflect")
_of("Replication", _Pad, "replicate")
_of("Circular", _Pad, "circular")
_of("Constant", _ConstantPad, "constant")
__all__ = [name for name in globals() if "Pad" in name and not name.startswith("_")]
