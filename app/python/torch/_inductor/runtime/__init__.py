"""`torch._inductor.runtime`."""
