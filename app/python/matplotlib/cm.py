"""`matplotlib.cm`: the colour maps by name."""

from .colors import Colormap


def get_cmap(name="viridis", lut=None):
    return name if isinstance(name, Colormap) else Colormap(name or "viridis")


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return Colormap(name)
