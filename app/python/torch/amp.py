"""`torch.amp`: autocast by PyTorch's lists. Matrix products on the device compute in the lower dtype;
what needs range or precision computes in f32. The functions are wrapped when a program first names
this module, so that others pay nothing.
"""

import functools

from . import _core as core
from ._tensor import Tensor

_LOWER = """addbmm addmm addmv addr baddbmm bmm chain_matmul conv1d conv2d linear matmul mm mv
    scaled_dot_product_attention __matmul__ __rmatmul__ einsum""".split()
_FLOAT32 = """__pow__ __rpow__ acos asin cosh cosine_similarity cross_entropy cumprod cumsum dist erfinv
    exp expm1 group_norm kl_div l1_loss layer_norm log log10 log1p log2 log_softmax mse_loss nll_loss
    norm normalize pow prod reciprocal rms_norm rsqrt sinh smooth_l1_loss softmax softmin softplus
    sum tan binary_cross_entropy_with_logits""".split()

_dtypes = {"cuda": core.float16, "cpu": core.bfloat16}
_enabled = {"cuda": False, "cpu": False}


class autocast:
    """A context manager and decorator."""

    def __init__(self, device_type="cuda", dtype=None, enabled=True, cache_enabled=None):
        if isinstance(device_type, core.device):
            device_type = device_type.type
        if device_type not in _enabled:
            raise RuntimeError(f"User specified an unsupported autocast device_type '{device_type}'")
        self.device = device_type
        self.fast_dtype = dtype or _dtypes[device_type]
        self._wanted = enabled
        _wrap_functions()

    def __enter__(self):
        self.previous = _enabled[self.device], _dtypes[self.device]
        _enabled[self.device], _dtypes[self.device] = self._wanted, self.fast_dtype
        return self

    def __exit__(self, *_):
        _enabled[self.device], _dtypes[self.device] = self.previous
        return False

    def __call__(self, function):
        @functools.wraps(function)
        def wrapped(*args, **kwargs):
            with autocast(self.device, self.fast_dtype, self._wanted):
                return function(*args, **kwargs)

        return wrapped


def reset():
    """Between programs."""
    _enabled.update(cuda=False, cpu=False)
    _dtypes.update(cuda=core.float16, cpu=core.bfloat16)


def cast(value, dtype, device="cuda"):
    """Floating-point tensors of the device, also inside of lists, tuples and dicts, in another dtype."""
    if isinstance(value, Tensor):
        fits = value.dtype.is_floating_point and value.dtype is not core.float64
        return value.to(dtype) if fits and value.device.type == device else value
    if isinstance(value, (list, tuple)):
        made = [cast(v, dtype, device) for v in value]
        return type(value)(*made) if hasattr(value, "_fields") else type(value)(made)
    if isinstance(value, dict):
        return {k: cast(v, dtype, device) for k, v in value.items()}
    return value


def _tensors(args):
    for a in args:
        if isinstance(a, Tensor):
            yield a
        elif isinstance(a, (list, tuple)):
            yield from _tensors(a)


def _autocasting(function, lower):
    @functools.wraps(function)
    def wrapped(*args, **kwargs):
        if not (_enabled["cuda"] or _enabled["cpu"]):
            return function(*args, **kwargs)
        device = next((t.device.type for t in _tensors((*args, *kwargs.values()))), None)
        if device is None or not _enabled[device]:
            return function(*args, **kwargs)
        dtype = _dtypes[device] if lower else core.float32
        with autocast(device, enabled=False):
            return function(*cast(args, dtype, device), **cast(kwargs, dtype, device))

    wrapped.autocasts = True
    return wrapped


def _wrap_functions():
    import torch
    from torch.nn import functional

    if getattr(torch.matmul, "autocasts", False):
        return
    for names, lower in ((_LOWER, True), (_FLOAT32, False)):
        for name in names:
            for space in (torch, functional, Tensor):
                found = space.__dict__.get(name)
                if callable(found) and not getattr(found, "autocasts", False):
                    setattr(space, name, _autocasting(found, lower))


def is_autocast_available(device_type):
    return device_type in _enabled


def custom_fwd(fwd=None, *, device_type="cuda", cast_inputs=None):
    """For `autograd.Function.forward`: remembers whether autocast was on, or casts and turns it off."""
    if fwd is None:
        return functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)

    @functools.wraps(fwd)
    def decorated(*args, **kwargs):
        args[0]._dtype = _dtypes[device_type]
        on = _enabled[device_type]
        if cast_inputs is None or not on:
            args[0]._fwd_used_autocast = on and cast_inputs is None
            return fwd(*args, **kwargs)
        args[0]._fwd_used_autocast = False
        with autocast(device_type, enabled=False):
            return fwd(*cast(args, cast_inputs, device_type), **cast(kwargs, cast_inputs, device_type))

    return decorated


def custom_bwd(bwd=None, *, device_type="cuda"):
    """For `autograd.Function.backward`: with autocast as it was in forward."""
    if bwd is None:
        return functools.partial(custom_bwd, device_type=device_type)

    @functools.wraps(bwd)
    def decorated(*args, **kwargs):
        used = getattr(args[0], "_fwd_used_autocast", False)
        with autocast(device_type, getattr(args[0], "_dtype", None), used):
            return bwd(*args, **kwargs)

    return decorated


class GradScaler:
    """Scales a loss so that small f16 gradients do not vanish; skips steps whose gradients overflow."""

    def __init__(self, device="cuda", init_scale=2.0**16, growth_factor=2.0, backoff_factor=0.5, growth_interval=2000, enabled=True):  # fmt: skip
        self._scale, self._enabled = init_scale, enabled
        self._growth, self._backoff, self._interval = growth_factor, backoff_factor, growth_interval
        self._good = 0
        self._overflowed = False
        self._unscaled = set()

    def scale(self, outputs):
        if not self._enabled:
            return outputs
        if isinstance(outputs, Tensor):
            return outputs * self._scale
        return type(outputs)(self.scale(o) for o in outputs)

    def unscale_(self, optimizer):
        if not self._enabled or id(optimizer) in self._unscaled:
            return
        self._unscaled.add(id(optimizer))
        for group in optimizer.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    p.grad = p.grad / self._scale
                    self._overflowed |= not bool(p.grad.isfinite().all())

    def step(self, optimizer, *args, **kwargs):
        self.unscale_(optimizer)
        if not self._overflowed:
            return optimizer.step(*args, **kwargs)

    def update(self, new_scale=None):
        if new_scale is not None:
            self._scale = float(new_scale)
        elif self._overflowed:
            self._scale *= self._backoff
            self._good = 0
        else:
            self._good += 1
            if self._good == self._interval:
                self._scale *= self._growth
                self._good = 0
        self._overflowed = False
        self._unscaled.clear()

    def get_scale(self):
        return self._scale if self._enabled else 1.0

    def is_enabled(self):
        return self._enabled


def __getattr__(name):
    from ._missing import missing

    raise missing("torch.amp", name, globals())
