"""What every suite's driver needs: the loop that takes jobs from the runner (`_conformance`), and how an
exception is judged. Everything crosses as JSON.
"""

import gc
import json
import sys
import time
import traceback

import _conformance as runner
import torch
from pyodide.ffi import run_sync

#: Parts of NVIDIA's and AMD's compilers that a test may read, and that are not there.
_TEXTS = {"ttgir", "llir", "ptx", "sass", "cubin", "amdgcn", "hsaco", "llvm", "spvbin", "zebin"}


def line_of(error):
    """The first line that says something, and the place in the test file."""
    text = str(error).strip()
    kind = type(error).__name__
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    diagnostics = getattr(error, "diagnostics", None)
    code = diagnostics[0]["code"] if diagnostics else None
    if diagnostics:
        lines = [diagnostics[0]["message"]]
    place = ""
    for frame, line in traceback.walk_tb(error.__traceback__):
        name = frame.f_code.co_filename
        if name.startswith("/program/test_"):
            place = f"{name.removeprefix('/program/')}:{line}"
    return {"kind": kind, "line": " | ".join(lines[:3])[:600], "code": code, "place": place}


def judge(outcome, reason, error):
    made = {"outcome": outcome, "reason": reason}
    if error is None:
        return made
    made.update(line_of(error))
    chain = error
    while chain is not None:
        # "ptx: Hippocamp has no text of …", or a program's own dictionary.
        stage = str(chain.args[0]).split(":")[0] if isinstance(chain, KeyError) and chain.args else None
        if stage in _TEXTS:
            return {"outcome": "skipped", "reason": f"reads the {stage} of another backend"}
        codes = {d.get("code") for d in getattr(chain, "diagnostics", None) or ()}
        if codes & {"HC0105", "HC0106", "HC0206"} or isinstance(chain, NotImplementedError):
            made["outcome"] = "refused"
            break
        if isinstance(chain, AttributeError) and "not available in Hippocamp" in str(chain):
            made["outcome"] = "refused"
            break
        chain = chain.__cause__ or chain.__context__
    return made


def run_case(name, run):
    """Reports how a case ends; `run` answers with a judged outcome."""
    runner.started(name)
    start = time.perf_counter()
    torch.manual_seed(0)
    try:
        judged = run()
        try:
            torch.cuda.synchronize()
        except Exception as error:
            if judged["outcome"] == "passed":
                judged = judge("failed", None, error)
    except BaseException as error:
        judged = judge("failed", None, error)
    judged["seconds"] = time.perf_counter() - start
    runner.ended(name, json.dumps(judged))


def serve(listed, run):
    """`listed(file)` are the cases of a file; `run(file, names)` runs some of them, each by `run_case`."""
    sys.setrecursionlimit(5000)
    while True:
        job = json.loads(run_sync(runner.next()))
        try:
            if job["type"] == "collect":
                runner.collected(json.dumps({"cases": listed(job["file"])}))
            elif job["type"] == "run":
                run(job["file"], job["names"])
                gc.collect()
            else:
                return
        except BaseException as error:
            traceback.print_exc()
            runner.broken(json.dumps({"outcome": "failed", **line_of(error)}))
