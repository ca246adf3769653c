"""The program of a worker for Triton's own tests: collects the cases of a file, or runs some of them."""

import importlib

import _hippocamp_tests as tests
import conformance_fixtures as fixtures
import torch
import triton
from conformance_jobs import judge, run_case, serve

#: Requirement of fp8 on NVIDIA; the tests' own check of it is not what is tested here.
torch.cuda.get_device_capability = lambda device=None: (9, 0)
#: Nor is how much shared memory a device has: here every tile must fit, whatever the adapter has.
_utils = triton.runtime.driver.active.utils
_properties = _utils.get_device_properties
_utils.get_device_properties = lambda device=0: {**_properties(device), "max_shared_mem": 232448}
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


def _run(file, names):
    module, cases = _collect(file)
    by_name = {case.name: case for case in cases}
    for name in names:
        run_case(name, lambda: judge(*tests.run(by_name[name], module, fixtures)))


serve(_listed, _run)
