"""`safetensors`: tensors by name in one file, as the package of that name has them (its format:
https://huggingface.co/docs/safetensors). Written here, since no wheel of it can be shipped; a wheel takes its place.

A file is 8 bytes of the header's length, the header (JSON: dtype, shape and place of each tensor), and the bytes of all
tensors without a gap. Opening one reads the header and checks all of it against the file's length: what is damaged is a
`SafetensorError` that names the cause, never a tensor of other numbers. A tensor's bytes are read when it is taken.
"""

import json
import math
import os
import re

__version__ = "0.6.2"

#: Bytes of a header; the package's own limit.
_LARGEST_HEADER = 100_000_000
#: Bits of an element.
_BITS = {
    **dict.fromkeys(("BOOL", "U8", "I8", "F8_E5M2", "F8_E4M3", "F8_E8M0"), 8),
    **dict.fromkeys(("U16", "I16", "F16", "BF16"), 16),
    **dict.fromkeys(("U32", "I32", "F32"), 32),
    **dict.fromkeys(("U64", "I64", "F64", "C64"), 64),
}


class SafetensorError(Exception):
    """A file that is none, or does not have what is taken from it."""


_TEXTS = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)
_TOO_DEEP = re.compile(rb"\[[^\]]*[\[{]|\{[^}]*\{[^}]*\{")


def _refuse(cause):
    raise SafetensorError(f"Error while deserializing header: {cause}")


def _unique(pairs):
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        _refuse(f"invalid JSON in header: duplicate key `{next(n for n in names if names.count(n) > 1)}`")
    return found


def _constant(name):
    _refuse(f"invalid JSON in header: {name} is no number")


def _header(read, length):
    """`read(at, count)` gives bytes of a file of `length` bytes. @returns metadata, tensors by name, where data begin."""
    if length < 8:
        _refuse(f"header too small: {length} bytes, of which the first 8 are the header's length")
    size = int.from_bytes(read(0, 8), "little")
    if size > _LARGEST_HEADER:
        _refuse(f"header too large: {size} bytes of at most {_LARGEST_HEADER}")
    if size > length - 8:
        _refuse(f"invalid header length: {size} bytes in a file of {length}")
    data = read(8, size)
    if data[:1] != b"{":
        _refuse("invalid header start: a header begins with {")
    # Python's reader goes as deep as the text, which can end a Python in WebAssembly.
    if _TOO_DEEP.search(_TEXTS.sub(b"", data)):
        _refuse("invalid JSON in header: it is nested more deeply than names, fields and their lists")
    try:
        header = json.loads(data.decode(), object_pairs_hook=_unique, parse_constant=_constant)
    except UnicodeDecodeError as error:
        _refuse(f"invalid UTF-8 in header: {error}")
    except (ValueError, RecursionError) as error:
        _refuse(f"invalid JSON in header: {error}")
    metadata = header.pop("__metadata__", None)
    if metadata is not None and not (
        isinstance(metadata, dict) and all(isinstance(each, str) for each in metadata.values())
    ):
        _refuse("invalid JSON in header: __metadata__ holds texts by name")
    tensors = {name: _entry(name, entry) for name, entry in header.items()}
    tensors = dict(sorted(tensors.items(), key=lambda item: item[1][2]))
    end = 0
    for name, (_, _, (first, last)) in tensors.items():
        # One tensor begins where the one before ends: nothing overlaps, and nothing is hidden.
        if first != end:
            _refuse(f"invalid offset for tensor `{name}`: it begins at {first}, and the one before ends at {end}")
        end = last
    if end != length - 8 - size:
        _refuse(
            f"incomplete metadata, file not fully covered: the tensors have {end} bytes, and the file {length - 8 - size}"
        )
    return metadata, tensors, 8 + size


def _whole(number):
    return isinstance(number, int) and not isinstance(number, bool) and number >= 0


def _entry(name, entry):
    """@returns dtype, shape and place of a tensor, checked against each other."""
    # The package passes over fields that it does not have.
    if not isinstance(entry, dict) or not {"dtype", "shape", "data_offsets"} <= set(entry):
        _refuse(f"invalid JSON in header: `{name}` has not all of the fields dtype, shape and data_offsets")
    dtype, shape, place = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not isinstance(dtype, str) or dtype not in _BITS:
        _refuse(f"invalid JSON in header: unknown dtype {dtype!r} of `{name}`, expected one of {', '.join(_BITS)}")
    if not isinstance(shape, list) or not all(map(_whole, shape)):
        _refuse(f"invalid JSON in header: shape {shape!r} of `{name}`")
    if not isinstance(place, list) or len(place) != 2 or not all(map(_whole, place)) or place[0] > place[1]:
        _refuse(f"invalid offset for tensor `{name}`: {place!r}")
    needed = math.prod(shape) * _BITS[dtype] // 8
    if place[1] - place[0] != needed:
        _refuse(
            f"invalid shape, data type, or offset for tensor `{name}`: {dtype} {shape} has {needed} bytes, and its place {place[1] - place[0]}"
        )
    return dtype, shape, (place[0], place[1])


class safe_open:  # noqa: N801 - the package's name
    """`with safe_open(path, framework="pt") as file: file.get_tensor(name)`"""

    def __init__(self, filename, framework, device="cpu"):
        if framework not in ("pt", "torch", "pytorch"):
            raise SafetensorError(f"framework {framework} is invalid: here there is 'pt'")
        self._device = device
        try:
            self._file = open(filename, "rb")
        except FileNotFoundError:
            raise FileNotFoundError(f'No such file or directory: "{os.fspath(filename)}"') from None
        try:
            length = os.fstat(self._file.fileno()).st_size
            self._metadata, self._tensors, self._data = _header(self._read, length)
        except BaseException:
            self._file.close()
            raise

    def _read(self, at, count):
        self._file.seek(at)
        return self._file.read(count)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._file.close()

    def metadata(self):
        return self._metadata

    def keys(self):
        return sorted(self._tensors)

    def offset_keys(self):
        return list(self._tensors)

    def get_tensor(self, name):
        from .torch import _tensor

        dtype, shape, (first, last) = self._place(name)
        data = self._read(self._data + first, last - first)
        if len(data) != last - first:
            raise SafetensorError(f"File became shorter while `{name}` was read")
        return _tensor(dtype, shape, data).to(self._device)

    def get_slice(self, name):
        self._place(name)
        return _Slice(self, name)

    def _place(self, name):
        if name not in self._tensors:
            raise SafetensorError(f"File does not contain tensor {name}")
        return self._tensors[name]


class _Slice:
    """A tensor that is read when it is indexed."""

    def __init__(self, file, name):
        self._file, self._name = file, name

    def get_shape(self):
        return list(self._file._place(self._name)[1])

    def get_dtype(self):
        return self._file._place(self._name)[0]

    def __getitem__(self, index):
        return self._file.get_tensor(self._name)[index]


def __getattr__(name):
    raise AttributeError(f"safetensors.{name} is not among what is here of safetensors: {', '.join(__all__)}")


__all__ = ["SafetensorError", "safe_open"]
