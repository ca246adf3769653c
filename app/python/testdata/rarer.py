"""Cases of what programs use seldom: Bessel functions, products and sums of complex tensors, and the
initializations of `torch.nn.init`, deprecated names too."""

SETUP = """
def filled(name, shape, *args, **kwargs):
    import warnings
    torch.manual_seed(3)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        t = getattr(torch.nn.init, name)(torch.empty(*shape), *args, **kwargs)
    return [t, str([str(w.message) for w in said])]
"""
_SMALL = "torch.tensor([0.0, 0.25, 1.0, 2.0, 3.5, 4.75])"
_ANY = "torch.tensor([-4.5, -1.0, -0.0, 0.5, 2.25, 4.0])"
_LARGE = "torch.tensor([28.0, 31.5, 60.0, 80.0])"
_NAMES = ("bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1", "modified_bessel_i0", "modified_bessel_i1")
_NAMES += ("modified_bessel_k0", "modified_bessel_k1", "scaled_modified_bessel_k0", "scaled_modified_bessel_k1")
_NAMES += ("spherical_bessel_j0", "i0", "i0e", "i1", "i1e")
_SCALED = ("i0e", "i1e", "scaled_modified_bessel_k0", "scaled_modified_bessel_k1")

GROUPS = {
    "bessel": [
        *[f"torch.special.{f}({_SMALL})" for f in _NAMES],
        *[f"torch.special.{f}({_ANY})" for f in _NAMES if "_y" not in f and "_k" not in f],
        *[f"torch.special.{f}({_SMALL}.double())" for f in _NAMES if "bessel_j" not in f and "bessel_y" not in f],
        *[f"torch.special.{f}({_LARGE})" for f in _SCALED],
        "torch.special.bessel_y0(torch.tensor([-1.0, 0.0]))", "torch.special.modified_bessel_k1(torch.tensor([-1.0, 0.0, 200.0]))", "torch.i0(torch.tensor([1, 2, 3]))", "x.i0()", "inplace(x, lambda t: t.i0_())", "torch.special.i0(torch.tensor([inf, nan]))",
        *[f"value_and_grads(torch.special.{f}, torch.tensor([-2.0, 0.0, 0.75, 3.0]))" for f in ("i0", "i1", "i0e", "i1e")],
    ],
    "complex products": [
        "z @ o.T", "torch.mm(z, o.T)", "torch.matmul(z, o[0])", "torch.dot(z[0], o[1])", "torch.vdot(z[0], o[1])", "z[0] @ o.T", "torch.bmm(torch.stack([z, o]), torch.stack([o.T, z.T]))", "torch.einsum('ij,kj->ik', z, o)", "torch.einsum('ij,kj', z, o)", "z @ o.mH", "torch.addmm(torch.eye(2, dtype=torch.complex64), z, o.T, beta=2, alpha=1j)",
        "torch.randn(3, 40, dtype=torch.complex128) @ torch.randn(40, 2, dtype=torch.complex128)", "torch.stack([z, o]) @ o.T", "torch.zeros(2, 0, dtype=torch.complex64) @ torch.zeros(0, 3, dtype=torch.complex64)", *[f"x.to(torch.{t}) @ y.T" for t in ("complex64", "complex128", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8")], "z @ x.T", "z @ o", "torch.inner(z, o)", "torch.kron(z, o)", "torch.linalg.matrix_power(z.to(torch.complex128) @ o.to(torch.complex128).mH, 3)", "torch.linalg.vecdot(z, o)", "nn.functional.linear(z, o)",
        "cgrads(lambda p, q: p @ q, (2, 3), (3, 4))", "cgrads(lambda p, q: (p @ q.mH).abs(), (2, 3), (2, 3))", "cgrads(lambda p, q: p @ q, (3,), (3,))", "cgrads(lambda p, q: torch.einsum('bij,bjk->bik', p, q), (2, 2, 3), (2, 3, 2))",
        "z.cumsum(0)", "torch.cumsum(o, -1)", "z.cumsum(1, dtype=torch.complex128)", "cgrads(lambda p: p.cumsum(0), (4,))",
    ],
    "initializations": [
        *[f"filled('{f}', (3, 4))" for f in ("uniform_", "normal_", "uniform", "normal", "eye_", "eye", "xavier_uniform", "xavier_normal", "kaiming_uniform", "kaiming_normal", "orthogonal_", "orthogonal")],
        "filled('constant', (2, 2), 3.5)", "filled('uniform', (3, 2), -1, 2)", "filled('normal', (3, 2), mean=1.0, std=0.1)", "filled('orthogonal_', (5, 3), 2.0)", "filled('orthogonal_', (4, 2, 3))", "filled('orthogonal_', (20, 20))", "filled('orthogonal_', (3,))",
        "filled('dirac_', (3, 2, 3))", "filled('dirac', (4, 2, 3, 3), 2)", "filled('dirac_', (2, 2))", "filled('dirac_', (3, 2, 3), 2)", "filled('sparse_', (6, 3), 0.4)", "filled('sparse', (5, 2), sparsity=0.5, std=1.0)", "filled('sparse_', (3,), 0.1)", "filled('eye', (2, 2, 2))",
    ],
}  # fmt: skip
