"""`@triton.jit`: binding a launch's arguments, typing them as Triton does, and asking the runtime.

The launch is described as plain data (`LaunchRequest` in app/workers/bridge.ts); compiling, caching
and dispatching happen on the other side.
"""

import json
import linecache
import sys
from types import FunctionType

import _hippocamp_bridge as bridge

from .. import knobs
from .._program import LONG, PROGRAM_ROOT, Program, dtype_name
from .._types import CANONICAL, normalize, short_dtype
from ..compiler.compiler import CompiledKernel
from ..compiler.errors import CompilationError, CompileTimeAssertionFailure
from ..language.core import constexpr
from . import hooks
from .driver import TARGET
from .errors import OutOfResources

#: Options of a launch that Triton's CUDA backend knows. Any other keyword that is not a parameter is
#: an error there and here.
OPTIONS = frozenset(
    """num_warps num_ctas num_stages warp_size maxnreg ptx_version ptx_options ir_override
    enable_fp_fusion enable_reflect_ftz launch_cooperative_grid launch_pdl supported_fp8_dtypes
    deprecated_fp8_dot_operand_dtypes default_dot_input_precision allowed_dot_input_precisions
    max_num_imprecise_acc_default extern_libs debug backend_name sanitize_overflow arch
    instrumentation_mode""".split()
)
_SHORT_TYPES = frozenset(CANONICAL.values())
#: CUDA's limit of a program's threads: a launch with more fails there, so it does here.
MOST_THREADS = 1024
_NONE = {"kind": "constexpr", "value": {"kind": "none"}}
_EMPTY = object()


class KernelInterface:
    def warmup(self, *args, grid, **kwargs):
        """Compiles without launching. A dtype stands for a tensor of it."""
        return self.run(grid=grid, warmup=True, *map(MockTensor.wrap_dtype, args), **kwargs)

    def run(self, *args, grid, warmup, **kwargs):
        raise NotImplementedError("run not implemented")

    def __getitem__(self, grid):
        return lambda *args, **kwargs: self.run(grid=grid, warmup=False, *args, **kwargs)


class KernelParam:
    """A parameter, and what its annotation says."""

    def __init__(self, num, name, annotation, default, do_not_specialize, do_not_align):
        self.num = num
        self.name = name
        self.annotation = normalize(annotation) if annotation not in (None, _EMPTY) else ""
        self.default = default
        self.has_default = default is not _EMPTY
        self.do_not_specialize = do_not_specialize
        self.do_not_specialize_on_alignment = do_not_align
        self.is_constexpr = "constexpr" in self.annotation
        bare = self.annotation.removeprefix("*k").removeprefix("*")
        self.is_const = not self.is_constexpr and (
            "const" in self.annotation or self.annotation.startswith("*k")
        )
        self.annotation_type = self.annotation if bare in _SHORT_TYPES else ""


def _annotations(fn):
    try:
        return fn.__annotations__
    except NameError:
        # An annotation names something that does not exist (yet): keep what can be told.
        import annotationlib

        return annotationlib.get_annotations(fn, format=annotationlib.Format.FORWARDREF)


