"""Recurrent layers: a loop over the sequence in Python, with PyTorch's names of parameters."""

import math

from .. import _create as create
from .. import _join as join
from .. import _ops as ops
from .. import _views as views
from . import functional
from .module import Module
from .parameter import Parameter


class _TanhStep:
    """One step of a sequence: `gates` rows of weights for each number of a state, `states` of them."""

    gates, states = 1, 1

    def _step(self, x, hidden, w):
        act = ops.tanh if self.nonlinearity == "tanh" else functional.relu
        return (act(ops.add(functional.linear(x, w[0], w[2]), functional.linear(hidden[0], w[1], w[3]))),)


class _LstmStep:
    gates, states = 4, 2

    def _step(self, x, hidden, w):
        h, c = hidden
        gates = ops.add(functional.linear(x, w[0], w[2]), functional.linear(h, w[1], w[3]))
        i, f, g, o = gates.chunk(4, -1)
        c = ops.add(ops.mul(ops.sigmoid(f), c), ops.mul(ops.sigmoid(i), ops.tanh(g)))
        return ops.mul(ops.sigmoid(o), ops.tanh(c)), c


class _GruStep:
    gates, states = 3, 1

    def _step(self, x, hidden, w):
        (h,) = hidden
        xr, xz, xn = functional.linear(x, w[0], w[2]).chunk(3, -1)
        hr, hz, hn = functional.linear(h, w[1], w[3]).chunk(3, -1)
        r, z = ops.sigmoid(ops.add(xr, hr)), ops.sigmoid(ops.add(xz, hz))
        n = ops.tanh(ops.add(xn, ops.mul(r, hn)))
        return (ops.add(ops.mul(ops.sub(1, z), n), ops.mul(z, h)),)


class _Recurrent(Module):
    def __init__(self, input_size, hidden_size, num_layers=1, bias=True, batch_first=False, dropout=0.0, bidirectional=False, device=None, dtype=None):  # fmt: skip
        super().__init__()
        self.input_size, self.hidden_size, self.num_layers = input_size, hidden_size, num_layers
        self.bias, self.batch_first, self.dropout = bias, batch_first, dropout
        self.bidirectional = bidirectional
        bound = 1 / math.sqrt(hidden_size)
        rows = self.gates * hidden_size
        ways = ("", "_reverse") if bidirectional else ("",)
        self.__dict__["_names"] = []
        for layer in range(num_layers):
            width = input_size if layer == 0 else hidden_size * len(ways)
            for way in ways:
                names = []
                for name, shape in (("weight_ih", (rows, width)), ("weight_hh", (rows, hidden_size)), ("bias_ih", (rows,)), ("bias_hh", (rows,))):  # fmt: skip
                    if name.startswith("bias") and not bias:
                        names.append(None)
                        continue
                    full = f"{name}_l{layer}{way}"
                    made = create.empty(*shape, device=device, dtype=dtype).uniform_(-bound, bound)
                    self.register_parameter(full, Parameter(made))
                    names.append(full)
                self._names.append(names)

    def flatten_parameters(self):
        """A matter of cuDNN's memory: nothing to do."""

    def _over(self, steps, hidden, weights, backwards):
        outputs = []
        for x in reversed(steps) if backwards else steps:
            hidden = self._step(x, hidden, weights)
            outputs.append(hidden[0])
        return (outputs[::-1] if backwards else outputs), hidden

    def forward(self, input, hx=None):
        batched = input.dim() == 3
        x = input if batched else views.unsqueeze(input, 0 if self.batch_first else 1)
        steps = list(x.unbind(1 if self.batch_first else 0))
        n, count = steps[0].shape[0], len(self._names)
        if hx is None:
            zeros = create.zeros(count, n, self.hidden_size, device=x.device, dtype=x.dtype)
            first = (zeros,) * self.states
        else:
            first = tuple(hx) if self.states > 1 else (hx,)
            first = first if batched else tuple(views.unsqueeze(t, 1) for t in first)
        last, ways = [], 2 if self.bidirectional else 1
        for layer in range(self.num_layers):
            made = []
            for way in range(ways):
                at = layer * ways + way
                weights = [None if name is None else getattr(self, name) for name in self._names[at]]
                outputs, hidden = self._over(steps, tuple(t[at] for t in first), weights, way == 1)
                made.append(outputs)
                last.append(hidden)
            steps = made[0] if ways == 1 else [join.cat(list(pair), -1) for pair in zip(*made)]
            if self.dropout and self.training and layer + 1 < self.num_layers:
                steps = [functional.dropout(t, self.dropout) for t in steps]
        out = join.stack(steps, 1 if self.batch_first else 0)
        states = tuple(join.stack([hidden[i] for hidden in last], 0) for i in range(self.states))
        if not batched:
            out = views.squeeze(out, 0 if self.batch_first else 1)
            states = tuple(views.squeeze(t, 1) for t in states)
        return out, (states if self.states > 1 else states[0])

    def extra_repr(self):
        text = f"{self.input_size}, {self.hidden_size}"
        for name, usual in (("num_layers", 1), ("bias", True), ("batch_first", False), ("dropout", 0.0), ("bidirectional", False)):  # fmt: skip
            if getattr(self, name) != usual:
                text += f", {name}={getattr(self, name)}"
        return text


class RNN(_TanhStep, _Recurrent):
    def __init__(self, input_size, hidden_size, num_layers=1, nonlinearity="tanh", **options):
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(
                f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'."
            )
        super().__init__(input_size, hidden_size, num_layers, **options)
        self.nonlinearity = nonlinearity


class LSTM(_LstmStep, _Recurrent):
    pass


class GRU(_GruStep, _Recurrent):
    pass


class _Cell(Module):
    """One step of a recurrent layer."""

    def __init__(self, input_size, hidden_size, bias=True, device=None, dtype=None):
        super().__init__()
        self.input_size, self.hidden_size, self.bias = input_size, hidden_size, bias
        bound, rows = 1 / math.sqrt(hidden_size), self.gates * hidden_size
        for name, shape in (("weight_ih", (rows, input_size)), ("weight_hh", (rows, hidden_size)), ("bias_ih", (rows,)), ("bias_hh", (rows,))):  # fmt: skip
            made = None
            if bias or name.startswith("weight"):
                made = Parameter(create.empty(*shape, device=device, dtype=dtype).uniform_(-bound, bound))
            self.register_parameter(name, made)

    def forward(self, input, hx=None):
        single = input.dim() == 1
        lead = lambda t: views.unsqueeze(t, 0) if single else t  # noqa: E731
        x = lead(input)
        if hx is None:
            hidden = (create.zeros(x.shape[0], self.hidden_size, device=x.device, dtype=x.dtype),) * self.states
        else:
            hidden = tuple(lead(t) for t in (hx if self.states > 1 else (hx,)))
        made = self._step(x, hidden, [self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh])
        made = tuple(views.squeeze(t, 0) if single else t for t in made)
        return made if self.states > 1 else made[0]

    def extra_repr(self):
        return f"{self.input_size}, {self.hidden_size}" + ("" if self.bias else ", bias=False")


class RNNCell(_TanhStep, _Cell):
    def __init__(self, input_size, hidden_size, bias=True, nonlinearity="tanh", device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, device, dtype)
        self.nonlinearity = nonlinearity


class LSTMCell(_LstmStep, _Cell):
    pass


class GRUCell(_GruStep, _Cell):
    pass
