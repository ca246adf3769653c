"""From Python functions to a `KernelProgram` (compiler/program.ts): the text of the files, and for every
function the kernel can reach, the values of the globals, closure variables and builtins that its body
names. Values are taken at launch time, so a global that changed since is a new program.
"""

import builtins
import enum
import json
import linecache
import sys
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType

import _hippocamp_bridge as bridge

from . import language as tl
from ._types import LONG, CANONICAL

PROGRAM_ROOT = "/program/"
_MISSING = object()
_BUILTINS = vars(builtins)

#: `@triton.constexpr_function`s by the id the compiler calls them with, and other objects of the
#: program's that it may call or ask for attributes.
constexpr_functions = {}
#: Those names by the objects' ids. A name stands for one object of one run: what a function makes
#: of the same arguments may be something else in the next.
_references = {}
_runs = 0


def run_number():
    """Another one for each run of a program."""
    return _runs


def reference(value):
    """The name by which the compiler may ask for an object: as a part of its description."""
    if hasattr(value, "data_ptr"):
        return {}
    if isinstance(value, BuiltinFunctionType) and value.__module__ == "math":
        name = f"math.{value.__name__}"
    else:
        name = _references.get(id(value)) or f"object:{_runs}:{len(_references)}"
        _references[id(value)] = name
    constexpr_functions[name] = value
    return {"reference": name}


def file_key(filename):
    return filename.removeprefix(PROGRAM_ROOT)


def dtype_name(ty):
    if ty.is_ptr():
        return "*" + dtype_name(ty.element_ty)
    return ty.codegen_name()


def used_names(fn):
    """Every name that the body, its nested functions and its annotations may look up."""
    annotate = getattr(fn, "__annotate__", None)
    annotations = (annotate.__code__,) if hasattr(annotate, "__code__") else ()
    return names_of(fn.__code__, *annotations)


def names_of(*codes):
    names = set()
    stack = list(codes)
    while stack:
        code = stack.pop()
        names.update(code.co_names)
        names.update(code.co_freevars)
        stack.extend(c for c in code.co_consts if isinstance(c, CodeType))
    # Annotations of local variables are not in the byte code.
    names.update(("tl", "constexpr"))
    return sorted(names)


def must_use(function):
    """What `@triton.must_use_result` says of a function, as a part of its description."""
    words = getattr(function, "_must_use_result", False)
    return {"mustUse": words if isinstance(words, str) else ""} if words else {}


class PlainFunction:
    """A function of Python with the attributes that `describe` reads of a jit function."""

    noinline = False
    source_file = None

    def __init__(self, fn, marked=None):
        self.fn = fn
        self.__name__ = fn.__name__
        self._must_use_result = getattr(marked, "_must_use_result", False)
        self.used_names = used_names(fn)
        code = fn.__code__
        names = code.co_varnames[: code.co_argcount]
        given = fn.__defaults__ or ()
        self.defaults = dict(zip(names[len(names) - len(given) :], given))
        self.defaults.update(fn.__kwdefaults__ or {})


