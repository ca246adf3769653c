"""`torch._inductor.kernel`: grids of templates, as PyTorch before 2.7 names them beside a launch."""
