"""`torch.autograd.gradcheck`: the Jacobian by backward against the one by central differences."""

import warnings

from .._autograd import grad, no_grad
from .._tensor import Tensor


class GradcheckError(RuntimeError):
    """The error of `gradcheck`, which returns False in its place with raise_exception=False."""


GradcheckError.__module__ = "torch.autograd.gradcheck"


def gradcheck(
    func, inputs, *, eps=1e-6, atol=1e-5, rtol=1e-3, raise_exception=True, nondet_tol=0.0,
    check_undefined_grad=True, check_grad_dtypes=False, check_batched_grad=False,
    check_batched_forward_grad=False, check_forward_ad=False, check_backward_ad=True, fast_mode=False, masked=None,
):  # fmt: skip
    """Whether the gradients of all outputs, with respect to each input that requires one, are those of central
    differences within `atol + rtol * |numerical|`. Whole Jacobians also with fast_mode."""
    if check_forward_ad or check_batched_forward_grad:
        raise NotImplementedError("forward-mode differentiation is not available in Hippocamp's torch")
    if check_batched_grad:
        raise NotImplementedError("gradcheck(check_batched_grad=True) is not available in Hippocamp's torch")
    inputs = tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)
    _check_inputs(inputs)
    try:
        if check_backward_ad:
            _compare(func, inputs, eps, atol, rtol, nondet_tol)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def gradgradcheck(func, inputs, grad_outputs=None, **_):
    raise NotImplementedError("gradgradcheck (higher derivatives) is not available in Hippocamp's torch")


def _check_inputs(inputs):
    found = False
    for i, t in enumerate(inputs):
        if not (isinstance(t, Tensor) and t.requires_grad):
            continue
        found = True
        if t.dtype.is_complex:
            raise NotImplementedError("gradcheck of complex inputs is not available in Hippocamp's torch")
        if t.dtype.name != "float64":
            warnings.warn(
                f"Input #{i} requires gradient and is not a double precision floating point or complex. This check "
                "will likely fail if all the inputs are not of double precision floating point or complex. ",
                stacklevel=3,
            )
        if any(stride == 0 and size > 1 for size, stride in zip(t._shape, t._strides)):
            raise RuntimeError(
                f"The {i}th input has a dimension with stride 0. gradcheck only supports inputs that are "
                "non-overlapping to be able to compute the numerical gradients correctly. You should call "
                ".contiguous on the input before passing it to gradcheck."
            )
    if not found:
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none of them have "
            "requires_grad=True."
        )


def _outputs(func, inputs):
    out = func(*inputs)
    return list(out) if isinstance(out, (tuple, list)) else [out]


def _floating(outputs):
    return [o for o in outputs if isinstance(o, Tensor) and o.dtype.is_floating_point]


def _compare(func, inputs, eps, atol, rtol, nondet_tol):
    wanted = [(i, t) for i, t in enumerate(inputs) if isinstance(t, Tensor) and t.requires_grad]
    outputs = _outputs(func, inputs)
    tracked = [o for o in _floating(outputs) if o.requires_grad]
    numerical = [_numerical(func, inputs, t, eps) for _, t in wanted]
    if not tracked:
        if any(value != 0 for columns in numerical for rows in columns for row in rows for value in row):
            raise GradcheckError("Numerical gradient for function expected to be zero")
        return
    places = [j for j, o in enumerate(_floating(outputs)) if o.requires_grad]
    for o, place in enumerate(places):
        out = _floating(outputs)[place]
        analytical = _analytical(out, [t for _, t in wanted])
        again = _analytical(out, [t for _, t in wanted])
        for k, ((_, t), jacobian) in enumerate(zip(wanted, analytical)):
            wide = numerical[k][place]
            if not _close(jacobian, wide, atol, rtol):
                from .._create import tensor

                shown = [tensor(m, dtype=t.dtype).reshape(t.numel(), out.numel()) for m in (wide, jacobian)]
                raise GradcheckError(
                    f"Jacobian mismatch for output {o} with respect to input {k},\n"
                    f"numerical:{shown[0]}\nanalytical:{shown[1]}\n"
                )
            if not _close(jacobian, again[k], nondet_tol, 0.0):
                raise GradcheckError(
                    "Backward is not reentrant, i.e., running backward with same input and grad_output multiple "
                    "times gives different values, although analytical gradient matches numerical gradient. "
                    f"The tolerance for nondeterminism was {nondet_tol}."
                )


def _close(a, b, atol, rtol):
    return all(
        x == y or abs(x - y) <= atol + rtol * abs(y) for row, other in zip(a, b) for x, y in zip(row, other)
    )


def _numerical(func, inputs, t, eps):
    """The Jacobian of each floating output: rows by elements of `t`. Its memory is changed and put back."""
    rows = None
    with no_grad():
        # Not counted as a change in place.
        window = t.data
        shape = tuple(t._shape)
        for flat in range(t.numel()):
            index, rest = [], flat
            for size in reversed(shape):
                index.insert(0, rest % size)
                rest //= size
            index = tuple(index)
            old = window[index].item()
            ends = []
            for moved in (old + eps, old - eps):
                window[index] = moved
                ends.append([o.detach().reshape(-1).tolist() for o in _floating(_outputs(func, inputs))])
            window[index] = old
            if rows is None:
                rows = [[] for _ in ends[0]]
            for each, high, low in zip(rows, *ends):
                each.append([(h - l) / (2 * eps) for h, l in zip(high, low)])
    return rows if rows is not None else [[] for _ in _floating(_outputs(func, inputs))]


def _analytical(out, inputs):
    """For each input its Jacobian, rows by the input's elements: a backward for each element of `out`."""
    from .._create import zeros_like

    columns = []
    for flat in range(out.numel()):
        head = zeros_like(out, memory_format=None).contiguous()
        head.reshape(-1)[flat] = 1.0
        found = grad([out], inputs, [head], retain_graph=True, allow_unused=True)
        columns.append([[0.0] * t.numel() if g is None else g.reshape(-1).tolist() for g, t in zip(found, inputs)])
    return [[[column[k][i] for column in columns] for i in range(t.numel())] for k, t in enumerate(inputs)]
