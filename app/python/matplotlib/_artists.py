"""What an axes holds: lines, points, bars, bands, images, texts. Each draws itself where the axes' scales put it."""

import math

from . import missing
from ._options import every
from .colors import css

DASHES = {
    "-": None, "solid": None, "--": "6 3", "dashed": "6 3", ":": "1.5 2", "dotted": "1.5 2", "-.": "6 2 1.5 2",
    "dashdot": "6 2 1.5 2", "": "", " ": "", "none": "", "None": "",
}  # fmt: skip


class Artist:
    """`label` names it in the legend; `place` maps a pair of values to the drawing, or to None."""

    label = None
    color = "#000"

    def get_label(self):
        return self.label or ""

    def set_label(self, label):
        self.label = label

    def get_color(self):
        return self.color

    def __getattr__(self, name):
        if name.startswith("__") or name in ("across", "moved", "colormap", "key"):
            raise AttributeError(name)
        raise missing(f"{type(self).__name__}.{name}")


class Line(Artist):
    def __init__(self, x, y, color, style="-", width=1.5, marker=None, size=6.0, alpha=None, label=None, marked=None):
        if style not in DASHES:
            raise ValueError(f"{style!r} is not a valid value for ls")
        if marker in ("", " ", "none", "None"):
            marker = None
        if marker is not None and marker not in _MARKERS:
            raise missing(f"marker {marker!r}")
        self.x, self.y, self.color, self.style, self.width = x, y, css(color), style, width
        self.marker, self.size, self.alpha, self.label = marker, size, alpha, label
        self.marked = every(marked, len(x))

    def get_xdata(self):
        return self.x

    def get_ydata(self):
        return self.y

    def draw(self, svg, place):
        points = [place(x, y) for x, y in zip(self.x, self.y)]
        if DASHES[self.style] != "":
            svg.path(
                points, fill="none", stroke=self.color, stroke_width=self.width, opacity=self.alpha,
                stroke_dasharray=DASHES[self.style], stroke_linejoin="round",
            )  # fmt: skip
        if self.marker:
            for point in (points[i] for i in self.marked):
                if point:
                    mark(svg, self.marker, *point, self.size, self.color, self.alpha)

    def key(self, svg, x, y):
        if DASHES[self.style] != "":
            svg.line(x, y, x + 22, y, self.color, self.width, DASHES[self.style], self.alpha)
        if self.marker:
            mark(svg, self.marker, x + 11, y, self.size, self.color, self.alpha)


class Points(Artist):
    def __init__(self, x, y, colors, sizes, marker, alpha, label):
        if marker not in _MARKERS:
            raise missing(f"marker {marker!r}")
        self.x, self.y, self.colors, self.sizes, self.marker = x, y, colors, sizes, marker
        self.color, self.alpha, self.label = colors[0] if colors else "#000", alpha, label

    def draw(self, svg, place):
        for i, (x, y) in enumerate(zip(self.x, self.y)):
            point = place(x, y)
            if point:
                size = math.sqrt(self.sizes[i % len(self.sizes)])
                mark(svg, self.marker, *point, size, self.colors[i % len(self.colors)], self.alpha)

    def key(self, svg, x, y):
        mark(svg, self.marker, x + 11, y, 6, self.color, self.alpha)


class Bars(Artist):
    """Rectangles, each from one corner of values to another. It is the sequence of them, as of matplotlib's patches."""

    def __init__(self, boxes, colors, alpha=None, label=None, edge=None, hatch=None, lying=False):
        if hatch is not None:
            raise missing("hatch of bars")
        self.boxes, self.colors, self.alpha, self.label, self.edge = boxes, colors, alpha, label, edge
        self.color, self.lying = colors[0] if colors else "#000", lying

    def __len__(self):
        return len(self.boxes)

    def __getitem__(self, at):
        return Bar(self, at)

    def draw(self, svg, place):
        for i, (x1, y1, x2, y2) in enumerate(self.boxes):
            first, last = place(x1, y1, True), place(x2, y2, True)
            if first and last:
                svg.add(
                    "rect", x=min(first[0], last[0]), y=min(first[1], last[1]), width=abs(first[0] - last[0]),
                    height=abs(first[1] - last[1]), fill=self.colors[i % len(self.colors)], opacity=self.alpha, stroke=self.edge,
                )  # fmt: skip

    def key(self, svg, x, y):
        svg.add("rect", x=x, y=y - 4, width=22, height=8, fill=self.color, opacity=self.alpha)


