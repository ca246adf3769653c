from judge import *

watch("matmul_kernel")


def run(m, n, k):
    a, b = randn(m, k, dtype=torch.float16), randn(k, n, dtype=torch.float16)
    close(program.matmul(a, b), lambda a, b: a @ b, a, b, what=f"{m} × {k} times {k} × {n}", terms=k, wanted=torch.float32)


@check("Results on and off the blocks")
def results():
    for m, n, k in ((64, 64, 64), (33, 17, 40), (1, 70, 100)):
        run(m, n, k)


@check("The IR: 32 × 32 a warp, two by two")
def schedule():
    run(64, 64, 64)
    for field, wanted in (("accumulator tile", "32×32"), ("warp grid", "2×2")):
        chosen = ir("matmul_kernel", f"schedule {field}")
        held = bool(chosen) and all(one.startswith(wanted) for one in chosen)
        require(held, f"the {field} is {', '.join(chosen) or 'not decided'}, not {wanted}")
