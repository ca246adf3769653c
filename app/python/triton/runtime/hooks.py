"""`triton.knobs.runtime`'s hooks: functions called for compilations and launches."""

from .. import knobs


class JitFunctionInfo:
    def __init__(self, module, name, jit_function):
        self.module = module
        self.name = name
        self.jit_function = jit_function


class LazyDict:
    """A launch's facts; what costs time is computed when somebody asks for all of them."""

    def __init__(self, data):
        self.data = data
        self.extras = []

    def get(self):
        for function, args in self.extras:
            self.data = self.data | function(*args)
        self.extras.clear()
        return self.data

    def add(self, function, args):
        self.extras.append((function, args))


def compiling(hook, jit, key, specs, options, is_warmup):
    """Calls `jit_cache_hook` or `jit_post_compile_hook`. @returns what it answered."""
    if hook is None:
        return None
    signature = {p.name: _type_of(s) for p, s in zip(jit.params, specs)}
    facts = {
        "num_warps": options.get("num_warps", 4),
        "num_ctas": options.get("num_ctas", 1),
        "num_stages": options.get("num_stages", 3),
        "enable_fp_fusion": options.get("enable_fp_fusion", True),
        "launch_cooperative_grid": options.get("launch_cooperative_grid", False),
    }
    listed = ", ".join(f"{k}={v}" for k, v in facts.items())
    arguments = ", ".join(f"{name}: {kind}" for name, kind in signature.items())
    name = jit.fn.__qualname__
    return hook(
        key=key,
        repr=f"{name}[{listed}]({arguments})",
        fn=JitFunctionInfo(jit.fn.__module__, name, jit),
        compile={
            "key": key,
            "signature": signature,
            "device": 0,
            "constants": {
                (i,): s["value"].get("value") for i, s in enumerate(specs) if s["kind"] == "constexpr"
            },
            **facts,
            "extern_libs": tuple((options.get("extern_libs") or {}).items()),
            "configs": [],
            "specialization_data": key,
            "is_warmup": is_warmup,
        },
        is_manual_warmup=is_warmup,
        already_compiled=False,
    )


def _type_of(spec):
    from .._types import CANONICAL

    if spec["kind"] == "constexpr":
        return "constexpr"
    if spec["kind"] == "tuple":
        return "(" + ", ".join(_type_of(s) for s in spec["items"]) + ")"
    short = CANONICAL.get(spec["dtype"], spec["dtype"])
    return f"*{short}" if spec["kind"] == "pointer" else short


def loaded(kernel):
    """A kernel is launched for the first time."""
    for hook in (knobs.runtime.kernel_load_start_hook, knobs.runtime.kernel_load_end_hook):
        if hook is not None:
            hook(kernel.module, kernel.function, kernel.name, (), kernel.hash)


def launch_facts(jit, kernel, grid, values):
    """What the launch hooks are given; null where there are none."""
    enter, leave = knobs.runtime.launch_enter_hook, knobs.runtime.launch_exit_hook
    if not getattr(enter, "calls", enter) and not getattr(leave, "calls", leave):
        return None
    facts = LazyDict({"name": kernel.name, "function": kernel.function, "stream": 0})
    if jit.launch_metadata is not None:
        named = dict(zip(jit.arg_names, values))
        facts.add(jit.launch_metadata, (tuple(grid), kernel.metadata, named))
    return facts


def launched(facts):
    for hook in (knobs.runtime.launch_enter_hook, knobs.runtime.launch_exit_hook):
        if hook is not None:
            hook(facts)
