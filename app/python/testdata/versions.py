"""More expressions for `cases.py`: operations in place on tensors that the tape has seen."""

SETUP = """
def after(make, use, change, shape=(2, 3)):
    # The gradient of `use(y)` where y = make(leaf) and `change(y, use(y))` follows.
    torch.manual_seed(3)
    leaf = (torch.rand(shape) + 0.5).requires_grad_()
    y = make(leaf)
    z = use(y)
    change(y, z)
    (z.sum() + y.sum()).backward()
    return leaf.grad
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t):
        ctx.save_for_backward(t)
        return t ** 3
    @staticmethod
    def backward(ctx, g):
        t, = ctx.saved_tensors
        return 3 * t * t * g
class Named(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t):
        ctx.t = t
        return t * 2
    @staticmethod
    def backward(ctx, g):
        return ctx.t * 0 + g
def step(write):
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    y = (w * w * 3)
    with torch.no_grad():
        write(w)
    y.sum().backward()
    return w.grad
def buffer(change, use):
    w = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    t = torch.zeros(3)
    found = change(t, w)
    use(t, found).sum().backward()
    return w.grad
class Halved(torch.autograd.Function):
    @staticmethod
    def forward(ctx, t):
        ctx.save_for_backward(t)
        return t * t
    @staticmethod
    def backward(ctx, g):
        t, = ctx.saved_tensors
        return t * g
def wide(*values):
    return torch.tensor(values, dtype=torch.float64).requires_grad_()
def quiet(f, *inputs, **options):
    import warnings
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.autograd.gradcheck(f, inputs, **options)
def version(change):
    t = torch.zeros(4, 4)
    start = t._version
    change(t)
    return t._version - start
"""

