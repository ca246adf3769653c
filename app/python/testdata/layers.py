"""More expressions for `cases.py`: modules, autograd.Function, autocast, and functions made of others."""

SETUP = """
from torch.autograd import Function
from torch.autograd.function import once_differentiable
import copy, math
w = torch.tensor([[0.5, -1.0], [2.0, 0.25], [1.5, -0.75]])
s = torch.tensor([3, 1, 1, 2, 2, 2])
img = torch.linspace(-2, 2, 50).reshape(1, 2, 5, 5)
def value_and_grads(f, *xs):
    xs = [t.clone().requires_grad_() if t.is_floating_point() else t for t in xs]
    y = f(*xs)
    y.sum().backward()
    return [y.detach()] + [t.grad for t in xs if t.is_floating_point()]
def module(make, *inputs, seed=3):
    torch.manual_seed(seed)
    m = make()
    y = m(*inputs)
    y.sum().backward()
    return [y.detach()] + [p.grad for p in m.parameters()]
class Square(Function):
    @staticmethod
    def forward(ctx, a, scale):
        ctx.save_for_backward(a)
        ctx.scale = scale
        return a * a * scale
    @staticmethod
    def backward(ctx, g):
        a, = ctx.saved_tensors
        return (g * 2 * a * ctx.scale if ctx.needs_input_grad[0] else None), None
class Two(Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.set_materialize_grads(False)
        n = (a > b).sum()
        ctx.mark_non_differentiable(n)
        ctx.save_for_backward(a, b, None)
        return a * b, a + b, n
    @staticmethod
    @once_differentiable
    def backward(ctx, g, h, k):
        a, b, nothing = ctx.saved_tensors
        assert nothing is None and k is None
        ga = 0 if g is None else g * b
        gb = 0 if g is None else g * a
        h = 0 if h is None else h
        return ga + h, gb + h
class AddOne_(Function):
    @staticmethod
    def forward(ctx, a):
        a.add_(1)
        ctx.mark_dirty(a)
        return a
    @staticmethod
    def backward(ctx, g):
        return g * 10
class Wrong(Function):
    @staticmethod
    def forward(ctx, a, b):
        return a * 2
    @staticmethod
    def backward(ctx, g):
        return g
class Setup(Function):
    @staticmethod
    def forward(a, b):
        return a * b
    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        return g * b, g * a
def dirty():
    a = torch.ones(3, requires_grad=True)
    b = a * 2
    c = AddOne_.apply(b)
    (c * 3).sum().backward()
    return [a.grad, b.detach(), c is b]
def two(which):
    a, b = x.clone().requires_grad_(), y.clone().requires_grad_()
    out = Two.apply(a, b)
    out[which].sum().backward()
    return [a.grad, b.grad, out[2], out[2].requires_grad, out[0].requires_grad]
def hooked():
    a = torch.ones(2, requires_grad=True)
    h = a.register_hook(lambda g: g * 3)
    (a * 2).sum().backward()
    h.remove()
    (a * 2).sum().backward()
    return a.grad
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 4)
        self.norm = nn.LayerNorm(4)
        self.scale = nn.Parameter(torch.ones(4))
        self.register_buffer("seen", torch.zeros(1))
        self.register_buffer("scratch", torch.zeros(1), persistent=False)
        self.rest = nn.ModuleList([nn.Linear(4, 4, bias=False) for _ in range(2)])
        self.none = None
    def forward(self, t):
        t = self.norm(self.first(t)) * self.scale
        for layer in self.rest:
            t = torch.tanh(layer(t))
        return t
def net():
    torch.manual_seed(5)
    return Net()
def cast_dtypes():
    out = []
    with torch.autocast("cpu", dtype=torch.bfloat16):
        z = x @ x.T
        out += [z, F.linear(x, y), (z + x[:, :2]), torch.matmul(x.double(), y.double().T), F.layer_norm(x, (3,)), x.softmax(-1), torch.is_autocast_enabled("cpu"), torch.get_autocast_dtype("cpu")]
        with torch.autocast("cpu", enabled=False):
            out.append(x @ x.T)
    out += [x @ x.T, torch.is_autocast_enabled("cpu")]
    return [str(getattr(t, "dtype", t)) for t in out]
"""