class JITCallable:
    def __init__(self, fn):
        if not isinstance(fn, FunctionType):
            raise ValueError("@jit functions should be defined in a Python file")
        self.fn = fn
        self.__doc__ = fn.__doc__
        self.__name__ = fn.__name__
        self.__qualname__ = fn.__qualname__
        self.__globals__ = fn.__globals__
        self.__module__ = fn.__module__
        self._src = None
        #: The name of a text that took the place of the function's own.
        self.source_file = None

    @property
    def src(self):
        if self._src is None:
            import inspect
            import textwrap

            text = textwrap.dedent("".join(inspect.getsourcelines(self.fn)[0]))
            self._src = text[text.index("def ") :] if "def " in text else text
        return self._src

    def _unsafe_update_src(self, new_src):
        """Another body for the same function, as text that begins with its `def`."""
        import hashlib

        self._src = new_src
        key = hashlib.sha256(new_src.encode()).hexdigest()[:12]
        self.source_file = f"{self.__name__}.{key}.py"
        lines = new_src.splitlines(True)
        linecache.cache[PROGRAM_ROOT + self.source_file] = (len(new_src), None, lines, self.source_file)

    @property
    def raw_src(self):
        import inspect

        return inspect.getsourcelines(self.fn)[0]

    @property
    def starting_line_number(self):
        return self.fn.__code__.co_firstlineno

    @property
    def signature(self):
        import inspect

        return inspect.signature(self.fn)

    @property
    def cache_key(self):
        import hashlib

        return hashlib.sha256(self.src.encode()).hexdigest()


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
        values = fn.__defaults__ or ()
        positional = self.arg_names[: code.co_argcount]
        self.defaults = dict(zip(positional[len(positional) - len(values) :], values))
        self.defaults.update(fn.__kwdefaults__ or {})
        notes = _annotations(fn)
        self.params = [
            KernelParam(
                i,
                name,
                notes.get(name, _EMPTY),
                self.defaults.get(name, _EMPTY),
                i in self.do_not_specialize or name in self.do_not_specialize,
                i in self.do_not_specialize_on_alignment
                or name in self.do_not_specialize_on_alignment,
            )
            for i, name in enumerate(self.arg_names)
        ]
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
        #: Specializations that the hooks have been told of.
        self._told = set()

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

    def _bind(self):
        """A function with the kernel's parameters: Python itself binds, and words the errors."""
        code = self.fn.__code__
        parts = []
        for i, name in enumerate(self.arg_names):
            if i == code.co_argcount:
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
        for name in options:
            if name not in OPTIONS:
                if name in ("device_type", "device", "stream"):
                    raise AssertionError(
                        f"{name} option is deprecated; current {name.removesuffix('_type')} will be used"
                    )
                raise KeyError("Keyword argument %s was specified but unrecognised" % name)
        return self._launch(values, options, grid, warmup)

    def _launch(self, values, options, grid, warmup):
        if len(values) != len(self.params):
            raise TypeError(
                f"{self.__name__}() takes {len(self.params)} arguments but {len(values)} were given"
            )
        warps = _option(options, "num_warps", 4)
        assert warps > 0 and warps & (warps - 1) == 0, "num_warps must be a power of 2"
        self._check_contradiction()
        typing = _Typing(self)
        specs = []
        for param, value in zip(self.params, values):
            specs.append(typing.argument(param, value))
        program = self._program(typing.functions)
        for holder, function in typing.placeholders:
            holder["id"] = program.function_ids[id(function)]
        ahead = warmup == "ahead"
        if (warmup and not ahead) or grid is None:
            assert warmup, "grid must not be None"
            size = (1, 1, 1)
        else:
            if callable(grid):
                grid = grid(dict(zip(self.arg_names, values)))
            size = _grid(grid)
        debug = options.get("debug")
        if debug is None:
            debug = self.debug
        request = {
            "program": program.id,
            "debug": bool(debug or knobs.runtime.debug),
            "specialization": {
                "arguments": specs,
                "numWarps": warps,
                "numStages": _option(options, "num_stages", 3),
                "numCtas": _option(options, "num_ctas", 1),
            },
            "values": typing.values,
            "grid": size,
            "site": call_site(),
            "labels": typing.labels,
            "warmup": bool(warmup),
            "ahead": ahead,
        }
        if warps * TARGET.warp_size > MOST_THREADS and not warmup:
            raise OutOfResources(warps * TARGET.warp_size, MOST_THREADS, "threads")
        told = knobs.runtime.jit_cache_hook or knobs.runtime.jit_post_compile_hook
        asked = None
        if told is not None:
            asked = json.dumps([request["program"], request["specialization"], repr(options)])
            if asked in self._told:
                asked = None
            elif hooks.compiling(
                knobs.runtime.jit_cache_hook, self, asked, specs, options, bool(warmup)
            ):
                return None
        response = bridge.launch(json.dumps(request))
        if not response["ok"]:
            raise launch_error(response)
        if asked is not None:
            self._told.add(asked)
            hooks.compiling(
                knobs.runtime.jit_post_compile_hook, self, asked, specs, options, bool(warmup)
            )
        if not warmup:
            for storage in typing.storages:
                storage.stale = True
            if "reached" in response:
                bridge.mark_reached(response["reached"])
        key = response["key"]
        compiled = self._compiled.get(key)
        if compiled is None:
            compiled = CompiledKernel(self, key, response["kernel"], options)
            if self._repr is not None:
                compiled.name = self._repr(_Specialization(self.arg_names, specs, values))
            self._compiled[key] = compiled
            if not warmup:
                hooks.loaded(compiled)
        if not warmup:
            facts = hooks.launch_facts(self, compiled, size, values)
            if facts is not None:
                hooks.launched(facts)
        return compiled

    def _compile(self, signature, constants, attrs, options):
        """For `triton.compile`: the types are given, there are no values."""
        self._check_contradiction()
        typing = _Typing(self)
        specs = []
        for param in self.params:
            path = (param.num,)
            aligned = any(name == "tt.divisibility" and by % 16 == 0 for name, by in attrs.get(path, ()))
            if path in constants or param.is_constexpr:
                specs.append(typing.argument(param, constexpr(constants.get(path))))
            else:
                specs.append(typing.stated(param, signature[param.name], aligned))
        program = self._program(typing.functions)
        for holder, function in typing.placeholders:
            holder["id"] = program.function_ids[id(function)]
        request = {
            "program": program.id,
            "debug": bool(options.get("debug") or self.debug or knobs.runtime.debug),
            "specialization": {
                "arguments": specs,
                "numWarps": _option(options, "num_warps", 4),
                "numStages": _option(options, "num_stages", 3),
                "numCtas": _option(options, "num_ctas", 1),
            },
            "values": typing.values,
            "grid": (1, 1, 1),
            "site": call_site(),
            "labels": typing.labels,
            "warmup": True,
            "ahead": False,
        }
        response = bridge.launch(json.dumps(request))
        if not response["ok"]:
            raise launch_error(response)
        return CompiledKernel(self, response["key"], response["kernel"], options)

    def _check_contradiction(self):
        if self._contradiction is not None:
            raise CompilationError(
                self.src,
                None,
                f"{self._contradiction} marked as constexpr and listed in "
                "do_not_specialize/do_not_specialize_on_alignment. "
                "Remove constexpr designation to skip specialization.",
            )

    def _program(self, functions):
        key = tuple(map(id, functions))
        program = self._programs.get(key)
        if program is None or not program.current():
            program = self._programs[key] = Program(self, functions)
        return program

    def repr(self, specialization):
        if self._repr is not None:
            return self._repr(specialization)
        return f"{self.__module__}.{self.__qualname__}"

    def __call__(self, *args, **kwargs):
        raise RuntimeError("Cannot call @triton.jit'd outside of the scope of a kernel")

    def __repr__(self):
        return f"JITFunction({self.module}:{self.fn.__qualname__})"


