"""`torch.testing`, and the comparisons that fill the compare panel: every `allclose`, `equal` and
`assert_close` is also a `comparison` event.
"""

import json
import sys

from . import _core as core, _derived
from ._core import bridge, numel, run
from ._tensor import Tensor

#: PyTorch's default (rtol, atol) by dtype.
TOLERANCES = {
    "float16": (1e-3, 1e-5),
    "bfloat16": (1.6e-2, 1e-5),
    "float32": (1.3e-6, 1e-5),
    "float64": (1e-7, 1e-7),
    "complex64": (1.3e-6, 1e-5),
    "complex128": (1e-7, 1e-7),
}

_events = 0


def _picture(shape):
    """Rows and columns that a tensor is drawn with: its last dimension across."""
    columns = shape[-1] if shape else 1
    return (numel(shape) // columns if columns else 0), columns


def _site():
    frame = _frame()
    if frame is None:
        return {"file": "", "line": 0}
    return {"file": frame.f_code.co_filename.removeprefix("/program/"), "line": frame.f_lineno}


def _frame():
    """The program's innermost frame."""
    import sys

    frame = sys._getframe(1)
    while frame is not None and not frame.f_code.co_filename.startswith("/program/"):
        frame = frame.f_back
    return frame


def _place(frame):
    """(first line, last line, first column, end column) of the call that a frame is in."""
    from itertools import islice

    return next(islice(frame.f_code.co_positions(), frame.f_lasti // 2, None))


def _denied():
    """Whether the program asserts that the tensors differ: `assert not torch.equal(a, b)`, or a
    comparison of that with False. That they do is then no comparison that failed."""
    import ast
    import linecache

    frame = _frame()
    if frame is None:
        return False
    try:
        line, end_line, start, stop = _place(frame)
        # An assertion may begin some lines above its call.
        for first in range(line, max(0, line - 8), -1):
            lines = linecache.getlines(frame.f_code.co_filename)[first - 1 : end_line + 8]
            if lines and lines[0].lstrip().startswith("assert"):
                break
        else:
            return False
        indent = len(lines[0]) - len(lines[0].lstrip())
        node = None
        for end in range(end_line - first + 1, len(lines) + 1):
            try:
                text = "".join([lines[0].lstrip(), *lines[1:end]])
                node = ast.parse(text).body[0]
                break
            except SyntaxError:
                continue
        if not isinstance(node, ast.Assert):
            return False
        column = len(lines[line - first].encode()[:start].decode()) - (indent if line == first else 0)
        where = (line - first + 1, column)
        return _sense(node.test, where) is False
    except Exception:
        return False


def _sense(node, where):
    """True where the expression is as true as the call at `where` that it is made of, False where it
    is its opposite, None where neither is known."""
    import ast

    if isinstance(node, ast.Call):
        return True if (node.lineno, node.col_offset) == where else None
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        inner = _sense(node.operand, where)
        return None if inner is None else not inner
    if isinstance(node, ast.BoolOp):
        return next((s for s in (_sense(v, where) for v in node.values) if s is not None), None)
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        other, inner = node.comparators[0], _sense(node.left, where)
        if inner is None or not isinstance(other, ast.Constant) or type(other.value) is not bool:
            return None
        same = isinstance(node.ops[0], (ast.Eq, ast.Is))
        return inner if same == other.value else not inner
    return None


def _call():
    """The comparison as the program has it: the function and its first two arguments. None where the
    text is not found."""
    import ast
    import linecache

    frame = _frame()
    if frame is None:
        return None
    try:
        line, end_line, start, stop = _place(frame)
        lines = [linecache.getline(frame.f_code.co_filename, i) for i in range(line, end_line + 1)]
        text = "".join(lines).encode()
        tail = len(lines[-1].encode()) - stop
        node = ast.parse(text[start : len(text) - tail].decode().strip(), mode="eval").body
        # An assertion's text begins before its call.
        node = next(n for n in ast.walk(node) if isinstance(n, ast.Call))
        named = {k.arg: k.value for k in node.keywords}
        names = (("actual", "input"), ("expected", "other", "desired"))
        sides = [
            node.args[i] if len(node.args) > i else next(named[n] for n in names[i] if n in named)
            for i in range(2)
        ]
        actual, expected = (ast.unparse(side) for side in sides)
        return {"function": ast.unparse(node.func), "actual": actual, "expected": expected}
    except Exception:
        return None


def compare(kind, actual, expected, rtol, atol, equal_nan, call=None):
    """Compares two tensors of one shape and sends the event. @returns what app/numerics found.

    call: the comparison as the program has it, where no call of the program's makes it."""
    global _events
    _check_tolerances(rtol, atol)
    dtype = core.promote_types(actual.dtype, expected.dtype) if actual.dtype is not expected.dtype else actual.dtype
    rows, columns = _picture(actual._shape)
    pair = (actual.detach(), expected.detach())
    if dtype.is_complex:
        from ._complex import magnitudes

        pair = magnitudes(*pair)
    found = json.loads(
        run(
            "compare",
            (),
            pair,
            f="equal_nan" if equal_nan else "",
            c=dtype.to_real().name,
            n=(rows, columns),
            x=(float(rtol), float(atol)),
        )
    )
    if found["mismatches"] and kind != "assert_close" and _denied():
        return found
    first = message = None
    if found["first"] >= 0 and dtype.is_complex:
        at = [t.detach().reshape(-1)[found["first"]].item() for t in (actual, expected)]
        where = tuple(_derived.unravel(found["first"], actual._shape))
        message = f"The first mismatch is at {where}: {at[0]}, expected {at[1]}."
    elif found["first"] >= 0:
        first = {
            "index": _derived.unravel(found["first"], actual._shape),
            "actual": found["firstActual"],
            "expected": found["firstExpected"],
        }
    verdict = None if "ring" in found or call else _derived.derived(actual, expected)
    _events += 1
    budget = "failed" if found["mismatches"] else "passed"
    bridge.emit(
        {
            "type": "comparison",
            "id": _events,
            "kind": kind,
            "passed": found["mismatches"] == 0,
            "site": _site(),
            "shape": list(actual._shape),
            "dtype": dtype.name,
            "rtol": _in_json(rtol),
            "atol": _in_json(atol),
            "count": actual.numel(),
            "mismatches": found["mismatches"],
            "maxAbsolute": found["maxAbsolute"],
            "maxRelative": found["maxRelative"],
            "nanMismatches": found["nanMismatches"],
            "toleranceUsed": found["toleranceUsed"],
            "roundingShare": found["roundingShare"],
            "first": first,
            "heatmap": found["heatmap"],
            "message": message,
            "equalNan": bool(equal_nan),
            "call": call or _call(),
            "caveat": _caveat(actual, expected),
            "derived": verdict,
            "actual": bridge.tensor_place(pair[0], budget),
            "expected": bridge.tensor_place(pair[1], budget),
            **({"ring": found["ring"]} if "ring" in found else {}),
        }
    )
    # In the ring the program goes on, whatever was found.
    return {**found, "mismatches": 0} if "ring" in found else found


def _check_tolerances(rtol, atol):
    for name, value in (("rtol", rtol), ("atol", atol)):
        if not value >= 0:
            raise RuntimeError(f"{name} must be greater than or equal to zero, but got {value:g}")


def _in_json(tolerance):
    """A tolerance without limit is the largest number: JSON has no infinity."""
    return min(tolerance, sys.float_info.max)


def _caveat(*sides):
    """What a comparison that holds does not say."""
    if any(t._storage in core.marked for t in sides):
        return "one side comes from a product of our own on the same GPU: not an independent reference"
    return None


def not_compared(kind, actual, rtol, atol, message):
    """The event of a comparison that failed before any element was looked at."""
    global _events
    _events += 1
    bridge.emit(
        {
            "type": "comparison",
            "id": _events,
            "kind": kind,
            "passed": False,
            "site": _site(),
            "shape": list(actual._shape) if isinstance(actual, Tensor) else [],
            "dtype": actual.dtype.name if isinstance(actual, Tensor) else "",
            "rtol": _in_json(rtol),
            "atol": _in_json(atol),
            "count": 0,
            "mismatches": 0,
            "maxAbsolute": None,
            "maxRelative": None,
            "nanMismatches": 0,
            "toleranceUsed": None,
            "roundingShare": None,
            "first": None,
            "heatmap": None,
            "message": message,
            "equalNan": False,
            "call": _call(),
            "caveat": None,
            "actual": None,
            "expected": None,
        }
    )


def allclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    from . import _ops as ops
    from ._views import broadcast_tensors

    if input.dtype is not other.dtype:
        raise RuntimeError(f"{_scalar(input)} did not match {_scalar(other)}")
    ops.device_of(input, other)
    if input._shape != other._shape:
        input, other = broadcast_tensors(input, other)
    found = compare("allclose", input, other, rtol, atol, equal_nan)
    return found["mismatches"] == 0


def _scalar(t):
    return t.dtype.short


def equal(input, other):
    """Asked of shapes that differ, or of scalars, it decides what a program does next (is this gradient
    1?): nothing to show as a comparison that failed."""
    from . import _ops as ops

    ops.device_of(input, other)
    if input._shape != other._shape:
        return False
    if input.numel() <= 1:
        return bool((input == other).all())
    return compare("equal", input, other, 0, 0, False)["mismatches"] == 0


def isclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    from . import _ops as ops

    if input.dtype is not other.dtype:
        raise RuntimeError(f"{_scalar(input)} did not match {_scalar(other)}")
    _check_tolerances(rtol, atol)
    close = ops.eq(input, other)
    if not input.dtype.is_floating_point and rtol == 0 and atol == 0:
        return close
    if equal_nan and input.dtype.is_floating_point:
        close = ops.logical_or(close, ops.logical_and(ops.isnan(input), ops.isnan(other)))
    if input.dtype.is_complex and equal_nan:
        close = ops.logical_or(close, ops.logical_and(ops.isnan(input), ops.isnan(other)))
    floating = input.dtype.is_floating_point or input.dtype.is_complex
    wide = lambda t: t if floating else t.to(core.float64)  # noqa: E731
    a, b = wide(input.detach()), wide(other.detach())
    allowed = ops.add(ops.abs(ops.mul(b, rtol)), atol)
    difference = ops.abs(ops.sub(a, b))
    near = ops.logical_and(ops.isfinite(difference), ops.le(difference, allowed))
    return ops.logical_or(close, near)


def _default_tolerances(*dtypes):
    pairs = [TOLERANCES.get(d.name, (0.0, 0.0)) for d in dtypes]
    return max(p[0] for p in pairs), max(p[1] for p in pairs)


def assert_close(
    actual,
    expected,
    *,
    allow_subclasses=True,
    rtol=None,
    atol=None,
    equal_nan=False,
    check_device=True,
    check_dtype=True,
    check_layout=True,
    check_stride=False,
    msg=None,
):
    """Raises AssertionError where the two are not close."""
    if (rtol is None) != (atol is None):
        missing = "atol" if atol is None else "rtol"
        raise ValueError(
            f"rtol and atol must both be specified or both be unspecified, but got no {missing}."
        )
    if isinstance(actual, (list, tuple)) and isinstance(expected, (list, tuple)):
        if len(actual) != len(expected):
            raise AssertionError(
                f"The length of the sequences mismatch: {len(actual)} != {len(expected)}"
            )
        for i, (a, e) in enumerate(zip(actual, expected)):
            try:
                assert_close(
                    a, e, rtol=rtol, atol=atol, equal_nan=equal_nan, check_device=check_device,
                    check_dtype=check_dtype, check_stride=check_stride, msg=msg,
                )  # fmt: skip
            except AssertionError as error:
                raise AssertionError(f"{error}\n\nThe failure occurred for item [{i}]") from None
        return
    if isinstance(actual, dict) and isinstance(expected, dict):
        if set(actual) != set(expected):
            raise AssertionError("The keys of the mappings do not match:")
        for key in actual:
            assert_close(actual[key], expected[key], rtol=rtol, atol=atol, equal_nan=equal_nan, msg=msg)
        return
    if actual is None or expected is None:
        # Gradients that are not there.
        if actual is not expected:
            raise AssertionError(_worded(msg, f"None mismatch: {actual} is not {expected}"))
        return
    scalars = not isinstance(actual, Tensor) and not isinstance(expected, Tensor)
    if scalars:
        from ._create import tensor

        make = lambda v: tensor(v, dtype=core.float64 if isinstance(v, float) else None)  # noqa: E731
        actual, expected = make(actual), make(expected)
    elif not isinstance(actual, Tensor) or not isinstance(expected, Tensor):
        raise TypeError(
            "No comparison pair was able to handle inputs of type "
            f"{type(actual)} and {type(expected)}."
        )

    def fail(text):
        not_compared("assert_close", actual, rtol or 0, atol or 0, text)
        raise AssertionError(_worded(msg, text))

    if actual._shape != expected._shape:
        fail(f"The values for attribute 'shape' do not match: {actual.shape} != {expected.shape}.")
    if check_device and actual.device != expected.device:
        fail(f"The values for attribute 'device' do not match: {actual.device} != {expected.device}.")
    if check_dtype and actual.dtype is not expected.dtype:
        fail(f"The values for attribute 'dtype' do not match: {actual.dtype} != {expected.dtype}.")
    if check_stride and actual._strides != expected._strides:
        fail(f"The values for attribute 'stride()' do not match: {actual.stride()} != {expected.stride()}.")
    if rtol is None:
        rtol, atol = _default_tolerances(actual.dtype, expected.dtype)
    found = compare("assert_close", actual, expected, rtol, atol, equal_nan)
    if found["mismatches"]:
        raise AssertionError(_worded(msg, _message(found, actual, expected, rtol, atol, scalars)))


def _worded(msg, text):
    if msg is None:
        return text
    return msg(text) if callable(msg) else msg


def _message(found, actual, expected, rtol, atol, scalars):
    exact = rtol == 0 and atol == 0
    name = "Scalars" if scalars else "Tensor-likes"
    head = f"{name} are not {'equal' if exact else 'close'}!\n\n"
    absolute, relative = _number(found["worstAbsolute"]), _number(found["worstRelative"])
    if scalars or not actual._shape:
        if not scalars:
            head = f"Scalars are not {'equal' if exact else 'close'}!\n\n"
        lines = [f"Expected {expected.item()} but got {actual.item()}."]
        lines.append(f"Absolute difference: {absolute}" + ("" if exact else f" (up to {atol} allowed)"))
        lines.append(f"Relative difference: {relative}" + ("" if exact else f" (up to {rtol} allowed)"))
        return head + "\n".join(lines)
    n = actual.numel()
    if not (actual.dtype.is_floating_point or actual.dtype.is_complex):
        absolute = int(absolute) if absolute == absolute else absolute
    where = lambda flat: tuple(_derived.unravel(flat, actual._shape))  # noqa: E731
    lines = [f"Mismatched elements: {found['mismatches']} / {n} ({found['mismatches'] / n:.1%})"]
    for label, value, at, limit in (
        ("absolute", absolute, found["worstAbsoluteAt"], atol),
        ("relative", relative, found["worstRelativeAt"], rtol),
    ):
        allowed = "" if exact else f" (up to {limit} allowed)"
        lines.append(f"Greatest {label} difference: {value} at index {where(at)}{allowed}")
    return head + "\n".join(lines)


def _number(value):
    return float(value) if isinstance(value, str) else float(value)


def compare_close(actual, expected, rtol, atol, err_msg=""):
    """`triton.testing.assert_close`: NumPy's rule and wording."""
    if actual._shape != expected._shape:
        text = f"(shapes {tuple(actual._shape)}, {tuple(expected._shape)} mismatch)"
        not_compared("assert_close", actual, rtol, atol, text)
        raise AssertionError(f"\nNot equal to tolerance rtol={rtol:g}, atol={atol:g}\n{err_msg}\n{text}")
    found = compare("assert_close", actual, expected, rtol, atol, True)
    if not found["mismatches"]:
        return
    if actual.numel() == 1:
        raise AssertionError(
            f"{err_msg} {actual.item()} is not close to {expected.item()} (atol={atol}, rtol={rtol})"
        )
    n = actual.numel()
    m = found["mismatches"]
    raise AssertionError(
        f"\nNot equal to tolerance rtol={rtol:g}, atol={atol:g}\n{err_msg}\n"
        f"Mismatched elements: {m} / {n} ({100 * m / n:.3g}%)\n"
        f"Max absolute difference among violations: {_number(found['worstAbsolute']):.8g}\n"
        f"Max relative difference among violations: {_number(found['worstRelative']):.8g}"
    )


def assert_allclose(actual, expected, rtol=None, atol=None, equal_nan=True, msg=""):
    assert_close(
        actual, expected, rtol=rtol, atol=atol, equal_nan=True, check_device=True,
        check_dtype=False, check_stride=False, msg=msg or None,
    )  # fmt: skip


def make_tensor(*shape, dtype, device, low=None, high=None, requires_grad=False):
    from ._random import rand, randint

    sizes = tuple(shape[0]) if shape and isinstance(shape[0], (tuple, list)) else shape
    if dtype.is_floating_point:
        low, high = -9 if low is None else low, 9 if high is None else high
        out = (rand(sizes, device=device) * (high - low) + low).to(dtype)
        return out.requires_grad_() if requires_grad else out
    if dtype is core.bool_:
        return randint(0, 2, sizes, device=device).to(dtype)
    low = (0 if not dtype.is_signed else -9) if low is None else low
    return randint(low, 10 if high is None else high, sizes, dtype=dtype, device=device)
