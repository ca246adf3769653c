"""Bars, histograms and the whiskers of errors."""

from . import missing
from ._artists import Bars, Line
from ._options import LOOKS, refuse_others, take
from ._values import finite, listed, rows
from .colors import css


class BarCharts:
    def _colors(self, options):
        given = take(options, "color", "facecolor")
        if isinstance(given, list):
            return [css(each) for each in given]
        return [self._color(given)]

    def bar(self, x, height, width=0.8, bottom=0, align="center", **options):
        return self._bars(self.x, self.y, x, height, width, bottom, align, options, lambda a, b, c, d: (a, b, c, d))

    def barh(self, y, width, height=0.8, left=0, align="center", **options):
        return self._bars(self.y, self.x, y, width, height, left, align, options, lambda a, b, c, d: (b, a, d, c), True)

    def _bars(self, along, across, places, lengths, width, foot, align, options, box, lying=False):
        middles, lengths = along.places(places), listed(lengths)
        if len(lengths) == 1:
            lengths *= len(middles)
        widths, feet = listed(width) * len(middles), listed(foot) * len(middles)
        boxes = []
        for middle, length, size, low in zip(middles, lengths, widths, feet):
            start = middle - (size / 2 if align == "center" else 0)
            boxes.append(box(start, low, start + size, low + length))
            along.cover([start, start + size])
            across.cover([low, low + length])
            across.sticky.add(low)
        if take(options, "log"):
            across.set_kind("log")
        if (ticks := take(options, "tick_label")) is not None:
            along.ticks, along.labels = middles, [str(each) for each in listed(ticks)]
        errors = {"x": take(options, "xerr"), "y": take(options, "yerr")}
        cap, edge, label = take(options, "capsize", usual=0), take(options, "edgecolor", "ec"), take(options, "label")
        colors, alpha, hatch = self._colors(options), take(options, "alpha"), take(options, "hatch")
        refuse_others(options, "bar", LOOKS | {"linewidth", "lw", "ecolor", "error_kw"})
        bars = self._add(Bars(boxes, colors, alpha, label, edge and css(edge), hatch, lying))
        if errors["x"] is not None or errors["y"] is not None:
            ends = [each[2:] if along is self.y else ((each[0] + each[2]) / 2, each[3]) for each in boxes]
            self._whiskers([e[0] for e in ends], [e[1] for e in ends], errors["x"], errors["y"], "#000", cap)
        return bars

    def bar_label(self, bars, labels=None, fmt="%g", padding=2, fontsize=9, label_type="edge", **options):
        """At the end of a bar is where it ends, in its middle how long it is."""
        refuse_others(options, "bar_label")
        if label_type not in ("edge", "center"):
            raise ValueError(f"{label_type!r} is not a valid value for label_type")
        for i, (x1, y1, x2, y2) in enumerate(bars.boxes):
            begin, end = (x1, x2) if bars.lying else (y1, y2)
            edge = label_type == "edge"
            value = end if edge else end - begin
            text = labels[i] if labels is not None else _formatted(fmt, value)
            at, falls = end if edge else (begin + end) / 2, end < begin
            if bars.lying:
                note = self.text(at, (y1 + y2) / 2, text, fontsize=fontsize, va="center")
                note.align = "center" if not edge else "right" if falls else "left"
                note.moved = (padding * (-1 if falls else 1), 0) if edge else (0, 0)
            else:
                up = "top" if falls else "bottom"
                note = self.text((x1 + x2) / 2, at, text, fontsize=fontsize, ha="center", va=up if edge else "center")
                note.moved = (0, padding * (-1 if falls else 1)) if edge else (0, 0)

    def hist(self, x, bins=10, range=None, density=False, **options):
        values = finite(listed(x.flatten() if hasattr(x, "flatten") else x))
        if isinstance(bins, int):
            low, high = range or (min(values, default=0.0), max(values, default=1.0))
            high = high if high > low else low + 1
            edges = [low + (high - low) * i / bins for i in [*_whole(bins), bins]]
        elif isinstance(bins, str):
            raise missing(f"bins={bins!r} of hist")
        else:
            edges = listed(bins)
        counts = [0.0] * (len(edges) - 1)
        for value in values:
            if edges[0] <= value <= edges[-1]:
                at = next((i for i in _whole(len(counts)) if value < edges[i + 1]), len(counts) - 1)
                counts[at] += 1
        if density:
            total = sum(counts) or 1
            counts = [c / total / (edges[i + 1] - edges[i]) for i, c in enumerate(counts)]
        widths = [b - a for a, b in zip(edges, edges[1:])]
        return counts, edges, self.bar(edges[:-1], counts, widths, align="edge", **options)

    def errorbar(self, x, y, yerr=None, xerr=None, fmt="", capsize=0, ecolor=None, elinewidth=None, **options):
        (line,) = self.plot(x, y, fmt, **options)
        self._whiskers(line.x, line.y, xerr, yerr, ecolor or line.color, capsize)
        return line

    def _whiskers(self, xs, ys, xerr, yerr, color, cap):
        for error, across in ((yerr, False), (xerr, True)):
            if error is None:
                continue
            given = list(error) if isinstance(error, (list, tuple)) else error
            pair = rows(given) if getattr(given, "ndim", 0) == 2 or hasattr(next(iter(given), 0), "__len__") else [listed(given)]
            below, above = [(each * len(xs))[: len(xs)] for each in (pair[0], pair[-1])]
            for x, y, low, high in zip(xs, ys, below, above):
                ends = ((x - low, x + high), (y, y)) if across else ((x, x), (y - low, y + high))
                marker = ("|" if across else "_") if cap else None
                self._add(Line(*map(list, ends), color, "-", 1.2, marker, 2.0 * cap))
                self.x.cover(ends[0]), self.y.cover(ends[1])


def _formatted(fmt, value):
    return fmt(value) if callable(fmt) else fmt % value if "%" in fmt else fmt.format(value)


def _whole(count):
    return range(count)
