import torch
from judge import randn, strided

FUNCTION = "linear"


def linear(x, w, b):
    return torch.nn.functional.linear(x, w, b)


def cases():
    for m, n, k in ((32, 32, 32), (1, 1, 1), (33, 17, 65), (5, 130, 7), (64, 16, 300)):
        x, w = randn(m, k), randn(n, k)
        yield f"{m} × {k} by {n} × {k}", (x, w, randn(n)), {"terms": k + 1}
    x, w = randn(32, 32), randn(32, 32)
    yield "the first shape again", (x, w, randn(32)), {"terms": 33}
    m, n, k = (int(one) for one in torch.randint(2, 90, (3,)))
    x, w = randn(m, k), randn(n, k)
    yield "another shape in each run", (x, w, randn(n)), {"terms": k + 1}
    x, w = strided(torch.randn(20, 50, device="cuda")), randn(30, 50)
    yield "rows of x that lie apart", (x, w, randn(30)), {"terms": 51}
    x, w = randn(24, 256, dtype=torch.float16), randn(40, 256, dtype=torch.float16)
    yield "float16", (x, w, randn(40, dtype=torch.float16)), {"terms": 257}


def timing():
    return (randn(128, 256), randn(128, 256), randn(128))
