"""`torch.fx._symbolic_trace`: nothing is traced."""


def is_fx_tracing():
    return False


is_fx_symbolic_tracing = is_fx_tracing
