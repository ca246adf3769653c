"""`tl.extra.cuda`."""

import sys as _sys

from .. import libdevice
from .gdc import gdc_launch_dependents, gdc_wait  # noqa: F401
from .utils import (  # noqa: F401
    convert_custom_float8_sm70,
    convert_custom_float8_sm80,
    globaltimer,
    num_threads,
    num_warps,
    smid,
)

_sys.modules[__name__ + ".libdevice"] = libdevice
