"""What sessions record. Launches are timed by the GPU's clock and added up in slots: one for each kernel in
each scope (`Bridge.profile_slot`). What torch computes on the CPU is timed by the CPU's clock.

Benchmarks under Proton repeat a function ten thousand times, which a data centre's GPU does in seconds. Here
the time that a chart has (`--chart-seconds`) is what one session has: a function whose repetitions took a
quarter of it is not measured again, and once all is spent nothing is. Repetitions left out are those whose
result nobody reads (`_deferred.py`); they are counted, and rates are of what was measured alone.
"""

import time

import _hippocamp_bridge as bridge

from ..runtime import repeat
from ..runtime.jit import report_once
from ._deferred import Deferred
from ._tree import LEFT_OUT, ON_CPU, Node, write

#: Seconds between two waits for the GPU, at the least: how often it is looked what repetitions
#: take.
_PATIENCE = 0.25
#: One function's part of a session's time, and of that for warming up on a GPU.
_SHARE, _WARM_SHARE = 1 / 4, 1 / 20


class Session:
    def __init__(self, name, with_metadata):
        self.name = name
        self.with_metadata = with_metadata
        self.root = Node("ROOT")
        self.active = True


class _Scope:
    """A scope that is open, with the metrics that it began with."""

    __slots__ = ("name", "metrics", "ran", "left_out")

    def __init__(self, name, metrics):
        self.name, self.metrics = name, metrics
        #: Whether anything in it ran, and whether anything was left out.
        self.ran = self.left_out = False


class _Slot:
    """Launches of one kernel in one scope; `number` is its id at the bridge."""

    __slots__ = ("number", "path", "sessions", "nodes")

    def __init__(self, number, path, sessions):
        self.number, self.path, self.sessions = number, path, sessions
        self.nodes = []


class _Work:
    """What is repeated: a launch or a product of the same shapes."""

    __slots__ = ("spent", "measured", "every", "open", "since")

    def __init__(self):
        #: Seconds, while sessions were inactive and active.
        self.spent = [0.0, 0.0]
        self.measured = 0
        self.every = 1
        self.open = 0
        self.since = 0.0


