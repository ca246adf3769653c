"""`torch.fft`: discrete Fourier transforms of any length, with gradients.

One transform along one dimension does the work, in f64: Stockham's radix-2 for powers of two (no bit
reversal), a product with the matrix of roots for other short lengths, Bluestein's convolution for the
others. Everything else is put together from it with recorded operations, so that gradients follow.
"""

import math

from . import _complex as cx
from . import _core as core
from . import _create as create
from . import _join as join
from ._autograd import needs, no_grad, record
from ._patterns import arange

#: Up to here a matrix of roots costs less than Bluestein's three transforms.
_SHORT = 64


def _arange(n):
    return arange(n, dtype=core.float64)


def _turn(angle):
    return angle.cos(), angle.sin()


def _times(ar, ai, br, bi):
    return ar * br - ai * bi, ar * bi + ai * br


def _raw(re, im, sign):
    """Sums over the last dimension of f64 tensors (B, n): Σ x·e^(sign·2πi·jk/n)."""
    n = re._shape[1]
    if n & (n - 1) == 0:
        return _stockham(re, im, sign)
    if n <= _SHORT:
        k = _arange(n)
        # Exponents modulo n keep the angles small, and so exact.
        wr, wi = _turn((k[:, None] * k).remainder(n) * (sign * 2 * math.pi / n))
        return re @ wr - im @ wi, re @ wi + im @ wr
    return _bluestein(re, im, sign)


def _stockham(re, im, sign):
    rows, n = re._shape
    length, run = n, 1
    while length > 1:
        half = length // 2
        wr, wi = _turn(_arange(half)[:, None] * (sign * 2 * math.pi / length))
        re, im = (t.reshape(rows, length, run) for t in (re, im))
        ar, ai, br, bi = re[:, :half], im[:, :half], re[:, half:], im[:, half:]
        odd = _times(ar - br, ai - bi, wr, wi)
        re = join.stack([ar + br, odd[0]], 2)
        im = join.stack([ai + bi, odd[1]], 2)
        length, run = half, 2 * run
    return re.reshape(rows, n), im.reshape(rows, n)


def _bluestein(re, im, sign):
    rows, n = re._shape
    m = 1 << (2 * n - 2).bit_length()
    k = _arange(n)
    # k² modulo 2n: the angle is periodic in it, and large squares would lose its digits.
    wr, wi = _turn((k * k).remainder(2 * n) * (sign * math.pi / n))
    ar, ai = (_sized(t, m, 1) for t in _times(re, im, wr, wi))
    chirp = []
    for part in (wr, -wi):
        line = _sized(part, m, 0)
        line[m - n + 1 :] = part[1:].flip(0)
        chirp.append(line.reshape(1, m))
    ar, ai = _stockham(ar, ai, -1)
    br, bi = _stockham(*chirp, -1)
    cr, ci = _stockham(*_times(ar, ai, br, bi), 1)
    return _times(cr[:, :n] / m, ci[:, :n] / m, wr, wi)


def _along(x, dim, sign, scale):
    """The transform of a complex tensor along one dimension, times `scale`."""
    with no_grad():
        moved = [p.to(core.CPU, core.float64).movedim(dim, -1) for p in cx.parts(x.detach())]
        shape = moved[0]._shape
        re, im = _raw(*(p.reshape(-1, shape[-1]) for p in moved), sign)
        made = [(p * scale).reshape(shape).movedim(-1, dim) for p in (re, im)]
        out = cx._joined(*made, x.dtype).to(x.device)
    if needs(x):
        record(out, "FftC2CBackward0", [x], lambda g: _along(g, dim, -sign, scale))
    return out


def _scale(n, norm, inverse):
    if norm not in (None, "backward", "forward", "ortho"):
        raise RuntimeError(f'Invalid normalization mode: "{norm}"')
    if norm == "ortho":
        return 1 / math.sqrt(n)
    return 1 / n if (norm == "forward") != inverse else 1.0


