"""`tl.extra.hip`: importable, so that import ladders resolve."""

import sys as _sys

from .. import libdevice
from ..._stubs import define as _define

_sys.modules[__name__ + ".libdevice"] = libdevice
_define(globals(), "triton.language.extra.hip", "memrealtime num_threads num_warps smid")