COMPOSED = [
    "torch.logaddexp(x, y)", "torch.logaddexp2(x, y)", "torch.logaddexp(nan, nan)", "torch.heaviside(x, torch.tensor(0.5))", "torch.deg2rad(x)",
    "torch.rad2deg(x)", "torch.logit(torch.tensor([0.2, 0.9]))", "torch.logit(torch.tensor([0.0, 1.0]), eps=1e-3)", "torch.sinc(x)", "torch.ldexp(x, torch.tensor([1, 2, 3]))",
    "torch.float_power(x.abs(), 2)", "torch.isin(s, torch.tensor([1, 3]))", "torch.isin(s, 2, invert=True)", "torch.gcd(i, torch.tensor(6))", "torch.lcm(i, torch.tensor(6))",
    "torch.addmv(v[:2], x, v)", "torch.addr(torch.zeros(3, 2), v, v[:2], alpha=2)", "torch.addbmm(torch.ones(3, 3), f, f.transpose(1, 2), beta=0.5)", "torch.vdot(v, v)", "torch.inner(x, y)",
    "torch.inner(f, x[:, :1].expand(2, 4))", "torch.tensordot(f, f, dims=([0, 2], [0, 2]))", "torch.tensordot(x, w, 1)", "torch.kron(w, x)", "torch.kron(v, v)", "torch.cross(x, y, dim=1)",
    "torch.linalg.multi_dot([x, w, w.T])", "torch.matrix_power(w[:2], 3)", "torch.cdist(x, y)", "torch.trace(w)", "nan.nanmean()", "torch.nanmean(torch.tensor([[1, float('nan')], [2, 4]]), 1)",
    "torch.nanmedian(torch.tensor([[1, float('nan'), 5], [2, 4, 3]]), 1)", "torch.cov(x)", "torch.corrcoef(x)", "torch.mode(s)", "torch.mode(torch.tensor([[1, 2, 2], [3, 3, 1]]), 1)", "torch.diff(s)",
    "torch.diff(x, n=2)", "torch.diff(s, prepend=torch.tensor([0]))", "torch.trapezoid(x)", "torch.trapezoid(x, dx=0.5)", "torch.unique_consecutive(s)", "torch.unique_consecutive(s, return_inverse=True, return_counts=True)",
    "torch.moveaxis(f, 0, -1)", "torch.fliplr(x)", "torch.flipud(x)", "torch.rot90(x).contiguous()", "torch.rot90(x, 2)", "torch.rot90(x, -1).contiguous()", "torch.tensor_split(s, 4)", "torch.tensor_split(s, [1, 4])", "torch.tensor_split(x, [2], dim=1)",
    "torch.hsplit(f, [1])", "torch.column_stack([v, v])", "torch.dstack([v, v])", "torch.cartesian_prod(s[:2], v)", "torch.combinations(v)", "torch.diagflat(v)", "[p.tolist() for p in torch.unravel_index(torch.tensor([5, 3]), (2, 3))]",
    "torch.vander(v)", "torch.select_scatter(x, v[:2], 1, 0)", "torch.slice_scatter(x, torch.zeros(2, 1), 1, 1, 2)", "torch.diagonal_scatter(torch.zeros(3, 3), v)", "torch.index_add(x, 1, torch.tensor([0, 0]), y[:, :2], alpha=2)",
    "torch.index_copy(x, 1, torch.tensor([2]), y[:, :1])", "torch.index_fill(x, 0, torch.tensor([1]), -1)", "torch.scatter_reduce(torch.ones(3), 0, torch.tensor([0, 1, 1, 2]), torch.tensor([2., 3., 5., -1.]), 'sum')",
    "torch.scatter_reduce(torch.ones(3), 0, torch.tensor([0, 1, 1]), torch.tensor([2., 3., 5.]), 'prod')", "torch.scatter_reduce(torch.ones(3), 0, torch.tensor([0, 1, 1]), torch.tensor([2., 3., 5.]), 'mean')",
    "torch.scatter_reduce(torch.ones(3), 0, torch.tensor([0, 1, 1]), torch.tensor([-2., 3., 5.]), 'amax', include_self=False)", "torch.scatter_reduce(i, 1, torch.tensor([[0, 0], [1, 1]]), torch.tensor([[9, 1], [2, 3]]), 'amin')",
    "inplace(x, lambda t: t.scatter_reduce_(1, torch.tensor([[0, 0], [1, 1]]), y[:, :2], 'amax'))", "torch.special.digamma(x.abs() + 0.3)", "torch.digamma(x)", "torch.erfinv(torch.tensor([0.0, 0.5, -0.9, 0.9999, 1.0, 2.0]))", "torch.special.expit(x)",
    "inplace(torch.arange(6.), lambda t: t.put_(torch.tensor([1, 4]), torch.tensor([9., 8.])))", "inplace(x, lambda t: t.masked_scatter_(b, torch.arange(6.)))", "inplace(torch.zeros(3, 3), lambda t: t.fill_diagonal_(2))",
    "inplace(x, lambda t: t.resize_(2, 2))", "torch.fill(x, 3)", "torch.linalg.vector_norm(x, 1)", "torch.linalg.norm(x, dim=1)", "torch.linalg.matrix_norm(w, 1)", "torch.linalg.vecdot(x, y)", "i.bitwise_left_shift(1)",
    "s.bincount()", "torch.bincount(s, minlength=6)", "torch.atleast_3d(x)", "x.contiguous(memory_format=torch.contiguous_format).stride()", "img.contiguous(memory_format=torch.channels_last).stride()",
    "img.contiguous(memory_format=torch.channels_last).is_contiguous(memory_format=torch.channels_last)", "x.T.clone().stride()", "x.T.clone(memory_format=torch.contiguous_format).stride()", "torch.empty_like(x.T).stride()", "torch.empty_like(x.T, memory_format=torch.contiguous_format).stride()",
    "x.new_empty_strided((2, 2), (1, 2)).stride()", "torch.cumsum(x, dim=1)", "torch.cumsum(input=x, axis=1)", "x.cumsum(axis=0)", "torch.cumprod(x, axis=0)", "torch.max(input=x, axis=1)", "torch.argmax(x, axis=1)", "torch.any(b, axis=0)", "torch.unsqueeze(x, axis=0)", "torch.stack([v, v], axis=1)",
    "torch.squeeze(x[None], axis=0)", "torch.flip(x, [1])", "torch.sort(x, axis=1)", "torch.softmax(x, axis=1)", "torch.std(x, axis=1)", "torch.gather(x, axis=1, index=torch.tensor([[0], [1]]))", "torch.searchsorted(torch.tensor([[1., 3., 5.], [2., 4., 6.]]), torch.tensor([[3., 9.], [3., 4.]]))",
    "torch.searchsorted(torch.tensor([1., 3., 5.]), 3.0, right=True)", "torch.bucketize(x, torch.tensor([0., 2.]))", "torch.unique(torch.tensor([[1, 2], [1, 2], [0, 5]]), dim=0)", "torch.histc(x, 4)", "torch.clamp(x, torch.tensor([0., 1., 2.]))", "torch.repeat_interleave(v, torch.tensor([1, 0, 2]))",
    "value_and_grads(torch.logaddexp, x, y)", "value_and_grads(torch.kron, w, x)", "value_and_grads(lambda t: torch.cdist(t, y), x)", "value_and_grads(lambda a, c: torch.select_scatter(a, c, 1, 0) ** 2, x, v[:2])", "value_and_grads(lambda a, c: torch.index_add(a, 1, torch.tensor([0, 0]), c) ** 2, x, y[:, :2].contiguous())",
    "value_and_grads(lambda a: torch.zeros(2, 3).copy_(a) * 2, x)", "value_and_grads(lambda a: (a * 1).copy_(y) * a, x)", "value_and_grads(lambda a: torch.tensordot(a, w, 1), x)", "value_and_grads(torch.erfinv, torch.tensor([0.1, -0.7]))", "value_and_grads(torch.lgamma, torch.tensor([0.5, 2.5]))",
    "value_and_grads(torch.prod, torch.tensor([2.0, 0.0, 3.0]))", "value_and_grads(lambda a: torch.cumprod(a, 0), torch.tensor([2.0, 0.5, 3.0]))", "value_and_grads(lambda a: torch.topk(a, 2)[0] ** 2, x)", "value_and_grads(lambda a: a.unfold(1, 2, 1) ** 2, x)", "value_and_grads(lambda a: a.as_strided((2, 2), (1, 1)) ** 2, v)",
    "value_and_grads(lambda a: torch.addcdiv(a, y, a + 3), x)", "value_and_grads(lambda a: torch.roll(a, 1, 1) * a, x)", "value_and_grads(lambda a: a.repeat(2, 2) ** 2, x)", "value_and_grads(lambda a: torch.norm(a, p=1), x)", "value_and_grads(lambda a: a.norm(p=3, dim=1), x)", "value_and_grads(lambda a: torch.quantile(a, 0.4), v)",
    "value_and_grads(lambda a: a.median(), v)", "value_and_grads(lambda a: torch.diagonal(a) ** 2, w)", "value_and_grads(lambda a: torch.diag(a) @ w, v)", "value_and_grads(lambda a: torch.repeat_interleave(a, 2, 1) ** 2, x)", "value_and_grads(lambda a: torch.hypot(a, y), x)", "value_and_grads(lambda a: a.flip(0) * a, x)",
    "value_and_grads(lambda a: torch.einsum('bij,bjk,bk->bi', a, a.transpose(1, 2), a[:, 0, :3]), f)", "value_and_grads(lambda a: a.masked_select(b) ** 2, x)", "value_and_grads(lambda a: torch.logcumsumexp(a, 1), x)", "value_and_grads(lambda a: a.cummax(1)[0] ** 2, x)", "value_and_grads(lambda a: a.kthvalue(2)[0] ** 2, x)",
]  # fmt: skip

