"""Launches that were made before. Most programs launch a kernel with the same shapes and numbers again and
again, on other memory: what such a launch is compiled and labelled by is one key, and behind it stands
what the runtime prepared the first time (`relaunch` of the bridge).
"""

import sys

import _hippocamp_bridge as bridge

from .. import knobs
from .._program import PROGRAM_ROOT
from .options import DefaultWarps, has_effect

#: Keys kept for a kernel; one with ever new numbers starts over.
MOST = 2048
_NONE = type(None)
_PLAIN = frozenset((int, str, bool, _NONE))
_tensor = None
_history = None


class Known:
    """What stands behind a key."""

    __slots__ = ("prepared", "program", "compiled", "writes", "written")

    def __init__(self, prepared, program, compiled, writes, written):
        self.prepared = prepared
        self.program = program
        self.compiled = compiled
        #: Which of its pointers it writes through, where that is all it does to them; else None.
        self.writes = writes
        #: Which of them it may write through; None where any.
        self.written = written


class Again:
    """A launch's key, and its storages in the order of its pointers."""

    __slots__ = ("key", "storages")

    def __init__(self, key, storages):
        self.key = key
        self.storages = storages


def key_of(jit, values, options, grid):
    """None where the launch has to be typed anew: arguments of other kinds, hooks that want to know."""
    global _tensor
    runtime = knobs.runtime
    if (
        runtime.jit_cache_hook is not None
        or runtime.jit_post_compile_hook is not None
        or jit._repr is not None
        or _hooked(runtime.launch_enter_hook)
        or _hooked(runtime.launch_exit_hook)
    ):
        return None
    if _tensor is None:
        from torch import Tensor

        _tensor = Tensor
    frame = sys._getframe(2)
    while frame is not None and not frame.f_code.co_filename.startswith(PROGRAM_ROOT):
        frame = frame.f_back
    if frame is None:
        return None
    mode = knobs.compilation.instrumentation_mode
    key = [frame.f_code.co_filename, frame.f_lineno, jit.debug, runtime.debug, mode]
    storages = []
    for value in values:
        kind = value.__class__
        if kind in _PLAIN:
            key.append(kind)
            key.append(value)
        elif kind is float:
            # Zero has a sign, and NaN is not itself.
            key.append(float)
            key.append(repr(value))
        elif isinstance(value, _tensor):
            key.append(_tensor)
            key.append(value.dtype)
            key.append(value.device)
            key.append(value._shape)
            key.append(value._offset)
            storages.append(value._storage)
        elif hasattr(value, "primitive_bitwidth"):
            key.append(kind)
            key.append(value)
        else:
            return None
    if not hasattr(grid, "__len__"):
        return None
    for size in grid:
        if size.__class__ is not int:
            return None
        key.append(size)
    for name, value in options.items():
        if not has_effect(name, value):
            continue
        kind = value.__class__
        if kind not in _PLAIN and kind is not DefaultWarps:
            return None
        key.append(name)
        key.append(kind)
        key.append(value)
    key = tuple(key)
    try:
        hash(key)
    except TypeError:
        return None
    return Again(key, storages)


def note_launch(storages, written):
    """For comparisons: a kernel has run on these storages (`torch._history`)."""
    global _history
    if _history is None:
        from torch import _history
    _history.launched(storages, written)


def _hooked(hook):
    return bool(getattr(hook, "calls", hook))


def launch(known, again):
    """Launches. @returns whether it could; raises what the launch does wrong."""
    if not known.program.current():
        return False
    bridge.flush_prints()
    failure = bridge.relaunch(known.prepared, [storage.id for storage in again.storages])
    if failure is not None:
        if failure == "anew":
            return False
        from .jit import launch_error

        raise launch_error(failure)
    for storage in again.storages:
        storage.stale = True
    note_launch(again.storages, known.written)
    return True
