"""Layers with parameters, and the functional ones as modules."""

import inspect
import math

from .. import _create as create
from .._random import randn, uniform_
from . import functional
from .module import Module
from .parameter import Parameter


def _uniform(shape, bound, device, dtype):
    t = create.empty(*shape, device=device, dtype=dtype)
    return Parameter(uniform_(t, -bound, bound))


def _filled(shape, value, device, dtype):
    return Parameter(create.full(shape, float(value), device=device, dtype=_float(dtype)))


def _float(dtype):
    from .. import _core as core

    return dtype or core.get_default_dtype()


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

    def reset_parameters(self):
        bound = 1 / math.sqrt(self.in_features) if self.in_features else 0
        uniform_(self.weight.detach(), -bound, bound)
        if self.bias is not None:
            uniform_(self.bias.detach(), -bound, bound)

    def forward(self, input):
        return functional.linear(input, self.weight, self.bias)

    def extra_repr(self):
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class Bilinear(Module):
    def __init__(self, in1_features, in2_features, out_features, bias=True, device=None, dtype=None):
        super().__init__()
        bound = 1 / math.sqrt(in1_features)
        self.weight = _uniform((out_features, in1_features, in2_features), bound, device, dtype)
        if bias:
            self.bias = _uniform((out_features,), bound, device, dtype)
        else:
            self.register_parameter("bias", None)

    def forward(self, input1, input2):
        return functional.bilinear(input1, input2, self.weight, self.bias)


class _Normalization(Module):
    """Over the last dimensions, with or without a weight and a bias of their shape."""

    def __init__(self, normalized_shape, eps, elementwise_affine, bias, device, dtype):
        super().__init__()
        shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.normalized_shape, self.eps, self.elementwise_affine = shape, eps, elementwise_affine
        for name, value, wanted in (("weight", 1, True), ("bias", 0, bias)):
            if wanted is None:
                continue
            if elementwise_affine and wanted:
                setattr(self, name, _filled(shape, value, device, dtype))
            else:
                self.register_parameter(name, None)

    def reset_parameters(self):
        if self.weight is not None:
            create.fill_(self.weight.detach(), 1.0)
        if self._parameters.get("bias") is not None:
            create.fill_(self.bias.detach(), 0.0)

    def extra_repr(self):
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class LayerNorm(_Normalization):
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True, device=None, dtype=None):  # fmt: skip
        super().__init__(normalized_shape, eps, elementwise_affine, bool(bias), device, dtype)

    def forward(self, input):
        return functional.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self):
        return f"{super().extra_repr()}, bias={self.bias is not None}"


class RMSNorm(_Normalization):
    def __init__(self, normalized_shape, eps=None, elementwise_affine=True, device=None, dtype=None):
        super().__init__(normalized_shape, eps, elementwise_affine, None, device, dtype)

    def forward(self, input):
        return functional.rms_norm(input, self.normalized_shape, self.weight, self.eps)


class GroupNorm(Module):
    def __init__(self, num_groups, num_channels, eps=1e-5, affine=True, device=None, dtype=None):
        super().__init__()
        self.num_groups, self.num_channels, self.eps, self.affine = num_groups, num_channels, eps, affine
        for name, value in (("weight", 1), ("bias", 0)):
            made = _filled((num_channels,), value, device, dtype) if affine else None
            self.register_parameter(name, made)

    def forward(self, input):
        return functional.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self):
        return f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}"


class _BatchNorm(Module):
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True, device=None, dtype=None):  # fmt: skip
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        for name, value in (("weight", 1), ("bias", 0)):
            made = _filled((num_features,), value, device, dtype) if affine else None
            self.register_parameter(name, made)
        if track_running_stats:
            self.register_buffer("running_mean", create.zeros(num_features, device=device, dtype=dtype))
            self.register_buffer("running_var", create.ones(num_features, device=device, dtype=dtype))
            self.register_buffer("num_batches_tracked", create.tensor(0, device=device))
        else:
            for name in ("running_mean", "running_var", "num_batches_tracked"):
                self.register_buffer(name, None)

    def forward(self, input):
        self._check_input_dim(input)
        training = self.training or self.running_mean is None
        momentum = self.momentum
        if self.training and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if momentum is None:
                # The average of all batches.
                momentum = 1.0 / float(self.num_batches_tracked)
        return functional.batch_norm(
            input, self.running_mean, self.running_var, self.weight, self.bias, training, momentum or 0.0, self.eps
        )

    def extra_repr(self):
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"track_running_stats={self.track_running_stats}"
        )


