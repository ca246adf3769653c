"""What a dtype can hold: `torch.finfo` and `torch.iinfo`."""

from . import _core as core

_FINFO = {
    # name: (max, eps, tiny, smallest subnormal, digits)
    "float64": (1.7976931348623157e308, 2.220446049250313e-16, 2.2250738585072014e-308, 5e-324, 1e-15),
    "float32": (3.4028234663852886e38, 1.1920928955078125e-07, 1.1754943508222875e-38, 1.401298464324817e-45, 1e-06),
    "float16": (65504.0, 0.0009765625, 6.103515625e-05, 5.960464477539063e-08, 0.001),
    "bfloat16": (3.3895313892515355e38, 0.0078125, 1.1754943508222875e-38, 9.183549615799121e-41, 0.01),
    "float8_e5m2": (57344.0, 0.25, 6.103515625e-05, 1.52587890625e-05, 1.0),
    "float8_e4m3fn": (448.0, 0.125, 0.015625, 0.001953125, 1.0),
    "float8_e4m3fnuz": (240.0, 0.125, 0.0078125, 0.0009765625, 1.0),
    "float8_e5m2fnuz": (57344.0, 0.125, 3.0517578125e-05, 7.62939453125e-06, 1.0),
    "float8_e8m0fnu": (1.7014118346046923e38, 1.0, 5.877471754111438e-39, 5.877471754111438e-39, 1.0),
}  # fmt: skip


class finfo:
    def __init__(self, dtype=None):
        dtype = dtype or core.get_default_dtype()
        if not dtype.is_floating_point:
            raise TypeError(f"torch.finfo() requires a floating point input type. Use torch.iinfo to handle '{dtype!r}'")
        if dtype.name not in _FINFO:
            raise NotImplementedError(f'"max" not implemented for \'{dtype.short}\'')
        self.dtype = dtype.name
        self.bits = 8 if dtype.name.startswith("float8") else dtype.itemsize * 8
        self.max, self.eps, self.tiny, self.smallest_subnormal, self.resolution = _FINFO[dtype.name]
        self.smallest_normal = self.tiny
        self.min = -self.max if dtype.is_signed else self.tiny

    def __repr__(self):
        return (
            f"finfo(resolution={self.resolution:g}, min={self.min:g}, max={self.max:g}, eps={self.eps:g}, "
            f"smallest_normal={self.tiny:g}, tiny={self.tiny:g}, dtype={self.dtype})"
        )


class iinfo:
    def __init__(self, dtype):
        if dtype.is_floating_point:
            raise TypeError(f"torch.iinfo() requires an integer input type. Use torch.finfo to handle '{dtype!r}'")
        self.dtype = dtype.name
        self.bits = dtype.itemsize * 8
        self.max = (1 << (self.bits - dtype.is_signed)) - 1
        self.min = -(1 << (self.bits - 1)) if dtype.is_signed else 0

    def __repr__(self):
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype})"
