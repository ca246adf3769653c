"""The root of Triton's exceptions."""


class TritonError(Exception):
    """Base class for all errors raised by Triton."""
