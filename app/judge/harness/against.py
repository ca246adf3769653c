"""The checks of a problem that has a `reference.py`: each of its cases, computed by the reference in float64 and
compared with what the program's kernels compute.

A reference has FUNCTION, the name of the program's function; a function of that name, written with torch; `cases()`,
which yields (title, arguments) or (title, arguments, options of `close`); and, where times are to be measured,
`timing()`, which returns arguments.
"""

import sys

import torch
from judge import Failed, check, close, equal, fail, guarded, program, timed

reference = sys.modules["reference"]
name = reference.FUNCTION
function = getattr(reference, name)


def widened(value):
    if isinstance(value, torch.Tensor):
        value = value.clone()
        return value.to(torch.float64) if value.dtype.is_floating_point else value
    if isinstance(value, (list, tuple)):
        return type(value)(widened(each) for each in value)
    return value


def results(value):
    return list(value) if isinstance(value, (list, tuple)) else [value]


def protected(value):
    if isinstance(value, torch.Tensor) and value.is_contiguous() and value.storage_offset() == 0:
        return guarded(value)
    return value


def compare(args, options):
    if not program.has(name):
        raise Failed(f"there is no function {name}")
    args = tuple(protected(each) for each in args)
    given = [each.clone() if isinstance(each, torch.Tensor) else each for each in args]
    plain = results(function(*given))
    expected = results(function(*[widened(each) for each in args]))
    actual = results(getattr(program, name)(*args))
    if len(actual) != len(expected):
        fail(f"{name} gives {len(actual)} results, not {len(expected)}")
    for number, (a, e, p) in enumerate(zip(actual, expected, plain)):
        what = name if len(actual) == 1 else f"{name}, result {number}"
        if not isinstance(e, torch.Tensor):
            if a != e:
                fail(f"{what}: {a!r} instead of {e!r}")
            continue
        if p.dtype.is_floating_point:
            close(a, e, what, wanted=p.dtype, **options)
        else:
            equal(a, p, what, wanted=p.dtype)


def register(number, title):
    # A case is made anew under the check's own seed.
    @check(title)
    def run():
        _, args, *rest = list(reference.cases())[number]
        compare(args, rest[0] if rest else {})


for number, (title, *_) in enumerate(reference.cases()):
    register(number, title)

if hasattr(reference, "timing"):

    @timed("time")
    def measured():
        return (getattr(program, name), *reference.timing())
