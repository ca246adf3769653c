"""`torch.nn`: modules, enough for the layers that kernels are compared with."""

import math

from .. import _core as core
from .. import _create as create
from .._tensor import Tensor, make
from . import functional


class Parameter(Tensor):
    """A tensor that a module owns and that requires a gradient."""

    __slots__ = ()

    def __new__(cls, data=None, requires_grad=True):
        data = create.empty(0) if data is None else data.detach()
        out = make(data._storage, data.dtype, data.device, data._shape, data._strides, data._offset, cls)
        out.requires_grad = requires_grad
        return out

    def __init__(self, data=None, requires_grad=True):
        pass

    def __repr__(self, *, tensor_contents=None):
        return "Parameter containing:\n" + Tensor.__repr__(self)


class Module:
    training = True

    def __init__(self, *args, **kwargs):
        self.__dict__["_parameters"] = {}
        self.__dict__["_buffers"] = {}
        self.__dict__["_modules"] = {}

    def __setattr__(self, name, value):
        places = self.__dict__
        if "_parameters" not in places:
            Module.__init__(self)
        for kind in ("_parameters", "_buffers", "_modules"):
            places[kind].pop(name, None)
        if isinstance(value, Parameter):
            places["_parameters"][name] = value
        elif isinstance(value, Module):
            places["_modules"][name] = value
        object.__setattr__(self, name, value)

    def register_parameter(self, name, value):
        self._parameters[name] = value
        object.__setattr__(self, name, value)

    def register_buffer(self, name, value, persistent=True):
        self._buffers[name] = value
        object.__setattr__(self, name, value)

    def add_module(self, name, module):
        setattr(self, name, module)

    def forward(self, *args, **kwargs):
        raise NotImplementedError(
            f'Module [{type(self).__name__}] is missing the required "forward" function'
        )

    def __call__(self, *args, **kwargs):
        return self.forward(*args, **kwargs)

    def named_modules(self, prefix=""):
        yield prefix, self
        for name, module in self._modules.items():
            yield from module.named_modules(f"{prefix}.{name}" if prefix else name)

    def modules(self):
        for _, module in self.named_modules():
            yield module

    def children(self):
        return iter(self._modules.values())

    def named_children(self):
        return iter(self._modules.items())

    def named_parameters(self, prefix="", recurse=True):
        for name, module in self.named_modules(prefix) if recurse else [(prefix, self)]:
            for key, value in module._parameters.items():
                if value is not None:
                    yield (f"{name}.{key}" if name else key), value

    def parameters(self, recurse=True):
        for _, value in self.named_parameters(recurse=recurse):
            yield value

    def named_buffers(self, prefix=""):
        for name, module in self.named_modules(prefix):
            for key, value in module._buffers.items():
                yield (f"{name}.{key}" if name else key), value

    def buffers(self):
        for _, value in self.named_buffers():
            yield value

    def state_dict(self):
        out = {k: v.detach() for k, v in self.named_parameters()}
        out.update(self.named_buffers())
        return out

    def load_state_dict(self, state, strict=True):
        own = self.state_dict()
        missing = [k for k in own if k not in state]
        if missing and strict:
            raise RuntimeError(f"Error(s) in loading state_dict: Missing key(s): {missing}")
        for name, value in state.items():
            if name in own:
                own[name].copy_(value)

    def apply(self, fn):
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def _convert(self, change):
        for module in self.modules():
            for key, value in list(module._parameters.items()):
                if value is not None:
                    value.data = change(value.detach())
            for key, value in list(module._buffers.items()):
                if value is not None:
                    module.register_buffer(key, change(value))
        return self

    def to(self, *args, **kwargs):
        def change(t):
            moved = t.to(*args, **kwargs)
            return moved if t.dtype.is_floating_point else moved.to(t.dtype)

        return self._convert(change)

    def cuda(self, device=None):
        return self.to("cuda")

    def cpu(self):
        return self.to("cpu")

    def half(self):
        return self.to(core.float16)

    def bfloat16(self):
        return self.to(core.bfloat16)

    def float(self):
        return self.to(core.float32)

    def double(self):
        return self.to(core.float64)

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
            p.grad = None

    def extra_repr(self):
        return ""

    def __repr__(self):
        lines = [
            f"({name}): " + repr(module).replace("\n", "\n  ")
            for name, module in self._modules.items()
        ]
        name = type(self).__name__
        if not lines:
            return f"{name}({self.extra_repr()})"
        return f"{name}(\n  " + "\n  ".join(lines) + "\n)"


