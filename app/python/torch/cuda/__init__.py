"""`torch.cuda`: the visitor's GPU under CUDA's names. There is one device and one queue, so streams
and devices are accepted and change nothing.
"""

import contextlib
import time

from .. import _core as core
from .._core import OutOfMemoryError, bridge  # noqa: F401


def is_available():
    return True


def is_initialized():
    return True


def init():
    pass


def device_count():
    return 1


def current_device():
    return 0


def set_device(device):
    core.as_device(_named(device))


def _named(which):
    if which is None or isinstance(which, device):
        return core.CUDA  # what `with torch.cuda.device_of(x) as d` gave, too
    return f"cuda:{which}" if isinstance(which, int) else which


def synchronize(device=None):
    bridge.synchronize()


class device(contextlib.ContextDecorator):
    """`with torch.cuda.device(0):`. Below 0 stands for none, as for tensors of the CPU."""

    def __init__(self, device):
        self.idx = device if isinstance(device, int) else getattr(device, "idx", 0)
        if self.idx >= 0 and core.as_device(_named(device)).type != "cuda":
            raise ValueError(f"Expected a cuda device, but got: {device}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False


class device_of(device):
    def __init__(self, obj):
        super().__init__(obj.get_device() if obj.is_cuda else -1)


_DeviceGuard = _device = device


def can_device_access_peer(device, peer_device):
    return False


def cudart():
    raise NotImplementedError("torch.cuda.cudart() is not available in Hippocamp: there is no CUDA runtime")


def get_device_capability(device=None):
    """What programs take for an Ampere GPU, whose paths need no TMA."""
    return (8, 0)


def get_device_name(device=None):
    return bridge.environment()["adapter"]["name"]


def get_arch_list():
    return ["sm_80"]


class _Properties:
    def __init__(self):
        from triton.runtime.driver import driver

        known = driver.active.utils.get_device_properties(0)
        self.name = get_device_name()
        self.major, self.minor = get_device_capability()
        self.is_multi_gpu_board = 0
        self.multi_processor_count = known["multiprocessor_count"]
        self.max_threads_per_multi_processor = known["max_threads_per_sm"]
        self.warp_size = known["warpSize"]
        self.regs_per_multiprocessor = known["max_num_regs"]
        self.shared_memory_per_block = known["max_shared_mem"]
        self.shared_memory_per_block_optin = known["max_shared_mem"]
        self.shared_memory_per_multiprocessor = known["max_shared_mem"]
        self.total_memory = bridge.environment()["options"]["maxBytes"]
        self.L2_cache_size = 4 << 20
        self.gcnArchName = ""
        self.is_integrated = 0

    def __repr__(self):
        return (
            f"_CudaDeviceProperties(name='{self.name}', major={self.major}, minor={self.minor}, "
            f"total_memory={self.total_memory >> 20}MB, multi_processor_count={self.multi_processor_count})"
        )


def get_device_properties(device=None):
    return _Properties()


def mem_get_info(device=None):
    """WebGPU does not report how much memory there is: the total is what one tensor may have."""
    total = bridge.environment()["options"]["maxBytes"]
    return (max(0, total - core.Storage.allocated), total)


def memory_allocated(device=None):
    """Bytes of the tensors on the device that are alive."""
    return core.Storage.allocated


def max_memory_allocated(device=None):
    return core.Storage.peak


memory_reserved, max_memory_reserved = memory_allocated, max_memory_allocated


def memory_stats(device=None):
    return {
        "allocated_bytes.all.current": core.Storage.allocated,
        "allocated_bytes.all.peak": core.Storage.peak,
    }


def reset_peak_memory_stats(device=None):
    core.Storage.peak = core.Storage.allocated


reset_max_memory_allocated = reset_peak_memory_stats


def memory_summary(device=None, abbreviated=False):
    mib = lambda n: f"{n / 2**20:.1f} MiB"  # noqa: E731
    return f"allocated: {mib(core.Storage.allocated)}, peak: {mib(core.Storage.peak)}"


def empty_cache():
    pass


def ipc_collect():
    pass


class Event:
    """A point in time, when everything before it has run."""

    def __init__(self, enable_timing=False, blocking=False, interprocess=False):
        self.enable_timing = enable_timing
        self._time = None

    def record(self, stream=None):
        # Within a capture it is a place in the graph, which has no time.
        self._time = None
        if bridge.capture is None:
            bridge.synchronize()
            self._time = time.perf_counter()

    def elapsed_time(self, end):
        if self._time is None or end._time is None:
            raise RuntimeError("Both events must be recorded before calculating elapsed time.")
        return (end._time - self._time) * 1e3

    def synchronize(self):
        bridge.synchronize()

    def wait(self, stream=None):
        pass

    def query(self):
        return True


class Stream:
    """WebGPU has one queue: work on any stream is in the order it was given."""

    def __init__(self, device=None, priority=0, **_):
        self.device = core.CUDA
        self.device_index = 0
        self.priority = priority
        self.cuda_stream = 0
        self.stream_id = 0

    def synchronize(self):
        bridge.synchronize()

    def wait_stream(self, stream):
        pass

    def wait_event(self, event):
        pass

    def record_event(self, event=None):
        event = event or Event()
        event.record()
        return event

    def query(self):
        return True

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False


ExternalStream = Stream
_stream = Stream()


def current_stream(device=None):
    return _stream


def default_stream(device=None):
    return _stream


def set_stream(stream):
    pass


def stream(stream):
    return contextlib.nullcontext(stream)


def is_bf16_supported(including_emulation=True):
    return True


def is_tf32_supported():
    return False


def manual_seed(seed):
    from .._random import manual_seed as seed_all

    seed_all(seed)


manual_seed_all = manual_seed


def get_rng_state(device=None):
    from .._random import get_rng_state as state

    return state()


def set_rng_state(state, device=None):
    from .._random import set_rng_state as restore

    restore(state)


class _DeviceGenerator:
    """The device's generator as kernels with their own Philox ask for it: a seed, and an offset that they
    advance. torch's own random numbers do not come from it here.
    """

    def __init__(self):
        self.device = core.CUDA
        self._at = None
        self._offset = 0

    def _seed(self):
        from .._random import default

        if self._at != default.seeded:
            self._at, self._offset = default.seeded, 0
        return default._seed

    def initial_seed(self):
        return self._seed()

    def manual_seed(self, seed):
        manual_seed(seed)
        return self

    def get_state(self):
        from .._create import tensor

        seed = self._seed()
        return tensor([seed, self._offset], dtype=core.int64).view(core.uint8)

    def set_state(self, state):
        seed, offset = state.view(core.int64).tolist()
        if seed != self._seed():
            manual_seed(seed)
            self._seed()
        self._offset = offset
        return self

    def get_offset(self):
        self._seed()
        return self._offset

    def set_offset(self, offset):
        self._seed()
        self._offset = offset


default_generators = (_DeviceGenerator(),)


class nvtx:
    range_push = staticmethod(lambda message: 0)
    range_pop = staticmethod(lambda: 0)
    range_start = staticmethod(lambda message: 0)
    range_end = staticmethod(lambda range_id: None)
    _device_range_start = staticmethod(lambda message, stream=0: 0)
    _device_range_end = staticmethod(lambda range_handle, stream=0: None)
    mark = staticmethod(lambda message: None)
    range = staticmethod(lambda *a, **k: contextlib.nullcontext())


_GRAPHS = (
    "CUDAGraph", "graph", "graph_pool_handle", "graphs", "is_current_stream_capturing", "make_graphed_callables",
)  # fmt: skip


def __getattr__(name):
    if name in _GRAPHS:
        import importlib

        module = importlib.import_module("torch.cuda.graphs")
        return module if name == "graphs" else getattr(module, name)
    if name == "amp":
        import importlib

        return importlib.import_module("torch.cuda.amp")
    if name.endswith("Tensor"):
        import torch

        dtype = next((d for d in core.DTYPES if d.short + "Tensor" == name), None)
        if dtype is not None:
            return torch._typed(dtype, True)
    from .._missing import missing

    raise missing("torch.cuda", name, globals())
