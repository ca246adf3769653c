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
def leaf(change, use=lambda t: t * t):
    t = (torch.arange(6.0).reshape(2, 3) + 1).requires_grad_()
    found = change(t)
    use(t).sum().backward()
    return t.grad, found
def written(change, use=lambda y: y * y):
    # The gradient through y after `change(y, leaf)`, and y.
    t = (torch.arange(6.0).reshape(2, 3) - 2.5).requires_grad_()
    y = t * 2
    change(y, t)
    use(y).sum().backward()
    return t.grad, y
def on_detached(change):
    w = torch.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
    t = (w * 2)[1:].detach()
    change(t, w[1:])
    (t * t).sum().backward()
    return w.grad
def saved(make, change):
    # The gradient of a product with something that changes before its backward.
    w = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    s = make()
    z = w * s if s.is_floating_point() else w[s]
    change(s)
    z.sum().backward()
    return w.grad
def of_two(f):
    t = torch.tensor([[0.5, -1.0, 2.0], [0.25, 3.0, -0.5]], requires_grad=True)
    w = torch.tensor([[0.75, -2.0, 1.0], [0.5, 0.125, -0.25]], requires_grad=True)
    (f(t, w) * torch.tensor([1.0, 2.0, 3.0])).sum().backward()
    return t.grad, w.grad
def accumulated(first):
    t = torch.tensor([1.0, 2.0], requires_grad=True)
    t.grad = first
    (t * t).sum().backward()
    return t.grad, first, t.grad is first
def averaged(steps):
    torch.manual_seed(0)
    m, t = nn.BatchNorm1d(2, momentum=None), torch.tensor([[1.0, 2.0], [3.0, 5.0]])
    for i in range(steps):
        m(t * (i + 1))
    return m.running_mean, m.running_var
