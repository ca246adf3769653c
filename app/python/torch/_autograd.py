"""Reverse-mode differentiation on a tape of Python closures. A node keeps the inputs that need
gradients and a function from the output's gradient to theirs; nodes are visited newest first.
"""

import heapq

from ._tensor import Tensor, alias, contiguous_copy

_enabled = True
_inference = False
_sequence = 0


class Node:
    __slots__ = ("name_", "inputs", "function", "number", "arity", "outputs", "metadata")

    def __init__(self, name, inputs, function, outputs=1):
        global _sequence
        _sequence += 1
        self.name_ = name
        self.inputs = inputs
        self.function = function
        self.number = _sequence
        self.outputs = outputs

    def name(self):
        return self.name_

    @property
    def next_functions(self):
        return tuple(
            (t.grad_fn, t.output_nr)
            for t in self.inputs
            if isinstance(t, Tensor)
        )

    def __repr__(self):
        return f"<{self.name_} object>"


def needs(*tensors):
    if not _enabled:
        return False
    for t in tensors:
        if isinstance(t, Tensor) and t.requires_grad:
            return True
    return False


def record(out, name, inputs, function):
    """`function(grad)` gives one gradient (or None) for each of `inputs`."""
    if out.dtype.is_floating_point or out.dtype.is_complex:
        out._grad_fn = Node(name, inputs, function)
        out.requires_grad = True
    return out


def holomorphic(gradient, out):
    """`gradient(g)` of real functions, for complex ones: PyTorch's gradients are conjugated."""
    if not out.dtype.is_complex:
        return gradient

    def conjugated(g):
        from ._complex import conj

        found = gradient(conj(g))
        if isinstance(found, tuple):
            return tuple(None if f is None else conj(f) for f in found)
        return conj(found)

    return conjugated


def unbroadcast(grad, shape):
    """Sums what broadcasting repeated."""
    if grad._shape == shape:
        return grad
    extra = len(grad._shape) - len(shape)
    if extra:
        grad = grad.sum(tuple(range(extra)))
    axes = tuple(i for i, s in enumerate(shape) if s == 1 and grad._shape[i] != 1)
    return grad.sum(axes, keepdim=True) if axes else grad


def backward(roots, gradients, create_graph=False, inputs=None, accumulate=True):
    """Walks the tape. @returns {id(tensor): gradient} for `inputs` where not accumulating."""
    if create_graph:
        raise NotImplementedError(
            "create_graph=True (higher derivatives) is not available in Hippocamp's torch"
        )
    grads = {}
    alive = {}
    heap = []
    seen = set()
    wanted = None if inputs is None else {id(t): t for t in inputs}
    results = {}

    def arrive(t, grad):
        if grad._shape != t._shape:
            grad = unbroadcast(grad, t._shape)
        if grad.dtype is not t.dtype:
            # The real part reaches a real tensor from complex ones.
            grad = grad.real.to(t.dtype) if grad.dtype.is_complex else grad.to(t.dtype)
        key = id(t)
        alive[key] = t
        grads[key] = grad if key not in grads else grads[key] + grad
        if t._grad_fn is not None:
            node, _ = of(t)
            if node.number not in seen:
                seen.add(node.number)
                heapq.heappush(heap, (-node.number, node))
            pending.setdefault(node.number, {})[key] = t

    pending = {}
    with no_grad():
        for t, gradient in zip(roots, gradients):
            if not t.requires_grad:
                raise RuntimeError(
                    "element 0 of tensors does not require grad and does not have a grad_fn"
                )
            if gradient is None:
                if t.numel() != 1:
                    raise RuntimeError("grad can be implicitly created only for scalar outputs")
                from ._create import ones_like

                if t.dtype.is_complex:
                    raise RuntimeError("grad can be implicitly created only for real scalar outputs but got torch." + t.dtype.name)
                gradient = ones_like(t)
            elif gradient._shape != t._shape:
                raise RuntimeError(
                    f"Mismatch in shape: grad_output[0] has a shape of {gradient._shape} and output[0] has a shape of {t._shape}."
                )
            arrive(t, gradient)
        while heap:
            _, node = heapq.heappop(heap)
            arrived = [None] * node.outputs
            for key, t in pending.pop(node.number).items():
                grad = _hooked(t, grads[key])
                if wanted is not None and key in wanted:
                    results[key] = grad
                if t._hooks and "retain" in t._hooks:
                    t._grad = grad if t._grad is None else t._grad + grad
                place = of(t)[1]
                arrived[place] = grad if arrived[place] is None else arrived[place] + grad
                del grads[key]
            given = node.function(*arrived)
            if not isinstance(given, (tuple, list)):
                given = (given,)
            for t, grad in zip(node.inputs, given):
                if grad is not None and isinstance(t, Tensor) and t.requires_grad:
                    arrive(t, grad)
        for key, grad in grads.items():
            t = alive[key]
            if t._grad_fn is None and t.requires_grad:
                grad = _hooked(t, grad)
                if wanted is not None and key not in wanted:
                    continue
                results[key] = grad
                if accumulate:
                    t._grad = _own(grad, t) if t._grad is None else t._grad + grad
                    for hook in t._hooks or ():
                        if hook.__class__ is tuple:
                            hook[1](t)
    return results


