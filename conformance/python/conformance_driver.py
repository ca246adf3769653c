"""The program of a worker: takes commands from the runner (`_conformance`), collects the cases of a file or
runs some of them, and reports how each ended. Everything crosses as JSON.
"""

import gc
import importlib
import json
import sys
import time
import traceback

import _conformance as runner
import _hippocamp_tests as tests
import conformance_fixtures as fixtures
import torch
import triton
from pyodide.ffi import run_sync

#: Requirement of fp8 on NVIDIA; the tests' own check of it is not what is tested here.
torch.cuda.get_device_capability = lambda device=None: (9, 0)
#: Nor is how much shared memory a device has: here every tile must fit, whatever the adapter has.
_utils = triton.runtime.driver.active.utils
_properties = _utils.get_device_properties
_utils.get_device_properties = lambda device=0: {**_properties(device), "max_shared_mem": 232448}
#: Parts of NVIDIA's and AMD's compilers that a test may read, and that are not there.
_TEXTS = {"ttgir", "llir", "ptx", "sass", "cubin", "amdgcn", "hsaco", "llvm", "spvbin", "zebin"}
_collected = {}


def _collect(file):
    if file not in _collected:
        module = importlib.import_module(file.removesuffix(".py"))
        _collected[file] = module, tests.collect(module)
    return _collected[file]


def _listed(file):
    _, cases = _collect(file)
    return [
        {"name": case.name, "interpreter": any(m.name == "interpreter" for m in case.marks)} for case in cases
    ]


def _line(error):
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


def _judge(outcome, reason, error):
    made = {"outcome": outcome, "reason": reason}
    if error is None:
        return made
    made.update(_line(error))
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


def _run(file, names):
    module, cases = _collect(file)
    by_name = {case.name: case for case in cases}
    for name in names:
        runner.started(name)
        start = time.perf_counter()
        torch.manual_seed(0)
        try:
            judged = _judge(*tests.run(by_name[name], module, fixtures))
            try:
                torch.cuda.synchronize()
            except Exception as error:
                if judged["outcome"] == "passed":
                    judged = _judge("failed", None, error)
        except BaseException as error:
            judged = _judge("failed", None, error)
        judged["seconds"] = time.perf_counter() - start
        runner.ended(name, json.dumps(judged))
        judged = None
    gc.collect()


def main():
    sys.setrecursionlimit(5000)
    while True:
        job = json.loads(run_sync(runner.next()))
        try:
            if job["type"] == "collect":
                runner.collected(json.dumps({"cases": _listed(job["file"])}))
            elif job["type"] == "run":
                _run(job["file"], job["names"])
            else:
                return
        except BaseException as error:
            traceback.print_exc()
            runner.broken(json.dumps({"outcome": "failed", **_line(error)}))


main()
