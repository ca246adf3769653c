"""What kernels written by TorchInductor import of it."""
