"""Writes the tables that the tests compare with, as Triton 3.8 itself answers them. Needs triton 3.8, and
no GPU:  python generate.py

promotion.json     binary operations: result dtype for every pair of operand dtypes
expressions.json   single expressions: printed type and signedness, or null where Triton rejects them
values.json        results of the kernels of values.py, by Triton's interpreter (needs torch)
"""

import importlib.util
import json
import os
import re
import sys
import tempfile
from pathlib import Path

if "values" in sys.argv[1:]:
    os.environ["TRITON_INTERPRET"] = "1"  # read when triton is imported: a run of its own

import triton
from triton._C.libtriton import ir
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.compiler.compiler import make_backend

HERE = Path(__file__).parent
BACKEND = make_backend(GPUTarget("cuda", 80, 32))


def ttir(kernel, signature, constants):
    source = ASTSource(fn=kernel, signature=signature, constexprs=constants)
    options = BACKEND.parse_options({"sanitize_overflow": False})
    context = ir.context()
    ir.load_dialects(context)
    BACKEND.load_dialects(context)
    module = source.make_ir(
        BACKEND.target if hasattr(BACKEND, "target") else GPUTarget("cuda", 80, 32),
        options,
        BACKEND.get_codegen_implementation(options),
        BACKEND.get_module_map(),
        context,
    )
    return str(module)


def load(text):
    """Imports Python text: @triton.jit reads its source from a file."""
    with tempfile.NamedTemporaryFile("w", suffix=".py", delete=False) as file:
        file.write(text)
    spec = importlib.util.spec_from_file_location(Path(file.name).stem, file.name)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


HEADER = "import triton\nimport triton.language as tl\n\n"


def printed(text):
    """The types and signedness of what the kernel prints."""
    line = next(line for line in text.splitlines() if "tt.print" in line)
    signed = [int(s) for s in re.findall(r"-?\d+", re.search(r"isSigned = array<i32: (.*?)>", line)[1])]
    types = line.rsplit(" : ", 1)[1].split(" loc(")[0]
    return [f"{t.strip()} {'signed' if s else 'unsigned'}" for t, s in zip(types.split(", "), signed)]


def answer(kernel, signature, constants=None):
    try:
        return printed(ttir(kernel, signature, constants or {}))
    except Exception as error:  # whatever the front end raises is "rejected"
        if not type(error).__module__.startswith("triton") and "Error" not in type(error).__name__:
            raise
        return None


DTYPES = ["i1", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "fp16", "bf16", "fp32"]
OPERATORS = {
    "+": "x + y",
    "-": "x - y",
    "*": "x * y",
    "/": "x / y",
    "//": "x // y",
    "%": "x % y",
    "&": "x & y",
    "<<": "x << y",
    ">>": "x >> y",
    "<": "x < y",
    "==": "x == y",
    "maximum": "tl.maximum(x, y)",
    "where": "tl.where(c, x, y)",
}


def promotion():
    text = HEADER
    for i, expression in enumerate(OPERATORS.values()):
        text += f"""
@triton.jit
def kernel{i}(X, Y, C):
    r = tl.arange(0, 16)
    x = tl.load(X + r)
    y = tl.load(Y + r)
    c = tl.load(C + r)
    tl.device_print("r", {expression})
"""
    module = load(text)
    table = {}
    for i, name in enumerate(OPERATORS):
        kernel = getattr(module, f"kernel{i}")
        table[name] = {}
        for x in DTYPES:
            row = {}
            for y in DTYPES:
                found = answer(kernel, {"X": f"*{x}", "Y": f"*{y}", "C": "*i1"})
                row[y] = found and re.sub(r"tensor<16x(.*)>", r"\1", found[0])
            table[name][x] = row
    return {"expressions": OPERATORS, "table": table}