def _floating(input):
    dtype = input.dtype
    if dtype.is_complex or dtype in (core.float32, core.float64):
        return input
    if dtype.is_floating_point:
        raise RuntimeError(f"Unsupported dtype {dtype.short}")
    return input.to(core.get_default_dtype())


def _complexed(input):
    input = _floating(input)
    return input if input.dtype.is_complex else input.to(input.dtype.to_complex())


def _axis(input, dim):
    rank = len(input._shape)
    if rank == 0 and dim in (-1, 0):
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return core.axis_of(dim, rank)


def _sized(input, n, dim):
    """`input` cut or filled up with zeros to n elements along `dim`."""
    have = input._shape[dim]
    if n is None:
        n = have
    if n < 1:
        raise RuntimeError(f"Invalid number of data points ({n}) specified")
    if n <= have:
        return input if n == have else input.narrow(dim, 0, n)
    shape = list(input._shape)
    shape[dim] = n - have
    return join.cat([input, input.new_zeros(shape)], dim)


def _by_stride(x, dims):
    return sorted(dims, key=lambda d: -x._strides[d])


def _laid_out(made, model, last):
    """`made` with the strides that PyTorch's MKL transforms give: first the dimensions that stay, as they
    lie in `model`, then the transformed ones, `last`."""
    order = _by_stride(model, [d for d in range(len(model._shape)) if d not in last]) + last
    back = [order.index(d) for d in range(len(order))]
    return made.permute(order).contiguous().permute(back)


def _c2c(input, pairs, norm, inverse):
    """`pairs`: (length or None, dimension) of each that is transformed."""
    x = _complexed(input)
    for n, d in pairs:
        x = _sized(x, n, d)
    made = x
    for _, d in pairs:
        made = _along(made, d, 1 if inverse else -1, _scale(x._shape[d], norm, inverse))
    return _laid_out(made, x, _by_stride(x, [d for _, d in pairs]))