def anomaly(f):
    import warnings
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        t = torch.tensor([0.0, 2.0], requires_grad=True)
        try:
            with torch.autograd.set_detect_anomaly(True):
                f(t).sum().backward()
        except RuntimeError as error:
            return str(error), torch.is_anomaly_enabled(), len(seen)
    return t.grad
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
    "in place: layouts": [
        f"written(lambda y, t: y.{change})"
        for change in (
            "t_()", "transpose_(0, 1)", "unsqueeze_(0)", "squeeze_()", "as_strided_((2, 2), (1, 2))", "t_().mul_(2)",
            "fill_diagonal_(0)", "bernoulli_(1.0)", "uniform_(2, 2)", "normal_(0, 0)", "put_(torch.tensor([1]), torch.tensor([9.0]))",
            "T[0].mul_(3)", "diagonal().mul_(2)", "as_strided((2,), (1,), 1).mul_(2)", "fill_(t[0, 0] * 3)",
        )
    ]
    + [
        "written(lambda y, t: y.t_(), lambda y: y * torch.arange(6.0).reshape(3, 2))",
        "written(lambda y, t: [y.view(-1), y.t_()], lambda y: y * torch.arange(6.0).reshape(3, 2))",
        "leaf(lambda t: t.t_())", "leaf(lambda t: t.unsqueeze_(0))", "leaf(lambda t: t.bernoulli_(0.5))", "leaf(lambda t: t.normal_())",
        "leaf(lambda t: t.fill_diagonal_(0))",
        "on_detached(lambda t, w: t.add_(w))", "on_detached(lambda t, w: [t.add_(w), t[0].mul_(2)])",
        "on_detached(lambda t, w: [t.mul_(w), t.__setitem__(0, 5.0)])",
        "inplace(torch.zeros(7, 3), lambda t: t.fill_diagonal_(5, wrap=True))", "inplace(torch.zeros(7, 3), lambda t: t.fill_diagonal_(5))",
        "inplace(torch.zeros(2, 2, 2), lambda t: t.fill_diagonal_(5))", "inplace(torch.zeros(2, 3, 2), lambda t: t.fill_diagonal_(5))",
    ]
    + [
        f"saved(lambda: torch.ones(3), lambda s: s.{change})"
        for change in (
            "index_add_(0, torch.tensor([0]), torch.ones(1))", "index_fill_(0, torch.tensor([0]), 2.0)", "normal_()", "random_(3)",
            "index_copy_(0, torch.tensor([0]), torch.ones(1))", "put_(torch.tensor([0]), torch.ones(1))", "exponential_()",
            "detach().numpy().__setitem__(0, 5)",
        )
    ]
    + [
        "saved(lambda: torch.tensor([0, 1]), lambda s: s.add_(1))",
        "saved(lambda: torch.from_numpy(__import__('numpy').ones(3, dtype='float32')), lambda s: s.add_(1))",
        "[torch.ones(2)._version, torch.rand(2)._version, torch.full((2,), 3.0)._version, torch.tensor([1.0]).add_(1)._version]",
    ],
    "in place: layers": [
        f"written(lambda y, t: F.{name}(y, {arguments}inplace=True))"
        for name, arguments in (
            ("relu", ""), ("relu6", ""), ("leaky_relu", "0.1, "), ("elu", "0.5, "), ("selu", ""), ("celu", ""), ("silu", ""),
            ("mish", ""), ("hardtanh", "-1, 1, "), ("hardsigmoid", ""), ("hardswish", ""), ("threshold", "0.1, 7.0, "),
            ("dropout", "0.0, "), ("dropout", "1.0, "),
        )
    ]
    + [f"written(lambda y, t: F.{name})" for name in ("relu_(y)", "leaky_relu_(y, 0.1)", "elu_(y)", "hardtanh_(y)", "threshold_(y, 0, 1)")]
    + [f"written(lambda y, t: torch.{name})" for name in ("relu_(y)", "exp_(y)", "clamp_(y, -1, 1)", "zero_(y)", "selu_(y)")]
    + [f"written(lambda y, t: nn.{name}(y))" for name in ("ReLU(True)", "LeakyReLU(0.2, True)", "ReLU6(True)", "Hardtanh(-1, 1, True)")]
    + [
        "leaf(lambda t: F.relu(t, inplace=True))", "F.relu(x, True)", "F.leaky_relu(x, 0.5, True)", "nn.GELU(inplace=True)",
        "[str(m) for m in (nn.ReLU(inplace=True), nn.LeakyReLU(0.1, True), nn.ReLU(), nn.Dropout(0.1, True))]",
        "averaged(1)", "averaged(3)",
    ],
    "in place: gradients": [
        "accumulated(None)", "accumulated(torch.ones(2))", "accumulated(torch.ones(1).expand(2))",
        "anomaly(lambda t: t * 2)", "anomaly(lambda t: torch.autograd.set_detect_anomaly and (t * t).sqrt())",
        "torch.add(x.requires_grad_(), 1, out=torch.zeros(2, 3))", "torch.exp(x.requires_grad_(), out=torch.zeros(2, 3))",
        "torch.clamp(x.requires_grad_(), 0, 1, out=torch.zeros(2, 3))",
    ]
    + [f"after(lambda t: t * 2, lambda y: {use}, lambda y, z: z.add_(1))" for use in ("y / (y + 1)", "F.softsign(y)", "(y * 0.2).erfinv()")]
    + [
        f"of_two(lambda t, w: {use})"
        for use in (
            "t.clamp(min=w)", "t.clamp(max=w)", "t.clamp(w, w + 1)", "t.clamp(w + 1, w)", "torch.div(t, w, rounding_mode='floor')",
            "torch.copysign(t, w)", "torch.hypot(t, w)", "t.fill_(w[0, 0]) if t.grad_fn else torch.fill(t, w[0, 0])", "(t * 0 + w).std(1).sum()",
            "(t * 0).norm() + w", "(t * w).norm(p=float('inf'), dim=1, keepdim=True)", "(t * w).norm(p=1)", "(t * w).norm(p=3, dim=0)",
            "(t * 0 + 1).std(0) + w", "(t * (w > 0)).cumprod(1)",
        )
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
