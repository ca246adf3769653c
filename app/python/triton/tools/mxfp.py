"""Tensors of the microscaling formats (OCP Microscaling Formats 1.0), on torch: four-bit e2m1 numbers
and the powers of two (e8m0) that scale groups of them. Codes are kept as uint8, one a number."""

import torch

# The magnitudes by code, and the numbers halfway between neighbours: ties go to the even code.
_MAGNITUDES = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
_HALFWAY = tuple((a + b) / 2 for a, b in zip(_MAGNITUDES, _MAGNITUDES[1:]))
_BIAS = 127
_NAN = 255


def _bits(values):
    return values.to(torch.float32).contiguous().view(torch.int32)


class _Coded:
    """Codes made from numbers, or none yet and a shape for `random`."""

    def __init__(self, data=None, size=None, device=None):
        self.device = device
        if data is not None:
            assert isinstance(data, torch.Tensor), "Parameter data must be a torch tensor"
            self.device = data.device
            self.data = self._from_float(data)
        elif size is not None:
            self.size = size if isinstance(size, (tuple, list, torch.Size)) else (size,)
        else:
            raise ValueError("Either parameter data or size must be provided")


class MXFP4Tensor(_Coded):
    """e2m1: sign, two bits of exponent, one of mantissa; neither infinity nor NaN."""

    def random(self):
        self.data = torch.randint(0, 16, self.size, dtype=torch.uint8, device=self.device)
        return self

    def to(self, dtype):
        assert dtype == torch.float32, (
            "Currently only float32 is supported for fp4e2m1 to float conversion"
        )
        table = [*_MAGNITUDES, *(-value for value in _MAGNITUDES)]
        numbers = torch.tensor(table, dtype=dtype, device=self.data.device)
        return numbers[self.data.to(torch.int64)]

    def _from_float(self, values):
        # Values that are too large, and NaN, become the largest.
        size = values.to(torch.float32).abs()
        code = torch.zeros(values.shape, dtype=torch.int32, device=values.device)
        for below, halfway in enumerate(_HALFWAY):
            reached = size >= halfway if below % 2 else size > halfway
            code = code + (reached | (size != size)).to(torch.int32)
        sign = (_bits(values) < 0).to(torch.int32) * 8
        return (code + sign).to(torch.uint8)

    def to_packed_tensor(self, dim):
        """Two codes a byte along `dim`, the first in the low bits; a missing last one is 0."""
        data = self.data
        assert 0 <= dim < data.ndim, (
            "The dimension to pack along is not within the range of tensor dimensions"
        )
        if data.shape[dim] % 2:
            shape = list(data.shape)
            shape[dim] = 1
            data = torch.cat([data, torch.zeros(shape, dtype=data.dtype, device=data.device)], dim)
        pairs = data.reshape(*data.shape[:dim], data.shape[dim] // 2, 2, *data.shape[dim + 1 :])
        return pairs.select(dim + 1, 0) | (pairs.select(dim + 1, 1) << 4)

    def unpack_packed_tensor(self, packed_tensor, dim, original_shape):
        """The codes of what `to_packed_tensor` gave, in their first shape."""
        both = torch.stack([packed_tensor & 15, packed_tensor >> 4], dim + 1)
        shape = list(packed_tensor.shape)
        shape[dim] *= 2
        return both.reshape(shape).narrow(dim, 0, original_shape[dim]).contiguous()


class MXScaleTensor(_Coded):
    """e8m0: the power of two with this biased exponent; 255 is NaN."""

    def random(self, low=None, high=None):
        """Powers of two from `low` to `high`."""
        least = 0 if low is None else self._code(low)
        most = _NAN - 1 if high is None else self._code(high)
        self.data = torch.randint(
            least, most + 1, self.size, dtype=torch.uint8, device=self.device
        )
        return self

    def _code(self, value):
        code = int(self._from_float(torch.tensor([float(value)])).item())
        return min(code, _NAN - 1)

    def to(self, dtype):
        assert dtype == torch.float32, (
            "Currently only float32 is supported for f8e8m0 to float conversion"
        )
        code = self.data.to(torch.int32)
        # 2 ** -127 is no normal number: half of 2 ** -126.
        bits = torch.where(code == 0, 1 << 22, code << 23)
        numbers = bits.to(torch.int32).view(torch.float32)
        return torch.where(code == _NAN, float("nan"), numbers)

    def _from_float(self, values):
        # Rounded down to a power of two: the exponent's bits. What is no positive number is NaN.
        exponent = (_bits(values) >> 23) & 255
        return torch.where(values.to(torch.float32) > 0, exponent, _NAN).to(torch.uint8)
