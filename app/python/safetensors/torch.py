"""`safetensors.torch`: files of tensors of torch, read and written; what is damaged is refused (`safetensors`)."""

import json
import os
import sys

import torch

from . import SafetensorError, _header, safe_open

#: In the package's order, which is that of the elements' widths.
_NAMES = {
    "BOOL": "bool",
    "U8": "uint8",
    "I8": "int8",
    "F8_E5M2": "float8_e5m2",
    "F8_E4M3": "float8_e4m3fn",
    "F8_E8M0": "float8_e8m0fnu",
    "I16": "int16",
    "U16": "uint16",
    "F16": "float16",
    "BF16": "bfloat16",
    "I32": "int32",
    "U32": "uint32",
    "F32": "float32",
    "C64": "complex64",
    "F64": "float64",
    "I64": "int64",
    "U64": "uint64",
}
assert sys.byteorder == "little"


def _tensor(dtype, shape, data):
    kind = getattr(torch, _NAMES[dtype], None)
    if kind is None:
        raise SafetensorError(f"this torch has no torch.{_NAMES[dtype]}, which the file names {dtype}")
    if not data:
        return torch.empty(shape, dtype=kind)
    return torch.frombuffer(bytearray(data), dtype=kind).reshape(shape)


def load_file(filename, device="cpu"):
    """@returns the tensors of a file, by name. @raises SafetensorError, FileNotFoundError"""
    with safe_open(filename, framework="pt", device=device) as file:
        return {name: file.get_tensor(name) for name in file.offset_keys()}


def load(data):
    """@returns the tensors of a file's bytes, by name. @raises SafetensorError"""
    _, tensors, begin = _header(lambda at, count: data[at : at + count], len(data))
    return {
        name: _tensor(dtype, shape, data[begin + first : begin + last])
        for name, (dtype, shape, (first, last)) in tensors.items()
    }


def _overlapping(tensors):
    """@returns names of tensors that have bytes in common, in a list each"""
    places = sorted(
        (tensor.data_ptr(), tensor.data_ptr() + tensor.numel() * tensor.element_size(), name)
        for name, tensor in tensors.items()
        if tensor.numel()
    )
    groups, end = [], -1
    for first, last, name in places:
        if first >= end:
            groups.append([])
        groups[-1].append(name)
        end = max(end, last)
    return [names for names in groups if len(names) > 1]


def save(tensors, metadata=None):
    """
    @returns a file's bytes. @raises ValueError for what is no dense tensor, RuntimeError for tensors that share
    memory, TypeError for metadata that are no str by a str
    """
    found = {str(getattr(torch, name)): dtype for dtype, name in _NAMES.items() if hasattr(torch, name)}
    for name, tensor in tensors.items():
        if not isinstance(name, str):
            raise TypeError(f"{name!r} is no name of a tensor: a str is expected")
        if name == "__metadata__":
            raise SafetensorError("`__metadata__` is no name of a tensor: files have their metadata there")
        if not isinstance(tensor, torch.Tensor):
            raise ValueError(f"Key `{name}` is invalid, expected torch.Tensor but received {type(tensor)}")
        if not tensor.is_contiguous():
            raise ValueError(
                f"You are trying to save a non contiguous tensor: `{name}` which is not allowed. It either means you"
                " are trying to save tensors which are reference of each other in which case it's recommended to save"
                " only the full tensors, and reslice at load time, or simply call `.contiguous()` on your tensor to"
                " pack it before saving."
            )
        if str(tensor.dtype) not in found:
            raise ValueError(f"{tensor.dtype} of `{name}` has no place in a file of safetensors")
    for key, value in (metadata or {}).items():
        if not (isinstance(key, str) and isinstance(value, str)):
            raise TypeError(f"metadata {key!r}: {value!r} is no str by a str")
    shared = _overlapping(tensors)
    if shared:
        raise RuntimeError(
            f"Some tensors share memory, this will lead to duplicate memory on disk and potential differences when loading them again: {shared}."
        )
    # As the package: by dtype, wide elements first, so that each is aligned; then by name.
    order = list(_NAMES.values())
    names = sorted(tensors, key=lambda name: (-order.index(_NAMES[found[str(tensors[name].dtype)]]), name))
    header, parts, end = {}, [], 0
    if metadata is not None:
        header["__metadata__"] = dict(metadata)
    for name in names:
        tensor = tensors[name].detach().cpu()
        data = b""
        if tensor.numel():
            data = tensor.reshape(-1).view(torch.uint8).numpy().tobytes()
        place = [end, end + len(data)]
        header[name] = {"dtype": found[str(tensor.dtype)], "shape": list(tensor.shape), "data_offsets": place}
        end += len(data)
        parts.append(data)
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text + b"".join(parts)


def save_file(tensors, filename, metadata=None):
    with open(os.fspath(filename), "wb") as file:
        file.write(save(tensors, metadata))


def load_model(model, filename, strict=True, device="cpu"):
    """@returns names that are missing in the file, and those that the model does not have"""
    missing, unexpected = model.load_state_dict(load_file(filename, device=device), strict=False)
    if strict and (missing or unexpected):
        raise RuntimeError(
            f"Error(s) in loading state_dict for {type(model).__name__}:\n    Missing key(s) in state_dict: {missing}\n    Unexpected key(s) in state_dict: {unexpected}"
        )
    return missing, unexpected


def __getattr__(name):
    raise AttributeError(f"safetensors.torch.{name} is not among what is here: {', '.join(__all__)}")


__all__ = ["load", "load_file", "load_model", "save", "save_file"]
