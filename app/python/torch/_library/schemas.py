"""Schemas of operators: `(Tensor x, SymInt n=3, *, Tensor(a!) out) -> Tensor`. Inferred from a function's
annotations or parsed from text; a schema binds a call's arguments as PyTorch's dispatcher does, with its errors.
"""

import ast
import collections.abc
import inspect
import re
import sys
import types
import typing

from .._core import device, dtype
from .._tensor import Tensor

MISSING = inspect.Parameter.empty
_UNKNOWN = "unknown"


class Argument(typing.NamedTuple):
    name: str
    #: As a schema says it: 'Tensor?', 'SymInt[]' …
    type: str
    default: object
    keyword_only: bool
    mutated: bool


class Schema:
    """An operator's name, arguments, and the text of what it returns."""

    def __init__(self, name, arguments, returns, text, inferred=""):
        self.name, self.arguments, self.returns, self._text = name, arguments, returns, text
        #: The text that `infer_schema` returns: defaults in Python's words.
        self.inferred = inferred
        self.positional = [a for a in arguments if not a.keyword_only]

    def __str__(self):
        return f"{self.name}{self._text}"

    __repr__ = __str__

    @property
    def is_mutable(self):
        return any(a.mutated for a in self.arguments)

    def bind(self, args, kwargs):
        """@returns positional values and those by name; what has no known default stays out."""
        if len(args) > len(self.positional):
            raise RuntimeError(self._too_many(len(args)))
        known = {a.name for a in self.arguments}
        for name in kwargs:
            if name not in known:
                raise RuntimeError(
                    f"Unknown keyword argument '{name}' for operator '{self.name}'. Schema: {self}"
                )
        given = dict(zip((a.name for a in self.positional), args))
        for name, value in kwargs.items():
            if name in given:
                raise RuntimeError(f"{self.name}() got multiple values for argument '{name}'. Declaration: {self}")
            given[name] = value
        return self._values(given)

    def _values(self, given):
        positional, named = [], {}
        for argument in self.arguments:
            if argument.name not in given and argument.default is MISSING:
                raise RuntimeError(
                    f"{self.name}() is missing value for argument '{argument.name}'. Declaration: {self}"
                )
            if argument.name in given:
                _check(self.name, argument, given[argument.name])
            value = given.get(argument.name, argument.default)
            if value is _UNKNOWN_DEFAULT:
                continue
            if argument.keyword_only or len(positional) != self.positional.index(argument):
                named[argument.name] = value
            else:
                positional.append(value)
        return tuple(positional), named

    def _too_many(self, count):
        most = len(self.positional)
        if most < len(self.arguments):
            return (
                f"{self.name}() takes {most} positional argument(s) but {count} was/were given.  Declaration: {self}"
            )
        return (
            f"{self.name}() expected at most {most} argument(s) but received {count} argument(s). "
            f"Declaration: {self}"
        )


#: A default that a schema's text names and that is no literal, like `contiguous_format`.
_UNKNOWN_DEFAULT = object()
_PLAIN = {"SymInt": "int", "ScalarType": "int", "Scalar": "number"}


def _check(name, argument, value):
    if not _fits(argument.type, value):
        raise RuntimeError(
            f"{name}() Expected a value of type '{_python_type(argument.type)}' for argument '{argument.name}' "
            f"but instead found type '{type(value).__name__}'."
        )


def _python_type(kind):
    if kind.endswith("?"):
        return f"Optional[{_python_type(kind[:-1])}]"
    if kind.endswith("]"):
        return f"List[{_python_type(kind[: kind.rindex('[')])}]"
    return _PLAIN.get(kind, kind)


def _fits(kind, value):
    if kind.endswith("?"):
        return value is None or _fits(kind[:-1], value)
    if kind.endswith("]"):
        inner = kind[: kind.rindex("[")]
        if isinstance(value, (list, tuple)):
            return all(_fits(inner, each) for each in value)
        # `int[2]`: one number stands for all.
        return not kind.endswith("[]") and _fits(inner, value)
    test = _TESTS.get(kind)
    return test is None or test(value)