def _option(options, name, default):
    value = options.get(name)
    return default if value is None else int(value)


def _grid(grid):
    size = [int_of(g) for g in grid[:3]]
    if len(grid) > 3 or not size:
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


class _Specialization:
    """What `@triton.jit(repr=...)` names a kernel by: the arguments' types and the constants."""

    def __init__(self, names, specs, values):
        self.signature = {name: _signature(spec) for name, spec in zip(names, specs)}
        self.constants = {
            name: value for name, spec, value in zip(names, specs, values) if spec["kind"] == "constexpr"
        }


def _signature(spec):
    kind = spec["kind"]
    if kind == "pointer":
        return ("*k" if spec.get("readonly") else "*") + CANONICAL[spec["dtype"]]
    if kind == "tuple":
        return tuple(_signature(item) for item in spec["items"])
    return CANONICAL[spec["dtype"]] if kind == "scalar" else "constexpr"


class _Typing:
    """Types one launch's arguments: `ArgumentSpec`s, values and labels."""

    def __init__(self, jit):
        self.jit = jit
        self.values = []
        self.labels = []
        self.storages = []
        self.functions = []
        self.placeholders = []

    def argument(self, param, value):
        if param.is_constexpr:
            self.values.append(None)
            self.labels.append(f"{param.name} = {_brief(value)}")
            return {"kind": "constexpr", "value": self.static(value)}
        kind = param.annotation_type
        if kind and not kind.startswith("*") and not _is_pointer(value):
            return self.annotated(param, kind, value)
        return self.typed(param, value, param.name)

    def stated(self, param, kind, aligned):
        """An argument of which only the type is known, in Triton's notation: `*fp32`, `i32`."""
        if isinstance(kind, (tuple, list)):
            return {"kind": "tuple", "items": [self.stated(param, each, False) for each in kind]}
        self.labels.append(f"{param.name}: {kind}")
        if kind.startswith("*"):
            self.values.append(None)
            bare = kind.removeprefix("*k").removeprefix("*")
            spec = {"kind": "pointer", "dtype": LONG[bare], "divisibleBy16": aligned, "group": 0}
            if param.is_const or kind.startswith("*k"):
                spec["readonly"] = True
            return spec
        self.values.append({"scalar": "0"})
        return {"kind": "scalar", "dtype": LONG[kind], "divisibleBy16": aligned}

    def annotated(self, param, kind, value):
        """An annotation fixes a scalar's type; floats and bools are then not specialized at all."""
        dtype = LONG[kind]
        if kind == "u1" or kind[:2] in ("fp", "bf"):
            return self.scalar(param.name, dtype, value, False)
        spec = self.typed(param, value, param.name)
        if spec["kind"] == "scalar":
            spec["dtype"] = dtype
            self.labels[-1] = f"{param.name}: {kind} = {value!r}"
        return spec

    def typed(self, param, value, label):
        if isinstance(value, constexpr):
            value = value.value
            self.values.append(None)
            self.labels.append(f"{label} = {_brief(value)}")
            return {"kind": "constexpr", "value": self.static(value)}
        if value is None:
            self.values.append(None)
            self.labels.append(f"{label} = None")
            return _NONE
        if value is True or value is False:
            return self.scalar(label, "int1", int(value), False)
        if isinstance(value, int):
            return self.integer(param, value, label)
        if isinstance(value, float):
            return self.scalar(label, "float32", value, False)
        if _is_pointer(value):
            return self.pointer(param, value, label)
        if isinstance(value, (tuple, list)):
            items = [self.typed(param, v, f"{label}[{i}]") for i, v in enumerate(value)]
            out = {"kind": "tuple", "items": items}
            fields = getattr(type(value), "_fields", None)
            if fields is not None:
                out["fields"] = list(fields)
            return out
        if hasattr(value, "base") and hasattr(value, "block_shape"):
            return self.descriptor(param, value, label)
        if isinstance(value, str) or hasattr(value, "primitive_bitwidth") or callable(value):
            self.values.append(None)
            self.labels.append(f"{label} = {_brief(value)}")
            return {"kind": "constexpr", "value": self.static(value)}
        raise TypeError(
            f"failed to specialize argument of type: {type(value).__name__}"
        )

    def integer(self, param, value, label):
        value = int(value)
        if value == 1 and not param.do_not_specialize:
            self.values.append(None)
            self.labels.append(f"{label} = 1")
            return {"kind": "constexpr", "value": {"kind": "int", "value": "1"}}
        if -(2**31) <= value < 2**31:
            dtype = "int32"
        elif 2**63 <= value < 2**64:
            dtype = "uint64"
        elif -(2**63) <= value < 2**63:
            dtype = "int64"
        else:
            raise OverflowError("integer to be specialized too large to represent")
        aligned = value % 16 == 0
        if param.do_not_specialize or param.do_not_specialize_on_alignment:
            aligned = False
        return self.scalar(label, dtype, value, aligned)

    def scalar(self, label, dtype, value, aligned):
        if isinstance(value, bool):
            value = int(value)
        elif dtype.startswith(("float", "bfloat")):
            value = float(value)
        self.values.append({"scalar": repr(value)})
        self.labels.append(f"{label}: {CANONICAL[dtype]} = {value!r}")
        return {"kind": "scalar", "dtype": dtype, "divisibleBy16": aligned}

    def pointer(self, param, value, label):
        if isinstance(value, MockTensor):
            self.values.append(None)
            offset = 0
            shape = value.shape
        else:
            base = value
            while isinstance(base, TensorWrapper):
                base = base.base
            if base.device.type != "cuda":
                raise ValueError(
                    f"Pointer argument (at {param.num}) cannot be accessed from Triton (cpu tensor?)"
                )
            offset = base._offset * base.dtype.itemsize
            self.values.append({"storage": base._storage.id, "byteOffset": offset})
            self.storages.append(base._storage)
            shape = base.shape
        short = short_dtype(value.dtype)
        aligned = offset % 16 == 0
        if param.do_not_specialize or param.do_not_specialize_on_alignment:
            aligned = False
        self.labels.append(f"{label}: *{short} [{', '.join(map(str, shape))}]")
        spec = {"kind": "pointer", "dtype": LONG[short], "divisibleBy16": aligned, "group": 0}
        if param.is_const:
            spec["readonly"] = True
        return spec

    def descriptor(self, param, value, label):
        """A host-made tensor descriptor: its pointer, sizes and strides travel as arguments."""
        base = self.pointer(param, value.base, f"{label}.base")
        self.labels[-1] += f" block [{', '.join(map(str, value.block_shape))}]"
        dimensions = []
        for part, numbers in (("shape", value.shape), ("strides", value.strides)):
            dimensions.append(
                [
                    self.scalar(f"{label}.{part}[{i}]", "int64", int(n), int(n) % 16 == 0)
                    for i, n in enumerate(numbers)
                ]
            )
        return {
            "kind": "tuple",
            "items": [base, *dimensions[0], *dimensions[1]],
            "descriptor": {
                "blockShape": [int(b) for b in value.block_shape],
                "padding": value.padding,
            },
        }

    def static(self, value):
        from .._program import Builder, static_scalar

        simple = static_scalar(value)
        if simple is not None:
            return simple
        if isinstance(value, constexpr):
            return self.static(value.value)
        if isinstance(value, JITFunction):
            if value not in self.functions:
                self.functions.append(value)
            holder = {"kind": "function", "id": ""}
            self.placeholders.append((holder, value))
            return holder
        if isinstance(value, (tuple, list)):
            out = {"kind": "tuple", "items": [self.static(v) for v in value]}
            fields = getattr(type(value), "_fields", None)
            if fields is not None:
                out["fields"] = list(fields)
                out["type"] = type(value).__name__
            return out
        return Builder().static(value)


