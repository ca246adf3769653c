"""`@triton.jit`: binding a launch's arguments and asking the runtime.

The launch is described as plain data (`LaunchRequest` in app/workers/bridge.ts); compiling, caching
and dispatching happen on the other side.
"""

import json
import linecache
import sys
import warnings
from inspect import CO_VARARGS

import _hippocamp_bridge as bridge

from .. import knobs
from .._program import PROGRAM_ROOT, Program, dtype_name
from ..compiler.compiler import CompiledKernel
from ..compiler.errors import CompilationError, CompilationWarning, CompileTimeAssertionFailure
from ..language.core import constexpr
from . import hooks, repeat
from .arguments import EMPTY, KernelParam, Specialization, Typing, annotations
from .callables import (  # noqa: F401
    BoundConstexprFunction, ConstexprFunction, JITCallable, KernelInterface, constexpr_function,
)  # fmt: skip
from .configurations import OtherWarps
from .driver import TARGET
from .errors import OutOfResources
from .options import OPTIONS, states_warps, without_effect
from .tensors import MockTensor, TensorWrapper, reinterpret  # noqa: F401

#: CUDA's limit of a program's threads: a launch with more fails there, so it does here.
MOST_THREADS = 1024


class JITFunction(JITCallable, KernelInterface):
    def __init__(
        self,
        fn,
        version=None,
        do_not_specialize=None,
        do_not_specialize_on_alignment=None,
        debug=None,
        noinline=None,
        repr=None,
        launch_metadata=None,
    ):
        super().__init__(fn)
        code = fn.__code__
        if not linecache.getlines(code.co_filename, fn.__globals__):
            raise ValueError("@jit functions should be defined in a Python file")
        self.module = fn.__module__
        self.version = version
        self.do_not_specialize = do_not_specialize or []
        self.do_not_specialize_on_alignment = do_not_specialize_on_alignment or []
        self.debug = debug
        self.noinline = noinline
        self.launch_metadata = launch_metadata
        self._repr = repr
        self.pre_run_hooks = []
        self.kernel = None
        count = code.co_argcount + code.co_kwonlyargcount
        self.arg_names = list(code.co_varnames[:count])
        #: `*args`: a tuple at its place among the parameters, as in Triton.
        self._rest = code.co_varnames[count] if code.co_flags & CO_VARARGS else None
        if self._rest is not None:
            self.arg_names.insert(code.co_argcount, self._rest)
        values = fn.__defaults__ or ()
        positional = self.arg_names[: code.co_argcount]
        self.defaults = dict(zip(positional[len(positional) - len(values) :], values))
        self.defaults.update(fn.__kwdefaults__ or {})
        notes = annotations(fn)
        self.params = [
            KernelParam(
                i,
                name,
                notes.get(name, EMPTY),
                self.defaults.get(name, EMPTY),
                i in self.do_not_specialize or name in self.do_not_specialize,
                i in self.do_not_specialize_on_alignment
                or name in self.do_not_specialize_on_alignment,
            )
            for i, name in enumerate(self.arg_names)
        ]
        self._own_options = [name for name in self.arg_names if name in OPTIONS]
        self.constexprs = [p.num for p in self.params if p.is_constexpr]
        self._contradiction = next(
            (
                p.name
                for p in self.params
                if p.is_constexpr and (p.do_not_specialize or p.do_not_specialize_on_alignment)
            ),
            None,
        )
        self._binder = None
        self._used_names = None
        self._programs = {}
        self._compiled = {}
        #: Launches made before, by everything but the tensors' memory.
        self._repeats = {}
        #: Specializations that the hooks have seen.
        self._reported = set()
        #: Launches of it that were compared with others of another `num_warps`.
        self.compared = set()
        #: Whether it was said which options of its launches have no effect.
        self._reported_options = False

    @property
    def used_names(self):
        if self._used_names is None:
            from .._program import names_of, used_names

            self._used_names = (
                used_names(self.fn) if self.source_file is None else names_of(compile(self._src, "", "exec"))
            )
        return self._used_names

    def _unsafe_update_src(self, new_src):
        super()._unsafe_update_src(new_src)
        self._used_names = None
        self._programs.clear()
        self._repeats.clear()

    def _bind(self):
        """A function with the kernel's parameters: Python itself binds, and words the errors."""
        code = self.fn.__code__
        parts = []
        for i, name in enumerate(self.arg_names):
            if name == self._rest:
                parts.append(f"*{name}")
                continue
            if i == code.co_argcount and self._rest is None:
                parts.append("*")
            parts.append(f"{name}=default_{name}" if name in self.defaults else name)
        names = ", ".join(self.arg_names) + ("," if self.arg_names else "")
        space = {f"default_{name}": value for name, value in self.defaults.items()}
        exec(
            f"def dynamic_func({', '.join([*parts, '**options'])}):\n    return ({names}), options",
            space,
        )
        self._binder = space["dynamic_func"]
        return self._binder

    def add_pre_run_hook(self, hook):
        assert callable(hook)
        self.pre_run_hooks.append(hook)

    def run(self, *args, grid, warmup, **kwargs):
        for hook in self.pre_run_hooks:
            hook(*args, **kwargs)
        values, options = (self._binder or self._bind())(*args, **kwargs)
        if self._own_options:
            # A parameter of an option's name gets its value, and so does the launch.
            options.update((name, kwargs[name]) for name in self._own_options if name in kwargs)
        if bridge.capture is not None and not warmup and grid is not None:
            return bridge.capture.launch(self, values, options, grid)
        if bridge.profile is not None and not warmup and grid is not None:
            return bridge.profile.launch(self, values, options, grid)
        if not warmup and grid is not None and not self._own_options and OtherWarps.wanted(self, values):
            return OtherWarps(self, options, grid).launch(values)
        return self.start(values, options, grid, warmup)

    def start(self, values, options, grid, warmup=False):
        """Launches with these values of the parameters, in their order."""
        again = None
        if not warmup and grid is not None:
            if bridge.capture is not None:
                return bridge.capture.launch(self, values, options, grid)
            if callable(grid):
                grid = grid(dict(zip(self.arg_names, values)))
            again = repeat.key_of(self, values, options, grid)
            if again is not None:
                known = self._repeats.get(again.key)
                if known is not None and repeat.launch(known, again):
                    compiled = known.compiled
                    if compiled._options == options:
                        return compiled
                    return self._kernel(compiled.hash, options, compiled._constants)
        for name in options:
            if name not in OPTIONS:
                if name in ("device_type", "device", "stream"):
                    raise AssertionError(
                        f"{name} option is deprecated; current {name.removesuffix('_type')} will be used"
                    )
                raise KeyError("Keyword argument %s was specified but unrecognised" % name)
        if options.get("ir_override") is not None:
            raise NotImplementedError(
                f"ir_override of {self.__name__}: Triton would run the IR of that file in place of the kernel, and IR "
                "in a file is not compiled here. Launch the kernel’s own source"
            )
        return self._launch(values, options, grid, warmup, again)

    def _launch(self, values, options, grid, warmup, again=None):
        if bridge.capture is not None and not warmup and grid is not None:
            return bridge.capture.launch(self, values, options, grid)
        if len(values) != len(self.params):
            raise TypeError(
                f"{self.__name__}() takes {len(self.params)} arguments but {len(values)} were given"
            )
        warps = _option(options, "num_warps", 4)
        assert warps > 0 and warps & (warps - 1) == 0, "num_warps must be a power of 2"
        self._check_contradiction()
        typing = Typing(self)
        specs = []
        for param, value in zip(self.params, values):
            specs.append(typing.argument(param, value))
        program = self._program(typing)
        if (warmup and warmup not in ("ahead", "code", "describe")) or grid is None:
            assert warmup, "grid must not be None"
            size = (1, 1, 1)
        else:
            if callable(grid):
                grid = grid(dict(zip(self.arg_names, values)))
            size = _grid(grid)
        debug = options.get("debug")
        if debug is None:
            debug = self.debug
        # A launch's own option is overwritten, as in Triton.
        mode = knobs.compilation.instrumentation_mode
        request = _request(program, typing, specs, options, debug, mode, size, warmup)
        if warps * TARGET.warp_size > MOST_THREADS and not warmup:
            raise OutOfResources(warps * TARGET.warp_size, MOST_THREADS, "threads")
        reported = knobs.runtime.jit_cache_hook or knobs.runtime.jit_post_compile_hook
        asked = None
        if reported is not None:
            asked = json.dumps([request["program"], request["specialization"], repr(options)])
            if asked in self._reported:
                asked = None
            elif hooks.compiling(
                knobs.runtime.jit_cache_hook, self, asked, specs, options, bool(warmup)
            ):
                return None
        response = bridge.launch(json.dumps(request))
        if not response["ok"]:
            raise launch_error(response)
        warn_of(response)
        if not self._reported_options:
            self._report_options(options)
        if warmup == "describe":
            return response["key"]
        if warmup == "code":
            code = bridge.kernel_facts(response["key"])["wgsl"]
            return response["key"], (code, json.dumps([size, request["values"]]))
        if asked is not None:
            self._reported.add(asked)
            hooks.compiling(
                knobs.runtime.jit_post_compile_hook, self, asked, specs, options, bool(warmup)
            )
        written = None
        if not warmup:
            for storage in typing.storages:
                storage.stale = True
            accesses = response.get("accesses")
            written = accesses and accesses["written"]
            repeat.note_launch(typing.storages, written)
            if "reached" in response:
                bridge.mark_reached(response["reached"])
        constants = {p.num: values[p.num] for p in self.params if p.is_constexpr}
        known = len(self._compiled)
        compiled = self._kernel(response["key"], options, constants)
        if known != len(self._compiled):
            if self._repr is not None:
                compiled.name = self._repr(Specialization(self.arg_names, specs, values))
            if not warmup:
                hooks.loaded(compiled)
        if warmup == "ahead":
            compiled.operations = response.get("operations")
        if again is not None and "prepared" in response:
            if len(self._repeats) >= repeat.MOST:
                self._repeats.clear()
            self._repeats[again.key] = repeat.Known(
                response["prepared"], program, compiled, response.get("writes"), written
            )
        if not warmup:
            facts = hooks.launch_facts(self, compiled, size, values)
            if facts is not None:
                hooks.launched(facts)
        return compiled

    def _report_options(self, options):
        """Says once which options the program gave in vain."""
        names = without_effect(options)
        if names:
            self._reported_options = True
            verb = "have" if len(names) > 1 else "has"
            report_once(
                set(),
                "HC0906",
                f"{' and '.join(names)} {verb} no effect on {self.__name__} here: it runs the same without",
            )

    def _kernel(self, key, options, constants):
        """What stands for a compilation in Python: one object for each set of options, which it shows."""
        place = (key, repr(options))
        compiled = self._compiled.get(place)
        if compiled is None:
            compiled = CompiledKernel.of(self, key, bridge.kernel_facts(key), options, constants)
            self._compiled[place] = compiled
        return compiled

    def _compile(self, signature, constants, attrs, options):
        """For `triton.compile`: the types are given, there are no values."""
        self._check_contradiction()
        typing = Typing(self)
        specs = []
        for param in self.params:
            path = (param.num,)
            aligned = any(name == "tt.divisibility" and by % 16 == 0 for name, by in attrs.get(path, ()))
            if path in constants or param.is_constexpr:
                specs.append(typing.argument(param, constexpr(constants.get(path))))
            else:
                specs.append(typing.stated(param, signature[param.name], aligned))
        program = self._program(typing)
        debug = options.get("debug") or self.debug
        mode = options.get("instrumentation_mode")
        request = _request(program, typing, specs, options, debug, mode, (1, 1, 1), True)
        response = bridge.launch(json.dumps(request))
        if not response["ok"]:
            raise launch_error(response)
        warn_of(response)
        given = {p.num: constants.get((p.num,)) for p in self.params if p.is_constexpr}
        facts = bridge.kernel_facts(response["key"])
        return CompiledKernel.of(self, response["key"], facts, options, given)

    def _check_contradiction(self):
        if self._contradiction is not None:
            raise CompilationError(
                self.src,
                None,
                f"{self._contradiction} marked as constexpr and listed in "
                "do_not_specialize/do_not_specialize_on_alignment. "
                "Remove constexpr designation to skip specialization.",
            )

    def _program(self, typing):
        """The kernel with the functions that its arguments name, by their ids."""
        key = tuple(map(id, typing.functions))
        program = self._programs.get(key)
        if program is None or not program.current():
            program = self._programs[key] = Program(self, typing.functions)
        for holder, function in typing.placeholders:
            holder["id"] = program.function_ids[id(function)]
        return program

    def is_gluon(self):
        return False

    def repr(self, specialization):
        if self._repr is not None:
            return self._repr(specialization)
        return f"{self.__module__}.{self.__qualname__}"

    def __call__(self, *args, **kwargs):
        raise RuntimeError("Cannot call @triton.jit'd outside of the scope of a kernel")

    def __repr__(self):
        return f"JITFunction({self.module}:{self.fn.__qualname__})"


