"""`triton.runtime.driver`: the device, under the names CUDA's driver gives its properties."""

import _hippocamp_bridge as bridge


class GPUTarget:
    """Programs choose their paths by this; ('cuda', 80, 32) takes the portable ones (no TMA)."""

    def __init__(self, backend, arch, warp_size):
        self.backend = backend
        self.arch = arch
        self.warp_size = warp_size

    # Meta's copy of the tutorials calls it so.
    def is_cuda_backend(self):
        return self.backend == "cuda"

    def is_hip_backend(self):
        return self.backend == "hip"

    def is_xpu_backend(self):
        return self.backend == "xpu"

    def __repr__(self):
        return f"GPUTarget(backend={self.backend!r}, arch={self.arch!r}, warp_size={self.warp_size!r})"

    def __eq__(self, other):
        return isinstance(other, GPUTarget) and self.__dict__ == other.__dict__

    def __hash__(self):
        return hash((self.backend, self.arch, self.warp_size))


TARGET = GPUTarget("cuda", 80, 32)


class _Utils:
    def get_device_properties(self, device=0):
        target = bridge.environment()["target"]
        # WebGPU does not report how many multiprocessors there are, how many registers they have or
        # at what clock they run: those are an entry-level GPU's. The rest is the adapter's own.
        return {
            "max_shared_mem": target["maxWorkgroupBytes"],
            "max_num_regs": 65536,
            "multiprocessor_count": 16,
            "warpSize": 32,
            "max_threads_per_block": target["maxInvocations"],
            "max_threads_per_sm": 1024,
            "sm_clock_rate": 1_000_000,
            "mem_clock_rate": 1_000_000,
            "mem_bus_width": 128,
        }


class Driver:
    """The active driver."""

    def __init__(self):
        self.utils = _Utils()

    @staticmethod
    def is_active():
        return True

    def get_current_target(self):
        return TARGET

    def get_active_torch_device(self):
        import torch

        return torch.device("cuda", 0)

    def get_device_interface(self):
        import torch

        return torch.cuda

    def get_current_device(self):
        return 0

    def set_current_device(self, device):
        pass

    def get_current_stream(self, device=None):
        return 0

    def get_device_capability(self, device=0):
        return (8, 0)

    def get_benchmarker(self):
        from ..testing import do_bench

        return do_bench

    def get_empty_cache_for_benchmark(self):
        import torch

        return torch.empty(64, dtype=torch.int32, device="cuda")

    def clear_cache(self, cache):
        """Repetitions run back to back: WebGPU has no way to flush the GPU's caches."""

    def map_python_to_cpp_type(self, ty):
        return ty


class _DriverConfig:
    def __init__(self):
        self.active = self.default = Driver()

    def set_active(self, driver):
        self.active = driver

    def reset_active(self):
        self.active = self.default


driver = _DriverConfig()
active = driver.active
