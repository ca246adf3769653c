"""`torch.optim`: SGD, Adam, AdamW, RMSprop and Adagrad, for programs that train something small."""

from .._autograd import no_grad
from .._create import full_like, zeros, zeros_like


class Optimizer:
    def __init__(self, params, defaults):
        params = list(params)
        if not params:
            raise ValueError("optimizer got an empty parameter list")
        groups = params if isinstance(params[0], dict) else [{"params": params}]
        self.defaults = defaults
        self.param_groups = [{**defaults, **g, "params": list(g["params"])} for g in groups]
        self.state = {}

    def zero_grad(self, set_to_none=True):
        for group in self.param_groups:
            for p in group["params"]:
                if set_to_none or p.grad is None:
                    p.grad = None
                else:
                    p.grad = p.grad.detach_().zero_()

    def _check_capture(self):
        """@raises RuntimeError where a graph would keep a count of steps that Python has."""
        from ..cuda.graphs import is_current_stream_capturing

        if is_current_stream_capturing() and not all(g.get("capturable", True) for g in self.param_groups):
            raise RuntimeError(
                f"Attempting CUDA graph capture of step() for an instance of {type(self).__name__} but param_groups' "
                "capturable is False."
            )

    def step(self, closure=None):
        self._check_capture()
        loss = closure() if closure is not None else None
        with no_grad():
            for group in self.param_groups:
                for p in group["params"]:
                    if p.grad is not None:
                        self._update(p, p.grad, group, self.state.setdefault(id(p), {}))
        return loss


class SGD(Optimizer):
    def __init__(self, params, lr=1e-3, momentum=0, dampening=0, weight_decay=0, nesterov=False):
        super().__init__(
            params,
            dict(lr=lr, momentum=momentum, dampening=dampening, weight_decay=weight_decay, nesterov=nesterov),
        )

    def _update(self, p, grad, group, state):
        if group["weight_decay"]:
            grad = grad + p.detach() * group["weight_decay"]
        if group["momentum"]:
            known = state.get("momentum")
            if known is None:
                known = grad.clone()
            else:
                # In place, as what a graph replays goes on from the memory that it wrote.
                known.mul_(group["momentum"]).add_(grad * (1 - group["dampening"]))
            state["momentum"] = known
            grad = grad + known * group["momentum"] if group["nesterov"] else known
        p.detach().sub_(grad * group["lr"])


def _count(p, group, state):
    """The number of this step: in memory of the device where a graph is to count on."""
    if group["capturable"] and "step" not in state:
        state["step"] = zeros((), device=p.device)
    state["step"] = state["step"].add_(1) if group["capturable"] else state.get("step", 0) + 1
    return state["step"]


def _running(state, name, like):
    """A running mean in memory of its own, which begins as zeros and is written in place."""
    if name not in state:
        state[name] = zeros_like(like)
    return state[name]


class Adam(Optimizer):
    decoupled = False

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0, *, capturable=False):
        super().__init__(
            params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, capturable=capturable)
        )

    def _update(self, p, grad, group, state):
        data = p.detach()
        if group["weight_decay"]:
            if self.decoupled:
                data.mul_(1 - group["lr"] * group["weight_decay"])
            else:
                grad = grad + data * group["weight_decay"]
        first, second = group["betas"]
        n = _count(p, group, state)
        m = _running(state, "m", data).mul_(first).add_(grad * (1 - first))
        v = _running(state, "v", data).mul_(second).add_(grad * grad * (1 - second))
        scale = (v / (1 - second**n)).sqrt() + group["eps"]
        data.sub_(m / (1 - first**n) / scale * group["lr"])


class AdamW(Adam):
    decoupled = True

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2, *, capturable=False):
        super().__init__(params, lr, betas, eps, weight_decay, capturable=capturable)


class RMSprop(Optimizer):
    def __init__(
        self, params, lr=1e-2, alpha=0.99, eps=1e-8, weight_decay=0, momentum=0, centered=False, capturable=False
    ):  # fmt: skip
        super().__init__(
            params,
            dict(lr=lr, alpha=alpha, eps=eps, weight_decay=weight_decay, momentum=momentum, centered=centered,
                 capturable=capturable),
        )  # fmt: skip

    def _update(self, p, grad, group, state):
        data, alpha = p.detach(), group["alpha"]
        if group["weight_decay"]:
            grad = grad + data * group["weight_decay"]
        scale = _running(state, "square", data).mul_(alpha).add_(grad * grad * (1 - alpha))
        if group["centered"]:
            mean = _running(state, "mean", data).mul_(alpha).add_(grad * (1 - alpha))
            scale = scale - mean * mean
        step = grad / (scale.sqrt() + group["eps"])
        if group["momentum"]:
            step = _running(state, "momentum", data).mul_(group["momentum"]).add_(step)
        data.sub_(step * group["lr"])


class Adagrad(Optimizer):
    def _check_capture(self):
        from ..cuda.graphs import is_current_stream_capturing

        if is_current_stream_capturing() and any(group["lr_decay"] for group in self.param_groups):
            raise RuntimeError(
                "CUDA graph capture of Adagrad.step() with lr_decay: each replay would use the rate of the capture. "
                "Take the step outside of the graph, or set lr_decay to 0"
            )

    def __init__(self, params, lr=1e-2, lr_decay=0, weight_decay=0, initial_accumulator_value=0, eps=1e-10):
        super().__init__(
            params,
            dict(lr=lr, lr_decay=lr_decay, weight_decay=weight_decay, first=initial_accumulator_value, eps=eps),
        )

    def _update(self, p, grad, group, state):
        data = p.detach()
        if group["weight_decay"]:
            grad = grad + data * group["weight_decay"]
        n = state["step"] = state.get("step", 0) + 1
        if "sum" not in state:
            state["sum"] = full_like(data, group["first"])
        state["sum"].add_(grad * grad)
        rate = group["lr"] / (1 + (n - 1) * group["lr_decay"])
        data.sub_(grad / (state["sum"].sqrt() + group["eps"]) * rate)


def __getattr__(name):
    if name == "lr_scheduler":
        import importlib

        return importlib.import_module("torch.optim.lr_scheduler")
    from .._missing import missing

    raise missing("torch.optim", name, globals())
