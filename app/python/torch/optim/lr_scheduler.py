"""`torch.optim.lr_scheduler`: rates as closed functions of the number of steps.

A rate that the program itself has changed since the last step is scaled by as much as the closed one changes, so
that warm-ups by hand and several schedulers of one optimizer go together, as in PyTorch's recursive forms.
"""

import math


class LRScheduler:
    """`_factor(step)` is what a group's first rate is multiplied by; a subclass may override `_rate` or, as programs
    do, `get_lr` instead.
    """

    #: The rate that scaling leaves where it is.
    _floor = 0.0

    def __init__(self, optimizer, last_epoch=-1):
        self.optimizer, self.last_epoch = optimizer, last_epoch
        for group in optimizer.param_groups:
            group.setdefault("initial_lr", group["lr"])
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.step()

    def step(self, epoch=None):
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        closed = epoch is not None and type(self).get_lr is LRScheduler.get_lr
        rates = [self._rate(i, base, epoch) for i, base in enumerate(self.base_lrs)] if closed else self.get_lr()
        for group, rate in zip(self.optimizer.param_groups, rates):
            group["lr"] = rate
        self._last_lr = list(rates)

    def get_lr(self):
        step, rates = self.last_epoch, []
        for i, (group, base) in enumerate(zip(self.optimizer.param_groups, self.base_lrs)):
            before = base if step == 0 else self._rate(i, base, step - 1)
            rate, span, now = self._rate(i, base, step), before - self._floor, group["lr"]
            changed = span and not math.isclose(now, before, rel_tol=1e-9)
            rates.append(self._floor + (now - self._floor) * ((rate - self._floor) / span) if changed else rate)
        return rates

    def _rate(self, group, base, step):
        return base * self._factor(step)

    def get_last_lr(self):
        return list(self._last_lr)

    def state_dict(self):
        return {k: v for k, v in self.__dict__.items() if k != "optimizer"}

    def load_state_dict(self, state):
        self.__dict__.update(state)


_LRScheduler = LRScheduler


class LambdaLR(LRScheduler):
    def __init__(self, optimizer, lr_lambda, last_epoch=-1):
        many = isinstance(lr_lambda, (list, tuple))
        self.lr_lambdas = list(lr_lambda) if many else [lr_lambda] * len(optimizer.param_groups)
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        return [base * f(self.last_epoch) for base, f in zip(self.base_lrs, self.lr_lambdas)]


class StepLR(LRScheduler):
    def __init__(self, optimizer, step_size, gamma=0.1, last_epoch=-1):
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def _factor(self, step):
        return self.gamma ** (step // self.step_size)


class MultiStepLR(LRScheduler):
    def __init__(self, optimizer, milestones, gamma=0.1, last_epoch=-1):
        self.milestones, self.gamma = sorted(milestones), gamma
        super().__init__(optimizer, last_epoch)

    def _factor(self, step):
        return self.gamma ** sum(step >= at for at in self.milestones)


class ExponentialLR(LRScheduler):
    def __init__(self, optimizer, gamma, last_epoch=-1):
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def _factor(self, step):
        return self.gamma**step


class LinearLR(LRScheduler):
    def __init__(self, optimizer, start_factor=1.0 / 3, end_factor=1.0, total_iters=5, last_epoch=-1):
        self.start_factor, self.end_factor, self.total_iters = start_factor, end_factor, total_iters
        super().__init__(optimizer, last_epoch)

    def _factor(self, step):
        done = min(step, self.total_iters) / self.total_iters
        return self.start_factor + (self.end_factor - self.start_factor) * done


class ConstantLR(LRScheduler):
    def __init__(self, optimizer, factor=1.0 / 3, total_iters=5, last_epoch=-1):
        self.factor, self.total_iters = factor, total_iters
        super().__init__(optimizer, last_epoch)

    def _factor(self, step):
        return self.factor if step < self.total_iters else 1.0


class CosineAnnealingLR(LRScheduler):
    def __init__(self, optimizer, T_max, eta_min=0.0, last_epoch=-1):
        self.T_max, self.eta_min, self._floor = T_max, eta_min, eta_min
        super().__init__(optimizer, last_epoch)

    def _rate(self, group, base, step):
        return self.eta_min + (base - self.eta_min) * (1 + math.cos(math.pi * step / self.T_max)) / 2


def __getattr__(name):
    from .._missing import missing

    raise missing("torch.optim.lr_scheduler", name, globals())