def _half(name, input, pairs, norm, inverse=False):
    """A real tensor's transform: along the last dimension the first half, and the middle."""
    if input.dtype.is_complex:
        raise RuntimeError(f"{name} expects a real input tensor, but got {input.dtype.short}")
    x = _floating(input)
    for n, d in pairs:
        x = _sized(x, n, d)
    others, last = [d for _, d in pairs[:-1]], pairs[-1][1]
    made = _c2c(x, [(None, last)], norm, inverse)
    made = made.narrow(last, 0, x._shape[last] // 2 + 1)
    if others:
        made = _c2c(made, [(None, d) for d in others], norm, inverse)
    return _laid_out(made, x, [*_by_stride(x, others), last])


def _whole(input, pairs, norm, inverse):
    """The real transform of a half along the last dimension: the other half is its mirror image."""
    input = _complexed(input)
    *others, (n, dim) = pairs
    if n is None:
        n = 2 * (input._shape[dim] - 1)
    if n < 1:
        raise RuntimeError(f"Invalid number of data points ({n}) specified")
    first = _sized(input, n // 2 + 1, dim)
    if others:
        first = _c2c(first, others, norm, inverse)
    model, mirrored = first, (n - 1) // 2
    if mirrored:
        first = join.cat([first, cx.conj(first.narrow(dim, 1, mirrored)).flip(dim)], dim)
    made = _along(first, dim, 1 if inverse else -1, _scale(n, norm, inverse))
    return _laid_out(cx.real(made), model, [dim])


# ── one dimension ───────────────────────────────────────────────────────────────────────────────


def fft(input, n=None, dim=-1, norm=None, *, out=None):
    return cx._into(_c2c(input, [(n, _axis(input, dim))], norm, False), out)


def ifft(input, n=None, dim=-1, norm=None, *, out=None):
    return cx._into(_c2c(input, [(n, _axis(input, dim))], norm, True), out)


def rfft(input, n=None, dim=-1, norm=None, *, out=None):
    return cx._into(_half("rfft", input, [(n, _axis(input, dim))], norm), out)


def irfft(input, n=None, dim=-1, norm=None, *, out=None):
    return cx._into(_whole(input, [(n, _axis(input, dim))], norm, True), out)


def hfft(input, n=None, dim=-1, norm=None, *, out=None):
    return cx._into(_whole(input, [(n, _axis(input, dim))], norm, False), out)


def ihfft(input, n=None, dim=-1, norm=None, *, out=None):
    return cx._into(_half("ihfft", input, [(n, _axis(input, dim))], norm, True), out)


# ── several dimensions ──────────────────────────────────────────────────────────────────────────


def _dims(input, s, dim):
    """(length or None, dimension) of each that is transformed."""
    rank = len(input._shape)
    if dim is None:
        if s is None:
            return [(None, d) for d in range(rank)]
        if len(s) > rank:
            raise RuntimeError(
                f"Got shape with {len(s)} values but input tensor only has {rank} dimensions."
            )
        dim = range(rank - len(s), rank)
    dim = (dim,) if isinstance(dim, int) else tuple(dim)
    s = (s,) if isinstance(s, int) else s
    found = [_axis(input, d) for d in dim]
    if len(set(found)) != len(found):
        raise RuntimeError("FFT dims must be unique")
    if s is None:
        return [(None, d) for d in found]
    if len(s) != len(found):
        raise RuntimeError("When given, dim and shape arguments must have the same length")
    return [(None if n == -1 else n, d) for n, d in zip(s, found)]


def _some(name, pairs):
    if not pairs:
        raise RuntimeError(f"{name} must transform at least one axis")
    return pairs


def fftn(input, s=None, dim=None, norm=None, *, out=None):
    return cx._into(_c2c(input, _dims(input, s, dim), norm, False), out)


def ifftn(input, s=None, dim=None, norm=None, *, out=None):
    return cx._into(_c2c(input, _dims(input, s, dim), norm, True), out)


def rfftn(input, s=None, dim=None, norm=None, *, out=None):
    return cx._into(_half("rfftn", input, _some("rfftn", _dims(input, s, dim)), norm), out)


def irfftn(input, s=None, dim=None, norm=None, *, out=None):
    return cx._into(_whole(input, _some("irfftn", _dims(input, s, dim)), norm, True), out)


def fft2(input, s=None, dim=(-2, -1), norm=None, *, out=None):
    return fftn(input, s, dim, norm, out=out)


def ifft2(input, s=None, dim=(-2, -1), norm=None, *, out=None):
    return ifftn(input, s, dim, norm, out=out)


def rfft2(input, s=None, dim=(-2, -1), norm=None, *, out=None):
    return rfftn(input, s, dim, norm, out=out)


def irfft2(input, s=None, dim=(-2, -1), norm=None, *, out=None):
    return irfftn(input, s, dim, norm, out=out)


# ── frequencies ─────────────────────────────────────────────────────────────────────────────────


def _frequencies(counts, n, d, dtype, device, requires_grad, out):
    made = create.tensor(counts, dtype=dtype or core.get_default_dtype(), device=device) * (1 / (n * d))
    return cx._into(made, out).requires_grad_(requires_grad)


def fftfreq(n, d=1.0, *, out=None, dtype=None, layout=None, device=None, requires_grad=False):
    counts = [*range((n + 1) // 2), *range(-(n // 2), 0)]
    return _frequencies(counts, n, d, dtype, device, requires_grad, out)


def rfftfreq(n, d=1.0, *, out=None, dtype=None, layout=None, device=None, requires_grad=False):
    return _frequencies(list(range(n // 2 + 1)), n, d, dtype, device, requires_grad, out)


def _shifted(input, dim, by):
    dims = range(len(input._shape)) if dim is None else (dim,) if isinstance(dim, int) else dim
    dims = [_axis(input, d) for d in dims]
    return input.roll([by(input._shape[d]) for d in dims], dims) if dims else input.clone()


def fftshift(input, dim=None):
    return _shifted(input, dim, lambda n: n // 2)


def ifftshift(input, dim=None):
    return _shifted(input, dim, lambda n: (n + 1) // 2)


def __getattr__(name):
    from ._missing import missing

    raise missing("torch.fft", name, globals())
