"""The solution's side of a check. It runs in a worker of its own, loads the program, calls its functions with what
the harness sends, and reports what each call did as a plan: the memory it made, torch's operations, the kernels it
launched.

Nothing here is believed. The values that a call gets are not those that are checked, and the harness (`replay.py`)
carries the plan out itself, on its own memory: a program that changes this file's functions changes its plan, and
nothing else.
"""

import base64
import importlib.util
import json
import sys
import types

import torch
import _hippocamp_bridge as bridge
import _hippocamp_host as host
from torch import _core as core, _history
from torch._tensor import make
from triton.runtime.jit import call_site


class Recorder:
    """Steps of one call, by the ids that storages have in this worker."""

    def __init__(self):
        self.steps = []
        self.known = set()
        self.recording = False
        #: Texts of the programs that were registered, by id.
        self.programs = {}
        self.constexprs = []
        self.ignored = []
        self.original = {
            name: getattr(bridge, name)
            for name in ("storage_create", "storage_written", "numerics", "launch", "relaunch", "program_register")
        }
        self.call_constexpr = host.call_constexpr

    def install(self):
        for name in self.original:
            setattr(bridge, name, getattr(self, name))
        host.call_constexpr = self.constexpr

    def uninstall(self):
        for name, function in self.original.items():
            setattr(bridge, name, function)
        host.call_constexpr = self.call_constexpr

    def begin(self, known):
        self.steps, self.known, self.recording = [], set(known), True

    def end(self):
        self.recording = False
        return self.steps

    def touch(self, id):
        """Contents of a storage from before the call are part of the plan."""
        if id in self.known or not self.recording:
            return
        self.known.add(id)
        data = self.original_read(id)
        self.steps.append({"kind": "data", "storage": id, "bytes": base64.b64encode(data).decode()})

    def original_read(self, id):
        return bridge.storage_read(id).to_bytes()

    def storage_create(self, nbytes, *fill):
        id = self.original["storage_create"](nbytes, *fill)
        if self.recording:
            self.known.add(id)
            self.steps.append({"kind": "new", "storage": id, "bytes": nbytes, "fill": list(fill)})
        return id

    def storage_written(self, id):
        self.original["storage_written"](id)
        if id in self.ignored:
            self.ignored.remove(id)
        elif self.recording:
            self.known.discard(id)
            self.touch(id)

    def numerics(self, request, buffers):
        if not self.recording:
            return self.original["numerics"](request, buffers)
        views = {id(one._view): one.id for one in list(bridge.storages.values()) if one._view is not None}
        ids = [each // 4 if each.__class__ is int else views.get(id(each), -1) for each in buffers]
        for each in ids:
            self.touch(each)
        answer = self.original["numerics"](request, buffers)
        asked = json.loads(request)
        outs = len(asked["out"])
        self.ignored = [each for each, buffer in zip(ids[:outs], buffers) if buffer.__class__ is not int]
        if outs == len(ids) and asked["op"] != "copy":
            # Random numbers are those that were drawn here.
            for each in ids:
                self.known.discard(each)
                self.touch(each)
            return answer
        line = call_site()["line"]
        self.steps.append({"kind": "torch", "request": request, "storages": ids, "line": line})
        return answer

    def program_register(self, text):
        id = self.original["program_register"](text)
        self.programs[id] = text
        return id

    def constexpr(self, key, args):
        result = self.call_constexpr(key, args)
        self.constexprs.append([key, args, result])
        return result

    def relaunch(self, prepared, storages):
        if not self.recording:
            return self.original["relaunch"](prepared, storages)
        return "anew"

    def launch(self, text):
        request = json.loads(text)
        counts = self.recording and not request["warmup"] and bridge.benchmarks == 0
        if counts:
            for value in request["values"]:
                if value and "storage" in value:
                    self.touch(value["storage"])
        answer = self.original["launch"](text)
        if counts and answer["ok"]:
            self.steps.append(
                {
                    "kind": "launch",
                    "request": {**request, "program": 0},
                    "program": self.programs.get(request["program"], ""),
                    "reached": "reached" in answer,
                }
            )
        return answer


# ── values on their way ─────────────────────────────────────────────────────────────────────────


def decode(value, storages):
    kind, given = value
    if kind == "tensor":
        dtype = getattr(torch, given["dtype"])
        t = make(
            storages[given["storage"]], dtype, core.CUDA, core.Size(given["shape"]), tuple(given["strides"]), given["offset"]
        )
        return t.requires_grad_() if given["grad"] else t
    if kind == "float":
        return float(given)
    if kind == "dtype":
        return getattr(torch, given)
    if kind in ("list", "tuple"):
        return (list if kind == "list" else tuple)(decode(each, storages) for each in given)
    if kind == "dict":
        return {name: decode(each, storages) for name, each in given}
    return given


def encode(value):
    if isinstance(value, torch.Tensor):
        kept.append(value)
        return [
            "tensor",
            {
                "class": type(value).__name__,
                "storage": value._storage.id,
                "dtype": value.dtype.name,
                "shape": list(value._shape),
                "strides": list(value._strides),
                "offset": value._offset,
            },
        ]
    if isinstance(value, bool) or value is None or isinstance(value, (int, str)):
        return ["plain", value]
    if isinstance(value, float):
        return ["float", repr(float(value))]
    if isinstance(value, (list, tuple)):
        return ["tuple" if isinstance(value, tuple) else "list", [encode(each) for each in value]]
    if isinstance(value, dict):
        return ["dict", [[str(name), encode(each)] for name, each in value.items()]]
    return ["other", type(value).__name__]


#: Tensors of the last answer: their storages must not be released before the next call.
kept = []


def storage_of(text):
    data = base64.b64decode(text)
    storage = core.Storage(len(data), core.CUDA)
    if data:
        storage.bytes().assign(data)
        bridge.storage_written(storage.id)
    return storage


# ── serving ─────────────────────────────────────────────────────────────────────────────────────


def load(path):
    spec = importlib.util.spec_from_file_location("solution", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["solution"] = module
    spec.loader.exec_module(module)
    return module


def configs_of(kernel):
    return [dict(config.all_kwargs()) for config in getattr(kernel, "configs", [])]


def use_config(kernel, number, all_of):
    """Leaves one configuration of a tuned kernel, or all of them."""
    configs = all_of.setdefault(id(kernel), list(kernel.configs))
    kernel.configs[:] = configs if number is None else [configs[number]]
    kernel.cache.clear()


def call(module, recorder, request):
    storages = [storage_of(text) for text in request["storages"]]
    args = [decode(each, storages) for each in request["args"]]
    kwargs = {name: decode(each, storages) for name, each in request["kwargs"]}
    function = getattr(module, request["function"])
    ids = [storage.id for storage in storages]
    recorder.begin(ids)
    try:
        if request.get("gradient"):
            gradient = decode(request["gradient"], storages)
            function(*args, **kwargs).backward(gradient)
            result = [each.grad for each in args if isinstance(each, torch.Tensor) and each.requires_grad]
        else:
            result = function(*args, **kwargs)
        kept.clear()
        encoded = encode(result)
        for each in kept:
            recorder.touch(each._storage.id)
    finally:
        steps = recorder.end()
    return {"inputs": ids, "steps": steps, "result": encoded, "constexprs": recorder.constexprs}


def answer(module, recorder, request, all_configs):
    kind = request["kind"]
    if kind == "call":
        return call(module, recorder, request)
    if kind == "has":
        return {"has": hasattr(module, request["name"])}
    if kind == "configs":
        return {"configs": configs_of(getattr(module, request["name"]))}
    if kind == "use":
        use_config(getattr(module, request["name"]), request["number"], all_configs)
        return {}
    raise ValueError(kind)


def serve(path):
    recorder = Recorder()
    recorder.install()
    # Comparisons of the program decide nothing here, and their steps would be part of its plan.
    _history.enabled = False
    try:
        answer_calls(path, recorder)
    finally:
        recorder.uninstall()
        _history.enabled = True
        kept.clear()
        sys.modules.pop("solution", None)


def answer_calls(path, recorder):
    send, loads, dumps = bridge.exchange, json.loads, json.dumps
    module = load(path)
    all_configs = {}
    text = send(dumps({"loaded": True}))
    while text:
        try:
            said = answer(module, recorder, loads(text), all_configs)
        except Exception as error:
            host._report(error)
            said = {"error": f"{type(error).__name__}: {str(error).strip().splitlines()[0] if str(error).strip() else ''}"}
        text = send(dumps(said))