MODULES = [
    "module(lambda: nn.Conv1d(2, 4, 3, padding=1), torch.linspace(-1, 1, 16).reshape(1, 2, 8))", "module(lambda: nn.Conv1d(2, 4, 3, stride=2, dilation=2, groups=2, bias=False), torch.linspace(-1, 1, 16).reshape(1, 2, 8))", "module(lambda: nn.Conv2d(2, 3, (2, 3), padding=(1, 0)), img)",
    "F.conv2d(img, torch.ones(1, 2, 3, 3), padding='same')", "F.conv1d(torch.ones(2, 5), torch.ones(3, 2, 2))", "F.max_pool2d(img, 2)", "nn.grad.conv2d_weight(img, (3, 2, 2, 2), torch.ones(1, 3, 4, 4))", "nn.grad.conv2d_input((1, 2, 5, 5), torch.ones(3, 2, 2, 2), torch.ones(1, 3, 4, 4))", "nn.CrossEntropyLoss(None, None, -100, None, 'sum', 0.1)(x, torch.tensor([0, 2]))", "F.max_pool2d(img, 3, 2, 1)", "F.avg_pool2d(img, 2)", "F.avg_pool1d(img[0], 3, 2, 1)", "nn.MaxPool1d(2, 1)(img[0])", "torch.manual_seed(4) and [t.contiguous() for t in nn.MultiheadAttention(4, 2, batch_first=True)(f, f, f)]", "torch.manual_seed(4) and nn.MultiheadAttention(4, 2, bias=False)(f, f, f, attn_mask=torch.ones(2, 2).triu(1).bool(), need_weights=False)[0].contiguous()", "nn.AvgPool2d(2)(img)", "F.pixel_shuffle(torch.arange(16.).reshape(1, 4, 2, 2), 2)", "F.pixel_unshuffle(torch.arange(16.).reshape(1, 1, 4, 4), 2)",
    "F.pad(x, (1, 1), mode='reflect')", "F.pad(x, (2, 1), mode='replicate')", "F.pad(img, (1, 2, 0, 1), mode='circular')", "F.celu(x)", "F.hardshrink(x)", "F.softshrink(x)", "F.tanhshrink(x)", "F.threshold(x, 0.1, -7)", "F.prelu(x, torch.tensor([0.25]))", "F.hardsigmoid(f)", "F.hardtanh(f)", "F.selu(x)",
    "module(lambda: nn.GroupNorm(2, 4), torch.linspace(-1, 1, 24).reshape(2, 4, 3))", "module(lambda: nn.BatchNorm1d(3), torch.linspace(-1, 2, 12).reshape(4, 3) ** 2)", "module(lambda: nn.Embedding(5, 3, padding_idx=1), torch.tensor([0, 1, 1, 4]))", "module(lambda: nn.RMSNorm(3), x)", "module(lambda: nn.PReLU(), x)",
    "module(lambda: nn.Bilinear(3, 3, 2), x, y)", "module(net, x)", "[n for n, _ in net().named_parameters()]", "list(net().state_dict())", "repr(net())", "repr(nn.Sequential(nn.GELU(), nn.Dropout(0.1), nn.LeakyReLU(0.2), nn.Softmax(dim=1)))", "repr(nn.Conv1d(2, 4, 3, padding=1, groups=2, bias=False))", "repr(nn.Embedding(5, 3))",
    "net().half().first.weight.dtype", "[p.requires_grad for p in net().requires_grad_(False).parameters()]", "net().load_state_dict(net().state_dict())", "net().load_state_dict({'scale': torch.ones(4)})", "net().load_state_dict({**net().state_dict(), 'more': v})", "net().load_state_dict({**net().state_dict(), 'scale': v})",
    "net().missing", "setattr(net(), 'scale', v)", "copy.deepcopy(net())(x)", "type(copy.deepcopy(net()).scale).__name__", "sum(p.numel() for p in net().parameters())", "net().get_submodule('rest.1').weight.shape", "[n for n, _ in net().named_modules()]", "nn.Sequential(nn.Linear(3, 2), nn.ReLU())[0].weight.shape", "len(nn.ModuleList([nn.ReLU()] * 3)[1:])",
    "nn.Linear(2, 3).weight.is_leaf", "nn.CrossEntropyLoss(label_smoothing=0.1)(x, torch.tensor([0, 2]))", "nn.CrossEntropyLoss(weight=v, ignore_index=1)(x, torch.tensor([0, 1]))", "nn.CrossEntropyLoss(weight=v, label_smoothing=0.2)(x, torch.tensor([0, 2]))", "nn.CrossEntropyLoss(reduction='none')(x, torch.tensor([0, 2]))", "F.cross_entropy(x, y.softmax(1), label_smoothing=0.1)",
    "F.cross_entropy(f, torch.tensor([[0, 1, 2, 0], [2, 1, 0, -100]]))", "value_and_grads(lambda a: F.cross_entropy(a, torch.tensor([0, -100]), label_smoothing=0.1), x)", "nn.KLDivLoss(reduction='batchmean', log_target=True)(torch.log_softmax(x, 1), torch.log_softmax(y, 1))", "F.binary_cross_entropy(x.sigmoid(), y.sigmoid())", "F.binary_cross_entropy_with_logits(x * 40, y.sigmoid(), pos_weight=v)",
    "F.huber_loss(x, y, delta=0.5)", "F.smooth_l1_loss(x, y, beta=2.0)", "F.margin_ranking_loss(x, y, torch.ones(2, 3))", "F.hinge_embedding_loss(x, torch.tensor([[1, -1, 1], [-1, -1, 1]]))", "F.triplet_margin_loss(x, y, x + 1)", "F.cosine_embedding_loss(x, y, torch.tensor([1, -1]))", "F.poisson_nll_loss(x, y.abs())", "F.soft_margin_loss(x, torch.ones(2, 3))", "F.pairwise_distance(x, y)",
    "F.scaled_dot_product_attention(f[:, None], f[:, None], f[:, None], attn_mask=torch.ones(3, 3, dtype=torch.bool).tril())", "F.scaled_dot_product_attention(f, f, f, attn_mask=torch.zeros(3, 3) - 1, scale=0.3)", "F.scaled_dot_product_attention(f.repeat(2, 1, 1)[None], f[None], f[None], enable_gqa=True)", "F.scaled_dot_product_attention(f[None], f[None, :, :2], f[None, :, :2], is_causal=True)",
    "nn.init.constant_(torch.empty(2), 3)", "nn.init.eye_(torch.empty(2, 3))", "torch.manual_seed(1) and nn.init.xavier_uniform_(torch.empty(3, 4))", "torch.manual_seed(1) and nn.init.kaiming_normal_(torch.empty(8, 4), nonlinearity='relu')", "nn.init.calculate_gain('tanh')", "torch.nn.utils.clip_grad_norm_([nn.Parameter(v)], 1.0)",
    "F.embedding(torch.tensor([[0, 1]]), w)", "value_and_grads(lambda e: F.embedding(torch.tensor([0, 1, 1]), e, padding_idx=1), w)", "F.layer_norm(x, (2,))", "F.linear(x, w)", "F.one_hot(torch.tensor([1, 0]), 4)", "F.normalize(x, p=1, dim=0)", "F.gumbel_softmax(x, hard=True).sum(-1)", "F.dropout(torch.ones(4), 1.0)", "nn.Dropout(1.5)", "F.gelu(x, approximate='x')", "F.softmax(x, -1, dtype=torch.float64)",
    "value_and_grads(lambda t: F.conv2d(t, torch.ones(2, 2, 2, 2)) ** 2, img + 3)", "value_and_grads(lambda t: F.max_pool2d(t, 2), img)", "value_and_grads(lambda t: F.group_norm(t, 1) ** 2, img)", "value_and_grads(lambda t: F.pad(t, (1, 1), mode='reflect') ** 2, x)", "value_and_grads(lambda t: F.batch_norm(t, None, None, training=True) ** 3, x)", "value_and_grads(lambda t: F.softplus(t, beta=2) , x)",
]  # fmt: skip