class Builder:
    """Collects one program. `seen` records what was looked up where, to notice later changes."""

    def __init__(self):
        self.files = {}
        self.functions = {}
        self.ids = {}
        self.pending = []
        self.seen = []
        self.cells = []
        self.plain = {}
        #: Whether the function being described is a plain one of Python.
        self.python = False

    def function_id(self, jit):
        known = self.ids.get(id(jit))
        if known is not None:
            return known
        base = name = jit.__name__
        n = 1
        while name in self.functions:
            n += 1
            name = f"{base}#{n}"
        self.ids[id(jit)] = name
        self.functions[name] = None
        self.pending.append((name, jit))
        return name

    def drain(self):
        while self.pending:
            name, jit = self.pending.pop()
            self.functions[name] = self.describe(name, jit)

    def describe(self, name, jit):
        fn = jit.fn
        code = fn.__code__
        self.python = isinstance(jit, PlainFunction)
        file = jit.source_file or file_key(code.co_filename)
        if file not in self.files:
            lines = linecache.getlines(code.co_filename, fn.__globals__)
            self.files[file] = "".join(lines) if jit.source_file is None else jit.src
        names = jit.used_names
        values = {}
        space = fn.__globals__
        cells = {}
        if fn.__closure__:
            cells = dict(zip(code.co_freevars, fn.__closure__))
        for used in names:
            if used in cells:
                cell = cells[used]
                try:
                    value = cell.cell_contents
                except ValueError:
                    value = _MISSING
                self.cells.append((cell, value))
                if value is _MISSING:
                    continue
            else:
                value = space.get(used, _MISSING)
                self.seen.append((space, used, value))
                if value is _MISSING:
                    value = _BUILTINS.get(used, _MISSING)
                    if value is _MISSING:
                        continue
            values[used] = self.static(value, names)
            # A global that is nothing of Triton's is invisible to a kernel.
            values[used].pop("reference", None)
        described = {
            "id": name,
            "name": jit.__name__,
            "file": file,
            "line": code.co_firstlineno if jit.source_file is None else 1,
            "globals": values,
            "defaults": {k: self.static(v, ()) for k, v in jit.defaults.items()},
        }
        if jit.noinline:
            described["noinline"] = True
        described |= must_use(jit)
        if not self.python and jit.is_gluon():
            described["gluon"] = True
        if self.python:
            described["python"] = True
        return described

    def plain_id(self, fn, marked=None):
        """A function of Python that the compiler runs by itself. `marked`: what a decorator wrote on."""
        known = self.plain.get(fn)
        if known is None:
            known = self.plain[fn] = PlainFunction(fn, marked)
        return self.function_id(known)

    def aggregate(self, cls):
        from .runtime.jit import BoundConstexprFunction, ConstexprFunction, JITFunction

        methods = {}
        for name, member in cls.__aggregate_methods__.items():
            is_static = isinstance(member, staticmethod)
            if is_static:
                member = member.__func__
            if isinstance(member, JITFunction):
                function = self.function_id(member)
            elif isinstance(member, (ConstexprFunction, BoundConstexprFunction)):
                function = self.plain_id(member.fn, member)
            elif isinstance(member, FunctionType):
                function = self.plain_id(member)
            else:
                continue
            methods[name] = {"function": function, "isStatic": is_static}
        fields = [
            {"name": name, "type": getattr(kind, "__name__", str(kind))}
            for name, kind in cls.__aggregate_annotations__.items()
        ]
        defaults = {k: self.static(v) for k, v in cls.__aggregate_defaults__.items()}
        return {
            "id": f"{cls.__module__}.{cls.__qualname__}",
            "name": cls.__name__,
            "fields": fields,
            "defaults": defaults,
            "methods": methods,
        }

    def static(self, value, names=(), depth=0):
        """A `StaticValue`. `names`: what the function could mean by an attribute of a module."""
        kind = static_scalar(value)
        if kind is not None:
            return kind
        if isinstance(value, tl.constexpr) and isinstance(value.value, FunctionType):
            return {"kind": "function", "id": self.plain_id(value.value)}  # `@tl.constexpr` on a function
        if isinstance(value, tl.constexpr):
            return {"kind": "constexpr", "value": self.static(value.value, names, depth)}
        if isinstance(value, tl.dtype):
            return {"kind": "dtype", "name": dtype_name(value)}
        from .runtime.jit import BoundConstexprFunction, ConstexprFunction, JITFunction

        if isinstance(value, JITFunction):
            return {"kind": "function", "id": self.function_id(value)}
        path = getattr(value, "hippocamp_path", None)
        if isinstance(path, str):
            return {"kind": "triton", "path": path}
        if isinstance(value, (ConstexprFunction, BoundConstexprFunction)):
            # A program's own function may be another in the next run: its answer is cached by the
            # run.
            fn = getattr(value, "__func__", value).fn
            own = fn.__code__.co_filename.startswith(PROGRAM_ROOT)
            key = f"constexpr:{_runs if own else 'library'}:{id(value)}"
            constexpr_functions[key] = value
            return {"kind": "constexpr_function", "id": key, "name": value.__name__} | must_use(value)
        if isinstance(value, (tuple, list, tl.tuple)):
            fields = getattr(type(value), "_fields", None)
            out = {"kind": "tuple", "items": [self.static(v, names, depth) for v in value]}
            if fields is not None:
                out["fields"] = list(fields)
                out["type"] = type(value).__name__
            return out
        if is_layout(value):
            return layout_static(value)
        if isinstance(value, ModuleType):
            return self.module(value, names, depth)
        if getattr(value, "__triton_aggregate__", False) and isinstance(value, type):
            return {"kind": "aggregate", "description": self.aggregate(value)}
        if isinstance(value, type) and issubclass(value, tuple) and hasattr(value, "_fields"):
            defaults = {k: self.static(v) for k, v in value._field_defaults.items()}
            return {
                "kind": "namedtuple",
                "name": value.__name__,
                "fields": list(value._fields),
                "defaults": defaults,
            }
        is_plain = self.python or getattr(value, "__triton_builtin__", False)
        if isinstance(value, FunctionType) and is_plain:
            return {"kind": "function", "id": self.plain_id(value)}
        if isinstance(value, type):
            if value.__module__.startswith("triton."):
                return {"kind": "triton", "path": f"triton.language.{value.__name__}"}
            if _BUILTINS.get(value.__name__) is value:
                return {"kind": "builtin", "name": value.__name__}
            if depth > 0:
                # Triton refuses a class as a global, but takes what a module's class has.
                found = self.members(value.__qualname__, vars(value), value, names, depth)
                return found | reference(value)
        elif isinstance(value, BuiltinFunctionType) and _BUILTINS.get(value.__name__) is value:
            return {"kind": "builtin", "name": value.__name__}
        # `tl.PropagateNan.ALL` and its like.
        if type(value).__module__.startswith("triton.") and hasattr(value, "name"):
            return {
                "kind": "triton",
                "path": f"triton.language.{type(value).__name__}.{value.name}",
            }
        found = {"kind": "other", "type": describe_type(value)}
        # Triton lets a kernel see functions of these modules only.
        is_function = depth > 0 and callable(value) and not isinstance(value, type)
        if is_function and getattr(value, "__module__", None) not in ("math", "copy"):
            return found
        return found | reference(value)

    def module(self, module, names, depth):
        name = module.__name__
        if name == "triton" or name.startswith("triton."):
            return {"kind": "triton", "path": name}
        if depth > 3:
            return {"kind": "other", "type": "module"}
        return self.members(name, vars(module), module, names, depth)

    def members(self, name, space, owner, names, depth):
        members = {}
        for used in names:
            self.seen.append((space, used, space.get(used, _MISSING)))
            value = getattr(owner, used, _MISSING) if used in space else _MISSING
            if value is not _MISSING:
                members[used] = self.static(value, names, depth + 1)
        return {"kind": "module", "name": name, "members": members}


