"""`torch.utils._triton`: whether there is a Triton, which there is."""


def has_triton_package():
    return True


def has_triton():
    return True


def has_triton_tma_device():
    return True


has_triton_tma = has_triton_stable_tma_api = has_triton_tma_device
