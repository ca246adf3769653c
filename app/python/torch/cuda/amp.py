"""`torch.cuda.amp`: the older names of `torch.amp`, for the device."""

from .. import amp as _amp
from ..amp import custom_fwd, custom_bwd  # noqa: F401


class autocast(_amp.autocast):
    def __init__(self, enabled=True, dtype=None, cache_enabled=True):
        super().__init__("cuda", dtype, enabled)


class GradScaler(_amp.GradScaler):
    def __init__(self, *args, **kwargs):
        super().__init__("cuda", *args, **kwargs)
