"""Collects and runs tests as pytest does, one case at a time: functions and methods named test_*, their
parameters with ids and marks, fixtures of the module, and the built-in fixtures that need no process.

A case ends as 'passed', 'failed' or 'skipped' (with the reason; an expected failure is a skip).
"""

import contextlib
import inspect
import io
import logging
import os
import sys
import types

import pytest


class Case:
    """One function with one set of parameters."""

    def __init__(self, function, name, params, indirect, marks, owner=None):
        self.function = function
        self.name = name
        self.params = params
        self.indirect = indirect
        self.marks = marks
        self.owner = owner

    @property
    def function_name(self):
        return self.name.partition("[")[0]


def marks_of(target):
    found = target.__dict__.get("pytestmark", ()) if hasattr(target, "__dict__") else ()
    return [m for m in (found if isinstance(found, (list, tuple)) else [found])]


def collect(module, conftest=None):
    """The cases of a module, in the order of its text."""
    return [made for case in written(module) for made in with_fixtures(case, module, conftest)]


def written(module):
    """The cases that the text's own marks make."""
    cases = []
    shared = marks_of(module)
    for name, value in list(vars(module).items()):
        if inspect.isfunction(value) and name.startswith("test"):
            if value.__module__ == module.__name__:
                cases += expand(value, name, shared)
        elif inspect.isclass(value) and value.__module__ == module.__name__:
            if name.startswith("Test") or is_unittest(value):
                for key, method in methods_of(value):
                    cases += expand(method, f"{name}::{key}", shared + marks_of(value), value)
    return cases


def fixtures_of(case, module, conftest):
    """The nearest first: the class's, its bases', the module's, those of conftest.py."""
    owner = case.owner
    for each in (*(owner.__mro__ if owner is not None else ()), module, conftest):
        for value in list(vars(each).values()) if each is not None else ():
            if isinstance(value, pytest.Fixture):
                yield value


def with_fixtures(case, module, conftest):
    """A case for each combination of the parameters of the fixtures that it uses."""
    known = {}
    for fixture in fixtures_of(case, module, conftest):
        known.setdefault(fixture.name, fixture)
    wanted = [*inspect.signature(case.function).parameters, *(f.name for f in known.values() if f.autouse)]
    for mark in _marked(case, "usefixtures"):
        wanted += mark.args
    cases, seen = [case], set(case.params)
    for name in wanted:  # grows: fixtures use fixtures
        if name in seen or name not in known:
            continue
        seen.add(name)
        fixture = known[name]
        wanted += inspect.signature(fixture.function).parameters
        if fixture.params is not None:
            rows = _rows(case.function, (name,), fixture.params, True, fixture.ids)
            cases = [_with_row(each, row) for each in cases for row in rows]
    return cases


def _with_row(case, row):
    id, values, which, marks = row
    name, _, ids = case.name.partition("[")
    ids = f"{ids.removesuffix(']')}-{id}" if ids else id
    params = {**case.params, **values}
    return Case(case.function, f"{name}[{ids}]", params, case.indirect | which, case.marks + marks, case.owner)


def is_unittest(owner):
    # Imported by whoever made such a class.
    unittest = sys.modules.get("unittest")
    return unittest is not None and issubclass(owner, unittest.TestCase)


def methods_of(owner):
    """Its test methods and those that it inherits, the base's first."""
    found = {}
    for each in reversed(owner.__mro__):
        for key, method in vars(each).items():
            if key.startswith("test"):
                found[key] = method
    return [(key, method) for key, method in found.items() if inspect.isfunction(method)]


def expand(function, name, shared, owner=None):
    """A case for each combination of the function's parameters."""
    rows = [((), {}, frozenset(), [])]
    marks = marks_of(function) + list(shared)
    for mark in marks:
        if mark.name != "parametrize":
            continue
        new = _rows(function, *mark.args, **mark.kwargs)
        rows = [
            (ids + (id,), {**values, **more}, indirect | which, own + extra)
            for ids, values, indirect, own in rows
            for id, more, which, extra in new
        ]
    others = [m for m in marks if m.name != "parametrize"]
    seen = {}
    cases = []
    for ids, values, indirect, own in rows:
        full = f"{name}[{'-'.join(ids)}]" if ids else name
        count = seen[full] = seen.get(full, 0) + 1
        if count > 1:
            full = f"{full[:-1]}_{count - 1}]"
        cases.append(Case(function, full, values, indirect, own + others, owner))
    return cases


