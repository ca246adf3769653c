"""The checks of a problem that has a `reference.py`: each of its cases, computed by the reference in float64 and
compared with what the program's kernels compute: its results, and arguments that the reference changes.

A reference has FUNCTION, the name of the program's function; a function of that name, written with torch; `cases()`,
which yields (title, arguments) or (title, arguments, options of `close`); and, where times are to be measured,
`timing()`, which returns arguments.
"""

import sys

import torch
from judge import Failed, _same, check, close, equal, fail, guarded, in_place, may_change, program, timed

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


def tensors_in(value):
    if isinstance(value, torch.Tensor):
        return [value]
    return [one for each in value for one in tensors_in(each)] if isinstance(value, (list, tuple)) else []


def copied(value):
    if isinstance(value, torch.Tensor):
        return value.clone()
    return type(value)(copied(each) for each in value) if isinstance(value, (list, tuple)) else value


def compare(args, options):
    if not program.has(name):
        raise Failed(f"there is no function {name}")
    args = tuple(protected(each) for each in args)
    before, given, wide = copied(args), copied(args), widened(args)
    plain = results(function(*given))
    expected = results(function(*wide))
    pairs = enumerate(zip(tensors_in(before), tensors_in(given), tensors_in(args)))
    changed = [i for i, (a, b, arg) in pairs if may_change(arg) and not _same(a, b)]
    if not changed and all(each is None for each in plain):
        raise ValueError(
            f"nothing to compare: the reference's {name} returns nothing, and changes no argument that is "
            "guarded(tensor, changes=True)"
        )
    actual = results(getattr(program, name)(*args))
    if len(actual) != len(expected):
        fail(f"{name} gives {len(actual)} results, not {len(expected)}")
    for number, (a, e, p) in enumerate(zip(actual, expected, plain)):
        what = name if len(actual) == 1 else f"{name}, result {number}"
        compare_one(a, e, p, what, options)
    for i in changed:
        a, e, p = (tensors_in(each)[i] for each in (args, wide, given))
        compare_one(in_place(a), e, p, f"{name}, tensor {i} of its arguments", options)


def compare_one(a, e, p, what, options):
    if not isinstance(e, torch.Tensor):
        if a != e:
            fail(f"{what}: {a!r} instead of {e!r}")
    elif p.dtype.is_floating_point:
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