def is_layout(value):
    """Of its class: objects that answer to any name are none."""
    return isinstance(getattr(type(value), "gluon_fields", None), tuple)


def layout_static(value):
    """A layout of Gluon's: its fields."""

    def plain(item):
        if isinstance(item, (list, tuple)):
            return {"kind": "tuple", "items": [plain(each) for each in item]}
        return layout_static(item) if is_layout(item) else static_scalar(item)

    fields = list(value.gluon_fields)
    items = [plain(getattr(value, name)) for name in fields]
    return {"kind": "tuple", "items": items, "fields": fields, "type": type(value).__name__}


def describe_type(value):
    if callable(value) and hasattr(value, "__name__"):
        return f"{type(value).__name__} {value.__name__}"
    return type(value).__name__


def static_scalar(value):
    """The StaticValue of what needs no context, or None."""
    if value is None:
        return {"kind": "none"}
    if value is True or value is False:
        return {"kind": "bool", "value": value}
    if isinstance(value, int):
        return {"kind": "int", "value": str(int(value))} | enum_member(value)
    if isinstance(value, float):
        return {"kind": "float", "value": repr(float(value))} | enum_member(value)
    if isinstance(value, str):
        # Not `str(value)`: of a member of a `class Mode(str, Enum)` that is its name.
        return {"kind": "string", "value": str.__str__(value)} | enum_member(value)
    return None


