"""`torch.ops.aten` and its kind: PyTorch's operators by their own names, for code that TorchInductor wrote.

An operator is the function or method of that name; its overloads (`.default`, `.dim`, `.low_out`) are one
function here, which computes a result and copies it to `out` where there is one.
"""

import importlib

import torch

from ._create import empty_strided


class Operator:
    def __init__(self, name, function):
        self.__name__ = self._qualname = name
        self._function = function

    def __getattr__(self, overload):
        if overload.startswith("_"):
            raise AttributeError(f"'{self.__name__}' has no overload '{overload}'")
        return self

    def __call__(self, *args, out=None, **kwargs):
        result = self._function(*args, **kwargs)
        return result if out is None else out.copy_(result)

    def __repr__(self):
        return f"<OpOverloadPacket(op='{self.__name__.replace('::', '.')}')>"


#: Where PyTorch keeps the functions whose operators begin so.
_FAMILIES = {"special_": "torch.special", "linalg_": "torch.linalg", "fft_": "torch.fft"}


def operator(space, name):
    """The operator `torch.ops.SPACE.NAME`; None where it is not here."""
    from . import _aten_layers

    function = _OWN.get((space, name))
    if space == "prims":
        function = getattr(_aten_layers, f"_prims_{name}", None)
    if function is None and space == "aten":
        function = _of_aten(name)
    return function and Operator(f"{space}::{name}", function)


def _of_aten(name):
    from . import _aten, _aten_layers

    if name.startswith("_foreach_") and not hasattr(torch, name) and not hasattr(_aten, name):
        return _aten_layers.foreach(name)
    for holder in (_aten, _aten_layers, torch, torch.Tensor, torch.nn.functional):
        if name in vars(holder):
            return vars(holder)[name]
    for prefix, module in _FAMILIES.items():
        if name.startswith(prefix):
            return getattr(importlib.import_module(module), name.removeprefix(prefix), None)
    return None


def _alloc_from_pool(pool, offset, dtype, size, stride):
    """A tensor in `pool`, which is one of bytes, `offset` bytes behind its start."""
    room = sum((n - 1) * s for n, s in zip(size, stride)) + 1 if all(size) else 0
    if not room:
        return empty_strided(size, stride, dtype=dtype, device=pool.device)
    start = pool.reshape(-1)[offset : offset + room * dtype.itemsize]
    return start.view(dtype).as_strided(size, stride)


def _reinterpret_tensor(tensor, size, stride, offset=0):
    return tensor.as_strided(size, stride, tensor._offset + offset)


def _mm_plus_mm(a, b, c, d):
    return torch.addmm(a @ b, c, d)


def conv1x1_via_mm(x, weight):
    """A convolution whose window is one element."""
    return torch.nn.functional.conv2d(x, weight)


_OWN = {
    ("inductor", "_mm_plus_mm"): _mm_plus_mm,
    ("inductor", "conv1x1_via_mm"): conv1x1_via_mm,
    ("inductor", "_alloc_from_pool"): _alloc_from_pool,
    ("inductor", "_reinterpret_tensor"): _reinterpret_tensor,
}
