"""Runs a program under real Triton, in a Jupyter kernel of the visitor's, and reports what it did.

What happens becomes the events of `app/events.ts`, as messages of one MIME type. The program's text is
untouched: launches are seen by Triton's own hooks and timed by CUDA events around the kernel alone,
comparisons by the three functions that compare. Of what a benchmark repeats, the first call is recorded;
then the hooks are lifted, so that its times are those without us. Works with Triton 3.0 and later, and on
its interpreter.
"""


def _hippocamp_run(files, main, seed, mime):
    import contextlib
    import io
    import os
    import sys
    import tempfile
    import time
    import traceback

    from IPython.display import display

    def emit(**event):
        display({mime: event, "text/plain": ""}, raw=True)

    began = time.time()
    folder = tempfile.mkdtemp(prefix="hippocamp_")
    for name, text in files.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def inside(path):
        return os.path.relpath(path, folder) if path.startswith(folder + os.sep) else None

    def site(depth=1):
        """The line of the program that is running now."""
        frame = sys._getframe(depth)
        while frame is not None:
            name = inside(frame.f_code.co_filename)
            if name:
                return {"file": name, "line": frame.f_lineno}
            frame = frame.f_back
        return {"file": main, "line": 1}

    def problem(error):
        line, file = 1, main
        frames = traceback.extract_tb(error.__traceback__)
        for frame in frames:
            if inside(frame.filename):
                file, line = inside(frame.filename), frame.lineno
        if isinstance(error, SyntaxError) and error.filename and inside(error.filename):
            file, line = inside(error.filename), error.lineno or 1
        own = [f for f in frames if inside(f.filename)]
        notes = [{"message": "".join(traceback.format_list(own))}] if own else []
        emit(type="diagnostic", diagnostic={
            "code": "HC0900", "severity": "error", "message": f"{type(error).__name__}: {error}",
            "location": dict(file=file, line=line, column=1, endLine=line, endColumn=200), "notes": notes,
        })  # fmt: skip

    try:
        import torch
        import triton
    except ImportError as error:
        problem(error)
        emit(type="finished", outcome="error", milliseconds=(time.time() - began) * 1000)
        return

    cuda = torch.cuda.is_available()
    interpreted = os.environ.get("TRITON_INTERPRET") == "1"
    name = torch.cuda.get_device_name() if cuda else "CPU"
    if interpreted:
        name = f"Triton's interpreter on {name}"
    emit(type="started", time=began * 1000, adapter={
        "kind": "cuda", "name": name, "vendor": "nvidia" if cuda else "", "reason": None,
        "architecture": f"Triton {triton.__version__}, PyTorch {torch.__version__}",
    })  # fmt: skip

    launches, busy = [], {"benchmark": 0, "comparing": 0}
    most = 2000

    # ── launches ────────────────────────────────────────────────────────────────────────────────

    def launched(kernel, grid):
        grid = [int(g) for g in grid][:3]
        grid += [1] * (3 - len(grid))
        entry = {"id": len(launches) + 1, "events": None, "wall": None, "started": time.perf_counter()}
        launches.append(entry)
        emit(type="launch", id=entry["id"], kernel=kernel, grid=grid, key="", site=site(3), arguments=[],
             device="cuda", benchmark=busy["benchmark"] > 0, values=[])  # fmt: skip
        return entry

    def entered(metadata):
        if len(launches) >= most:
            return
        facts = metadata.get() if hasattr(metadata, "get") and not isinstance(metadata, dict) else metadata
        entry = launched(facts.get("name", "kernel"), pending[-1] if pending else (1,))
        if cuda and not torch.cuda.is_current_stream_capturing():
            entry["events"] = [torch.cuda.Event(enable_timing=True) for _ in range(2)]
            for event in entry["events"]:
                event.record()  # CUDA makes it now.
            # The GPU is kept busy until both events and the kernel are in its queue: on an idle
            # one, the time between the events would be the host's.
            occupy(400_000)
            entry["events"][0].record()

    def left(metadata):
        if launches and launches[-1]["events"] and not launches[-1].get("left"):
            launches[-1]["left"] = True
            launches[-1]["events"][1].record()

    occupy = getattr(torch.cuda, "_sleep", None) or (lambda cycles: None)
    pending, undo = [], []
    # How launches are seen: pairs of what puts that on and takes it off again.
    watches = []

    def patch(owner, name, make, watch=False):
        old = getattr(owner, name, None)
        if old is None:
            return
        new = make(old)
        pair = (lambda: setattr(owner, name, new), lambda: setattr(owner, name, old))
        pair[0]()
        undo.append(pair[1])
        if watch:
            watches.append(pair)

    if interpreted:
        from triton.runtime import interpreter

        def executed(old):
            def call(self, *args, **kwargs):
                grid = self.grid
                if callable(grid):
                    grid = grid(dict(zip(self.arg_names, args)) | kwargs)
                if len(launches) >= most:
                    return old(self, *args, **kwargs)
                entry = launched(self.fn.__name__, grid if isinstance(grid, (tuple, list)) else (grid,))
                out = old(self, *args, **kwargs)
                entry["wall"] = time.perf_counter() - entry["started"]
                return out

            return call

        patch(interpreter.GridExecutor, "__call__", executed, watch=True)
    else:
        def ran(old):
            def run(self, *args, grid, warmup, **kwargs):
                def sized(meta):
                    pending.append(grid(meta))
                    return pending[-1]

                depth = len(pending)
                if not callable(grid):
                    pending.append(grid)
                try:
                    return old(self, *args, grid=sized if callable(grid) else grid, warmup=warmup, **kwargs)
                finally:
                    del pending[depth:]

            return run

        patch(triton.runtime.jit.JITFunction, "run", ran, watch=True)
        hooks = getattr(getattr(triton, "knobs", None), "runtime", None)
        if hooks is not None and hasattr(hooks.launch_enter_hook, "add"):
            enter, leave = hooks.launch_enter_hook, hooks.launch_exit_hook
            watches.append((lambda: (enter.add(entered), leave.add(left)),
                            lambda: (enter.remove(entered), leave.remove(left))))  # fmt: skip
        else:
            # Before Triton 3.4: one hook each, and none by default.
            compiled = triton.compiler.CompiledKernel

            def hook(*both):
                compiled.launch_enter_hook, compiled.launch_exit_hook = both

            watches.append((lambda: hook(entered, left), lambda: hook(None, None)))
        watches[-1][0]()
        undo.append(watches[-1][1])

    # ── comparisons ─────────────────────────────────────────────────────────────────────────────

    counted = {"comparison": 0}

    def number(value):
        value = float(value)
        return "nan" if value != value else "inf" if value == float("inf") else "-inf" if value == float("-inf") else value  # fmt: skip

    def compared(kind, passed, actual, expected, rtol, atol, equal_nan, message=None):
        if not isinstance(actual, torch.Tensor) or not isinstance(expected, torch.Tensor):
            return
        counted["comparison"] += 1
        facts = dict(count=0, mismatches=0, maxAbsolute=None, maxRelative=None, nanMismatches=0,
                     toleranceUsed=None, roundingShare=None, first=None)  # fmt: skip
        if actual.shape == expected.shape:
            with torch.no_grad():
                a = actual.detach().to("cpu", torch.float64).reshape(-1)
                b = expected.detach().to("cpu", torch.float64).reshape(-1)
                nan = a.isnan() != b.isnan() if equal_nan else a.isnan() | b.isnan()
                same = (a == b) | (a.isnan() & b.isnan() if equal_nan else torch.zeros_like(nan))
                error = (a - b).abs()
                wrong = ~(same | (error <= atol + rtol * b.abs())) | nan
                finite = error[error.isfinite()]
                allowed = (atol + rtol * b.abs())[error.isfinite()]
                used = (finite / allowed)[allowed > 0]
                step = torch.finfo(actual.dtype).eps * b.abs() if actual.is_floating_point() else torch.ones_like(b)
                rounding = (step[error.isfinite()] / allowed)[allowed > 0]
                ratio = (error / b.abs())[error.isfinite() & (b != 0)]
                facts.update(
                    count=a.numel(), mismatches=int(wrong.sum()), nanMismatches=int(nan.sum()),
                    maxAbsolute="nan" if nan.any() else "inf" if error[~same].isinf().any() else float(finite.max()) if finite.numel() else None,  # fmt: skip
                    toleranceUsed=float(used.max()) if used.numel() else None,
                    roundingShare=float(rounding.max()) if used.numel() else None,
                    maxRelative=float(ratio[ratio.isfinite()].max()) if ratio.isfinite().any() else None,
                )  # fmt: skip
                if facts["mismatches"]:
                    flat = int(wrong.nonzero()[0])
                    index = []
                    for size in reversed(actual.shape):
                        index.insert(0, flat % size)
                        flat //= size
                    at = int(wrong.nonzero()[0])
                    facts["first"] = dict(index=index, actual=number(a[at]), expected=number(b[at]))
        else:
            message = message or f"shapes differ: {list(actual.shape)} and {list(expected.shape)}"
        emit(type="comparison", id=counted["comparison"], kind=kind, passed=bool(passed), site=site(3),
             shape=list(actual.shape), dtype=str(actual.dtype).replace("torch.", ""), rtol=rtol, atol=atol,
             heatmap=None, message=message, equalNan=bool(equal_nan), call=None, actual=None, expected=None,
             **facts)  # fmt: skip

    def allclose(old):
        def call(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
            passed = old(input, other, rtol=rtol, atol=atol, equal_nan=equal_nan)
            if not busy["comparing"]:
                compared("allclose", passed, input, other, rtol, atol, equal_nan)
            return passed

        return call

    def equal(old):
        def call(input, other):
            passed = old(input, other)
            if not busy["comparing"] and isinstance(input, torch.Tensor) and input.dim() and input.shape == getattr(other, "shape", None):  # fmt: skip
                compared("equal", passed, input, other, 0.0, 0.0, False)
            return passed

        return call

    def assert_close(old):
        def call(actual, expected, *, rtol=None, atol=None, equal_nan=False, **more):
            busy["comparing"] += 1
            said = None
            try:
                old(actual, expected, rtol=rtol, atol=atol, equal_nan=equal_nan, **more)
            except AssertionError as error:
                said = error
            finally:
                busy["comparing"] -= 1
            usual = {torch.float16: (1e-3, 1e-5), torch.bfloat16: (1.6e-2, 1e-5), torch.float32: (1.3e-6, 1e-5),
                     torch.float64: (1e-7, 1e-7)}.get(getattr(actual, "dtype", None), (0.0, 0.0))  # fmt: skip
            r, t = (usual[0] if rtol is None else rtol), (usual[1] if atol is None else atol)
            compared("assert_close", said is None, actual, expected, r, t, equal_nan)
            if said is not None:
                raise said

        return call

    patch(torch, "allclose", allclose)
    patch(torch, "equal", equal)
    patch(torch.testing, "assert_close", assert_close)

    # ── benchmarks ──────────────────────────────────────────────────────────────────────────────

    watching = {"on": True}

    def watch(on):
        if watching["on"] != on:
            watching["on"] = on
            for put, take in watches:
                (put if on else take)()

    def uncounted(old):
        def call(fn, *args, **kwargs):
            seen = []

            def first():
                out = fn()
                if not seen:
                    seen.append(watching["on"])
                    watch(False)
                return out

            busy["benchmark"] += 1
            try:
                return old(first, *args, **kwargs)
            finally:
                busy["benchmark"] -= 1
                if seen:
                    watch(seen[0])

        return call

    def charts(old):
        def run(self, show_plots=False, print_data=False, save_path="", return_df=False, **kwargs):
            single = not isinstance(self.benchmarks, (list, tuple))
            for bench in [self.benchmarks] if single else self.benchmarks:
                lines = [dict(name=str(n), color=None, dash=None, clock="gpu" if cuda else "cpu", points=[]) for n in bench.line_names]  # fmt: skip
                for style, line in zip(getattr(bench, "styles", None) or [], lines):
                    line["color"], line["dash"] = [None if s is None else str(s) for s in (*style, None)[:2]]
                table = []
                for x in bench.x_vals:
                    xs = x if isinstance(x, (tuple, list)) else [x] * len(bench.x_names)
                    row = [str(xs[0])]
                    for value, line in zip(bench.line_vals, lines):
                        out = self.fn(**dict(zip(bench.x_names, xs)), **{bench.line_arg: value}, **bench.args, **kwargs)  # fmt: skip
                        mid, low, high = out if isinstance(out, (tuple, list)) else (out, None, None)
                        if mid is not None:
                            line["points"].append(dict(x=xs[0] if type(xs[0]) in (int, float) else str(xs[0]), y=mid, low=low, high=high))
                        row.append("" if mid is None else f"{mid:.6f}")
                    table.append(row)
                    emit(type="benchmark", name=str(bench.plot_name), xName=str(bench.x_names[0]),
                         xLabel=str(bench.xlabel or bench.x_names[0]), yLabel=str(bench.ylabel or ""), xLog=bool(bench.x_log),
                         yLog=bool(getattr(bench, "y_log", False)), lines=lines, done=x is bench.x_vals[-1], notes=[])  # fmt: skip
                if print_data:
                    print(bench.plot_name + ":")
                    for row in [[bench.x_names[0], *bench.line_names], *table]:
                        print("  ".join(f"{cell:>14}" for cell in row))

        return run

    patch(triton.testing, "do_bench", uncounted)
    patch(triton.testing, "do_bench_cudagraph", uncounted)
    patch(triton.testing.Mark, "run", charts)

    # ── the program ─────────────────────────────────────────────────────────────────────────────

    class Stream(io.TextIOBase):
        def __init__(self, stream):
            self.stream, self.kept = stream, ""

        def write(self, text):
            self.kept += text
            if "\n" in self.kept:
                whole, _, self.kept = self.kept.rpartition("\n")
                emit(type="print", stream=self.stream, text=whole + "\n")
            return len(text)

        def last(self):
            if self.kept:
                emit(type="print", stream=self.stream, text=self.kept)
                self.kept = ""

    out, err = Stream("stdout"), Stream("stderr")
    before, here, outcome = list(sys.path), os.getcwd(), "ok"
    loaded = set(sys.modules)
    torch.manual_seed(seed)
    try:
        sys.path.insert(0, folder)
        os.chdir(folder)
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            import runpy

            runpy.run_path(os.path.join(folder, main), run_name="__main__")
    except KeyboardInterrupt:
        outcome = "stopped"
    except SystemExit as exit:
        outcome = "ok" if exit.code in (None, 0) else "error"
    except BaseException as error:
        outcome = "error"
        out.last()
        err.last()
        problem(error)
    finally:
        out.last()
        err.last()
        for back in reversed(undo):
            with contextlib.suppress(Exception):
                back()
        sys.path[:] = before
        os.chdir(here)
        # A second run must read the program's own modules anew.
        for module in set(sys.modules) - loaded:
            if inside(getattr(sys.modules[module], "__file__", None) or ""):
                del sys.modules[module]
    with contextlib.suppress(Exception):
        if cuda:
            torch.cuda.synchronize()
    for entry in launches:
        took = None
        with contextlib.suppress(Exception):
            took = entry["events"][0].elapsed_time(entry["events"][1]) * 1000 if entry["events"] else None
        if took is None and entry["wall"] is not None:
            took = entry["wall"] * 1e6
        if took is not None:
            # CUDA's event clock steps by half a microsecond.
            emit(type="launch-time", id=entry["id"], timing=dict(
                clock="gpu" if entry["events"] else "cpu", median=took, low=took, high=took, samples=1,
                quantum=0.5 if entry["events"] else 1.0))  # fmt: skip
    emit(type="finished", outcome=outcome, milliseconds=(time.time() - began) * 1000)
