"""`torch._inductor.lowering`: modules import it for what it registers, which nothing here needs."""
