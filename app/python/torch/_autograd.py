"""Reverse-mode differentiation on a tape of Python closures. A node keeps the inputs that need
gradients and a function from the output's gradient to theirs; nodes are visited newest first.

Its edges are the nodes that its inputs came from when it was made: an operation in place gives a tensor
another node later. What a node's closure holds counts as saved, with its version. Where the backward of
that node reads one of these tensors at another version, it raises PyTorch's error.
"""

import heapq
import traceback
import warnings

from . import _core as core
from . import _eager
from ._tensor import Tensor, alias, contiguous_copy

_enabled = True
#: Whether backward names the operation that failed; "nan" also fails where a gradient is NaN.
_anomaly = False
#: The traceback of a node that was made while it was off.
_UNKNOWN = {"traceback_": ["  not known: anomaly detection was off\n"]}
_inference = False
_sequence = 0


class Node:
    __slots__ = (
        "name_", "inputs", "edges", "forms", "saved", "function", "number", "arity", "outputs", "metadata",
        "composite",
    )  # fmt: skip

    def __init__(self, name, inputs, function, outputs=1):
        global _sequence
        _sequence += 1
        self.name_ = name
        self.inputs = inputs
        #: For each input that needs a gradient the node it came from, None for a leaf; else False.
        self.edges = [
            t._grad_fn if isinstance(t, Tensor) and t.requires_grad else False for t in inputs
        ]
        #: Their shapes and dtypes then: operations in place change the shape, too.
        self.forms = [None if edge is False else (t._shape, t.dtype) for t, edge in zip(inputs, self.edges)]
        #: {id(counter): (counter, version, tensor)}
        self.saved = None
        self.function = function
        self.number = _sequence
        self.outputs = outputs
        #: The function that PyTorch has one node for, where this is one of several.
        self.composite = core.composite
        if _anomaly:
            self.metadata = {"traceback_": _program_lines()}

    def name(self):
        return self.name_

    @property
    def next_functions(self):
        return tuple(
            _place(edge) if edge else (None, 0)
            for t, edge in zip(self.inputs, self.edges)
            if isinstance(t, Tensor)
        )

    def __repr__(self):
        return f"<{self.name_} object>"


def _program_lines():
    return [each for each in traceback.format_stack() if '"/lib/hippocamp/' not in each]


def needs(*tensors):
    if not _enabled:
        return False
    for t in tensors:
        if isinstance(t, Tensor):
            if t._base is not None and t._base._grad_fn is not t._base_fn:
                _renew(t)
            if t.requires_grad:
                # The others may be views of changed tensors, too.
                for other in tensors:
                    if isinstance(other, Tensor) and other._base is not None:
                        _renew(other)
                return True
    return False


def _renew(t):
    """A view whose base an operation in place has changed since is a view of what that made."""
    base = t._base
    if base._grad_fn is t._base_fn:
        return
    t._base_fn = base._grad_fn
    if not base.requires_grad or not t.dtype.is_floating_point:
        return
    _view_of_all(t, base)
    from ._views import windows_gradient

    windows_gradient(base, t)


def _view_of_all(view, base):
    """@raises NotImplementedError for a view of other elements than the base's, or of their parts."""
    if view.dtype is not base.dtype or view._offset < base._offset:
        raise NotImplementedError(
            "an in-place operation on a view in an autograd graph is not available in Hippocamp's torch where "
            "the view has another dtype than the tensor that it is a view of, or begins before it"
        )


def replaced(base, view, result):
    """After an operation in place on a view: the base's node, which takes the window from `result`."""
    from ._create import fill_
    from ._views import clone, window_in

    window = window_in(base, view)

    def gradient(g):
        rest, part = window(g)
        own = clone(part)
        fill_(part, 0)
        return rest, own

    record(base, "CopySlices", [_before(base), result], gradient)
    _renew(view)


def record(out, name, inputs, function):
    """`function(grad)` gives one gradient (or None) for each of `inputs`."""
    if out.dtype.is_floating_point or out.dtype.is_complex:
        out._grad_fn = node = Node(name, inputs, function)
        out.requires_grad = True
        node.saved = _saved_by(function)
    return out


def save_again(out, before):
    """After `out`, whose storage was `before`, became another tensor's memory: the version at which its node
    saved it. What the node saved of that memory earlier stays at its version."""
    node = out._grad_fn
    if node.__class__ is Node:
        node.saved.pop(id(before), None)
        node.saved = {**_saved_by(node.function), **node.saved}


def _saved_by(function, found=None, depth=4):
    """The tensors in a closure, and in those that it holds, as `Node.saved`."""
    found = {} if found is None else found
    for cell in function.__closure__ or ():
        try:
            value = cell.cell_contents
        except ValueError:
            continue
        _save(value, found, depth)
    return found