def of(t):
    return t._grad_fn if t._grad_fn.__class__ is tuple else (t._grad_fn, 0)


def _own(grad, t):
    """A gradient of the leaf's own, laid out as the leaf is."""
    return contiguous_copy(grad) if t.is_contiguous() else grad.clone()


def _hooked(t, grad):
    for hook in t._hooks or ():
        if callable(hook):
            changed = hook(grad)
            grad = grad if changed is None else changed
    return grad


def grad(
    outputs,
    inputs,
    grad_outputs=None,
    retain_graph=None,
    create_graph=False,
    only_inputs=True,
    allow_unused=None,
    is_grads_batched=False,
    materialize_grads=False,
):
    outputs = [outputs] if isinstance(outputs, Tensor) else list(outputs)
    single = isinstance(inputs, Tensor)
    inputs = [inputs] if single else list(inputs)
    if grad_outputs is None:
        grad_outputs = [None] * len(outputs)
    elif isinstance(grad_outputs, Tensor):
        grad_outputs = [grad_outputs]
    for t in inputs:
        if not t.requires_grad and any(o.requires_grad for o in outputs):
            raise RuntimeError("One of the differentiated Tensors does not require grad")
    found = backward(outputs, grad_outputs, create_graph, inputs, accumulate=False)
    out = []
    for t in inputs:
        g = found.get(id(t))
        if g is None and not allow_unused:
            raise RuntimeError(
                "One of the differentiated Tensors appears to not have been used in the graph. "
                "Set allow_unused=True if this is the desired behavior."
            )
        out.append(g)
    return tuple(out)


class _GradMode:
    """A context manager and decorator that sets whether operations are recorded."""

    mode = True

    def __init__(self, function=None):
        self.function = function

    def __new__(cls, function=None):
        if callable(function):
            return cls()(function)
        return object.__new__(cls)

    def __enter__(self):
        global _enabled
        self.previous = _enabled
        _enabled = self.mode
        return self

    def __exit__(self, *_):
        global _enabled
        _enabled = self.previous

    def __call__(self, function):
        import functools

        mode = type(self)

        @functools.wraps(function)
        def wrapped(*args, **kwargs):
            with mode():
                return function(*args, **kwargs)

        return wrapped


class no_grad(_GradMode):
    mode = False


class enable_grad(_GradMode):
    mode = True


class inference_mode(_GradMode):
    mode = False

    def __enter__(self):
        global _inference
        self.outer, _inference = _inference, not self.mode
        return _GradMode.__enter__(self)

    def __exit__(self, *_):
        global _inference
        _inference = self.outer
        _GradMode.__exit__(self)

    def __new__(cls, mode=True):
        return _GradMode.__new__(cls, mode if callable(mode) else None)

    def __init__(self, mode=True):
        self.mode = not mode if isinstance(mode, bool) else False


class set_grad_enabled(_GradMode):
    def __new__(cls, mode):
        return object.__new__(cls)

    def __init__(self, mode):
        global _enabled
        self.mode = mode
        self.previous = _enabled
        _enabled = mode

    def __enter__(self):
        return self