class BatchNorm1d(_BatchNorm):
    def _check_input_dim(self, input):
        if input.dim() not in (2, 3):
            raise ValueError(f"expected 2D or 3D input (got {input.dim()}D input)")


class BatchNorm2d(_BatchNorm):
    def _check_input_dim(self, input):
        if input.dim() != 4:
            raise ValueError(f"expected 4D input (got {input.dim()}D input)")


class BatchNorm3d(_BatchNorm):
    def _check_input_dim(self, input):
        if input.dim() != 5:
            raise ValueError(f"expected 5D input (got {input.dim()}D input)")


class _InstanceNorm(_BatchNorm):
    def __init__(self, num_features, eps=1e-5, momentum=0.1, affine=False, track_running_stats=False, device=None, dtype=None):  # fmt: skip
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype)

    def forward(self, input):
        if input.dim() not in (self.rank + 1, self.rank + 2):
            raise ValueError(
                f"expected {self.rank + 1}D or {self.rank + 2}D input (got {input.dim()}D input)"
            )
        x = input if input.dim() == self.rank + 2 else input.unsqueeze(0)
        own = self.training or not self.track_running_stats
        out = functional.instance_norm(
            x, self.running_mean, self.running_var, self.weight, self.bias, own, self.momentum, self.eps
        )
        return out if x is input else out.squeeze(0)


class InstanceNorm1d(_InstanceNorm):
    rank = 1


class InstanceNorm2d(_InstanceNorm):
    rank = 2


class InstanceNorm3d(_InstanceNorm):
    rank = 3


class Embedding(Module):
    def __init__(self, num_embeddings, embedding_dim, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False, _weight=None, device=None, dtype=None):  # fmt: skip
        super().__init__()
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.padding_idx = padding_idx
        if max_norm is not None or scale_grad_by_freq:
            raise NotImplementedError(
                "nn.Embedding(max_norm=…, scale_grad_by_freq=…) is not available in Hippocamp's torch"
            )
        if _weight is not None:
            self.weight = Parameter(_weight)
            return
        data = randn(num_embeddings, embedding_dim, device=device, dtype=dtype)
        if padding_idx is not None:
            data[padding_idx] = 0
        self.weight = Parameter(data)

    @classmethod
    def from_pretrained(cls, embeddings, freeze=True, padding_idx=None):
        made = cls(*embeddings.shape, padding_idx, _weight=embeddings)
        made.weight.requires_grad = not freeze
        return made

    def forward(self, input):
        return functional.embedding(input, self.weight, self.padding_idx)

    def extra_repr(self):
        extra = f", padding_idx={self.padding_idx}" if self.padding_idx is not None else ""
        return f"{self.num_embeddings}, {self.embedding_dim}{extra}"


