from judge import *

watch("transpose_kernel")


def run(n, m):
    x = randn(n, m)
    equal(program.transpose(x), x.t(), f"{n} × {m}")


@check("Results on and off the squares")
def results():
    for n, m in ((64, 128), (1, 1), (33, 31), (5, 100)):
        run(n, m)


@check("The IR: both accesses in vectors, one conversion")
def conversions():
    run(64, 128)
    for op in ("tt.load", "tt.store"):
        widths = ir("transpose_kernel", f"list vector of {op} after set_vector_width")
        require(widths and all(one == "4" for one in widths), f"{op} has vector = {', '.join(widths)}, not 4")
    count = ir("transpose_kernel", "count ttg.convert_layout after set_vector_width")
    require(count == 1, f"there are {count} ttg.convert_layout, not one")
