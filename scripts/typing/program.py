"""A kernel's functions, globals and arguments as data: `KernelProgram` and `ArgumentSpec` of the compiler
(compiler/program.ts), made from the objects of the real Triton. Texts stay where they are: by file name."""

import ast
import builtins
import contextlib
import inspect
import re
import textwrap
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType

import triton.language as tl
from triton.runtime.jit import BoundConstexprFunction, ConstexprFunction, JITFunction
from triton.tools.tensor_descriptor import TensorDescriptor

_MISSING = object()
_BUILTINS = vars(builtins)

LONG = {
    "u1": "int1", "i1": "int1", "fp8e4nv": "float8e4nv", "fp8e5": "float8e5",
    "fp8e4b15": "float8e4b15", "fp8e4b8": "float8e4b8", "fp8e5b16": "float8e5b16",
    "fp16": "float16", "bf16": "bfloat16", "fp32": "float32", "fp64": "float64", "i8": "int8",
    "i16": "int16", "i32": "int32", "i64": "int64", "u8": "uint8", "u16": "uint16", "u32": "uint32",
    "u64": "uint64", "void": "void",
}  # fmt: skip
SHORT = {long: short for short, long in LONG.items() if short != "i1"}


class Unsupported(Exception):
    """What this script cannot put into data."""


def used_names(fn):
    names = set()
    stack = [fn.__code__]
    while stack:
        code = stack.pop()
        names.update(code.co_names)
        names.update(code.co_freevars)
        stack.extend(c for c in code.co_consts if isinstance(c, CodeType))
    # Annotations are not in the byte code.
    with contextlib.suppress(OSError, SyntaxError):
        tree = ast.parse(textwrap.dedent(inspect.getsource(fn)))
        for parameter in [n for n in ast.walk(tree) if isinstance(n, ast.arg) and n.annotation]:
            names.update(n.id for n in ast.walk(parameter.annotation) if isinstance(n, ast.Name))
    names.update(("tl", "constexpr", "triton", "T", "language"))
    return sorted(names)


def triton_path(value, name=None):
    module = getattr(value, "__module__", "") or ""
    name = name or value.__name__
    if module == "triton" or module.startswith("triton."):
        if module.startswith("triton.language"):
            return f"{module}.{name}"
        return f"triton.{name}"
    return None


def dtype_name(ty):
    if ty.is_ptr():
        return "*" + dtype_name(ty.element_ty)
    return LONG.get(str(ty), LONG.get(ty.name, ty.name))


class PlainFunction:
    """A function of Python with the attributes that `describe` reads of a jit function."""

    def __init__(self, fn):
        self.fn = fn = inspect.unwrap(fn)
        self.__name__ = fn.__name__
        self.src = None
        self.params = [
            type("P", (), {"name": p.name, "default": p.default, "has_default": p.default is not p.empty})
            for p in inspect.signature(fn).parameters.values()
        ]


#: What Triton itself puts on a class.
_OWN = {"__new__", "__setattr__", "_get_instance", "_set_name", "_flatten_ir"}


