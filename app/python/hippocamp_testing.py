"""Sweeps of functions that launch Triton kernels, tolerances from the arithmetic, and gradients.

    from hippocamp_testing import one_of, sweep, tensor

    sweep(
        softmax,                                   # launches the kernel
        lambda x: torch.softmax(x, dim=1),         # gets the arguments that it has parameters for
        x=tensor("M", "N"), BLOCK=one_of(64, 128),  # by the names of its parameters
        terms="N",                                 # how many numbers a result is summed of
    )

A sweep calls the function with sizes at edges, strides, dtypes, values and options, as hypothesis and
PyTorch's OpInfo do, and compares each result with the reference in float64. The first failure is made
smaller and saved as a new program. Cases follow from the seed alone.

One file without dependencies but torch: it runs unchanged beside a program on CUDA, under
TRITON_INTERPRET=1 on a CPU, and in Hippocamp, which ships it.
"""

import ast
import contextlib
import inspect
import linecache
import math
import random
import sys
import textwrap
import time
import traceback
import zlib

import torch

__all__ = [
    "LAYOUTS", "VALUES", "SweepFailed", "assert_close", "check", "errors_in_ulp", "gradients_close",
    "laid_out", "one_of", "sample", "sweep", "tensor",
]  # fmt: skip

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
LAYOUTS = ("contiguous", "transposed", "sliced", "offset", "broadcast")
VALUES = (
    "normal", "integers", "equal", "negative", "cancelling", "shifted", "zeros", "huge", "denormal", "inf", "nan",
)  # fmt: skip
#: Sizes at edges: none, one, primes, powers of two and their neighbours.
EDGES = (
    0, 1, 2, 3, 5, 7, 13, 15, 16, 17, 31, 32, 33, 63, 64, 65, 97, 127, 128, 129, 251, 255, 256, 257, 509, 511,
    512, 513, 1021, 1023, 1024, 1025,
)  # fmt: skip
#: Above what a grid's second and third dimension may have on CUDA, and any on WebGPU.
BEYOND_GRID = 65537
#: Elements of a band of NaN around a tensor of the layout "offset".
_BAND = 64
#: Errors by which a function refuses arguments.
_REFUSALS = (AssertionError, NotImplementedError, TypeError, ValueError)


class SweepFailed(AssertionError):
    """A sweep found a case that fails; `report` has it."""

    def __init__(self, message, report):
        super().__init__(message)
        self.report = report


# ── strategies ──────────────────────────────────────────────────────────────────────────────────


class tensor:
    """An argument that is a tensor. `shape`: numbers and names of sizes, which tensors share.

    dtype: where it is not the case's. values, layouts: those that it may have, of `VALUES` and `LAYOUTS`.
    low, high: the range of integers. gradient: whether gradients with respect to it are compared.
    """

    def __init__(self, *shape, dtype=None, values=VALUES, layouts=LAYOUTS, low=-8, high=8, gradient=True):
        self.shape, self.dtype, self.low, self.high, self.gradient = shape, dtype, low, high, gradient
        self.values = (values,) if isinstance(values, str) else tuple(values)
        self.layouts = (layouts,) if isinstance(layouts, str) else tuple(layouts)
        for given, known in ((self.values, VALUES), (self.layouts, LAYOUTS)):
            for each in given:
                if each not in known:
                    raise ValueError(f"{each!r} is none of {', '.join(known)}")


class one_of:
    """An argument with one of the given values: a block size, a flag. A failure shrinks towards the first."""

    def __init__(self, *choices):
        if not choices:
            raise ValueError("one_of needs a choice")
        self.choices = choices


# ── tensors of a case ───────────────────────────────────────────────────────────────────────────


def sample(shape, dtype=torch.float32, *, layout="contiguous", values="normal", seed=0, low=-8, high=8, device=DEVICE):
    """A tensor with the values and the layout of a case; the same for the same arguments."""
    return laid_out(_values(tuple(shape), dtype, values, seed, low, high), layout, device=device)


