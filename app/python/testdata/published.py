"""Expressions for torch.test.ts: what a call may name its arguments, `out=` (`_published.py`), matrices that lie
in memory by columns, and modules of networks that other collections of kernels are compared with."""

SETUP = """
def fresh_out(function, *args, shape=(0,), dtype=torch.float32, **kw):
    out = torch.empty(shape, dtype=dtype)
    import warnings
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter('always')
        made = function(*args, out=out, **kw)
    return [out, made is out, len(said)]
def two_into(function, *args, **kw):
    out = torch.empty(0), torch.empty(0, dtype=torch.int64)
    made = function(*args, out=out, **kw)
    return [*out, made[0] is out[0], made.values is out[0]]
skinny = torch.tensor([[4.0, 1, 2], [1, 3, 0], [2, 0, 5], [1, 1, 1]])
gram = skinny.T @ skinny
def lies(made):
    return str([t.stride() for t in (made if isinstance(made, tuple) else (made,))])
def fixed(module):
    with torch.no_grad():
        for i, (name, p) in enumerate(sorted(module.named_parameters())):
            p.copy_(torch.sin(torch.arange(p.numel()) * (0.1 + i * 0.01)).reshape(p.shape) * 0.3)
    return module
def bare(made):
    return [t.detach() for t in made] if isinstance(made, tuple) else made.detach()
tokens = torch.cos(torch.arange(40.0)).reshape(2, 5, 4)
photo = torch.arange(48.0).reshape(1, 3, 4, 4) / 10
theta = torch.tensor([[[0.5, 0.2, 0.1], [-0.3, 0.8, 0.2]]])
small_layer = dict(d_model=4, nhead=2, dim_feedforward=8, dropout=0.0)
def read_at(align, mode, padding):
    return F.grid_sample(photo, 1.5 * F.affine_grid(theta, (1, 3, 5, 6), align), mode, padding, align)
def read_gradients(padding, align=False):
    grid = F.affine_grid(theta.double(), (1, 3, 3, 2), align).requires_grad_()
    image = photo.double().requires_grad_()
    (F.grid_sample(image, grid, padding_mode=padding, align_corners=align) ** 2).sum().backward()
    return [image.grad, grid.grad]
def rates_of(make, steps=6):
    from torch.optim import lr_scheduler
    w = torch.tensor([1.0, -2.0, 3.0], requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1)
    scheduler, found = make(lr_scheduler, optimizer), []
    for _ in range(steps):
        optimizer.zero_grad()
        (w**2).sum().backward()
        optimizer.step()
        scheduler.step()
        found.append(scheduler.get_last_lr()[0])
    return [w.detach(), torch.tensor(found)]
square = torch.tensor([[4.0, 1, 2], [1, 3, 0], [2, 0, 5]])
def zero_leaf(*shape):
    return torch.zeros(*shape, requires_grad=True)
def set_by_hand(make):
    optimizer = torch.optim.SGD([torch.ones(2, requires_grad=True)], lr=1.0)
    from torch.optim import lr_scheduler
    scheduler, found = make(lr_scheduler, optimizer), []
    for n in range(5):
        if n == 2:
            optimizer.param_groups[0]['lr'] = 3.0
        optimizer.step()
        scheduler.step()
        found.append(scheduler.get_last_lr()[0])
    return torch.tensor(found)
def halved(s, o):
    class Halved(s.LRScheduler):
        def get_lr(self):
            return [base * 0.5**self.last_epoch for base in self.base_lrs]
    return Halved(o)
def shuffled(seed=None, epochs=2, **options):
    from torch.utils.data import DataLoader
    torch.manual_seed(3)
    if seed is not None:
        options['generator'] = torch.Generator().manual_seed(seed)
    loader = DataLoader(list(range(20)), batch_size=7, shuffle=True, **options)
    return [torch.cat(list(loader)) for _ in range(epochs)] + [torch.rand(2)]
def read_beyond(padding, mode='bilinear'):
    grid = torch.tensor([[[[0.3, float('nan')], [2.0, 0.1], [-1.5, 0.2]]]])
    return F.grid_sample(photo, grid, mode, padding, align_corners=False)
def loader_of(**options):
    return torch.utils.data.DataLoader([1, 2], **options)
def batches_of(**options):
    from torch.utils.data import DataLoader, TensorDataset
    loader = DataLoader(TensorDataset(torch.arange(10.0).reshape(5, 2), torch.arange(5)), **options)
    return [len(loader)] + [list(batch) for batch in loader]
"""

