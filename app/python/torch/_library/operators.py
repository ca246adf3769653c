"""Operators that programs register, and how a call finds its implementation: by the device of its tensors, below
autograd, with the formula that was registered for the backward pass.
"""

from .._autograd import Function, is_grad_enabled, no_grad
from .._tensor import Tensor
from .schemas import schema_of

#: Registered operators by qualified name.
operators = {}
_ANY = "default"


class Operator:
    """What a name stands for."""

    def __init__(self, schema):
        self.schema, self.name = schema, schema.name
        #: By device type, or `_ANY`.
        self.kernels = {}
        #: Kernels that a program has switched off, by device type.
        self.disabled = set()
        self.backward = self.setup = None
        #: Whether autograd sees the formula alone, and whether results may not be arguments.
        self.custom = self.checked = False

    def call(self, args, kwargs):
        values, named = self.schema.bind(args, kwargs)
        kernel = self._kernel(values, named)
        if not self.custom and self.backward is None:
            return kernel(*values, **named)
        recorded = is_grad_enabled() and any(t.requires_grad for t in tensors_in((values, named)))
        if recorded and not self.schema.is_mutable:
            return self._recorded(kernel, values, named)
        with no_grad():
            return self._run(kernel, values, named)

    def _kernel(self, values, named):
        device = self._device(values, named)
        found = None if device in self.disabled else self.kernels.get(device)
        found = found or self.kernels.get(_ANY)
        if found is None:
            raise NotImplementedError(
                f"Could not run '{self.name}' with arguments from the '{device.upper()}' backend. Kernels are "
                f"registered for: {', '.join(sorted(self.kernels)) or 'no backend'}"
            )
        return found

    def _device(self, values, named):
        types = {t.device.type for t in tensors_in((values, named))}
        if types:
            return "cuda" if "cuda" in types else types.pop()
        for argument, value in [*zip((a.name for a in self.schema.positional), values), *named.items()]:
            if argument == "device" and value is not None:
                return str(value).split(":")[0]
        return "cpu"

    def _run(self, kernel, values, named):
        result = kernel(*values, **named)
        if self.checked:
            self._check_results(kernel, result, tensors_in((values, named)))
        return result

    def _check_results(self, kernel, result, inputs):
        """PyTorch's compiler relies on it that a result shares memory with nothing else."""
        seen = {id(t._storage) for t in inputs}
        for each in tensors_in(result):
            if id(each._storage) in seen:
                raise RuntimeError(
                    f"{getattr(kernel, '__name__', self.name)} (with implementation in {kernel.__module__}): The "
                    "output of this custom operator (1) must not also be an input to this custom operator and (2) "
                    "may not alias any inputs to this custom operator or other returns. The most common way to "
                    "trigger this error is if we have y = custom_op(x) and y and x are the same Tensor. Please "
                    "instead return a clone of the offending output tensor(s) (e.g. return x.clone()) or refactor "
                    "the custom operator to not return y."
                )
            seen.add(id(each._storage))

    def _recorded(self, kernel, values, named):
        """With the formula for the backward pass. A list of tensors is an argument for each of them."""
        flat, rebuild = _flattened(values)
        operator = self

        class Recorded(Function):
            @staticmethod
            def forward(ctx, *given):
                inputs = rebuild(given)
                result = operator._run(kernel, inputs, named)
                ctx.needs_input_grad = rebuild(ctx.needs_input_grad)
                if operator.setup is not None:
                    if any(a.keyword_only for a in operator.schema.arguments):
                        operator.setup(ctx=ctx, inputs=inputs, keyword_only_inputs=named, output=result)
                    else:
                        operator.setup(ctx=ctx, inputs=inputs, output=result)
                return tuple(result) if isinstance(result, list) else result

            @staticmethod
            def backward(ctx, *grads):
                if operator.backward is None:
                    raise RuntimeError(
                        f"Trying to backward through {operator.name.replace('::', '.')}.default but no autograd "
                        "formula was registered. Please use register_autograd to add one."
                    )
                given = operator.backward(ctx, *grads)
                return _flattened(given if isinstance(given, tuple) else (given,))[0]

        Recorded.__name__ = self.name.replace("::", "_")
        result = Recorded.apply(*flat)
        return list(result) if self.schema.returns.endswith("[]") else result


def tensors_in(value):
    if isinstance(value, Tensor):
        return [value]
    if isinstance(value, (tuple, list)):
        return [t for each in value for t in tensors_in(each)]
    return tensors_in(tuple(value.values())) if isinstance(value, dict) else []


