from judge import *

watch("norm_kernel")


def run(rows, n):
    x = randn(rows, n)
    close(program.norms(x), lambda x: x.norm(dim=1), x, what=f"{rows} rows of {n}", terms=n)


@check("Results for short and long rows")
def results():
    for rows, n in ((2, 1000), (3, 1), (1, 1025), (2, 5000)):
        run(rows, n)


@check("The IR: registers for a row of any length")
def registers():
    run(1, 32768)
    held = ir("norm_kernel", "elements of tt.load after propagate_layouts")
    require(held and all(int(one) <= 16 for one in held), f"a thread holds {', '.join(held)} elements of a tile, not 16 at most")
    count = ir("norm_kernel", "registers")
    require(count <= 48, f"a thread needs {count} registers, not 48 at most")
