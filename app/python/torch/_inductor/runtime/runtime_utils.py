"""`torch._inductor.runtime.runtime_utils`: what modules that TorchInductor wrote import of it."""

from triton import cdiv as ceildiv  # noqa: F401
from triton import next_power_of_2  # noqa: F401

from ..async_compile import refused

compile_mps_shader = refused("Metal", "compile_mps_shader")
