"""Errors of launching."""

from ..errors import TritonError


class InterpreterError(TritonError):
    pass


class OutOfResources(TritonError):
    def __init__(self, required, limit, name):
        self.required = required
        self.limit = limit
        self.name = name
        self.message = None
        super().__init__(required, limit, name)

    @classmethod
    def from_message(cls, message):
        error = cls(0, 0, message)
        error.message = message
        return error

    def __str__(self):
        if self.message is not None:
            return f"out of resource: {self.message}"
        return (
            f"out of resource: {self.name}, Required: {self.required}, Hardware limit: {self.limit}. "
            "Reducing block sizes or `num_stages` may help."
        )


class PTXASError(TritonError):
    pass


class AutotunerError(TritonError):
    def __str__(self):
        return f"Autotuner error: {self.args[0] if self.args else ''}"
