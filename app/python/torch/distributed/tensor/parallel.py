"""`torch.distributed.tensor.parallel`."""


class ParallelStyle:
    """How a module is cut among devices; there is one."""


class ColwiseParallel(ParallelStyle):
    pass


class RowwiseParallel(ParallelStyle):
    pass


class SequenceParallel(ParallelStyle):
    pass


def parallelize_module(module, *args, **kwargs):
    raise NotImplementedError(
        "torch.distributed is not available in Hippocamp: there is one process and one GPU"
    )
