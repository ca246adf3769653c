"""`torch._inductor.codegen.multi_kernel`."""


class MultiKernelCall:
    """Several kernels for one thing: the first is taken."""

    def __init__(self, multi_kernel_name, kernels, *_, **__):
        self.kernels = kernels

    def run(self, *args, **kwargs):
        return self.kernels[0].run(*args, **kwargs)
