"""`torch.autograd.function`."""

import functools

from .._autograd import Function, FunctionCtx  # noqa: F401


def once_differentiable(fn):
    """For a backward that cannot be differentiated itself; second derivatives are refused anyway."""

    @functools.wraps(fn)
    def wrapper(ctx, *args):
        from .._autograd import no_grad

        with no_grad():
            return fn(ctx, *args)

    return wrapper
