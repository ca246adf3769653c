"""Carries out what a solution did, on memory of the harness's own.

The solution's worker is sent other values than those that are checked, and answers with a plan (`solution.py`). Here
its steps are made again on the real inputs: kernels are compiled from their text and launched, torch's copies are
made, and what the plan brings along as plain data stays as it is. Memory that the solution only allocated holds NaN.
What a result owes to anything but kernels of the program shows in its `Origin`.
"""

import base64
import json

import _hippocamp_bridge as bridge
import _hippocamp_host as host
import torch
from torch import _core as core
from torch._tensor import make

_programs = {}


class Unsupported(Exception):
    """The plan cannot be carried out: a sentence for people."""


class Origin:
    """What an element of a storage owes its value to."""

    __slots__ = ("writer", "from_input", "torch", "line")

    def __init__(self, writer, from_input=False, torch=None, line=0):
        #: `kernel`, `torch`, `data`, `input` or `nothing`: who wrote last.
        self.writer = writer
        #: Whether an input's values may be in it.
        self.from_input = from_input
        #: The torch operation whose result is in it, besides copies; None without one.
        self.torch = torch
        self.line = line


class Launched:
    def __init__(self, kernel, request, values, key):
        self.kernel = kernel
        #: The key of its specialization, for `kernel_ir`.
        self.key = key
        self.grid = request["grid"]
        #: Scalars and constexprs by name.
        self.kwargs = values

    @property
    def programs(self):
        x, y, z = self.grid
        return x * y * z


