"""What a PyTorch program for Inductor consists of, and the list of them."""

from dataclasses import dataclass, field
from typing import Callable

import torch

f16, bf16, f32, f64 = torch.float16, torch.bfloat16, torch.float32, torch.float64
i8, u8, i16, i32, i64 = torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64


@dataclass
class Program:
    function: Callable
    #: Makes the arguments, after the random numbers were seeded.
    args: Callable
    backward: bool = False
    dynamic: bool | None = False
    #: Makes the arguments of a second call, of other sizes.
    again: Callable | None = None
    #: Results are random: only their shapes and types can be compared.
    random: bool = False
    config: dict = field(default_factory=dict)
    #: The same in PyTorch, where the function launches kernels, which no CPU runs.
    reference: Callable | None = None


PROGRAMS: dict[str, Program] = {}


def program(args, **options):
    """Keeps the decorated function as a program of its name; `args` makes a tuple of arguments."""

    def keep(function):
        PROGRAMS[function.__name__] = Program(function, args, **options)
        return function

    return keep


def each(name, functions, args, **options):
    """One program for each of several functions on the same arguments."""
    for key, function in functions.items():
        PROGRAMS[f"{name}_{key}"] = Program(function, args, **options)


def randn(*shape, dtype=f32, grad=False):
    return torch.randn(shape).to(dtype).requires_grad_(grad)


def ints(high, *shape, low=0, dtype=i64):
    return torch.randint(low, high, shape, dtype=dtype)
