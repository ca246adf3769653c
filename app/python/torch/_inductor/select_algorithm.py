"""`extern_kernels`: what TorchInductor leaves to libraries. The CPU computes it, as torch's own functions."""

import torch


def _into(out, value):
    return value if out is None else out.copy_(value)


class _ExternKernels:
    @staticmethod
    def mm(a, b, *, out=None):
        return _into(out, torch.mm(a, b))

    @staticmethod
    def bmm(a, b, *, out=None):
        return _into(out, torch.bmm(a, b))

    @staticmethod
    def addmm(bias, a, b, *, alpha=1, beta=1, out=None):
        return _into(out, torch.addmm(bias, a, b, alpha=alpha, beta=beta))

    bias_addmm = addmm

    @staticmethod
    def baddbmm(bias, a, b, *, alpha=1, beta=1, out=None):
        return _into(out, torch.baddbmm(bias, a, b, alpha=alpha, beta=beta))

    @staticmethod
    def convolution(input, weight, bias=None, *, stride, padding, dilation, transposed, output_padding, groups):  # fmt: skip
        from torch.nn import functional as F

        rank = len(weight.shape) - 2
        if transposed:
            function = (F.conv_transpose1d, F.conv_transpose2d, F.conv_transpose3d)[rank - 1]
            return function(input, weight, bias, stride, padding, output_padding, groups, dilation)
        return (F.conv1d, F.conv2d, F.conv3d)[rank - 1](input, weight, bias, stride, padding, dilation, groups)

    def __getattr__(self, name):
        return getattr(torch, name)


extern_kernels = _ExternKernels()