_SAVES = (
    "y * y", "y * 2", "y + 3", "y / 3", "1 / y", "y ** 3", "y ** 2", "2 ** y", "y.exp()", "y.log()", "y.sqrt()",
    "y.rsqrt()", "y.sin()", "y.tanh()", "y.sigmoid()", "y.relu()", "y.abs()", "y.clamp(0.7, 1)", "y.sum(1)", "y.mean(1)",
    "y.prod(1)", "y.max(1)[0]", "y.amax(1)", "y.softmax(1)", "y.log_softmax(1)", "y.cumsum(1)", "y.T", "y[0]",
    "y[torch.tensor([1, 0])]", "y.reshape(-1)", "y.clone()", "y.expand(2, 2, 3)", "y @ y.T", "y @ torch.ones(3, 2)",
    "F.gelu(y)", "F.silu(y)", "F.softplus(y)", "F.leaky_relu(y)", "y.var(1)", "y.std(1)", "y.norm()",
    "torch.where(y > 1, y, 0)", "torch.cat([y, y])", "torch.stack([y, y])", "y.masked_fill(y > 1, 0)", "torch.maximum(y, y.detach() * 1.5)",
    "F.mse_loss(y, torch.zeros(2, 3))", "F.cross_entropy(y, torch.tensor([0, 2]))", "y.to(torch.float64)", "y.flip(0)", "y.pow(1.5)",
    "Cube.apply(y)", "Named.apply(y)", "torch.atan2(y, y)", "y.square()", "y.reciprocal()", "y.erf()", "y.logsumexp(1)",
    "torch.einsum('ij,kj->ik', y, y)", "y.unsqueeze(0)", "y.detach() * 2 + y", "y.sort(1)[0]", "y.gather(1, torch.tensor([[0], [1]]))",
)  # fmt: skip
#: Here their gradients keep what they need by themselves, and are right: nothing is raised where PyTorch does.
_KEPT = {
    "y": ("2 ** y", "y.clamp(0.7, 1)", "F.leaky_relu(y)", "F.mse_loss(y, torch.zeros(2, 3))",
          "y.gather(1, torch.tensor([[0], [1]]))"),
    "z": ("y.prod(1)",),
}  # fmt: skip
_CHANGES = ("y.add_(1)", "y.mul_(3)", "z.add_(1)", "z.mul_(2)")
_OTHERS = (
    "y.exp_()", "y.sqrt_()", "y.zero_()", "y.fill_(2)", "y.relu_()", "y.copy_(torch.ones(2, 3))", "y.__setitem__(0, 5.0)",
    "y.clamp_(0, 1)", "y.detach().add_(1)", "y.data.add_(1)", "y.data[0].mul_(2)", "y.detach()[0].zero_()", "y.div_(2)",
)  # fmt: skip
GROUPS = {
    "in place": [
        f"after(lambda t: t * 2, lambda y: {use}, lambda y, z: {change})" for use in _SAVES for change in _CHANGES
        if use not in _KEPT[change[0]]
    ]
    + [
        f"after(lambda t: t * 2, lambda y: {use}, lambda y, z: {change})"
        for use in ("y * y", "y + 1", "y.exp()")
        for change in _OTHERS
    ]
    + [
        f"after(lambda t: t * 2, lambda y: y + 1, lambda y, z: [{change}])"
        for change in (
            "y.exp_(), y.add_(1)", "y.sin_(), y.add_(1)", "y.mul_(y)", "y.mul_(2), y.mul_(3)", "y.relu_(), y.mul_(2)",
            "y.tanh_(), y.mul_(2)", "y.add_(y * y)", "y.sigmoid_(), y.exp_()",
        )
    ]
    + [
        "step(lambda w: w.add_(1))", "step(lambda w: w.data.add_(1))", "step(lambda w: w.detach().add_(1))",
        "buffer(lambda t, w: t.add_(w), lambda t, _: t * 2)",
        "buffer(lambda t, w: [t[0:2], t.add_(w)][0], lambda t, v: v * 2)",
        "buffer(lambda t, w: [t[0:2], t.add_(w), t.mul_(3)][0], lambda t, v: v * v)",
        "buffer(lambda t, w: [t * w, t.add_(w)][0], lambda t, p: p)",
        "buffer(lambda t, w: [t + w, t.add_(w)][0], lambda t, p: p + t)",
        "after(lambda t: t * 2, lambda y: y[0], lambda y, z: y.mul_(5))",
        "after(lambda t: t * 2, lambda y: y.T[1], lambda y, z: [y.mul_(5), y.add_(1)])",
        "after(lambda t: t * 2, lambda y: y.view(-1)[::2], lambda y, z: y.exp_())",
        "version(lambda t: t.add_(1))", "version(lambda t: t[0].add_(1))", "version(lambda t: t.T.mul_(2))",
        "version(lambda t: t.__setitem__(0, 1))", "version(lambda t: t.__setitem__(0, torch.ones(4)))",
        "version(lambda t: t.detach().add_(1))", "version(lambda t: t.data.add_(1))", "version(lambda t: t + 1)",
        "version(lambda t: t.zero_())", "version(lambda t: t.copy_(torch.ones(4, 4)))", "version(lambda t: t.view(-1)[3:5].fill_(2))",
    ],
    "gradcheck": [
        "quiet(lambda a, b: (a @ b, a.sum()), wide([0.5, 1.5], [2.0, 0.25]), wide([1.0], [3.0]))",
        "quiet(torch.sin, wide(0.1, 0.2))", "quiet(Cube.apply, wide(0.1, 0.2))", "quiet(Halved.apply, wide(0.5, 2.0))",
        "quiet(Halved.apply, wide(0.5, 2.0), raise_exception=False)", "quiet(Halved.apply, wide(0.5, 2.0), fast_mode=True, raise_exception=False)",
        "quiet(lambda t: t * 2, torch.ones(2))", "quiet(lambda t: t * 2, torch.ones(1).expand(3).requires_grad_())",
        "quiet(lambda t: t * t, torch.tensor([0.5, 1.5], requires_grad=True))", "quiet(lambda t, n: t ** n, wide(0.5, 1.5), 3)",
        "quiet(lambda t: t * t, torch.tensor([0.5, 1.5], requires_grad=True), eps=1e-2, atol=1e-2)",
        "quiet(lambda t: F.layer_norm(t, (3,)), wide([0.5, 1.5, 2.5]))", "quiet(lambda t: t.detach() * 2, wide(0.5, 1.5))",
        "issubclass(__import__('torch.autograd.gradcheck', fromlist=['x']).GradcheckError, RuntimeError)",
    ],
}  # fmt: skip
