"""`numpy.testing`: the assertions, with NumPy's rules for NaN and shapes. Comparisons of arrays are
also events, as torch's are, so that the compare panel shows them.
"""

import contextlib

from torch import testing as torch_testing

from ._array import _converted, asarray, ndarray, wrap
from ._dtypes import FLOAT64, common_dtype, generic
from ._ufuncs import broadcast_shapes, expanded


def _fail(header, err_msg, lines, actual, desired):
    text = "\n".join(["", header + (f"\n{err_msg}" if err_msg else ""), *lines])
    raise AssertionError(f"{text}\n ACTUAL: {actual!s}\n DESIRED: {desired!s}")


def _compare(kind, actual, desired, rtol, atol, equal_nan, err_msg, header):
    a, d = asarray(actual), asarray(desired)
    if a.shape != d.shape and a.shape and d.shape:
        torch_testing.not_compared(kind, a._t, rtol, atol, f"shapes {a.shape} and {d.shape} differ")
        _fail(header, err_msg, [f"(shapes {a.shape}, {d.shape} mismatch)"], a, d)
    shape = broadcast_shapes(a.shape, d.shape)
    common = common_dtype(a, d)
    # Differences of booleans and of the narrow floats are taken in f64; 64-bit integers stay exact.
    exact = common.kind in "iu" and common.itemsize == 8
    compute = common if exact else FLOAT64
    left, right = (
        wrap(expanded(_converted(x._t, compute.torch, copy=False), shape)) for x in (a, d)
    )
    found = torch_testing.compare(kind, left._t, right._t, rtol, atol, equal_nan)
    if not found["mismatches"]:
        return
    total = left.size
    share = 100 * found["mismatches"] / total
    lines = [f"Mismatched elements: {found['mismatches']} / {total} ({share:.3g}%)"]
    first = torch_testing._derived.unravel(found["first"], shape)
    lines.append(f"First at index {first}: {found['firstActual']} (ACTUAL), {found['firstExpected']} (DESIRED)")
    if found["nanMismatches"]:
        lines.append(f"nan location mismatch: {found['nanMismatches']} elements")
    lines.append(f"Max absolute difference among violations: {found['worstAbsolute']}")
    lines.append(f"Max relative difference among violations: {found['worstRelative']}")
    _fail(header, err_msg, lines, a, d)


def assert_allclose(actual, desired, rtol=1e-07, atol=0, equal_nan=True, err_msg="", verbose=True, *, strict=False):
    _strict(actual, desired, strict)
    header = f"Not equal to tolerance rtol={rtol:g}, atol={atol:g}"
    _compare("assert_close", actual, desired, rtol, atol, equal_nan, err_msg, header)


def assert_array_equal(actual, desired, err_msg="", verbose=True, *, strict=False):
    _strict(actual, desired, strict)
    _compare("assert_close", actual, desired, 0.0, 0.0, True, err_msg, "Arrays are not equal")


def _strict(actual, desired, strict):
    a, d = asarray(actual), asarray(desired)
    if strict and (a.shape != d.shape or a.dtype is not d.dtype):
        _fail("Arrays are not equal", "", [f"(shapes {a.shape}, {d.shape} or dtypes {a.dtype}, {d.dtype} mismatch)"], a, d)


def assert_equal(actual, desired, err_msg="", verbose=True, *, strict=False):
    if isinstance(desired, dict):
        if not isinstance(actual, dict):
            raise AssertionError(repr(type(actual)))
        assert_equal(len(actual), len(desired), err_msg)
        for key, value in desired.items():
            if key not in actual:
                raise AssertionError(repr(key))
            assert_equal(actual[key], value, f"key={key!r}\n{err_msg}")
        return
    if isinstance(desired, (list, tuple)) and isinstance(actual, (list, tuple)):
        assert_equal(len(actual), len(desired), err_msg)
        for i, (a, d) in enumerate(zip(actual, desired)):
            assert_equal(a, d, f"item={i!r}\n{err_msg}")
        return
    if isinstance(actual, (ndarray, generic)) or isinstance(desired, (ndarray, generic)):
        assert_array_equal(actual, desired, err_msg)
        return
    if actual != desired and not (actual != actual and desired != desired):
        _fail("Items are not equal:", err_msg, [], actual, desired)


def assert_almost_equal(actual, desired, decimal=7, err_msg="", verbose=True):
    limit = 1.5 * 10.0 ** (-decimal)
    _compare(
        "assert_close", actual, desired, 0.0, limit, True, err_msg,
        f"Arrays are not almost equal to {decimal} decimals",
    )  # fmt: skip


assert_array_almost_equal = assert_almost_equal


def assert_array_less(x, y, err_msg="", verbose=True, *, strict=False):
    if not bool((asarray(x) < asarray(y)).all()):
        _fail("Arrays are not strictly ordered `x < y`", err_msg, [], asarray(x), asarray(y))


def assert_(val, msg=""):
    if not val:
        raise AssertionError(msg() if callable(msg) else msg)


@contextlib.contextmanager
def _raises(expected, pattern=None):
    import re

    try:
        yield
    except expected as error:
        if pattern is not None and not re.search(pattern, str(error)):
            raise AssertionError(f"{pattern!r} does not match {str(error)!r}") from error
        return
    raise AssertionError(f"{expected.__name__} not raised")


def assert_raises(exception_class, callable=None, *args, **kwargs):
    context = _raises(exception_class)
    if callable is None:
        return context
    with context:
        callable(*args, **kwargs)


def assert_raises_regex(exception_class, expected_regexp, callable=None, *args, **kwargs):
    context = _raises(exception_class, expected_regexp)
    if callable is None:
        return context
    with context:
        callable(*args, **kwargs)


def __getattr__(name):
    from . import _missing

    raise _missing("numpy.testing", name, globals())
