"""`matplotlib.pyplot`: the current figure and axes, and their methods as functions."""

import functools

from . import cm, missing, rcParams, style  # noqa: F401
from ._axes import Axes
from ._figure import Figure
from ._options import FIGURE

_figures = {}
_current = []
#: Figures of one run; `close` makes room.
_MOST = 200


def figure(num=None, figsize=None, dpi=None, clear=False, **looks):
    number = num if num is not None else max((n for n in _figures if isinstance(n, int)), default=0) + 1
    if len(_figures) >= _MOST and number not in _figures:
        raise RuntimeError(f"more than {_MOST} figures are open: close them with plt.close()")
    if number not in _figures:
        _figures[number] = Figure(number, figsize, dpi, **looks)
    if clear:
        _figures[number].clear()
    _current[:] = [_figures[number], None]
    return _figures[number]


def gcf():
    return _current[0] if _current else figure()


def gca():
    axes = gcf().gca() if not _current or _current[1] is None else _current[1]
    _current[:] = [gcf(), axes]
    return axes


def sca(axes):
    _current[:] = [axes.figure, axes]


def subplot(*place, **options):
    axes = gcf().add_subplot(*(place or (1, 1, 1)), **options)
    sca(axes)
    return axes


def subplots(nrows=1, ncols=1, *, num=None, figsize=None, dpi=None, **options):
    looks = {name: options.pop(name) for name in list(options) if name in FIGURE}
    made = figure(num, figsize=figsize, dpi=dpi, **looks)
    axes = made.subplots(nrows, ncols, **options)
    sca(made.axes[-1])
    return made, axes


def show(*args, **options):
    """Each open figure once, and closes it, as in a notebook."""
    for each in list(_figures.values()):
        if each.axes:
            each.show()
    close("all")


def savefig(*args, **options):
    gcf().savefig(*args, **options)


def close(which=None):
    if which == "all":
        _figures.clear()
    else:
        shut = which if isinstance(which, Figure) else _figures.get(which) if which is not None else gcf()
        for number in [number for number, each in _figures.items() if each is shut]:
            del _figures[number]
    _current.clear()
    if _figures:
        _current[:] = [list(_figures.values())[-1], None]


def clf():
    gcf().clear()
    _current[1:] = [None]


def get_fignums():
    return sorted(_figures)


def colorbar(mappable=None, ax=None, **options):
    image = mappable or next((each for each in reversed(gca().artists) if getattr(each, "colormap", None)), None)
    return gcf().colorbar(image, ax, **options)


def suptitle(*args, **options):
    return gcf().suptitle(*args, **options)


def tight_layout(*args, **looks):
    pass


subplots_adjust = tight_layout


def ion():
    pass


ioff = ion
pause = switch_backend = tight_layout


def get_cmap(name=None, lut=None):
    return cm.get_cmap(name)


def xticks(ticks=None, labels=None, **options):
    return gca().set_xticks(ticks, labels, **options)


def yticks(ticks=None, labels=None, **options):
    return gca().set_yticks(ticks, labels, **options)


def _method(name, method):
    @functools.wraps(getattr(Axes, method))
    def call(*args, **options):
        return getattr(gca(), method)(*args, **options)

    call.__name__ = name
    return call


for _name in (
    """plot semilogx semilogy loglog scatter bar barh bar_label hist errorbar fill_between axhline axvline imshow matshow
    text annotate axis grid legend tick_params cla twinx""".split()
):
    globals()[_name] = _method(_name, _name)
for _name in "xlabel ylabel title xscale yscale xlim ylim".split():
    globals()[_name] = _method(_name, f"set_{_name}")


def xlim(*args, **options):
    return gca().set_xlim(*args, **options) if args or options else gca().get_xlim()


def ylim(*args, **options):
    return gca().set_ylim(*args, **options) if args or options else gca().get_ylim()


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    raise missing(f"plt.{name}")
