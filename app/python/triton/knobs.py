"""`triton.knobs`: settings that programs read or set. Those that concern the CUDA tool chain have no
effect here.
"""

import os


class HookChain:
    """Functions that are called one after the other."""

    def __init__(self, reversed=False):
        self.calls = []
        self.reversed = reversed

    def add(self, func):
        if func not in self.calls:
            self.calls.append(func)

    def remove(self, func):
        if func in self.calls:
            self.calls.remove(func)

    def __call__(self, *args, **kwargs):
        for call in list(reversed(self.calls) if self.reversed else self.calls):
            call(*args, **kwargs)


class _Knobs:
    def __init__(self, **values):
        self.__dict__.update(values)

    def __getattr__(self, name):
        return None

    def reset(self):
        pass

    def copy(self):
        return self

    def scope(self):
        return _Scope(self)


class _Scope:
    """What is set inside is as it was afterwards."""

    def __init__(self, knobs):
        self.knobs = knobs

    def __enter__(self):
        self.before = dict(vars(self.knobs))
        return self.knobs

    def __exit__(self, *_):
        vars(self.knobs).clear()
        vars(self.knobs).update(self.before)


class _Compilation(_Knobs):
    """`instrumentation_mode` is the environment's until a program sets it, as in Triton."""

    def __getattr__(self, name):
        if name == "instrumentation_mode":
            return os.environ.get("TRITON_INSTRUMENTATION_MODE", "")
        return None


def _runtime():
    return dict(
        interpret=False,
        debug=os.environ.get("TRITON_DEBUG") == "1",
        launch_enter_hook=HookChain(),
        launch_exit_hook=HookChain(reversed=True),
        kernel_load_start_hook=HookChain(),
        kernel_load_end_hook=HookChain(reversed=True),
        jit_cache_hook=None,
        jit_post_compile_hook=None,
    )


runtime = _Knobs(**_runtime())
compilation = _Compilation(always_compile=False)
autotuning = _Knobs(cache=False, print=os.environ.get("TRITON_PRINT_AUTOTUNING") == "1")
language = _Knobs(default_fp_fusion=True)
build = _Knobs()
cache = _Knobs()
nvidia = _Knobs()
amd = _Knobs()
proton = _Knobs()


def reset():
    """Between programs: no hook and no mode of the last one is left."""
    vars(runtime).clear()
    vars(runtime).update(_runtime())
    vars(compilation).clear()
    vars(compilation).update(always_compile=False)