def _request(program, typing, specs, options, debug, mode, grid, warmup):
    """A `LaunchRequest`."""
    specialization = {"arguments": specs, "numWarps": _option(options, "num_warps", 4)}
    if states_warps(options):
        specialization["statedWarps"] = True
    # Two stages or more are one code.
    if _option(options, "num_stages", 3) <= 1:
        specialization["numStages"] = 1
    instrumented = {"instrumentation": "fpsan"} if mode and "fpsan" in mode else {}
    return {
        **instrumented,
        "program": program.id,
        "debug": _debug_mode(debug, options),
        "specialization": specialization,
        "values": typing.values,
        "grid": grid,
        "site": call_site(),
        "labels": typing.labels,
        "warmup": bool(warmup),
        "ahead": warmup == "ahead",
        "code": warmup == "code",
        "describe": warmup == "describe",
        "accesses": True,
    }


def _option(options, name, default):
    value = options.get(name)
    return default if value is None else int(value)


def _grid(grid):
    if not hasattr(grid, "__len__"):
        raise TypeError(
            f"object of type '{type(grid).__name__}' has no len(): a grid is a tuple, such as ({grid},), or a "
            "function that returns one"
        )
    size = [int_of(g) for g in grid[:3]]
    # Triton does not look at a fourth; one that is 1 changes nothing.
    if any(g != 1 for g in grid[3:]) or not size:
        raise ValueError(f"a grid has 1 to 3 dimensions, not {len(grid)}")
    return size + [1] * (3 - len(size))


