"""A small matplotlib: the charts that Triton programs draw, as SVG in the output. The real one, where the run has
its wheel, takes its place.

Guarantee: what is not here raises an error with its name; nothing is left out of a chart in silence but looks
(fonts, styles, layout of the margins).
"""

__version__ = "3.10.8"


class MissingPart(NotImplementedError, AttributeError):
    """A part of matplotlib that only the real one has."""


def missing(name):
    return MissingPart(
        f"Hippocamp’s small matplotlib has no {name}. Packages (in Settings; hippocamp run --packages) takes the "
        "real one; else leave that out"
    )


#: Settings that have an effect here, with their defaults.
_DEFAULTS = {
    "figure.figsize": [6.4, 4.8], "figure.dpi": 100, "image.cmap": "viridis", "axes.grid": False, "lines.linewidth": 1.5,
    "lines.markersize": 6.0,
}  # fmt: skip
#: Groups of settings that change looks alone: letters, layout, files.
_GROUPS = set(
    """font text mathtext figure savefig legend grid xtick ytick axes lines patch pdf ps svg agg path backend interactive
    toolbar errorbar""".split()
)
#: Settings of these groups that change what a chart shows.
_EFFECTS = {
    "axes.prop_cycle", "axes.xmargin", "axes.ymargin", "axes.zmargin", "axes.autolimit_mode", "axes.axisbelow", "lines.marker",
    "lines.linestyle", "axes.titlelocation",
}  # fmt: skip


class RcParams(dict):
    def __setitem__(self, name, value):
        if name not in _DEFAULTS and (name in _EFFECTS or name.split(".")[0] not in _GROUPS):
            raise missing(f"rcParams[{name!r}]")
        super().__setitem__(name, value)

    def update(self, *given, **more):
        for name, value in dict(*given, **more).items():
            self[name] = value


#: The settings that programs write.
rcParams = RcParams(_DEFAULTS)


def rcdefaults():
    rcParams.clear()
    rcParams.update(_DEFAULTS)


def use(backend, **kwargs):
    pass


def get_backend():
    return "module://_hippocamp"


def rc(group, **settings):
    rcParams.update({f"{group}.{key}": value for key, value in settings.items()})


def __getattr__(name):
    if name in ("pyplot", "style", "colors", "cm"):
        import importlib

        return importlib.import_module(f"matplotlib.{name}")
    if name.startswith("__"):
        raise AttributeError(name)
    raise missing(f"matplotlib.{name}")
