"""Matrix products and `einsum`, with their gradients."""

import os

import _hippocamp_bridge as bridge

from . import _core as core
from . import _views as views
from ._arithmetic import _needs_grad, add, mul
from ._autograd import needs, no_gradient_into, record
from ._core import Size, broadcast_shapes, compute_name, numel, run
from ._eager import single
from ._elementwise import cast, device_of
from ._tensor import Tensor, empty, write


#: What C++ calls the element types.
_TYPE_NAMES = {
    "float16": "c10::Half", "bfloat16": "c10::BFloat16", "float32": "float", "float64": "double",
    "complex64": "c10::complex<float>", "complex128": "c10::complex<double>", "int8": "signed char",
    "uint8": "unsigned char", "int16": "short int", "int32": "int", "int64": "long int",
}  # fmt: skip


def _product(a, b, batch, m, k, n, shape, dtype):
    """[batch, m, k] × [batch, k, n]; the operands have those sizes, whatever their strides."""
    if a.dtype is not b.dtype:
        first, second = (_TYPE_NAMES.get(t.dtype.name, t.dtype.name) for t in (a, b))
        raise RuntimeError(
            f"expected m1 and m2 to have the same dtype, but got: {first} != {second}"
        )
    if a.dtype is core.bool_:
        raise NotImplementedError('"addmm_impl_cpu_" not implemented for \'Bool\'')
    if a.dtype.is_complex:
        from ._complex import product

        return product(a, b, lambda x, y: _product(x, y, batch, m, k, n, shape, x.dtype))
    out = empty(shape, dtype, device_of(a, b))
    if out.numel() and k:
        _multiply(out, a, b, batch, m, k, n)
    return out


#: Multiplications from which on a profile looks at what repetitions take.
_LARGE = 2**24


def _multiply(out, a, b, batch, m, k, n):
    size = batch * m * k * n
    if core.eager is None and (size >= _LARGE or "HIPPOCAMP_PRODUCTS" in os.environ):
        from . import _gpu_products

        if _gpu_products.wanted(out, a, size):
            groups = lambda t: t if len(t._shape) == 3 else views.reshape(t, batch, *t._shape[-2:])  # noqa: E731
            _gpu_products.launch(groups(out), groups(a), groups(b))
            return
    compute = lambda to: run(  # noqa: E731
        "matmul", (to,), (a, b), c=compute_name(a.dtype), n=(batch, m, k, n)
    )
    if bridge.profile is not None and size >= _LARGE:
        key = ("product", a.dtype, out.dtype, batch, m, k, n)
        bridge.profile.product("torch: matmul", key, out, (a, b), compute)
    else:
        compute(out)


def product_into(out, a, b):
    """`out = a @ b` for matrices, in float32 and rounded once to the dtype of `out`."""
    (m, k), n = a._shape, b._shape[1]
    if out.numel():
        _multiply(out, a, b, 1, m, k, n) if k else out.zero_()


def _check_matrices(input, mat2):
    if len(input._shape) != 2:
        raise RuntimeError("self must be a matrix")
    if len(mat2._shape) != 2:
        raise RuntimeError("mat2 must be a matrix")


def mm(input, mat2, *, out=None):
    _check_matrices(input, mat2)
    return _out(matmul(input, mat2), out)


def _check_batches(input, mat2):
    if len(input._shape) != 3 or len(mat2._shape) != 3:
        raise RuntimeError("batch1 must be a 3D tensor")
    if input._shape[0] != mat2._shape[0] or input._shape[2] != mat2._shape[1]:
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{input._shape[0]}, {input._shape[2]}] but got: [{mat2._shape[0]}, {mat2._shape[1]}]."
        )


def bmm(input, mat2, *, out=None):
    _check_batches(input, mat2)
    return _out(matmul(input, mat2), out)


def mv(input, vec):
    return matmul(input, vec)


def dot(input, tensor):
    if len(input._shape) != 1 or len(tensor._shape) != 1:
        raise RuntimeError(
            f"1D tensors expected, but got {len(input._shape)}D and {len(tensor._shape)}D tensors"
        )
    if input._shape != tensor._shape:
        raise RuntimeError(
            f"inconsistent tensor size, expected tensor [{input._shape[0]}] and src [{tensor._shape[0]}] to have the same number of elements, but got {input._shape[0]} and {tensor._shape[0]} elements respectively"
        )
    return matmul(input, tensor)


