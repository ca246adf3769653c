"""Type names: Triton's short ones ('*fp32', 'i32') and the ones the compiler uses ('float32')."""

CANONICAL = {
    "bool": "u1", "int1": "u1", "uint1": "u1", "i1": "u1",
    "float8e4nv": "fp8e4nv", "float8e5": "fp8e5", "float8e4b15": "fp8e4b15", "float8e4b8": "fp8e4b8",
    "float8e5b16": "fp8e5b16", "float8_e4m3fn": "fp8e4nv", "float8_e5m2": "fp8e5",
    "half": "fp16", "float16": "fp16", "bfloat16": "bf16", "float": "fp32", "float32": "fp32",
    "double": "fp64", "float64": "fp64",
    "int8": "i8", "int16": "i16", "int": "i32", "int32": "i32", "int64": "i64",
    "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64", "void": "void",
}  # fmt: skip
CANONICAL.update({v: v for v in list(CANONICAL.values())})

#: Triton's short name → the compiler's dtype.
LONG = {
    "u1": "int1", "fp8e4nv": "float8e4nv", "fp8e5": "float8e5", "fp8e4b15": "float8e4b15",
    "fp8e4b8": "float8e4b8", "fp8e5b16": "float8e5b16", "fp16": "float16", "bf16": "bfloat16",
    "fp32": "float32", "fp64": "float64", "i8": "int8", "i16": "int16", "i32": "int32",
    "i64": "int64", "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64", "void": "void",
}  # fmt: skip


def normalize(ty):
    """An annotation in Triton's short form: `tl.int32` → 'i32', "const *fp32" → '*kfp32'."""
    from .language import core

    if isinstance(ty, str):
        ty = ty.strip()
        if ty.startswith("const "):
            return "*k" + normalize(ty.removeprefix("const "))[1:]
        if ty.endswith("*"):
            return "*" + normalize(ty[:-1])
        if ty.startswith("*"):
            return "*" + normalize(ty[1:])
        if ty.startswith("tl."):
            return normalize(ty.removeprefix("tl."))
    elif isinstance(ty, core.pointer_type):
        return "*" + normalize(ty.element_ty)
    elif isinstance(ty, core.dtype):
        ty = ty.name
    elif isinstance(ty, type):
        ty = ty.__name__
    else:
        ty = str(ty)
    return CANONICAL.get(ty.replace("_t", ""), ty)


def short_dtype(dtype):
    """A tensor's dtype in Triton's short form."""
    return CANONICAL[str(dtype).split(".")[-1]]
