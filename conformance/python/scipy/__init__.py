"""What Triton's tests use of SciPy."""

from . import stats  # noqa: F401
