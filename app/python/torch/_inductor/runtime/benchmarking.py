"""`torch._inductor.runtime.benchmarking`: `benchmarker`, by which kernels of the cache measure themselves."""


class Benchmarker:
    def benchmark_gpu(self, fn, *_, **options):
        """Milliseconds of a call, as `triton.testing.do_bench` measures them."""
        from triton.testing import do_bench

        return do_bench(fn, **{k: v for k, v in options.items() if k in ("warmup", "rep", "quantiles", "return_mode")})

    def benchmark(self, fn, fn_args=(), fn_kwargs=None, **options):
        return self.benchmark_gpu(lambda: fn(*fn_args, **(fn_kwargs or {})), **options)


benchmarker = Benchmarker()
