"""Attaches functions to `Tensor`: methods, operators, and the in-place form of each (`x.f_(…)`)."""

from . import _arithmetic, _autograd, _composed, _core, _create, _eager, _indexing, _join, _ops, _order
from . import _complex, _patterns, _random, _reductions, _scans, _tensor, _views
from ._published import published
from ._tensor import Tensor
from .testing import allclose, equal, isclose


def _methods(module, names):
    for name in names.split():
        setattr(Tensor, name, published(getattr(module, name), name, method=True))


_methods(
    _ops,
    """abs absolute acos acosh add addcdiv addcmul addmm addmv arccos arccosh arcsin arcsinh arctan arctan2
    arctanh asin asinh atan atan2 atanh baddbmm bitwise_and bitwise_left_shift bitwise_not
    bitwise_or bitwise_right_shift bitwise_xor bmm ceil clamp clamp_max clamp_min clip copysign cos
    cosh cpu cuda digamma div dot eq erf erfc erfinv exp exp2 expm1 fix floor floor_divide fmax fmin
    fmod frac ge ger greater greater_equal gt hypot i0 isfinite isinf isnan isneginf isposinf le lerp
    less less_equal lgamma log log10 log1p log2 logical_and logical_not logical_or logical_xor lt
    masked_fill matmul maximum minimum mm mul mv nan_to_num ne neg not_equal outer positive pow
    reciprocal relu remainder round rsqrt sigmoid sign signbit sin sinh sqrt square sub tan tanh to
    trunc type_as xlogy""",
)
_methods(
    _reductions,
    """all amax amin aminmax any argmax argmin count_nonzero dist logsumexp max mean min nansum norm prod
    std sum var""",
)
_methods(_scans, "cummax cummin cumprod cumsum log_softmax logcumsumexp softmax")
_methods(_order, "argsort kthvalue median msort nanmedian quantile sort topk unique")
_methods(
    _views,
    """as_strided broadcast_to chunk clone contiguous diagonal expand expand_as flatten movedim narrow
    permute ravel reshape reshape_as select split squeeze t transpose unbind unflatten unfold
    unsqueeze view view_as""",
)
_methods(_join, "flip repeat repeat_interleave roll tile")
_methods(
    _indexing,
    """argwhere bincount gather histc index_put index_select masked_select nonzero put_ scatter scatter_add
    take take_along_dim""",
)
_methods(_create, "new_empty new_empty_strided new_full new_ones new_tensor new_zeros")
_methods(_patterns, "diag diag_embed tril triu")
_methods(_random, "multinomial")
_methods(
    _composed,
    """addbmm addr corrcoef cov cross deg2rad diagflat diagonal_scatter diff dsplit fliplr flipud
    float_power gcd heaviside hsplit index_add index_copy index_fill inner isreal kron lcm ldexp
    logaddexp logaddexp2 logit matrix_power mode moveaxis nanmean put rad2deg rot90 scatter_reduce
    select_scatter sgn sinc slice_scatter tensor_split trace unique_consecutive vdot vsplit""",
)
for _name, _dtype in _ops.CASTS.items():
    setattr(Tensor, _name, _ops._caster(_dtype))
Tensor.type = _ops.type_
Tensor.multiply, Tensor.subtract = _ops.mul, _ops.sub
Tensor.divide = Tensor.true_divide = _ops.div
Tensor.negative = _ops.neg
Tensor.swapaxes, Tensor.swapdims = _views.swapaxes, _views.transpose
Tensor.split_with_sizes = _views.split_with_sizes
Tensor.allclose, Tensor.equal, Tensor.isclose = allclose, equal, isclose
Tensor.where = lambda self, condition, other: _ops.where(condition, self, other)
Tensor.bernoulli = _random.bernoulli
Tensor.T = property(_views.reversed_dims)
Tensor.mT = property(lambda self: _views.transpose(self, -1, -2))
Tensor.H = property(lambda self: _complex.conj(_views.reversed_dims(self)))
Tensor.adjoint = lambda self: _complex.conj(_views.transpose(self, -1, -2))
Tensor.mH = property(Tensor.adjoint)
Tensor.real = property(_complex.real, lambda self, value: _complex.set_part(self, 0, value))
Tensor.imag = property(_complex.imag, lambda self, value: _complex.set_part(self, 1, value))
Tensor.angle = _complex.angle
# No tensor here is lazily negated or lazily conjugated.
Tensor.conj = Tensor.conj_physical = _complex.conj
Tensor.resolve_conj = Tensor.resolve_neg = lambda self: self
Tensor.is_conj = Tensor.is_neg = Tensor.is_inference = Tensor.is_distributed = lambda self: False
Tensor.is_nonzero = bool
Tensor.is_same_size = lambda self, other: self._shape == other._shape
Tensor.is_set_to = lambda self, other: (
    self._storage is other._storage
    and (self._shape, self._strides, self._offset) == (other._shape, other._strides, other._offset)
)
Tensor.record_stream = lambda self, stream: None