def _is_pointer(value):
    return hasattr(value, "data_ptr")


def _brief(value):
    if hasattr(value, "primitive_bitwidth"):
        return str(value)
    if isinstance(value, JITFunction):
        return value.__name__
    return repr(value.value if isinstance(value, constexpr) else value)


def launch_error(response):
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
        error = (IndexError if kind == "IndexError" else RuntimeError)(message)
    error.diagnostics = diagnostics
    return error


class ConstexprFunction(JITCallable):
    """A Python function that kernels may call with compile-time values."""

    def __get__(self, instance, owner=None):
        return self if instance is None else BoundConstexprFunction(instance, self)

    def __call__(self, *args, _semantic=None, **kwargs):
        unwrap = lambda v: v.value if isinstance(v, constexpr) else v  # noqa: E731
        return self.fn(*map(unwrap, args), **{k: unwrap(v) for k, v in kwargs.items()})


class BoundConstexprFunction:
    def __init__(self, instance, function):
        self.__self__ = instance
        self.__func__ = function
        self.__name__ = function.__name__

    def __call__(self, *args, **kwargs):
        return self.__func__(self.__self__, *args, **kwargs)


def constexpr_function(fn):
    return ConstexprFunction(fn)


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


class MockTensor:
    """Stands for a tensor of a dtype in `kernel.warmup`."""

    @staticmethod
    def wrap_dtype(arg):
        if type(arg).__name__ == "dtype" and type(arg).__module__ == "torch":
            return MockTensor(arg)
        return arg

    def __init__(self, dtype, shape=None):
        self.dtype = dtype
        self.shape = [1] if shape is None else shape

    def stride(self):
        strides = [1]
        for size in self.shape[1:]:
            strides.append(strides[-1] * size)
        return tuple(reversed(strides))

    @staticmethod
    def data_ptr():
        return 0

    @staticmethod
    def ptr_range():
        return 0


