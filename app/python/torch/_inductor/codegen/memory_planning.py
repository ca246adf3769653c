"""`torch._inductor.codegen.memory_planning`."""


def _align(nbytes):
    return (nbytes + 63) & -64
