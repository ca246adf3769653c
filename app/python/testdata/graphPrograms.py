"""CUDA graphs as programs use them: arguments that change after a capture, events, other graphs, optimizers,
`make_graphed_callables`. Values are those of the same work without a graph."""

import torch
import torch.nn as nn
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def scale(x_ptr, out_ptr, n, by, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=mask) * by, mask=mask)


@triton.jit
def increment(x, out):
    out.store([0, 0], x.load([0, 0]) + 1)


@triton.autotune([triton.Config({"BLOCK": 64}), triton.Config({"BLOCK": 128})], key=["n"])
@triton.jit
def tuned(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=offsets < n) + 7, mask=offsets < n)


def captured(function):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = function()
    return graph, result


def cuda(*size):
    return torch.randn(size, device="cuda")


def memory_of_the_capture():
    """A graph goes on with the memory, shapes and numbers of its capture, whatever becomes of the objects."""
    x, out = torch.ones(6, device="cuda"), torch.zeros(6, device="cuda")
    weight = nn.Parameter(torch.ones(2, 3, device="cuda"))
    host = torch.tensor([2.0, 3.0])
    graph, y = captured(lambda: (weight.detach().sum(0), x + host[0], torch.zeros(2, device="cuda").copy_(host)))
    launch, _ = captured(lambda: scale[[1]](x, out, 6, 3.0, BLOCK=8))
    weight.data = torch.full((2, 3), 100.0, device="cuda")
    host.fill_(50)
    x.unsqueeze_(0).t_()
    graph.replay()
    launch.replay()
    assert y[0].tolist() == [2] * 3 and out.tolist() == [3] * 6, (y, out)
    # A number of the CPU is an argument; a copy reads its source again.
    assert y[1].tolist() == [3] * 6 and y[2].tolist() == [50] * 2, y
    a, b = cuda(16, 16), cuda(16, 16)
    given, taken = (TensorDescriptor.from_tensor(each, [16, 16]) for each in (a, b))
    graph, _ = captured(lambda: increment[(1,)](given, taken))
    given.base = torch.zeros_like(a)
    for _ in range(2):
        a.normal_()
        graph.replay()
        assert torch.equal(b, a + 1)


def every_launch():
    """Launches of compiled kernels and of a tuner are recorded, too, and so are replays of another graph."""
    x, out = cuda(100), torch.zeros(100, device="cuda")
    kernel = scale[(1,)](x, out, 100, 2.0, BLOCK=128)
    out.zero_()
    graph, _ = captured(lambda: kernel[(1, 1, 1)](x, out, 100, 2.0))
    both, _ = captured(lambda: (graph.replay(), out.add_(1)))
    assert out.tolist() == [0] * 100
    graph.replay()
    assert torch.equal(out, 2 * x)
    graph.reset()
    both.replay()
    assert torch.equal(out, 2 * x + 1)
    out.zero_()
    try:
        captured(lambda: tuned[(2,)](x, out, 100))
    except RuntimeError as error:  # Of a tuner that measures, which has to wait.
        assert "read values of tensors before or after the capture" in str(error), error
    assert out.tolist() == [0] * 100
    tuned[(2,)](x, out, 100)
    graph, _ = captured(lambda: tuned[(2,)](x, out, 100))
    x.normal_()
    graph.replay()
    assert torch.equal(out, x + 7)


def streams_and_events():
    x, out = cuda(10), cuda(10)
    graph, side, other = torch.cuda.CUDAGraph(), torch.cuda.Stream(), torch.cuda.Stream()
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    with torch.cuda.stream(side):
        graph.capture_begin(pool=torch.cuda.graph_pool_handle())
        begin.record(side)
        other.wait_event(begin)
        with torch.cuda.stream(other):
            scale[(1,)](x, out, 10, 2.0, BLOCK=16)
            end = other.record_event(end)
        side.wait_event(end)
        graph.capture_end()
    graph.replay()
    assert torch.equal(out, 2 * x)
    try:
        begin.elapsed_time(end)
        raise AssertionError("a place in a graph has no time")
    except RuntimeError as error:
        assert "recorded" in str(error)