def _save(value, found, depth):
    if value.__class__ is dict:
        value = list(value.values())
    if isinstance(value, Tensor):
        counter = value._counter or value._storage
        found.setdefault(id(counter), (counter, counter.version, value))
    elif depth and value.__class__ in (list, tuple):
        for each in value:
            _save(each, found, depth - 1)
    elif depth and hasattr(value, "__closure__"):
        _saved_by(value, found, depth - 1)


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
    #: By where it arrives: a node and which of its outputs, or a leaf.
    grads = {}
    alive = {}
    heap = []
    pending = {}
    wanted = None if inputs is None else {_key(t, t._grad_fn): id(t) for t in inputs}
    results = {}

    def arrive(t, edge, grad, form):
        shape, dtype = form
        if grad._shape != shape:
            grad = unbroadcast(grad, shape)
        if grad.dtype is not dtype:
            # The real part reaches a real tensor from complex ones.
            grad = grad.real.to(dtype) if grad.dtype.is_complex else grad.to(dtype)
        key = _key(t, edge)
        if key not in alive or t._grad_fn is edge:
            alive[key] = t
        grads[key] = grad if key not in grads else grads[key] + grad
        if edge is not None:
            node, place = _place(edge)
            if node.number not in pending:
                pending[node.number] = {}
                heapq.heappush(heap, (-node.number, node))
            pending[node.number][place] = key

    with no_grad():
        for t, gradient in zip(roots, gradients):
            if t._base is not None:
                _renew(t)
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
            arrive(t, t._grad_fn, gradient, (t._shape, t.dtype))
        while heap:
            _, node = heapq.heappop(heap)
            arrived = [None] * node.outputs
            for place, key in pending.pop(node.number).items():
                t = alive[key]
                grad = grads.pop(key)
                if t._grad_fn is not None and _key(t, t._grad_fn) == key:
                    grad = _hooked(t, grad)
                    if t._hooks and "retain" in t._hooks:
                        t._grad = grad if t._grad is None else t._grad + grad
                if wanted is not None and key in wanted:
                    results[wanted[key]] = grad
                arrived[place] = grad
            given = _run_node(node, arrived)
            for t, edge, form, grad in zip(node.inputs, node.edges, node.forms, given):
                if grad is not None and edge is not False:
                    arrive(t, edge, grad, form)
        for key, grad in grads.items():
            t = alive[key]
            grad = _hooked(t, grad) if t._grad_fn is None else grad
            if wanted is not None and key not in wanted:
                continue
            results[id(t)] = grad
            if accumulate:
                _accumulate(t, grad)
                for hook in t._hooks or ():
                    if hook.__class__ is tuple:
                        hook[1](t)
    return results


def _run_node(node, arrived):
    """The gradients of a node's inputs. @raises RuntimeError where it reads a saved tensor that has changed."""
    outer, core.saved = core.saved, node.saved or None
    launches = _eager.launches
    try:
        given = node.function(*arrived)
        given = given if isinstance(given, (tuple, list)) else (given,)
        if core.eager is not None:
            _eager.after_backward(node, launches, given)
        if _anomaly == "nan":
            _no_nan(node, given)
    except Exception:
        if _anomaly:
            where = "".join(getattr(node, "metadata", _UNKNOWN)["traceback_"])
            warnings.warn(
                f"Error detected in {node.name_}. Traceback of forward call that caused the error:\n{where}"
            )
        raise
    finally:
        core.saved = outer
    return given


def _no_nan(node, gradients):
    for i, g in enumerate(gradients):
        if isinstance(g, Tensor) and g.dtype.is_floating_point and g.isnan().any().item():
            raise RuntimeError(f"Function '{node.name_}' returned nan values in its {i}th output.")


def _key(t, edge):
    return (0, id(t)) if edge is None else (edge[0].number, edge[1]) if edge.__class__ is tuple else (edge.number, 0)


def _place(edge):
    return edge if edge.__class__ is tuple else (edge, 0)


def _accumulate(t, grad):
    """Adds to the gradient of a leaf, in place: `g = x.grad` stays it."""
    if grad._shape != t._shape:
        # The leaf got another shape since, under no_grad.
        grad = grad.expand(*t._shape)
    known = t._grad
    if known is None:
        t._grad = _own(grad, t)
    elif known.dtype is grad.dtype and known._shape == grad._shape:
        known.add_(grad)
    else:
        t._grad = known + grad


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


class set_detect_anomaly:
    """Sets at once; as a context manager, until its end."""

    def __init__(self, mode, check_nan=True):
        global _anomaly
        self.previous, _anomaly = _anomaly, mode and ("nan" if check_nan else True)

    def __enter__(self):
        return None

    def __exit__(self, *_):
        global _anomaly
        _anomaly = self.previous


class detect_anomaly:
    """From its beginning to its end as a context manager."""

    def __init__(self, check_nan=True):
        self.check_nan = check_nan
        warnings.warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for "
            "debugging.",
            stacklevel=2,
        )

    def __enter__(self):
        self.set = set_detect_anomaly(True, self.check_nan)

    def __exit__(self, *_):
        self.set.__exit__()


def is_anomaly_enabled():
    return bool(_anomaly)


def no_gradient_into(name, out, *tensors):
    """@raises RuntimeError where a function of tensors that need gradients writes into `out`."""
    if out is not None and (out.dtype.is_floating_point or out.dtype.is_complex) and needs(*tensors):
        raise RuntimeError(
            f"{name}(): functions with out=... arguments don't support automatic differentiation, but one of the "
            "arguments requires grad."
        )


def is_grad_enabled():
    return _enabled


class FunctionCtx:
    """`ctx` in a `torch.autograd.Function`."""

    def __init__(self):
        self._saved = ()
        self._versions = None
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
        for t, version in zip(self._saved, self._versions or ()):
            if version is not None and t._version != version:
                raise RuntimeError(core.changed_text(t._counter or t._storage, version, t))
        return self._saved

    def _keep_versions(self):
        self._versions = [t._version if isinstance(t, Tensor) else None for t in self._saved]

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
        ctx._keep_versions()
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
