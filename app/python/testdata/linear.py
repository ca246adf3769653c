"""Cases of `torch.linalg`'s systems and factorizations, and of `flex_attention`: single matrices and batches,
strided ones, gradients, and the errors of what cannot be solved. PyTorch lays results out by columns where
LAPACK does; that is not compared.
"""

SETUP = """
from torch.nn.attention.flex_attention import and_masks, create_block_mask, create_mask, flex_attention, or_masks
m3 = torch.tensor([[4.0, -2.0, 1.0], [3.0, 6.0, -4.0], [2.0, 1.0, 8.0]])
spd = m3 @ m3.T + torch.eye(3)
batch = torch.stack([m3, m3.T * 0.5, spd, torch.eye(3)]).reshape(2, 2, 3, 3)
tall = torch.tensor([[1.0, 2.0], [3.0, -4.0], [5.0, 6.0], [-7.0, 0.5]])
flat = torch.tensor([[1.0, 2.0], [2.0, 4.0]])
L = torch.linalg
def rows(made):
    return [t.contiguous() for t in made] if isinstance(made, tuple) else made.contiguous()
def by(function, *inputs):
    inputs = [t.clone().requires_grad_() for t in inputs]
    out = function(*inputs)
    (out * (torch.arange(out.numel()).reshape(out.shape) + 0.5)).sum().backward()
    return [t.grad.contiguous() for t in inputs]
def rebuilt(made, wide=False):
    u, s, vh = made
    k = s.shape[-1]
    return [s, (u[..., :k] * s[..., None, :]) @ vh[..., :k, :], u.mT @ u, vh @ vh.mT]
def head(n, s):
    return torch.arange(2 * 2 * n * 4, dtype=torch.float32).reshape(2, 2, n, 4).mul(s).sin()
q8, k8, v8 = head(8, 0.3), head(8, 0.7), head(8, 1.1)
causal = lambda b, h, i, j: i >= j
near = lambda b, h, i, j: i - j < 3
slopes = torch.tensor([0.5, 0.25])
"""

_SOLVED = ("m3, m3.T", "m3, v", "batch, torch.ones(3, 2)", "batch, batch[0]", "spd.double(), m3.double()", "m3.T, tall[:3]")

GROUPS = {
    "linear": [
        *[f"rows(L.solve({a}))" for a in _SOLVED], "rows(L.solve(m3, m3.T, left=False))", "rows(L.inv(m3))", "rows(L.inv(batch))", "rows(m3.inverse())", "rows(torch.inverse(spd.T))",
        "rows(L.solve_triangular(m3.triu(), m3, upper=True))", "rows(L.solve_triangular(m3, tall[:3], upper=False))", "rows(L.solve_triangular(m3, m3, upper=False, unitriangular=True))",
        "rows(L.solve_triangular(m3.triu(), m3, upper=True, left=False))", "rows(L.solve_triangular(batch.tril(), batch[0], upper=False))",
        "L.det(m3)", "L.det(batch)", "torch.det(flat)", "list(L.slogdet(-m3))", "list(L.slogdet(batch))", "list(torch.slogdet(flat.double() * 0))", "torch.logdet(spd)", "m3.det()",
        "rows(L.cholesky(spd))", "rows(L.cholesky(spd, upper=True))", "rows(L.cholesky(torch.stack([spd, spd * 2])))", "rows(torch.cholesky_solve(m3, L.cholesky(spd)))",
        "rows(L.qr(m3))", "rows(L.qr(tall))", "rows(L.qr(tall.T))", "rows(L.qr(tall, 'complete'))", "rows(L.qr(batch))", "rows(L.qr(torch.eye(2)))",
        "L.eigvalsh(spd)", "(lambda e: (e[1] * e[0][..., None, :]) @ e[1].mT)(L.eigh(batch + batch.mT))", "L.eigh(spd)[1].abs().contiguous()",
        "rebuilt(L.svd(m3))", "rebuilt(L.svd(tall, full_matrices=False))", "rebuilt(L.svd(tall))", "rebuilt(L.svd(tall.T, full_matrices=False))", "L.svdvals(batch)", "[t.shape for t in L.svd(tall)]",
        "L.matrix_norm(m3, 2)", "L.matrix_norm(m3, 'nuc')", "L.norm(batch, 2, (-2, -1))", "L.matrix_rank(flat)", "L.matrix_rank(batch)", "rows(L.pinv(tall))", "rows(L.pinv(flat))", "L.lstsq(tall, torch.ones(4, 1)).solution.flatten()",
        "by(L.solve, m3, tall[:3])", "by(L.solve, batch, m3)", "by(L.solve, m3, v)", "by(L.inv, batch)", "by(L.det, batch.double())", "by(L.cholesky, spd)", "by(lambda a: L.slogdet(a)[1], batch)",
        "by(lambda a, b: L.solve_triangular(a, b, upper=True), m3, tall[:3])", "by(lambda a, b: L.solve_triangular(a, b, upper=False, unitriangular=True), m3, m3)",
        "L.inv(flat)", "L.solve(flat, flat)", "L.cholesky(-spd)", "L.inv(tall)", "L.det(tall)", "L.inv(torch.stack([m3[:2, :2], flat]))", "L.cholesky(torch.stack([spd, m3 * 0]))", "L.solve(m3, torch.ones(2, 2))",
    ],
    "flex attention": [
        "flex_attention(q8, k8, v8)", "flex_attention(q8, k8, v8, block_mask=create_block_mask(causal, None, None, 8, 8, device='cpu'))",
        "flex_attention(q8, k8, v8, score_mod=lambda s, b, h, i, j: s + slopes[h] * (j - i), scale=0.3)", "list(flex_attention(q8, k8, v8, return_lse=True))",
        "flex_attention(q8, k8[:, :1], v8[:, :1], enable_gqa=True)", "flex_attention(q8.half(), k8.half(), v8.half())",
        "create_block_mask(and_masks(causal, near), 1, 1, 256, 256, device='cpu').to_dense()", "create_mask(or_masks(causal, near), 1, 2, 8, 8, device='cpu')[0].contiguous()", "create_block_mask(causal, None, None, 512, 512, device='cpu').sparsity()",
    ],
}  # fmt: skip