def int_of(value):
    try:
        return value.__index__()
    except AttributeError:
        raise TypeError(f"'{type(value).__name__}' object cannot be interpreted as an integer") from None


def call_site():
    """The innermost line of the user's program on the stack."""
    frame = sys._getframe(1)
    while frame is not None:
        name = frame.f_code.co_filename
        if name.startswith(PROGRAM_ROOT):
            return {"file": name.removeprefix(PROGRAM_ROOT), "line": frame.f_lineno}
        frame = frame.f_back
    return {"file": "", "line": 0}


def report_once(reported, code, message):
    """A diagnostic that warns of nothing, once for each line of the program: `reported` are the lines so far."""
    site = call_site()
    file, line = place = site["file"], site["line"]
    if place in reported:
        return
    reported.add(place)
    location = {"file": file, "line": line, "column": 1, "endLine": line, "endColumn": 1}
    found = {"code": code, "severity": "info", "message": message, "notes": [], "location": location}
    bridge.emit({"type": "diagnostic", "diagnostic": found})


def _debug_mode(debug, options):
    """Of a launch: run-time assertions and checks for overflow, assertions alone, or neither."""
    if not (debug or knobs.runtime.debug):
        return False
    return "assertions" if options.get("sanitize_overflow") is False else True


def warn_of(response):
    """What the compiler warned of, as Python's warnings: for filters, and for who records them."""
    for found in response.get("warnings", ()):
        place = PROGRAM_ROOT + found["file"]
        warnings.warn_explicit(found["message"], CompilationWarning, place, found["line"])


