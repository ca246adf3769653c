"""`torch.nn.utils`: gradients and parameters together."""


def clip_grad_norm_(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    import torch

    parameters = [parameters] if isinstance(parameters, torch.Tensor) else list(parameters)
    grads = [p.grad for p in parameters if p.grad is not None]
    if not grads:
        return torch.tensor(0.0)
    total = torch.stack([g.norm(norm_type) for g in grads]).norm(norm_type)
    scale = (max_norm / (total + 1e-6)).clamp(max=1.0)
    for g in grads:
        g.mul_(scale.to(g.device))
    return total


def clip_grad_value_(parameters, clip_value, foreach=None):
    import torch

    for p in [parameters] if isinstance(parameters, torch.Tensor) else parameters:
        if p.grad is not None:
            p.grad.clamp_(-clip_value, clip_value)


def parameters_to_vector(parameters):
    import torch

    return torch.cat([p.reshape(-1) for p in parameters])


def vector_to_parameters(vec, parameters):
    at = 0
    for p in parameters:
        p.data = vec[at : at + p.numel()].view_as(p).data
        at += p.numel()


def __getattr__(name):
    if name == "rnn":
        import importlib

        return importlib.import_module("torch.nn.utils.rnn")
    from ..._missing import missing

    raise missing("torch.nn.utils", name, globals())