_TESTS = {
    "Tensor": lambda v: isinstance(v, Tensor),
    "SymInt": lambda v: hasattr(v, "__index__"),
    "int": lambda v: hasattr(v, "__index__"),
    "float": lambda v: hasattr(v, "__float__"),
    "bool": lambda v: isinstance(v, bool),
    "str": lambda v: isinstance(v, str),
    "Scalar": lambda v: isinstance(v, (int, float, complex, Tensor)),
}


# ── from annotations ────────────────────────────────────────────────────────────────────────────

#: `torch.types.Number`.
_NUMBER = typing.Union[int, float, bool]


def _derived(base, name, lists, optional_elements, optional_lists):
    found = {base: name, typing.Optional[base]: f"{name}?"}

    def sequences(of, label):
        for made in (typing.Sequence[of], typing.List[of], collections.abc.Sequence[of], list[of]):
            yield made, f"{label}[]"

    if lists:
        found.update(sequences(base, name))
    if optional_elements:
        found.update(sequences(typing.Optional[base], f"{name}?"))
    if optional_lists:
        found.update((typing.Optional[made], f"{label}?") for made, label in sequences(base, name))
    return found


PARAMETERS = {
    **_derived(Tensor, "Tensor", True, True, False),
    **_derived(int, "SymInt", True, False, True),
    **_derived(float, "float", True, False, True),
    **_derived(bool, "bool", True, False, True),
    **_derived(str, "str", False, False, False),
    **_derived(_NUMBER, "Scalar", True, False, False),
    **_derived(dtype, "ScalarType", False, False, False),
    **_derived(device, "Device", False, False, False),
}
RETURNS = {
    Tensor: "Tensor", typing.List[Tensor]: "Tensor[]", list[Tensor]: "Tensor[]", int: "SymInt", float: "float",
    bool: "bool", _NUMBER: "Scalar",
}  # fmt: skip
#: Numbers of dtypes in a schema's text.
_CODES = dict(zip("uint8 int8 int16 int32 int64 float16 float32 float64".split(), range(8)), bool=11, bfloat16=15)


def infer_schema(prototype_function, /, *, mutates_args, op_name=None, tags=()):
    """The schema of a function, as text. @raises ValueError: an annotation is missing or has no type there"""
    return f"{op_name or ''}{schema_of(prototype_function, mutates_args, '').inferred}"


def schema_of(function, mutates_args, name):
    signature = inspect.signature(function)

    def refuse(what):
        raise ValueError(f"infer_schema(func): {what} Got func with signature {signature})")

    arguments, seen_keyword_only, parts, inferred = [], False, [], []
    for index, (key, parameter) in enumerate(signature.parameters.items()):
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            refuse("We do not support positional-only args, varargs, or varkwargs.")
        keyword_only = parameter.kind == parameter.KEYWORD_ONLY
        if keyword_only and not seen_keyword_only:
            parts.append("*")
            inferred.append("*")
            seen_keyword_only = True
        if parameter.annotation is MISSING:
            refuse(f"Parameter {key} must have a type annotation.")
        kind = PARAMETERS.get(_evaluated(parameter.annotation, function, refuse))
        if kind is None:
            refuse(
                f"Parameter {key} has unsupported type {parameter.annotation}. "
                f"The valid types are: {PARAMETERS.keys()}."
            )
        mutated = kind.startswith("Tensor") if mutates_args == _UNKNOWN else key in mutates_args
        if mutated and not kind.startswith("Tensor"):
            refuse(f"Parameter {key} is in mutable_args but only Tensors or collections of Tensors can be mutated")
        label = f"Tensor(a{index}!){kind[len('Tensor') :]}" if mutated else kind
        default = parameter.default
        parts.append(f"{label} {key}{'' if default is MISSING else f'={_written(key, kind, default, refuse)}'}")
        inferred.append(f"{label} {key}{'' if default is MISSING else f'={_in_python(default)}'}")
        arguments.append(Argument(key, kind, parameter.default, keyword_only, mutated))
    if mutates_args != _UNKNOWN:
        absent = set(mutates_args) - signature.parameters.keys()
        if absent:
            refuse(
                f"{absent} in mutates_args were not found in the custom op's signature. mutates_args should contain "
                "the names of all args that the custom op mutates, or just the string 'unknown' if you don't know."
            )
    returns = _returned(signature.return_annotation, function, refuse)
    texts = [f"({', '.join(each)}) -> {returns}" for each in (parts, inferred)]
    return Schema(name, arguments, returns, *texts)


