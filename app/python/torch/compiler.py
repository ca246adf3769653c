"""`torch.compiler`: programs run as they are, so there is nothing to switch off."""


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
