"""`tl.extra.hip`: importable, so that import ladders resolve."""

import sys as _sys

from .. import libdevice

_sys.modules[__name__ + ".libdevice"] = libdevice
