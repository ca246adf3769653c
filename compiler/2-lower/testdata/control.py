"""Writes control.json: random functions of branches, loops and early returns, with what Python itself makes
of them.  python control.py [how many]"""

import json
import random
import sys
from pathlib import Path

NAMES = ["a", "b", "c", "x", "y"]
INPUTS = [(0, 0), (5, 300), (700, 3), (100, 100), (3, 2)]


def name():
    return random.choice(NAMES)


def target():
    return random.choice(NAMES[:3])


def expression(depth=0):
    kind = random.random()
    if depth > 2 or kind < 0.35:
        return name()
    if kind < 0.5:
        return str(random.randint(0, 9))
    if kind < 0.6:
        return f"({name()} if {condition(depth + 1)} else {name()})"
    return f"(({expression(depth + 1)} {random.choice('+-*')} {name()}) & 1023)"


def condition(depth=0):
    right = random.choice([name(), str(random.randint(0, 200))])
    text = f"{name()} {random.choice(['<', '>', '==', '!=', '<=', '>='])} {right}"
    if random.random() < 0.2:
        text = f"({text}) {random.choice(['and', 'or'])} ({name()} > {random.randint(0, 300)})"
    return text


def block(indent, depth, in_loop):
    """Lines of one block; returns stand outside of loops only."""
    pad, inner = "    " * indent, "    " * (indent + 1)
    out = []
    for _ in range(random.randint(1, 3)):
        kind = random.random()
        if kind < 0.45 or depth > 3:
            out.append(f"{pad}{target()} = {expression()} + 0")
        elif kind < 0.75:
            out += [f"{pad}if {condition()}:", *block(indent + 1, depth + 1, in_loop)]
            if not in_loop and random.random() < 0.4:
                out.append(f"{inner}return {name()}")
            if random.random() < 0.3:
                out += [f"{pad}elif {condition()}:", *block(indent + 1, depth + 1, in_loop)]
            if random.random() < 0.5:
                out += [f"{pad}else:", *block(indent + 1, depth + 1, in_loop)]
                if not in_loop and random.random() < 0.3:
                    out.append(f"{inner}return {name()} + 1")
        elif kind < 0.9 and depth < 3:
            bounds = random.choice(["3", "c & 3", "0, 8, 3", "4, 0, -1", "a & 7"])
            out += [f"{pad}for i{depth} in range({bounds}):", *block(indent + 1, depth + 1, True)]
            out.append(f"{inner}{target()} = (a + i{depth}) & 1023")
        else:
            out += [f"{pad}w{depth} = x & 3", f"{pad}while w{depth} > 0:"]
            out += block(indent + 1, depth + 1, True)
            out.append(f"{inner}w{depth} = w{depth} - 1")
    return out


def program():
    lines = ["def f(x, y):", "    a = x + 1", "    b = y + 2", "    c = (x + y) & 511"]
    lines += [*block(1, 0, False), "    return (a + b * 3 + c * 5) & 65535"]
    scope = {}
    exec("\n".join(lines), scope)
    return {"code": lines, "results": [scope["f"](*pair) for pair in INPUTS]}


if __name__ == "__main__":
    random.seed(11)
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 80
    data = {"inputs": INPUTS, "programs": [program() for _ in range(count)]}
    (Path(__file__).parent / "control.json").write_text(json.dumps(data, indent=0) + "\n")
