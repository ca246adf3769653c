"""`torch.utils.deterministic`. Empty memory is filled in either case: without, PyTorch leaves open what it holds."""

fill_uninitialized_memory = True