def _rows(function, argnames, argvalues, indirect=False, ids=None, scope=None):
    names = [n.strip() for n in argnames.split(",") if n.strip()] if isinstance(argnames, str) else list(argnames)
    rows = []
    argvalues = list(argvalues)
    if ids is not None and not callable(ids):
        ids = list(ids)
    for index, values in enumerate(argvalues):
        marks, own = [], None
        if isinstance(values, pytest.ParameterSet):
            marks, own, values = values.marks, values.id, tuple(values)
        elif len(names) == 1:
            values = (values,)
        values = tuple(values)
        if len(values) != len(names):
            raise ValueError(
                f"{function.__name__}: in parametrize the number of names ({len(names)}) must be equal to "
                f"the number of values ({len(values)})"
            )
        if own is None and ids is not None and not callable(ids) and ids[index] is not None:
            own = str(ids[index])
        if own is None:
            own = "-".join(_id(v, n, index, ids) for n, v in zip(names, values))
        which = frozenset(names if indirect is True else indirect or ())
        rows.append((own, dict(zip(names, values)), which, marks))
    return rows


def _id(value, name, index, ids):
    if callable(ids):
        made = ids(value)
        if made is not None:
            return str(made)
    if isinstance(value, str):
        return value
    if value is None or isinstance(value, (bool, int, float, complex)):
        return str(value)
    made = getattr(value, "__name__", None)
    return made if isinstance(made, str) else f"{name}{index}"


# ── one case ────────────────────────────────────────────────────────────────────────────────────


class Capture:
    """`capfd` and `capsys`: what was printed since they were asked last."""

    def __init__(self):
        self.out, self.err = io.StringIO(), io.StringIO()

    def readouterr(self):
        import collections

        import _hippocamp_bridge as bridge

        # Prints of kernels are no `print` of Python's.
        out = self.out.getvalue() + bridge.capture_prints(True)
        made = collections.namedtuple("CaptureResult", "out err")(out, self.err.getvalue())
        for stream in (self.out, self.err):
            stream.seek(0)
            stream.truncate()
        return made

    @contextlib.contextmanager
    def disabled(self):
        yield


class Logs(logging.Handler):
    """`caplog`: what a test logged."""

    def __enter__(self):
        self.records = []
        self._root, self._level = logging.getLogger(), logging.getLogger().level
        self._root.addHandler(self)
        return self

    def __exit__(self, *_):
        self._root.removeHandler(self)
        self._root.setLevel(self._level)

    def emit(self, record):
        self.records.append(record)

    @property
    def messages(self):
        return [record.getMessage() for record in self.records]

    @property
    def text(self):
        return "".join(f"{r.levelname} {r.name}: {r.getMessage()}\n" for r in self.records)

    @property
    def record_tuples(self):
        return [(r.name, r.levelno, r.getMessage()) for r in self.records]

    def clear(self):
        self.records.clear()

    def set_level(self, level, logger=None):
        logging.getLogger(logger).setLevel(level)

    @contextlib.contextmanager
    def at_level(self, level, logger=None):
        of = logging.getLogger(logger)
        before = of.level
        of.setLevel(level)
        try:
            yield self
        finally:
            of.setLevel(before)


class Request:
    """`request`: the parameter of an indirect fixture, and other fixtures by name."""

    def __init__(self, fixtures, param=None):
        self._fixtures = fixtures
        self.config = Config(fixtures.extra)
        self.module, self.cls = fixtures.module, fixtures.case.owner
        self.function, self.instance = fixtures.case.function, fixtures.instance
        if param is not None:
            self.param = param

    @property
    def node(self):
        """The case that requests it: its name, its parameters and its marks."""
        case = self._fixtures.case
        _, _, ids = case.name.partition("[")
        return types.SimpleNamespace(
            name=case.name,
            originalname=case.function_name,
            nodeid=case.name,
            callspec=types.SimpleNamespace(id=ids.removesuffix("]"), params=dict(case.params)),
            iter_markers=lambda name=None: iter(_marked(case, name) if name else case.marks),
            get_closest_marker=lambda name, default=None: next(iter(_marked(case, name)), default),
        )

    def getfixturevalue(self, name):
        return self._fixtures.get(name)

    def addfinalizer(self, function):
        self._fixtures.stack.callback(function)


