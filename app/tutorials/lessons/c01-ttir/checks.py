from judge import *

watch("two_kernel")


def run(n):
    x = randn(n)
    double, triple = program.two(x)
    equal(double, x + x, f"{n} doubled")
    close(triple, lambda x: x + x + x, x, what=f"{n} tripled", terms=1)


@check("Results on and off the blocks")
def results():
    for n in (512, 1, 100, 129):
        run(n)


@check("The IR: one load, two stores")
def loads():
    run(512)
    count = ir("two_kernel", "count tt.load after lower")
    require(count == 1, f"TTIR has {count} tt.load, not one")
    count = ir("two_kernel", "count tt.store after lower")
    require(count == 2, f"TTIR has {count} tt.store, not two")