class TensorWrapper:
    """A tensor seen with another dtype of the same width."""

    def __init__(self, base, dtype):
        self.dtype = dtype
        self.base = base
        self.data = base.data
        self.device = base.device
        self.shape = base.shape

    def data_ptr(self):
        return self.base.data_ptr()

    def stride(self, *args):
        return self.base.stride(*args)

    def element_size(self):
        return self.base.element_size()

    def cpu(self):
        return TensorWrapper(self.base.cpu(), self.dtype)

    def copy_(self, other):
        self.base.copy_(other.base)

    def clone(self):
        return TensorWrapper(self.base.clone(), self.dtype)

    def to(self, device):
        return TensorWrapper(self.base.to(device), self.dtype)

    def new_empty(self, sizes):
        return TensorWrapper(self.base.new_empty(sizes), self.dtype)

    def __str__(self):
        return f"TensorWrapper[{self.dtype}]({self.base})"


def reinterpret(tensor, dtype):
    if isinstance(tensor, TensorWrapper):
        return tensor.base if dtype == tensor.base.dtype else TensorWrapper(tensor.base, dtype)
    if hasattr(tensor, "data_ptr"):
        return TensorWrapper(tensor, dtype)
    raise TypeError(f"Cannot reinterpret a {type(tensor)}.")


__all__ = ["JITFunction", "KernelInterface", "TARGET", "dtype_name", "jit"]
