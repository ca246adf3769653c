"""`torch.nn.Module`: parameters, buffers and children by name, hooks, conversion and state."""

from collections import OrderedDict

from .. import _core as core
from .._core import RemovableHandle
from .parameter import Buffer, Parameter


class Module:
    training = True

    def __init__(self, *args, **kwargs):
        places = self.__dict__
        for kind in ("_parameters", "_buffers", "_modules"):
            places[kind] = {}
        for kind in ("_forward_hooks", "_forward_pre_hooks", "_state_dict_hooks"):
            places[kind] = []
        places["_non_persistent"] = set()

    # ── members ─────────────────────────────────────────────────────────────────────────────────

    def __setattr__(self, name, value):
        places = self.__dict__
        if "_parameters" not in places:
            if isinstance(value, (Parameter, Module)):
                kind = "parameters" if isinstance(value, Parameter) else "module"
                raise AttributeError(f"cannot assign {kind} before Module.__init__() call")
            return object.__setattr__(self, name, value)
        if isinstance(value, Parameter):
            kind = "_parameters"
        elif isinstance(value, Module):
            kind = "_modules"
        elif isinstance(value, Buffer):
            kind = "_buffers"
            if not value.persistent:
                places["_non_persistent"].add(name)
        else:
            known = [k for k in ("_parameters", "_buffers", "_modules") if name in places[k]]
            if not known:
                return object.__setattr__(self, name, value)
            kind = known[0]
            if kind == "_parameters" and value is not None:
                raise TypeError(
                    f"cannot assign '{_type_name(value)}' as parameter '{name}' (torch.nn.Parameter or None expected)"
                )
        for other in ("_parameters", "_buffers", "_modules"):
            if other != kind:
                places[other].pop(name, None)
        places.pop(name, None)
        places[kind][name] = value

    def __getattr__(self, name):
        for kind in ("_parameters", "_buffers", "_modules"):
            found = self.__dict__.get(kind)
            if found is not None and name in found:
                return found[name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __delattr__(self, name):
        for kind in ("_parameters", "_buffers", "_modules"):
            if name in self.__dict__[kind]:
                del self.__dict__[kind][name]
                return
        object.__delattr__(self, name)

    def __dir__(self):
        return [*object.__dir__(self), *self._parameters, *self._buffers, *self._modules]

    def register_parameter(self, name, param):
        self._parameters[name] = param

    def register_buffer(self, name, tensor, persistent=True):
        self._buffers[name] = tensor
        if not persistent:
            self._non_persistent.add(name)

    def add_module(self, name, module):
        self._modules[name] = module

    register_module = add_module

    # ── calling ─────────────────────────────────────────────────────────────────────────────────

    def forward(self, *args, **kwargs):
        raise NotImplementedError(
            f'Module [{type(self).__name__}] is missing the required "forward" function'
        )

    def __call__(self, *args, **kwargs):
        for hook in self._forward_pre_hooks:
            changed = hook(self, args)
            if changed is not None:
                args = changed if isinstance(changed, tuple) else (changed,)
        out = self.forward(*args, **kwargs)
        for hook in self._forward_hooks:
            changed = hook(self, args, out)
            out = out if changed is None else changed
        return out

    def register_forward_hook(self, hook, **_):
        self._forward_hooks.append(hook)
        return RemovableHandle(self._forward_hooks, hook)

    def register_forward_pre_hook(self, hook, **_):
        self._forward_pre_hooks.append(hook)
        return RemovableHandle(self._forward_pre_hooks, hook)

    # ── walking ─────────────────────────────────────────────────────────────────────────────────

    def named_modules(self, memo=None, prefix="", remove_duplicate=True):
        memo = set() if memo is None else memo
        if self in memo and remove_duplicate:
            return
        memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                path = f"{prefix}.{name}" if prefix else name
                yield from module.named_modules(memo, path, remove_duplicate)

    def modules(self):
        for _, module in self.named_modules():
            yield module

    def named_children(self):
        for name, module in self._modules.items():
            if module is not None:
                yield name, module

    def children(self):
        for _, module in self.named_children():
            yield module

    def _named(self, kind, prefix, recurse, remove_duplicate=True):
        seen = set()
        for name, module in self.named_modules(prefix=prefix) if recurse else [(prefix, self)]:
            for key, value in getattr(module, kind).items():
                if value is None or (remove_duplicate and id(value) in seen):
                    continue
                seen.add(id(value))
                yield (f"{name}.{key}" if name else key), value

    def named_parameters(self, prefix="", recurse=True, remove_duplicate=True):
        return self._named("_parameters", prefix, recurse, remove_duplicate)

    def parameters(self, recurse=True):
        for _, value in self.named_parameters(recurse=recurse):
            yield value

    def named_buffers(self, prefix="", recurse=True, remove_duplicate=True):
        return self._named("_buffers", prefix, recurse, remove_duplicate)

    def buffers(self, recurse=True):
        for _, value in self.named_buffers(recurse=recurse):
            yield value

    def get_submodule(self, target):
        module = self
        for part in target.split(".") if target else ():
            module = getattr(module, part)
        return module

    def get_parameter(self, target):
        path, _, name = target.rpartition(".")
        return getattr(self.get_submodule(path), name)

    # ── state ───────────────────────────────────────────────────────────────────────────────────

    def state_dict(self, *, destination=None, prefix="", keep_vars=False):
        out = OrderedDict() if destination is None else destination
        for name, value in self._parameters.items():
            if value is not None:
                out[prefix + name] = value if keep_vars else value.detach()
        for name, value in self._buffers.items():
            if value is not None and name not in self._non_persistent:
                out[prefix + name] = value if keep_vars else value.detach()
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=out, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        return out

    def load_state_dict(self, state_dict, strict=True, assign=False):
        own = self.state_dict(keep_vars=True)
        missing = [k for k in own if k not in state_dict]
        unexpected = [k for k in state_dict if k not in own]
        errors = []
        if strict and unexpected:
            errors.append(f"Unexpected key(s) in state_dict: {_quoted(unexpected)}. ")
        if strict and missing:
            errors.append(f"Missing key(s) in state_dict: {_quoted(missing)}. ")
        for name, value in state_dict.items():
            if name not in own:
                continue
            if value.shape != own[name].shape:
                errors.append(
                    f"size mismatch for {name}: copying a param with shape {value.shape} from checkpoint, the "
                    f"shape in current model is {own[name].shape}."
                )
            else:
                own[name].detach().copy_(value.detach())
        if errors:
            raise RuntimeError(
                f"Error(s) in loading state_dict for {type(self).__name__}:\n\t" + "\n\t".join(errors)
            )
        return _Keys(missing, unexpected)

    def apply(self, fn):
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    # ── conversion ──────────────────────────────────────────────────────────────────────────────

    def _apply(self, change):
        for module in self.modules():
            for value in module._parameters.values():
                if value is not None:
                    value.data = change(value.detach())
                    if value._grad is not None:
                        value._grad = change(value._grad)
            for key, value in module._buffers.items():
                if value is not None:
                    module._buffers[key] = change(value)
        return self

    def to(self, *args, **kwargs):
        def change(t):
            moved = t.to(*args, **kwargs)
            return moved if t.dtype.is_floating_point else moved.to(t.dtype)

        return self._apply(change)

    def _floats(self, dtype):
        return self._apply(lambda t: t.to(dtype) if t.dtype.is_floating_point else t)

    def cuda(self, device=None):
        return self.to("cuda")

    def cpu(self):
        return self.to("cpu")

    def half(self):
        return self._floats(core.float16)

    def bfloat16(self):
        return self._floats(core.bfloat16)

    def float(self):
        return self._floats(core.float32)

    def double(self):
        return self._floats(core.float64)

    def type(self, dst_type):
        return self._apply(lambda t: t.to(dst_type))

    def train(self, mode=True):
        for module in self.modules():
            object.__setattr__(module, "training", mode)
        return self

    def eval(self):
        return self.train(False)

    def requires_grad_(self, requires_grad=True):
        for p in self.parameters():
            p.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none=True):
        for p in self.parameters():
            if set_to_none or p.grad is None:
                p.grad = None
            else:
                p.grad.zero_()

    def compile(self, *args, **kwargs):
        pass

    # ── printing ────────────────────────────────────────────────────────────────────────────────

    def extra_repr(self):
        return ""

    def _get_name(self):
        return type(self).__name__

    def __repr__(self):
        extra = self.extra_repr()
        lines = [
            f"({name}): " + repr(module).replace("\n", "\n  ")
            for name, module in self._modules.items()
        ]
        name = self._get_name()
        if not lines:
            return f"{name}({extra})"
        return f"{name}(\n  " + "\n  ".join([*extra.split("\n"), *lines] if extra else lines) + "\n)"


class _Keys(tuple):
    """What `load_state_dict` did not match."""

    def __new__(cls, missing, unexpected):
        return tuple.__new__(cls, (missing, unexpected))

    missing_keys = property(lambda self: self[0])
    unexpected_keys = property(lambda self: self[1])

    def __repr__(self):
        if not self[0] and not self[1]:
            return "<All keys matched successfully>"
        return f"_IncompatibleKeys(missing_keys={self[0]}, unexpected_keys={self[1]})"


def _quoted(names):
    return ", ".join(f'"{n}"' for n in names)


def _type_name(value):
    found = type(value)
    if found.__module__ == "builtins":
        return found.__name__
    return f"{found.__module__}.{found.__name__}".replace("torch.Tensor", "torch.FloatTensor")