class Config:
    """`request.config`: the options that conftest.py declares, at their defaults."""

    def __init__(self, conftest):
        self.option = types.SimpleNamespace()
        declare = getattr(conftest, "pytest_addoption", None)
        if declare is not None:
            declare(self)

    def addoption(self, *names, dest=None, default=None, action=None, **_):
        """The methods of a `parser`; it is its own group too."""
        if default is None and action in ("store_true", "store_false"):
            default = action == "store_false"
        setattr(self.option, dest or _option(names[-1]), default)

    addini = addoption

    def getgroup(self, *_):
        return self

    def getoption(self, name, default=None, skip=False):
        return getattr(self.option, _option(name), default)

    getini = getoption


def _option(name):
    return name.lstrip("-").replace("-", "_")


class _Fixtures:
    """The fixtures that one case uses, made when first requested."""

    def __init__(self, case, module, extra, stack):
        self.case = case
        self.module = module
        self.extra = extra
        self.stack = stack
        self.made = {}
        #: The `self` of a method, for its class's fixtures too.
        self.instance = None if case.owner is None else new_instance(case)

    def get(self, name):
        if name not in self.made:
            self.made[name] = self.make(name)
        return self.made[name]

    def make(self, name):
        case = self.case
        given = name in case.params
        if given and name not in case.indirect:
            return case.params[name]
        found = self.find(name)
        if found:
            return self.call(found, case.params.get(name) if given else None)
        if name == "request":
            return Request(self)
        if name == "monkeypatch":
            made = pytest.MonkeyPatch()
            self.stack.callback(made.undo)
            return made
        if name in ("capfd", "capsys"):
            made = Capture()
            self.stack.enter_context(_redirected(made))
            return made
        if name == "caplog":
            return self.stack.enter_context(Logs())
        if name == "tmp_path":
            import pathlib
            import shutil
            import tempfile

            path = tempfile.mkdtemp()
            self.stack.callback(shutil.rmtree, path, True)
            return pathlib.Path(path)
        raise pytest.Failed(f"fixture '{name}' not found")

    def all(self):
        return fixtures_of(self.case, self.module, self.extra)

    def find(self, name):
        return [fixture for fixture in self.all() if fixture.name == name]

    def automatic(self):
        for fixture in self.all():
            if fixture.autouse:
                self.get(fixture.name)

    def call(self, found, param):
        """`found`: the fixture, and those of the same name that it hides."""
        fixture, *hidden = found
        arguments = {}
        owners = self.case.owner.__mro__ if self.case.owner is not None else ()
        of_class = any(value is fixture for owner in owners for value in vars(owner).values())
        for position, name in enumerate(inspect.signature(fixture.function).parameters):
            # A method's first parameter is the instance, however it is called.
            if position == 0 and of_class and name != "request":
                arguments[name] = self.instance
            elif name == "request":
                arguments[name] = Request(self, param)
            elif name == fixture.name and hidden:
                arguments[name] = self.call(hidden, param)
            else:
                arguments[name] = self.get(name)
        made = fixture.function(**arguments)
        if inspect.isgenerator(made):
            value = next(made)
            self.stack.callback(lambda: next(made, None))
            return value
        return made


@contextlib.contextmanager
def _redirected(capture):
    import _hippocamp_bridge as bridge

    bridge.flush_prints()
    bridge.capture_prints(True)
    saved = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = capture.out, capture.err
    try:
        yield
    finally:
        sys.stdout, sys.stderr = saved
        bridge.capture_prints(False)


def new_instance(case):
    owner = case.owner
    return owner(case.function.__name__) if is_unittest(owner) else owner()


@contextlib.contextmanager
def set_up(case, module, instance):
    """`setup_method`, `setUp` and their like around a test. What is meant for a class or a module is done
    for each of its tests: cases run alone."""
    with contextlib.ExitStack() as stack:

        def around(owner, before, after, *arguments):
            if callable(found := getattr(owner, before, None)):
                _call(found, arguments)
            if callable(found := getattr(owner, after, None)):
                stack.callback(_call, found, arguments)

        around(module, "setup_module", "teardown_module", module)
        if case.owner is None:
            around(module, "setup_function", "teardown_function", case.function)
        elif is_unittest(case.owner):
            around(case.owner, "setUpClass", "tearDownClass")
            stack.callback(instance.doCleanups)
            around(instance, "setUp", "tearDown")
        else:
            around(case.owner, "setup_class", "teardown_class")
            around(instance, "setup_method", "teardown_method", case.function)
        yield


def _call(function, arguments):
    """With as many of the arguments as it takes."""
    count = len(inspect.signature(function).parameters)
    function(*arguments[:count])


def _marked(case, name):
    return [m for m in case.marks if m.name == name]