def _evaluated(annotation, function, refuse):
    if isinstance(annotation, str):
        space = {**vars(sys.modules.get(function.__module__, types)), **getattr(function, "__globals__", {})}
        try:
            annotation = eval(annotation, space)
        except Exception as error:
            refuse(f"Unsupported type annotation {annotation}. It is not a type. ({error}).")
    try:
        hash(annotation)
    except TypeError:
        return None
    return annotation


def _written(name, kind, value, refuse):
    """A default as an operator's schema shows it."""
    if value is None and kind.endswith("[]"):
        raise RuntimeError(f"expected [ but found 'None' here: {kind} {name}=None")
    if value is None or isinstance(value, bool):
        return str(value)
    if isinstance(value, (int, float)):
        number = float(value) if kind.startswith("float") else value
        return f"{number:g}." if isinstance(number, float) and number.is_integer() else str(number)
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, device):
        return str(value)
    if isinstance(value, dtype):
        return str(_CODES.get(_in_python(value), value))
    refuse(
        f"Parameter {name} has an unsupported default value type {type(value)}. Please file an issue on GitHub so "
        "we can prioritize this."
    )


def _in_python(value):
    if isinstance(value, (str, device)):
        return f'"{value}"'
    return str(value).removeprefix("torch.") if isinstance(value, dtype) else str(value)


def _returned(annotation, function, refuse):
    if annotation is MISSING:
        refuse("No return type annotation was provided. Please add one.")
    annotation = _evaluated(annotation, function, refuse)
    if annotation is None:
        return "()"
    items = typing.get_args(annotation) if typing.get_origin(annotation) is tuple else (annotation,)
    for item in items:
        if item not in RETURNS:
            refuse(f"Return has unsupported type {annotation}. The valid types are: {RETURNS}.")
    if typing.get_origin(annotation) is not tuple:
        return RETURNS[annotation]
    return f"({', '.join(RETURNS[item] for item in items)})"


# ── from text ───────────────────────────────────────────────────────────────────────────────────

_TEXT = re.compile(r"\s*([\w:.]*)\s*\((.*)\)\s*->\s*(.*)$", re.DOTALL)
_ARGUMENT = re.compile(r"(\w+)(\([^)]*\))?((?:\[\d*\]|\?)*)\s+(\w+)(?:\s*=\s*(.*))?$", re.DOTALL)


def parse(text, name=""):
    """@raises RuntimeError: the text is no schema"""
    found = _TEXT.match(text)
    if found is None:
        raise RuntimeError(f"expected a schema like 'name(Tensor x) -> Tensor', found: {text}")
    arguments, keyword_only = [], False
    for part in _separated(found[2]):
        if part == "*":
            keyword_only = True
            continue
        each = _ARGUMENT.match(part)
        if each is None:
            raise RuntimeError(f"expected an argument like 'Tensor x', found: {part}")
        base, alias, suffix, key, default = each.groups()
        value = MISSING if default is None else _literal(default.strip())
        arguments.append(Argument(key, base + suffix, value, keyword_only, "!" in (alias or "")))
    return Schema(name or found[1], arguments, found[3].strip(), f"({found[2]}) -> {found[3].strip()}")


def _separated(text):
    """Splits at the commas outside of brackets and strings."""
    parts, depth, quoted, start = [], 0, "", 0
    for i, letter in enumerate(text):
        if quoted:
            quoted = "" if letter == quoted else quoted
        elif letter in "\"'":
            quoted = letter
        elif letter in "([":
            depth += 1
        elif letter in ")]":
            depth -= 1
        elif letter == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    parts.append(text[start:])
    return [part.strip() for part in parts if part.strip()]


def _literal(text):
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return _UNKNOWN_DEFAULT