class Recorder:
    def __init__(self):
        environment = bridge.environment()
        self.limit = environment["options"].get("chartSeconds")
        self.on_cpu = environment.get("software", False)
        self.sessions = {}
        self.started = 0
        self.scopes = []
        self.slots = []
        self.by_key = {}
        self.works = {}
        self.last = None
        self.spent = 0.0
        self.deferred = Deferred()
        self.catching_up = False
        #: Whether a repetition is being timed; what it computes is part of it.
        self.timing = False
        self.reported = set()

    # ── sessions and scopes ─────────────────────────────────────────────────────────────────────

    def start(self, name, with_metadata):
        self.started += 1
        self.sessions[self.started - 1] = Session(name, with_metadata)
        return self.started - 1

    def set_active(self, session, active):
        self._settle()
        for number, each in self.sessions.items():
            if session is None or number == session:
                each.active = active

    def finalize(self, session):
        self.catch_up()
        self._settle()
        bridge.synchronize()
        bridge.profile_slot(-1)
        for entry in bridge.profile_times():
            slot = self.slots[entry["slot"]]
            nanoseconds = entry["microseconds"] * 1e3
            for node in slot.nodes:
                node.metrics["time (ns)"] = nanoseconds
                node.metrics["count"] = entry["launches"]
                if entry["clock"] == "cpu":
                    node.metrics[ON_CPU] = nanoseconds
        for number in list(self.sessions):
            if session is None or number == session:
                ended = self.sessions.pop(number)
                write(ended.root, f"{ended.name}.hatchet")

    def enter(self, name, metrics):
        self.scopes.append(_Scope(name, metrics or {}))

    def leave(self, metrics):
        if not self.scopes:
            return
        path = self._path()
        scope = self.scopes.pop()
        for session in self._active():
            node = self._node(session, path)
            # Metrics of what did not run would make rates of nothing.
            if scope.left_out and not scope.ran:
                node.add({LEFT_OUT: 1})
            else:
                node.add({**scope.metrics, **(metrics or {})})

    def _active(self):
        return [session for session in self.sessions.values() if session.active]

    def _path(self):
        return [scope.name for scope in self.scopes]

    def _node(self, session, path):
        node = session.root
        for name in path:
            node = node.child(name)
        return node

    # ── work ────────────────────────────────────────────────────────────────────────────────────

    def _aside(self):
        """Whether what is computed is none of the program's own repetitions."""
        return self.catching_up or bridge.benchmarks > 0

    def launch(self, jit, values, options, grid):
        """In place of `JITFunction.start`."""
        if self._aside():
            return jit.start(values, options, grid)
        if callable(grid):
            grid = grid(dict(zip(jit.arg_names, values)))
        again = repeat.key_of(jit, values, options, grid)
        key = again.key if again is not None else jit
        active = self._active()
        known = jit._repeats.get(key) if again is not None else None
        if known is not None and known.writes is not None and len(known.writes) == 1:
            output = again.storages[known.writes[0]]
            if again.storages.count(output) == 1 and self._enough(key, bool(active)):
                self._leave_out(self._slot(active, key), jit.__name__)
                run = _later(jit, values, options, grid, output)
                inputs = [s for s in again.storages if s is not output]
                self.deferred.add(key, run, output, inputs)
                return known.compiled
        self.catch_up()
        slot = self._slot(active, key)
        bridge.profile_slot(slot.number if slot is not None else -1)
        try:
            compiled = self._timed(key, bool(active), lambda: jit.start(values, options, grid))
        finally:
            bridge.profile_slot(-1)
        if slot is not None and compiled is not None:
            self._name(slot, jit, compiled, grid, values)
        return compiled

    def product(self, name, key, out, operands, run):
        """A large product of torch's on the CPU: `run(out)` writes the tensor `out`."""
        if self._aside():
            return run(out)
        active = self._active()
        output = out._storage
        inputs = [t._storage for t in operands]
        if output not in inputs and self._enough(key, bool(active)):
            self._leave_out(self._slot(active, key), name)

            def later(storage, ghost=_ghost(out)):
                ghost._storage = storage
                run(ghost)

            self.deferred.add(key, later, output, inputs)
            return None
        self.catch_up()
        self._timed(key, bool(active), lambda: run(out))
        return None

    def numeric(self, request, run):
        """An operation of torch's on the CPU."""
        active = None if self._aside() else self._active()
        if not active:
            return run()
        if not self.timing:
            self._settle()
        start = time.perf_counter()
        answer = run()
        elapsed = (time.perf_counter() - start) * 1e9
        name = f"torch: {request.split('"')[3]}"
        for session in active:
            node = self._node(session, [*self._path(), name])
            node.add({"time (ns)": elapsed, ON_CPU: elapsed, "count": 1})
        self._ran()
        return answer

    def catch_up(self):
        """What was put off is done now: a tensor is about to be read or written."""
        if self.catching_up or not self.deferred.items:
            return
        self.catching_up = True
        try:
            self.deferred.catch_up()
        finally:
            self.catching_up = False

    def _slot(self, active, key):
        """None where no session is active."""
        if not active:
            return None
        path = self._path()
        place = (key, tuple(path), tuple(map(id, active)))
        slot = self.by_key.get(place)
        if slot is None:
            slot = self.by_key[place] = _Slot(len(self.slots), path, active)
            self.slots.append(slot)
        return slot

    def _name(self, slot, jit, compiled, grid, values):
        """The slot's nodes, once the kernel has a name; and the metrics that it reports itself."""
        facts = {"name": compiled.name}
        if jit.launch_metadata is not None and any(s.with_metadata for s in slot.sessions):
            named = dict(zip(jit.arg_names, values))
            facts |= jit.launch_metadata(tuple(grid), compiled.metadata, named) or {}
        name = facts.pop("name")
        if not slot.nodes:
            for session in slot.sessions:
                shown = name if session.with_metadata else compiled.name
                slot.nodes.append(self._node(session, [*slot.path, shown]))
        for session, node in zip(slot.sessions, slot.nodes):
            if session.with_metadata:
                node.add(facts)
        self._ran()

    def _ran(self):
        for scope in self.scopes:
            scope.ran = True

    # ── time ────────────────────────────────────────────────────────────────────────────────────

    def _enough(self, key, active):
        """Whether one more repetition reports nothing that is worth its time."""
        if self.limit is None:
            return False
        work = self.works.get(key)
        if not active:
            # A CPU has nothing to warm up but its compiler.
            if self.on_cpu:
                return True
            return work is not None and work.spent[0] > self.limit * _WARM_SHARE
        if self.spent > self.limit:
            return True
        return work is not None and work.measured > 0 and work.spent[1] > self.limit * _SHARE

    def _timed(self, key, active, run):
        if self.limit is None:
            return run()
        work = self.works.get(key)
        if work is None:
            work = self.works[key] = _Work()
        if self.last is not None and self.last[0] is not work:
            self._settle()
        if work.open == 0:
            work.since = time.perf_counter()
        self.last = work, active
        work.open += 1
        self.timing = True
        try:
            answer = run()
        finally:
            self.timing = False
        if work.open >= work.every:
            self._settle()
        return answer

    def _settle(self):
        """Waits for what was launched, and then has its times."""
        if self.last is None:
            return
        work, active = self.last
        self.last = None
        bridge.synchronize()
        elapsed = time.perf_counter() - work.since
        work.spent[active] += elapsed
        if active:
            self.spent += elapsed
            work.measured += work.open
        if elapsed < _PATIENCE:
            work.every = min(2 * work.every, 1024)
        work.open = 0

    def _leave_out(self, slot, name):
        for scope in self.scopes:
            scope.left_out = True
        if slot is not None:
            for node in slot.nodes or [self._node(s, [*slot.path, name]) for s in slot.sessions]:
                node.add({LEFT_OUT: 1})
        message = (
            f"{name} is repeated more often than the time budget of this adapter allows: repetitions whose result "
            "is not read are skipped; the profile gives the number measured."
        )
        report_once(self.reported, "HC0903", message)


def _ghost(t):
    """The tensor without its storage, which lives on only where somebody else has it."""
    ghost = t.detach()
    ghost._base = ghost._storage = None
    return ghost


def _later(jit, values, options, grid, output):
    """The launch, of which `output` is not held."""
    values = tuple(_ghost(v) if getattr(v, "_storage", None) is output else v for v in values)

    def run(storage):
        for value in values:
            if hasattr(value, "_storage") and value._storage is None:
                value._storage = storage
        jit.start(values, options, grid)

    return run
