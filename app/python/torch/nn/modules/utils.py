"""`torch.nn.modules.utils`."""


def _many(n):
    def parse(x):
        return tuple(x) if hasattr(x, "__iter__") else (x,) * n

    return parse


_single, _pair, _triple, _quadruple = map(_many, (1, 2, 3, 4))
