"""CUDA graphs: work that is recorded once, without being done, and replayed on the same memory.

A graph holds the launches of kernels and the operations of torch on CUDA tensors, in their order. A
replay of launches is one call of the runtime for all of them, so it costs no Python for each. Numbers,
shapes and grids are those of the capture; what lies in tensors is read anew. Reads of values, which
need what was not computed, raise as in PyTorch.
"""

import contextlib
import copy
import warnings

import _hippocamp_bridge as bridge
from triton.runtime import repeat

from .. import _core as core
from .. import _history
from .._tensor import Tensor, alias

_REFUSED = (
    "CUDA error: operation not permitted when stream is capturing. Nothing is computed during a capture: "
    "{} the capture"
)
_READS = "read values of tensors before or after"


def _fixed(value):
    """An argument as it is now, on the memory that it has now, whatever becomes of the object."""
    if isinstance(value, Tensor):
        return alias(value)
    if isinstance(value, tuple):
        items = [_fixed(each) for each in value]
        return value._make(items) if hasattr(value, "_make") else tuple(items)
    if isinstance(value, list):
        return [_fixed(each) for each in value]
    if isinstance(getattr(value, "base", None), Tensor) or hasattr(value, "block_shape"):
        made = copy.copy(value)
        for name, each in vars(value).items():
            setattr(made, name, _fixed(each))
        return made
    return value


def _operand(t, op):
    """An operand as it is now. A number in a tensor of the CPU is an argument of CUDA's kernel; a copy reads
    its source at each replay."""
    if not isinstance(t, Tensor):
        return t
    if t.device is core.CPU and not t._shape and op != "copy":
        return t.detach().clone()
    return alias(t)


class _Launch:
    """A kernel's launch, as `JITFunction.start` gets it."""

    __slots__ = ("again", "grid", "jit", "options", "values")

    def __init__(self, jit, values, options, grid, again):
        self.jit, self.options, self.again = jit, options, again
        self.values, self.grid = [_fixed(value) for value in values], grid

    def known(self):
        return None if self.again is None else self.jit._repeats.get(self.again.key)

    def run(self):
        if bridge.profile is not None:
            bridge.profile.launch(self.jit, self.values, self.options, self.grid)
        else:
            self.jit._launch(self.values, self.options, self.grid, False, self.again)


class _Launches:
    """Launches in a row."""

    def __init__(self, launches=()):
        self.launches = list(launches)
        #: The runtime's number of them, what is known of each, and their storages.
        self.id = self.known = self.storages = self.noted = None

    def run(self):
        first = 0
        if bridge.profile is None and (self.id is not None or self._define()):
            first, failure = bridge.graph_launch(self.id, len(self.launches))
            for storage in self.storages:
                storage.stale = True
            self._note(first)
            if failure is not None:
                from triton.runtime.jit import launch_error

                raise launch_error(failure)
            if first == len(self.launches):
                return
            # A launch that the runtime forgot, or of another device, is requested in full.
            self.release()
        for launch in self.launches[first:]:
            launch.run()

    def _note(self, count):
        """For comparisons: the first launches have run. Where no operation has run since, they write the states
        that they wrote the last time."""
        if not _history.enabled or self.noted == self._states():
            return
        for launch, known in zip(self.launches[:count], self.known):
            _history.launched(launch.again.storages, known.written)
        self.noted = self._states()

    def _states(self):
        return [_history.last(), *[storage.state for storage in self.storages]]

    def _define(self):
        known = [launch.known() for launch in self.launches]
        if any(each is None for each in known):
            return False
        self.known = known
        self.storages = {storage for launch in self.launches for storage in launch.again.storages}
        self.id = bridge.graph_create(
            [
                [each.prepared, *(storage.id for storage in launch.again.storages)]
                for launch, each in zip(self.launches, known)
            ]
        )
        return True

    def release(self):
        if self.id is not None:
            bridge.graph_release(self.id)
        self.id = self.known = self.storages = self.noted = None


class _Operation:
    """An operation of `core.run`."""

    def __init__(self, arguments):
        op, outs, ins, f, c, n, x = arguments
        operands = [_operand(t, op) for t in ins]
        self.arguments = (op, [alias(t) for t in outs], operands, f, c, tuple(n), tuple(x))

    def run(self):
        core.run(*self.arguments)

    def release(self):
        pass


class _Zeros:
    """Memory that begins as zeros."""

    def __init__(self, storage):
        self.storage = storage

    def run(self):
        self.storage.bytes().fill(0)
        bridge.storage_written(self.storage.id)

    def release(self):
        pass


