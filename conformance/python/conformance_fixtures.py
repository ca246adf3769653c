"""The fixtures that Triton's own `conftest.py` gives to its tests."""

import pytest
import triton
from triton import knobs


@pytest.fixture
def device(request):
    return "cuda"


@pytest.fixture
def fresh_triton_cache():
    yield "/tmp"


@pytest.fixture
def fresh_knobs():
    saved = {k: dict(vars(v)) for k, v in vars(knobs).items() if hasattr(v, "__dict__") and not k.startswith("_")}
    yield knobs
    for name, values in saved.items():
        held = vars(getattr(knobs, name))
        held.clear()
        held.update(values)


@pytest.fixture
def fresh_compilation_knobs(fresh_knobs):
    yield fresh_knobs


@pytest.fixture
def fresh_knobs_including_libraries(fresh_knobs):
    yield fresh_knobs


@pytest.fixture
def with_allocator():
    import torch

    triton.set_allocator(lambda size, alignment, stream: torch.empty(size, dtype=torch.int8, device="cuda"))
    yield
