"""CUDA graphs: what a capture leaves alone, what replays compute, and what a capture refuses."""

import torch
import triton
import triton.language as tl


@triton.jit
def add_step(x_ptr, out_ptr, step_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    out = tl.load(out_ptr + offsets, mask=mask)
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, out + tl.load(step_ptr) * x, mask=mask)


@triton.jit
def tick(step_ptr):
    tl.store(step_ptr, tl.load(step_ptr) + 1)


n = 300
x = torch.arange(n, device="cuda", dtype=torch.float32)
out = torch.zeros_like(x)
step = torch.ones(1, device="cuda")


def body(block):
    for _ in range(3):
        add_step[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, out, step, n, BLOCK=block)
    tick[(1,)](step)


def captured(function, *args):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        assert torch.cuda.is_current_stream_capturing()
        result = function(*args)
    assert not torch.cuda.is_current_stream_capturing()
    return graph, result


def launches_alone():
    """Replays go on from what tensors hold; the capture itself computes nothing."""
    body(128)
    # Launched before, and not: the second is compiled by its capture.
    for block in (128, 64):
        before, at = out.clone(), step.item()
        graph, _ = captured(body, block)
        assert torch.equal(out, before) and step.item() == at
        for _ in range(4):
            graph.replay()
        steps = sum(at + i for i in range(4))
        assert torch.equal(out, before + 3 * steps * x)
        assert step.item() == at + 4
        # A number of the capture stays; what lies in a tensor does not.
        step.fill_(100)
        graph.replay()
        assert torch.equal(out, before + 3 * (steps + 100) * x)


def operations_between():
    """Operations of torch are replayed in their place, and new tensors begin as they did."""

    def step_and_sum():
        body(128)
        total = torch.zeros(n, device="cuda")
        total += out * 2
        tick[(1,)](step)
        return total, out.sum() + step

    graph, (total, number) = captured(step_and_sum)
    for _ in range(3):
        graph.replay()
        assert torch.equal(total, out * 2)
        assert torch.allclose(number, out.sum() + step)
    # Memory that a graph reads is the same, whatever was written to it since.
    x.copy_(torch.ones(n))
    graph.replay()
    assert torch.equal(total, out * 2)


def random_numbers():
    """Each replay draws new ones."""
    graph, drawn = captured(lambda: torch.rand(1000, device="cuda"))
    graph.replay()
    first = drawn.clone()
    graph.replay()
    assert not torch.equal(first, drawn)
    assert 0.4 < drawn.mean().item() < 0.6


def gradients():
    """A training step as one graph."""
    layer = torch.nn.Linear(8, 1).cuda()
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    inputs = torch.randn(16, 8, device="cuda")

    def train():
        optimizer.zero_grad(set_to_none=True)
        loss = (layer(inputs) - 1).square().mean()
        loss.backward()
        optimizer.step()
        return loss

    losses = [train().item() for _ in range(2)]
    graph, loss = captured(train)
    for _ in range(3):
        graph.replay()
        losses.append(loss.item())
    assert losses == sorted(losses, reverse=True), losses


def refused(message, function):
    graph = torch.cuda.CUDAGraph()
    try:
        with torch.cuda.graph(graph):
            function()
    except Exception as error:
        assert message in str(error), error
    else:
        raise AssertionError(f"nothing was refused: {message}")
    assert not torch.cuda.is_current_stream_capturing()
    try:
        graph.replay()
    except RuntimeError as error:
        assert "without a preceding successful capture" in str(error)


@triton.jit
def wrong(x_ptr):
    tl.store(x_ptr, tl.no_such_function(1))


def refusals():
    capturing = "operation not permitted when stream is capturing"
    refused(capturing, lambda: out.sum().item())
    refused(capturing, lambda: print(out))
    refused(capturing, lambda: out.cpu())
    refused(capturing, lambda: out.nonzero())
    refused(capturing, torch.cuda.synchronize)
    refused(capturing, lambda: captured(body, 128))
    refused("no_such_function", lambda: wrong[(1,)](x))
    graph, _ = captured(body, 128)
    graph.reset()
    try:
        graph.replay()
    except RuntimeError as error:
        assert "without a preceding successful capture" in str(error)
    graph.capture_begin()
    body(128)
    graph.capture_end()
    graph.replay()


for check in (launches_alone, operations_between, random_numbers, gradients, refusals):
    check()
    print(check.__name__)
