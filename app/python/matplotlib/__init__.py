"""A small matplotlib: the charts that Triton programs draw, as SVG in the output. The real one, where the run has
its wheel, takes its place.

Guarantee: what is not here raises an error with its name; nothing is left out of a chart in silence but looks
(fonts, styles, layout of the margins).
"""

__version__ = "3.10.8"
#: The settings that programs write; none of them changes a value.
rcParams = {"figure.figsize": [6.4, 4.8], "figure.dpi": 100}


class MissingPart(NotImplementedError, AttributeError):
    """A part of matplotlib that only the real one has."""


def missing(name):
    return MissingPart(
        f"Hippocamp’s small matplotlib has no {name}. Packages (in Settings; hippocamp run --packages) takes the "
        "real one; else leave that out"
    )


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
