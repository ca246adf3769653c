"""`Figure`: its axes in a grid, its title, and where it goes: to the output, or as SVG into a file."""

import base64
import os
import sys

import _hippocamp_bridge as bridge
from triton.runtime.jit import report_once

from . import missing, rcParams
from ._axes import Axes
from ._options import FIGURE, FILE, refuse_others, size_of
from ._svg import Svg

#: Pixels of an inch: figures have the size on the page that matplotlib's have by default.
_INCH = 100
#: Axes of one figure.
_MOST = 100


#: Lines of the program whose files were not written.
_reported = set()
#: Which axes of `subplots` share a scale, by the words that programs write.
_SHARED = {False: "none", "none": "none", True: "all", "all": "all", "row": "row", "col": "col"}


def _share(first, axes, way):
    if first is not None and first is not axes:
        setattr(axes, way, getattr(first, way))
        first.shares_scales = axes.shares_scales = True


class Figure:
    def __init__(self, number, figsize=None, dpi=None, **looks):
        refuse_others(looks, "figure", FIGURE)
        self.number = number
        self.size = tuple(figsize or rcParams["figure.figsize"])
        self.axes, self.title, self.ratios = [], ("", 14), {}
        #: Pictures that the output has.
        self.shown = set()

    def add_subplot(self, *place, sharex=None, sharey=None, **options):
        if options.pop("projection", None) not in (None, "rectilinear"):
            raise missing("projection= of add_subplot")
        refuse_others(options, "add_subplot", {"label", "facecolor", "frameon"})
        if len(place) == 1 and isinstance(place[0], int) and place[0] > 99:
            place = tuple(int(digit) for digit in str(place[0]))
        rows, columns, at = place or (1, 1, 1)
        if isinstance(at, (tuple, list)):
            raise missing("an axes of several cells")
        if not 1 <= at <= rows * columns <= _MOST:
            raise ValueError(f"num must be an integer with 1 <= num <= {min(rows * columns, _MOST)}, not {at}")
        known = next((each for each in self.axes if each.cell == (rows, columns, at)), None)
        if known is None:
            known = Axes(self, None)
            known.cell = (rows, columns, at)
            known.box = self._box(known.cell)
            self.axes.append(known)
            _share(sharex, known, "x"), _share(sharey, known, "y")
        return known

    def _box(self, cell):
        rows, columns, at = cell
        width, height = (each * _INCH for each in self.size)
        high = 24 if self.title[0] else 0
        wide, tall = (self.ratios.get(each, [1] * count) for each, count in (("width", columns), ("height", rows)))
        if (len(wide), len(tall)) != (columns, rows):
            wide, tall = [1] * columns, [1] * rows
        row, column = divmod(at - 1, columns)
        x, y = width / sum(wide), (height - high) / sum(tall)
        return (sum(wide[:column]) * x, high + sum(tall[:row]) * y, wide[column] * x, tall[row] * y)

    def subplots(self, nrows=1, ncols=1, squeeze=True, sharex=False, sharey=False, subplot_kw=None, gridspec_kw=None, **options):
        grid = {**(gridspec_kw or {}), **options}
        for way, count in (("width", ncols), ("height", nrows)):
            ratios = grid.pop(f"{way}_ratios", None)
            if ratios is not None and len(ratios) != count:
                raise ValueError(f"Expected the given number of {way} ratios to match the number of cells: {count}")
            if ratios is not None:
                self.ratios[way] = [float(each) for each in ratios]
        refuse_others(grid, "subplots", {"hspace", "wspace", "left", "right", "top", "bottom"})
        made = [
            [self.add_subplot(nrows, ncols, row * ncols + column + 1, **(subplot_kw or {})) for column in range(ncols)]
            for row in range(nrows)
        ]
        for way, how in (("x", sharex), ("y", sharey)):
            if how not in _SHARED:
                raise ValueError(f"{how!r} is not a valid value for share{way}")
            for row, axes_of_row in enumerate(made):
                for column, axes in enumerate(axes_of_row):
                    first = {"all": made[0][0], "row": made[row][0], "col": made[0][column]}.get(_SHARED[how])
                    _share(first, axes, way)
                    inner = row < nrows - 1 if way == "x" else column > 0
                    if inner and _SHARED[how] in ("all", "col" if way == "x" else "row"):
                        axes.has_labels[way] = False
        if not squeeze or (nrows > 1 and ncols > 1):
            return Grid(Grid(row) for row in made)
        flat = Grid(each for row in made for each in row)
        return flat[0] if len(flat) == 1 else flat

    def suptitle(self, text, fontsize=None, **looks):
        refuse_others(looks, "suptitle")
        self.title = (text, size_of(fontsize, 14))
        self._place()

    def colorbar(self, image, ax=None, label="", **looks):
        refuse_others(looks, "colorbar", {"fraction", "pad", "shrink", "aspect", "use_gridspec"})
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
        self._place()

    def _place(self):
        for each in self.axes:
            each.box = self._box(each.cell)
            if each.twin is not None:
                each.twin.box = each.box

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
        """A picture of pixels is not drawn here: the output has the figure, and a diagnostic says so."""
        refuse_others(looks, "savefig", FILE)
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
            message = (
                f"{name} is shown in the output and not written as a file: Hippocamp’s small matplotlib draws SVG. "
                "Save it as .svg if the program reads it"
            )
            report_once(_reported, "HC0907", message)
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

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise missing(f"Colorbar.{name}")

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
