"""`Axes`: what programs put into a chart."""

import math

from . import missing, rcParams
from ._artists import Band, Image, Line, Note, Points, parse_format
from ._bars import BarCharts
from ._drawing import Drawing
from ._looks import Looks
from ._options import LOOKS, refuse_others, size_of, take
from ._scale import Scale
from ._values import finite, listed, rows
from .cm import get_cmap
from .colors import CYCLE, css


class Axes(BarCharts, Looks, Drawing):
    def __init__(self, figure, box):
        self.figure, self.box, self.shares_scales = figure, box, False
        self.clear()

    def clear(self):
        if self.shares_scales:
            raise missing("clear of axes that share a scale")
        self.x, self.y = Scale(), Scale()
        self.artists, self.next_color = [], 0
        self.texts, self.sizes = {"title": "", "x": "", "y": ""}, {"title": 12, "x": 10, "y": 10}
        self.lines_of_grid, self.is_off, self.key, self.equal = "both" if rcParams["axes.grid"] else None, False, None, False
        self.grid_look = ("#b0b0b0", 0.6, "-", None)
        self.colors, self.tick_colors = dict.fromkeys(("title", "x", "y"), "#000"), {"x": "#000", "y": "#000"}
        self.has_labels, self.spines = {"x": True, "y": True}, Spines()
        self.turned, self.color_bar, self.twin, self.tick_sizes = {"x": 0, "y": 0}, None, None, {"x": 9, "y": 9}

    cla = clear

    def __getattr__(self, name):
        if name.startswith("__") or name in ("x", "y"):
            raise AttributeError(name)
        raise missing(f"Axes.{name}")

    def _color(self, given=None):
        if given is not None:
            return css(given)
        self.next_color += 1
        return CYCLE[(self.next_color - 1) % len(CYCLE)]

    def _add(self, artist):
        self.artists.append(artist)
        return artist

    def plot(self, *args, **options):
        lines, args = [], list(args)
        while args:
            x, y, form = None, args.pop(0), ""
            if args and not isinstance(args[0], str):
                x, y = y, args.pop(0)
            if args and isinstance(args[0], str):
                form = args.pop(0)
            lines += self._lines(x, y, form, dict(options))
        return lines

    def _lines(self, x, y, form, options):
        table = len(getattr(y, "shape", ())) == 2
        columns = [list(each) for each in zip(*rows(y))] if table else [listed(y)]
        made = []
        for column in columns:
            given, own = dict(options), parse_format(form)
            ys = self.y.places(column)
            xs = self.x.places(range(len(ys)) if x is None else x)
            if len(xs) != len(ys):
                raise ValueError(f"x and y must have same first dimension, but have shapes ({len(xs)},) and ({len(ys)},)")
            marker = take(given, "marker", usual=own[1])
            style = take(given, "linestyle", "ls", usual=own[2] or ("none" if own[1] and form else "-"))
            line = Line(
                xs, ys, self._color(take(given, "color", "c", usual=own[0])), style,
                take(given, "linewidth", "lw", usual=rcParams["lines.linewidth"]), marker,
                take(given, "markersize", "ms", usual=rcParams["lines.markersize"]), take(given, "alpha"),
                take(given, "label"), take(given, "markevery"),
            )  # fmt: skip
            refuse_others(given, "plot")
            self.x.cover(xs), self.y.cover(ys)
            made.append(self._add(line))
        return made

    def semilogx(self, *args, base=10, **options):
        self.x.set_kind("log", base)
        return self.plot(*args, **options)

    def semilogy(self, *args, base=10, **options):
        self.y.set_kind("log", base)
        return self.plot(*args, **options)

    def loglog(self, *args, base=10, **options):
        self.x.set_kind("log", base), self.y.set_kind("log", base)
        return self.plot(*args, **options)

    def scatter(self, x, y, s=36, c=None, marker="o", cmap=None, alpha=None, label=None, color=None, **options):
        refuse_others(options, "scatter", LOOKS | {"edgecolors", "linewidths", "edgecolor"})
        xs, ys = self.x.places(x), self.y.places(y)
        shades = c if c is not None else color
        if shades is not None and not isinstance(shades, (str, tuple)):
            values = listed(shades)
            if all(isinstance(each, (int, float)) for each in values) and len(values) == len(xs):
                low, high = min(values, default=0), max(values, default=1)
                table = get_cmap(cmap or rcParams["image.cmap"])
                colors = [css(table((each - low) / ((high - low) or 1))) for each in values]
            else:
                colors = [css(each) for each in values]
        else:
            colors = [self._color(shades)]
        self.x.cover(xs), self.y.cover(ys)
        return self._add(Points(xs, ys, colors, listed(s), marker, alpha, label))

    def fill_between(self, x, y1, y2=0, alpha=None, color=None, label=None, **options):
        refuse_others(options, "fill_between", LOOKS | {"facecolor", "edgecolor", "linewidth", "interpolate"})
        xs = self.x.places(x)
        low, high = [(listed(each) * len(xs))[: len(xs)] if len(listed(each)) == 1 else listed(each) for each in (y1, y2)]
        self.x.cover(xs), self.y.cover(low + high)
        return self._add(Band(xs, low, high, self._color(color or options.get("facecolor")), alpha, label))

    def axhline(self, y=0, xmin=0, xmax=1, **options):
        return self._across("y", y, xmin, xmax, options)

    def axvline(self, x=0, ymin=0, ymax=1, **options):
        return self._across("x", x, ymin, ymax, options)

    def _across(self, way, value, begin, end, options):
        (value,) = getattr(self, way).places([value])
        line = Line(
            [begin, end], [value, value], self._color(take(options, "color", "c")), take(options, "linestyle", "ls", usual="-"),
            take(options, "linewidth", "lw", usual=1.5), None, 6, take(options, "alpha"), take(options, "label"),
        )  # fmt: skip
        refuse_others(options, f"ax{'h' if way == 'y' else 'v'}line")
        line.across = way
        getattr(self, way).cover([value])
        return self._add(line)

    def imshow(self, image, cmap=None, vmin=None, vmax=None, aspect=None, origin="upper", interpolation=None, extent=None, **options):
        refuse_others(options, "imshow", {"zorder", "interpolation_stage", "filternorm", "filterrad"})
        if aspect not in (None, "auto", "equal", 1):
            raise missing(f"aspect={aspect!r} of imshow")
        grid = rows(image)
        height, width = len(grid), len(grid[0]) if grid else 0
        values = finite([each for row in grid for each in row if not isinstance(each, (list, tuple))])
        low = vmin if vmin is not None else min(values, default=0.0)
        high = vmax if vmax is not None else max(values, default=1.0)
        table = get_cmap(cmap or rcParams["image.cmap"])
        span = (high - low) or 1.0
        pixels = [[_pixel(each) if isinstance(each, (list, tuple)) else table.bytes_of((each - low) / span) for each in row] for row in grid]
        up = origin == "upper"
        sides = extent or ((-0.5, width - 0.5, height - 0.5, -0.5) if up else (-0.5, width - 0.5, -0.5, height - 0.5))
        self.x.cover(sides[:2]), self.y.cover(sides[2:])
        self.x.sticky.update(sides[:2]), self.y.sticky.update(sides[2:])
        self.y.inverted = self.y.inverted or sides[2] > sides[3]
        self.equal = aspect != "auto"
        smooth = interpolation not in (None, "nearest", "none", "antialiased", "auto")
        return self._add(Image(pixels if up else pixels[::-1], sides, smooth, table, low, high))

    def matshow(self, image, **options):
        return self.imshow(image, **options)

    def text(self, x, y, s, fontdict=None, **options):
        size = size_of(take(options, "fontsize", "size", usual=(fontdict or {}).get("size")), 10)
        whose = take(options, "transform")
        if whose not in (None, self.transAxes):
            raise missing("this transform= of text")
        within = self._shares if whose else None
        note = Note(
            x, y, s, size, take(options, "color", "c", usual="k"), take(options, "ha", "horizontalalignment", usual="left"),
            take(options, "va", "verticalalignment", usual="baseline"), take(options, "rotation", usual=0), within,
            take(options, "fontweight", "weight"),
        )  # fmt: skip
        refuse_others(options, "text", LOOKS | {"alpha", "backgroundcolor"})
        return self._add(note)

    #: Names the axes itself as what a text's places are shares of.
    transAxes = "axes"

    def annotate(self, text, xy, xytext=None, textcoords=None, arrowprops=None, **options):
        if arrowprops is not None:
            raise missing("arrowprops= of annotate")
        moved = (0, 0)
        if xytext is not None and textcoords in ("offset points", "offset pixels"):
            moved = xytext
        elif textcoords not in (None, "data"):
            raise missing(f"textcoords={textcoords!r} of annotate")
        elif xytext is not None:
            xy = xytext
        note = self.text(*xy, text, **options)
        (note.x,), (note.y,) = self.x.places([note.x]), self.y.places([note.y])
        note.moved = moved
        return note


class Spines(dict):
    """The sides of the frame, one or several of them by name: their looks."""

    def __getitem__(self, names):
        for name in [names] if isinstance(names, str) else names if isinstance(names, (list, tuple)) else []:
            if name not in ("left", "right", "top", "bottom"):
                raise KeyError(name)
        return self

    def __getattr__(self, name):
        if name in ("left", "right", "top", "bottom"):
            return self
        if name not in ("set_visible", "set_color", "set_linewidth", "set_edgecolor", "set_alpha", "set_linestyle"):
            raise missing(f"Spine.{name}")
        return lambda *args: None

    def values(self):
        return [self] * 4


def _pixel(parts):
    scale = 255 if any(isinstance(each, float) for each in parts) else 1
    return tuple(min(255, max(0, round((0 if math.isnan(each) else each) * scale))) for each in parts[:3])
