"""`torch.library`: operators that a program defines, implements and differentiates. They are called as
functions, or under `torch.ops`; what is registered for PyTorch's compiler is kept by nobody.
"""

from ._library.namespaces import ops  # noqa: F401
from ._library.operators import (
    CustomOpDef,
    Operator,
    custom_op,
    keep,
    operators,
    triton_op,
    wrap_triton,
)
from ._library.schemas import infer_schema, parse

__all__ = [
    "CustomOpDef", "Library", "custom_op", "define", "impl", "impl_abstract", "infer_schema", "register_autograd",
    "register_fake", "register_kernel", "register_torch_dispatch", "register_vmap", "triton_op", "wrap_triton",
]  # fmt: skip

_NAMESPACES = set()


def _operator(op):
    """@raises RuntimeError: nobody has defined it"""
    if isinstance(op, CustomOpDef):
        return op._operator
    name = op if isinstance(op, str) else op._operator.name
    if name not in operators:
        raise RuntimeError(f"operator {name} does not exist")
    return operators[name]


def register_fake(op, func=None, /, *, lib=None, _stacklevel=1, allow_override=False):
    _operator(op)
    return func if func is not None else lambda f: f


impl_abstract = register_fake


def register_vmap(op, func=None, /, *, lib=None):
    _operator(op)
    return func if func is not None else lambda f: f


def register_torch_dispatch(op, torch_dispatch_class, func=None, /, *, lib=None, allow_override=False):
    _operator(op)
    return func if func is not None else lambda f: f


def register_autograd(op, backward, /, *, setup_context=None, lib=None):
    operator = _operator(op)
    if operator.schema.is_mutable:
        raise RuntimeError(
            f"Cannot register autograd formula for non-functional operator {operator.name} with schema "
            f"{operator.schema}. Please create a functional operator and register an autograd formula for that."
        )
    operator.backward, operator.setup = backward, setup_context


def register_kernel(op, device_types, func=None, /, *, lib=None):
    operator = _operator(op)

    def register(function):
        keep(operator, device_types, function)
        return function

    return register if func is None else register(func)


def define(qualname, schema, *, lib=None, tags=()):
    """`define("mine::twice", "(Tensor x) -> Tensor")`, or of a Library: `define(library, "twice(…) -> …")`."""
    if isinstance(qualname, Library):
        return qualname.define(schema)
    namespace, _ = qualname.split("::")
    _define(qualname, schema)


def _define(name, text):
    schema = parse(text, name)
    if name in operators:
        raise RuntimeError(
            f"Tried to register an operator ({schema}) with the same name and overload name multiple times. Each "
            "overload's schema should only be registered with a single call to def()."
        )
    operators[name] = Operator(schema)
    for types, function in _early.pop(name, ()):
        keep(operators[name], types, function)


def impl(qualname, types, func=None, *, lib=None):
    """`impl("mine::twice", "cuda")(function)`, or of a Library: `impl(library, "twice", "CUDA")(function)`."""
    if isinstance(qualname, Library):
        library, key = qualname, func or ""
        return lambda function: library.impl(types, function, key) or function

    def register(function):
        # PyTorch takes an implementation before its definition; a call then has nothing to bind by.
        if qualname in operators:
            keep(operators[qualname], types, function)
        else:
            _early.setdefault(qualname, []).append((types, function))
        return function

    return register if func is None else register(func)


_early = {}


class Library:
    """A namespace of operators: 'DEF' begins one, 'FRAGMENT' and 'IMPL' add to it."""

    def __init__(self, ns, kind, dispatch_key=""):
        if kind == "DEF":
            if ns in _NAMESPACES:
                raise RuntimeError(
                    f"Only a single TORCH_LIBRARY can be used to register the namespace {ns}; please put all of your "
                    "definitions in a single TORCH_LIBRARY block."
                )
            _NAMESPACES.add(ns)
        self.ns, self.kind, self.dispatch_key = ns, kind, dispatch_key

    def define(self, schema, alias_analysis="", *, tags=()):
        name = schema.split("(")[0].strip()
        _define(f"{self.ns}::{name}", schema)
        return name

    def impl(self, op_name, fn, dispatch_key="", *, with_keyset=False, allow_override=False):
        if self.ns == "aten":
            raise NotImplementedError(
                "replacing PyTorch's own operators (torch.library.Library('aten', …).impl) is not available in "
                "Hippocamp; calling the function is the nearest thing"
            )
        key = dispatch_key or self.dispatch_key or "CompositeImplicitAutograd"
        if key not in ("Meta", "AutogradCUDA", "Autograd"):
            impl(f"{self.ns}::{str(op_name).split('::')[-1]}", key, fn)


def __getattr__(name):
    from ._missing import missing

    raise missing("torch.library", name, globals())
