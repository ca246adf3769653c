"""`torch.fx`: nothing is traced, so a function that is not to be looked into is just that function."""


def wrap(fn_or_name):
    return fn_or_name


def __getattr__(name):
    from .._missing import missing

    raise missing("torch.fx", name, globals())
