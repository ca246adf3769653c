"""`torch.distributed.tensor`: names to ask with. No tensor is distributed here, and none can be made so."""


class DTensor:
    def __init__(self, *args, **kwargs):
        raise NotImplementedError(
            "torch.distributed.tensor is not available in Hippocamp: there is one process and one GPU"
        )

    from_local = staticmethod(__init__)


class Placement:
    pass


class Shard(Placement):
    def __init__(self, dim):
        self.dim = dim


class Replicate(Placement):
    pass


class Partial(Placement):
    pass


def distribute_tensor(*args, **kwargs):
    DTensor()


distribute_module = distribute_tensor
DeviceMesh = DTensor
