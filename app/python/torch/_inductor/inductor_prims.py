"""Functions that TorchInductor and Helion put in place of PyTorch's own in the code that they print."""

from .._random import randint


def seeds(count, device):
    """As many seeds of random numbers, drawn from the device's generator."""
    return randint(-(2**63), 2**63 - 1, [count], device=device)


def seed(device):
    return seeds(1, device)[0]


def lookup_seed(seeds, index):
    return seeds[index]
