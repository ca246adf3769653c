"""`triton.profiler` (Proton): scopes, sessions, and a profile by scope and kernel with the GPU's times.

What is not here: traces, instrumentation inside of kernels, other backends. Where an adapter is too slow for
a program's repetitions, some are left out, and the profile says which (`_recorder.py`).
"""

import copy
import functools
import time

import _hippocamp_bridge as bridge

from ._recorder import Recorder

def start(name=None, *, context="shadow", data="tree", backend=None, mode=None, hook=None):
    """Starts a session, which records at once. @returns its id."""
    if bridge.profile is None:
        bridge.profile = Recorder()
    return bridge.profile.start(name or "proton", hook == "triton")


def activate(session=None):
    if bridge.profile is not None:
        bridge.profile.set_active(session, True)


def deactivate(session=None, flushing=False):
    if bridge.profile is not None:
        bridge.profile.set_active(session, False)


def finalize(session=None, output_format="hatchet"):
    """Ends one session or all, and writes its profile, `NAME.hatchet`."""
    if bridge.profile is None:
        return
    bridge.profile.finalize(session)
    if not bridge.profile.sessions:
        bridge.profile = None


def profile(func=None, *, name=None, context="shadow", data="tree", backend=None, mode=None, hook=None):
    """A decorator: a session of its own around each call."""
    if func is None:
        return lambda f: profile(f, name=name, hook=hook)

    @functools.wraps(func)
    def wrapper(*args, **kwargs):
        session = start(name, hook=hook)
        try:
            return func(*args, **kwargs)
        finally:
            finalize(session)

    return wrapper


class scope:
    """A name for what is launched inside, and metrics of it (`flops16`, `bytes`)."""

    def __init__(self, name, metrics=None):
        self.name = name
        self.metrics = metrics

    def __enter__(self):
        enter_scope(self.name)
        return self

    def __exit__(self, *_):
        exit_scope(self.name, metrics=self.metrics)

    def __call__(self, func):
        @functools.wraps(func)
        def wrapper(*args, **kwargs):
            # Calls may stand one in the other, and each has a time of its own.
            with copy.copy(self):
                return func(*args, **kwargs)

        return wrapper


class cpu_timed_scope(scope):
    """A scope that also reports its time on the CPU's clock."""

    def __enter__(self):
        self.begin = time.perf_counter()
        return super().__enter__()

    def __exit__(self, *_):
        elapsed = (time.perf_counter() - self.begin) * 1e9
        exit_scope(self.name, metrics={**(self.metrics or {}), "cpu_time (ns)": elapsed})


class state(scope):
    """A name for a part of what a scope does."""

    def __init__(self, name):
        super().__init__(name)


def enter_scope(name, *, metrics=None):
    if bridge.profile is not None:
        bridge.profile.enter(name, metrics)


def exit_scope(name=None, *, metrics=None):
    if bridge.profile is not None:
        bridge.profile.leave(metrics)


def __getattr__(name):
    raise AttributeError(f"module 'triton.profiler' has no attribute '{name}' (not available in Hippocamp)")
