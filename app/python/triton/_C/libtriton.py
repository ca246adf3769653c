"""What programs reach of Triton's native module: cuBLAS, to compare with. There is none here, so torch's own
product stands in its place; the tutorial of the persistent matmul imports it."""


class _CublasLt:
    def __init__(self, workspace):
        self.workspace = workspace

    def matmul(self, a, b, c):
        """`c = a @ b.T`, as cuBLAS's column-major order has it: sums in float32, rounded once."""
        from torch._products import product_into

        if a.dtype != b.dtype:
            raise RuntimeError(f"cuBLAS: A is {a.dtype} and B is {b.dtype}")
        if a._shape[1] != b._shape[1] or c._shape != (a._shape[0], b._shape[0]):
            raise RuntimeError(f"cuBLAS: A is {a.shape}, B is {b.shape} and C is {c.shape}")
        product_into(c, a.detach(), b.detach().T)


class _Cublas:
    CublasLt = _CublasLt


class nvidia:
    cublas = _Cublas
