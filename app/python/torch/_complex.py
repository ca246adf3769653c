"""Complex tensors: (real, imaginary) pairs of f32 or f64 that lie side by side, as PyTorch keeps them, so
that `view_as_real`, `.real` and `.imag` share the storage. app/numerics has real numbers only: every
operation is done here on the two parts, in f64, and rounded once. What is not here raises in
`_core.run`, by name.
"""

import math
import warnings

from . import _core as core
from ._autograd import needs, no_grad, record
from ._core import broadcast_shapes, constant
from ._published import into
from ._tensor import Tensor, empty, view_of, write

_WIDE = core.float64


def _unavailable(name):
    return NotImplementedError(f"{name} of complex tensors is not available in Hippocamp's torch")


# ── views ───────────────────────────────────────────────────────────────────────────────────────


def parts(t):
    """The real and the imaginary parts, on the same storage; without gradients."""
    out = []
    for k in (0, 1):
        part = view_of(t, t._shape, [2 * s for s in t._strides], 2 * t._offset + k)
        part.dtype = t.dtype.to_real()
        out.append(part)
    return out


def view_as_real(input):
    if not input.dtype.is_complex:
        raise RuntimeError("view_as_real is only supported for complex tensors")
    shape, strides = (*input._shape, 2), [*(2 * s for s in input._strides), 1]
    out = view_of(input, shape, strides, 2 * input._offset)
    out.dtype = input.dtype.to_real()
    if needs(input):
        record(out, "ViewAsRealBackward0", [input], lambda g: view_as_complex(g.contiguous()))
    return out


