"""`torch.distributed`: there is one process and one GPU, so no process group can be made. Code that queries
whether there is one is answered; what needs one says so.
"""


class ReduceOp:
    SUM, AVG, PRODUCT, MIN, MAX, BAND, BOR, BXOR = range(8)


class ProcessGroup:
    pass


class Work:
    """What an operation that was started gives; none is."""


class group:
    WORLD = None


def is_available():
    return False


def is_initialized():
    return False


def is_nccl_available():
    return False


def _uninitialized(*args, **kwargs):
    raise ValueError(
        "Default process group has not been initialized, please make sure to call init_process_group."
    )


get_rank = get_world_size = get_backend = barrier = _uninitialized
all_reduce = all_gather = all_gather_into_tensor = reduce_scatter = broadcast = _uninitialized
reduce_scatter_tensor = all_to_all = all_to_all_single = send = recv = _uninitialized


def init_process_group(*args, **kwargs):
    raise NotImplementedError(
        "torch.distributed.init_process_group is not available in Hippocamp: there is one process and one GPU"
    )


def destroy_process_group(group=None):
    pass


def __getattr__(name):
    if name in ("tensor", "DeviceMesh"):
        import importlib

        tensor = importlib.import_module("torch.distributed.tensor")
        return tensor if name == "tensor" else tensor.DeviceMesh
    from .._missing import missing

    raise missing("torch.distributed", name, globals())
