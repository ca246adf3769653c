"""`Figure`: its axes in a grid, its title, and where it goes: to the output, or as SVG into a file."""

import base64
import os
import sys

import _hippocamp_bridge as bridge

from . import missing, rcParams
from ._axes import Axes
from ._options import size_of
from ._svg import Svg

#: Pixels of an inch: figures have the size on the page that matplotlib's have by default.
_INCH = 100
#: Axes of one figure.
_MOST = 100


class Figure:
    def __init__(self, number, figsize=None, dpi=None, **looks):
        self.number = number
        self.size = tuple(figsize or rcParams["figure.figsize"])
        self.axes, self.title = [], ("", 14)
        #: Pictures that the output has.
        self.shown = set()

    def add_subplot(self, *place, **options):
        if options.pop("projection", None) is not None:
            raise missing("projection= of add_subplot")
        if len(place) == 1 and isinstance(place[0], int) and place[0] > 99:
            place = tuple(int(digit) for digit in str(place[0]))
        rows, columns, at = place or (1, 1, 1)
        if isinstance(at, (tuple, list)):
            raise missing("an axes of several cells")
        if not 1 <= at <= rows * columns <= _MOST:
            raise ValueError(f"num must be an integer with 1 <= num <= {min(rows * columns, _MOST)}, not {at}")
        width, height = (each * _INCH for each in self.size)
        high = 24 if self.title[0] else 0
        box = (
            (at - 1) % columns * width / columns, high + (at - 1) // columns * (height - high) / rows,
            width / columns, (height - high) / rows,
        )  # fmt: skip
        known = next((each for each in self.axes if each.cell == (rows, columns, at)), None)
        if known is None:
            known = Axes(self, box)
            known.cell = (rows, columns, at)
            self.axes.append(known)
        return known

    def subplots(self, nrows=1, ncols=1, squeeze=True, **options):
        for name in ("sharex", "sharey", "gridspec_kw", "subplot_kw", "constrained_layout"):
            given = options.pop(name, None)
            if given and name == "subplot_kw":
                raise missing(f"{name}= of subplots")
        made = [[self.add_subplot(nrows, ncols, row * ncols + column + 1) for column in range(ncols)] for row in range(nrows)]
        if not squeeze or (nrows > 1 and ncols > 1):
            return Grid(Grid(row) for row in made)
        flat = Grid(each for row in made for each in row)
        return flat[0] if len(flat) == 1 else flat

    def suptitle(self, text, fontsize=None, **looks):
        self.title = (text, size_of(fontsize, 14))

    def colorbar(self, image, ax=None, label="", **looks):
        owner = next((each for each in self.axes if image in each.artists), None)
        if owner is None or getattr(image, "colormap", None) is None:
            raise missing("a colorbar of what is no image")
        owner.color_bar = (image, label)
        return Colorbar(owner)

    def gca(self):
        return self.axes[-1] if self.axes else self.add_subplot()

    def clear(self):
        self.axes = []

    clf = clear

    def get_axes(self):
        return list(self.axes)

    def set_size_inches(self, width, height=None):
        self.size = tuple(width) if height is None else (width, height)
        cells = [each.cell for each in self.axes]
        old, self.axes = self.axes, []
        for axes, cell in zip(old, cells):
            axes.box = self.add_subplot(*cell).box
        self.axes = old

    def get_size_inches(self):
        return self.size

    def tight_layout(self, *args, **looks):
        pass

    subplots_adjust = set_tight_layout = set_facecolor = autofmt_xdate = set_dpi = tight_layout

    def text_of(self):
        width, height = (each * _INCH for each in self.size)
        svg = Svg(width, height)
        if self.title[0]:
            svg.text(width / 2, 20, *self.title)
        for number, each in enumerate(self.axes):
            each.draw(svg, f"axes{number}")
        return str(svg)

    def show(self, *args, **options):
        self._send(f"Figure {self.number}")

    def savefig(self, fname, format=None, **looks):
        """A picture of pixels is not drawn here: the output has the figure, and standard error says so."""
        if hasattr(fname, "write"):
            if format != "svg":
                raise missing(f"savefig to a file object as {format or 'png'}, but as svg")
            text = self.text_of()
            fname.write(text if "b" not in getattr(fname, "mode", "b") else text.encode())
            return
        name = os.fspath(fname)
        kind = format or os.path.splitext(name)[1][1:].lower() or "png"
        if kind not in ("svg", "png", "pdf", "jpg", "jpeg", "eps", "ps", "webp", "tif", "tiff"):
            raise ValueError(f"Format {kind!r} is not supported")
        if kind == "svg":
            with open(name, "w") as file:
                file.write(self.text_of())
        else:
            sys.stderr.write(f"{name} is shown in the output and not written: Hippocamp’s small matplotlib draws SVG\n")
        self._send(os.path.basename(name))

    def _send(self, name):
        text = self.text_of()
        # Most programs save and then show: once is enough.
        if text in self.shown:
            return
        self.shown.add(text)
        sys.stdout.flush()
        image = "data:image/svg+xml;base64," + base64.b64encode(text.encode()).decode()
        bridge.emit({"type": "figure", "name": name, "image": image})

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise missing(f"Figure.{name}")


class Colorbar:
    def __init__(self, owner):
        self.owner = owner

    def set_label(self, label, **looks):
        self.owner.color_bar = (self.owner.color_bar[0], label)


class Grid(list):
    """The array of axes that `subplots` answers: by index, by pair of indices, flat."""

    def __getitem__(self, at):
        if isinstance(at, tuple):
            row, column = at
            if isinstance(row, slice):
                return Grid(each[column] for each in self[row])
            return self[row][column]
        return Grid(super().__getitem__(at)) if isinstance(at, slice) else super().__getitem__(at)

    def ravel(self):
        return Grid(each for row in self for each in (row if isinstance(row, Grid) else [row]))

    flatten = ravel

    @property
    def flat(self):
        return self.ravel()

    @property
    def shape(self):
        return (len(self), len(self[0])) if self and isinstance(self[0], Grid) else (len(self),)