def view_as_complex(input):
    if input.dtype not in (core.float32, core.float64):
        raise RuntimeError(
            "view_as_complex is only supported for half, float and double tensors, but got a tensor "
            f"of scalar type: {input.dtype.short}"
        )
    if not input._shape:
        raise RuntimeError("Input tensor must have one or more dimensions")
    if input._shape[-1] != 2:
        raise RuntimeError("Tensor must have a last dimension of size 2")
    if input._strides[-1] != 1:
        raise RuntimeError("Tensor must have a last dimension with stride 1")
    if any(s % 2 for s in input._strides[:-1]):
        raise RuntimeError("Tensor must have a stride divisible by 2 for all but last dimension")
    if input._offset % 2:
        raise RuntimeError("Tensor must have a storage_offset divisible by 2")
    out = view_of(input, input._shape[:-1], [s // 2 for s in input._strides[:-1]], input._offset // 2)
    out.dtype = input.dtype.to_complex()
    if needs(input):
        record(out, "ViewAsComplexBackward0", [input], view_as_real)
    return out


def real(input):
    if not input.dtype.is_complex:
        return input
    out = parts(input)[0]
    if needs(input):
        record(out, "RealBackward0", [input], lambda g: _joined(g, 0))
    return out


def imag(input):
    if not input.dtype.is_complex:
        raise RuntimeError("imag is not implemented for tensors with non-complex dtypes.")
    out = parts(input)[1]
    if needs(input):
        record(out, "ImagBackward0", [input], lambda g: _joined(0, g))
    return out


def set_part(t, k, value):
    """`t.real = …`, `t.imag = …`."""
    (real, imag)[k](t).copy_(value)


def _joined(re, im, dtype=None):
    """A complex tensor of two parts of one shape, either of which may be a number."""
    model = re if isinstance(re, Tensor) else im
    out = empty(model._shape, dtype or model.dtype.to_complex(), model.device)
    _fill(out, re, im)
    return out


def _fill(out, re, im):
    for window, part in zip(parts(out), (re, im)):
        if not isinstance(part, Tensor):
            part = constant(part, window.dtype)
        elif part._shape != out._shape:
            part = part.detach().expand(out._shape)
        write(window, part)
    return out


# ── making ──────────────────────────────────────────────────────────────────────────────────────


def _same(a, b):
    for t in (a, b):
        if t.dtype not in (core.float32, core.float64):
            raise RuntimeError(
                f"Expected both inputs to be Half, Float or Double tensors but got {a.dtype.short} and "
                f"{b.dtype.short}"
            )
    if a.dtype is not b.dtype:
        raise RuntimeError(
            f"Expected object of scalar type {a.dtype.short} but got scalar type {b.dtype.short} for "
            "second argument"
        )
    from ._elementwise import device_of

    return broadcast_shapes(a._shape, b._shape), device_of(a, b)


def complex_(real, imag, *, out=None):
    shape, device = _same(real, imag)
    made = _fill(empty(shape, real.dtype.to_complex(), device), real, imag)
    if needs(real, imag):
        record(made, "ComplexBackward0", [real, imag], parts)
    return _into(made, out)


complex_.__name__ = complex_.__qualname__ = "complex"


def polar(abs, angle, *, out=None):
    shape, device = _same(abs, angle)
    made = empty(shape, abs.dtype.to_complex(), device)
    with no_grad():
        size, turn = abs.detach().to(_WIDE), angle.detach().to(_WIDE)
        _fill(made, size * turn.cos(), size * turn.sin())
    if needs(abs, angle):

        def gradient(g):
            back = conj(g)
            return real(back * sgn(made)), real(back * (made * 1j))

        record(made, "PolarBackward0", [abs, angle], gradient)
    return _into(made, out)


def _into(made, out):
    return made if out is None else into(out, made, "function")


def discarded(t):
    """The real part, where a program converts a complex tensor to a real dtype."""
    warnings.warn(
        "Casting complex values to real discards the imaginary part", UserWarning, stacklevel=3
    )
    return real(t)


# ── what _core.run cannot do ────────────────────────────────────────────────────────────────────


#: Operations that move elements, or add them: each part is done by itself. These of their operands
#: are complex, others indices or a condition; `copy` takes real numbers as well.
_BY_PARTS = {
    "copy": slice(0, 0), "gather": slice(0, 1), "index": slice(0, 1), "index_put": slice(0, 2),
    "scan": slice(0, 1), "tri": slice(0, 1), "where": slice(1, 3),
}  # fmt: skip


def run(op, outs, ins, f, n, x):
    """`_core.run` where an operand is complex."""
    if op not in _BY_PARTS or op == "scan" and f != "cumsum":
        raise _unavailable(f if op in ("unary", "binary", "reduce", "scan") else op)
    if not outs[0].dtype.is_complex:
        raise _unavailable(f"the implicit conversion to {outs[0].dtype!r}")
    if not all(t.__class__ is not str and t.dtype.is_complex for t in ins[_BY_PARTS[op]]):
        raise NotImplementedError(
            f"{op} of complex tensors and real ones is not available in Hippocamp's torch; "
            f".to({outs[0].dtype!r}) makes a real tensor complex"
        )
    kind = outs[0].dtype.to_real()
    for k in (0, 1):
        operands = [_part(t, k, op, kind) for t in ins]
        core.run(op, [parts(t)[k] for t in outs], operands, f, kind.name, n, x)


def _part(t, k, op, kind):
    if t.__class__ is core.ComplexConstant:
        return constant(float(t.value.imag if k else t.value.real), kind)
    if t.__class__ is not str and t.dtype.is_complex:
        return parts(t)[k]
    return constant(0.0, kind) if k and op == "copy" else t


def values(t):
    """The elements as Python's complex numbers."""
    re, im = (p._flat() for p in parts(t))
    return [complex(a, b) for a, b in zip(re, im)]


# ── elementwise ─────────────────────────────────────────────────────────────────────────────────


def _pair(x):
    """Real and imaginary part; None for no imaginary part."""
    if isinstance(x, Tensor):
        return parts(x) if x.dtype.is_complex else (x.detach(), None)
    return (x.real, x.imag) if isinstance(x, complex) else (x, None)


def _wide(name, a, b):
    """An operation on two parts. A missing part is 0, and what it makes stays missing."""
    if a is None or b is None:
        if name == "mul":
            return None
        if b is None:
            return a
        return b if name == "add" else _wide("mul", b, -1.0)
    if not isinstance(a, Tensor) and not isinstance(b, Tensor):
        return {"add": a + b, "sub": a - b, "mul": a * b}[name]
    from ._elementwise import _binary

    return _binary(name, a, b, dtype=_WIDE)


def _product(a, b):
    (ar, ai), (br, bi) = a, b
    re = _wide("sub", _wide("mul", ar, br), _wide("mul", ai, bi))
    return re, _wide("add", _wide("mul", ar, bi), _wide("mul", ai, br))


def product(a, b, multiply):
    """A product that is linear in both operands, from `multiply` of real ones."""
    with no_grad():
        (ar, ai), (br, bi) = ([p.to(_WIDE) for p in parts(t)] for t in (a, b))
        re = multiply(ar, br).sub_(multiply(ai, bi))
        return _joined(re, multiply(ar, bi).add_(multiply(ai, br)), a.dtype)


def _quotient(a, b):
    from ._elementwise import _binary

    (br, bi) = b
    divide = lambda x, y: None if x is None else _binary("div", x, y, dtype=_WIDE)  # noqa: E731
    if bi is None:
        return divide(a[0], br), divide(a[1], br)
    # Scaled by the larger part, so that the square neither overflows nor vanishes.
    if isinstance(br, Tensor):
        scale = _binary("maximum", br.to(_WIDE).abs(), bi.to(_WIDE).abs(), dtype=_WIDE)
    else:
        scale = max(abs(br), abs(bi)) or 0.0
        if scale == 0.0:
            br, bi = math.nan, math.nan
            scale = 1.0
    if isinstance(scale, Tensor):
        br, bi = divide(br, scale), divide(bi, scale)
    else:
        br, bi = br / scale, bi / scale
    square = _wide("add", _wide("mul", br, br), _wide("mul", bi, bi))
    re, im = _product(a, (br, _wide("mul", bi, -1.0)))
    if isinstance(square, Tensor) or isinstance(scale, Tensor):
        below = _wide("mul", square, scale)
    else:
        below = square * scale
    re, im = divide(re, below), divide(im, below)
    if not isinstance(scale, Tensor):
        return re, im
    # By zero, each part is divided by it.
    return tuple(
        divide(0.0 if p is None else p, scale).where(scale == 0, q) for p, q in zip(a, (re, im))
    )


def binary(name, target, a, b, common):
    """`_elementwise._binary` where the promoted dtype is complex."""
    p, q = _pair(a), _pair(b)
    with no_grad():
        if name in ("add", "sub"):
            re, im = (_wide(name, x, y) for x, y in zip(p, q))
        elif name == "mul":
            re, im = _product(p, q)
        elif name == "div":
            re, im = _quotient(p, q)
        elif name == "pow" and isinstance(b, (int, float)):
            re, im = _power(a, b)
        elif name in ("eq", "ne"):
            return write(target, _equality(name, p, q))
        elif name in ("lt", "le", "gt", "ge", "maximum", "minimum"):
            raise NotImplementedError(f'"{name}_cpu" not implemented for \'{common.short}\'')
        else:
            raise _unavailable(name)
        _fill(target, re, 0.0 if im is None else im)
    target._version += 1


def _equality(name, p, q):
    from ._elementwise import _binary

    zero = lambda x: 0.0 if x is None else x  # noqa: E731
    re, im = (_binary(name, zero(x), zero(y), dtype=_WIDE, boolean=True) for x, y in zip(p, q))
    return re & im if name == "eq" else re | im


def _power(t, exponent):
    """Small whole powers are products, as exact as those; others go through the polar form."""
    if isinstance(exponent, int) and 1 <= exponent <= 4:
        p = _pair(t)
        out = p
        for _ in range(exponent - 1):
            out = _product(out, p)
        return out
    if exponent == 0:
        return t.real * 0.0 + 1.0, None
    re, im = (p.to(_WIDE) for p in parts(t))
    size, turn = re.hypot(im) ** exponent, im.atan2(re) * exponent
    return size * turn.cos(), size * turn.sin()


def unary(name, t):
    """`_elementwise._unary` of a complex tensor."""
    with no_grad():
        re, im = (p.to(_WIDE) for p in parts(t))
        if name == "abs":
            return re.hypot(im).to(t.dtype.to_real())
        if name in ("isnan", "isinf"):
            return getattr(re, name)() | getattr(im, name)()
        if name == "isfinite":
            return re.isfinite() & im.isfinite()
        if name == "logical_not":
            return (re == 0) & (im == 0)
        if name not in _UNARY:
            raise _unavailable(name)
        return _joined(*_UNARY[name](re, im), t.dtype)


def _sqrt(re, im):
    size = re.hypot(im)
    larger = ((size + re.abs()) / 2).sqrt()
    smaller = (im.abs() / (larger * 2)).where(larger != 0, larger)
    right = re >= 0
    sign = (im * 0 + 1).copysign(im)
    return larger.where(right, smaller), smaller.where(right, larger) * sign


_UNARY = {
    "neg": lambda re, im: (-re, -im),
    "positive": lambda re, im: (re, im),
    "square": lambda re, im: _product((re, im), (re, im)),
    "reciprocal": lambda re, im: _quotient((1.0, None), (re, im)),
    "exp": lambda re, im: (re.exp() * im.cos(), re.exp() * im.sin()),
    "log": lambda re, im: (re.hypot(im).log(), im.atan2(re)),
    "sqrt": _sqrt,
    "sin": lambda re, im: (re.sin() * im.cosh(), re.cos() * im.sinh()),
    "cos": lambda re, im: (re.cos() * im.cosh(), -(re.sin() * im.sinh())),
}


def conj(input):
    if not input.dtype.is_complex:
        return input
    from ._elementwise import _dense_like

    re, im = parts(input)
    with no_grad():
        out = _fill(_dense_like(input, input.dtype, input.device), re, -im)
    if needs(input):
        record(out, "ConjBackward0", [input], conj)
    return out


def sgn(input):
    """z / |z|, and 0 for 0."""
    if not input.dtype.is_complex:
        return input.sign()
    if needs(input):
        raise _unavailable("the gradient of sgn")
    re, im = (p.to(_WIDE) for p in parts(input))
    size = re.hypot(im)
    size = size.where(size != 0, size + 1)
    return _joined(re / size, im / size, input.dtype)


def angle(input, *, out=None):
    if not input.dtype.is_complex:
        floating = input if input.dtype.is_floating_point else input.to(core.get_default_dtype())
        made = (floating * 0 + math.pi).where(floating < 0, floating * 0)
        return _into(made, out)
    re, im = (p.to(_WIDE) for p in parts(input))
    made = im.atan2(re).to(input.dtype.to_real())
    if needs(input):

        def gradient(g):
            square = re * re + im * im
            square = square.where(square != 0, square + 1)
            return _joined(g * (-im / square), g * (re / square), input.dtype)

        record(made, "AngleBackward0", [input], gradient)
    return _into(made, out)


def reduce(name, t, axes, keepdim, dtype):
    """Sums and means: of the parts. `axes` count from the front."""
    from ._reductions import _reduce

    if name not in ("sum", "mean") or not dtype.is_complex:
        raise _unavailable(name)
    re, im = (_reduce(name, p, axes, keepdim, _WIDE) for p in parts(t))
    return _joined(re, im, dtype)


# ── comparing ───────────────────────────────────────────────────────────────────────────────────


def magnitudes(actual, expected):
    """Two real tensors whose difference is |actual − expected| and the second of which is |expected|: what
    a comparison with tolerances tests. Elements that are equal, infinities too, differ by 0; where a
    NaN stands in one it stands in both if it does in both.
    """
    with no_grad():
        same = actual == expected
        a, e = actual.detach().to(core.complex128), expected.detach().to(core.complex128)
        size = e.abs()
        apart = (a - e).abs()
        first = size.where(same, size + apart)
        nan = size * 0 + math.nan
        return nan.where(a.isnan(), first), nan.where(e.isnan(), size)
