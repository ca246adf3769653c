"""What TorchInductor writes beside a kernel: how large it is, how it reduces, what it runs on."""

import enum
from collections import namedtuple


class ReductionHint(enum.Enum):
    INNER = 0
    OUTER = 1
    OUTER_TINY = 2
    DEFAULT = 3


class TileHint(enum.Enum):
    SQUARE = 0
    DEFAULT = 1


class AutotuneHint(enum.Enum):
    ONE_ELEMENT_PER_THREAD = 0
    ELEMENTS_PER_WARP_32 = 1


class HeuristicType(enum.Enum):
    PERSISTENT_REDUCTION = enum.auto()
    POINTWISE = enum.auto()
    REDUCTION = enum.auto()
    SPLIT_SCAN = enum.auto()
    TEMPLATE = enum.auto()
    USER_AUTOTUNE = enum.auto()
    FIXED = enum.auto()


class DeviceProperties(
    namedtuple(
        "DeviceProperties",
        "type index multi_processor_count cc major regs_per_multiprocessor "
        "max_threads_per_multi_processor max_threads_per_block warp_size",
        defaults=(None, None, None, None, None),
    )
):
    """Of the machine that the code was written on; nothing here depends on it."""

    def __new__(cls, type, index, multi_processor_count, cc, *rest, **more):
        known = {k: v for k, v in more.items() if k in cls._fields}
        return super().__new__(cls, type, index, multi_processor_count, cc, *rest, **known)


def attrs_descriptor(divisible_by_16=(), equal_to_1=(), **_):
    """A launch finds out itself which arguments are 1 or divisible by 16."""
    return {"divisible_by_16": tuple(divisible_by_16 or ()), "equal_to_1": tuple(equal_to_1 or ())}


AttrsDescriptorWrapper = instance_descriptor = attrs_descriptor
