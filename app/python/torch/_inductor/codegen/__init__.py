"""`torch._inductor.codegen`."""