#: Methods from `torch.linalg`, and from torch itself, under the names they have there.
LINEAR = {
    "cholesky": "cholesky", "det": "det", "inverse": "inv", "logdet": "logdet", "pinverse": "pinv",
    "slogdet": "slogdet",
}  # fmt: skip


def _linear(name):
    def method(self, *args, **kwargs):
        from . import linalg

        return getattr(linalg, name)(self, *args, **kwargs)

    return method


for _name, _own in LINEAR.items():
    setattr(Tensor, _name, _linear(_own))


# ── in place ────────────────────────────────────────────────────────────────────────────────────


#: Functions that check and convert into `out` as an operation in place does.
_INTO = {_ops.add, _ops.sub, _ops.mul, _arithmetic._true_div, _ops.remainder, _ops.floor_divide}


def _no_overlap(t):
    if any(stride == 0 and size > 1 for size, stride in zip(t._shape, t._strides)):
        raise RuntimeError(
            "unsupported operation: more than one element of the written-to tensor refers to a single memory "
            "location. Please clone() the tensor before performing the operation."
        )


def _in_place(name, function):
    """`x.f_(…)`: computes `f`, then writes the result into x's own window."""

    def method(self, *args, **kwargs):
        if 0 in self._strides:
            _no_overlap(self)
        if self.requires_grad and _autograd._enabled:
            if self.grad_fn is None:
                raise RuntimeError(
                    "a leaf Variable that requires grad is being used in an in-place operation."
                )
            return recorded_in_place(self, function, args, kwargs)
        if _autograd.needs(*args):
            return recorded_in_place(self, function, args, kwargs)
        if function in _INTO and not self.dtype.is_complex:
            return function(self, *args, out=self, **kwargs)
        if _core.eager is not None:
            _eager.lacks(name)
        result = function(self, *args, **kwargs)
        if result._shape != self._shape:
            raise RuntimeError(
                f"output with shape {list(self._shape)} doesn't match the broadcast shape {list(result._shape)}"
            )
        if not _core.can_cast(result.dtype, self.dtype):
            raise RuntimeError(
                f"result type {result.dtype.short} can't be cast to the desired output type {self.dtype.short}"
            )
        _tensor.write(self, result)
        return self

    method.__name__ = name
    return method


def recorded_in_place(self, function, args, kwargs):
    """On the tape, x becomes the result; what it was lives on as the operation's input."""
    if _core.eager is not None:
        _eager.lacks(f"{function.__name__} in place, on the tape")
    base = self._base
    if base is not None:
        if base.requires_grad and base._grad_fn is None:
            raise RuntimeError(
                "a view of a leaf Variable that requires grad is being used in an in-place operation."
            )
        _autograd._view_of_all(self, base)
    before = _tensor.make(
        self._storage, self.dtype, self.device, self._shape, self._strides, self._offset
    )
    before.requires_grad, before._grad_fn = self.requires_grad, self._grad_fn
    # Nodes that saved this tensor keep the values they saw.
    kept = _views.contiguous_copy(before)
    before._storage, before._strides, before._offset = kept._storage, kept._strides, 0
    result = function(before, *args, **kwargs)
    with _autograd.no_grad():
        _tensor.write(self, result.detach())
    if not result.requires_grad:
        # Nothing of what was there is left; it had a gradient all the same, which is 0.
        _autograd.record(result, "CopyBackwards", [before], lambda g: _create.zeros_like(g))
    if result.dtype is self.dtype and result._shape == self._shape:
        # The saved result of the operation is this tensor.
        own = result._storage
        result._storage, result._strides, result._offset = self._storage, self._strides, self._offset
        result._counter = self._counter
        _autograd.save_again(result, own)
    if base is None:
        self._grad_fn = result._grad_fn
        self.requires_grad = result.requires_grad
    else:
        _autograd.replaced(base, self, result)
    return self


for _name in """abs absolute acos acosh add addbmm addcdiv addcmul addmm addmv addr arccos arccosh arcsin
    arcsinh arctan arctan2 arctanh asin asinh atan atan2 atanh baddbmm bitwise_and
    bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor ceil clamp clamp_max
    clamp_min clip copysign cos cosh cumprod cumsum deg2rad digamma div divide eq erf erfc erfinv exp
    exp2 expm1 fix float_power floor floor_divide fmod frac gcd ge greater greater_equal gt heaviside
    hypot i0 lcm ldexp le lerp less less_equal lgamma log log10 log1p log2 logical_and logical_not
    logical_or logical_xor logit lt masked_fill masked_scatter mul multiply nan_to_num ne neg negative
    not_equal pow rad2deg reciprocal relu remainder round rsqrt scatter_reduce sgn sigmoid sign sin
    sinc sinh sqrt square sub subtract tan tanh tril triu true_divide trunc xlogy""".split():
    if _name != "masked_scatter":
        setattr(Tensor, _name + "_", _in_place(_name + "_", getattr(Tensor, _name)))


