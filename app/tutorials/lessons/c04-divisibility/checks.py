from judge import *

watch("slice_kernel")


def run(row, n):
    x = randn(2000)
    equal(program.take(x, row, n), x[row * 12 : row * 12 + n], f"{n} elements from row {row} on")


@check("Results from any row on")
def results():
    for row, n in ((5, 512), (0, 100), (1, 1), (3, 129), (7, 1000)):
        run(row, n)


@check("The IR: the load has vectors of four")
def vectors():
    run(5, 512)
    widths = ir("slice_kernel", "list vector of tt.load after set_vector_width")
    require(widths and all(one == "4" for one in widths), f"tt.load has vector = {', '.join(widths)}, not 4")