def optimizers():
    """What an optimizer remembers lies in memory that a replay writes; what Python counts is refused."""
    inputs = [cuda(16, 4) for _ in range(6)]
    kinds = (
        (torch.optim.SGD, {"momentum": 0.9}), (torch.optim.Adam, {"capturable": True}),
        (torch.optim.AdamW, {"capturable": True}), (torch.optim.Adagrad, {}),
        (torch.optim.RMSprop, {"capturable": True, "momentum": 0.5, "centered": True}),
    )  # fmt: skip
    for kind, given in kinds:
        losses = []
        for recorded in (False, True):
            torch.manual_seed(0)
            layer = nn.Linear(4, 3).cuda()
            optimizer, x = kind(layer.parameters(), lr=0.1, **given), inputs[0].clone()

            def step():
                optimizer.zero_grad(set_to_none=True)
                loss = (layer(x) - 1).square().mean()
                loss.backward()
                optimizer.step()
                return loss

            run = [step().item() for _ in range(2)]
            if recorded:
                graph, loss = captured(step)
            for each in inputs:
                x.copy_(each)
                if recorded:
                    graph.replay()
                run.append((loss if recorded else step()).item())
            losses.append(run)
        assert torch.allclose(*map(torch.tensor, losses)), (kind, losses)
    for kind, given in ((torch.optim.Adam, {}), (torch.optim.RMSprop, {}), (torch.optim.Adagrad, {"lr_decay": 0.1})):
        optimizer = kind(layer.parameters(), **given)
        optimizer.step()
        try:
            captured(optimizer.step)
            raise AssertionError(f"{kind} counts steps in Python")
        except RuntimeError as error:
            assert "CUDA graph capture of" in str(error), error


class Pair(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(4, 8), nn.Linear(8, 3)

    def forward(self, x, y):
        hidden = torch.tanh(self.first(x))
        return self.second(hidden) * y, hidden


def graphed_callables():
    models = []
    for _ in range(2):
        torch.manual_seed(3)
        models.append(Pair().cuda())
    mine, plain = models
    first = {name: each.clone() for name, each in mine.state_dict().items()}
    sample = (cuda(16, 4), cuda(16, 3).requires_grad_())
    assert torch.cuda.make_graphed_callables(mine, sample) is mine
    assert all(torch.equal(each, first[name]) for name, each in mine.state_dict().items())
    for _ in range(3):
        x, y = cuda(16, 4), cuda(16, 3)
        leaves = []
        for model in models:
            model.zero_grad(set_to_none=True)
            leaves.append(y.clone().requires_grad_())
            for _ in range(2):  # Gradients add up.
                out, hidden = model(x, leaves[-1])
                (out.square().mean() + hidden.sum()).backward()
            with torch.no_grad():
                for each in model.parameters():
                    each -= 0.1 * each.grad
        assert torch.allclose(leaves[0].grad, leaves[1].grad)
        for a, b in zip(mine.parameters(), plain.parameters()):
            assert torch.allclose(a.grad, b.grad) and torch.allclose(a, b)
    # In the other mode the module computes as it did.
    assert torch.allclose(mine.eval()(x[:3], y[:3])[0], plain(x[:3], y[:3])[0], atol=1e-5)
    layers = (nn.Linear(4, 4).cuda(), nn.ReLU())
    one, two = torch.cuda.make_graphed_callables(layers, ((cuda(2, 4),), (cuda(2, 4).requires_grad_(),)))
    two(one(cuda(2, 4))).sum().backward()
    assert one.weight.grad is not None
    for call, kind, text in (
        (lambda: one(cuda(3, 4)), RuntimeError, "shape [2, 4], and got torch.float32 of shape [3, 4]"),
        (lambda: torch.cuda.make_graphed_callables(lambda x, by: x * by, (cuda(2), 3)), TypeError, "only Tensors"),
    ):
        try:
            call()
            raise AssertionError(text)
        except kind as error:
            assert text in str(error), error


for check in (memory_of_the_capture, every_launch, streams_and_events, optimizers, graphed_callables):
    check()
    print(check.__name__)
