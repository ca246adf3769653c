"""`torch._C._dynamo.guards`: allocations and checks that the host code of TorchInductor binds by name. A name that is
not here can be bound; calling it raises.
"""

from ..._create import empty_strided
from ..._missing import binds
from ..._operators import _reinterpret_tensor  # noqa: F401


def _empty_strided_cuda(size, stride, dtype):
    return empty_strided(size, stride, dtype=dtype, device="cuda")


def _empty_strided_cpu(size, stride, dtype):
    return empty_strided(size, stride, dtype=dtype, device="cpu")


def assert_size_stride(tensor, size, stride, name=None):
    """Strides of dimensions of one element say nothing, and are not compared."""
    if len(tensor.shape) != len(size):
        raise AssertionError("wrong number of dimensions")
    for i, (n, s) in enumerate(zip(size, stride)):
        has, step = tensor.shape[i], tensor.stride(i)
        if has != n or (step != s and n > 1):
            raise AssertionError(f"expected size {has}=={n}, stride {step}=={s} at dim={i}")


def assert_alignment(tensor, alignment, name=None):
    if tensor.data_ptr() % alignment:
        raise AssertionError(f"expected an address that is a multiple of {alignment}")


def copy_if_misaligned(tensor):
    """WebGPU binds a whole buffer, so kernels reach every element wherever the tensor begins."""
    return tensor


__getattr__ = binds("torch._C._dynamo.guards")