def _flattened(values):
    """Values with lists that have tensors (or gradients) in the place of their elements, and what undoes that."""
    counts = [
        len(v) if isinstance(v, (list, tuple)) and any(isinstance(e, Tensor) for e in v) else None for v in values
    ]
    flat = [e for v, count in zip(values, counts) for e in ([v] if count is None else v)]

    def rebuild(given):
        rest = iter(given)
        return tuple(next(rest) if count is None else [next(rest) for _ in range(count)] for count in counts)

    return tuple(flat), rebuild


class CustomOpDef:
    """What `torch.library.custom_op` makes of a function: called like it, and registered under its name."""

    def __init__(self, name, schema, function):
        self._name = name
        self._operator = operators[name] = Operator(schema)
        self._operator.custom = self._operator.checked = True
        self._init_fn = function
        self.__name__ = name.split("::")[1]
        self.__doc__ = function.__doc__

    @property
    def _qualname(self):
        return self._name

    @property
    def _opoverload(self):
        from .namespaces import OpOverload

        return OpOverload(self._operator)

    def __call__(self, *args, **kwargs):
        return self._operator.call(args, kwargs)

    def register_kernel(self, device_types, fn=None, /):
        def register(function):
            keep(self._operator, device_types, function)
            return function

        return register if fn is None else register(fn)

    def set_kernel_enabled(self, device_type, enabled=True):
        """Inside `with`, or from now on; the function itself runs where a device's kernel is switched off."""
        return _Switched(self._operator, device_type, enabled, self._init_fn)

    # Registrations for compilers and transformations that are not here.
    def register_fake(self, fn=None, /):
        return fn if fn is not None else lambda f: f

    register_abstract = impl_abstract = register_fake

    def register_vmap(self, func=None):
        return func if func is not None else lambda f: f

    def register_torch_dispatch(self, torch_dispatch_class, fn=None, /):
        return fn if fn is not None else lambda f: f

    def register_autograd(self, backward, /, *, setup_context=None):
        schema = self._operator.schema
        if schema.is_mutable:
            raise RuntimeError(
                f"Cannot register autograd formula for non-functional operator {self!r} with schema {schema}. Please "
                "create a functional operator and register an autograd formula for that."
            )
        self._operator.backward, self._operator.setup = backward, setup_context

    def __repr__(self):
        return f"<CustomOpDef({self._name})>"


class _Switched:
    def __init__(self, operator, device_type, enabled, function):
        self._operator, self._type = operator, device_type
        self._before = set(operator.disabled)
        operator.kernels.setdefault("default", function)
        (operator.disabled.discard if enabled else operator.disabled.add)(device_type)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._operator.disabled = self._before


def keep(operator, device_types, function):
    """For these devices; for all where there are none."""
    types = [device_types] if isinstance(device_types, str) else device_types
    if types is None:
        operator.kernels[_ANY] = function
        return
    for each in types:
        name = str(each).lower()
        operator.kernels[_ANY if name.startswith(("composite", "default")) else name] = function


def custom_op(name, fn=None, /, *, mutates_args, device_types=None, schema=None, tags=None):
    def register(function):
        from .schemas import parse

        namespace, _ = name.split("::")
        made = schema_of(function, mutates_args, name) if schema is None else parse(f"{name}{schema}")
        if schema is not None:
            mutated = {a.name for a in made.arguments if a.mutated}
            if mutated != set(mutates_args):
                raise ValueError(
                    f"Attempted to create a custom op with `mutates_args={mutates_args}` and `schema={schema}. The "
                    f"schema suggests that the op mutates {mutated}which is different from what was provided to us "
                    "in `mutates_args`. Please make these consistent."
                )
        takes_tensors = any(a.type.startswith("Tensor") for a in made.arguments)
        if device_types is not None and not takes_tensors and all(a.name != "device" for a in made.arguments):
            raise ValueError("Functions without tensor inputs are required to have a `device: torch.device` argument")
        defined = CustomOpDef(name, made, function)
        # An in-place or out operator returns an argument by its definition.
        defined._operator.checked = tags is None
        defined.register_kernel(device_types)(function)
        return defined

    return register if fn is None else register(fn)


def triton_op(name, fn=None, /, *, mutates_args, schema=None):
    """As `custom_op`; PyTorch's compiler also sees the kernels inside."""
    return custom_op(name, fn, mutates_args=mutates_args, schema=schema)


def wrap_triton(triton_kernel, /):
    """The kernel itself: nothing traces it here."""
    from triton.runtime.autotuner import Autotuner
    from triton.runtime.jit import JITFunction

    if not isinstance(triton_kernel, (JITFunction, Autotuner)):
        raise RuntimeError("wrap_triton only works on functions annotated with triton.jit or triton.autotune")
    return triton_kernel
