from judge import *

watch("column_kernel")


def run(n, m):
    x = randn(n, m)
    close(program.column_sums(x), lambda x: x.sum(dim=0), x, what=f"{n} × {m}", terms=n)


@check("Results on and off the tiles")
def results():
    for n, m in ((64, 64), (1, 1), (17, 33), (100, 5)):
        run(n, m)


@check("The IR: a loop that nobody waits in")
def barriers():
    run(64, 64)
    count = ir("column_kernel", "count gpu.barrier inside loops after insert_barriers")
    require(count == 0, f"{count} gpu.barrier stand inside the loop")
    count = ir("column_kernel", "count tt.reduce inside loops after lower")
    require(count == 0, f"{count} tt.reduce stand inside the loop")
    count = ir("column_kernel", "count tt.load inside loops after lower")
    require(count >= 1, "there is no loop that loads any more: the rows need not fit into one tile")
    blocks = {(one.kwargs.get("ROWS"), one.kwargs.get("COLUMNS")) for one in launches()}
    require(blocks == {(16, 32)}, "the tile has to stay 16 × 32")
