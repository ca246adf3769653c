"""What programs reach of Triton's native module: cuBLAS, to compare with. There is none here, so torch
multiplies in its place, on the CPU; the tutorial of the persistent matmul wants it."""


class _CublasLt:
    def __init__(self, workspace):
        self.workspace = workspace

    def matmul(self, a, b, c):
        """`c = a @ b.T`, as cuBLAS's column-major order has it."""
        if a.dtype != b.dtype:
            raise RuntimeError(f"cuBLAS: A is {a.dtype} and B is {b.dtype}")
        c.copy_((a.float() @ b.float().T).to(c.dtype))


class _Cublas:
    CublasLt = _CublasLt


class nvidia:
    cublas = _Cublas