def _direct(name, fast, recorded):
    """An in-place method that writes its elements directly, unless the tape must know of it."""

    def method(self, *args, **kwargs):
        if 0 in self._strides:
            _no_overlap(self)
        if not _autograd.needs(self, *args, *kwargs.values()):
            return fast(self, *args, **kwargs)
        if self.requires_grad and self.grad_fn is None:
            raise RuntimeError(
                "a leaf Variable that requires grad is being used in an in-place operation."
            )
        return recorded_in_place(self, recorded, args, kwargs)

    method.__name__ = name
    return method


for _name, _fast, _recorded in (
    ("index_add_", _indexing.index_add_, _composed.index_add),
    ("index_copy_", _indexing.index_copy_, _composed.index_copy),
    ("index_fill_", _indexing.index_fill_, _composed.index_fill),
    ("index_put_", _indexing.index_put_, _indexing.index_put),
    ("scatter_", _indexing.scatter_, _indexing.scatter),
    ("put_", _indexing.put_, _composed.put),
    ("scatter_add_", _indexing.scatter_add_, _indexing.scatter_add),
    ("fill_", _create.fill_, _composed.fill),
    ("zero_", lambda self: _create.fill_(self, 0), lambda self: _composed.fill(self, 0)),
):
    setattr(Tensor, _name, _direct(_name, _fast, _recorded))


def _drawn(draw):
    """Numbers that do not depend on what was there."""
    return lambda before, *args, **kwargs: draw(_create.empty_like(before), *args, **kwargs)


for _name in "bernoulli_ exponential_ log_normal_ normal_ random_ uniform_".split():
    setattr(Tensor, _name, _direct(_name, getattr(_random, _name), _drawn(getattr(_random, _name))))


def _copy_(self, src, non_blocking=False):
    if not isinstance(src, Tensor):
        src = _create.tensor(src)
    if not _indexing._fits(src._shape, self._shape):
        raise RuntimeError(
            f"The size of tensor a ({self._shape[-1] if self._shape else 1}) must match the size of tensor b ({src._shape[-1] if src._shape else 1}) at non-singleton dimension {max(0, len(self._shape) - 1)}"
        )
    if 0 in self._strides:
        _no_overlap(self)
    if _autograd.needs(self, src):
        if self.requires_grad and self.grad_fn is None and _autograd._enabled:
            raise RuntimeError(
                "a leaf Variable that requires grad is being used in an in-place operation."
            )
        return recorded_in_place(self, _copied, (src,), {})
    window = _views.broadcast_view(src, self._shape)
    if src._storage is self._storage:
        window = window.contiguous() if not window.is_contiguous() else window.clone()
    _tensor.write(self, window)
    return self


def _copied(before, src):
    """What `before.copy_(src)` makes of it, on the tape: nothing of `before` is left."""
    return _ops.to(_views.expand(src, *before._shape), before.dtype, device=before.device)


def _squeeze_(self, dim=None):
    return _reshaped_in_place(self, _views.squeeze, dim)


def _unsqueeze_(self, dim):
    return _reshaped_in_place(self, _views.unsqueeze, dim)


def _transpose_(self, a, b):
    return _reshaped_in_place(self, _views.transpose, a, b)


def _reshaped_in_place(self, function, *args):
    """x becomes a view of what it was."""
    if self.requires_grad and _autograd._enabled and self.grad_fn is None:
        raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")
    view = function(_autograd._before(self), *args)
    self._shape, self._strides, self._offset = view._shape, view._strides, view._offset
    if view._grad_fn is not None:
        self._grad_fn = view._grad_fn
    self._version += 1
    return self


