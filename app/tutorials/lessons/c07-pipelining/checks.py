from judge import *

watch("matmul_kernel")


def run(m, n, k):
    a, b = randn(m, k, dtype=torch.float16), randn(k, n, dtype=torch.float16)
    close(program.matmul(a, b), lambda a, b: a @ b, a, b, what=f"{m} × {k} times {k} × {n}", terms=k, wanted=torch.float32)


@check("Results on and off the blocks")
def results():
    for m, n, k in ((64, 64, 64), (33, 17, 40), (1, 70, 100)):
        run(m, n, k)


@check("The IR: loads in front of the loop")
def stages():
    run(64, 64, 64)
    count = ir("matmul_kernel", "count tt.load outside loops after insert_barriers")
    require(count >= 2, f"{count} tt.load stand in front of the loop, not two or more")
    chosen = ir("matmul_kernel", "schedule stages")
    require(chosen and all(one[0] in "23456789" for one in chosen), f"the loop has stages = {', '.join(chosen) or 'none'}")
