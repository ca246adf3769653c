"""The program of a worker for Helion's test journals: the Triton that Helion printed for each of its tests.

A test runs as it is, under names of Helion that stand for its compiler (`conformance_helion_names`): where the
test has a kernel compiled, the journal's text for it is loaded, and its host function called with the test's
tensors. A test makes two kinds of cases. `compile TEST NUMBER KERNEL` compiles one printed kernel with those
arguments; `compare TEST` runs the kernels, and passes where the test's own comparisons with torch hold.
"""

import ast
import contextlib
import importlib.util
import os
import re
import sys
import unittest
from unittest.mock import patch

import conformance_helion_names as names
import torch
from conformance_jobs import judge, line_of, run_case, serve
from torch._inductor.runtime.triton_compat import libdevice

ROOT = "/program/"
_SECTION = re.compile(
    r"^--- assertExpectedJournal\(([^)]*)\)\n(.*?)(?=^--- assertExpectedJournal\(|\Z)", re.MULTILINE | re.DOTALL
)
#: Times that a test is begun again with what it said of the order of its kernels.
_TRIES = 4


class NotPrinted(Exception):
    """The test has a kernel compiled whose text it keeps in no journal."""


class Entry:
    """One text of a journal."""

    def __init__(self, test, number, text):
        self.number, self.text = number, text
        self.name = f"{test} {number}"
        functions = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
        launching = [f.name for f in functions if any(a.arg == "_launcher" for a in f.args.kwonlyargs)]
        self.host = launching[-1] if launching else None
        jitted = {f.name: f for f in functions if any("triton.jit" in ast.unparse(d) for d in f.decorator_list)}
        self.kernels = list(jitted)
        #: Kernels that call a jit function of the text: it is compiled with them.
        calls = {name: _names(function) & jitted.keys() - {name} for name, function in jitted.items()}
        self.callers = {name: [k for k in jitted if name in _reached(k, calls)] for name in jitted}
        self.calls_itself = any(f.name == "call" for f in functions)
        self._module = None

    def function(self):
        if self._module is None:
            name = f"printed_{re.sub(r'[^A-Za-z0-9]', '_', self.name)}"
            path = f"{ROOT}{name}.py"
            with open(path, "w") as file:
                file.write(self.text)
            spec = importlib.util.spec_from_file_location(name, path)
            module = importlib.util.module_from_spec(spec)
            # A journal leaves out this import, and has DEVICE for every device.
            module.libdevice, module.DEVICE = libdevice, torch.device("cuda")
            sys.modules[name] = module
            spec.loader.exec_module(module)
            self._module = module
        return getattr(self._module, self.host)


def _names(function):
    return {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}


def _reached(name, calls):
    """What a function calls, directly or not."""
    found, todo = set(), [name]
    while todo:
        for each in calls[todo.pop()] - found:
            found.add(each)
            todo.append(each)
    return found


def described(value):
    """What of an argument a kernel's text may depend on."""
    if isinstance(value, torch.Tensor):
        return (str(value.dtype), tuple(value.shape), tuple(value.stride()))
    if isinstance(value, (list, tuple)):
        return tuple(map(described, value))
    return getattr(value, "__name__", None) or repr(value)