def _resize_(self, *size, memory_format=None):
    """The storage is kept where it is large enough; elements that are new are empty memory."""
    shape = _views._as_shape(size)
    need = (self._offset + _core.numel(shape)) * self.dtype.itemsize
    if need > self._storage.nbytes:
        larger = _tensor.empty(shape, self.dtype, self.device, self.dtype.fill)
        old = _tensor.view_of(self, (self._storage.nbytes // self.dtype.itemsize,), (1,), 0)
        kept = _tensor.view_of(larger, old._shape, (1,), 0)
        _tensor.write(kept, old)
        self._storage, self._offset, self._counter = larger._storage, 0, _tensor.Counter(self._version)
    self._shape, self._strides = _core.Size(shape), _core.row_major(shape)
    return self


def _set_(self, source, storage_offset=0, size=None, stride=None):
    if not isinstance(source, Tensor):
        raise NotImplementedError("Tensor.set_ of a storage is not available in Hippocamp's torch")
    self._storage, self.dtype, self.device = source._storage, source.dtype, source.device
    self._counter = source._counter
    self._offset = source._offset if size is None else storage_offset
    self._shape = source._shape if size is None else _core.Size(size)
    self._strides = source._strides if size is None else stride or _core.row_major(size)
    return self


def _masked_scatter(self, mask, source):
    out, mask = self.clone(), mask.expand(self._shape)
    out[mask] = source.reshape(-1)[: int(mask.sum().item())]
    return out


def _fill_diagonal_(self, value, wrap=False):
    """Of all dimensions at once; `wrap` begins another one below the end of a tall matrix."""
    if len(self._shape) < 2:
        raise RuntimeError("dimensions must larger than 1")
    if len(self._shape) > 2 and len(set(self._shape)) > 1:
        raise RuntimeError("all dimensions of input must be of equal length")
    size, step = min(self._shape), (sum(self._strides),)
    _views.as_strided(self, (size,), step, self._offset).fill_(value)
    height, width = self._shape[0], self._shape[-1]
    if wrap and len(self._shape) == 2 and height > width + 1:
        more = -(-self.numel() // (width + 1)) - size
        _views.as_strided(self, (more,), step, self._offset + self._strides[0] * (width + 1)).fill_(value)
    return self


def _apply_(self, function):
    if self.device.type != "cpu":
        raise TypeError("apply_ is only implemented on CPU tensors")
    values = [function(v) for v in self.reshape(-1).tolist()]
    return _copy_(self, _create.tensor(values, dtype=self.dtype).reshape(self._shape))


Tensor.copy_ = _copy_
Tensor.squeeze_, Tensor.unsqueeze_ = _squeeze_, _unsqueeze_
Tensor.transpose_, Tensor.t_ = _transpose_, lambda self: _transpose_(self, 0, 1)
Tensor.swapaxes_ = Tensor.swapdims_ = _transpose_
Tensor.as_strided_ = lambda self, size, stride, storage_offset=None: _reshaped_in_place(
    self, _views.as_strided, size, stride, storage_offset
)
Tensor.resize_, Tensor.set_ = _resize_, _set_
Tensor.resize_as_ = lambda self, other: _resize_(self, *other._shape)
Tensor.masked_scatter = _masked_scatter
Tensor.masked_scatter_ = _in_place("masked_scatter_", _masked_scatter)
Tensor.fill_diagonal_ = _fill_diagonal_
Tensor.apply_ = _apply_


# ── operators ───────────────────────────────────────────────────────────────────────────────────


def _operator(function, swap=False):
    """A dunder that answers NotImplemented to operands it does not know."""
    plain = (Tensor, bool, int, float, complex)
    known = lambda x: isinstance(x, plain) or type(x).__module__ == "numpy"  # noqa: E731
    if swap:

        def method(self, other):
            return function(other, self) if known(other) else NotImplemented

    else:

        def method(self, other):
            return function(self, other) if known(other) else NotImplemented

    return method


for _name, _function in {
    "add": _ops.add, "sub": _ops.sub, "mul": _ops.mul, "truediv": _arithmetic._true_div,
    "floordiv": _ops.floor_divide, "mod": _ops.remainder, "pow": _ops.pow,
    "and": _ops.bitwise_and, "or": _ops.bitwise_or, "xor": _ops.bitwise_xor,
    "lshift": _ops.bitwise_left_shift, "rshift": _ops.bitwise_right_shift,
}.items():  # fmt: skip
    setattr(Tensor, f"__{_name}__", _operator(_function))
    setattr(Tensor, f"__r{_name}__", _operator(_function, True))
    setattr(Tensor, f"__i{_name}__", _in_place(f"__i{_name}__", _function))
#: As in PyTorch: two roundings.
Tensor.__rtruediv__ = _operator(lambda other, t: _ops.mul(_ops.reciprocal(t), other), True)
for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    setattr(Tensor, f"__{_name}__", _operator(getattr(_ops, _name)))


def _matmul_operator(self, other):
    return _ops.matmul(self, other) if isinstance(other, Tensor) else NotImplemented


Tensor.__matmul__ = _matmul_operator
Tensor.__imatmul__ = _in_place("__imatmul__", _ops.matmul)
Tensor.__neg__ = _ops.neg
Tensor.__pos__ = _ops.positive
Tensor.__abs__ = _ops.abs
Tensor.__invert__ = _ops.bitwise_not


def _missing(self, name):
    from ._missing import missing

    error = missing("torch.Tensor", name, dir(Tensor))
    if name.startswith("__"):
        raise error
    text = str(error).replace("module 'torch.Tensor' has", "'Tensor' object has")
    raise AttributeError(text, name=name, obj=None)


Tensor.__getattr__ = _missing
