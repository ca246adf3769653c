"""`@triton.aggregate`: classes whose instances are values of a kernel, field by field. On the host they are
ordinary objects with checked fields; the compiler gets their fields and methods (`_program.py`)."""

import inspect
import typing

_MISSING = object()


def _wrap(value):
    from . import core

    if isinstance(value, (core.base_value, core.constexpr)):
        return value
    if isinstance(value, tuple):
        return value
    return core.constexpr(value)


def _fields_of(cls):
    annotations, defaults, methods = {}, {}, {}
    for base in reversed(cls.__mro__[1:]):
        if base is object or base.__name__ == "base_value":
            continue
        if not getattr(base, "__triton_aggregate__", False):
            raise TypeError(f"Aggregates can only inherit from other aggregates, but got non-aggregate base: {base}")
        annotations.update(base.__aggregate_annotations__)
        defaults.update(base.__aggregate_defaults__)
        methods.update({k: m for k, m in base.__aggregate_methods__.items() if k != "__init__"})
    own = inspect.get_annotations(cls)
    try:
        hints = typing.get_type_hints(cls)
    except Exception:
        hints = own
    for name in own:
        annotations[name] = hints.get(name, own[name])
        value = cls.__dict__.get(name, _MISSING)
        if value is not _MISSING and not callable(value):
            defaults[name] = value
    from ..runtime.jit import JITCallable

    for name, member in cls.__dict__.items():
        plain = inspect.isfunction(member) or isinstance(member, (JITCallable, staticmethod))
        if plain and name not in ("__annotate__", "__annotate_func__"):
            methods[name] = member
    return annotations, defaults, methods


def _initialize(cls, fields, defaults, self, args, kwargs):
    if len(args) > len(fields):
        raise TypeError(
            f"{cls.__name__}.__init__() takes {len(fields) + 1} positional arguments but {len(args) + 1} were given"
        )
    for index, name in enumerate(fields):
        if index < len(args):
            if name in kwargs:
                raise TypeError(f"{cls.__name__}.__init__() got multiple values for argument '{name}'")
            value = args[index]
        elif name in kwargs:
            value = kwargs.pop(name)
        elif name in defaults:
            value = defaults[name]
        else:
            raise TypeError(f"{cls.__name__}.__init__() missing required argument: '{name}'")
        setattr(self, name, _wrap(value))
    if kwargs:
        raise TypeError(f"{cls.__name__}.__init__() got an unexpected keyword argument '{next(iter(kwargs))}'")


def aggregate(cls):
    from . import core

    annotations, defaults, methods = _fields_of(cls)
    init = methods.get("__init__")

    class value(core.base_value):
        __triton_builtin__ = True
        __triton_aggregate__ = True
        __aggregate_annotations__ = annotations
        __aggregate_fields__ = tuple(annotations)
        __aggregate_defaults__ = defaults
        __aggregate_methods__ = methods

        def __init__(self, *args, **kwargs):
            object.__setattr__(self, "_complete", False)
            if init is None:
                _initialize(cls, tuple(annotations), defaults, self, args, kwargs)
            else:
                init(self, *args, **kwargs)
            for name in annotations:
                if not hasattr(self, name):
                    raise AttributeError(f"constructor for {cls.__name__} did not initialize attribute '{name}'")
            object.__setattr__(self, "_complete", True)

        def __setattr__(self, name, new):
            if name not in annotations:
                raise AttributeError(f"{cls.__name__} has no attribute '{name}'")
            if self._complete:
                raise AttributeError(
                    f"cannot assign to field '{name}' on immutable aggregate {cls.__name__}; "
                    "use aggregate_replace() to construct a modified copy"
                )
            object.__setattr__(self, name, new)

    for name, member in methods.items():
        if name != "__init__":
            setattr(value, name, member)
    value.__name__ = cls.__name__
    value.__qualname__ = cls.__qualname__
    value.__module__ = cls.__module__
    value.__doc__ = cls.__doc__
    return value


def aggregate_replace(instance, **changes):
    """A copy of an aggregate with some fields replaced."""
    if not getattr(type(instance), "__triton_aggregate__", False):
        raise TypeError(f"aggregate_replace() expects an aggregate instance, got {type(instance)}")
    names = type(instance).__aggregate_fields__
    for name in changes:
        if name not in names:
            raise TypeError(f"{type(instance).__name__} has no field '{name}'")
    return type(instance)(**{name: getattr(instance, name) for name in names} | changes)
