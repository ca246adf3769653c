"""`AsyncCompile().triton(name, source)`: a kernel from the text that TorchInductor wrote for it."""

import hashlib
import importlib.util
import os
import re
import tempfile


#: Inductor's other languages, by the method that compiles them.
_BACKENDS = {
    "cpp": "C++",
    "cpp_pybinding": "C++",
    "cuda": "CUDA C++ (CUTLASS)",
    "cutedsl": "the CuTe DSL",
    "cutlass": "CUDA C++ (CUTLASS)",
    "halide": "Halide",
    "metal": "Metal",
    "nv_universal_gemm": "the CuTe DSL",
    "pallas": "Pallas",
    "rocm": "ROCm C++",
    "xpu": "SYCL",
}


_KERNEL = re.compile(r"^def (triton_\w*)\(", re.MULTILINE)


def refused(backend, name):
    """A function in place of a backend's compiler. @throws NotImplementedError where it is called."""

    def compile_with(*_, **__):
        raise NotImplementedError(
            f"{name}: a kernel in {backend}; of Inductor's backends Hippocamp runs Triton. "
            "Compile the function with its tensors on a GPU that Inductor writes Triton for"
        )

    return compile_with


class AsyncCompile:
    def triton(self, kernel_name, source_code=None, device_str="cuda"):
        """The text goes to a file, because a kernel's source is read from one.

        PyTorch 2.0 passes only the text; its one function is named `triton_` or as in the module, `triton__3`.
        """
        if source_code is None:
            source_code = kernel_name
            kernel_name = _KERNEL.search(source_code)[1]
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

    def multi_kernel(self, *args, **kwargs):
        from .codegen.multi_kernel import MultiKernelCall

        return MultiKernelCall(*args, **kwargs)

    def wait(self, scope):
        """Nothing is under way: kernels are compiled when they are first launched."""

    def size_hint_multi_kernel(self, multi_kernel_name, kernels):
        """Kernels by the sizes that each was tuned for: all compute the same."""
        return self.multi_kernel(multi_kernel_name, list(kernels.values()))

    def __getattr__(self, name):
        backend = _BACKENDS.get(name)
        if backend is None:
            raise AttributeError(f"'AsyncCompile' object has no attribute '{name}'")
        return refused(backend, f"async_compile.{name}")