class Builder:
    def __init__(self, folder):
        self.folder = folder
        self.functions = {}
        self.ids = {}
        self.pending = []
        self.jits = []
        self.plain = {}
        self.python = False
        self.constexpr_functions = {}
        #: Answers of constexpr functions: [id, arguments, keywords, result].
        self.calls = []

    def function_id(self, jit):
        known = self.ids.get(id(jit))
        if known is not None:
            return known
        name = jit.__name__
        n = 1
        while name in self.functions:
            n += 1
            name = f"{jit.__name__}#{n}"
        self.ids[id(jit)] = name
        self.functions[name] = None
        self.pending.append((name, jit))
        self.jits.append(jit)
        return name

    def drain(self):
        while self.pending:
            name, jit = self.pending.pop()
            self.functions[name] = self.describe(name, jit)

    def describe(self, name, jit):
        code = jit.fn.__code__
        self.python = isinstance(jit, PlainFunction)
        file = code.co_filename
        if not file.startswith(self.folder + "/"):
            raise Unsupported(f"{jit.__name__} is not in the folder")
        names = used_names(jit.fn)
        space = jit.fn.__globals__
        cells = {}
        if jit.fn.__closure__:
            cells = dict(zip(code.co_freevars, jit.fn.__closure__))
        values = {}
        for used in names:
            if used in cells:
                try:
                    value = cells[used].cell_contents
                except ValueError:
                    continue
            else:
                value = space.get(used, _BUILTINS.get(used, _MISSING))
                if value is _MISSING:
                    continue
            values[used] = self.static(value, names)
        defaults = {
            p.name: self.static(p.default) for p in jit.params if p.has_default
        }
        described = {
            "id": name,
            "name": jit.__name__,
            "file": file[len(self.folder) + 1 :],
            "line": code.co_firstlineno,
            "globals": values,
            "defaults": defaults,
        }
        if getattr(jit, "noinline", False):
            described["noinline"] = True
        if self.python:
            described["python"] = True
        return described

    def plain_id(self, fn):
        known = self.plain.get(fn)
        if known is None:
            known = self.plain[fn] = PlainFunction(fn)
        return self.function_id(known)

    def aggregate(self, cls):
        methods = {}
        members = {k: v for k, v in vars(cls).items() if k not in _OWN}
        init = cls.hash_attrs[0]
        if not getattr(init, "__triton_builtin__", False):
            members["__init__"] = init
        for name, member in members.items():
            if isinstance(member, JITFunction):
                function = self.function_id(member)
            elif isinstance(member, ConstexprFunction):
                function = self.plain_id(member.fn)
            elif isinstance(member, FunctionType):
                function = self.plain_id(member)
            else:
                continue
            methods[name] = {"function": function, "isStatic": False}
        return {
            "id": f"{cls.__module__}.{cls.__qualname__}",
            "name": cls.__name__,
            "fields": [
                {"name": name, "type": getattr(kind, "__name__", str(kind))}
                for name, kind in cls.__annotations__.items()
            ],
            "defaults": {k: self.static(v) for k, v in cls.__aggregate_defaults__.items()},
            "methods": methods,
        }

    def static(self, value, names=(), depth=0):
        if value is None:
            return {"kind": "none"}
        if isinstance(value, bool):
            return {"kind": "bool", "value": value}
        if isinstance(value, int):
            return {"kind": "int", "value": str(int(value))}
        if isinstance(value, float):
            return {"kind": "float", "value": repr(value)}
        if isinstance(value, str):
            return {"kind": "string", "value": value}
        if isinstance(value, tl.constexpr) and isinstance(value.value, FunctionType):
            return {"kind": "function", "id": self.plain_id(value.value)}
        if isinstance(value, tl.constexpr):
            return {"kind": "constexpr", "value": self.static(value.value, names, depth)}
        if isinstance(value, tl.dtype):
            return {"kind": "dtype", "name": dtype_name(value)}
        if isinstance(value, (JITFunction, ConstexprFunction)):
            path = triton_path(value)
            if path:
                return {"kind": "triton", "path": path}
        if isinstance(value, JITFunction):
            return {"kind": "function", "id": self.function_id(value)}
        if isinstance(value, (ConstexprFunction, BoundConstexprFunction)):
            key = f"constexpr:{value.__name__}"
            self.constexpr_functions[key] = value
            return {"kind": "constexpr_function", "id": key, "name": value.__name__}
        if isinstance(value, (tuple, list, tl.tuple)):
            fields = getattr(type(value), "_fields", None)
            if isinstance(value, tl.tuple):
                fields = value.type.fields
            out = {"kind": "tuple", "items": [self.static(v, names, depth) for v in value]}
            if fields is not None:
                out["fields"] = list(fields)
                out["type"] = type(value).__name__
            return out
        if isinstance(value, ModuleType):
            return self.module(value, names, depth)
        if isinstance(value, type) and getattr(value, "__triton_aggregate__", False):
            return {"kind": "aggregate", "description": self.aggregate(value)}
        if isinstance(value, type) and issubclass(value, tuple) and hasattr(value, "_fields"):
            return {
                "kind": "namedtuple",
                "name": value.__name__,
                "fields": list(value._fields),
                "defaults": {k: self.static(v) for k, v in value._field_defaults.items()},
            }
        is_plain = self.python or getattr(value, "__triton_builtin__", False)
        is_own = not getattr(value, "__module__", "triton").startswith("triton")
        if isinstance(value, FunctionType) and is_plain and is_own:
            return {"kind": "function", "id": self.plain_id(value)}
        if isinstance(value, type) or callable(value):
            path = triton_path(value) if hasattr(value, "__name__") else None
            if path:
                return {"kind": "triton", "path": path}
            if _BUILTINS.get(getattr(value, "__name__", "")) is value and isinstance(
                value, (type, BuiltinFunctionType)
            ):
                return {"kind": "builtin", "name": value.__name__}
        kind = type(value).__name__
        return {"kind": "other", "type": kind}

    def module(self, module, names, depth):
        name = module.__name__
        if name == "triton" or name.startswith("triton."):
            return {"kind": "triton", "path": name}
        if depth > 3:
            return {"kind": "other", "type": "module"}
        space = vars(module)
        members = {
            used: self.static(space[used], names, depth + 1) for used in names if used in space
        }
        return {"kind": "module", "name": name, "members": members}

    @contextlib.contextmanager
    def recording_constexpr_functions(self):
        """Notes what the program's constexpr functions answer while a kernel is compiled."""
        original = ConstexprFunction.__call__
        keys = {id(fn): key for key, fn in self.constexpr_functions.items()}

        def call(fn, *args, **kwargs):
            result = original(fn, *args, **kwargs)
            key = keys.get(id(fn))
            if key:
                with contextlib.suppress(Exception):
                    plain = [self.static(a.value if isinstance(a, tl.constexpr) else a) for a in args]
                    answer = result.value if isinstance(result, tl.constexpr) else result
                    named = {
                        name: self.static(a.value if isinstance(a, tl.constexpr) else a)
                        for name, a in kwargs.items()
                        if name != "_semantic"
                    }
                    entry = [key, plain, named, self.static(answer)]
                    if entry not in self.calls:
                        self.calls.append(entry)
            return result

        ConstexprFunction.__call__ = call
        try:
            yield
        finally:
            ConstexprFunction.__call__ = original


