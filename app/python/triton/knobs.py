"""`triton.knobs`: settings that programs read or set. Those that concern the CUDA tool chain have no
effect here.
"""

import os


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
        import contextlib

        return contextlib.nullcontext()


runtime = _Knobs(interpret=False, debug=os.environ.get("TRITON_DEBUG") == "1")
compilation = _Knobs(always_compile=False, instrumentation_mode="")
autotuning = _Knobs(cache=False, print=os.environ.get("TRITON_PRINT_AUTOTUNING") == "1")
language = _Knobs(default_fp_fusion=True)
build = _Knobs()
cache = _Knobs()
nvidia = _Knobs()
amd = _Knobs()
proton = _Knobs()
