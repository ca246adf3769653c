"""`IPython.display`: there is no notebook. Pictures go to the output as figures, and what else is displayed is
printed.
"""

import base64
import os


class HTML:
    def __init__(self, data=None, url=None, filename=None, metadata=None):
        self.data = data

    def __repr__(self):
        return "<IPython.core.display.HTML object>"


Markdown = Latex = Javascript = HTML

_KINDS = {b"\x89PNG": "png", b"<svg": "svg+xml", b"<?xm": "svg+xml"}


class Image:
    """A PNG or SVG of the program's files, or of bytes."""

    def __init__(self, data=None, url=None, filename=None, format=None, **looks):
        if isinstance(data, (str, os.PathLike)):
            data, filename = None, os.fspath(data)
        self.data, self.filename, self.url = data, filename, url

    def _show(self):
        name = self.filename or self.url or "Image"
        if self.data is None and not os.path.exists(self.filename or ""):
            # A notebook's pictures are not among the files of the program that is made of it.
            print(f"{name}: this picture is no file of the program")
            return
        data = self.data
        if data is None:
            with open(self.filename, "rb") as file:
                data = file.read()
        kind = _KINDS.get(bytes(data[:4]))
        if kind is None:
            print(f"{name}: only PNG and SVG are shown")
            return
        import _hippocamp_bridge as bridge

        bridge.flush_prints()
        image = f"data:image/{kind};base64,{base64.b64encode(data).decode()}"
        bridge.emit({"type": "figure", "name": os.path.basename(name), "image": image})


class SVG(Image):
    def __init__(self, data=None, url=None, filename=None, **looks):
        text = isinstance(data, str) and data.lstrip().startswith("<")
        super().__init__(data.encode() if text else data, url, filename)


def display(*objects, **kwargs):
    for each in objects:
        if isinstance(each, Image):
            each._show()
        elif hasattr(each, "savefig") and hasattr(each, "show"):
            each.show()
        else:
            print(each)


def clear_output(wait=False):
    pass