def enum_member(value):
    """The name by which a `constexpr_function` gets this member of an enum, as a part of its description. It is the same
    in the next run, so that what was compiled for it is found."""
    if not isinstance(value, enum.Enum):
        return {}
    kind = type(value)
    name = f"enum:{kind.__module__}.{kind.__qualname__}({value._value_!r})"
    if constexpr_functions.setdefault(name, value) is not value:
        # Another class of that name.
        return {"member": reference(value)["reference"]}
    return {"member": name}


_registered = {}


class Program:
    """A registered program, and the state of the names it was made from."""

    def __init__(self, jit, constants):
        builder = Builder()
        entry = builder.function_id(jit)
        # Functions passed as constexpr arguments belong to the program too.
        self.function_ids = {id(f): builder.function_id(f) for f in constants}
        builder.drain()
        text = json.dumps(
            {"files": builder.files, "functions": builder.functions, "entry": entry}
        )
        known = _registered.get(text)
        if known is None:
            known = _registered[text] = bridge.program_register(text)
        self.id = known
        self.seen = builder.seen
        self.cells = builder.cells
        self.constants = constants
        self.builder = builder

    def current(self):
        for space, name, value in self.seen:
            if space.get(name, _MISSING) is not value:
                return False
        for cell, value in self.cells:
            try:
                now = cell.cell_contents
            except ValueError:
                now = _MISSING
            if now is not value:
                return False
        return True


def reset():
    from . import knobs

    from .runtime import tuning

    bridge.profile = None
    bridge.benchmarks = 0
    if "torch._derived" in sys.modules:
        sys.modules["torch._derived"].reset()
    if "torch._gpu_products" in sys.modules:
        sys.modules["torch._gpu_products"].reset()
    if "torch._eager" in sys.modules:
        sys.modules["torch._eager"].reset()
    knobs.reset()
    tuning.reset()
    _registered.clear()
    global _runs
    constexpr_functions.clear()
    _references.clear()
    _runs += 1


# ── calls from the compiler ─────────────────────────────────────────────────────────────────────


def from_static(value):
    """The Python object a StaticValue stands for."""
    kind = value["kind"]
    if value.get("member") in constexpr_functions:
        return constexpr_functions[value["member"]]
    if kind == "none":
        return None
    if kind in ("bool", "string"):
        return value["value"]
    if kind == "int":
        return int(value["value"])
    if kind == "float":
        return float(value["value"])
    if kind == "dtype":
        return dtype_from_name(value["name"])
    if kind == "tuple":
        items = [from_static(item) for item in value["items"]]
        if "fields" in value:
            import collections

            layouts = sys.modules.get("triton.experimental.gluon.language._layouts")
            layout = layouts and layouts.of_fields(value["fields"])
            if layout:
                return layout(*items)
            return collections.namedtuple(value.get("type", "tuple"), value["fields"])(*items)
        return tuple(items)
    if kind == "constexpr":
        return from_static(value["value"])
    if "reference" in value:
        return constexpr_functions[value["reference"]]
    raise TypeError(f"a {kind} cannot be passed to a constexpr_function")


def dtype_from_name(name):
    if name.startswith("*"):
        return tl.pointer_type(dtype_from_name(name[1:]))
    return tl.str_to_ty(CANONICAL[name])


def call_constexpr(key, args):
    """Runs a `@triton.constexpr_function`, or another object of the program's, for the compiler. JSON in,
    JSON out."""
    function = getattr if key == "getattr" else constexpr_functions[key]
    given = json.loads(args)
    keywords = {name: from_static(value) for name, value in given["keywords"].items()}
    result = function(*[from_static(a) for a in given["args"]], **keywords)
    return json.dumps(Builder().static(result))


__all__ = ["Program", "call_constexpr", "reset", "LONG"]
