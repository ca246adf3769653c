from judge import *

watch("square_kernel")


def run(n):
    x = randn(n)
    close(program.square(x), lambda x: x * x, x, what=f"{n} elements", terms=1)


@check("Results on and off the blocks")
def results():
    for n in (4096, 1, 1000, 1025):
        run(n)


@check("The IR: 16 elements in each of 64 threads")
def layout():
    run(4096)
    held = ir("square_kernel", "elements of tt.load after propagate_layouts")
    require(held == ["16"], f"a thread holds {', '.join(held)} elements of the loaded tile, not 16")
    count = ir("square_kernel", "threads")
    require(count == 64, f"a program has {count} threads, not 64")