def _applies(mark):
    conditions = mark.args
    return mark.kwargs.get("condition", all(bool(c) for c in conditions) if conditions else True)


def run(case, module, extra=None):
    """Runs a case. @returns (outcome, reason or None, exception or None)."""
    for mark in _marked(case, "skip"):
        return "skipped", mark.kwargs.get("reason", mark.args[0] if mark.args else "skip"), None
    for mark in _marked(case, "skipif"):
        if _applies(mark):
            return "skipped", mark.kwargs.get("reason", "skipif"), None
    for target in (case.function, case.owner):
        if getattr(target, "__unittest_skip__", False):
            return "skipped", target.__unittest_skip_why__, None
    expected = [m for m in _marked(case, "xfail") if _applies(m)]
    for mark in expected:
        if mark.kwargs.get("run") is False:
            return "skipped", "expected to fail: " + mark.kwargs.get("reason", ""), None
    try:
        with contextlib.ExitStack() as stack:
            fixtures = _Fixtures(case, module, extra, stack)
            fixtures.automatic()
            for mark in _marked(case, "usefixtures"):
                for name in mark.args:
                    fixtures.get(name)
            arguments = {}
            for name, parameter in inspect.signature(case.function).parameters.items():
                if name == "self" and case.owner is not None:
                    arguments[name] = fixtures.instance
                elif name in case.params or parameter.default is inspect.Parameter.empty:
                    if parameter.kind is inspect.Parameter.VAR_KEYWORD:
                        continue
                    arguments[name] = fixtures.get(name)
            with set_up(case, module, fixtures.instance):
                case.function(**arguments)
    except pytest.Skipped as reason:
        return "skipped", reason.msg, None
    except pytest.XFailed as reason:
        return "skipped", "expected to fail: " + reason.msg, None
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        if type(error).__name__ == "SkipTest" and type(error).__module__ == "unittest.case":
            return "skipped", str(error), None
        for mark in expected:
            kinds = mark.kwargs.get("raises")
            if kinds is None or isinstance(error, kinds):
                return "skipped", "expected to fail: " + mark.kwargs.get("reason", ""), None
        return "failed", None, error
    if any(m.kwargs.get("strict") for m in expected):
        return "failed", None, AssertionError("[XPASS(strict)] " + expected[0].kwargs.get("reason", ""))
    return "passed", None, None


# ── pytest.main ─────────────────────────────────────────────────────────────────────────────────


def _modules(args):
    """The modules that the arguments name; without any, the program itself."""
    paths = [a for a in args if not a.startswith("-") and (a.endswith(".py") or "::" in a)]
    if not paths:
        return [(sys.modules["__main__"], "")]
    out = []
    for path in paths:
        path, _, name = path.partition("::")
        main = sys.modules["__main__"]
        if os.path.abspath(path) == os.path.abspath(getattr(main, "__file__", "")):
            out.append((main, name))
        else:
            import importlib

            # As pytest does: a file of tests is a module of its own, and finds those beside it.
            folder, file = os.path.split(os.path.abspath(path))
            if folder not in sys.path:
                sys.path.insert(0, folder)
            out.append((importlib.import_module(file.removesuffix(".py")), name))
    return out


def _conftest(module):
    """The `conftest.py` beside a file of tests, which has fixtures for all of them."""
    import importlib.util

    path = os.path.join(os.path.dirname(os.path.abspath(module.__file__)), "conftest.py")
    if not os.path.isfile(path):
        return None
    spec = importlib.util.spec_from_file_location("conftest", path)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def run_files(args=None):
    import traceback

    args = [args] if isinstance(args, (str, os.PathLike)) else list(args or ())
    args = [str(a) for a in args]
    word = args[args.index("-k") + 1] if "-k" in args else ""
    if word:
        args.remove(word)
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for module, wanted in _modules(args):
        shared = _conftest(module)
        for case in collect(module, shared):
            if word not in case.name or wanted not in ("", case.name, case.function_name):
                continue
            outcome, reason, error = run(case, module, shared)
            counts[outcome] += 1
            if outcome != "passed" or "-v" in args:
                print(f"{case.name} {outcome.upper()}{f' ({reason})' if reason else ''}")
            if error is not None:
                traceback.print_exception(error)
            if outcome == "failed" and "-x" in args:
                break
    print(", ".join(f"{n} {name}" for name, n in counts.items() if n) or "no tests ran")
    return pytest.ExitCode(1 if counts["failed"] else 0 if any(counts.values()) else 5)
