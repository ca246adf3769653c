"""The few names of PyTorch's native module that generated code (TorchInductor's) imports."""

from ._create import empty_strided


def _cuda_getCurrentRawStream(device):
    """WebGPU has one queue, and it has no handle."""
    return 0


def _cuda_getDeviceCount():
    return 1


class _dynamo:
    class guards:
        @staticmethod
        def _empty_strided_cuda(size, stride, dtype):
            return empty_strided(size, stride, dtype=dtype, device="cuda")

        @staticmethod
        def _empty_strided_cpu(size, stride, dtype):
            return empty_strided(size, stride, dtype=dtype, device="cpu")


def __getattr__(name):
    from ._missing import missing

    raise missing("torch._C", name, globals())
