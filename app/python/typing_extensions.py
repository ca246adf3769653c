"""`typing_extensions`: this Python is new enough to have its names in `typing` itself."""

import typing as _typing
from collections.abc import Buffer  # noqa: F401
from typing import *  # noqa: F403
from warnings import deprecated  # noqa: F401


def __getattr__(name):
    if hasattr(_typing, name):
        return getattr(_typing, name)
    raise AttributeError(f"module 'typing_extensions' has no attribute '{name}'")
