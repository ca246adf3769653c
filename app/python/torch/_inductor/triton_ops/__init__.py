"""`torch._inductor.triton_ops`: where PyTorch 2.0 has its decorators."""
