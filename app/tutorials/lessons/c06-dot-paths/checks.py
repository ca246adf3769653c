from judge import *

watch("matmul_kernel")


def run(m, n, k):
    a, b = randn(m, k, dtype=torch.float16), randn(k, n, dtype=torch.float16)
    close(program.matmul(a, b), lambda a, b: a @ b, a, b, what=f"{m} × {k} times {k} × {n}", terms=k, wanted=torch.float32)


@check("Results on and off the blocks")
def results():
    for m, n, k in ((64, 64, 64), (33, 17, 40), (1, 70, 100)):
        run(m, n, k)


@check("The IR: the dot on matrix units")
def path():
    run(64, 64, 64)
    chosen = ir("matmul_kernel", "schedule dot path")
    require(chosen and all(one == "matrices" for one in chosen), f"the dot path is {', '.join(chosen) or 'none'}, not matrices")