def argument_specs(builder, fn, signature, constexprs, attrs):
    """`ArgumentSpec`s. Every pointer is a group of its own."""
    groups = iter(range(1000))

    def spec(path, kind):
        if isinstance(kind, tuple):
            fields = getattr(type(kind), "_fields", None)
            out = {"kind": "tuple", "items": [spec((*path, i), k) for i, k in enumerate(kind)]}
            if fields is not None:
                out["fields"] = list(fields)
            return out
        if kind == "constexpr":
            return {"kind": "constexpr", "value": builder.static(constexprs.get(path))}
        divisible = ["tt.divisibility", 16] in [list(a) for a in attrs.get(path, [])]
        if kind.startswith("tensordesc"):
            found = re.match(r"tensordesc<(\w+)\[([\d, ]+)\]", kind)
            if not found:
                raise Unsupported(kind)
            shape = [int(n) for n in found[2].split(",")]
            base = {
                "kind": "pointer", "dtype": LONG[found[1]], "divisibleBy16": True, "group": next(groups),
            }  # fmt: skip
            sizes = [{"kind": "scalar", "dtype": "int32", "divisibleBy16": False} for _ in shape]
            strides = [{"kind": "scalar", "dtype": "int64", "divisibleBy16": False} for _ in shape]
            return {
                "kind": "tuple",
                "items": [base, *sizes, *strides],
                "descriptor": {"blockShape": shape, "padding": "zero"},
            }
        if kind.startswith("*"):
            const = kind.startswith("*k")
            name = kind[2 if const else 1 :]
            if name not in LONG:
                raise Unsupported(kind)
            out = {
                "kind": "pointer", "dtype": LONG[name], "divisibleBy16": divisible, "group": next(groups),
            }  # fmt: skip
            if const:
                out["readonly"] = True
            return out
        if kind not in LONG:
            raise Unsupported(kind)
        return {"kind": "scalar", "dtype": LONG[kind], "divisibleBy16": divisible}

    return [spec((i,), signature[name]) for i, name in enumerate(fn.arg_names)]