# The environment of the expressions: tiles of 16, scalars, pointers and constants.
SIGNATURE = {
    "H": "*fp16", "B": "*bf16", "F": "*fp32", "I8": "*i8", "I16": "*i16", "I32": "*i32", "I64": "*i64",
    "U8": "*u8", "U32": "*u32", "U64": "*u64", "C": "*i1", "fs": "fp32", "n": "i32", "l": "i64", "un": "u32",
    "ok": "i1", "K": "constexpr",
}
CONSTANTS = {"K": 4}
PROLOGUE = """
    r = tl.arange(0, 16)
    h = tl.load(H + r)
    b = tl.load(B + r)
    f = tl.load(F + r)
    i8 = tl.load(I8 + r)
    i16 = tl.load(I16 + r)
    i32 = tl.load(I32 + r)
    i64 = tl.load(I64 + r)
    u8 = tl.load(U8 + r)
    u32 = tl.load(U32 + r)
    u64 = tl.load(U64 + r)
    c = tl.load(C + r)
    m = tl.load(F + r[:, None] * 16 + r[None, :])
    mh = tl.load(H + r[:, None] * 16 + r[None, :])
    mb = tl.load(B + r[:, None] * 16 + r[None, :])
    mi = tl.load(I8 + r[:, None] * 16 + r[None, :])
"""
HELPERS = """
@triton.jit
def scaled(x, factor):
    return x * factor

@triton.jit
def pair(x, y):
    return x + 1, y

@triton.jit
def choose(x, flag):
    if flag:
        return x
    else:
        return x + 1

@triton.jit
def pick(x, flag):
    if flag:
        return 1
    return 2

@triton.jit
def default(x, y=2.0, z: tl.constexpr = 3):
    return x * y + z

@triton.jit
def first(*args):
    return args[0]

@triton.jit
def add2(a, b):
    return a + b

@triton.jit
def welford(m1, w1, m2, w2):
    return m1 + m2, w1 * w2
"""


def statements(path):
    """Cases are separated by blank lines; the last line of each is what is printed."""
    cases = [case.split("\n") for case in path.read_text().strip().split("\n\n")]
    return [[line for line in case if not line.startswith("#")] for case in cases]


def expressions():
    cases = statements(HERE / "expressions.txt")
    text = HEADER + "FOUR = tl.constexpr(4)\nPLAIN = 5\n" + HELPERS
    for i, lines in enumerate(cases):
        body = "".join(f"    {line}\n" for line in lines[:-1])
        text += f"\n@triton.jit\ndef kernel{i}({', '.join(SIGNATURE).replace('K', 'K: tl.constexpr')}):{PROLOGUE}{body}"
        text += f"    tl.device_print('r', {lines[-1]})\n"
    module = load(text)
    return {
        "signature": SIGNATURE,
        "prologue": PROLOGUE,
        "helpers": HELPERS,
        "cases": [
            {"code": lines, "printed": answer(getattr(module, f"kernel{i}"), SIGNATURE, CONSTANTS)}
            for i, lines in enumerate(cases)
        ],
    }


def values():
    import torch

    k = torch.arange(1024)
    x = ((k * 37) % 101 - 50).float() / 8
    i = ((k * 53) % 97 - 48).int()
    module = load((HERE / "values.py").read_text())
    out = {}
    for name in [n for n in dir(module) if n.startswith("case_")]:
        f, j = torch.zeros(1024), torch.zeros(1024, dtype=torch.int32)
        try:
            getattr(module, name)[(2,)](x, i, f, j, 5, 0.75)
        except Exception as error:
            print(f"{name}: the interpreter cannot run it: {error}", file=sys.stderr)
            continue
        out[name] = {"F": trimmed(f), "J": trimmed(j)}
    return out


def trimmed(tensor):
    """Without the zeros at the end; nine digits are a float32 exactly."""
    items = [float(f"{v:.9g}") if isinstance(v, float) else v for v in tensor.tolist()]
    while items and items[-1] == 0:
        items.pop()
    return items


if __name__ == "__main__":
    MAKERS = {"promotion": promotion, "expressions": expressions, "values": values}
    for name in sys.argv[1:] or ["promotion", "expressions"]:
        indent = None if name == "values" else 1
        (HERE / f"{name}.json").write_text(json.dumps(MAKERS[name](), indent=indent) + "\n")
