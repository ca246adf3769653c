"""`torch._dynamo.utils`."""

import contextlib


@contextlib.contextmanager
def preserve_rng_state():
    """The block draws random numbers of its own; afterwards the program's go on where they were."""
    import torch

    state = torch.get_rng_state()
    try:
        yield
    finally:
        torch.set_rng_state(state)
