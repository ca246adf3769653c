"""A backend of the real matplotlib, where the run has its wheel: what is shown or saved is in the output, too."""

import base64
import io
import os
import sys

from matplotlib._pylab_helpers import Gcf
from matplotlib.backend_bases import FigureManagerBase
from matplotlib.backends.backend_agg import FigureCanvasAgg

import _hippocamp_bridge as bridge


def _send(name, kind, data):
    sys.stdout.flush()
    bridge.emit({"type": "figure", "name": name, "image": f"data:image/{kind};base64,{base64.b64encode(data).decode()}"})


class FigureManager(FigureManagerBase):
    @classmethod
    def pyplot_show(cls, *, block=None):
        """Each open figure once, and closes it, as in a notebook."""
        for manager in Gcf.get_all_fig_managers():
            manager.show()
        Gcf.destroy_all()

    def show(self):
        # Most programs save and then show: once is enough.
        if not self.canvas.is_saved or self.canvas.figure.stale:
            _send(f"Figure {self.num}", "png", self.canvas.picture())


class FigureCanvas(FigureCanvasAgg):
    manager_class = FigureManager
    is_saved = False

    def picture(self):
        data = io.BytesIO()
        super().print_figure(data, format="png")
        return data.getvalue()

    def print_figure(self, filename, *args, **options):
        super().print_figure(filename, *args, **options)
        if isinstance(filename, (str, os.PathLike)):
            name = os.path.basename(os.fspath(filename))
            if name.endswith(".svg"):
                with open(filename, "rb") as file:
                    _send(name, "svg+xml", file.read())
            else:
                _send(name, "png", self.picture())
            self.is_saved = True
            self.figure.stale = False
