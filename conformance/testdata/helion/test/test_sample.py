"""Tests in the form of Helion's: what they compile is in test_sample.expected."""

import helion
import helion.language as hl
import torch
from helion._testing import DEVICE, RefEagerTestBase, TestCase, check_example, code_and_output, skipUnlessPallas


@helion.kernel(config={"block_sizes": [16]})
def add(x: torch.Tensor, amount: float) -> torch.Tensor:
    out = torch.empty_like(x)
    for tile in hl.tile(x.size(0)):
        out[tile] = x[tile] + amount
    return out


@helion.kernel()
def exchange(pad: torch.Tensor) -> torch.Tensor:
    hl.signal(pad, [0])
    return pad


class TestSample(RefEagerTestBase, TestCase):
    def test_order(self):
        x = torch.arange(20, device=DEVICE, dtype=torch.float32)
        # The first text is in no journal; the test says so when it compares the second.
        code_and_output(add, (x, 3.0), block_sizes=[32])
        code, result = code_and_output(add, (x, 1.0))
        self.assertIn("tl.store", code)
        torch.testing.assert_close(result, x + 1.0)
        self.assertExpectedJournal(code)

    def test_wrong(self):
        x = torch.ones(5, device=DEVICE)
        code, result = code_and_output(add, (x, 2.0))
        self.assertExpectedJournal(code)
        torch.testing.assert_close(result, x + 2.0)

    def test_no_compile(self):
        code, _ = code_and_output(add, (torch.ones(5, device=DEVICE), 2.0))
        self.assertExpectedJournal(code)

    def test_example(self):
        x = torch.arange(5, device=DEVICE)
        self.assertExpectedJournal(check_example("negate", (x,), -x))

    def test_signal(self):
        pad = torch.tensor([1, 1, 1, 1], device=DEVICE, dtype=torch.int32)
        code, result = code_and_output(exchange, (pad,))
        torch.testing.assert_close(result.cpu(), torch.tensor([2, 2, 2, 2], dtype=torch.int32))
        self.assertExpectedJournal(code)

    @skipUnlessPallas("another machine's")
    def test_elsewhere(self):
        code, _ = code_and_output(add, (torch.ones(5, device=DEVICE), 2.0))
        self.assertExpectedJournal(code)
