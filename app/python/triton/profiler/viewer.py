"""`triton.profiler.viewer`: reads a profile and prints it as a tree, every figure with what is below it."""

from ._tree import LEFT_OUT, ON_CPU, Node, read

_TIME = {"s": 1e9, "ms": 1e6, "us": 1e3, "ns": 1.0}
_SCALE = {"g": 1e9, "t": 1e12}


def parse(metrics, filename, include=None, exclude=None, threshold=None):
    """@returns the tree, and the names of the metrics that were requested (`time/ms`, `tflop16/s`)."""
    for name in metrics:
        _value(Node(""), name)
    if include is not None or exclude is not None or threshold is not None:
        raise NotImplementedError("Hippocamp's viewer does not filter profiles")
    return read(filename), list(metrics)


def _value(node, metric):
    """A derived metric of a node and all below; None where nothing was measured."""
    what, _, unit = metric.partition("/")
    time = node.inclusive("time (ns)")
    if what in ("time", "avg_time") and unit in _TIME:
        count = node.inclusive("count")
        if not time or not count:
            return None
        return time / _TIME[unit] / (count if what == "avg_time" else 1)
    if what == "count":
        return node.inclusive("count")
    if unit == "s" and what[:1] in _SCALE and (what[1:].startswith("flop") or what[1:] == "byte"):
        name = what[1:].replace("flop", "flops") if what[1:] != "byte" else "bytes"
        amount = node.inclusive(name)
        return amount / _SCALE[what[0]] / (time / 1e9) if amount and time else None
    raise ValueError(f"unknown metric {metric!r}")


def print_tree(tree, metrics, depth=100, format=None, print_sorted=False):
    notes = []
    _print(tree, metrics, "", "", depth, print_sorted, notes, [])
    for note in notes:
        print(f"note: {note}")


def _print(node, metrics, head, tail, depth, ordered, notes, path):
    values = [_value(node, m) for m in metrics]
    figures = " ".join("nan" if v is None else f"{v:.3f}" for v in values)
    print(f"{head}{figures} {node.name}")
    where = "/".join([*path, node.name][1:]) or node.name
    left, count = node.metrics.get(LEFT_OUT, 0), node.inclusive("count")
    if left and count:
        notes.append(f"{where}: {left:,} repetitions left out, measured {count:,}")
    elif left:
        notes.append(f"{where}: not measured, {left:,} repetitions left out")
    if node.metrics.get(ON_CPU):
        notes.append(f"{where}: computed and timed on the CPU")
    children = list(node.children.values())
    if ordered:
        children.sort(key=lambda c: -(_value(c, metrics[0]) or 0))
    if depth <= 0:
        return
    for i, child in enumerate(children):
        last = i + 1 == len(children)
        branch, below = ("└─ ", "   ") if last else ("├─ ", "│  ")
        _print(child, metrics, tail + branch, tail + below, depth - 1, ordered, notes, [*path, node.name])


def show_metrics(file_name):
    found = set()

    def visit(node):
        found.update(node.metrics)
        for child in node.children.values():
            visit(child)

    visit(read(file_name))
    print("Available metrics:")
    for name in sorted(found):
        print(f"- {name}")
