"""Cases for the runner's own test: one for each way a case can end."""

import numpy as np
import pytest
import torch
import triton
import triton.language as tl
from triton._internal_testing import numpy_random, to_numpy, to_triton


@pytest.mark.interpreter
@pytest.mark.parametrize("dtype", ["int32", "float32", "uint8"])
@pytest.mark.parametrize("op", ["+", "*"])
def test_operator(op, dtype, device):
    @triton.jit
    def kernel(X, Z, SIZE: tl.constexpr):
        off = tl.arange(0, SIZE)
        x = tl.load(X + off)
        tl.store(Z + off, EXPRESSION)

    patched = triton.JITFunction(kernel.fn)
    patched._unsafe_update_src(patched.src.replace("EXPRESSION", f"x {op} x"))
    x = numpy_random(16, dtype)
    z = to_triton(np.empty_like(x), device)
    patched[(1,)](to_triton(x, device), z, 16)
    np.testing.assert_equal(to_numpy(z), x + x if op == "+" else x * x)


def test_wrong(device):
    x = torch.ones(4, device=device)
    np.testing.assert_allclose(x.cpu().numpy(), 2.0, err_msg="on purpose")


def test_refused():
    np.fft.fft([1.0, 2.0])


def test_other_backend(device):
    @triton.jit
    def kernel(X):
        tl.store(X, 1)

    compiled = kernel[(1,)](torch.zeros(1, dtype=torch.int32, device=device))
    assert "mma" in compiled.asm["ptx"]


def test_skipped():
    pytest.skip("not today")


@pytest.mark.xfail(reason="known")
def test_expected():
    assert False


def test_hangs():
    while True:
        pass


@pytest.mark.parametrize("n", [pytest.param(1, id="one"), 2])
def test_after(n, tmp_path, monkeypatch):
    monkeypatch.setenv("SAMPLE", str(n))
    (tmp_path / "x").write_text("y")
    assert n in (1, 2)