class Session:
    """One run of a test: which of its requests gets which text."""

    def __init__(self, entries, plan, compiled, identities=()):
        """`identities` are those of the requests in the run that found the plan."""
        self.entries, self.plan = entries, plan
        self.alike = {identities[request]: entries[number] for request, number in plan.items() if identities}
        #: The parts of each request that its text depends on.
        self.identities = []
        #: Requests that no journal answers get nothing, if their place is known.
        self.taken = {entries[number] for number in plan.values()}
        #: Outcomes of kernels by entry and name, where the run only compiles; else None.
        self.compiled = compiled
        #: The journal's place of each request, as the test says it.
        self.order = {}
        self.requests = self.checked = self.comparisons = self.launches = 0
        self.used = []
        self.known = {}

    def entry(self, kernel, args, config):
        request = self.requests
        self.requests += 1
        shapes = (kernel, described(args))
        self.identities.append((shapes, repr(config)))
        found = None
        if request in self.plan:
            found = self.entries[self.plan[request]]
        elif (shapes, repr(config)) in self.alike:
            found = self.alike[shapes, repr(config)]
        elif (shapes, repr(config)) in self.known:
            found = self.known[shapes, repr(config)]
        else:
            free = [e for e in self.entries if e and e.host == kernel and e not in self.used]
            free = [e for e in free if e not in self.taken]
            found = free[0] if free else self.known.get(shapes)
        if found is None:
            raise NotPrinted(f"{kernel}, its request {request}, is in no journal")
        self.used.append(found)
        self.known[shapes] = self.known[shapes, repr(config)] = found
        return found, request

    def text(self, kernel, args, config):
        try:
            entry, request = self.entry(kernel, args, config)
        except NotPrinted:
            entry, request = None, self.requests - 1
        printed = names.Printed(entry.text if entry else "")
        printed.entry, printed.request = entry and entry.number, request
        return printed

    def call(self, kernel, args, kwargs, config):
        """What the kernel returns; where its text is in no journal, what is equal to anything."""
        try:
            entry, _ = self.entry(kernel, args, config)
        except NotPrinted:
            return names.Nothing()
        return self.play(entry, args, kwargs)

    def play(self, entry, args, kwargs):
        if self.compiled is None:
            self.launches += 1
            return entry.function()(*args, **kwargs)
        try:
            launcher = self.compiler_of(entry)
            return entry.function()(*names.stand_in(args), **kwargs, _launcher=launcher)
        except Exception as error:
            for kernel in entry.kernels:
                self.compiled.setdefault((entry.number, kernel), judge("failed", None, error))
            return names.Nothing()

    def compiler_of(self, entry):
        def launcher(kernel, grid, *args, **options):
            place = (entry.number, kernel.__name__)
            try:
                kernel.run(*args, grid=grid, warmup=True, **options)
                self.compiled[place] = {"outcome": "passed"}
            except Exception as error:
                self.compiled[place] = judge("failed", None, error)

        return launcher

    def check(self, code):
        """The test compares a kernel's text with the next of its journal."""
        expected = self.checked
        self.checked += 1
        if isinstance(code, names.Printed) and expected < len(self.entries):
            self.order[code.request] = expected


