"""`torch.nn.grad`: the gradients of convolutions by themselves."""


def _gradient(function, grad_output, wanted, input, weight, stride, padding, dilation, groups):
    import torch

    with torch.enable_grad():
        input, weight = (t.detach() for t in (input, weight))
        chosen = input if wanted == "input" else weight
        chosen.requires_grad_()
        out = function(input, weight, None, stride, padding, dilation, groups)
        return torch.autograd.grad(out, [chosen], [grad_output.detach()])[0]


def _pair(name):
    def of_input(input_size, weight, grad_output, stride=1, padding=0, dilation=1, groups=1):
        from . import functional

        input = weight.new_empty(tuple(input_size))
        function = getattr(functional, name)
        return _gradient(function, grad_output, "input", input, weight, stride, padding, dilation, groups)

    def of_weight(input, weight_size, grad_output, stride=1, padding=0, dilation=1, groups=1):
        from . import functional

        weight = input.new_empty(tuple(weight_size))
        function = getattr(functional, name)
        return _gradient(function, grad_output, "weight", input, weight, stride, padding, dilation, groups)

    return of_input, of_weight


conv1d_input, conv1d_weight = _pair("conv1d")
conv2d_input, conv2d_weight = _pair("conv2d")
