"""Titles, limits, scales, ticks and the legend of an axes."""

from . import missing
from ._options import GRID, LEGEND, LOOKS, TICKS, color_of, refuse_others, size_of, take
from .colors import css


class Looks:
    def _title(self, part, text, options):
        self.colors[part] = color_of(options, self.colors[part])
        self.sizes[part] = size_of(take(options, "fontsize", "size"), self.sizes[part])
        refuse_others(options, "a title")
        self.texts[part] = text

    def set_title(self, label, fontdict=None, **options):
        self._title("title", label, options)

    def set_xlabel(self, xlabel, fontdict=None, **options):
        self._title("x", xlabel, options)

    def set_ylabel(self, ylabel, fontdict=None, **options):
        self._title("y", ylabel, options)

    def set(self, **parts):
        for name, value in parts.items():
            getattr(self, f"set_{name}")(value)

    def set_xscale(self, value, **options):
        self.x.set_kind(value, **options)

    def set_yscale(self, value, **options):
        self.y.set_kind(value, **options)

    def _limits(self, scale, first, last, options):
        for name in ("left", "xmin", "bottom", "ymin"):
            first = options.pop(name, first)
        for name in ("right", "xmax", "top", "ymax"):
            last = options.pop(name, last)
        refuse_others(options, "limits")
        if isinstance(first, (tuple, list)):
            first, last = first
        for at, value in enumerate((first, last)):
            if value is not None:
                scale.limits[at] = float(value)

    def set_xlim(self, first=None, last=None, **options):
        self._limits(self.x, first, last, options)

    def set_ylim(self, first=None, last=None, **options):
        self._limits(self.y, first, last, options)

    def get_xlim(self):
        return tuple(map(self.x.unmoved, self.x.ends()))

    def get_ylim(self):
        return tuple(map(self.y.unmoved, self.y.ends()))

    def _ticks(self, way, ticks, labels, options):
        scale = getattr(self, way)
        if ticks is not None:
            scale.ticks = scale.places(ticks)
            scale.cover(scale.ticks)
        if labels is not None:
            scale.labels = [str(each) for each in labels]
        if scale.labels is not None and scale.ticks is None:
            scale.ticks = list(range(len(scale.labels)))
        if options.pop("minor", False):
            raise missing("minor= of ticks")
        self.turned[way] = _turn(take(options, "rotation", usual=self.turned[way]))
        self.tick_colors[way] = color_of(options, self.tick_colors[way])
        self.tick_sizes[way] = size_of(take(options, "fontsize"), self.tick_sizes[way])
        refuse_others(options, "ticks", LOOKS)

    def set_xticks(self, ticks, labels=None, **options):
        self._ticks("x", ticks, labels, options)

    def set_yticks(self, ticks, labels=None, **options):
        self._ticks("y", ticks, labels, options)

    def set_xticklabels(self, labels, **options):
        self._ticks("x", None, labels, options)

    def set_yticklabels(self, labels, **options):
        self._ticks("y", None, labels, options)

    def tick_params(self, axis="both", rotation=None, labelrotation=None, labelsize=None, labelcolor=None, which="major", **looks):
        if which == "minor":
            return
        ways = ("x", "y") if axis == "both" else (axis,)
        for side, way in (("bottom", "x"), ("left", "y"), ("top", "x"), ("right", "y")):
            shows, _marks = looks.pop(f"label{side}", None), looks.pop(side, None)
            if side in ("top", "right"):
                if shows:
                    raise missing(f"label{side}= of tick_params")
            elif shows is not None:
                self.has_labels[way] = bool(shows)
        labelcolor = looks.get("colors") if labelcolor is None else labelcolor
        refuse_others(looks, "tick_params", TICKS)
        for way in ways:
            if labelcolor is not None:
                self.tick_colors[way] = css(labelcolor)
            self.turned[way] = _turn(rotation or labelrotation or self.turned[way])
            self.tick_sizes[way] = size_of(labelsize, self.tick_sizes[way])

    def invert_yaxis(self):
        self.y.inverted = not self.y.inverted

    def invert_xaxis(self):
        self.x.inverted = not self.x.inverted

    def set_aspect(self, aspect, **options):
        if aspect not in ("equal", "auto", 1):
            raise missing(f"set_aspect({aspect!r})")
        self.equal = aspect != "auto"

    def axis(self, how=None):
        if isinstance(how, (list, tuple)):
            self._limits(self.x, *how[:2], {}), self._limits(self.y, *how[2:], {})
        elif how in ("off", False):
            self.is_off = True
        elif how in ("equal", "image", "square", "scaled"):
            self.equal = True
        elif how not in (None, "on", "tight", "auto", True):
            raise missing(f"axis({how!r})")
        return (*self.get_xlim(), *self.get_ylim())

    def set_axis_off(self):
        self.is_off = True

    def grid(self, visible=True, which="major", axis="both", **looks):
        refuse_others(looks, "grid", GRID)
        if which == "minor":
            raise missing('which="minor" of grid')
        self.lines_of_grid = None if not visible and not looks else axis
        self.grid_look = (
            color_of(looks, "#b0b0b0"), take(looks, "linewidth", "lw", usual=0.6), take(looks, "linestyle", "ls", usual="-"),
            take(looks, "alpha"),
        )  # fmt: skip

    def legend(self, *args, loc=None, title=None, ncol=1, **looks):
        handles, labels = looks.pop("handles", None), looks.pop("labels", None)
        if len(args) == 1:
            labels = args[0]
        elif len(args) == 2:
            handles, labels = args
        refuse_others(looks, "legend", LEGEND)
        loc = _PLACES[loc] if isinstance(loc, int) else loc
        self.key = (handles, labels, loc, title)

    def get_legend_handles_labels(self):
        shown = [each for each in self.artists if each.label and not str(each.label).startswith("_")]
        return shown, [each.label for each in shown]

    def get_figure(self):
        return self.figure

    def twinx(self):
        if self.twin is not None:
            raise missing("a third scale of twinx")
        self.twin = type(self)(self.figure, self.box)
        self.twin.x, self.twin.next_color = self.x, 0
        self.shares_scales = self.twin.shares_scales = True
        return self.twin


#: Places of legends by their numbers.
_PLACES = (
    "best", "upper right", "upper left", "lower left", "lower right", "right", "center left", "center right", "lower center",
    "upper center", "center",
)  # fmt: skip


def _turn(degrees):
    return {"vertical": 90, "horizontal": 0}.get(degrees, degrees) or 0
