"""`torch.utils.checkpoint`: there is memory enough, so nothing is computed twice; the gradients are the
same.
"""


def checkpoint(function, *args, use_reentrant=None, **kwargs):
    for name in ("context_fn", "determinism_check", "debug", "early_stop", "preserve_rng_state"):
        kwargs.pop(name, None)
    return function(*args, **kwargs)


def checkpoint_sequential(functions, segments, input, **kwargs):
    for function in functions:
        input = function(input)
    return input
