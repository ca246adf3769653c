"""One direction of an axes: its limits, its scale, its ticks, and where a value lies between 0 and 1."""

import math

from . import missing
from ._values import finite, listed

#: Space beside the data, as a share of them.
_MARGIN = 0.05
#: At most so many steps between ticks.
_STEPS = 9


class Scale:
    def __init__(self):
        self.kind, self.base = "linear", 10.0
        self.limits = [None, None]
        self.data = []
        #: Values beyond which no margin is added: the foot of bars, the edges of images.
        self.sticky = set()
        self.names = {}
        self.ticks = self.labels = None
        self.inverted = False

    def set_kind(self, kind, base=10, **others):
        if kind not in ("linear", "log", "symlog"):
            raise missing(f"scale {kind!r}")
        if kind == "symlog":
            raise missing("scale 'symlog'")
        if others.keys() - {"nonpositive", "subs"}:
            raise missing(f"{min(others)}= of a scale")
        self.kind, self.base = kind, float(base)

    def places(self, data):
        """Numbers of the data: a name is the next place of its own."""
        return [self.names.setdefault(each, len(self.names)) if isinstance(each, str) else each for each in listed(data)]

    def cover(self, values):
        self.data += finite(values)

    def _moved(self, value):
        return math.log(value, self.base) if self.kind == "log" else value

    def ends(self):
        data = [each for each in self.data if self.kind != "log" or each > 0]
        low, high = (min(data), max(data)) if data else (1.0, 10.0) if self.kind == "log" else (0.0, 1.0)
        begin, end = self._moved(low), self._moved(high)
        if begin == end:
            begin, end = begin - (0.5 if self.names or self.kind == "log" else abs(begin) * 0.05 or 0.05), end + (
                0.5 if self.names or self.kind == "log" else abs(end) * 0.05 or 0.05
            )
        margin = (end - begin) * _MARGIN
        first = begin if low in self.sticky else begin - margin
        last = end if high in self.sticky else end + margin
        given = [None if each is None else self._moved(each) for each in self.limits]
        first, last = (first if given[0] is None else given[0]), (last if given[1] is None else given[1])
        return (last, first) if self.inverted else (first, last)

    def share(self, value):
        """Where a value lies, 0 at the beginning; None where the scale has no place for it."""
        if not math.isfinite(value) or (self.kind == "log" and value <= 0):
            return None
        first, last = self.ends()
        return (self._moved(value) - first) / ((last - first) or 1.0)

    def unmoved(self, place):
        return self.base**place if self.kind == "log" else place

    def marks(self):
        """Pairs of a value and its label, within the limits."""
        first, last = sorted(self.ends())
        if self.ticks is not None:
            labels = self.labels or [format(each, "g") for each in self.ticks]
            marks = list(zip(self.ticks, labels))
        elif self.names:
            marks = [(place, name) for name, place in self.names.items()]
        elif self.kind == "log":
            powers = range(math.ceil(first - 1e-9), math.floor(last + 1e-9) + 1)
            every = max(1, math.ceil(len(powers) / _STEPS))
            marks = [(self.base**power, _power(self.base, power)) for power in powers if power % every == 0]
            if len(marks) < 2:
                marks = [(self.base**place, format(self.base**place, ".3g")) for place in _steps(first, last)]
        else:
            marks = _decimals(_steps(first, last))
        room = (last - first) * 1e-6
        return [(value, label) for value, label in marks if first - room <= self._moved(value) <= last + room]


def _steps(first, last):
    raw = (last - first) / _STEPS or 1.0
    unit = 10.0 ** math.floor(math.log10(raw))
    step = next(each * unit for each in (1, 2, 2.5, 5, 10) if each * unit >= raw * (1 - 1e-9))
    return [place * step for place in range(math.ceil(first / step - 1e-9), math.floor(last / step + 1e-9) + 1)]


def _decimals(values):
    """All labels with as many decimals as the finest needs."""
    largest = max((abs(each) for each in values), default=0.0)
    if largest and not 1e-4 <= largest < 1e7:
        return [(each, format(each, ".4g")) for each in values]
    count = next((n for n in range(8) if all(abs(round(v, n) - v) <= 1e-9 * largest for v in values)), 8)
    return [(each, f"{each:.{count}f}" if each else f"{0:.{count}f}") for each in values]


def _power(base, power):
    value = base**power
    return format(value, "g") if 1e-3 <= value < 1e5 else f"{base:g}^{power}"
