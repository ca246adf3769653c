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
for needed, meaning in (
    ("FUNCTION", "the name of the function to check"),
    ("cases", "a function that yields (title, arguments) of each check"),
):
    if not hasattr(reference, needed):
        raise ImportError(f"reference.py has no {needed}, {meaning} (docs/check.md)")
name = reference.FUNCTION
function = getattr(reference, name, None)
if not callable(function):
    raise ImportError(f"reference.py has no function {name}, which its FUNCTION names (docs/check.md)")


def with_tensors(value, tensors):
    """The same arguments with other tensors, in their order."""
    if isinstance(value, torch.Tensor):
        return next(tensors)
    return type(value)(with_tensors(each, tensors) for each in value) if isinstance(value, (list, tuple)) else value


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


class Case:
    """Arguments, and what the reference makes of them."""

    def __init__(self, args):
        if not program.has(name):
            raise Failed(f"there is no function {name}")
        self.args = tuple(protected(each) for each in args)
        self.before, given = copied(self.args), copied(self.args)
        self.plain = results(function(*given))
        self.given = tensors_in(given)
        pairs = enumerate(zip(tensors_in(self.before), self.given, tensors_in(self.args)))
        self.changed = [i for i, (a, b, arg) in pairs if may_change(arg) and not _same(a, b)]
        if not self.changed and all(each is None for each in self.plain):
            raise ValueError(
                f"nothing to compare: the reference's {name} returns nothing, and changes no argument that is "
                "guarded(tensor, changes=True)"
            )

    def compare(self, value, options):
        """`value`: what the program's function gave for the arguments."""
        actual = results(value)
        if len(actual) != len(self.plain):
            fail(f"{name} gives {len(actual)} results, not {len(self.plain)}")
        for number, (a, p) in enumerate(zip(actual, self.plain)):
            what = name if len(actual) == 1 else f"{name}, result {number}"
            compare_one(a, p, self.before, lambda given, made: results(made)[number], what, options)
        for i in self.changed:
            a, what = tensors_in(self.args)[i], f"{name}, tensor {i} of its arguments"
            choose = lambda given, made: tensors_in(given)[i]  # noqa: E731
            compare_one(in_place(a), self.given[i], self.before, choose, what, options)


def compare_one(a, p, before, choose, what, options):
    """`p`: the reference's result as it is; `choose`: it, of the reference's arguments after a call, and its answer."""

    def wide(*tensors):
        given = with_tensors(before, iter([each.clone() for each in tensors]))
        return choose(given, function(*given))

    if not isinstance(p, torch.Tensor):
        if a != p:
            fail(f"{what}: {a!r} instead of {p!r}")
    elif p.dtype.is_floating_point:
        close(a, wide, *tensors_in(before), what=what, wanted=p.dtype, **options)
    else:
        equal(a, p, what, wanted=p.dtype)


def register(number, title):
    # A case is made anew under the check's own seed.
    @check(title)
    def run():
        _, args, *rest = list(reference.cases())[number]
        case = Case(args)
        case.compare(getattr(program, name)(*case.args), rest[0] if rest else {})


for number, (title, *_) in enumerate(reference.cases()):
    register(number, title)

if hasattr(reference, "timing"):
    measured = []

    @timed("time", holds=lambda value, *_: measured.pop().compare(value, {}))
    def call():
        measured.append(Case(reference.timing()))
        return (getattr(program, name), *measured[-1].args)
