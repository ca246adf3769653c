"""Arrays of the real numpy, where the visitor has it (`_hippocamp_packages`): through their bytes, so they share
no memory with tensors, as PyTorch's do. That is said once.
"""

import warnings

_said = False


def is_real(numpy):
    """Whether it is numpy itself, not the part of it that is shipped."""
    return not hasattr(numpy, "_array")


def tensor_of(array, names, frombuffer):
    """A tensor with the array's elements. `names`: dtypes by name; `frombuffer`: as torch's."""
    dtype = names.get(array.dtype.name)
    if dtype is None:
        raise TypeError(f"can't convert np.ndarray of type numpy.{array.dtype.name}")
    _say()
    return frombuffer(array.tobytes(), dtype=dtype).reshape(tuple(array.shape))


def array_of(numpy, data, name, shape):
    """An array of its own. `data`: the elements in order; `name`: the dtype's."""
    if name == "bfloat16" or name.startswith("float8"):
        raise TypeError(f"Got unsupported ScalarType {name}")
    _say()
    return numpy.frombuffer(bytearray(data), dtype=name).reshape(shape)


def _say():
    global _said
    if not _said:
        _said = True
        warnings.warn(
            "tensors and arrays of the real numpy are copies of each other here: what is written to one is not "
            "in the other",
            stacklevel=4,
        )
