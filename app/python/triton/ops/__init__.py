"""`triton.ops`, which Triton had before 3.1: only the model of a matmul's time, which kernels' autotune
decorators still import.
"""