class _Convolution(Module):
    transposed = False

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True, padding_mode="zeros", device=None, dtype=None):  # fmt: skip
        super().__init__()
        if padding_mode != "zeros":
            raise NotImplementedError(f"padding_mode={padding_mode!r} is not available in Hippocamp's torch")
        many = lambda v: (v,) * self.rank if isinstance(v, int) else tuple(v)  # noqa: E731
        self.in_channels, self.out_channels, self.groups = in_channels, out_channels, groups
        self.padding_mode = padding_mode
        self.kernel_size, self.stride, self.dilation = map(many, (kernel_size, stride, dilation))
        self.padding = padding if isinstance(padding, str) else many(padding)
        first, second = (out_channels, in_channels)[:: -1 if self.transposed else 1]
        shape = (first, second // groups, *self.kernel_size)
        bound = 1 / math.sqrt(math.prod(shape[1:]))
        self.weight = _uniform(shape, bound, device, dtype)
        self.register_parameter("bias", _uniform((out_channels,), bound, device, dtype) if bias else None)

    def forward(self, input):
        return self.function(
            input, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups
        )

    def extra_repr(self):
        text = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        if self.padding != (0,) * self.rank:
            text += f", padding={self.padding}"
        if self.dilation != (1,) * self.rank:
            text += f", dilation={self.dilation}"
        if self.groups != 1:
            text += f", groups={self.groups}"
        return text + (", bias=False" if self.bias is None else "")


class Conv1d(_Convolution):
    rank, function = 1, staticmethod(functional.conv1d)


class Conv2d(_Convolution):
    rank, function = 2, staticmethod(functional.conv2d)


class Conv3d(_Convolution):
    rank, function = 3, staticmethod(functional.conv3d)


class _Transposed(_Convolution):
    transposed = True

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1, bias=True, dilation=1, padding_mode="zeros", device=None, dtype=None):  # fmt: skip
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias,
            padding_mode, device, dtype,
        )  # fmt: skip
        many = (output_padding,) * self.rank if isinstance(output_padding, int) else output_padding
        self.output_padding = tuple(many)

    def forward(self, input, output_size=None):
        further = self.output_padding
        if output_size is not None:
            further = tuple(
                want - ((size - 1) * t - 2 * p + d * (k - 1) + 1)
                for want, size, t, p, d, k in zip(
                    tuple(output_size)[-self.rank :], input.shape[-self.rank :], self.stride,
                    self.padding, self.dilation, self.kernel_size,
                )
            )  # fmt: skip
        return self.function(
            input, self.weight, self.bias, self.stride, self.padding, further, self.groups, self.dilation
        )


class ConvTranspose1d(_Transposed):
    rank, function = 1, staticmethod(functional.conv_transpose1d)


class ConvTranspose2d(_Transposed):
    rank, function = 2, staticmethod(functional.conv_transpose2d)


class ConvTranspose3d(_Transposed):
    rank, function = 3, staticmethod(functional.conv_transpose3d)


class Dropout(Module):
    def __init__(self, p=0.5, inplace=False):
        super().__init__()
        if p < 0 or p > 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p, self.inplace = p, inplace

    def forward(self, input):
        return functional.dropout(input, self.p, self.training, self.inplace)

    def extra_repr(self):
        return f"p={self.p}, inplace={self.inplace}"


class Dropout1d(Dropout):
    def forward(self, input):
        return functional.dropout1d(input, self.p, self.training, self.inplace)


class Dropout2d(Dropout):
    def forward(self, input):
        return functional.dropout2d(input, self.p, self.training, self.inplace)


class Dropout3d(Dropout):
    def forward(self, input):
        return functional.dropout3d(input, self.p, self.training, self.inplace)


class Softmax2d(Module):
    def forward(self, input):
        return functional.softmax(input, -3)


class PReLU(Module):
    def __init__(self, num_parameters=1, init=0.25, device=None, dtype=None):
        super().__init__()
        self.num_parameters = num_parameters
        self.weight = _filled((num_parameters,), init, device, dtype)

    def forward(self, input):
        return functional.prelu(input, self.weight)

    def extra_repr(self):
        return f"num_parameters={self.num_parameters}"


class Identity(Module):
    def __init__(self, *args, **kwargs):
        super().__init__()

    def forward(self, input):
        return input


class Flatten(Module):
    def __init__(self, start_dim=1, end_dim=-1):
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, input):
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self):
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    def __init__(self, dim, unflattened_size):
        super().__init__()
        self.dim, self.unflattened_size = dim, unflattened_size

    def forward(self, input):
        return input.unflatten(self.dim, self.unflattened_size)


