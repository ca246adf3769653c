"""Modules that hold modules or parameters."""

from .module import Module
from .parameter import Parameter


class ModuleList(Module):
    def __init__(self, modules=()):
        super().__init__()
        self.extend(modules or ())

    def append(self, module):
        self.add_module(str(len(self._modules)), module)
        return self

    def extend(self, modules):
        for module in modules:
            self.append(module)
        return self

    def insert(self, index, module):
        values = list(self._modules.values())
        values.insert(index, module)
        self._modules.clear()
        self.extend(values)

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules.values())

    def __contains__(self, module):
        return module in self._modules.values()

    def __getitem__(self, index):
        found = list(self._modules.values())[index]
        return type(self)(found) if isinstance(index, slice) else found

    def __setitem__(self, index, module):
        self._modules[list(self._modules)[index]] = module

    def __add__(self, other):
        return ModuleList([*self, *other])


    def __repr__(self):
        """Neighbours that print alike are reported once, with their number."""
        lines, start, shown = [], 0, [repr(m) for m in self]
        while start < len(shown):
            end = start
            while end + 1 < len(shown) and shown[end + 1] == shown[start]:
                end += 1
            text = shown[start].replace("\n", "\n  ")
            same = end > start
            lines.append(f"({start}-{end}): {end - start + 1} x {text}" if same else f"({start}): {text}")
            start = end + 1
        return f"{self._get_name()}(\n  " + "\n  ".join(lines) + "\n)" if lines else f"{self._get_name()}()"


class Sequential(ModuleList):
    def __init__(self, *modules):
        if len(modules) == 1 and isinstance(modules[0], dict):
            super().__init__()
            for name, module in modules[0].items():
                self.add_module(name, module)
        else:
            super().__init__(modules)

    def __getitem__(self, index):
        found = list(self._modules.values())[index]
        return Sequential(*found) if isinstance(index, slice) else found

    __repr__ = Module.__repr__

    def forward(self, input):
        for module in self:
            input = module(input)
        return input


class ModuleDict(Module):
    def __init__(self, modules=None):
        super().__init__()
        self.update(modules or {})

    def update(self, modules):
        for name, module in modules.items() if hasattr(modules, "items") else modules:
            self.add_module(name, module)

    def __getitem__(self, key):
        return self._modules[key]

    def __setitem__(self, key, module):
        self.add_module(key, module)

    def __contains__(self, key):
        return key in self._modules

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules)

    def keys(self):
        return self._modules.keys()

    def values(self):
        return self._modules.values()

    def items(self):
        return self._modules.items()


class ParameterList(Module):
    def __init__(self, values=None):
        super().__init__()
        self.extend(values or ())

    def append(self, value):
        value = value if isinstance(value, Parameter) else Parameter(value)
        self.register_parameter(str(len(self._parameters)), value)
        return self

    def extend(self, values):
        for value in values:
            self.append(value)
        return self

    def __len__(self):
        return len(self._parameters)

    def __iter__(self):
        return iter(self._parameters.values())

    def __getitem__(self, index):
        return list(self._parameters.values())[index]


class ParameterDict(Module):
    def __init__(self, parameters=None):
        super().__init__()
        for name, value in (parameters or {}).items():
            self[name] = value

    def __getitem__(self, key):
        return self._parameters[key]

    def __setitem__(self, key, value):
        self.register_parameter(key, value if isinstance(value, Parameter) else Parameter(value))

    def __contains__(self, key):
        return key in self._parameters

    def __iter__(self):
        return iter(self._parameters)

    def keys(self):
        return self._parameters.keys()

    def values(self):
        return self._parameters.values()

    def items(self):
        return self._parameters.items()