def _uniform(shape, bound, device, dtype):
    t = create.empty(*shape, device=device, dtype=dtype)
    return Parameter(create.uniform_(t, -bound, bound))


class Linear(Module):
    def __init__(self, in_features, out_features, bias=True, device=None, dtype=None):
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        bound = 1 / math.sqrt(in_features) if in_features else 0
        self.weight = _uniform((out_features, in_features), bound, device, dtype)
        if bias:
            self.bias = _uniform((out_features,), bound, device, dtype)
        else:
            self.register_parameter("bias", None)

    def forward(self, input):
        return functional.linear(input, self.weight, self.bias)

    def extra_repr(self):
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class LayerNorm(Module):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True, device=None, dtype=None):  # fmt: skip
        super().__init__()
        shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.normalized_shape, self.eps, self.elementwise_affine = shape, eps, elementwise_affine
        for name, value, wanted in (("weight", 1, True), ("bias", 0, bias)):
            if elementwise_affine and wanted:
                setattr(self, name, Parameter(create.full(shape, float(value), device=device, dtype=dtype)))
            else:
                self.register_parameter(name, None)

    def forward(self, input):
        return functional.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self):
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class RMSNorm(Module):
    def __init__(self, normalized_shape, eps=None, elementwise_affine=True, device=None, dtype=None):
        super().__init__()
        shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.normalized_shape, self.eps = shape, eps
        if elementwise_affine:
            self.weight = Parameter(create.ones(*shape, device=device, dtype=dtype))
        else:
            self.register_parameter("weight", None)

    def forward(self, input):
        return functional.rms_norm(input, self.normalized_shape, self.weight, self.eps)


class Embedding(Module):
    def __init__(self, num_embeddings, embedding_dim, device=None, dtype=None, **_):
        super().__init__()
        self.weight = Parameter(create.randn(num_embeddings, embedding_dim, device=device, dtype=dtype))

    def forward(self, input):
        return functional.embedding(input, self.weight)


class Dropout(Module):
    def __init__(self, p=0.5, inplace=False):
        super().__init__()
        self.p = p

    def forward(self, input):
        return functional.dropout(input, self.p, self.training)

    def extra_repr(self):
        return f"p={self.p}"


def _layer(name, function, *names):
    """A module without parameters: its constructor's arguments go to the function."""

    class Layer(Module):
        def __init__(self, *args, **kwargs):
            super().__init__()
            kwargs.pop("inplace", None)
            self.options = {**dict(zip(names, args)), **kwargs}

        def forward(self, *inputs):
            return function(*inputs, **self.options)

        def extra_repr(self):
            return ", ".join(f"{k}={v}" for k, v in self.options.items())

    Layer.__name__ = Layer.__qualname__ = name
    return Layer


