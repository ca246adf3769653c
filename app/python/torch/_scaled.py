"""`torch._scaled_mm`: the product of two matrices of fp8, each with a scale, or one for each row and column."""

from . import _core as core
from ._elementwise import cast
from ._products import matmul
from ._arithmetic import add, mul


def _scaled_mm(
    input, mat2, scale_a, scale_b, bias=None, scale_result=None, out_dtype=None, use_fast_accum=False
):
    """Accumulates in float32. `scale_a` has one element or [m, 1], `scale_b` one or [1, n]."""
    if len(input._shape) != 2 or len(mat2._shape) != 2:
        name, tensor = ("mat1", input) if len(input._shape) != 2 else ("mat2", mat2)
        raise RuntimeError(f"{name} must be a matrix, got {len(tensor._shape)}-D tensor")
    (m, k), (inner, n) = input._shape, mat2._shape
    if k != inner:
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({m}x{k} and {inner}x{n})")
    for name, tensor in (("mat1", input), ("mat2", mat2)):
        if tensor.dtype not in core.FP8:
            raise RuntimeError(f"Expected {name} to be Float8 matrix got {tensor.dtype.short}")
    if input.device.type == "cuda":
        _check_layout(input, mat2)
    for name, scale, rows in (("scale_a", scale_a, (m, 1)), ("scale_b", scale_b, (1, n))):
        if scale.numel() != 1 and tuple(scale._shape) != rows:
            raise NotImplementedError(
                f"torch._scaled_mm with a {name} of shape {list(scale._shape)} is not available in Hippocamp's torch: "
                f"one element, or {list(rows)}"
            )
    out = matmul(cast(input, core.float32), cast(mat2, core.float32))
    out = mul(mul(out, scale_a.reshape(-1, 1)), scale_b.reshape(1, -1))
    if bias is not None:
        out = add(out, cast(bias, core.float32))
    out_dtype = out_dtype or input.dtype
    if scale_result is not None and out_dtype in core.FP8:
        out = mul(out, scale_result)
    return cast(out, out_dtype)


def _check_layout(a, b):
    """What CUDA requires of them."""
    if a._strides[1] != 1 or b._strides[0] != 1:
        raise RuntimeError("Invalid strides/layout: mat1 must be row-major and mat2 column-major")
    if a._shape[1] % 16:
        raise RuntimeError(
            f"Expected trailing dimension of mat1 to be divisible by 16 but got mat1 shape: ({a._shape[0]}x{a._shape[1]})."
        )
    if b._shape[0] % 16 or b._shape[1] % 16:
        raise RuntimeError(f"Expected both dimensions of mat2 to be divisible by 16 but got ({b._shape[0]}x{b._shape[1]}).")