class _Capture:
    """What a graph records; `bridge.capture` while it does."""

    def __init__(self):
        self.steps = []

    def launch(self, jit, values, options, grid):
        if callable(grid):
            grid = grid(dict(zip(jit.arg_names, values)))
        if isinstance(grid, list):
            grid = tuple(grid)
        again = repeat.key_of(jit, values, options, grid)
        launch = _Launch(jit, values, options, grid, again)
        known = launch.known()
        # Compiled now: a kernel that does not compile fails where it is captured.
        compiled = jit.start(values, options, grid, True) if known is None else known.compiled
        if not self.steps or self.steps[-1].__class__ is not _Launches:
            self.steps.append(_Launches())
        self.steps[-1].launches.append(launch)
        return compiled

    def operation(self, arguments):
        """@returns whether it was recorded: an operation of the CPU alone runs."""
        op, outs, ins = arguments[:3]
        tensors = [t for t in (*outs, *ins) if hasattr(t, "_storage")]
        if not any(t.device is core.CUDA for t in tensors):
            return False
        if not outs or op == "linalg" or any(t.device is not core.CUDA for t in outs):
            self.refuse()
        self.steps.append(_Operation(arguments))
        return True

    def created(self, storage):
        self.steps.append(_Zeros(storage))

    def replay(self, steps):
        """Another graph: what it holds becomes part of this one."""
        for step in steps:
            self.steps.append(_Launches(step.launches) if step.__class__ is _Launches else step)

    def refuse(self, instead=_READS):
        raise RuntimeError(_REFUSED.format(instead))


class CUDAGraph:
    """`torch.cuda.CUDAGraph`."""

    def __init__(self, keep_graph=False):
        self._capture = None
        self._steps = None

    def capture_begin(self, pool=None, capture_error_mode="global"):
        if bridge.capture is not None:
            bridge.capture.refuse("end the capture that goes on before another begins, or put it into")
        if self._steps is not None:
            raise RuntimeError(
                "This CUDAGraph instance already owns a captured graph. To capture a new graph, create a new "
                "instance."
            )
        self._capture = bridge.capture = _Capture()

    def capture_end(self):
        if self._capture is None:
            raise RuntimeError("capture_end() was called without a capture_begin() before it")
        capture, self._capture, bridge.capture = self._capture, None, None
        self._steps = capture.steps
        if not self._steps:
            warnings.warn(
                "The CUDA Graph is empty. This usually means that the graph was attempted to be captured on "
                "wrong device or stream.",
                stacklevel=2,
            )

    def instantiate(self):
        pass

    def replay(self):
        if self._steps is None:
            raise RuntimeError("Called CUDAGraph::replay without a preceding successful capture.")
        if bridge.capture is not None:
            bridge.capture.replay(self._steps)
            return
        for step in self._steps:
            step.run()

    def reset(self):
        for step in self._steps or ():
            step.release()
        self._steps = None
        if self._capture is not None:
            self._capture = bridge.capture = None

    def pool(self):
        return (0, id(self))

    def enable_debug_mode(self):
        pass

    def debug_dump(self, debug_path):
        raise NotImplementedError("CUDAGraph.debug_dump: there is no CUDA driver here to describe a graph")

    def raw_cuda_graph(self):
        raise NotImplementedError("CUDAGraph.raw_cuda_graph: there is no CUDA driver here")

    def __del__(self):
        with contextlib.suppress(Exception):
            self.reset()


CUDAGraph.__module__ = "torch.cuda"


class graph:
    """`with torch.cuda.graph(g):` records into `g` what is within."""

    def __init__(self, cuda_graph, pool=None, stream=None, capture_error_mode="global"):
        self.cuda_graph = cuda_graph
        self.pool = pool
        self.capture_error_mode = capture_error_mode

    def __enter__(self):
        bridge.synchronize()
        self.cuda_graph.capture_begin(self.pool, self.capture_error_mode)

    def __exit__(self, kind, value, trace):
        if kind is not None:
            self.cuda_graph.reset()
        else:
            self.cuda_graph.capture_end()


graph.__module__ = "torch.cuda"


def make_graphed_callables(callables, sample_args, num_warmup_iters=3, allow_unused_input=False, pool=None):
    from ._graphed import make

    return make(callables, sample_args, num_warmup_iters, allow_unused_input, pool)


make_graphed_callables.__module__ = "torch.cuda"


def graph_pool_handle():
    return (0, 0)


def is_current_stream_capturing():
    return bridge.capture is not None
