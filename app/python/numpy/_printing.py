"""How arrays and scalars are printed: NumPy's shortest digits, aligned columns and summarized edges."""

import struct

from ._dtypes import FLOAT16, FLOAT64

options = {"precision": 8, "threshold": 1000, "edgeitems": 3, "linewidth": 75, "suppress": False}


def set_printoptions(precision=None, threshold=None, edgeitems=None, linewidth=None, suppress=None, **_):
    given = dict(precision=precision, threshold=threshold, edgeitems=edgeitems, linewidth=linewidth, suppress=suppress)
    options.update({k: v for k, v in given.items() if v is not None})


def get_printoptions():
    return dict(options)


def shortest(value, d):
    """The fewest digits that read back as `value` in its dtype: (digits, exponent of the first)."""
    if d is FLOAT64:
        for n in range(17):
            digits, _, exponent = f"{abs(value):.{n}e}".partition("e")
            if float(f"{digits}e{exponent}") == abs(value):
                break
    else:
        code = "e" if d is FLOAT16 else "f"
        for n in range(10):
            digits, _, exponent = f"{abs(value):.{n}e}".partition("e")
            try:
                if struct.unpack(code, struct.pack(code, float(f"{digits}e{exponent}")))[0] == abs(value):
                    break
            except OverflowError:
                continue
    return digits.replace(".", "").rstrip("0") or "0", int(exponent)


def _special(value):
    return "nan" if value != value else "inf" if value > 0 else "-inf"


def _finite(value):
    return value == value and value not in (float("inf"), float("-inf"))


def positional(value, d, precision=None):
    """`12.5`, with at most `precision` digits behind the point."""
    if not _finite(value):
        return _special(value)
    digits, exponent = shortest(value, d)
    sign = "-" if value < 0 or str(value)[0] == "-" else ""
    places = max(0, len(digits) - 1 - exponent)
    if precision is not None and places > precision:
        text = f"{abs(value):.{precision}f}".rstrip("0")
        return sign + (text if "." in text else text + ".")
    if exponent < 0:
        return f"{sign}0.{'0' * (-exponent - 1)}{digits}" if digits != "0" else sign + "0."
    whole = digits[: exponent + 1].ljust(exponent + 1, "0")
    return f"{sign}{whole}.{digits[exponent + 1:]}"


def scientific(value, d, precision):
    if not _finite(value):
        return _special(value)
    digits, exponent = shortest(value, d)
    sign = "-" if value < 0 or str(value)[0] == "-" else ""
    if precision is not None and len(digits) - 1 > precision:
        head, _, tail = f"{abs(value):.{precision}e}".partition("e")
        digits, exponent = head.replace(".", ""), int(tail)
    return f"{sign}{digits[0]}.{digits[1:]}e{'-' if exponent < 0 else '+'}{abs(exponent):02d}"


def scalar_text(x):
    value, d = x._value, x.dtype
    if d.kind != "f":
        return str(value)
    if not _finite(value):
        return _special(value)
    if value != 0 and not 1e-4 <= abs(value) < {2: 1e3, 4: 2.0**24, 8: 1e16}[d.itemsize]:
        text = scientific(value, d, None)
        return text.replace(".e", "e")
    text = positional(value, d)
    return text + "0" if text.endswith(".") else text


def _formatter(a):
    """One function for every element, all as wide as the widest."""
    d = a.dtype
    flat = a.reshape(-1).tolist()
    if d.kind == "b":
        # NumPy is as wide as "False" wherever there is more than one.
        width = 5 if len(flat) > 1 else 0
        return lambda v: str(v).rjust(width)
    if d.kind != "f":
        width = max((len(str(v)) for v in flat), default=0)
        return lambda v: str(v).rjust(width)
    finite = [abs(v) for v in flat if _finite(v) and v != 0]
    low, high = min(finite, default=1.0), max(finite, default=1.0)
    precision = options["precision"]
    if not options["suppress"] and finite and (high >= 1e8 or low < 1e-4 or high / low > 1000):
        show = lambda v: scientific(v, d, precision)  # noqa: E731
        texts = [show(v) for v in flat if _finite(v)]
        places = max((len(t.partition("e")[0].partition(".")[2]) for t in texts), default=0)
        pad = lambda v: _pad_scientific(show(v), places) if _finite(v) else _special(v)  # noqa: E731
    else:
        show = lambda v: positional(v, d, precision)  # noqa: E731
        texts = [show(v) for v in flat if _finite(v)]
        places = max((len(t.partition(".")[2]) for t in texts), default=0)
        pad = lambda v: show(v) + " " * (places - len(show(v).partition(".")[2])) if _finite(v) else _special(v)  # noqa: E731
    width = max((len(pad(v)) for v in flat), default=0)
    return lambda v: pad(v).rjust(width)


def _pad_scientific(text, places):
    head, _, tail = text.partition("e")
    whole, _, fraction = head.partition(".")
    return f"{whole}.{fraction.ljust(places, '0')}e{tail}"


def _edges(a):
    """The corners that are shown of a large array."""
    n = options["edgeitems"]
    for axis in range(a.ndim):
        if a.shape[axis] > 2 * n:
            from ._shaping import concatenate

            head = (slice(None),) * axis
            a = concatenate([a[(*head, slice(0, n))], a[(*head, slice(-n, None))]], axis)
    return a


def array2string(a, separator=" ", prefix=""):
    if not a.ndim:
        return scalar_text(a[()])
    if not a.size:
        return "[]"
    summarized = a.size > options["threshold"]
    shown = _edges(a) if summarized else a
    show = _formatter(shown)
    n = options["edgeitems"]
    indent = len(prefix)

    def rows(values, shape, depth):
        cut = summarized and shape[0] > 2 * n
        if len(shape) == 1:
            items = [show(v) for v in values]
            if cut:
                items.insert(n, "...")
            return _wrapped(items, separator, indent + depth)
        parts = [rows(v, shape[1:], depth + 1) for v in values]
        if cut:
            parts.insert(n, "...")
        gap = separator.rstrip() + "\n" * (len(shape) - 1) + " " * (indent + depth)
        return f"[{gap.join(parts)}]"

    return rows(shown.tolist(), a.shape, 1)


def _wrapped(items, separator, indent):
    lines, line = [], ""
    for item in items:
        more = item if not line else line + separator + item
        if line and indent + len(more) + 1 > options["linewidth"]:
            lines.append(line + separator.rstrip())
            line = item
        else:
            line = more
    lines.append(line)
    return "[" + ("\n" + " " * indent).join(lines) + "]"


def array_str(a):
    return array2string(a)


def array_repr(a):
    d = a.dtype
    if not a.size:
        shape = f", shape={a.shape}" if a.shape != (0,) else ""
        return f"array([]{shape}, dtype={d})"
    text = array2string(a, ", ", "array(")
    extra = f", shape={a.shape}" if a.size > options["threshold"] else ""
    if d.name not in ("float64", "int64", "bool"):
        extra += f", dtype={d}"
    last = len(text) - text.rfind("\n") - 1 + (0 if "\n" in text else len("array("))
    if extra and last + len(extra) + 1 > options["linewidth"]:
        extra = ",\n      " + extra[2:]
    return f"array({text}{extra})"
