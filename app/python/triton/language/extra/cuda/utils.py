"""`tl.extra.cuda.utils`."""

from ..._stubs import define as _define

_define(
    globals(),
    "triton.language.extra.cuda",
    """globaltimer num_threads num_warps smid convert_custom_float8_sm70
    convert_custom_float8_sm80""",
)
