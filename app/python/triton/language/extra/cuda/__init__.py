"""`tl.extra.cuda`."""

import sys as _sys

from .. import libdevice
from ..._stubs import define as _define

_sys.modules[__name__ + ".libdevice"] = libdevice
_define(
    globals(),
    "triton.language.extra.cuda",
    """gdc_launch_dependents gdc_wait globaltimer num_threads num_warps smid
    convert_custom_float8_sm70 convert_custom_float8_sm80""",
)