FUNCTIONS = [
    "value_and_grads(lambda a: Square.apply(a, 3), x)", "Square.apply(x, 2).requires_grad", "type(Square.apply(x.clone().requires_grad_(), 2).grad_fn).__name__", "two(0)", "two(1)", "dirty()", "hooked()", "value_and_grads(Wrong.apply, x, y)", "value_and_grads(Setup.apply, x, y)", "AddOne_.apply(torch.ones(2, requires_grad=True))",
    "Square.apply(torch.ones(2, requires_grad=True), 2)", "value_and_grads(lambda a: Square.apply(a, 3)[0] * 2, x)", "value_and_grads(lambda a: Two.apply(a, y)[0] + Two.apply(a, y)[1], x)", "torch.autograd.grad((x.clone().requires_grad_() ** 2).sum(), [x])", "torch.autograd.grad(torch.ones(2), [x])", "cast_dtypes()",
    "(lambda t: (t.retain_grad(), (t * t).sum().backward(), t.grad)[-1])(x.clone().requires_grad_() * 2)", "(lambda t: (t.sum().backward(), t.sum().backward(), t.grad)[-1])(v.clone().requires_grad_())", "torch.no_grad()(lambda: (x.clone().requires_grad_() * 2).requires_grad)()", "torch.is_grad_enabled()", "(lambda t: t.detach().requires_grad)(x.clone().requires_grad_())",
    "(x.clone().requires_grad_() > 0).requires_grad", "x.clone().requires_grad_().numpy()", "copy.deepcopy(x.clone().requires_grad_() * 2)", "torch.amp.custom_fwd(lambda *a: a, device_type='cpu')", "torch.compiler.is_compiling()", "torch.distributed.is_available() and False", "torch.get_default_dtype()", "str(torch.contiguous_format)", "str(torch.strided)",
    "torch.utils.checkpoint.checkpoint(lambda t: t * 2, x, use_reentrant=False)", "torch.ops.aten.add(x, y)", "x.register_hook(lambda g: g)", "(lambda t: t.grad_fn.next_functions[0][0].name())((x.clone().requires_grad_() * 2).exp())",
]  # fmt: skip

GROUPS = {"composed": COMPOSED, "modules": MODULES, "functions": FUNCTIONS}
