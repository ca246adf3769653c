"""The device of a tensor in a reproducer, by the string that the trace has."""


def normalize_accelerator_device_string(device):
    """`cuda:3` becomes `cuda:0`, the only one there is; what names no device is the CPU."""
    kind = device.strip().partition(":")[0] if isinstance(device, str) else ""
    return "cpu" if kind in ("", "cpu") else f"{kind}:0"
