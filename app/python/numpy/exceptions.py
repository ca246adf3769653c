"""`numpy.exceptions`."""


class AxisError(ValueError, IndexError):
    pass


class ComplexWarning(RuntimeWarning):
    pass


class VisibleDeprecationWarning(UserWarning):
    pass


class DTypePromotionError(TypeError):
    pass
