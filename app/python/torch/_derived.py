"""What rounding explains of a comparison, beside the tolerance that its author wrote.

One side is computed again in float64, from the operations that made it (`_history`); the other is what a kernel
stored. Each of its elements may be off by what the tolerances of `hippocamp_testing` allow for its dtype, for sums in
float32 and for as many roundings in a row as the reference has. So a sum in another order passes, and one in float16
does not. Where neither side can be computed again, that is the answer.
"""

import math
import os

from . import _core as core
from . import _history as history
from ._core import bridge

#: Multiplications and elements that a comparison, and all of a run, may take.
MOST = 3e8
MOST_OF_RUN = 1e9
_rules = None
_spent = 0.0


def reset():
    """Between programs."""
    global _spent
    _spent = 0.0


def rules():
    """`hippocamp_testing` as it is shipped: a program may have a file of that name."""
    global _rules
    if _rules is None:
        import importlib.util

        path = os.path.join(os.path.dirname(os.path.dirname(__file__)), "hippocamp_testing.py")
        spec = importlib.util.spec_from_file_location("_hippocamp_tolerances", path)
        _rules = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(_rules)
    return _rules


def derived(actual, expected):
    """The verdict on two tensors of one shape, for the event of their comparison: None where neither is a kernel's,
    where they have no floats, and in the ring."""
    floats = (core.float64, core.float32, core.float16, core.bfloat16)
    if not history.enabled or bridge.profile is not None or not actual.numel():
        return None
    if actual.dtype not in floats or expected.dtype not in floats:
        return None
    try:
        sides = [history.order(history.of(t._storage)) for t in (actual, expected)]
    except history.Unknown as reason:
        return _unknown(str(reason))
    by_kernel = [states[-1].kernel for states in sides]
    if by_kernel == [False, False]:
        return None
    if by_kernel == [True, True]:
        return _unknown("both sides are made of what kernels stored")
    at = by_kernel.index(True)
    result, reference = (actual, expected)[at].detach(), (actual, expected)[1 - at].detach()
    history.enabled = False
    try:
        chained = any(state.chained for state in sides[at])
        return _judged(result, reference, sides[1 - at], history.stored_dtype(result), chained)
    except history.Unknown as reason:
        return _unknown(str(reason))
    except (RuntimeError, NotImplementedError, TypeError, IndexError, KeyError):
        # An operation that float64 does not have.
        return _unknown("one of its operations cannot be computed in float64")
    finally:
        history.enabled = True


def _unknown(reason):
    return _verdict("unknown", f"There is no float64 reference: {reason}.")


def _verdict(verdict, reason, ulp=None, allowed=None, index=None, times=None, narrow=False):
    """`ulp`, `allowed`: the worst element's error and what rounding explains there, in ULP; `times`: their quotient.
    `narrow`: there are sums, and sums in float16 explain every error."""
    number = lambda x: x if x is not None and math.isfinite(x) else None  # noqa: E731
    return {
        "verdict": verdict, "reason": reason, "ulp": number(ulp), "allowed": number(allowed), "index": index,
        "times": number(times), "narrow": narrow,
    }  # fmt: skip


def _judged(result, reference, states, dtype, chained):
    global _spent
    result = result.cpu().to(dtype)
    terms = history.terms(states)
    once = history.work(states) + 16 * result.numel()
    if once > MOST or _spent + once > MOST_OF_RUN:
        raise history.Unknown("it is too large to be computed again in each run")
    _spent += once
    again = history.Again(reference, states)
    rule = rules()
    draws = rule.draws(terms)
    target = again.compute(*again.leaves)
    steps = rule.errors_in_ulp(result, target)
    if bool((steps <= 1).all()):
        worst = float(steps.max())
        return _verdict("rounding", f"Every error is within one rounding of {dtype.name}.", worst, 1.0, times=worst)
    if all(history.is_data(state) for state in states[-1:]):
        raise history.Unknown("the expected numbers are data, and how they were computed is not known")
    if once * (1 + draws) > MOST or _spent + once * draws > MOST_OF_RUN:
        raise history.Unknown("it is too large to be computed again in each run")
    _spent += once * draws
    sensitivity = rule.sensitivity(again.moved, again.leaves, {}, [target], draws)[0]
    return _compared(rule, result, reference, target, sensitivity, terms, states, chained)


def _compared(rule, result, reference, target, sensitivity, terms, states, chained):
    """`chained`: whether the kernel of the result read what another one had stored."""
    dtype, operands = result.dtype, history.rounded_operands(states)
    sums = core.float64 if dtype is core.float64 else core.float32
    # Numbers as large as the largest result may cancel: 1 + erf(x) at -4 is off by a rounding of 1.
    floor = 4 * rule.unit(sums) * rule.largest(target)
    found = rule.judged(result, target, sensitivity, terms, sums, operands, floor)
    at = found.worst
    index = core.Size(unravel(at, result._shape))
    figures = {"ulp": found.steps(at), "allowed": found.allowed_steps(at), "index": list(index), "times": found.times(at)}
    of = f"{terms} {sums.name} roundings in a row" if terms > 1 else f"one {sums.name} rounding"
    explain = "explain" if terms > 1 else "explains"
    if not found.count:
        size = f"{_figure(figures['ulp'])} of {_figure(figures['allowed'])} ULP that {of} may make"
        return _verdict("rounding", f"Rounding explains every error: the worst has {size}.", **figures)
    own = rule.judged(reference.cpu().to(dtype), target, sensitivity, terms, sums, operands, floor)
    if not bool((found.wrong & ~own.wrong).any()):
        return _unknown("the program's own reference is as far from its value in float64 as the kernel")
    where = f"at [{', '.join(map(str, index))}]" if result._shape else "here"
    times = figures["times"]
    if not math.isfinite(times):
        size = f"{where} it is not finite, or the reference is not"
    elif figures["ulp"] > 1e5:
        size = f"{found.off(at):.3g} {where}, {_figure(times)} times what {of} {explain}"
    else:
        size = f"{_figure(figures['ulp'])} ULP {where}, where {of} {explain} {_figure(figures['allowed'])}"
    far = "far above" if times > 2 else "above"
    note, narrow = "", history.sums(states) and found.in_float16
    if narrow:
        note = "; sums in float16 have such errors"
    if chained:
        # Values in memory between two kernels may be rounded to halves: no sum has to be.
        half = dtype if dtype.itemsize == 2 else core.bfloat16
        if not rule.judged(result, target, sensitivity, terms, sums, half, floor).count:
            note, narrow = f"; values of {half.name} between kernels have such errors", False
    return _verdict("above", f"The error is {far} rounding: {size}{note}.", **figures, narrow=narrow)


def _figure(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def unravel(flat, shape):
    """The indices of an element by its position in row-major order."""
    index = []
    for size in reversed(shape):
        index.append(flat % size)
        flat //= size
    return index[::-1]
