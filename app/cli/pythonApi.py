"""What our Python packages offer, as data for the editor: every public name of torch, numpy, triton and
einops with its signature and documentation, read from the packages themselves when the page is built.
"""

import builtins
import importlib
import inspect
import json
import sys
import types

ROOTS = """torch torch.nn torch.nn.functional torch.nn.init torch.optim torch.linalg torch.special torch.cuda
torch.utils torch.testing torch.autograd triton triton.testing triton.language numpy numpy.random numpy.linalg
einops""".split()
TOPS = {root.split(".")[0] for root in ROOTS}
#: Longer documentation is cut at a paragraph.
LONGEST = 600


def kind_of(value):
    if isinstance(value, types.ModuleType):
        return "module"
    if isinstance(value, type):
        return "class"
    return "function" if callable(value) else "value"


def signature_of(value):
    # `triton.cdiv` and its like wrap the function that says more.
    wrapped = getattr(value, "fn", None) if not isinstance(value, type) else None
    try:
        signature = inspect.signature(wrapped if callable(wrapped) else value)
    except (TypeError, ValueError):
        return None
    # Defaults that have no short way to be written down.
    parameters = [
        p.replace(default=..., annotation=p.empty)
        if p.default is not p.empty and "<" in repr(p.default)
        else p.replace(annotation=p.empty)
        for p in signature.parameters.values()
        if not p.name.startswith("_")
    ]
    try:
        text = str(signature.replace(parameters=parameters, return_annotation=signature.empty))
    except ValueError:
        return None
    return text.replace("Ellipsis", "...")


def doc_of(value, owner=None):
    doc = getattr(value, "__doc__", None)
    if not isinstance(doc, str) or not doc.strip():
        return None
    # An instance has its class's, a subclass may have its parent's: neither is about this name.
    if not isinstance(value, type) and doc == type(value).__doc__:
        return None
    text = inspect.cleandoc(doc)
    if isinstance(value, types.BuiltinFunctionType | types.MethodDescriptorType) or getattr(value, "__module__", None) == "builtins":
        # Python's own: its first sentence says it.
        return text.split("\n\n")[0]
    if len(text) > LONGEST:
        text = text[:LONGEST].rsplit("\n\n", 1)[0]
    return text


def entry_of(value):
    entry = {"kind": kind_of(value)}
    if entry["kind"] in ("function", "class"):
        signature = signature_of(value)
        if signature is not None:
            entry["signature"] = signature
    doc = doc_of(value)
    if doc and entry["kind"] != "value":
        entry["doc"] = doc
    return entry


def members_of_class(cls, base):
    members = {}
    for name in dir(cls):
        if name.startswith("_"):
            continue
        # Said with the class that it comes from.
        if base and inspect.getattr_static(base, name, None) is inspect.getattr_static(cls, name):
            continue
        raw = inspect.getattr_static(cls, name)
        if isinstance(raw, property):
            entry = {"kind": "property"}
            doc = doc_of(raw.fget) if raw.fget else None
            if doc:
                entry["doc"] = doc
        else:
            value = getattr(cls, name)
            entry = entry_of(value)
            if entry["kind"] == "function":
                entry["kind"] = "method"
                own = inspect.isfunction(value) and not isinstance(raw, staticmethod)
                if own and "signature" in entry:
                    signature = inspect.signature(value)
                    rest = list(signature.parameters.values())[1:]
                    entry["signature"] = signature_of_parameters(rest) or entry["signature"]
        members[name] = entry
    return members


def signature_of_parameters(parameters):
    def stub():
        pass

    try:
        stub.__signature__ = inspect.Signature(parameters)
    except ValueError:
        return None
    return signature_of(stub)


def says_nothing(signature):
    return signature in ("(*args, **kwargs)", "(**kwargs)", "(*args)")


def complete_methods(methods, functions):
    """`x.sum` takes what `torch.sum` takes, less its first: most methods are made from the functions."""
    for name, entry in methods.items():
        function = functions.get(name, {})
        signature = function.get("signature", "")
        inner = signature[1:-1].split(", ")
        if not says_nothing(entry.get("signature", "()")) or says_nothing(signature) or inner[0].startswith("*"):
            continue
        if "/" not in inner and inner[0]:
            entry["signature"] = f"({', '.join(inner[1:])})"
            if "doc" in function:
                entry.setdefault("doc", function["doc"])


def describe():
    spaces = {}
    #: id of a module or class → the path that describes it.
    known = {}
    bases = {}

    def ours(value):
        """Of our packages, and not of their inside."""
        name = value.__name__ if isinstance(value, types.ModuleType) else value.__module__
        parts = name.split(".") if isinstance(name, str) else [""]
        if isinstance(value, type):
            return parts[0] in TOPS and not value.__name__.startswith("_")
        return parts[0] in TOPS and not any(part.startswith("_") for part in parts)

    def visit(path, value, depth):
        known[id(value)] = path
        if isinstance(value, type):
            base = next((b for b in value.__mro__[1:] if b is not object and ours(b)), None)
            spaces[path] = members_of_class(value, base)
            if base:
                if id(base) not in known:
                    visit(f"{base.__module__}.{base.__name__}", base, depth + 1)
                bases[path] = known[id(base)]
            return
        space = spaces[path] = {}
        inner = []
        names = set(dir(value)) | set(getattr(value, "__all__", ()))
        for name in sorted(names):
            if name.startswith("_") or name in ("annotations",):
                continue
            try:
                member = getattr(value, name)
            except AttributeError:
                continue
            entry = entry_of(member)
            if entry["kind"] in ("module", "class"):
                # Names that a package only uses, as `sys` or `Enum`, are no part of it.
                if not ours(member):
                    continue
                inner.append((name, member, entry))
            space[name] = entry
        for name, member, entry in inner:
            here = f"{path}.{name}"
            elsewhere = known.get(id(member))
            if elsewhere is not None:
                entry["is"] = elsewhere
            elif depth < 4:
                visit(here, member, depth + 1)

    for root in ROOTS:
        importlib.import_module(root)
        known[id(sys.modules[root])] = root
    # By their usual names first: `torch.Tensor`, not the module that happens to import it.
    for root in sorted(ROOTS, key=lambda root: root.count(".")):
        visit(root, sys.modules[root], root.count("."))
    spaces["builtins"] = {
        name: entry_of(value)
        for name, value in vars(builtins).items()
        if not name.startswith("_") and name not in ("copyright", "credits", "license")
    }
    for cls in (str, list, dict, tuple, set, int, float):
        spaces[f"builtins.{cls.__name__}"] = members_of_class(cls, None)
    complete_methods(spaces["torch.Tensor"], spaces["torch"])
    for path, space in spaces.items():
        for name, entry in space.items():
            base = bases.get(entry.get("is", f"{path}.{name}"))
            if base and entry["kind"] == "class":
                entry["base"] = base
    return json.dumps(spaces, separators=(",", ":"))