class Tests:
    """The tests of a file that have printed kernels."""

    def __init__(self, file):
        with open(f"{ROOT}test/{file.removesuffix('.py')}.expected") as journal:
            text = journal.read()
        self.entries = {}
        for test, code in _SECTION.findall(text):
            found = self.entries.setdefault(test, [])
            try:
                found.append(Entry(test, len(found), code.strip()))
            except SyntaxError:  # a journal may hold other text
                found.append(None)
        self.entries = {
            test: found for test, found in self.entries.items() if any(e and e.kernels for e in found)
        }
        self.module_name = f"test.{file.removesuffix('.py')}"
        self._plans = {}

    def cases(self):
        for test, entries in self.entries.items():
            for entry in filter(None, entries):
                for kernel in entry.kernels:
                    yield f"compile {entry.name} {kernel}"
            yield f"compare {test}"

    def plan(self, test):
        """Outcomes of the test's kernels, the journal's places of its requests, and what ended the test."""
        if test not in self._plans:
            order, identities = {}, ()
            for _ in range(_TRIES):
                session = Session(self.entries[test], order, {}, identities)
                error = self._play(test, session)
                if session.order == order:
                    break
                order, identities = session.order, session.identities
            self._plans[test] = session.compiled, (order, identities), error
        return self._plans[test]

    def _play(self, test, session):
        owner, method = test.split(".")
        names.session = session
        compare = torch.testing.assert_close
        with contextlib.ExitStack() as patches:
            if session.compiled is None:
                patches.enter_context(patch.object(torch.testing, "assert_close", _counting(compare, session)))
            else:
                patches.enter_context(patch.object(torch.testing, "assert_close", lambda *_, **__: None))
                _without_products(patches)
            return self._end(owner, method)

    def _end(self, owner, method):
        """Plays a test. @returns the exception that ended it, if any."""
        try:
            case = getattr(importlib.import_module(self.module_name), owner)(method)
            if getattr(case, "__unittest_skip__", False):
                raise unittest.SkipTest(case.__unittest_skip_why__)
            case.setUp()
            try:
                getattr(case, method)()
            finally:
                case.tearDown()
                case.doCleanups()
        except Exception as error:
            return error
        finally:
            names.session = None

    def compile(self, test, number, kernel):
        outcomes, _, error = self.plan(test)
        callers = self.entries[test][number].callers[kernel]
        found = next((outcomes[number, k] for k in (kernel, *callers) if (number, k) in outcomes), None)
        if found is None:
            found = self._called(test, number).get((number, kernel))
        if found is None:
            why = "" if error is None else f": {type(error).__name__}: {line_of(error)['line']}"
            found = {"outcome": "failed", "kind": "NotReached", "line": f"the test does not launch it{why}"}
        return dict(found)

    def _called(self, test, number):
        """Outcomes of a text that calls itself: HELION_PRINT_REPRO adds `call`, with the tensors that it had."""
        session = Session(self.entries[test], {}, {})
        entry = self.entries[test][number]
        if entry.calls_itself:
            host = entry.function()
            with patch.dict(host.__kwdefaults__, _launcher=session.compiler_of(entry)):
                host.__globals__["call"]()
        return session.compiled

    def compare(self, test):
        order, identities = self.plan(test)[1]
        session = Session(self.entries[test], order, None, identities)
        error = self._play(test, session)
        if isinstance(error, unittest.SkipTest):
            return {"outcome": "skipped", "reason": str(error)}
        if error is None and (not session.comparisons or not session.launches):
            return {"outcome": "skipped", "reason": "compares nothing with torch"}
        return judge("passed" if error is None else "failed", None, error)


def _without_products(patches):
    """Where nothing is compared, no value matters: products and random numbers are zeros of the result's shape."""

    def product(a, b, **_):
        if a.requires_grad or b.requires_grad:
            return whole(a, b)
        shape = (*torch.broadcast_shapes(a.shape[:-2], b.shape[:-2]), *a.shape[-2:-1], *b.shape[-1:])
        return torch.zeros(shape, dtype=a.dtype, device=a.device)

    def attention(query, *args, **kwargs):
        return whole_attention(query, *args, **kwargs) if query.requires_grad else torch.zeros_like(query)

    whole, whole_attention = torch.matmul, torch.nn.functional.scaled_dot_product_attention
    for name in ("matmul", "mm", "bmm"):
        patches.enter_context(patch.object(torch, name, product))
    patches.enter_context(patch.object(torch.Tensor, "__matmul__", product))
    for name in ("randn", "rand"):
        patches.enter_context(patch.object(torch, name, torch.zeros))
    patches.enter_context(patch.object(torch.nn.functional, "scaled_dot_product_attention", attention))


def _counting(compare, session):
    def assert_close(*args, **kwargs):
        if not any(isinstance(each, names.Nothing) for each in args):
            compare(*args, **kwargs)
            session.comparisons += 1

    return assert_close


_tests = {}


def _of(file):
    if file not in _tests:
        _tests[file] = Tests(file)
    return _tests[file]


def _listed(file):
    return [{"name": name, "interpreter": False} for name in _of(file).cases()]


def _run(file, cases):
    tests = _of(file)
    for case in cases:
        kind, test, *place = case.split(" ")
        if kind == "compare":
            run_case(case, lambda: tests.compare(test))
        else:
            run_case(case, lambda: tests.compile(test, int(place[0]), place[1]))


#: Requirement of fp8 on NVIDIA.
torch.cuda.get_device_capability = lambda device=None: (9, 0)
os.makedirs(ROOT, exist_ok=True)
serve(_listed, _run)