_INTO = """torch.exp, x | torch.exp, x, shape=(3, 3) | torch.exp, x, shape=(2, 3) | torch.exp, x, dtype=torch.float64
torch.exp, x, dtype=torch.int32 | torch.add, x, y | torch.add, x, v | torch.add, v, x, shape=(3,) | torch.add, x, y, shape=(7,)
torch.sub, x, y, dtype=torch.float16 | torch.mul, i, i, dtype=torch.float32 | torch.div, x, 2 | torch.pow, x, 2
torch.eq, x, y, dtype=torch.bool | torch.gt, x, y, dtype=torch.uint8 | torch.clamp, x, 0, 1 | torch.abs, i, dtype=torch.int64
torch.matmul, x, y.T | torch.matmul, x, v | torch.mm, x, y.T, shape=(2, 2) | torch.bmm, x[None], y.T[None]
torch.addmm, v[:2], x, y.T, beta=0.5 | torch.mv, x, v | torch.dot, v, v | torch.outer, v, v | torch.cat, [x, y]
torch.cat, [x, y], 1, shape=(1, 3) | torch.stack, [x, y] | torch.hstack, [x, y] | torch.vstack, [v, v] | torch.sum, x, 1
torch.mean, x, 0, keepdim=True | torch.amax, x, 1 | torch.argmax, x, 1, dtype=torch.int64 | torch.std, x, 1 | torch.var, x, 0
torch.norm, x, 2, 1 | torch.prod, x, 1 | torch.any, b, 1, dtype=torch.bool | torch.logsumexp, x, 1 | torch.cumsum, x, 1
torch.softmax, x, 1 | torch.log_softmax, x, 1 | torch.tril, x | torch.diag, v | torch.gather, x, 1, i.abs() % 3
torch.index_select, x, 1, torch.tensor([2, 0]) | torch.masked_select, x, b | torch.nonzero, b, dtype=torch.int64
torch.where, b, x, y | torch.signbit, x, dtype=torch.bool | torch.lerp, x, y, 0.5 | torch.linalg.norm, x
torch.linalg.vector_norm, x, 2, 1 | torch.linalg.inv, x[:, :2] | torch.linalg.solve, x[:, :2], y[:, :2]
torch.linalg.det, x[:, :2] | torch.special.expm1, x | torch.special.entr, y | F.gelu, x | F.linear, x, y | F.normalize, x
torch.zeros, 2, 3 | torch.ones, 4, dtype=torch.int32 | torch.full, (2,), 3.5 | torch.arange, 5, dtype=torch.int64
torch.linspace, 0, 1, 5 | torch.eye, 3 | torch.exp, x.clone().requires_grad_() | torch.cat, [x.clone().requires_grad_()]"""