def _layer(name, function, printed=(), **options):
    """A module without parameters: `options` are its constructor's, with their defaults; they go to the
    function. `printed` are those that its representation shows.
    """
    inplace = "inplace" in inspect.signature(function).parameters
    names = [*options, "inplace"] if inplace else [*options]

    class Layer(Module):
        def __init__(self, *args, **kwargs):
            super().__init__()
            if len(args) > len(names):
                raise TypeError(f"{name}.__init__() takes at most {len(names)} arguments ({len(args)} given)")
            given = {**dict(zip(names, args)), **kwargs}
            for key in given:
                if key not in names:
                    raise TypeError(
                        f"{name}.__init__() got an unexpected keyword argument {key!r}"
                    )
            if inplace:
                given.setdefault("inplace", False)
            self.__dict__["_given"] = {**options, **given}
            for key, value in self._given.items():
                setattr(self, key, value)

        def forward(self, *inputs):
            return function(*inputs, **{key: getattr(self, key) for key in names})

        def extra_repr(self):
            shown = (*printed, "inplace") if inplace and self.inplace else printed
            return ", ".join(
                f"{k}={getattr(self, k)!r}" if k == "approximate" else f"{k}={getattr(self, k)}"
                for k in shown
            )

    Layer.__name__ = Layer.__qualname__ = name
    return Layer


ReLU = _layer("ReLU", functional.relu)
ReLU6 = _layer("ReLU6", functional.relu6)
LeakyReLU = _layer("LeakyReLU", functional.leaky_relu, ("negative_slope",), negative_slope=0.01)
ELU = _layer("ELU", functional.elu, ("alpha",), alpha=1.0)
CELU = _layer("CELU", functional.celu, ("alpha",), alpha=1.0)
SELU = _layer("SELU", functional.selu)
GELU = _layer("GELU", functional.gelu, ("approximate",), approximate="none")
SiLU = _layer("SiLU", functional.silu)
Mish = _layer("Mish", functional.mish)
Softplus = _layer(
    "Softplus", functional.softplus, ("beta", "threshold"), beta=1.0, threshold=20.0
)
Softsign = _layer("Softsign", functional.softsign)
Tanhshrink = _layer("Tanhshrink", functional.tanhshrink)
Hardshrink = _layer("Hardshrink", functional.hardshrink, lambd=0.5)
Softshrink = _layer("Softshrink", functional.softshrink, lambd=0.5)
Sigmoid = _layer("Sigmoid", functional.sigmoid)
LogSigmoid = _layer("LogSigmoid", functional.logsigmoid)
Tanh = _layer("Tanh", functional.tanh)
Hardtanh = _layer(
    "Hardtanh", functional.hardtanh, ("min_val", "max_val"), min_val=-1.0, max_val=1.0
)
Hardsigmoid = _layer("Hardsigmoid", functional.hardsigmoid)
Hardswish = _layer("Hardswish", functional.hardswish)
GLU = _layer("GLU", functional.glu, ("dim",), dim=-1)
Threshold = _layer("Threshold", functional.threshold, ("threshold", "value"), threshold=0, value=0)
Softmax = _layer("Softmax", functional.softmax, ("dim",), dim=None)
Softmin = _layer("Softmin", functional.softmin, ("dim",), dim=None)
LogSoftmax = _layer("LogSoftmax", functional.log_softmax, ("dim",), dim=None)
CosineSimilarity = _layer("CosineSimilarity", functional.cosine_similarity, dim=1, eps=1e-8)
PairwiseDistance = _layer(
    "PairwiseDistance", functional.pairwise_distance, p=2.0, eps=1e-6, keepdim=False
)
PixelShuffle = _layer(
    "PixelShuffle", functional.pixel_shuffle, ("upscale_factor",), upscale_factor=1
)
PixelUnshuffle = _layer(
    "PixelUnshuffle", functional.pixel_unshuffle, ("downscale_factor",), downscale_factor=1
)
LocalResponseNorm = _layer(
    "LocalResponseNorm", functional.local_response_norm, size=1, alpha=1e-4, beta=0.75, k=1.0
)
_POOL = dict(kernel_size=1, stride=None, padding=0)
_MAX_POOL = dict(**_POOL, dilation=1, return_indices=False, ceil_mode=False)
MaxPool1d = _layer("MaxPool1d", functional.max_pool1d, **_MAX_POOL)
MaxPool2d = _layer("MaxPool2d", functional.max_pool2d, **_MAX_POOL)
_AVG_POOL = dict(**_POOL, ceil_mode=False, count_include_pad=True)
AvgPool1d = _layer("AvgPool1d", functional.avg_pool1d, **_AVG_POOL)
AvgPool2d = _layer("AvgPool2d", functional.avg_pool2d, **_AVG_POOL, divisor_override=None)
MaxPool3d = _layer("MaxPool3d", functional.max_pool3d, **_MAX_POOL)
AvgPool3d = _layer("AvgPool3d", functional.avg_pool3d, **_AVG_POOL, divisor_override=None)
_SIZE = dict(output_size=1)
AdaptiveAvgPool1d = _layer("AdaptiveAvgPool1d", functional.adaptive_avg_pool1d, ("output_size",), **_SIZE)
AdaptiveAvgPool2d = _layer("AdaptiveAvgPool2d", functional.adaptive_avg_pool2d, ("output_size",), **_SIZE)
AdaptiveAvgPool3d = _layer("AdaptiveAvgPool3d", functional.adaptive_avg_pool3d, ("output_size",), **_SIZE)
AdaptiveMaxPool1d = _layer("AdaptiveMaxPool1d", functional.adaptive_max_pool1d, ("output_size",), **_SIZE)
AdaptiveMaxPool2d = _layer("AdaptiveMaxPool2d", functional.adaptive_max_pool2d, ("output_size",), **_SIZE)
AdaptiveMaxPool3d = _layer("AdaptiveMaxPool3d", functional.adaptive_max_pool3d, ("output_size",), **_SIZE)
Upsample = _layer(
    "Upsample",
    functional.interpolate,
    size=None,
    scale_factor=None,
    mode="nearest",
    align_corners=None,
    recompute_scale_factor=None,
)
UpsamplingNearest2d = _layer("UpsamplingNearest2d", functional.interpolate, size=None, scale_factor=None)
UpsamplingBilinear2d = _layer("UpsamplingBilinear2d", functional.upsample_bilinear, size=None, scale_factor=None)
Unfold = _layer("Unfold", functional.unfold, kernel_size=1, dilation=1, padding=0, stride=1)
ChannelShuffle = _layer("ChannelShuffle", functional.channel_shuffle, ("groups",), groups=1)