def is_grad_enabled():
    return _enabled


class FunctionCtx:
    """`ctx` in a `torch.autograd.Function`."""

    def __init__(self):
        self._saved = ()
        self.needs_input_grad = ()
        self._not_differentiable = ()
        self._dirty = ()
        self.materialize_grads = True

    def save_for_backward(self, *tensors):
        self._saved = tensors

    def save_for_forward(self, *tensors):
        """For `jvp`, which nothing here requests."""

    @property
    def saved_tensors(self):
        return self._saved

    saved_variables = saved_tensors

    def mark_dirty(self, *tensors):
        self._dirty = tensors

    def mark_non_differentiable(self, *tensors):
        self._not_differentiable = tensors

    def set_materialize_grads(self, value):
        self.materialize_grads = value


_node_classes = {}


def _class_of(function):
    """The class of a function's nodes: `type(y.grad_fn).__name__` names the function."""
    made = _node_classes.get(function)
    if made is None:
        made = _node_classes[function] = type(f"{function.__name__}Backward", (FunctionNode,), {})
    return made


class FunctionNode(Node):
    """A node of a user's function, which shows what its `ctx` holds."""

    __slots__ = ("context",)

    def __getattr__(self, name):
        if name == "context":
            raise AttributeError(name)
        return getattr(self.context, name)


def _before(t):
    out = alias(t)
    out.requires_grad, out._grad_fn = t.requires_grad, t._grad_fn
    return out


class Function:
    """A user's operation with its own backward."""

    @staticmethod
    def forward(ctx, *args, **kwargs):
        raise NotImplementedError(
            "You must implement the forward function for custom autograd.Function."
        )

    @staticmethod
    def backward(ctx, *grads):
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom autograd.Function "
            "to use it with backward mode AD."
        )

    setup_context = None

    @classmethod
    def apply(cls, *args, **kwargs):
        ctx = FunctionCtx()
        ctx.needs_input_grad = tuple(isinstance(a, Tensor) and a.requires_grad for a in args)
        recorded = _enabled and any(ctx.needs_input_grad)
        with no_grad():
            if cls.setup_context is not None:
                result = cls.forward(*args, **kwargs)
                cls.setup_context(ctx, args, result)
            else:
                result = cls.forward(ctx, *args, **kwargs)
        for t in ctx._dirty:
            t._version += 1
            if recorded and t.requires_grad and t.is_leaf:
                raise RuntimeError(
                    "a leaf Variable that requires grad has been used in an in-place operation."
                )
        if not recorded:
            return result
        single = not isinstance(result, tuple)
        outs = [result] if single else list(result)
        not_differentiable = {id(t) for t in ctx._not_differentiable}

        def run_backward(*grads):
            from ._create import zeros_like

            if ctx.materialize_grads:
                grads = [
                    zeros_like(o) if g is None and isinstance(o, Tensor) else g
                    for g, o in zip(grads, outs)
                ]
            given = cls.backward(ctx, *grads)
            given = given if isinstance(given, tuple) else (given,)
            if len(given) < len(args) or any(g is not None for g in given[len(args) :]):
                raise RuntimeError(
                    f"function {cls.__name__}Backward returned an incorrect number of gradients "
                    f"(expected {len(args)}, got {len(given)})"
                )
            return given

        # The old value of a dirty argument lives on as the input; the argument itself becomes the
        # output.
        dirty = {id(t) for t in ctx._dirty}
        inputs = [_before(a) if id(a) in dirty else a for a in args]
        node = _class_of(cls)(f"{cls.__name__}Backward", inputs, run_backward, len(outs))
        node.context = ctx
        for i, out in enumerate(outs):
            if not isinstance(out, Tensor):
                continue
            if not (out.dtype.is_floating_point or out.dtype.is_complex):
                continue
            if id(out) in not_differentiable:
                continue
            if any(out is a for a in args) and id(out) not in dirty:
                out = outs[i] = alias(out)
            out._grad_fn = (node, i)
            out.requires_grad = True
        return outs[0] if single else tuple(outs)
