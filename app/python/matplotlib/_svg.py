"""The text of an SVG: elements with escaped attributes, one after the other; and a PNG for images inside of it."""

import base64
import struct
import zlib
from html import escape

_ANCHORS = {"left": "start", "center": "middle", "right": "end"}


class Svg:
    def __init__(self, width, height):
        self.width, self.height = width, height
        self.parts = []

    def add(self, tag, text=None, **attributes):
        named = "".join(
            f' {key.rstrip("_").replace("_", "-")}="{_text(value)}"' for key, value in attributes.items() if value is not None
        )
        self.parts.append(f"<{tag}{named}/>" if text is None else f"<{tag}{named}>{escape(str(text), False)}</{tag}>")

    def line(self, x1, y1, x2, y2, stroke="#000", width=0.8, dash=None, opacity=None):
        self.add("line", x1=x1, y1=y1, x2=x2, y2=y2, stroke=stroke, stroke_width=width, stroke_dasharray=dash, opacity=opacity)

    def path(self, points, **attributes):
        """Lines through points; None begins another one."""
        steps, pen = [], "M"
        for point in points:
            if point is None:
                pen = "M"
                continue
            steps.append(f"{pen}{point[0]:.2f} {point[1]:.2f}")
            pen = "L"
        if steps:
            self.add("path", d="".join(steps), **attributes)

    def text(self, x, y, text, size=10, align="center", turned=0, color="#000", weight=None):
        turn = f"rotate({-turned} {x:.2f} {y:.2f})" if turned else None
        for number, line in enumerate(str(text).split("\n")):
            self.add(
                "text", line.replace("$", ""), x=x, y=y + number * size * 1.2, font_size=size, fill=color,
                text_anchor=_ANCHORS.get(align, align), transform=turn, font_weight=weight,
            )  # fmt: skip

    def begin_clip(self, name, x, y, width, height):
        self.parts.append(
            f'<clipPath id="{name}"><rect x="{_text(x)}" y="{_text(y)}" width="{_text(width)}" height="{_text(height)}"/>'
            f'</clipPath><g clip-path="url(#{name})">'
        )

    def end(self):
        self.parts.append("</g>")

    def image(self, x, y, width, height, pixels, smooth=False):
        self.add(
            "image", x=x, y=y, width=width, height=height, preserveAspectRatio="none", href=_png(pixels),
            style=None if smooth else "image-rendering:pixelated",
        )  # fmt: skip

    def __str__(self):
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width:g}" height="{self.height:g}" '
            f'viewBox="0 0 {self.width:g} {self.height:g}" font-family="DejaVu Sans, Verdana, sans-serif">'
            f'<rect width="100%" height="100%" fill="#fff"/>{"".join(self.parts)}</svg>'
        )


def _text(value):
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else escape(str(value))


def _png(pixels):
    """Rows of (red, green, blue) as a data address."""
    raw = b"".join(b"\0" + bytes(part for pixel in row for part in pixel) for row in pixels)
    chunks = (
        (b"IHDR", struct.pack(">IIBBBBB", len(pixels[0]), len(pixels), 8, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(raw)),
        (b"IEND", b""),
    )
    data = b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in chunks
    )
    return "data:image/png;base64," + base64.b64encode(data).decode()
