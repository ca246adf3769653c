"""Tensor descriptors made on the host."""

from .._types import short_dtype
from ..runtime.jit import TensorWrapper

MAX_NUMEL = 1048576


def _address_is_aligned(base):
    """`data_ptr() % 16 == 0`, without asking for the address: a kernel might follow one that was reported."""
    while isinstance(base, TensorWrapper):
        base = base.base
    offset = getattr(base, "_offset", None)
    return (base.data_ptr() if offset is None else offset * base.dtype.itemsize) % 16 == 0


class TensorDescriptor:
    def __init__(self, base, shape, strides, block_shape, padding="zero", round_f32_to_tf32=False):
        self.base = base
        self.shape = shape
        self.strides = strides
        self.block_shape = block_shape
        self.padding = padding
        self.round_f32_to_tf32 = round_f32_to_tf32
        self._check()

    def _check(self):
        rank = len(self.shape)
        assert len(self.strides) == rank, f"rank mismatch: {self}"
        assert len(self.block_shape) == rank, f"rank mismatch: {self}"
        assert rank > 0, "rank must not be zero"
        assert rank <= 5, "rank cannot be more than 5"
        assert _address_is_aligned(self.base), "base must be 16-byte aligned"
        numel = 1
        for i, size in enumerate(self.block_shape):
            if not isinstance(size, int):
                raise TypeError(
                    f"Shape element {i} must have type `constexpr[int]`, got `constexpr[{type(size)}]"
                )
            if size <= 0 or size & (size - 1):
                raise ValueError(f"Shape element {i} must be a power of 2")
            numel *= size
        if numel > MAX_NUMEL:
            raise ValueError(f"numel ({numel}) exceeds triton maximum tensor numel ({MAX_NUMEL})")
        width = self.base.dtype.itemsize
        for stride in self.strides[:-1]:
            assert (stride * width) % 16 == 0, "strides must be 16-byte aligned"
        for size in self.shape:
            assert size > 0, "shape must be positive"
        assert self.strides[-1] == 1, "Last dimension must be contiguous"
        assert self.padding in ("zero", "nan"), "Illegal value for padding"
        if self.padding == "nan":
            assert self.base.dtype.is_floating_point, (
                "Padding option `nan` is only supported for floating point tensors"
            )
        if self.round_f32_to_tf32:
            assert short_dtype(self.base.dtype) == "fp32", (
                "round_f32_to_tf32 is only supported for float32 tensors"
            )

    @staticmethod
    def from_tensor(tensor, block_shape, padding="zero", round_f32_to_tf32=False):
        return TensorDescriptor(
            tensor, tensor.shape, tensor.stride(), block_shape, padding, round_f32_to_tf32
        )

    def __repr__(self):
        return (
            f"TensorDescriptor(shape={list(self.shape)}, strides={list(self.strides)}, "
            f"block_shape={list(self.block_shape)}, padding={self.padding!r})"
        )
