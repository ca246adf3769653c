"""How an axes is drawn: frame, ticks, grid, artists, titles, colour bar, legend."""

from ._artists import DASHES, Line, Note, Points
from ._scale import Scale

#: Space of an axes for its labels: left, right, top, bottom.
_ROOM = (62, 14, 30, 46)


class Drawing:
    def _shares(self, x, y):
        left, top, width, height = self.frame
        return (left + x * width, top + (1 - y) * height)

    def draw(self, svg, name, canvas=None, on_right=False):
        left, top, width, height = canvas or self.box
        room = _ROOM
        if canvas is None:
            right = 70 if self.color_bar else 58 if self.twin else room[1]
            left, top, width, height = left + room[0], top + room[2], width - room[0] - right, height - room[2] - room[3]
            if self.equal:
                left, top, width, height = self._squared(left, top, width, height)
        self.frame = (left, top, width, height)

        def place(x, y, clamp=False):
            sx, sy = self.x.share(x), self.y.share(y)
            if clamp:
                sx, sy = 0.0 if sx is None else sx, 0.0 if sy is None else sy
            return None if sx is None or sy is None else (left + sx * width, top + (1 - sy) * height)

        if not self.is_off:
            self._draw_scales(svg, on_right)
        svg.begin_clip(name, left, top, width, height)
        # Lines and points are drawn over bars, bands and images.
        order = sorted(self.artists, key=lambda each: isinstance(each, (Line, Points)))
        notes = [each for each in order if isinstance(each, Note)]
        for each in order:
            if isinstance(each, Note):
                continue
            if hasattr(each, "across"):
                self._draw_across(svg, each, place)
            else:
                each.draw(svg, place)
        svg.end()
        for note in notes:
            dx, dy = getattr(note, "moved", (0, 0))
            note.draw(svg, lambda x, y: (point := place(x, y)) and (point[0] + dx, point[1] - dy))
        if not self.is_off and not on_right:
            svg.add("rect", x=left, y=top, width=width, height=height, fill="none", stroke="#000", stroke_width=0.8)
        if self.texts["title"]:
            svg.text(left + width / 2, top - 8, self.texts["title"], self.sizes["title"], color=self.colors["title"])
        if self.twin is not None:
            self.twin.draw(svg, f"{name}t", self.frame, True)
        if self.color_bar:
            self._draw_bar(svg)
        if self.key:
            self._draw_key(svg)

    def _squared(self, left, top, width, height):
        (x1, x2), (y1, y2) = self.x.ends(), self.y.ends()
        ratio = abs((x2 - x1) / ((y2 - y1) or 1)) or 1
        w, h = (width, width / ratio) if width / ratio <= height else (height * ratio, height)
        return left + (width - w) / 2, top + (height - h) / 2, w, h

    def _draw_across(self, svg, line, place):
        left, top, width, height = self.frame
        share = getattr(self, line.across).share(line.y[0])
        if share is None:
            return
        begin, end = line.x
        ends = (
            [(left + begin * width, top + (1 - share) * height), (left + end * width, top + (1 - share) * height)]
            if line.across == "y"
            else [(left + share * width, top + (1 - begin) * height), (left + share * width, top + (1 - end) * height)]
        )
        moved = Line([0, 1], [0, 1], line.color, line.style, line.width, None, 6, line.alpha)
        moved.draw(svg, lambda x, y: ends[x])

    def _draw_scales(self, svg, on_right):
        left, top, width, height = self.frame
        bottom = top + height
        if not on_right:
            for value, label in self.x.marks():
                at = left + self.x.share(value) * width
                if self.lines_of_grid in ("both", "x"):
                    self._draw_grid(svg, at, top, at, bottom)
                svg.line(at, bottom, at, bottom + 4)
                turned = self.turned["x"]
                if self.has_labels["x"]:
                    align = "right" if turned else "center"
                    svg.text(at, bottom + 15, label, self.tick_sizes["x"], align, turned, self.tick_colors["x"])
            if self.texts["x"]:
                svg.text(left + width / 2, bottom + 34, self.texts["x"], self.sizes["x"], color=self.colors["x"])
        edge = left + width if on_right else left
        out = 4 if on_right else -4
        longest = 0
        for value, label in self.y.marks():
            at = top + (1 - self.y.share(value)) * height
            if self.lines_of_grid in ("both", "y"):
                self._draw_grid(svg, left, at, left + width, at)
            svg.line(edge, at, edge + out, at)
            if not self.has_labels["y"]:
                continue
            align = "left" if on_right else "right"
            svg.text(edge + out * 1.7, at + 3, label, self.tick_sizes["y"], align, 0, self.tick_colors["y"])
            longest = max(longest, len(str(label)))
        if self.texts["y"]:
            away = min(14 + longest * 6, 50) + (8 if on_right else 0)
            svg.text(edge + (away if on_right else -away), top + height / 2, self.texts["y"], self.sizes["y"], "center", 90, self.colors["y"])

    def _draw_grid(self, svg, *ends):
        color, width, style, alpha = self.grid_look
        svg.line(*ends, color, width, DASHES[style], alpha)

    def _draw_bar(self, svg):
        image, label = self.color_bar
        left, top, width, height = self.frame
        at = left + width + 10
        svg.image(at, top, 12, height, [[image.colormap.bytes_of(1 - i / 63)] for i in range(64)], True)
        svg.add("rect", x=at, y=top, width=12, height=height, fill="none", stroke="#000", stroke_width=0.8)
        scale = Scale()
        scale.cover([image.low, image.high]), scale.sticky.update([image.low, image.high])
        for value, text in scale.marks():
            svg.text(at + 16, top + (1 - scale.share(value)) * height + 3, text, 8, "left")
        svg.text(at + 50, top + height / 2, label, 9, "center", 90) if label else None

    def _draw_key(self, svg):
        handles, labels, loc, title = self.key
        found = self.get_legend_handles_labels()
        if handles is None:
            handles = found[0] if labels is None else [each for each in self.artists if hasattr(each, "key")]
        handles = [each[0] if isinstance(each, list) else each for each in handles]
        labels = [each.label for each in handles] if labels is None else labels
        entries = list(zip(handles, labels))
        if not entries:
            return
        left, top, width, height = self.frame
        wide = 38 + max(len(str(label)) for label in [*labels, title or ""]) * 5.6
        high = 8 + 15 * (len(entries) + bool(title))
        vertical, horizontal = self._corner(loc, wide / width, high / height)
        x = left + 6 + (width - wide - 12) * {"left": 0, "center": 0.5, "right": 1}[horizontal]
        y = top + 6 + (height - high - 12) * {"upper": 0, "center": 0.5, "lower": 1}[vertical]
        svg.add("rect", x=x, y=y, width=wide, height=high, rx=3, fill="#fff", fill_opacity=0.8, stroke="#ccc")
        if title:
            svg.text(x + wide / 2, y + 14, title, 9)
        for i, (handle, label) in enumerate(entries, bool(title)):
            handle.key(svg, x + 6, y + 11 + 15 * i)
            svg.text(x + 33, y + 14.5 + 15 * i, label, 9, "left")

    def _corner(self, loc, wide, high):
        """`best` is the corner with the fewest points of lines beneath."""
        if isinstance(loc, str) and loc != "best":
            words = loc.split()
            vertical = next((each for each in words if each in ("upper", "lower")), "center")
            return vertical, next((each for each in words if each in ("left", "right")), "center")
        points = [
            (self.x.share(x), self.y.share(y))
            for each in self.artists
            if isinstance(each, (Line, Points)) and not hasattr(each, "across")
            for x, y in zip(each.x, each.y)
        ]

        def beneath(corner):
            inside = lambda share, low, size: share is not None and (share <= size if low else share >= 1 - size)  # noqa: E731
            return sum(inside(x, corner[1] == "left", wide) and inside(y, corner[0] == "lower", high) for x, y in points)

        return min([("upper", "right"), ("upper", "left"), ("lower", "left"), ("lower", "right")], key=beneath)
