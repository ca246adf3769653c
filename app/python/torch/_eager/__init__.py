"""PyTorch's eager operations on the visitor's GPU, for what is timed: within `timed()` an operation on CUDA tensors
is launches of Triton kernels of our own (`elementwise`, `rows`, `scans`, `order`, `products`, `convolutions`,
`selection`), through the compiler and the launches that a program's own kernels go through. What it writes stays on the GPU.

Contract: outside of `timed()` every number comes from the CPU (`app/numerics`), which shares nothing with the
compiler. Within it an operation has the same dtypes, shapes and strides, and the same values up to rounding. An
operation without a kernel, or one that PyTorch runs as fewer kernels than there are here, is computed on the CPU as
ever, and named in `missing`: such a function is not timed on the GPU. What the launches wrote is marked: a
comparison with it says that it is no independent reference.
"""

import contextlib
import functools
import os
import weakref

import _hippocamp_bridge as bridge

from .. import _core as core

#: Operations of the timed function that have no kernel, in their order; None: not timing.
missing = None
#: Launches of torch's operations since `timed()` began.
launches = 0
#: Storages that they wrote.
written = weakref.WeakSet()
#: Elements that they wrote, and multiplications of their products.
work = 0


def available():
    """Whether launches are timed by a GPU's clock here. HIPPOCAMP_EAGER=cpu keeps operations on the CPU."""
    if os.environ.get("HIPPOCAMP_EAGER") == "cpu" or missing is not None or bridge.profile is not None:
        return False
    environment = bridge.environment()
    if environment["options"].get("ring") or environment["options"].get("check"):
        return False
    return environment["adapter"]["kind"] == "webgpu"


@contextlib.contextmanager
def timed():
    """Operations within are launches. @yields the list that `missing` is."""
    global missing, launches, work
    missing, launches, work, core.eager = [], 0, 0, dispatch
    written.clear()
    try:
        yield missing
    finally:
        missing = core.eager = None


@contextlib.contextmanager
def paused():
    """Operations within are the CPU's, and no part of what is timed."""
    global missing, launches, work
    outer = missing, launches, work, core.eager
    missing = core.eager = None
    try:
        yield
    finally:
        missing, launches, work, core.eager = outer


def reset():
    """Between programs: one may have been stopped while it timed."""
    global missing
    missing = core.eager = core.composite = None
    written.clear()


def lacks(name):
    """This operation is the CPU's: its function is not timed on the GPU."""
    if name not in missing:
        missing.append(name)


def launched(out, depth=1, last=True):
    """After a launch that wrote `out`, each element of which took `depth` multiplications. `last`: none follows of
    the same operation."""
    global launches, work
    launches += 1 if last else 0
    work += core.numel(out._shape) * depth
    out._storage._new = False
    written.add(out._storage)
    core.marked.add(out._storage)


_KERNELS = {}


def kernel_for(*ops):
    """A decorator: `function(outs, ins, f, c, n, x)` launches these operations of app/numerics. It raises
    NotImplementedError where it has no kernel for them."""

    def register(function):
        for op in ops:
            _KERNELS[op] = function
        return function

    return register


def dispatch(op, outs, ins, f, c, n, x):
    """Launches an operation of `core.run`. @returns whether it did."""
    # After an operation of the CPU nothing is timed on the GPU either.
    if missing:
        return False
    name = f or op
    tensors = [t for t in (*outs, *ins) if t.__class__ not in (str, core.ComplexConstant)]
    if len(tensors) < len(outs) + len(ins) and any(t.__class__ is core.ComplexConstant for t in ins):
        return _left(name, "complex numbers")
    if not any(t.device is core.CUDA for t in tensors):
        if tensors:
            lacks(f"{name} of tensors on the CPU")
        return False
    if any(t.device is not core.CUDA for t in outs) or any(
        t.device is not core.CUDA and t._shape for t in tensors
    ):
        return _left(name, "between the CPU and the GPU")
    _load()
    function = _KERNELS.get(op)
    if function is None:
        return _left(name, None)
    if any(_overlaps(out, t) for out in outs for t in tensors if t is not out):
        return _left(name, "on overlapping memory")
    operands = [_number(t) if t.__class__ is not str and t.device is core.CPU else t for t in ins]
    return _launch(name, lambda: function(outs, operands, f, c or "float32", n, x))