inner_dot = dot


def _out(result, out):
    if out is None:
        return result
    no_gradient_into("mm" if len(out._shape) == 2 else "matmul", out, result)
    write(out, result)
    return out


def matmul(input, other, *, out=None):
    return _out(_matmul(input, other), out)


def _matmul(a, b, dtype=None):
    """Rounded to `dtype`; None: that of the operands."""
    for position, operand in ((1, a), (2, b)):
        if not isinstance(operand, Tensor):
            raise TypeError(
                f"matmul(): argument '{'input' if position == 1 else 'other'}' (position {position}) must be Tensor, not {type(operand).__name__}"
            )
    if not a._shape or not b._shape:
        raise RuntimeError(
            f"both arguments to matmul need to be at least 1D, but they are {len(a._shape)}D and {len(b._shape)}D"
        )
    device_of(a, b)
    left = views.unsqueeze(a, 0) if len(a._shape) == 1 else a
    right = views.unsqueeze(b, 1) if len(b._shape) == 1 else b
    m, k = left._shape[-2:]
    k2, n = right._shape[-2:]
    if k != k2:
        if len(a._shape) == 1 and len(b._shape) == 1:
            raise RuntimeError(
                f"inconsistent tensor size, expected tensor [{k}] and src [{k2}] to have the same number of elements, but got {k} and {k2} elements respectively"
            )
        if len(a._shape) > 2 and len(b._shape) > 2:
            raise RuntimeError(
                f"Expected size for first two dimensions of batch2 tensor to be: [{numel(left._shape[:-2])}, {k}] but got: [{numel(right._shape[:-2])}, {k2}]."
            )
        rows = numel(left._shape[:-1])
        raise RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({rows}x{k} and {k2}x{n})"
            if len(b._shape) != 1
            else f"size mismatch, got input ({rows}), mat ({rows}x{k}), vec ({k2})"
        )
    batch = broadcast_shapes(left._shape[:-2], right._shape[:-2])
    left_all = _batched(left, batch)
    right_all = _batched(right, batch)
    shape = list(batch) + [m, n]
    result = _product(left_all, right_all, numel(batch), m, k, n, shape, dtype or a.dtype)
    if needs(a, b):

        def gradient(g):
            ga = gb = None
            g = cast(g, a.dtype)
            if _needs_grad(a):
                ga = matmul(g, _adjoint(right))
            if _needs_grad(b):
                gb = matmul(_adjoint(left), g)
            return ga, gb

        record(result, "MmBackward0", [left, right], gradient)
    if len(a._shape) == 1:
        result = views.squeeze(result, -2)
    if len(b._shape) == 1:
        result = views.squeeze(result, -1)
    return result


def _adjoint(t):
    if t.dtype.is_complex:
        from ._complex import conj

        t = conj(t)
    return views.transpose(t, -1, -2)


def _batched(t, batch):
    shape = Size(tuple(batch) + tuple(t._shape[-2:]))
    return views.broadcast_view(t, shape)


def scaled(input, product, beta, alpha):
    """`beta · input + alpha · product`."""
    if alpha != 1:
        product = mul(product, alpha)
    if beta == 0:
        return product
    return add(input if beta == 1 else mul(input, beta), product)


@single("addmm", "products.addmm", nodes=False)
def fused(input, a, b, *, beta=1, alpha=1):
    """`beta · input + alpha · (a @ b)`. Halves are summed in float32 with all of it, and rounded once."""
    if a.dtype is not b.dtype or a.dtype not in (core.float16, core.bfloat16):
        return scaled(input, matmul(a, b), beta, alpha)
    product = _matmul(a, b, core.float32)
    return cast(scaled(cast(input, core.float32), product, beta, alpha), a.dtype)


def addmm(input, mat1, mat2, *, beta=1, alpha=1):
    _check_matrices(mat1, mat2)
    return fused(input, mat1, mat2, beta=beta, alpha=alpha)


