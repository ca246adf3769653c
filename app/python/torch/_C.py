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

        @staticmethod
        def _reinterpret_tensor(tensor, size, stride, offset=0):
            return tensor.as_strided(size, stride, tensor._offset + offset)

        @staticmethod
        def assert_size_stride(tensor, size, stride, name=None):
            """Strides of dimensions of one element say nothing, and are not compared."""
            if len(tensor.shape) != len(size):
                raise AssertionError("wrong number of dimensions")
            for i, (n, s) in enumerate(zip(size, stride)):
                has, step = tensor.shape[i], tensor.stride(i)
                if has != n or (step != s and n > 1):
                    raise AssertionError(f"expected size {has}=={n}, stride {step}=={s} at dim={i}")

        @staticmethod
        def assert_alignment(tensor, alignment, name=None):
            if tensor.data_ptr() % alignment:
                raise AssertionError(f"expected an address that is a multiple of {alignment}")


def __getattr__(name):
    from ._missing import missing

    raise missing("torch._C", name, globals())