#: Two arguments of older PyTorch, which still have their place.
_OLD = dict(size_average=None, reduce=None)
_MEAN = dict(**_OLD, reduction="mean")
_NLL = dict(weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean")
_MARGIN = dict(margin=0.0, **_MEAN)
MSELoss = _layer("MSELoss", functional.mse_loss, **_MEAN)
L1Loss = _layer("L1Loss", functional.l1_loss, **_MEAN)
SmoothL1Loss = _layer("SmoothL1Loss", functional.smooth_l1_loss, **_MEAN, beta=1.0)
HuberLoss = _layer("HuberLoss", functional.huber_loss, reduction="mean", delta=1.0)
NLLLoss = _layer("NLLLoss", functional.nll_loss, **_NLL)
CrossEntropyLoss = _layer(
    "CrossEntropyLoss", functional.cross_entropy, **_NLL, label_smoothing=0.0
)
BCELoss = _layer("BCELoss", functional.binary_cross_entropy, weight=None, **_MEAN)
BCEWithLogitsLoss = _layer(
    "BCEWithLogitsLoss",
    functional.binary_cross_entropy_with_logits,
    weight=None,
    **_MEAN,
    pos_weight=None,
)
KLDivLoss = _layer("KLDivLoss", functional.kl_div, **_MEAN, log_target=False)
MarginRankingLoss = _layer("MarginRankingLoss", functional.margin_ranking_loss, **_MARGIN)
HingeEmbeddingLoss = _layer(
    "HingeEmbeddingLoss", functional.hinge_embedding_loss, **{**_MARGIN, "margin": 1.0}
)
TripletMarginLoss = _layer(
    "TripletMarginLoss", functional.triplet_margin_loss, margin=1.0, p=2.0, eps=1e-6, swap=False, **_MEAN
)
CosineEmbeddingLoss = _layer("CosineEmbeddingLoss", functional.cosine_embedding_loss, **_MARGIN)

__all__ = [
    name for name, value in list(globals().items()) if isinstance(value, type) and issubclass(value, Module)
]
__all__.remove("Module")
