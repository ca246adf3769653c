import torch
from judge import guarded, randn, strided

FUNCTION = "softmax"


def softmax(x):
    return torch.softmax(x, dim=-1)


def cases():
    for rows, columns in ((4, 128), (3, 1), (1, 1000), (17, 33), (2, 2049)):
        x = randn(rows, columns)
        yield f"{rows} rows of {columns}", (x,), {"terms": x.shape[1]}
    x = randn(4, 128)
    yield "the first shape again", (x,), {"terms": x.shape[1]}
    x = guarded(torch.randn(3, 257, device="cuda") * 40.0)
    yield "exponents of a hundred", (x,), {"terms": x.shape[1]}
    rows = int(torch.randint(2, 40, (1,)))
    x = randn(rows, int(torch.randint(2, 700, (1,))))
    yield "another shape in each run", (x,), {"terms": x.shape[1]}
    x = strided(torch.randn(5, 100, device="cuda"))
    yield "rows that lie apart", (x,), {"terms": x.shape[1]}
    x = randn(6, 200, dtype=torch.float16)
    yield "float16", (x,), {"terms": x.shape[1]}


def timing():
    return (randn(256, 1024),)
