"""`torch.optim`: SGD, Adam, AdamW, RMSprop and Adagrad, for programs that train something small."""

from .._autograd import no_grad


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

    def step(self, closure=None):
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
                known = known * group["momentum"] + grad * (1 - group["dampening"])
            state["momentum"] = known
            grad = grad + known * group["momentum"] if group["nesterov"] else known
        p.detach().sub_(grad * group["lr"])


class Adam(Optimizer):
    decoupled = False

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0):
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay))

    def _update(self, p, grad, group, state):
        data = p.detach()
        if group["weight_decay"]:
            if self.decoupled:
                data.mul_(1 - group["lr"] * group["weight_decay"])
            else:
                grad = grad + data * group["weight_decay"]
        first, second = group["betas"]
        n = state["step"] = state.get("step", 0) + 1
        m = state["m"] = state["m"] * first + grad * (1 - first) if "m" in state else grad * (1 - first)
        square = grad * grad * (1 - second)
        v = state["v"] = state["v"] * second + square if "v" in state else square
        scale = (v / (1 - second**n)).sqrt() + group["eps"]
        data.sub_(m / (1 - first**n) / scale * group["lr"])


class AdamW(Adam):
    decoupled = True

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2):
        super().__init__(params, lr, betas, eps, weight_decay)


class RMSprop(Optimizer):
    def __init__(self, params, lr=1e-2, alpha=0.99, eps=1e-8, weight_decay=0, momentum=0, centered=False):
        super().__init__(
            params,
            dict(lr=lr, alpha=alpha, eps=eps, weight_decay=weight_decay, momentum=momentum, centered=centered),
        )

    def _update(self, p, grad, group, state):
        data, alpha = p.detach(), group["alpha"]
        if group["weight_decay"]:
            grad = grad + data * group["weight_decay"]
        state["square"] = state.get("square", 0) * alpha + grad * grad * (1 - alpha)
        scale = state["square"]
        if group["centered"]:
            state["mean"] = state.get("mean", 0) * alpha + grad * (1 - alpha)
            scale = scale - state["mean"] * state["mean"]
        step = grad / (scale.sqrt() + group["eps"])
        if group["momentum"]:
            step = state["momentum"] = state.get("momentum", 0) * group["momentum"] + step
        data.sub_(step * group["lr"])


class Adagrad(Optimizer):
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
        state["sum"] = state.get("sum", group["first"]) + grad * grad
        rate = group["lr"] / (1 + (n - 1) * group["lr_decay"])
        data.sub_(grad / (state["sum"].sqrt() + group["eps"]) * rate)


def __getattr__(name):
    if name == "lr_scheduler":
        import importlib

        return importlib.import_module("torch.optim.lr_scheduler")
    from .._missing import missing

    raise missing("torch.optim", name, globals())
