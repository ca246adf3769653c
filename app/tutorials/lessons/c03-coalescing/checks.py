from judge import *

watch("scale_kernel")


def run(n):
    x = randn(n)
    close(program.scale(x, 1.7), lambda x: x * 1.7, x, what=f"{n} elements", terms=1)


@check("Results on and off the blocks")
def results():
    for n in (4096, 1, 100, 257, 1000):
        run(n)


@check("The IR: vectors of four")
def vectors():
    run(4096)
    for op in ("tt.load", "tt.store"):
        widths = ir("scale_kernel", f"list vector of {op} after set_vector_width")
        require(widths and all(one == "4" for one in widths), f"{op} has vector = {', '.join(widths)}, not 4")