GROUPS = {
    "out of another shape": [
        f"fresh_out({case.strip()})" for line in _INTO.splitlines() for case in line.split(" | ")
    ]
    + [
        f"two_into({case})"
        for case in (
            "torch.topk, x, 2", "torch.sort, x", "torch.max, x, 1", "torch.min, x, 0", "torch.median, x, 1",
            "torch.kthvalue, x, 2", "torch.mode, x, 1", "torch.cummax, x, 1",
        )
    ]
    + ["torch.topk(x, 2, out=torch.empty(0))"],
    "out that shares memory, or of another dtype": [
        f"torch.{case}"
        for case in (
            "add(square, square.T, out=square)", "exp(square, out=square.T)", "exp(square[:2], out=square[1:])",
            "add(square.clone(), 1, out=square[:1].expand(3, 3))", "softmax(x, 1, out=torch.zeros(3).expand(2, 3))",
            "cat([square[:1], square[1:]], out=square)", "gather(square, 0, torch.zeros(1, 3, dtype=torch.int64), out=square)",
            "index_select(square, 0, torch.tensor([2, 1, 0]), out=square)", "where(square > 2, square, square.T, out=square)",
            "lerp(square, square.T, 0.5, out=square)", "addcmul(square.T, square, square, out=square)",
            "exp(x, out=zero_leaf(2, 3))", "add(x, y, out=zero_leaf(2, 3))", "cat([x[:1], x[1:]], out=zero_leaf(2, 3))", "sum(x, 1, out=zero_leaf(2))",
            "cat(tensors=[x, zero_leaf(2, 3)], out=torch.empty(4, 3))", "lerp(x, end=y, weight=zero_leaf(2, 3), out=torch.empty(2, 3))",
            "exp(x, out=3)", "sqrt(i, out=torch.empty(2, 3, dtype=torch.int32))", "exp(i, out=torch.empty(2, 3, dtype=torch.int32))",
            "sum(x, 1, out=torch.empty(2, dtype=torch.int32))", "cumsum(x, 1, out=torch.empty(2, 3, dtype=torch.int32))",
            "sum(x / 3, 1, out=torch.empty(2, dtype=torch.float64))", "cumsum(x / 3, 1, out=torch.empty(2, 3, dtype=torch.float64))",
            "amax(x, 1, out=torch.empty(2, dtype=torch.float64))", "argmax(x, 1, out=torch.empty(2, dtype=torch.int32))",
            "max(x, 0, out=(torch.empty(3), torch.empty(3, dtype=torch.int32)))", "any(b, 1, out=torch.empty(2))",
            "any(b, 1, out=torch.empty(2, dtype=torch.uint8))", "norm(x, 2, 1, out=torch.empty(0, dtype=torch.float64))",
            "softmax(x, 1, out=torch.empty(2, 3, dtype=torch.float16))", "mm(x, y.T, out=torch.empty(2, 2, dtype=torch.float16))",
            "matmul(x, y.T, out=torch.empty(2, 2, dtype=torch.float64))", "dot(v, v, out=torch.empty((), dtype=torch.float64))",
            "cat([x, y], out=torch.empty(4, 3, dtype=torch.int32))", "stack([x, y], out=torch.empty(2, 2, 3, dtype=torch.int64))",
            "index_select(x, 1, torch.tensor([0]), out=torch.empty(2, 1, dtype=torch.float64))",
            "masked_select(x, b, out=torch.empty(0, dtype=torch.float64))", "nonzero(b, out=torch.empty(0))",
            "where(b, x, y, out=torch.empty(2, 3, dtype=torch.float64))", "tril(x, out=torch.empty(2, 3, dtype=torch.float64))",
            "clamp(x, 0, 1, out=torch.empty(2, 3, dtype=torch.float64))", "signbit(x, out=torch.empty(2, 3))",
            "linalg.inv(square, out=torch.empty(3, 3, dtype=torch.float64))", "add(square, 1, out=square)",
            "maximum(square.T, square.T, out=square.T)", "softmax(square, 1, out=square)",
        )
    ],
    "orders of a loader, rates set by hand": [
        "shuffled()", "shuffled(5)", "shuffled(drop_last=True)", "loader_of(shuffle=True, sampler=[0])", "loader_of(batch_size=0)",
        "loader_of(batch_size=2, batch_sampler=[[0]])", "loader_of(batch_size=None, drop_last=True)",
        "(torch.manual_seed(1), list(torch.utils.data.RandomSampler(range(5))))[1]",
        "(torch.manual_seed(1), list(torch.utils.data.RandomSampler(range(5), replacement=True, num_samples=7)))[1]",
        "(torch.manual_seed(1), list(torch.utils.data.SubsetRandomSampler([3, 5, 7])))[1]",
        "list(torch.utils.data.BatchSampler(torch.utils.data.SequentialSampler(range(5)), 2, False))",
        "torch.utils.data.default_collate([[1, 2], [3]])", "torch.utils.data.default_collate([None])",
        "set_by_hand(lambda s, o: s.StepLR(o, 2))", "set_by_hand(lambda s, o: s.ExponentialLR(o, 0.5))",
        "set_by_hand(lambda s, o: s.CosineAnnealingLR(o, 8, 0.2))", "set_by_hand(lambda s, o: s.LinearLR(o, 0.25, total_iters=4))",
        "set_by_hand(lambda s, o: s.LambdaLR(o, lambda n: n + 1))", "set_by_hand(halved)",
        "read_beyond('zeros', 'nearest')", "read_beyond('zeros')", "read_beyond('border')", "read_beyond('reflection')",
        "F.grid_sample(torch.full((1, 1, 2, 2), float('inf')), torch.tensor([[[[1.1, 0.0], [0.0, 0.0]]]]), align_corners=False)",
    ],
    "names of arguments": [
        "torch.flip(x, dims=(0,))", "x.flip(dims=[0, 1])", "torch.permute(x, dims=(1, 0))", "x.permute(dims=(1, 0))",
        "torch.tile(x, dims=(2, 1))", "torch.reshape(x, shape=(3, 2))", "torch.reshape(input=x, shape=(-1,))",
        "x.reshape(shape=(6,))", "x.view(size=(6,))", "v.expand(size=(2, 3))", "torch.broadcast_to(v, size=(2, 3))",
        "v.repeat(repeats=(2, 2))", "torch.transpose(input=x, dim0=0, dim1=1)", "torch.flatten(input=a, start_dim=1)",
        "torch.squeeze(input=a[:1])", "torch.unsqueeze(input=v, dim=0)", "torch.swapaxes(x, axis0=0, axis1=1)",
        "x.swapaxes(axis0=0, axis1=1)", "torch.movedim(input=a, source=0, destination=2)", "torch.clone(input=x)",
        "torch.diagonal(input=x, offset=1)", "torch.ravel(input=x)", "torch.sum(x, axis=1, keepdims=True)",
        "torch.exp(x=x)", "torch.add(x1=x, x2=y)", "x.split_with_sizes(split_sizes=[1, 2], dim=1)",
        "torch.hsplit(x, sections=3)", "torch.vsplit(x, indices=(1,))", "torch.diag_embed(x, dim1=0, dim2=2)",
        "torch.diag_embed(x, offset=1, dim1=2, dim2=0)", "torch.diag_embed(x, dim1=1, dim2=1)",
        "torch.cdist(x, y, compute_mode='donot_use_mm_for_euclid_dist')",
        "torch.searchsorted(v, x, sorter=torch.argsort(v))", "torch.linspace(0, 1, 3, layout=torch.strided)",
        "torch.eye(2, layout=torch.strided, pin_memory=False)", "torch.logspace(0, 2, 3, layout=torch.strided)",
    ],
    "matrices by columns": [
        f"lies(torch.linalg.{case})"
        for case in (
            "qr(skinny)", "qr(skinny, 'complete')", "qr(skinny.T)", "qr(skinny[None])", "svd(skinny)", "svd(skinny, False)", "svd(skinny.T)",
            "eigh(gram)", "eigh(gram[None])", "cholesky(gram)", "cholesky(gram, upper=True)", "inv(gram)",
            "inv(gram[None])", "solve(gram, skinny.T)", "solve(gram, skinny[0])", "solve(gram, skinny, left=False)",
            "solve_triangular(gram.tril(), skinny.T, upper=False)", "pinv(skinny)", "solve(gram.expand(2, 3, 3), skinny.T)",
        )
    ],
    "modules that few programs have": [
        f"read_at({align}, {mode!r}, {padding!r})"
        for align in (True, False) for mode in ("bilinear", "nearest") for padding in ("zeros", "border", "reflection")
    ]
    + [f"read_gradients({padding!r})" for padding in ("zeros", "border", "reflection")]
    + [
        f"bare(fixed(nn.{cell}Cell(4, 5))({case}))"
        for cell in ("LSTM", "GRU", "RNN") for case in ("photo[0, 0]", "photo[0, 0, 0]")
    ]
    + [
        f"bare(fixed(nn.TransformerEncoderLayer(**small_layer, batch_first={a}, norm_first={b}))(tokens))"
        for a in (True, False) for b in (True, False)
    ]
    + [
        f"bare(fixed(nn.TransformerDecoderLayer(**small_layer, batch_first={a}, norm_first={b}, activation='gelu'))(tokens, 2 * tokens))"
        for a in (True, False) for b in (True, False)
    ]
    + [
        "bare(fixed(nn.TransformerEncoder(nn.TransformerEncoderLayer(**small_layer, batch_first=True), 2))(tokens))",
        "bare(fixed(nn.TransformerDecoder(nn.TransformerDecoderLayer(**small_layer, batch_first=True), 2, nn.LayerNorm(4)))(tokens, tokens, tgt_mask=torch.ones(5, 5).tril() == 0))",
        "nn.ReflectionPad2d(1)(photo)", "nn.ReplicationPad2d((1, 2, 0, 1))(photo)", "nn.ConstantPad2d(1, 2.5)(photo)",
        "nn.ZeroPad2d(2)(photo)", "nn.CircularPad2d(1)(photo)", "nn.ConstantPad1d((0, 2), 1.5)(x)", "nn.ZeroPad1d(1)(x)",
        "str(nn.ReflectionPad2d(1)), str(nn.ConstantPad3d(1, 0.5))", "nn.PixelUnshuffle(2)(photo)", "nn.Softmax2d()(photo)",
        "F.local_response_norm(photo, 2)", "nn.LocalResponseNorm(3, alpha=0.1)(photo)",
        "nn.UpsamplingBilinear2d(scale_factor=2)(photo)", "nn.UpsamplingNearest2d(size=(2, 8))(photo)",
        "torch.max_pool2d(photo, 2)", "torch.avg_pool1d(x[None], 2)", "F.dropout2d(photo, 0.5, False)",
        "F.dropout2d(torch.ones(4, 64, 2, 2)).sum((2, 3)).unique()", "nn.Dropout1d(0.5)(torch.ones(64, 3)).sum(1).unique()",
        "nn.Dropout3d(0.5)(torch.ones(64, 2, 2, 2)).sum((1, 2, 3)).unique()",
        "torch.masked_scatter(torch.zeros(2, 3), b[0], torch.arange(6.0))", "torch.row_stack([v, v])", "torch.adjoint(x)",
        "torch.functional.norm(x)", "__import__('torch.nn.utils.rnn').nn.utils.rnn.pad_sequence([v, v[:2]], True, -1.0)",
        "__import__('torch.nn.utils.rnn').nn.utils.rnn.pad_sequence([v, v[:2]])", "batches_of(batch_size=2)",
        "batches_of(batch_size=2, drop_last=True)", "batches_of(batch_size=None)", "rates_of(lambda s, o: s.StepLR(o, 2, 0.5))",
        "rates_of(lambda s, o: s.CosineAnnealingLR(o, 4, 0.01))", "rates_of(lambda s, o: s.LambdaLR(o, lambda n: 1 / (n + 1)))",
        "rates_of(lambda s, o: s.MultiStepLR(o, [2, 4], 0.5))", "rates_of(lambda s, o: s.ExponentialLR(o, 0.9))",
        "rates_of(lambda s, o: s.LinearLR(o, 0.5, total_iters=4))", "rates_of(lambda s, o: s.ConstantLR(o, 0.5, 3))",
        "train(lambda p: torch.optim.RMSprop(p))",
        "train(lambda p: torch.optim.RMSprop(p, lr=0.001, momentum=0.9, centered=True, weight_decay=0.1))",
        "train(lambda p: torch.optim.Adagrad(p, lr_decay=0.1, weight_decay=0.1))", "torch.optim.SGD([v], lr=0.5).defaults['lr']",
    ],
}  # fmt: skip
