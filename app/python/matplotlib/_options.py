"""Keyword arguments: what a function takes, and an error for what it would leave out of the chart."""

from . import missing

_SIZES = {"xx-small": 6, "x-small": 7, "small": 8.5, "medium": 10, "large": 12, "x-large": 14, "xx-large": 17}
#: Arguments that change the look of letters or lines only.
LOOKS = set(
    """fontsize fontweight weight size pad labelpad family fontfamily fontname fontstyle style loc zorder antialiased
    markeredgecolor mec markeredgewidth mew markerfacecolor mfc rasterized picker clip_on capthick snap rotation_mode
    va verticalalignment y x color ha horizontalalignment rotation linespacing bbox wrap markevery""".split()
)


def size_of(given, usual):
    return usual if given is None else _SIZES.get(given, given) if isinstance(given, str) else float(given)


def take(options, *names, usual=None):
    """The first of the names that the program gave; all of them are taken out."""
    found = [options.pop(name) for name in names if name in options]
    return next((each for each in found if each is not None), usual)


def refuse_others(options, where, looks=LOOKS):
    for name in options:
        if name not in looks:
            raise missing(f"{name}= of {where}")
