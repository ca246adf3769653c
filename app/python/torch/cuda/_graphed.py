"""`torch.cuda.make_graphed_callables`: forward and backward of a function as two graphs, which its calls replay.

Arguments are copied into the memory of the sample arguments, and results lie in memory that the next call
writes again, as in PyTorch. Gradients are copies, so that a program may add them up.
"""

from torch import nn
from torch.utils import _pytree as trees

from .._autograd import Function, grad
from .._create import empty_like
from .._tensor import Tensor
from .graphs import CUDAGraph, bridge, graph, graph_pool_handle


def make(callables, sample_args, warmup, allow_unused, pool):
    single = not isinstance(callables, tuple)
    functions = (callables,) if single else callables
    samples = (sample_args,) if single else sample_args
    if len(functions) != len(samples):
        raise AssertionError(f"{len(functions)} callables need as many tuples of sample arguments, not {len(samples)}")
    pool = graph_pool_handle() if pool is None else pool
    parts = [_Part(f, args, allow_unused) for f, args in zip(functions, samples)]
    bridge.synchronize()
    for part in parts:
        for _ in range(warmup):
            part.rehearse()
    for part in parts:
        part.capture_forward(pool)
    # Backwards run in the opposite order, and may share memory in it.
    for part in reversed(parts):
        part.capture_backward(pool)
    made = tuple(part.finish() for part in parts)
    return made[0] if single else made


class _Part:
    """A function with the memory of its arguments, results and gradients."""

    def __init__(self, function, args, allow_unused):
        self.function, self.args, self.allow_unused = function, args, allow_unused
        self.given = trees.tree_flatten(args)[0]
        if not all(isinstance(each, Tensor) for each in self.given):
            raise TypeError(
                "In the beta API, sample_args for each callable must contain only Tensors. Other types are not allowed."
            )
        self.parameters = ()
        if isinstance(function, nn.Module):
            if any(buffer.requires_grad for buffer in function.buffers()):
                raise RuntimeError(
                    "In any :class:`~torch.nn.Module` passed to :func:`~make_graphed_callables`, only parameters may "
                    "be trainable. All buffers must have ``requires_grad=False``."
                )
            self.parameters = tuple(function.parameters())
        self.inputs = [*self.given, *self.parameters]
        self.wanted = [each for each in self.inputs if each.requires_grad]

    def _outputs(self):
        outs, self.structure = trees.tree_flatten(self.function(*self.args))
        if not all(isinstance(each, Tensor) for each in outs):
            raise TypeError("make_graphed_callables: the function must return tensors alone")
        return outs

    def _gradients(self, outs, seeds):
        outs = [each for each in outs if each.requires_grad]
        if not outs or not self.wanted:
            return ()
        return grad(outs, self.wanted, seeds, allow_unused=self.allow_unused)

    def rehearse(self):
        outs = self._outputs()
        self._gradients(outs, [empty_like(each) for each in outs if each.requires_grad])

    def capture_forward(self, pool):
        self.forward = CUDAGraph()
        with graph(self.forward, pool):
            self.outs = self._outputs()

    def capture_backward(self, pool):
        self.seeds = [empty_like(each) if each.requires_grad else None for each in self.outs]
        self.backward = None
        found = iter(())
        if self.wanted and any(each is not None for each in self.seeds):
            self.backward = CUDAGraph()
            with graph(self.backward, pool):
                found = iter(self._gradients(self.outs, [each for each in self.seeds if each is not None]))
        self.gradients = [next(found, None) if each.requires_grad else None for each in self.inputs]
        self.results = [each.detach() for each in self.outs]
        self.outs = None

    def finish(self):
        replay = _function_of(self)

        def call(*args):
            given = trees.tree_flatten(args)[0]
            if len(given) != len(self.given):
                raise TypeError(f"the graph was captured with {len(self.given)} tensors, and got {len(given)}")
            for mine, yours in zip(self.given, given):
                if mine.shape != yours.shape or mine.dtype != yours.dtype:
                    raise RuntimeError(
                        f"the graph was captured with {mine.dtype} of shape {list(mine.shape)}, and got {yours.dtype} "
                        f"of shape {list(yours.shape)}"
                    )
            return trees.tree_unflatten(list(replay.apply(*given, *self.parameters)), self.structure)

        if not isinstance(self.function, nn.Module):
            return call
        module, training, plain = self.function, self.function.training, self.function.forward

        def forward(*args):
            return call(*args) if module.training == training else plain(*args)

        module.forward = forward
        return module


def _function_of(part):
    class Graphed(Function):
        @staticmethod
        def forward(ctx, *inputs):
            for mine, yours in zip(part.given, inputs):
                if mine._storage is not yours._storage or mine._offset != yours._offset:
                    mine.detach().copy_(yours)
            part.forward.replay()
            made = tuple(each.detach() for each in part.results)
            ctx.mark_non_differentiable(*(t for t, seed in zip(made, part.seeds) if seed is None))
            return made

        @staticmethod
        def backward(ctx, *grads):
            if part.backward is None:
                return (None,) * len(part.inputs)
            for seed, given in zip(part.seeds, grads):
                if seed is not None:
                    seed.copy_(given)
            part.backward.replay()
            return tuple(None if each is None else each.clone() for each in part.gradients)

    return Graphed
