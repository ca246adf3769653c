"""`tl.extra.cuda.gdc`: a launch here begins when the one before has ended."""

from ..._stubs import define as _define

_define(globals(), "triton.language.extra.cuda", "gdc_launch_dependents gdc_wait")
