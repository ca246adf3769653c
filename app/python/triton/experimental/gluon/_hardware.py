"""Modules of Gluon for one kind of hardware: every name in them is there, so that a program which chooses by the
device's capability can be imported. Calling one raises, and a kernel that uses one is refused at its line.
"""

import importlib.machinery
import sys
from types import ModuleType

#: The modules that Triton 3.8 has, below `triton.experimental.gluon` and its `language`.
_NAMES = {
    "nvidia": "ampere hopper blackwell",
    "amd": "rdna3 rdna4 cdna3 cdna4 gfx1250 warp_pipeline",
}


class Name:
    """Something of that hardware, known to the compiler by its path."""

    def __init__(self, path):
        self.hippocamp_path = path
        self.__name__ = path.rsplit(".", 1)[1]

    def __call__(self, *args, **kwargs):
        raise NotImplementedError(
            f"{self.hippocamp_path.removeprefix('triton.experimental.')} is for one kind of GPU’s own hardware, which "
            "WebGPU does not reach"
        )

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Name(f"{self.hippocamp_path}.{name}")

    def __instancecheck__(self, value):
        # `isinstance(layout, gl.amd.AMDMFMALayout)`: nothing here is of that hardware.
        return False

    def __repr__(self):
        return f"<{self.hippocamp_path}>"


class _Module(ModuleType):
    def __init__(self, name):
        super().__init__(name)
        self.__path__ = []
        self.__spec__ = importlib.machinery.ModuleSpec(name, None, is_package=True)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(f"module '{self.__name__}' has no attribute '{name}'")
        return Name(f"{self.__name__}.{name}")


def install(package):
    """Puts the modules below `package` where Python finds them. @returns `nvidia` and `amd`."""
    made = []
    for vendor, below in _NAMES.items():
        module = _Module(f"{package}.{vendor}")
        sys.modules[module.__name__] = module
        for name in below.split():
            inner = _Module(f"{module.__name__}.{name}")
            sys.modules[inner.__name__] = inner
            setattr(module, name, inner)
        made.append(module)
    return made
