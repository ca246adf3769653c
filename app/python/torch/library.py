"""`torch.library`: operators that a program registers are called as they are, under `torch.ops`."""

from ._missing import Unavailable


class _Operator:
    """A registered operator: callable, and `.default` for those who name the overload."""

    def __init__(self, name, function=None):
        self._qualname = name
        self.__name__ = name.split("::")[-1]
        self._function = function
        self._setup = self._backward = None
        self.default = self

    def __call__(self, *args, **kwargs):
        if self._function is None:
            raise NotImplementedError(f"{self._qualname} was defined, but has no implementation")
        if self._backward is not None:
            return self._differentiable(*args, **kwargs)
        return self._function(*args, **kwargs)

    def _differentiable(self, *args, **kwargs):
        from ._autograd import Function

        operator = self

        class Registered(Function):
            @staticmethod
            def forward(ctx, *inputs):
                output = operator._function(*inputs, **kwargs)
                if operator._setup is not None:
                    ctx.needs_input_grad = tuple(ctx.needs_input_grad)
                    operator._setup(ctx, inputs, output)
                return output

            @staticmethod
            def backward(ctx, *grads):
                return operator._backward(ctx, *grads)

        return Registered.apply(*args)

    # Registrations that a compiler would need; nothing compiles here.
    def register_fake(self, fn=None, /):
        return fn if fn is not None else lambda f: f

    register_abstract = impl_abstract = register_fake

    def register_autograd(self, backward, /, *, setup_context=None):
        self._backward, self._setup = backward, setup_context

    def register_kernel(self, device_types, fn=None, /):
        def keep(function):
            self._function = function
            return function

        return keep if fn is None else keep(fn)

    def __repr__(self):
        return f"<CustomOpDef({self._qualname})>"


_operators = {}


def _named(name):
    if name not in _operators:
        _operators[name] = _Operator(name)
    return _operators[name]


def custom_op(name, fn=None, /, *, mutates_args=(), device_types=None, schema=None, tags=None):
    def register(function):
        operator = _operators[name] = _Operator(name, function)
        operator.__doc__ = function.__doc__
        return operator

    return register if fn is None else register(fn)


def triton_op(name, fn=None, /, *, mutates_args=(), schema=None):
    return custom_op(name, fn, mutates_args=mutates_args)


def wrap_triton(kernel, /):
    return kernel


def register_fake(op, func=None, /, *, lib=None, _stacklevel=1, allow_override=False):
    return func if func is not None else lambda f: f


impl_abstract = register_fake


def register_autograd(op, backward, /, *, setup_context=None, lib=None):
    (_named(op) if isinstance(op, str) else op).register_autograd(backward, setup_context=setup_context)


def register_kernel(op, device_types, func=None, /, *, lib=None):
    return (_named(op) if isinstance(op, str) else op).register_kernel(device_types, func)


def define(qualname, schema, *, lib=None, tags=()):
    _named(qualname)


def impl(qualname, types, func=None, *, lib=None):
    def keep(function):
        _named(qualname)._function = function
        return function

    return keep if func is None else keep(func)


class Library:
    """A namespace of operators."""

    def __init__(self, ns, kind, dispatch_key=""):
        self.ns, self.kind = ns, kind

    def define(self, schema, alias_analysis="", *, tags=()):
        name = schema.split("(")[0].strip()
        _named(f"{self.ns}::{name}")
        return name

    def impl(self, op_name, fn, dispatch_key="", *, with_keyset=False, allow_override=False):
        if self.ns == "aten":
            raise NotImplementedError(
                "replacing PyTorch's own operators (torch.library.Library('aten', …).impl) is not available in "
                "Hippocamp; calling the function is the nearest thing"
            )
        if dispatch_key not in ("Meta", "AutogradCUDA", "Autograd"):
            _named(f"{self.ns}::{str(op_name).split('::')[-1]}")._function = fn


#: Namespaces of PyTorch's own operators: generated code binds their names whether it uses them or
#: not.
_OWN = frozenset(
    """_c10d_functional _quantized aten c10d fsdp higher_order inductor mkldnn mkldnn_prims_impl prim prims
    profiler quantized quantized_decomposed rngprims symm_mem xnnpack""".split()
)


class _Space:
    """`torch.ops.NAME`: the operators that programs registered there, and PyTorch's own."""

    def __init__(self, name):
        self._name = name

    def __getattr__(self, name):
        found = _operators.get(f"{self._name}::{name}")
        if found is None and self._name in _OWN and not name.startswith("__"):
            from ._operators import operator

            found = operator(self._name, name) or Unavailable(f"torch.ops.{self._name}.{name}")
        if found is None:
            raise AttributeError(f"'_OpNamespace' '{self._name}' object has no attribute '{name}'")
        return found


class _Ops:
    """`torch.ops`."""

    def __getattr__(self, name):
        return _Space(name)

    def load_library(self, path):
        raise OSError(f"{path}: native libraries cannot be loaded in Hippocamp")


ops = _Ops()


def __getattr__(name):
    from ._missing import missing

    raise missing("torch.library", name, globals())