class Plan:
    """An answer of the solution, bound to the harness's own inputs."""

    def __init__(self, answer, inputs, files):
        self.steps = answer["steps"]
        self.result = answer["result"]
        self.storages = dict(zip(answer["inputs"], inputs))
        self.origins = {id: Origin("input", True) for id in answer["inputs"]}
        self.constexprs = {(key, args): result for key, args, result in answer["constexprs"]}
        self.files = files
        self.has_inputs = bool(inputs)
        self.launches = []
        #: Requests of the launches, ready to be made again.
        self.requests = []
        #: Lines on which Python read numbers of tensors.
        self.read_lines = []

    def run(self):
        host.call_constexpr = self._constexpr
        for step in self.steps:
            getattr(self, "_" + step["kind"])(step)
        return self

    def again(self):
        """The launches alone: for their time."""
        for text, storages in self.requests:
            bridge.launch(text)
            for storage in storages:
                storage.stale = True

    def _constexpr(self, key, args):
        try:
            return self.constexprs[key, args]
        except KeyError:
            raise Unsupported("a constexpr_function of the program was not called with these arguments there") from None

    def _storage(self, id):
        if id not in self.storages:
            raise Unsupported("the program's memory cannot be followed here")
        return self.storages[id]

    def _new(self, step):
        self.storages[step["storage"]] = core.Storage(step["bytes"], core.CUDA, tuple(step["fill"]))
        self.origins[step["storage"]] = Origin("nothing")

    def _data(self, step):
        id, data = step["storage"], base64.b64decode(step["bytes"])
        if self.origins.get(id, Origin("data")).writer == "input":
            raise Unsupported("the program writes into its inputs from Python")
        storage = self.storages.get(id)
        if storage is None or storage.nbytes != len(data):
            storage = self.storages[id] = core.Storage(len(data), core.CUDA)
        if data:
            storage.bytes().assign(data)
            bridge.storage_written(storage.id)
        self.origins[id] = Origin("data")

    def _torch(self, step):
        asked = json.loads(step["request"])
        count = len(asked["out"])
        outs, ins = step["storages"][:count], step["storages"][count:]
        if not outs:
            self.read_lines.append(step["line"])
            return
        storages = [self._storage(id) for id in step["storages"]]
        buffers = [storage.bytes() for storage in storages]
        bridge.numerics(step["request"], buffers)
        for id in outs:
            bridge.storage_written(self.storages[id].id)
        sources = [self.origins[id] for id in ins]
        copies = asked["op"] == "copy"
        for id in outs:
            old = self.origins[id]
            made = self._copied(sources) if copies else self._computed(asked, sources, step["line"])
            if old.torch and not made.torch:
                # It may be in what was not written over.
                made = Origin(old.writer, True, old.torch, old.line)
            self.origins[id] = made

    def _copied(self, sources):
        """Of a copy; one of a constant has no source."""
        for source in sources:
            return Origin(source.writer, source.from_input, source.torch, source.line)
        return Origin("nothing")

    def _computed(self, asked, sources, line):
        name = asked["f"] or asked["op"]
        before = next((one for one in sources if one.torch), None)
        from_input = any(one.from_input for one in sources)
        if before:
            return Origin("torch", from_input, before.torch, before.line)
        return Origin("torch", from_input, name if from_input else None, line)

    def _launch(self, step):
        program = json.loads(step["program"])
        entry = program["functions"][program["entry"]]
        text = step["program"]
        if text not in _programs:
            _programs[text] = bridge.program_register(text)
        if step["reached"]:
            raise Unsupported("the program passes addresses of tensors in memory, which cannot be followed here")
        request = dict(step["request"], program=_programs[text], accesses=True)
        request.update(warmup=False, ahead=False, code=False, describe=False)
        ids, values = [], []
        for value in request["values"]:
            if value and "storage" in value:
                ids.append(value["storage"])
                value = dict(value, storage=self._storage(value["storage"]).id)
            values.append(value)
        request["values"] = values
        text = json.dumps(request)
        answer = bridge.launch(text)
        if not answer["ok"]:
            from triton.runtime.jit import launch_error

            raise launch_error(answer)
        if not all(request["grid"]):
            return
        storages = [self.storages[id] for id in ids]
        for storage in storages:
            storage.stale = True
        own = self.files is None or self.files.get(entry["file"]) == program["files"].get(entry["file"])
        self.requests.append((text, storages))
        self.launches.append(Launched(entry["name"], request, _values(request), answer["key"]))
        self._note(answer.get("accesses"), ids, own, entry["name"], request["site"]["line"])

    def _note(self, accesses, ids, own, name, line):
        """What the launch wrote owes its values to what it read. Without facts: to everything that it was given."""
        everything = {"read": range(len(ids)), "written": range(len(ids))}
        accesses = accesses or everything
        sources = [self.origins[ids[i]] for i in accesses["read"]]
        before = next((one for one in sources if one.torch), None)
        tables = [self.storages[ids[i]].nbytes for i in accesses["read"] if self.origins[ids[i]].writer == "data"]
        for i in accesses["written"]:
            old = self.origins[ids[i]]
            if not self.has_inputs and max(tables, default=0) >= self.storages[ids[i]].nbytes:
                # Without inputs a table of results differs from one of constants in its size alone.
                before = before or Origin("data", False, "a table as large as the result", line)
            from_input = old.from_input and old.writer != "input" or any(one.from_input for one in sources)
            if not own:
                self.origins[ids[i]] = Origin("torch", from_input, name, line)
            elif before or old.torch:
                source = before or old
                self.origins[ids[i]] = Origin("kernel", from_input, source.torch, source.line)
            else:
                self.origins[ids[i]] = Origin("kernel", from_input)

    # ── results ─────────────────────────────────────────────────────────────────────────────────

    def value(self, encoded, tensors):
        """The result, with tensors on the harness's memory; `tensors` gets (tensor, origin, class)."""
        kind, given = encoded
        if kind == "tensor":
            storage = self._storage(given["storage"])
            dtype = getattr(torch, given["dtype"])
            t = make(
                storage, dtype, core.CUDA, core.Size(given["shape"]), tuple(given["strides"]), given["offset"]
            )
            tensors.append((t, self.origins[given["storage"]], given["class"]))
            return t
        if kind == "float":
            return float(given)
        if kind in ("list", "tuple"):
            return (list if kind == "list" else tuple)(self.value(each, tensors) for each in given)
        if kind == "dict":
            return {name: self.value(each, tensors) for name, each in given}
        if kind == "other":
            raise Unsupported(f"the result has a {given}, which cannot be checked")
        return given


def _values(request):
    """Scalars and constexprs of a launch by the names of their parameters."""
    found = {}
    for label in request["labels"]:
        name, sep, value = label.partition(" = ")
        if sep:
            found[name] = int(value) if value.lstrip("-").isdigit() else value
    return found
