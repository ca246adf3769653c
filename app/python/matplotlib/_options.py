"""Keyword arguments: what a function takes, and an error for what it would leave out of the chart."""

from . import missing
from .colors import css

_SIZES = {"xx-small": 6, "x-small": 7, "small": 8.5, "medium": 10, "large": 12, "x-large": 14, "xx-large": 17}
#: Arguments that change the look of letters or lines only.
LOOKS = set(
    """fontsize fontweight weight size pad labelpad family fontfamily fontname fontstyle style loc zorder antialiased
    markeredgecolor mec markeredgewidth mew markerfacecolor mfc rasterized picker clip_on capthick snap rotation_mode
    va verticalalignment y x color ha horizontalalignment rotation linespacing bbox wrap""".split()
)
#: Keywords of grids, legends, ticks, figures and files that show the same values: layout, frames.
GRID = {"linestyle", "ls", "linewidth", "lw", "alpha", "color", "c", "zorder", "dashes"}
LEGEND = LOOKS | set(
    """bbox_to_anchor frameon framealpha fancybox shadow prop ncol ncols borderaxespad borderpad handlelength
    handletextpad labelspacing columnspacing title_fontsize facecolor edgecolor numpoints scatterpoints markerscale
    bbox_transform mode alignment labelcolor markerfirst handleheight""".split()
)
TICKS = set("direction length width color pad colors grid_color grid_alpha grid_linestyle zorder reset".split())
FIGURE = set("facecolor edgecolor linewidth frameon layout constrained_layout tight_layout dpi".split())
FILE = set(
    """dpi bbox_inches pad_inches transparent facecolor edgecolor metadata orientation backend papertype pil_kwargs
    bbox_extra_artists""".split()
)


def size_of(given, usual):
    return usual if given is None else _SIZES.get(given, given) if isinstance(given, str) else float(given)


def take(options, *names, usual=None):
    """The first of the names that the program gave; all of them are taken out."""
    found = [options.pop(name) for name in names if name in options]
    return next((each for each in found if each is not None), usual)


def color_of(options, usual="#000"):
    given = take(options, "color", "c")
    return usual if given is None else css(given)


def every(given, count):
    """The places of `markevery=`, of so many points."""
    if given is None:
        return range(count)
    if isinstance(given, int):
        return range(0, count, given)
    if isinstance(given, slice):
        return range(count)[given]
    if isinstance(given, tuple) and len(given) == 2 and all(isinstance(each, int) for each in given):
        return range(given[0], count, given[1])
    if isinstance(given, list) and all(type(each) is int for each in given):
        return [range(count)[each] for each in given]
    raise missing(f"markevery={given!r}")


def refuse_others(options, where, looks=LOOKS):
    for name in options:
        if name not in looks:
            raise missing(f"{name}= of {where}")
