"""How a tensor prints: PyTorch's rules for digits, columns, summaries and suffixes."""

import math

from . import _core as core


class _Options:
    precision = 4
    threshold = 1000
    edgeitems = 3
    linewidth = 80
    sci_mode = None


options = _Options()


def set_printoptions(
    precision=None, threshold=None, edgeitems=None, linewidth=None, profile=None, sci_mode=None
):
    if profile in ("default", "short", "full"):
        options.precision = 2 if profile == "short" else 4
        options.threshold = math.inf if profile == "full" else 1000
        options.edgeitems = 2 if profile == "short" else 3
        options.linewidth = 80
    for name, value in (
        ("precision", precision), ("threshold", threshold), ("edgeitems", edgeitems),
        ("linewidth", linewidth),
    ):  # fmt: skip
        if value is not None:
            setattr(options, name, value)
    options.sci_mode = sci_mode


class _Formatter:
    """Chooses one format for every element shown."""

    def __init__(self, values, floating):
        self.floating = floating
        self.int_mode = True
        self.sci_mode = False
        self.max_width = 1
        if not floating:
            for v in values:
                self.max_width = max(self.max_width, len(str(v)))
            return
        finite = [v for v in values if math.isfinite(v) and v != 0]
        if not finite:
            return
        low = min(map(abs, finite))
        high = max(map(abs, finite))
        precision = options.precision
        self.int_mode = all(v == math.ceil(v) for v in finite)
        if self.int_mode:
            if high / low > 1000.0 or high > 1.0e8:
                self.sci_mode = True
                widths = [len(f"{v:.{precision}e}") for v in finite]
            else:
                widths = [len(f"{v:.0f}") + 1 for v in finite]
        elif high / low > 1000.0 or high > 1.0e8 or low < 1.0e-4:
            self.sci_mode = True
            widths = [len(f"{v:.{precision}e}") for v in finite]
        else:
            widths = [len(f"{v:.{precision}f}") for v in finite]
        if options.sci_mode is not None:
            self.sci_mode = options.sci_mode
        self.max_width = max(self.max_width, *widths)

    def format(self, value):
        if not self.floating:
            return str(value)
        if self.sci_mode:
            text = f"{value:{self.max_width}.{options.precision}e}"
        elif self.int_mode:
            text = f"{value:.0f}"
            if math.isfinite(value):
                text += "."
        else:
            text = f"{value:.{options.precision}f}"
        return text

    def padded(self, value):
        return self.format(value).rjust(self.max_width)


class _ComplexFormatter:
    """A format for the real parts, and one for the imaginary."""

    def __init__(self, values, floating):
        self.real = _Formatter([v.real for v in values], True)
        self.imag = _Formatter([v.imag for v in values], True)
        self.max_width = self.real.max_width + self.imag.max_width + 1

    def padded(self, value):
        imag = self.imag.padded(value.imag).lstrip() + "j"
        return self.real.padded(value.real) + ("" if imag[0] in "+-" else "+") + imag


def _shown(t, edge):
    """Nested lists of the elements shown; None stands for what is left out."""
    if not t._shape:
        return t.item()
    n = t._shape[0]
    if len(t._shape) == 1:
        if edge and n > 2 * edge:
            return [*t[:edge].tolist(), None, *t[n - edge :].tolist()]
        return t.tolist()
    if edge and n > 2 * edge:
        return [
            *[_shown(t[i], edge) for i in range(edge)],
            None,
            *[_shown(t[i], edge) for i in range(n - edge, n)],
        ]
    return [_shown(t[i], edge) for i in range(n)] if edge else t.tolist()


def _leaves(nested, out):
    if isinstance(nested, list):
        for item in nested:
            _leaves(item, out)
    elif nested is not None:
        out.append(nested)
    return out


def _nested(values, indent, formatter, rank):
    if rank == 0:
        return formatter.padded(values)
    if rank == 1:
        width = formatter.max_width + 2
        per_line = max(1, (options.linewidth - indent) // width)
        texts = [" ..." if v is None else formatter.padded(v) for v in values]
        lines = [texts[i : i + per_line] for i in range(0, len(texts), per_line)]
        return "[" + (",\n" + " " * (indent + 1)).join(", ".join(line) for line in lines) + "]"
    parts = [
        "..." if v is None else _nested(v, indent + 1, formatter, rank - 1) for v in values
    ]
    return "[" + ("," + "\n" * (rank - 1) + " " * (indent + 1)).join(parts) + "]"


def tensor_str(t, prefix="tensor("):
    suffixes = []
    if t.device.type == "cuda":
        suffixes.append(f"device='{t.device}'")
    n = t.numel()
    floating = core.get_default_dtype()
    default = (floating, core.complex128 if floating is core.float64 else core.complex64)
    default += (core.int64, core.bool_)
    if n == 0:
        if len(t._shape) != 1:
            suffixes.append(f"size={tuple(t._shape)}")
        if t.dtype is not core.get_default_dtype():
            suffixes.append(f"dtype={t.dtype!r}")
        text = "[]"
    else:
        if t.dtype not in default:
            suffixes.append(f"dtype={t.dtype!r}")
        plain = t.detach()
        summarize = n > options.threshold
        values = _shown(plain, options.edgeitems if summarize else 0)
        make = _ComplexFormatter if t.dtype.is_complex else _Formatter
        formatter = make(_leaves(values, []), t.dtype.is_floating_point)
        text = _nested(values, len(prefix), formatter, len(t._shape))
    if t.grad_fn is not None:
        suffixes.append(f"grad_fn=<{t.grad_fn.name()}>")
    elif t.requires_grad:
        suffixes.append("requires_grad=True")
    return _suffixed(prefix + text, suffixes, len(prefix))


def _suffixed(text, suffixes, indent):
    """Suffixes go on the last line while they fit it."""
    out = [text]
    last = len(text) - text.rfind("\n") + 1
    for suffix in suffixes:
        if last + len(suffix) + 2 > options.linewidth:
            out.append(",\n" + " " * indent + suffix)
            last = indent + len(suffix)
        else:
            out.append(", " + suffix)
            last += len(suffix) + 2
    out.append(")")
    return "".join(out)
