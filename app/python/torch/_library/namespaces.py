"""`torch.ops`: `torch.ops.NAMESPACE.NAME`, of operators that programs registered and of PyTorch's own."""

from .._missing import Unavailable
from .operators import operators

#: Namespaces of PyTorch's own operators: generated code binds their names whether it uses them or
#: not.
_OWN = frozenset(
    """_c10d_functional _quantized aten c10d fsdp higher_order inductor mkldnn mkldnn_prims_impl prim prims
    profiler quantized quantized_decomposed rngprims symm_mem xnnpack""".split()
)


class OpOverload:
    """`torch.ops.NAMESPACE.NAME.default`."""

    _overloadname = "default"

    def __init__(self, operator):
        self._operator, self._schema = operator, operator.schema
        self.__name__ = f"{operator.name.split('::')[1]}.default"
        self.namespace = operator.name.split("::")[0]

    def __call__(self, *args, **kwargs):
        return self._operator.call(args, kwargs)

    def name(self):
        return self._operator.name

    @property
    def overloadpacket(self):
        return OpOverloadPacket(self._operator)

    def __eq__(self, other):
        return isinstance(other, OpOverload) and self._operator is other._operator

    def __hash__(self):
        return hash(self._operator.name)

    def __str__(self):
        return f"{self._operator.name.replace('::', '.')}.default"

    def __repr__(self):
        return f"<OpOverload(op='{self._operator.name.replace('::', '.')}', overload='default')>"


class OpOverloadPacket:
    """`torch.ops.NAMESPACE.NAME`."""

    def __init__(self, operator):
        self._operator = operator
        self._qualified_op_name = operator.name
        self.__name__ = operator.name.split("::")[1]
        self.default = OpOverload(operator)

    def __call__(self, *args, **kwargs):
        return self._operator.call(args, kwargs)

    def overloads(self):
        return ["default"]

    def __str__(self):
        return self._operator.name.replace("::", ".")

    def __repr__(self):
        return f"<OpOverloadPacket(op='{self}')>"


class _Space:
    def __init__(self, name):
        self._name = self.name = name

    def __getattr__(self, name):
        found = operators.get(f"{self._name}::{name}")
        if found is not None:
            return OpOverloadPacket(found)
        if self._name in _OWN and not name.startswith("__"):
            from .._operators import operator

            return operator(self._name, name) or Unavailable(f"torch.ops.{self._name}.{name}")
        raise AttributeError(f"'_OpNamespace' '{self._name}' object has no attribute '{name}'")


class _Ops:
    """`torch.ops`."""

    def __getattr__(self, name):
        return _Space(name)

    def load_library(self, path):
        raise OSError(f"{path}: native libraries cannot be loaded in Hippocamp")


ops = _Ops()