class Bar:
    def __init__(self, bars, at):
        if not -len(bars.boxes) <= at < len(bars.boxes):
            raise IndexError(at)
        self.x1, self.y1, self.x2, self.y2 = bars.boxes[at]

    def get_x(self):
        return self.x1

    def get_y(self):
        return self.y1

    def get_width(self):
        return self.x2 - self.x1

    def get_height(self):
        return self.y2 - self.y1


class Band(Artist):
    def __init__(self, x, low, high, color, alpha, label):
        self.x, self.low, self.high, self.color, self.alpha, self.label = x, low, high, css(color), alpha, label

    def draw(self, svg, place):
        around = [*zip(self.x, self.low), *reversed(list(zip(self.x, self.high)))]
        svg.path([point for point in (place(*each) for each in around) if point], fill=self.color, opacity=self.alpha)

    def key(self, svg, x, y):
        svg.add("rect", x=x, y=y - 4, width=22, height=8, fill=self.color, opacity=self.alpha)


class Image(Artist):
    def __init__(self, pixels, extent, smooth, colormap=None, low=0.0, high=1.0):
        self.pixels, self.extent, self.smooth = pixels, extent, smooth
        self.colormap, self.low, self.high = colormap, low, high

    def draw(self, svg, place):
        left, right, bottom, top = self.extent
        (x1, y1), (x2, y2) = place(left, bottom), place(right, top)
        svg.image(min(x1, x2), min(y1, y2), abs(x2 - x1), abs(y2 - y1), self.pixels, self.smooth)


class Note(Artist):
    """A text at a pair of values, or of shares of the axes."""

    def __init__(self, x, y, text, size, color, align, vertical, turned, within, weight):
        self.x, self.y, self.text, self.size, self.color = x, y, text, size, css(color)
        self.align, self.vertical, self.turned, self.within, self.weight = align, vertical, turned, within, weight

    def draw(self, svg, place):
        point = self.within(self.x, self.y) if self.within else place(self.x, self.y)
        if point:
            down = {"center": 0.35, "top": 0.9, "bottom": -0.1}.get(self.vertical, 0) * self.size
            svg.text(point[0], point[1] + down, self.text, self.size, self.align, self.turned, self.color, self.weight)


_MARKERS = {
    "o": None, ".": None, ",": None, "s": ((-1, -1), (1, -1), (1, 1), (-1, 1)), "D": ((0, -1.3), (1.3, 0), (0, 1.3), (-1.3, 0)),
    "d": ((0, -1.2), (0.7, 0), (0, 1.2), (-0.7, 0)), "^": ((-1, 1), (0, -1), (1, 1)), "v": ((-1, -1), (0, 1), (1, -1)),
    "<": ((1, -1), (-1, 0), (1, 1)), ">": ((-1, -1), (1, 0), (-1, 1)), "x": ((-1, -1), (1, 1), None, (-1, 1), (1, -1)),
    "+": ((-1, 0), (1, 0), None, (0, -1), (0, 1)), "|": ((0, -1), (0, 1)), "_": ((-1, 0), (1, 0)),
    "*": tuple((math.sin(i * math.pi / 5) * (1.3 - 0.8 * (i % 2)), -math.cos(i * math.pi / 5) * (1.3 - 0.8 * (i % 2))) for i in range(10)),
}  # fmt: skip


def mark(svg, marker, x, y, size, color, alpha):
    half = size / 2
    shape = _MARKERS[marker]
    if shape is None:
        radius = half if marker == "o" else half / 2 if marker == "." else 0.5
        svg.add("circle", cx=x, cy=y, r=radius, fill=color, opacity=alpha)
        return
    points = [each and (x + each[0] * half, y + each[1] * half) for each in shape]
    open_ = marker in "x+|_"
    svg.path(points if open_ else [*points, points[0]], fill="none" if open_ else color, stroke=color, stroke_width=1, opacity=alpha)


_FORMAT_COLORS = "bgrcmykw"


def parse_format(text):
    """`"ro--"`: colour, marker and style of a line, each None where the text leaves it out."""
    color = marker = style = None
    if len(text) > 1 and text[0] == "C" and text[1].isdigit():
        return (text[:2], *parse_format(text[2:])[1:])
    rest = text
    while rest:
        two = rest[:2]
        if two in ("--", "-."):
            style, rest = two, rest[2:]
        elif rest[0] in "-:":
            style, rest = rest[0], rest[1:]
        elif rest[0] in _MARKERS and marker is None:
            marker, rest = rest[0], rest[1:]
        elif rest[0] in _FORMAT_COLORS and color is None:
            color, rest = rest[0], rest[1:]
        elif rest == text:
            return (text, None, None)
        else:
            raise ValueError(f"{text!r} is not a valid format string")
    return color, marker, style
