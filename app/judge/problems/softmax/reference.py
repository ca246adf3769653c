import torch
from judge import guarded, randn, strided

FUNCTION = "softmax"


def softmax(x):
    return torch.softmax(x, dim=-1)


def options(x):
    """Each whole number of an exponent costs a step, and the sum of a row its roundings."""
    spread = x.to(torch.float32)
    return {"terms": 4, "exponent": (spread - spread.amax(dim=-1, keepdim=True)).abs()}


def cases():
    for rows, columns in ((4, 128), (3, 1), (1, 1000), (17, 33), (2, 2049)):
        x = randn(rows, columns)
        yield f"{rows} rows of {columns}", (x,), options(x)
    x = randn(4, 128)
    yield "the first shape again", (x,), options(x)
    x = guarded(torch.randn(3, 257, device="cuda") * 40.0)
    yield "exponents of a hundred", (x,), options(x)
    rows = int(torch.randint(2, 40, (1,)))
    x = randn(rows, int(torch.randint(2, 700, (1,))))
    yield "another shape in each run", (x,), options(x)
    x = strided(torch.randn(5, 100, device="cuda"))
    yield "rows that lie apart", (x,), options(x)
    x = randn(6, 200, dtype=torch.float16)
    yield "float16", (x,), options(x)


def timing():
    return (randn(256, 1024),)
