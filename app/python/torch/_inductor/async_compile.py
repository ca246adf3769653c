"""`AsyncCompile().triton(name, source)`: a kernel from the text that TorchInductor wrote for it."""

import hashlib
import importlib.util
import os
import tempfile


class AsyncCompile:
    def triton(self, kernel_name, source_code, device_str="cuda"):
        """The text goes to a file, because a kernel's source is read from one."""
        folder = os.path.join(tempfile.gettempdir(), "torchinductor")
        os.makedirs(folder, exist_ok=True)
        digest = hashlib.sha256(source_code.encode()).hexdigest()[:16]
        path = os.path.join(folder, f"{kernel_name}_{digest}.py")
        with open(path, "w") as file:
            file.write(source_code)
        spec = importlib.util.spec_from_file_location(f"torchinductor_{digest}", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return getattr(module, kernel_name)

    def wait(self, scope):
        """Nothing is under way: kernels are compiled when they are first launched."""

    def __getattr__(self, name):
        raise NotImplementedError(
            f"async_compile.{name}: C++ that TorchInductor writes cannot be compiled in a browser"
        )
