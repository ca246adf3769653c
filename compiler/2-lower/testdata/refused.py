"""Writes refusals.json: what Triton 3.8's front end says of each kernel of refusals/*.py, and at which
line. Needs triton 3.8, and no GPU:  python refused.py
"""

import contextlib
import inspect
import io
import json
import re
import warnings
from pathlib import Path

from generate import load, ttir

from triton.compiler.errors import CompilationError

HERE = Path(__file__).parent
CASE = re.compile(r"^# (?:HC\d{4}|accepted)(?::[ ]*(.*))?\n(?:@.*\n)+def (\w+)", re.M)


def first_lines(module):
    """The line of `def` of every kernel in the file, by its source."""
    starts = {}
    for kernel in vars(module).values():
        if not hasattr(kernel, "src"):
            continue
        lines, first = inspect.getsourcelines(kernel.fn)
        starts[kernel.src] = first + next(i for i, line in enumerate(lines) if line.startswith("def "))
    return starts


def refusal(error, starts):
    """The innermost place in the file: the other end of a chain of calls."""
    line = message = None
    while error is not None:
        if isinstance(error, CompilationError):
            source, text = error.src, error.error_message
            if source in starts and hasattr(error.node, "lineno"):
                line = starts[source] + error.node.lineno - 1
        else:
            text = str(error)
        message = text or message
        error = error.__cause__
    return {"line": line, "message": (message or "").strip().split("\n")[0][:160]}


def answer(kernel, arguments, starts):
    signature, constants = {}, {}
    for argument in arguments:
        name, value = argument.split("=", 1)
        signature[name] = "constexpr" if value.startswith("=") else value
        if value.startswith("="):
            constants[name] = eval(value[1:])
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            ttir(kernel, {name: signature[name] for name in kernel.arg_names}, constants)
    except Exception as error:
        return refusal(error, starts)
    return None


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    table = {}
    for path in sorted((HERE / "refusals").glob("*.py")):
        text = path.read_text()
        module = load(text)
        starts = first_lines(module)
        table[path.name] = {
            name: answer(getattr(module, name), (arguments or "").split(), starts)
            for arguments, name in CASE.findall(text)
        }
    (HERE / "refusals.json").write_text(json.dumps(table, indent=1) + "\n")
