"""Small namespaces of `torch` that hold settings and facts: `torch.backends`, `torch.version` …"""

import contextlib

from . import _core, _random


class version:
    """`torch.version`: of the PyTorch whose behaviour this is."""

    cuda = "12.8"
    hip = None
    xpu = None
    git_version = "hippocamp"
    __version__ = "2.13.0"


class _Switch:
    """Settings that programs set and read, and that change nothing here."""

    def __init__(self, **values):
        self.__dict__.update(values)

    @contextlib.contextmanager
    def flags(self, **values):
        """Settings for a block: `with torch.backends.cudnn.flags(enabled=True, …):`."""
        before = dict(self.__dict__)
        self.__dict__.update(values)
        try:
            yield
        finally:
            self.__dict__.clear()
            self.__dict__.update(before)


class backends:
    cuda = _Switch(
        matmul=_Switch(
            allow_tf32=False,
            allow_fp16_reduced_precision_reduction=False,
            allow_bf16_reduced_precision_reduction=False,
            fp32_precision="ieee",
        ),
        is_built=lambda: True,
        enable_flash_sdp=lambda enabled: None,
        enable_mem_efficient_sdp=lambda enabled: None,
        enable_math_sdp=lambda enabled: None,
        enable_cudnn_sdp=lambda enabled: None,
        flash_sdp_enabled=lambda: False,
        mem_efficient_sdp_enabled=lambda: False,
        math_sdp_enabled=lambda: True,
    )
    cudnn = _Switch(
        allow_tf32=False,
        benchmark=False,
        deterministic=True,
        enabled=False,
        is_available=lambda: False,
        version=lambda: None,
    )
    mps = _Switch(is_available=lambda: False, is_built=lambda: False)
    opt_einsum = _Switch(enabled=False, is_available=lambda: False)


class random:
    manual_seed = staticmethod(_random.manual_seed)
    seed = staticmethod(_random.seed)
    initial_seed = staticmethod(_random.initial_seed)
    get_rng_state = staticmethod(_random.get_rng_state)
    set_rng_state = staticmethod(_random.set_rng_state)

    @staticmethod
    def fork_rng(*args, **kwargs):
        return _ForkedRng()


class _ForkedRng:
    """Random numbers drawn inside do not move the stream outside."""

    def __enter__(self):
        self.state = _random.get_rng_state()

    def __exit__(self, *_):
        _random.set_rng_state(self.state)


class accelerator:
    is_available = staticmethod(lambda: True)
    current_accelerator = staticmethod(lambda check_available=False: _core.device("cuda"))
    current_device_index = staticmethod(lambda: 0)
    device_count = staticmethod(lambda: 1)

    @staticmethod
    def synchronize(device=None):
        _core.bridge.synchronize()


class _Absent:
    """A kind of device that there is none of."""

    is_available = staticmethod(lambda: False)
    device_count = staticmethod(lambda: 0)


xpu, mps, hpu, mtia = _Absent(), _Absent(), _Absent(), _Absent()
