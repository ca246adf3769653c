"""The CUDA runtime as `ctypes.CDLL("libcudart.so")` reaches it: programs whose site hands them bare addresses
get their scratch memory that way. Memory of the device is that of tensors; an address is one that
`tensor.data_ptr()` could have returned. What is not here says so by its name.
"""

import ctypes

_SUCCESS, _INVALID_VALUE, _OUT_OF_MEMORY = 0, 1, 2
_TEXTS = {_SUCCESS: b"no error", _INVALID_VALUE: b"invalid argument", _OUT_OF_MEMORY: b"out of memory"}
_HOST_TO_HOST, _HOST_TO_DEVICE, _DEVICE_TO_HOST, _DEVICE_TO_DEVICE, _EITHER = range(5)

#: Allocations that are not yet freed, by address.
_allocated = {}


def _number(value):
    value = getattr(value, "value", value)
    return 0 if value is None else int(value)


def _out(pointer):
    """The ctypes object that a `byref` or a pointer stands for."""
    found = getattr(pointer, "_obj", None)
    return pointer.contents if found is None else found


def _host(pointer):
    """An address of this Python's memory, as ctypes itself takes it."""
    return _number(pointer) if isinstance(pointer, (int, Address)) else pointer


def _window(address, count):
    """The bytes at an address of the device, as a tensor; None where no tensor has all of them."""
    from torch import _core as core
    from torch._tensor import make

    found = core.Storage.at(address)
    if found is None or found[1] + count > found[0].nbytes:
        return None
    return make(found[0], core.uint8, core.CUDA, (count,), (1,), found[1])


def _malloc(pointer, size):
    import torch

    try:
        made = torch.empty(max(1, _number(size)), dtype=torch.uint8, device="cuda")
    except torch.OutOfMemoryError:
        return _OUT_OF_MEMORY
    address = made.data_ptr()
    _allocated[address] = made
    _out(pointer).value = address
    return _SUCCESS


def _free(pointer):
    address = _number(pointer)
    if address and _allocated.pop(address, None) is None:
        return _INVALID_VALUE
    return _SUCCESS


def _memset(pointer, value, count, stream=None):
    window = _window(_number(pointer), _number(count))
    if window is None:
        return _INVALID_VALUE
    window.fill_(_number(value) & 255)
    return _SUCCESS


def _memcpy(target, source, count, kind=_EITHER, stream=None):
    import torch

    count, kind = _number(count), _number(kind)
    to = _window(_number(target), count) if kind in (_HOST_TO_DEVICE, _DEVICE_TO_DEVICE, _EITHER) else None
    of = _window(_number(source), count) if kind in (_DEVICE_TO_HOST, _DEVICE_TO_DEVICE, _EITHER) else None
    if (kind in (_HOST_TO_DEVICE, _DEVICE_TO_DEVICE) and to is None) or (
        kind in (_DEVICE_TO_HOST, _DEVICE_TO_DEVICE) and of is None
    ):
        return _INVALID_VALUE
    if of is None:
        data = ctypes.string_at(_host(source), count)
        of = torch.frombuffer(bytearray(data), dtype=torch.uint8)
    if to is not None:
        to.copy_(of)
    else:
        ctypes.memmove(_host(target), bytes(of.tolist()), count)
    return _SUCCESS


def _synchronize(stream=None):
    import torch

    torch.cuda.synchronize()
    return _SUCCESS


def _mem_get_info(free, total):
    import torch

    _out(free).value, _out(total).value = torch.cuda.mem_get_info()
    return _SUCCESS


def _get_one(pointer):
    _out(pointer).value = 1
    return _SUCCESS


def _get_zero(pointer):
    _out(pointer).value = 0
    return _SUCCESS


_FUNCTIONS = {
    "cudaMalloc": _malloc,
    "cudaFree": _free,
    "cudaMemset": _memset,
    "cudaMemsetAsync": _memset,
    "cudaMemcpy": _memcpy,
    "cudaMemcpyAsync": _memcpy,
    "cudaDeviceSynchronize": _synchronize,
    "cudaStreamSynchronize": _synchronize,
    "cudaMemGetInfo": _mem_get_info,
    "cudaGetDeviceCount": _get_one,
    "cudaGetDevice": _get_zero,
    "cudaSetDevice": lambda device: _SUCCESS if _number(device) == 0 else _INVALID_VALUE,
    "cudaGetLastError": lambda: _SUCCESS,
    "cudaPeekAtLastError": lambda: _SUCCESS,
    "cudaGetErrorString": lambda code: _TEXTS.get(_number(code), b"unrecognized error code"),
}


class _Function:
    """One function: `argtypes` and `restype` can be set as on those of a real library."""

    argtypes = None
    restype = ctypes.c_int

    def __init__(self, name):
        self.__name__ = name

    def __call__(self, *args):
        return _FUNCTIONS[self.__name__](*args)


class Runtime:
    """What loading libcudart gives."""

    def __init__(self, name):
        self._name = name

    def __getattr__(self, name):
        if name not in _FUNCTIONS:
            raise AttributeError(
                f"{self._name} has no {name} here: of CUDA’s runtime there are {', '.join(_FUNCTIONS)}"
            )
        made = _Function(name)
        self.__dict__[name] = made
        return made

    __getitem__ = __getattr__


_load, _address = ctypes.CDLL, ctypes.c_void_p


class Address(ctypes.c_uint64):
    """`ctypes.c_void_p` for addresses of the device: those of this Python’s own memory have 32 bits only."""


def _library(name, *args, **kwargs):
    if name is not None and "cudart" in str(name):
        return Runtime(str(name))
    return _load(name, *args, **kwargs)


def install(wanted):
    """Lets a program find it, where it is `wanted`; what the last program allocated is freed."""
    _allocated.clear()
    ctypes.CDLL = ctypes.cdll._dlltype = _library if wanted else _load
    ctypes.c_void_p = Address if wanted else _address