def _launch(name, call):
    """@returns whether `call` launched; else `missing` names it, with the reason where there is one."""
    from triton.compiler.errors import CompilationError
    from triton.runtime.errors import OutOfResources

    try:
        call()
    except NotImplementedError as error:
        return _left(name, str(error) or None)
    except (CompilationError, OutOfResources):
        return _left(name, "its kernel does not fit this adapter")
    return True


def _left(name, reason):
    lacks(f"{name} ({reason})" if reason else name)
    return False


def _number(t):
    """A tensor of the CPU without dimensions, as the number that it holds. Reading it is no work of the CPU's that a
    time would hold."""
    calls = bridge.numerics_calls
    with paused():
        number = core.constant(t.item(), t.dtype)
    bridge.numerics_calls = calls
    return number


def _overlaps(out, t):
    """Whether they share memory in which an element of one may be another element of the other."""
    if out._storage is not t._storage:
        return False
    if (out._shape, out._strides, out._offset, out.dtype) == (t._shape, t._strides, t._offset, t.dtype):
        return False
    last = lambda t: t._offset + sum((s - 1) * d for s, d in zip(t._shape, t._strides))  # noqa: E731
    a, b = out.dtype.itemsize, t.dtype.itemsize
    return out._offset * a < (last(t) + 1) * b and t._offset * b < (last(out) + 1) * a


@functools.lru_cache(None)
def _load():
    """The kernels: a program that times nothing of torch's never reads them."""
    from . import convolutions, elementwise, order, products, rows, scans, selection  # noqa: F401


# ── operations that PyTorch has one kernel for, and that are made of several here ───────────────


def single(name, fused=None, most=1, nodes=True):
    """A decorator of a function that PyTorch runs as `most` kernels, and that is made of other operations here.
    `fused`: 'module.function' of this package, which takes the same arguments and launches it, or raises
    NotImplementedError. Where neither that nor at most `most` launches do it, it is the CPU's.

    @param nodes: whether the nodes that it records are others than PyTorch's"""

    def decorate(function):
        @functools.wraps(function)
        def chosen(*args, **kwargs):
            if missing is None or core.composite is not None:
                return _composed(name if nodes else None, function, args, kwargs)
            if fused is not None and not missing and not _recorded(args, kwargs) and _on_gpu(args):
                made = []
                if _launch(name, lambda: made.append(_fused(fused)(*args, **kwargs))):
                    return made[0]
            before = launches
            result = _composed(name, function, args, kwargs)
            if launches - before > most:
                lacks(f"{name} ({launches - before} launches here, {most} in PyTorch)")
            return result

        return chosen

    return decorate


def singles(space, names, **options):
    """`single` for functions of a module."""
    for name in names.split():
        space[name] = single(name, **options)(space[name])


@functools.lru_cache(None)
def _fused(path):
    from importlib import import_module

    _load()
    module, _, function = path.partition(".")
    return getattr(import_module(f"{__name__}.{module}"), function)


def _composed(name, function, args, kwargs):
    """The nodes that it records are `name`'s: their backward is more kernels than PyTorch's."""
    if name is None or core.composite is not None:
        return function(*args, **kwargs)
    core.composite = name
    try:
        return function(*args, **kwargs)
    finally:
        core.composite = None


def _tensors(args):
    return [t for t in args if hasattr(t, "_storage")]


def _recorded(args, kwargs):
    from .._autograd import needs

    return needs(*_tensors(args), *_tensors(kwargs.values()))


def _on_gpu(args):
    return all(t.device is core.CUDA for t in _tensors(args))


def gradient(path, *args):
    """A gradient that PyTorch has one kernel for: what 'module.function' of this package launches for it; None where
    nothing is timed, where it has no kernel, and where the gradient is itself recorded."""
    if not timing() or _recorded(args, {}) or not _on_gpu(args):
        return None
    try:
        return _fused(path)(*args)
    except NotImplementedError:
        return None


def timing():
    """Whether operations are launches now: none before was the CPU's."""
    return missing is not None and not missing


#: Launches of PyTorch's own backward of a node, where there are more than one for a gradient.
_BACKWARD = {"DivBackward0": 6, "PowBackward0": 4, "MmBackward0": 4}


def after_backward(node, before, given):
    """`node` ran in a timed backward; `before`: `launches` then. Names it where PyTorch has fewer kernels."""
    if node.composite is not None:
        lacks(f"the backward of {node.composite}")
        return
    if missing:
        return
    count = launches - before
    most = _BACKWARD.get(node.name_, sum(1 for each in given if each is not None))
    if count > most:
        lacks(f"{node.name_} ({count} launches here)")