def _values(shape, dtype, values, seed, low, high):
    draw = torch.Generator().manual_seed(seed)
    if not dtype.is_floating_point:
        if dtype is torch.bool:
            low, high = 0, 2
        whole = torch.randint(low, high, shape, generator=draw)
        return whole.to(dtype)
    plain = torch.randn(shape, generator=draw, dtype=torch.float64)
    pick = torch.rand(shape, generator=draw, dtype=torch.float64)
    info = torch.finfo(dtype)
    if values == "integers":
        plain = torch.round(plain * 2)
    elif values == "equal":
        plain = torch.full(shape, 1.1, dtype=torch.float64)
    elif values == "negative":
        plain = -plain.abs() - 0.125
    elif values == "cancelling":
        # Each is followed by its opposite, a hundredth apart.
        flat = plain.reshape(-1).clone()
        flat[1::2] = -flat[: flat.numel() // 2 * 2 : 2] * 1.01
        plain = flat.reshape(shape)
    elif values == "shifted":
        # A difference of two sums of squares loses what is left of these.
        plain = plain + (1000.0 if info.bits > 16 else 30.0)
    elif values == "zeros":
        plain = torch.where(pick < 0.3, 0.0, torch.where(pick < 0.6, -0.0, plain))
    elif values == "huge":
        # Products of two, and sums of a thousand of these, are below the largest number of float32.
        top = min(math.log2(info.max) / 2 - 6, 52.0) if info.bits > 16 or dtype is torch.bfloat16 else 6.0
        plain = torch.sign(plain) * 2.0 ** (top - 3 * pick)
    elif values == "denormal":
        plain = torch.where(pick < 0.5, plain * info.tiny / 4, plain)
    elif values == "inf":
        plain = torch.where(pick < 0.04, math.inf, torch.where(pick < 0.08, -math.inf, plain))
    elif values == "nan":
        plain = torch.where(pick < 0.06, math.nan, plain)
    return plain.to(dtype)


def _poison(dtype):
    return math.nan if dtype.is_floating_point else True if dtype is torch.bool else torch.iinfo(dtype).max


def laid_out(values, layout="contiguous", device=DEVICE):
    """The same values in memory of another layout; what lies between and around them is NaN.

    transposed: the last two dimensions lie the other way round. sliced: a gap after each row, or each element
    of a vector. offset: an odd start inside of a larger storage. broadcast: the first dimension has a stride of
    0, and its first slice's values.
    """
    values = values.to(device)
    shape, dtype = tuple(values.shape), values.dtype
    if layout == "contiguous" or values.dim() == 0:
        return values.contiguous()
    if layout == "broadcast":
        return values[:1].contiguous().expand(shape) if shape[0] else values.contiguous()
    if layout == "transposed":
        if values.dim() < 2:
            return values.contiguous()
        return values.transpose(-1, -2).contiguous().transpose(-1, -2)
    count = values.numel()
    if layout == "sliced":
        wide = shape[-1] + 7 if values.dim() > 1 else 2 * shape[-1]
        whole = torch.full((*shape[:-1], wide), _poison(dtype), dtype=dtype, device=device)
        view = whole[..., : shape[-1]] if values.dim() > 1 else whole[::2]
    else:
        whole = torch.full((count + 2 * _BAND,), _poison(dtype), dtype=dtype, device=device)
        view = whole[_BAND - 1 : _BAND - 1 + count].view(shape)
    view.copy_(values)
    return view


# ── tolerances ──────────────────────────────────────────────────────────────────────────────────

#: Draws of the perturbation that measures how a result depends on its inputs. Sums with many terms
#: have bounds so wide beside usual errors that fewer do.
_DRAWS, _FEW_DRAWS, _MANY_TERMS = 8, 4, 64
_PERTURBATION = 2.0**-24


def unit(dtype):
    """Half of the step after 1; "tf32" has float16's."""
    return 2.0**-11 if dtype == "tf32" else torch.finfo(dtype).eps / 2


def draws(terms):
    """Draws of the perturbation for a result of so many terms."""
    return _DRAWS if terms <= _MANY_TERMS else _FEW_DRAWS


def largest(values):
    """The largest finite size among numbers; 0 without any."""
    size = torch.where(torch.isfinite(values), values.abs(), torch.zeros_like(values))
    return float(size.max()) if size.numel() else 0.0


def _ulp(expected, dtype):
    """The step of `dtype` at each number."""
    info = torch.finfo(dtype)
    size = expected.abs().clamp(min=info.tiny, max=info.max)
    size = torch.where(torch.isfinite(size), size, torch.full_like(size, info.tiny))
    return 2.0 ** torch.floor(torch.log2(size)) * info.eps


def errors_in_ulp(actual, expected):
    """The error of each element in steps of the result's dtype at the expected value; 0 where both are the same
    infinity or NaN, inf where only one is."""
    a, e = actual.detach().cpu().to(torch.float64), expected.detach().cpu().to(torch.float64)
    same = (a == e) | (torch.isnan(a) & torch.isnan(e))
    off = (a - e).abs() / _ulp(e, actual.dtype)
    off = torch.where(torch.isfinite(off), off, torch.full_like(off, math.inf))
    return torch.where(same, torch.zeros_like(off), off)


def _wide(value):
    """Arguments of the reference: floats as float64, on the CPU."""
    if isinstance(value, torch.Tensor):
        value = value.detach().cpu()
        return value.to(torch.float64) if value.dtype.is_floating_point else value
    return value


def _flat(result):
    return list(result) if isinstance(result, (tuple, list)) else [result]


def sensitivity(reference, args, kwargs, expected, times=_DRAWS):
    """How far each result moves, as a root mean square, where each input moves by its size: for a sum the root
    of the sum of the squared terms. For results whose dtype is no float it is None."""
    movable = [v for v in (*args, *kwargs.values()) if isinstance(v, torch.Tensor) and v.dtype.is_floating_point]
    draw = torch.Generator().manual_seed(1)
    squares = [torch.zeros_like(e) if e.dtype.is_floating_point else None for e in expected]

    def moved(value):
        if not any(value is m for m in movable):
            return value
        factor = torch.randn(tuple(value.shape), generator=draw, dtype=torch.float64)
        changed = value * (1 + factor * _PERTURBATION)
        return torch.where(torch.isfinite(value), changed, value)

    if not movable:
        return squares
    for _ in range(times):
        results = _flat(reference(*[moved(a) for a in args], **{k: moved(v) for k, v in kwargs.items()}))
        for i, (r, e) in enumerate(zip(results, expected)):
            if squares[i] is not None:
                off = (r.detach() - e) / _PERTURBATION
                squares[i] = squares[i] + torch.where(torch.isfinite(off), off * off, torch.zeros_like(off))
    return [None if s is None else (s / times).sqrt() for s in squares]


def _terms_of(reference, args, kwargs, expected):
    """How many numbers of one input a result depends on, by the reference's gradients of three results."""
    tracked = {}

    def track(value):
        if isinstance(value, torch.Tensor) and value.dtype.is_floating_point:
            tracked[id(value)] = made = value.clone().requires_grad_()
            return made
        return value

    try:
        results = _flat(reference(*[track(a) for a in args], **{k: track(v) for k, v in kwargs.items()}))
        if not any(r.requires_grad for r in results):
            raise ValueError("the reference has no gradients")
        most = 1
        for r, e in zip(results, expected):
            if not (r.dtype.is_floating_point and r.requires_grad and e.numel()):
                continue
            flat = r.reshape(-1)
            for at in sorted({0, e.numel() // 2, e.numel() - 1}):
                found = torch.autograd.grad(flat[at], list(tracked.values()), retain_graph=True, allow_unused=True)
                for g in found:
                    if g is not None:
                        most = max(most, int((g != 0).sum()))
        return most
    except Exception:
        # No gradients: the longest dimension is as long as a sum along one can be.
        return max((s for v in (*args, *kwargs.values()) if isinstance(v, torch.Tensor) for s in v.shape), default=1)


def _allowed(e, dtype, sensitivity, terms, accumulator, operands, atol=0.0):
    """The error that rounding explains: one step of the result, and of the accumulator 4 + terms / 2 roundings of the
    result and of its partial sums. terms / 2 is the bound for a sum of equal numbers one after the other; partial
    sums of numbers of both signs are of the size of the sensitivity."""
    size = torch.where(torch.isfinite(e), e.abs(), torch.zeros_like(e))
    scale = size if sensitivity is None else size + 4 * sensitivity
    allowed = _ulp(e, dtype) + unit(accumulator) * (4 + terms / 2) * scale
    if operands is not None and sensitivity is not None:
        allowed = allowed + 4 * unit(operands) * sensitivity
    # Below the normal numbers a device may round to 0.
    return allowed + torch.finfo(dtype).tiny + atol


def _close(a, e, allowed, dtype):
    same = (a == e) | (torch.isnan(a) & torch.isnan(e))
    near = (a - e).abs() <= allowed
    # An infinity stands for what rounds beyond the largest number.
    edge = torch.finfo(dtype).max
    over = torch.isinf(a) & (a * e > 0) & (e.abs() + allowed >= edge)
    under = torch.isfinite(a) & torch.isinf(e) & (a * e > 0) & (a.abs() + _ulp(a, dtype) >= edge)
    return same | near | over | under


def assert_close(
    actual, reference, *args, terms=None, accumulator=torch.float32, operands=None, atol=0.0, what="the result", **kwargs
):
    """Raises AssertionError where an element of `actual` is further off than rounding explains.

    actual: what the kernel computed, a tensor or a tuple of them. reference: the function that computes the same
    from `args` and `kwargs`; it is called with their floats as float64.
    terms: how many numbers a result is summed of; without, the reference's gradients show it.
    accumulator: the dtype that sums are promised in. operands: a dtype, or "tf32", that values are rounded to on
    the way, as the operands of a dot. atol: an error that is allowed besides, where numbers cancel on the way.
    Integers and booleans have to be equal. NaN equals NaN.
    """
    target = InFloat64(reference, args, kwargs, terms)
    results = _flat(actual)
    if len(results) != len(target.expected):
        raise AssertionError(f"{what} has {len(results)} tensors, the reference {len(target.expected)}")
    for i, (a, e) in enumerate(zip(results, target.expected)):
        name = what if len(results) == 1 else f"{what}[{i}]"
        if not isinstance(a, torch.Tensor):
            raise AssertionError(f"{name} is {type(a).__name__}, not a tensor")
        if tuple(a.shape) != tuple(e.shape):
            raise AssertionError(f"the shape of {name} is {tuple(a.shape)}, not {tuple(e.shape)}")
        plain = a.detach().cpu()
        if not a.dtype.is_floating_point:
            # The wider of the two compares: neither is cut off, nor wraps around.
            wide = torch.float64 if e.dtype.is_floating_point else torch.int64
            _raise_where(plain.to(wide) != e.to(wide), plain, e, name)
            continue
        # One step is always allowed.
        if bool((errors_in_ulp(plain, e.to(torch.float64)) <= 1).all()):
            continue
        found = target.judged(i, plain, accumulator, operands, atol)
        if found.count:
            _raise_where(found.wrong, plain, e, name, found)


class InFloat64:
    """A reference's results for these arguments, whose floats it gets as float64, in `expected`."""

    def __init__(self, reference, args, kwargs=None, terms=None):
        """terms: how many numbers a result is summed of; without, the reference's gradients show it."""
        kwargs = kwargs or {}
        self._call = (reference, [_wide(a) for a in args], {k: _wide(v) for k, v in kwargs.items()})
        self._terms, self._moves = terms, None
        with torch.no_grad():
            self.expected = [e.detach() for e in _flat(reference(*self._call[1], **self._call[2]))]

    def judged(self, i, actual, accumulator=torch.float32, operands=None, atol=0.0):
        """A tensor of floats beside result `i`."""
        if self._moves is None:
            if self._terms is None:
                self._terms = _terms_of(*self._call, self.expected)
            with torch.no_grad():
                self._moves = sensitivity(*self._call, self.expected, draws(self._terms))
        sums = torch.float64 if actual.dtype is torch.float64 else accumulator
        target = self.expected[i].to(torch.float64)
        return judged(actual.detach().cpu(), target, self._moves[i], self._terms, sums, operands, atol)


class judged:
    """Elements of a result beside a reference in float64: which of them rounding does not explain, in `wrong`.

    sensitivity: how far the reference moves where its inputs move by their size, as `sensitivity` measures it.
    terms: how many numbers are summed one after the other, in `accumulator`; operands: as in `assert_close`.
    """

    def __init__(self, actual, expected, sensitivity, terms, accumulator=torch.float32, operands=None, atol=0.0):
        self.actual, self.expected, self.dtype = actual.to(torch.float64), expected, actual.dtype
        self._arithmetic = (sensitivity, terms, accumulator, operands)
        self.allowed = _allowed(expected, self.dtype, *self._arithmetic, atol)
        self.wrong = ~_close(self.actual, expected, self.allowed, self.dtype)
        self.count = int(self.wrong.sum())

    @property
    def worst(self):
        """The place of the element whose error is the largest share of what rounding explains; where some are
        wrong, one of these."""
        off = ((self.actual - self.expected).abs() / self.allowed).reshape(-1)
        off = torch.where(torch.isfinite(off), off, torch.full_like(off, math.inf if self.count else 0.0))
        if self.count:
            off = torch.where(self.wrong.reshape(-1), off, torch.full_like(off, -1.0))
        return int(off.argmax())

    def steps(self, at):
        """The error of an element in ULP."""
        return float(errors_in_ulp(self.actual.to(self.dtype), self.expected).reshape(-1)[at])

    def allowed_steps(self, at):
        return float((self.allowed.reshape(-1)[at] / _ulp(self.expected, self.dtype).reshape(-1)[at]))

    def off(self, at):
        return float((self.actual - self.expected).abs().reshape(-1)[at])

    def times(self, at):
        """The error as a multiple of what rounding explains."""
        return self.off(at) / float(self.allowed.reshape(-1)[at])

    @property
    def in_float16(self):
        """Whether sums in float16 explain all errors."""
        return _as_in_float16(self.actual, self.expected, self.dtype, *self._arithmetic)

    @property
    def note(self):
        """What narrower arithmetic would explain all errors, for a message."""
        return _explained(self.actual, self.expected, self.dtype, *self._arithmetic)


def _as_in_float16(a, e, dtype, sensitivity, terms, accumulator, operands):
    """Whether sums in float16 explain all errors, where they were promised in a wider dtype."""
    if torch.finfo(accumulator).eps >= torch.finfo(torch.float16).eps:
        return False
    return bool(_close(a, e, _allowed(e, dtype, sensitivity, terms, torch.float16, operands), dtype).all())


def _explained(a, e, dtype, sensitivity, terms, accumulator, operands):
    """What narrower arithmetic would explain all errors, for a message."""

    def explains(sums, values):
        return bool(_close(a, e, _allowed(e, dtype, sensitivity, terms, sums, values), dtype).all())

    note = ""
    if _as_in_float16(a, e, dtype, sensitivity, terms, accumulator, operands):
        note = f"; arithmetic in float16 has such errors, in {_name(accumulator)} it has not"
    narrow = dtype in (torch.float16, torch.bfloat16) and operands is None
    if narrow and explains(accumulator, dtype):
        note += f"; operands={dtype} allows values rounded to it on the way"
    return note


def _name(dtype):
    return str(dtype).removeprefix("torch.")


def _raise_where(wrong, actual, expected, what, found=None):
    flat = wrong.reshape(-1)
    count = int(flat.sum())
    if count == 0:
        return
    size = note = ""
    if found is None:
        at = int(flat.to(torch.int32).argmax())
    else:
        at, note = found.worst, found.note
        steps = found.steps(at)
        size = "" if math.isinf(steps) else f" ({steps:.4g} ULP off, {found.allowed_steps(at):.3g} allowed)"
        if 1e5 < steps < math.inf:
            # Beside 0 a step is of no use.
            size = f" (off by {found.off(at):.3g}, {float(found.allowed.reshape(-1)[at]):.3g} allowed)"
    got, wanted = actual.reshape(-1)[at].item(), expected.reshape(-1)[at].item()
    raise AssertionError(
        f"{count} of {flat.numel()} elements of {what} are wrong; the worst is {_index(at, actual.shape)}: "
        f"{_short(got)}, expected {_short(wanted)}{size}{note}"
    )


def _index(flat, shape):
    index = []
    for size in reversed(shape):
        index.insert(0, flat % size)
        flat //= size
    return f"[{', '.join(map(str, index))}]"


def _short(value):
    return f"{value:.7g}" if isinstance(value, float) else str(value)


# ── gradients ───────────────────────────────────────────────────────────────────────────────────

#: Step of the central differences in float64, by the size of what is moved.
_STEP = 1e-6


def gradients_close(
    function, reference, *args, terms=None, accumulator=torch.float32, operands=None, atol=0.0, seed=0, wrt=None, **kwargs
):
    """Raises AssertionError where the backward of `function` differs from that of `reference` in float64.

    The gradient of each floating tensor, weighted by random numbers at the results, is compared with autograd of
    the reference as `assert_close` compares; autograd of the reference is compared with central differences
    along a random direction. The backward gets such weights as contiguous tensors, as expanded ones (those of
    `result.sum()`) and, from two dimensions on, as transposed ones. wrt: the places or names of the tensors in
    question; without, all of floats.
    The message names the input, the element, and what each of the three gives along it.
    """
    named = {**{i: a for i, a in enumerate(args)}, **kwargs}
    tracked = [
        k for k, v in named.items()
        if isinstance(v, torch.Tensor) and v.dtype.is_floating_point and (wrt is None or k in wrt)
    ]  # fmt: skip
    leaves = {k: named[k].detach().requires_grad_() for k in tracked}
    given = {**named, **leaves}
    results = _flat(function(*[given[i] for i in range(len(args))], **{k: given[k] for k in kwargs}))
    draw = torch.Generator().manual_seed(seed + 7)
    weights, made = [], []
    for r in results:
        if isinstance(r, torch.Tensor) and r.dtype.is_floating_point and r.requires_grad:
            weights.append(torch.randn(tuple(r.shape), generator=draw).to(r.dtype))
            made.append(r)
        else:
            weights.append(None)
    if not made:
        raise AssertionError("no result of the function requires a gradient: it has no backward")
    used = [w for w in weights if w is not None]

    def backward(heads):
        heads = [_laid_out_as(w, w.to(r.device)) for w, r in zip(heads, made)]
        return torch.autograd.grad(made, list(leaves.values()), heads, retain_graph=True, allow_unused=True)

    wide = {k: _wide(v) for k, v in named.items()}

    def outputs(values):
        every = _flat(reference(*[values[i] for i in range(len(args))], **{k: values[k] for k in kwargs}))
        return [r for r, w in zip(every, weights) if w is not None]

    def gradient_of(key):
        def gradient(*numbers):
            values, heads = dict(zip(wide, numbers)), numbers[len(wide) :]
            with torch.enable_grad():
                leaf = values[key].detach().clone().requires_grad_()
                rs = outputs({**values, key: leaf})
                kept = [(r, h) for r, h in zip(rs, heads) if r.requires_grad]
                if not kept:
                    return torch.zeros_like(leaf)
                (g,) = torch.autograd.grad([r for r, _ in kept], [leaf], [h for _, h in kept], allow_unused=True)
            return torch.zeros_like(leaf) if g is None else g

        return gradient

    def slope(key, direction):
        """The central difference of the weighted results, in float64."""
        with torch.no_grad():
            scale = _STEP * max(1.0, float(wide[key].abs().max()))
            ends = []
            for sign in (1, -1):
                rs = outputs({**wide, key: wide[key] + sign * scale * direction})
                ends.append(sum(float((r * w.to(torch.float64)).sum()) for r, w in zip(rs, used)))
            return (ends[0] - ends[1]) / (2 * scale)

    def named_gradient(key):
        return f"the gradient of {key}" if isinstance(key, str) else f"the gradient of argument {key}"

    def compare(key, g, heads, what):
        assert_close(
            g, gradient_of(key), *wide.values(), *heads, terms=terms, accumulator=accumulator, operands=operands,
            atol=atol, what=what,
        )  # fmt: skip

    heads = [w.to(torch.float64) for w in used]
    for key, g in zip(tracked, backward(used)):
        if wide[key].numel() == 0:
            continue
        name = named_gradient(key)
        exact = gradient_of(key)(*wide.values(), *heads)
        direction = torch.randint(0, 2, tuple(wide[key].shape), generator=draw).to(torch.float64) * 2 - 1
        numeric, analytic = slope(key, direction), float((exact * direction).sum())
        size = float((exact * exact).sum()) ** 0.5
        if math.isfinite(numeric) and abs(numeric - analytic) > 1e-4 * (size + abs(analytic)) + 1e-6:
            raise AssertionError(
                f"{name}: autograd of the reference gives {analytic:.7g} along a random direction, central "
                f"differences of it {numeric:.7g}: the reference's own backward is wrong, or it has a kink there"
            )
        if g is None:
            if size == 0.0:
                continue
            raise AssertionError(f"{name} is missing: the backward gives none, the reference's is not 0")
        try:
            compare(key, g, heads, name)
        except AssertionError as error:
            if tuple(g.shape) != tuple(exact.shape):
                raise
            off = errors_in_ulp(g, exact).reshape(-1)
            at = int(off.argmax())
            unit = torch.zeros(exact.numel(), dtype=torch.float64)
            unit[at] = 1.0
            raise AssertionError(
                f"{error}. Along {_index(at, exact.shape)} of {key}: the backward {g.reshape(-1)[at].item():.7g}, autograd "
                f"of the reference {float(exact.reshape(-1)[at]):.7g}, central differences "
                f"{slope(key, unit.reshape(exact.shape)):.7g}"
            ) from None
    for how, laid_out in (("an expanded", _expanded), ("a transposed", _transposed)):
        others = [laid_out(w) for w in used]
        if all(w.is_contiguous() for w in others):
            continue
        heads = [w.to(torch.float64) for w in others]
        for key, g in zip(tracked, backward(others)):
            if g is not None and wide[key].numel():
                compare(key, g, heads, f"{named_gradient(key)} for {how} gradient of the result")


def _expanded(t):
    """One of its numbers in the place of all: every stride is 0, and memory holds one element."""
    return t if t.numel() == 0 else t.reshape(-1)[0].clone().expand(t.shape)


def _transposed(t):
    """The same numbers, with the last two dimensions the other way round in memory."""
    return t if t.dim() < 2 else t.transpose(-1, -2).contiguous().transpose(-1, -2)


def _laid_out_as(t, copy):
    """A copy, which may be contiguous, with the strides of the original."""
    if copy.stride() == t.stride():
        return copy
    return _expanded(copy) if 0 in t.stride() else _transposed(copy)


# ── sweeps ──────────────────────────────────────────────────────────────────────────────────────


class Report:
    """What a sweep found: `cases` and `outcomes`, one of each; `failure`, None or the smallest case that fails with
    its `message`; `program`, the text that runs it; `file`, where that was saved."""

    def __init__(self, name, seed):
        self.name, self.seed = name, seed
        self.cases, self.outcomes, self.refusals = [], [], {}
        self.failure = self.message = self.program = self.file = self.line = None
        self.failed_line = None
        self.left = 0

    def count(self, outcome):
        return self.outcomes.count(outcome)

    @property
    def passed(self):
        return self.failure is None and not self.refuses_all

    @property
    def refuses_all(self):
        return bool(self.outcomes) and self.count("refused") == len(self.outcomes)


def sweep(
    function, reference, *, cases=100, seed=0, dtypes=(torch.float32, torch.float16, torch.bfloat16), sizes=None,
    terms=None, accumulator=torch.float32, operands=None, atol=0.0, gradients=False, changes=(), elements=2**16,
    seconds=120, raises=True, **arguments,
):  # fmt: skip
    """Calls `function` with many arguments and compares each result with the reference's.

    arguments: by the names of the function's parameters, `tensor(…)`, `one_of(…)`, or a value. The reference
    gets those that it has parameters for, floats in float64.
    sizes: {name: a range or a list} of what a named size may be; else any from 0 to 1,100.
    terms: a number, or the name of a size, or an expression of them ("N", "S + D"): how many numbers a result is
    summed of. accumulator, operands, atol: as of `assert_close`. gradients: compares gradients too.
    changes: names of tensors that the function may write. elements: of the largest tensor.
    An AssertionError, TypeError, ValueError or NotImplementedError that the function's file raises refuses a case; any
    other exception fails, and so does a sweep of which every case is refused. After `seconds` the cases that are left
    are counted and not run.
    @returns a `Report`. @raises SweepFailed where a case fails, unless `raises` is False.
    """
    plan = _Plan(function, reference, arguments, dict(sizes or {}), tuple(dtypes), elements)
    plan.terms, plan.accumulator, plan.operands, plan.atol = terms, accumulator, operands, atol
    plan.gradients, plan.changes = gradients, tuple(changes)
    name = getattr(function, "__name__", "function")
    report = Report(name if name.isidentifier() else "function", seed)
    frame = sys._getframe(1)
    report.line = frame.f_lineno
    bridge = _hippocamp()
    if bridge is not None and bridge.environment()["options"].get("ring"):
        # Floats stand for numbers of a ring there, and float64 for those of another one.
        return report
    end = time.monotonic() + seconds
    every = plan.cases(cases, seed)
    for i, case in enumerate(every):
        if time.monotonic() > end:
            report.left = len(every) - i
            break
        outcome, message, line = plan.run(case)
        report.cases.append(case)
        report.outcomes.append(outcome)
        if outcome == "refused":
            report.refusals.setdefault(message, case)
        if outcome == "failed" and report.failure is None:
            found = plan.shrink(case, message, line, time.monotonic() + seconds / 2)
            report.failure, report.message, report.failed_line = found
            # Once more, so that the run's last launches and tensors are those of this case.
            plan.run(report.failure)
            break
    if report.failure is not None:
        report.program = _program_of(plan, report, frame)
        report.file = _saved(report)
    print(_table(plan, report))
    _emit(plan, report, len(every), frame)
    if report.failure is not None and raises:
        raise SweepFailed(f"{report.name} fails at {_case_text(report.failure)}: {report.message}", report)
    if report.refuses_all and raises:
        raise SweepFailed(f"{report.name} refuses every case, the first with: {next(iter(report.refusals))}", report)
    return report


class _Plan:
    """The arguments of a sweep, and how one case of them is made, run and made smaller."""

    def __init__(self, function, reference, arguments, sizes, dtypes, elements):
        self.function, self.reference, self.arguments = function, reference, arguments
        self.dtypes, self.elements = dtypes, elements
        self.tensors = {k: v for k, v in arguments.items() if isinstance(v, tensor)}
        self.options = {k: v for k, v in arguments.items() if isinstance(v, one_of)}
        if not self.tensors:
            raise TypeError("sweep needs an argument that is a tensor(…)")
        names = [n for t in self.tensors.values() for n in t.shape if isinstance(n, str)]
        self.names = list(dict.fromkeys(names))
        unknown = [n for n in sizes if n not in self.names]
        if unknown:
            raise TypeError(f"no tensor has a size {', '.join(unknown)}")
        self.sizes = {n: sizes.get(n, range(1101)) for n in self.names}
        self.edges = {n: self._edges(self.sizes[n]) for n in self.names}

    @staticmethod
    def _edges(allowed):
        if isinstance(allowed, range):
            ends = (allowed[0], allowed[-1], *allowed[:3], *(e - e % allowed.step for e in EDGES)) if allowed else ()
            return sorted({e for e in (*EDGES, *ends) if e in allowed})
        return sorted(set(allowed))

    # ── cases ──

    def _layouts(self, name):
        """A tensor that the function may write has memory of its own for each element."""
        known = self.tensors[name].layouts
        return tuple(v for v in known if v != "broadcast") or known if name in self.changes else known

    def _base(self, size=None):
        near = lambda n: min(self.edges[n], key=lambda e: (abs(e - (17 if size is None else size)), e))  # noqa: E731
        return {
            "sizes": {n: near(n) for n in self.names},
            "dtype": self.dtypes[0],
            "layouts": {k: self._layouts(k)[0] for k in self.tensors},
            "values": {k: t.values[0] for k, t in self.tensors.items()},
            "options": {k: o.choices[0] for k, o in self.options.items()},
            "seed": 0,
        }

    def cases(self, count, seed):
        """First each dtype, option, layout and kind of values by itself, for half of the cases at most; then each size at
        its edges, the largest first, as it has the most blocks; then mixtures."""
        draw = random.Random(seed)
        found = []

        def add(**changes):
            made = self._base()
            for key, value in changes.items():
                made[key] = {**made[key], **value} if isinstance(value, dict) else value
            made["seed"] = draw.randrange(2**31)
            found.append(self._fitted(made))

        for d in self.dtypes:
            add(dtype=d)
        for k, o in self.options.items():
            for choice in o.choices[1:]:
                add(options={k: choice}, sizes={n: draw.choice(self.edges[n]) for n in self.names})
        for layout in LAYOUTS[1:]:
            having = [k for k in self.tensors if layout in self._layouts(k)]
            for group in {tuple(having), *((k,) for k in having)} - {()} if having else ():
                add(layouts={k: layout for k in group}, dtype=draw.choice(self.dtypes))
        for kind in VALUES[1:]:
            having = [k for k, t in self.tensors.items() if kind in t.values]
            if having:
                add(values={k: kind for k in having}, dtype=draw.choice(self.dtypes))
        found.sort(key=lambda case: sorted(case["layouts"].items()) if len(set(case["layouts"].values())) > 1 else [])
        del found[max(1, count // 2) :]
        edges = [(n, e) for n in self.names for e in self.edges[n][:-1]]
        edges += [(n, BEYOND_GRID) for n in self.names if isinstance(self.sizes[n], range) and len(self.sizes[n]) == 1101]
        draw.shuffle(edges)
        edges = [(n, self.edges[n][-1]) for n in self.names if self.edges[n]] + edges
        for n, e in edges[: max(0, (count - len(found)) * 2 // 3)]:
            add(sizes={**({m: 3 for m in self.names} if e == BEYOND_GRID else {}), n: e}, dtype=draw.choice(self.dtypes))
        while len(found) < count:
            add(
                sizes={n: draw.choice(self.edges[n]) for n in self.names},
                dtype=draw.choice(self.dtypes),
                layouts={k: draw.choice(self._layouts(k)) for k in self.tensors},
                values={k: draw.choice(t.values) for k, t in self.tensors.items()},
                options={k: draw.choice(o.choices) for k, o in self.options.items()},
            )
        return found[:count]

    def _fitted(self, case):
        """Makes its largest size smaller until no tensor has too many elements."""
        sizes = case["sizes"]
        while self._largest(sizes) > self.elements:
            n = max((m for m in sizes if sizes[m] != BEYOND_GRID), key=sizes.get, default=None)
            smaller = [e for e in self.edges.get(n, ()) if e < sizes[n]]
            if not smaller:
                break
            sizes[n] = smaller[-1]
        return case

    def _largest(self, sizes):
        return max(math.prod(_shape(t, sizes)) for t in self.tensors.values())

    # ── one case ──

    def build(self, case):
        """The arguments of a case, new for each call."""
        made = {}
        for k, v in self.arguments.items():
            if k in self.tensors:
                made[k] = sample(**self.sample_of(k, case))
            else:
                made[k] = case["options"][k] if k in self.options else v
        return made

    def sample_of(self, name, case):
        t = self.tensors[name]
        values = {"shape": _shape(t, case["sizes"]), "dtype": t.dtype or case["dtype"], "layout": case["layouts"][name]}
        number = zlib.crc32(f"{case['seed']} {name}".encode())
        return {**values, "values": case["values"][name], "seed": number, "low": t.low, "high": t.high}

    def terms_of(self, case):
        if not isinstance(self.terms, str):
            return self.terms
        known = {n: v for n, v in (*case["options"].items(), *case["sizes"].items()) if isinstance(v, int)}
        return max(1, eval(self.terms, {"__builtins__": {}, "max": max, "min": min}, known))  # noqa: S307

    def run(self, case):
        """@returns (passed, refused or failed; a message; the line of an exception in the function's file)."""
        try:
            arguments = self.build(case)
            check(
                self.function, self.reference, terms=self.terms_of(case), accumulator=self.accumulator,
                operands=self.operands, atol=self.atol, gradients=self.gradients and self._smooth(case), changes=self.changes,
                wrt=[k for k, t in self.tensors.items() if t.gradient], _flush="denormal" in case["values"].values(),
                **arguments,
            )  # fmt: skip
        except AssertionError as error:
            refused = _refused(error, self.function)
            return ("refused" if refused else "failed"), str(error) or type(error).__name__, _line(error, self.function)
        except Exception as error:
            refused = isinstance(error, _REFUSALS) and _refused(error, self.function)
            text = f"{type(error).__name__}: {str(error).strip().splitlines()[0] if str(error).strip() else ''}"
            return ("refused" if refused else "failed"), text, _line(error, self.function)
        return "passed", None, None

    @staticmethod
    def _smooth(case):
        """Whether gradients are compared: at ties, zeros and infinities a function may have several."""
        return set(case["values"].values()) <= {"normal"}

    # ── smaller cases ──

    def shrink(self, case, message, line, end):
        """The smallest case found that still fails, its message and the line of its exception."""
        runs = 0
        while runs < 150:
            for smaller in self._smaller(case):
                runs += 1
                outcome, text, at = self.run(smaller)
                if outcome == "failed":
                    case, message, line = smaller, text, at
                    break
                if runs >= 150 or time.monotonic() > end:
                    return case, message, line
            else:
                break
        return case, message, line

    def _smaller(self, case):
        def changed(key, name, value):
            return {**case, key: {**case[key], name: value}}

        for k, t in self.tensors.items():
            if case["layouts"][k] != self._layouts(k)[0]:
                yield changed("layouts", k, self._layouts(k)[0])
            easy = [v for v in ("integers", "normal") if v in t.values]
            for v in easy[: easy.index(case["values"][k])] if case["values"][k] in easy else easy:
                yield changed("values", k, v)
        for d in self.dtypes[: self.dtypes.index(case["dtype"])]:
            yield {**case, "dtype": d}
        for k, o in self.options.items():
            for choice in o.choices[: o.choices.index(case["options"][k])]:
                yield changed("options", k, choice)
        for n in self.names:
            now, allowed = case["sizes"][n], self.sizes[n]
            tried = dict.fromkeys((0, 1, 2, 3, *self.edges[n][:2], now // 2, now * 3 // 4, now * 7 // 8, now - 1))
            for s in tried:
                if 0 <= s < now and s in allowed:
                    yield changed("sizes", n, s)


def _shape(t, sizes):
    return tuple(sizes[n] if isinstance(n, str) else n for n in t.shape)


def _parameters(reference):
    """The names of its parameters; None where it takes any or cannot be looked at."""
    try:
        found = inspect.signature(reference).parameters
    except (TypeError, ValueError):
        return None
    kinds = {p.kind for p in found.values()}
    if inspect.Parameter.VAR_KEYWORD in kinds or inspect.Parameter.POSITIONAL_ONLY in kinds:
        return None
    return set(found)


def _for_reference(reference, arguments):
    """(args, kwargs) for the reference; one of C, or with other names for all of them, takes the tensors in order."""
    names = _parameters(reference)
    if names is None or names and not names & {*arguments}:
        return [v for v in arguments.values() if isinstance(v, torch.Tensor)], {}
    return [], {k: v for k, v in arguments.items() if k in names}


def check(
    function, reference, *, terms=None, accumulator=torch.float32, operands=None, atol=0.0, gradients=False, changes=(),
    wrt=None, _flush=False, **arguments,
):  # fmt: skip
    """Calls `function` once and raises AssertionError where its result, its gradients, or memory that it may not
    write differ from what they should be. Arguments as of `sweep`, with values in the place of strategies."""
    kept = {k: v.detach().clone() for k, v in arguments.items() if isinstance(v, torch.Tensor)}
    bands = {k: _bands(v) for k, v in arguments.items() if isinstance(v, torch.Tensor)}
    with _poisoned():
        result = function(**arguments)
        if torch.cuda.is_available():
            torch.cuda.synchronize()
    args, named = _for_reference(reference, {**arguments, **kept})
    rounding = {"terms": terms, "accumulator": accumulator, "operands": operands, "atol": atol}
    _check_width(result, reference, args, named)
    try:
        assert_close(result, reference, *args, **rounding, **named)
    except AssertionError:
        if not _flush:
            raise
        # A device may take denormals for 0.
        small = lambda v: torch.where(v.abs() < torch.finfo(v.dtype).tiny, torch.zeros_like(v), v)  # noqa: E731
        flushed = lambda v: small(v) if isinstance(v, torch.Tensor) and v.dtype.is_floating_point else v  # noqa: E731
        assert_close(
            result, reference, *[flushed(a) for a in args], **rounding, **{k: flushed(v) for k, v in named.items()}
        )
    for k, before in bands.items():
        if k not in changes and not _same_bits(arguments[k].detach(), kept[k]):
            raise AssertionError(f"the function changes {k}; name it in changes=… if it may")
        if not _same_bits(_around(arguments[k], _bands(arguments[k])), _around(arguments[k], before)):
            raise AssertionError(f"the function writes memory around {k}, which is not part of it")
    if gradients:
        gradients_close(
            function, lambda **every: reference(*_for_reference(reference, every)[0], **_for_reference(reference, every)[1]),
            accumulator=accumulator, operands=operands, atol=atol, wrt=wrt, **{**arguments, **kept},
        )  # fmt: skip


def _check_width(results, reference, args, named):
    """A result of fewer bits than the reference has for these inputs is none of its roundings."""
    widest = max((v.element_size() for v in (*args, *named.values()) if isinstance(v, torch.Tensor)), default=0)
    narrow = [r for r in _flat(results) if isinstance(r, torch.Tensor) and r.dtype.is_floating_point]
    if all(r.element_size() >= widest for r in narrow):
        return
    plain = lambda v: v.detach().cpu() if isinstance(v, torch.Tensor) else v  # noqa: E731
    try:
        with torch.no_grad():
            expected = _flat(reference(*[plain(a) for a in args], **{k: plain(v) for k, v in named.items()}))
    except Exception:
        # The CPU may lack an operation for these dtypes: the values are compared all the same.
        return
    for r, e in zip(_flat(results), expected):
        if isinstance(r, torch.Tensor) and r.dtype.is_floating_point and r.element_size() < e.element_size():
            raise AssertionError(f"the result is {_name(r.dtype)}, where the reference gives {_name(e.dtype)}")


def _bands(t):
    """A copy of all memory of the storage that a tensor lies in."""
    if t.numel() == 0:
        return t.detach().clone()
    count = t.untyped_storage().nbytes() // t.element_size()
    return torch.as_strided(t.detach(), (count,), (1,), 0).clone()


def _around(t, memory):
    """A copy of that memory with 0 in the place of the tensor's own elements."""
    if t.numel():
        every = torch.arange(memory.numel(), device=memory.device)
        memory = memory.clone()
        memory[torch.as_strided(every, t.shape, t.stride(), t.storage_offset()).reshape(-1)] = 0
    return memory


def _same_bits(a, b):
    a, b = a.cpu(), b.cpu()
    if a.dtype.is_floating_point:
        return bool(((a == b) | (torch.isnan(a) & torch.isnan(b))).all())
    return bool((a == b).all())


@contextlib.contextmanager
def _poisoned():
    """Meanwhile `torch.empty` and its like give NaN, or the largest integer, in place of what happens to lie in
    memory, and a band of it follows each new tensor: what a kernel leaves out, or writes too much, shows."""
    names = ("empty", "empty_like", "zeros", "zeros_like")
    saved = {name: getattr(torch, name) for name in names}
    made = []

    def guarding(name):
        def make(*args, **kwargs):
            out = saved[name](*args, **kwargs)
            if out.requires_grad or not out.is_contiguous() or out.numel() == 0 or out.dtype.is_complex:
                return out
            whole = saved["empty"](out.numel() + _BAND, dtype=out.dtype, device=out.device)
            whole.fill_(_poison(out.dtype))
            view = whole[: out.numel()].view(out.shape)
            if name.startswith("zeros"):
                view.zero_()
            made.append((whole, whole.clone(), out.numel()))
            return view

        return make

    for name in names:
        setattr(torch, name, guarding(name))
    try:
        yield
    finally:
        for name, function in saved.items():
            setattr(torch, name, function)
    for whole, before, count in made:
        if not _same_bits(whole[count:], before[count:]):
            raise AssertionError(
                "the function writes past the end of a tensor that it made: is a mask missing from a store?"
            )


def _frames(error, function):
    file = getattr(getattr(function, "__code__", None), "co_filename", None)
    return [f for f in traceback.extract_tb(error.__traceback__) if f.filename == file]


def _refused(error, function):
    """Whether the function's own file raises it."""
    found = traceback.extract_tb(error.__traceback__)
    mine = _frames(error, function)
    return bool(mine) and found[-1].filename == mine[-1].filename and found[-1].lineno == mine[-1].lineno


def _line(error, function):
    mine = _frames(error, function)
    return mine[-1].lineno if mine else None


# ── what a sweep shows ──────────────────────────────────────────────────────────────────────────


def _case_text(case):
    parts = [f"{n}={v}" for n, v in case["sizes"].items()]
    parts += [f"{n}={v!r}" for n, v in case["options"].items()]
    parts.append(_name(case["dtype"]))
    for key in ("layouts", "values"):
        plain = {"contiguous", "normal"}
        parts += [f"{n} {v}" for n, v in case[key].items() if v not in plain]
    return ", ".join(parts)


def _table(plan, report):
    ran = len(report.cases)
    lines = [f"sweep of {report.name}: {ran} case{'s' if ran != 1 else ''}, seed {report.seed}"]
    rows = {}
    for case, outcome in zip(report.cases, report.outcomes):
        tags = [_name(case["dtype"]), *{*case["layouts"].values()}, *{*case["values"].values()}]
        for tag in dict.fromkeys(tags):
            rows.setdefault(tag, []).append(outcome)
    width = max(map(len, rows), default=0)
    order = [*map(_name, plan.dtypes), *LAYOUTS, *VALUES]
    for tag in sorted(rows, key=order.index):
        counts = [f"{rows[tag].count(o)} {o}" for o in ("passed", "refused", "failed") if o in rows[tag]]
        lines.append(f"  {tag.ljust(width)}  {', '.join(counts)}")
    for message, case in report.refusals.items():
        lines.append(f"  refused: {_case_text(case)}: {message.splitlines()[0]}")
    if report.left:
        lines.append(f"  {report.left} more were not run: the time was over")
    if report.failure is not None:
        lines.append(f"  FAILS at {_case_text(report.failure)}")
        lines.append(f"    {report.message}")
        if report.file and _hippocamp() is None:
            lines.append(f"    the case as a program: {report.file}")
    return "\n".join(lines)


def _hippocamp():
    """What connects Python with the page and the command of Hippocamp; None elsewhere."""
    try:
        import _hippocamp_bridge
    except ImportError:
        return None
    return _hippocamp_bridge


def _emit(plan, report, total, frame):
    """In Hippocamp the page shows the sweep, too."""
    bridge = _hippocamp()
    if bridge is None:
        return
    count = report.count
    failure = report.failure and {
        "case": _case_text(report.failure),
        "message": report.message,
        "line": report.failed_line,
        "file": report.program and f"failing_{report.name}.py",
        "program": report.program,
    }
    file = frame.f_code.co_filename.removeprefix("/program/")
    bridge.emit(
        {
            "type": "sweep", "name": report.name, "site": {"file": file, "line": report.line}, "seed": report.seed,
            "total": total, "passed": count("passed"), "refused": count("refused"), "failed": count("failed"),
            "left": report.left, "failure": failure,
        }
    )  # fmt: skip


# ── a case as a program ─────────────────────────────────────────────────────────────────────────

#: Elements that a program lists one by one.
_LISTED = 16


def _program_of(plan, report, frame):
    """The text of a program that runs the failing case: the parts of the file that it needs, and the call.
    None where the file's text is not there."""
    try:
        text = "".join(linecache.getlines(frame.f_code.co_filename)) or inspect.getsource(sys.modules["__main__"])
        tree = ast.parse(text)
        call = next(
            n for n in ast.walk(tree)
            if isinstance(n, ast.Call) and n.lineno <= frame.f_lineno <= n.end_lineno
            and getattr(n.func, "attr", getattr(n.func, "id", None)) == "sweep"
        )  # fmt: skip
    except (OSError, KeyError, SyntaxError, StopIteration):
        return None
    given = {k.arg: k.value for k in call.keywords if k.arg}
    for name, node in zip(("function", "reference"), call.args):
        given[name] = node
    source = lambda node: _segment(text, node)  # noqa: E731
    shared = [k for k in ("accumulator", "operands", "atol", "gradients", "changes") if k in given]
    parts = [given[k] for k in ("function", "reference", *shared) if k in given]
    parts += [given[k] for k in plan.arguments if k not in plan.tensors and k not in plan.options and k in given]
    needed = {report.name} | {n.id for part in parts for n in ast.walk(part) if isinstance(n, ast.Name)}
    case = report.failure
    lines = [f'"""{report.name} at {_case_text(case)}:', report.message, "", "Found by a sweep and made smaller."]
    lines += ['"""', "", *_parts_needed(tree, text, needed)]
    lines += ["", "from hippocamp_testing import check, laid_out, sample", ""]
    arguments = []
    for k, v in plan.arguments.items():
        if k in plan.tensors:
            lines.append(f"{k} = {_tensor_text(plan.sample_of(k, case))}")
            arguments.append(f"{k}={k}")
        elif k in plan.options:
            arguments.append(f"{k}={case['options'][k]!r}")
        else:
            arguments.append(f"{k}={source(given[k]) if k in given else repr(v)}")
    terms = plan.terms_of(case)
    arguments += [f"terms={terms}"] if terms is not None else []
    arguments += [f"{k}={source(given[k])}" for k in shared]
    function = source(given["function"])
    if isinstance(given["function"], ast.Name) and not any(function in _names_given(n) for n in tree.body if isinstance(n, _SIMPLE)):
        function = report.name
    lines += [f"check({function}, {source(given['reference'])}, {', '.join(arguments)})"]
    return "\n".join(lines) + "\n"


def _segment(text, node):
    """The text of an expression; `ast.get_source_segment` would leave a pattern behind in its module."""
    lines = [line.encode() for line in text.splitlines(keepends=True)[node.lineno - 1 : node.end_lineno]]
    lines[-1] = lines[-1][: node.end_col_offset]
    lines[0] = lines[0][node.col_offset :]
    return b"".join(lines).decode()


_SIMPLE = (ast.FunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign, ast.Import, ast.ImportFrom)


def _parts_needed(tree, text, needed):
    """The statements of a module that give the names needed, and those which they need, in their order."""
    found, wanted = set(), set(needed)
    while True:
        before = len(found)
        for i, node in enumerate(tree.body):
            if i in found or not isinstance(node, _SIMPLE) or not _names_given(node) & wanted:
                continue
            found.add(i)
            wanted |= {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
        if len(found) == before:
            break
    lines = []
    for i in sorted(found):
        node = tree.body[i]
        first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
        piece = textwrap.dedent("\n".join(text.splitlines()[first - 1 : node.end_lineno]))
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            lines += ["", "", piece]
        else:
            lines.append(piece)
    return [*lines, ""]


def _names_given(node):
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return {node.name}
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return {(a.asname or a.name).split(".")[0] for a in node.names}
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return {n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)}


def _tensor_text(arguments):
    shape, dtype, layout = arguments["shape"], arguments["dtype"], arguments["layout"]
    if math.prod(shape) <= _LISTED and 0 not in shape:
        values = _values(shape, dtype, arguments["values"], arguments["seed"], arguments["low"], arguments["high"])
        listed = repr(values.tolist()).replace("nan", "float('nan')").replace("inf", "float('inf')")
        return f"laid_out(torch.tensor({listed}, dtype={dtype}), {layout!r})"
    more = f", layout={layout!r}, values={arguments['values']!r}, seed={arguments['seed']}"
    if not dtype.is_floating_point:
        more += f", low={arguments['low']}, high={arguments['high']}"
    return f"sample({shape}, {dtype}{more})"


def _saved(report):
    """Writes the program beside the run. A file of that name that no sweep wrote stays."""
    if report.program is None:
        return None
    path = f"failing_{report.name}.py"
    try:
        with open(path) as file:
            if "Found by a sweep" not in file.read(4000):
                return None
    except OSError:
        pass
    try:
        with open(path, "w") as file:
            file.write(report.program)
    except OSError:
        return None
    return path