def launch_error(response):
    passing, bridge.passing = bridge.passing, None
    if passing is not None:
        return passing
    message = response["message"]
    kind = response["kind"]
    diagnostics = response.get("diagnostics", [])
    if kind == "CompilationError":
        failed_assertion = any(d.get("code") == "HC0213" for d in diagnostics)
        made = CompileTimeAssertionFailure if failed_assertion else CompilationError
        return made.from_diagnostics(message, diagnostics)
    if kind == "OutOfResources":
        error = OutOfResources.from_message(message)
    else:
        error = bridge.error_of(kind, message)
    error.diagnostics = diagnostics
    return error


def jit(
    fn=None,
    *,
    version=None,
    repr=None,
    launch_metadata=None,
    do_not_specialize=None,
    do_not_specialize_on_alignment=None,
    debug=None,
    noinline=None,
):
    """Marks a function as a kernel, or as a helper that kernels call."""

    def decorator(fn):
        assert callable(fn)
        return JITFunction(
            fn,
            version=version,
            do_not_specialize=do_not_specialize,
            do_not_specialize_on_alignment=do_not_specialize_on_alignment,
            debug=debug,
            noinline=noinline,
            repr=repr,
            launch_metadata=launch_metadata,
        )

    return decorator if fn is None else decorator(fn)


class GluonJITFunction(JITFunction):
    """A kernel or helper in Gluon: the same, and its names are Gluon's."""

    def is_gluon(self):
        return True


def gluon_jit(fn=None, **options):
    """`triton.experimental.gluon.jit`, with the options of `triton.jit`."""

    def decorator(fn):
        assert callable(fn)
        return GluonJITFunction(fn, **options)

    return decorator if fn is None else decorator(fn)


__all__ = ["JITFunction", "KernelInterface", "TARGET", "dtype_name", "jit"]