ReLU = _layer("ReLU", functional.relu)
ReLU6 = _layer("ReLU6", functional.relu6)
LeakyReLU = _layer("LeakyReLU", functional.leaky_relu, "negative_slope")
ELU = _layer("ELU", functional.elu, "alpha")
GELU = _layer("GELU", functional.gelu, "approximate")
SiLU = _layer("SiLU", functional.silu)
Mish = _layer("Mish", functional.mish)
Softplus = _layer("Softplus", functional.softplus, "beta", "threshold")
Sigmoid = _layer("Sigmoid", functional.sigmoid)
Tanh = _layer("Tanh", functional.tanh)
Hardswish = _layer("Hardswish", functional.hardswish)
Softmax = _layer("Softmax", functional.softmax, "dim")
LogSoftmax = _layer("LogSoftmax", functional.log_softmax, "dim")
CrossEntropyLoss = _layer("CrossEntropyLoss", functional.cross_entropy, "weight")
MSELoss = _layer("MSELoss", functional.mse_loss)
L1Loss = _layer("L1Loss", functional.l1_loss)
NLLLoss = _layer("NLLLoss", functional.nll_loss, "weight")
SmoothL1Loss = _layer("SmoothL1Loss", functional.smooth_l1_loss)
BCELoss = _layer("BCELoss", functional.binary_cross_entropy)
BCEWithLogitsLoss = _layer("BCEWithLogitsLoss", functional.binary_cross_entropy_with_logits)
KLDivLoss = _layer("KLDivLoss", functional.kl_div)
CosineSimilarity = _layer("CosineSimilarity", functional.cosine_similarity, "dim", "eps")


class Identity(Module):
    def __init__(self, *args, **kwargs):
        super().__init__()

    def forward(self, input):
        return input


class Flatten(Module):
    def __init__(self, start_dim=1, end_dim=-1):
        super().__init__()
        self.dims = (start_dim, end_dim)

    def forward(self, input):
        return input.flatten(*self.dims)


class ModuleList(Module):
    def __init__(self, modules=()):
        super().__init__()
        for module in modules:
            self.append(module)

    def append(self, module):
        setattr(self, str(len(self._modules)), module)
        return self

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules.values())

    def __getitem__(self, index):
        return list(self._modules.values())[index]


class Sequential(ModuleList):
    def __init__(self, *modules):
        if len(modules) == 1 and isinstance(modules[0], dict):
            Module.__init__(self)
            for name, module in modules[0].items():
                setattr(self, name, module)
        else:
            super().__init__(modules)

    def forward(self, input):
        for module in self:
            input = module(input)
        return input


class ModuleDict(Module):
    def __init__(self, modules=None):
        super().__init__()
        for name, module in (modules or {}).items():
            setattr(self, name, module)

    def __getitem__(self, key):
        return self._modules[key]

    def items(self):
        return self._modules.items()


class ParameterList(Module):
    def __init__(self, values=()):
        super().__init__()
        for i, value in enumerate(values):
            setattr(self, str(i), value)

    def __iter__(self):
        return iter(self._parameters.values())

    def __getitem__(self, index):
        return list(self._parameters.values())[index]


class init:
    """`torch.nn.init`."""

    @staticmethod
    def _fill(t, change):
        from .._autograd import no_grad

        with no_grad():
            change(t.detach())
        return t

    @staticmethod
    def uniform_(t, a=0.0, b=1.0, generator=None):
        return init._fill(t, lambda d: d.uniform_(a, b))

    @staticmethod
    def normal_(t, mean=0.0, std=1.0, generator=None):
        return init._fill(t, lambda d: d.normal_(mean, std))

    @staticmethod
    def constant_(t, val):
        return init._fill(t, lambda d: d.fill_(val))

    @staticmethod
    def zeros_(t):
        return init.constant_(t, 0.0)

    @staticmethod
    def ones_(t):
        return init.constant_(t, 1.0)

    @staticmethod
    def xavier_uniform_(t, gain=1.0, generator=None):
        bound = gain * math.sqrt(6.0 / (t.shape[0] + t.shape[1]))
        return init.uniform_(t, -bound, bound)

    @staticmethod
    def kaiming_uniform_(t, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
        fan = t.shape[1] if mode == "fan_in" else t.shape[0]
        bound = math.sqrt(3.0) * math.sqrt(2.0 / (1 + a**2)) / math.sqrt(fan)
        return init.uniform_(t, -bound, bound)


def __getattr__(name):
    from .._missing import missing

    raise missing("torch.nn", name, globals())