def baddbmm(input, batch1, batch2, *, beta=1, alpha=1):
    _check_batches(batch1, batch2)
    return fused(input, batch1, batch2, beta=beta, alpha=alpha)


def addmv(input, mat, vec, *, beta=1, alpha=1):
    return fused(input, mat, vec, beta=beta, alpha=alpha)


def outer(input, vec2):
    return mul(views.unsqueeze(input, 1), views.unsqueeze(vec2, 0))


ger = outer


def einsum(equation, *operands):
    """Products and sums over named dimensions, two operands at a time."""
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = tuple(operands[0])
    equation = equation.replace(" ", "")
    inputs, arrow, output = equation.partition("->")
    terms = inputs.split(",")
    if len(terms) != len(operands):
        raise RuntimeError(
            f"einsum(): the number of operands specified in the equation ({len(terms)}) does not match the number provided ({len(operands)})"
        )
    if "..." in equation:
        terms, output = _name_ellipsis(terms, operands, output, arrow)
    if not arrow:
        letters = "".join(terms)
        output = "".join(sorted(c for c in set(letters) if letters.count(c) == 1))
    pending = list(zip(terms, operands))
    term, value = _diagonals(*pending[0])
    for i in range(1, len(pending)):
        later = "".join(t for t, _ in pending[i + 1 :]) + output
        other, right = _diagonals(*pending[i])
        term, value = _contract(term, value, other, right, set(later))
    drop = [i for i, c in enumerate(term) if c not in output]
    if drop:
        value = value.sum(tuple(drop))
        term = "".join(c for c in term if c in output)
    return views.permute(value, *[term.index(c) for c in output]) if output else value


def _name_ellipsis(terms, operands, output, arrow):
    """`...` becomes capital letters that no subscript uses, aligned at the right."""
    spare = [c for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ" if c not in "".join(terms)]
    most = 0
    named = []
    for term, t in zip(terms, operands):
        if "..." in term:
            n = len(t._shape) - (len(term) - 3)
            most = n if n > most else most
            named.append((term, n))
        else:
            named.append((term, 0))
    letters = "".join(spare[:most])
    out_terms = [t.replace("...", letters[most - n :]) if "..." in t else t for t, n in named]
    if arrow:
        output = output.replace("...", letters)
    return out_terms, output


def _diagonals(term, t):
    for c in term:
        while term.count(c) > 1:
            i = term.index(c)
            j = term.index(c, i + 1)
            t = views.diagonal(t, 0, i, j)
            term = term[:i] + term[i + 1 : j] + term[j + 1 :] + c
    return term, t


def _contract(ta, a, tb, b, later):
    """One matrix product: shared and kept letters are batch, shared and done ones are summed."""
    batch = [c for c in ta if c in tb and c in later]
    summed = [c for c in ta if c in tb and c not in later]
    # Letters that only one operand has and nobody needs are summed at once.
    for letters, is_left in ((ta, True), (tb, False)):
        other = tb if is_left else ta
        alone = [c for c in letters if c not in other and c not in later]
        if alone:
            axes = tuple(letters.index(c) for c in alone)
            kept = "".join(c for c in letters if c not in alone)
            if is_left:
                a, ta = a.sum(axes), kept
            else:
                b, tb = b.sum(axes), kept
    left = [c for c in ta if c not in tb]
    right = [c for c in tb if c not in ta]
    size = {c: s for c, s in zip(tb, b._shape)}
    for c, s in zip(ta, a._shape):
        size[c] = s if size.get(c, 1) == 1 else size[c]
    a = views.permute(a, *[ta.index(c) for c in batch + left + summed])
    b = views.permute(b, *[tb.index(c) for c in batch + summed + right])
    sizes = lambda cs: [size[c] for c in cs]  # noqa: E731
    n = lambda cs: numel(sizes(cs))  # noqa: E731
    a = views.reshape(views.expand(a, *sizes(batch + left + summed)), n(batch), n(left), n(summed))
    b = views.reshape(views.expand(b, *sizes(batch + summed + right)), n(batch), n(summed), n(right))
    out = views.reshape(bmm(a, b), *sizes(batch + left + right))
    return "".join(batch + left + right), out
