"""`torch.compiler`: programs run as they are, so there is nothing to switch off."""

import warnings


#: Messages of this run.
_said = []


def say_eager():
    """Warns that `torch.compile` compiles nothing: the first time in a run."""
    if _said:
        return
    message = (
        "torch.compile runs the function as it is written, one operation after another: Inductor is not in Hippocamp. "
        "A module that it wrote elsewhere (TORCH_LOGS=output_code) runs here as a program."
    )
    _said.append(message)
    warnings.warn(message, UserWarning, stacklevel=3)


def disable(fn=None, recursive=True, *, reason=None):
    return (lambda f: f) if fn is None else fn


def allow_in_graph(fn):
    return fn


def assume_constant_result(fn):
    return fn


def is_compiling():
    return False


def is_dynamo_compiling():
    return False


def is_exporting():
    return False


def reset():
    pass


def cudagraph_mark_step_begin():
    pass


def set_stance(*args, **kwargs):
    import contextlib

    return contextlib.nullcontext()


def __getattr__(name):
    from ._missing import missing

    raise missing("torch.compiler", name, globals())
