"""The one place where Python meets JavaScript: the bridge's calls, made synchronous.

A bridge method answers with its value, or with a promise where it has to wait for the GPU; `wait`
takes both. `numerics_calls` counts the operations computed on the CPU, so that a benchmark has
whether its time is the GPU's alone.
"""

import builtins
import json
import sys
import weakref
from json import dumps as _dumps

import _hippocamp as _js
import _hippocamp_numerics as _numerics
from js import JSON, Uint8Array
from pyodide.ffi import JsException, JsProxy, run_sync

numerics_calls = 0
#: A Stop or an exit, no `Exception`, that ended a function which the compiler called.
passing = None
#: The CUDA graph that records launches and operations, while there is one.
capture = None
#: The profile of `triton.profiler` that records, while there is one.
profile = None
#: Benchmarks that are being measured, one inside the other.
benchmarks = 0
#: Launches so far; a benchmark of none is the CPU's alone.
launch_calls = 0
_numerics_run = _numerics.run
#: Keeps a Stop from Python for a while; None where there is no Stop.
_hold_stop = getattr(_js, "hold_stop", None)


#: Classes of values without a promise or an error: looking for them costs more than most calls.
_PLAIN = {int, float, bool, str, type(None), type(Uint8Array.new(1))}


def wait(value):
    if value.__class__ in _PLAIN:
        return value
    if hasattr(value, "then"):  # A JsProxy of a promise, or Pyodide's future of one.
        # A Stop waits for the program: in the callbacks of Python's event loop nobody would catch
        # it.
        if _hold_stop is None:
            value = run_sync(value)
        else:
            _hold_stop(True)
            try:
                value = run_sync(value)
            finally:
                _hold_stop(False)
    # Also without a promise: where Python cannot be suspended, calls block and errors are answers.
    if isinstance(value, JsProxy):
        rejected = getattr(value, "rejected", None)
        if rejected is not None:
            raise python_error(rejected)
    return value


def python_error(error):
    """The runtime's error as Python's of the same name, with its diagnostics."""
    made = error_of(getattr(error, "name", ""), error.message)
    found = getattr(error, "diagnostics", None)
    if found is not None:
        try:
            made.diagnostics = json.loads(JSON.stringify(found))
        except Exception:
            pass
    return made


def error_of(kind, message):
    if kind in ("MemoryError", "OutOfMemoryError"):
        from torch import OutOfMemoryError

        return OutOfMemoryError(f"CUDA out of memory. {message}")
    return _ERRORS.get(kind, RuntimeError)(message)


_ERRORS = {
    "IndexError": IndexError,
    "ValueError": ValueError,
    "KeyboardInterrupt": KeyboardInterrupt,
}


def _call(method, *args):
    """What the method answers. @raises the runtime's errors as Python's."""
    try:
        return wait(method(*args))
    except JsException as error:
        raise python_error(error) from None


def environment():
    return json.loads(wait(_js.environment()))


#: The program's stdout and stderr. What they hold back goes out before anything else is reported,
#: so that the events stand in the program's order.
streams = ()


def flush_prints():
    for stream in streams:
        stream.flush()


def emit(event):
    """Sends a ProgramEvent. Infinities and NaN must already be strings or null."""
    if event["type"] != "print":
        flush_prints()
    _js.emit(_dumps(event, allow_nan=False))


def catch_up():
    """What a profile put off is done now: a tensor is about to be read or written."""
    if profile is not None:
        profile.catch_up()


def numerics(request, buffers):
    """Runs one operation of app/numerics. `buffers`: of the results, then of the operands, each the bytes or, of
    a tensor of the CPU, 4 times its storage's id and how it is used (`Bridge.storage_bytes`)."""
    global numerics_calls
    numerics_calls += 1
    if profile is not None:
        return profile.numeric(request, lambda: _numerics_run(request, *buffers))
    return _numerics_run(request, *buffers)


#: The storages there are, by id.
storages = weakref.WeakValueDictionary()


def mark_reached(ids):
    """A kernel may have written these storages by their addresses."""
    history = sys.modules["torch._history"]
    for id in ids:
        storage = storages.get(id)
        if storage is not None:
            storage.stale = True
            history.reached(storage)


def storage_create(nbytes, *fill):
    return _call(_js.storage_create, nbytes, *fill)


def storage_address(storage, host):
    return int(wait(_js.storage_address(storage, host)))


def storage_read(storage):
    return _call(_js.storage_read, storage)


def storage_written(storage):
    wait(_js.storage_written(storage))


def storage_release(storage):
    _js.storage_release(storage)


def tensor_hold(t, budget):
    """Keeps a copy of a tensor's elements for the page. @returns its id, or None."""
    if t.dtype.is_complex or not t.numel():
        return None
    catch_up()
    request = {
        "storage": t._storage.id,
        "dtype": t.dtype.name,
        "shape": list(t._shape),
        "strides": list(t._strides),
        "offset": t._offset,
        "budget": budget,
    }
    try:
        return wait(_js.tensor_hold(json.dumps(request))) or None
    except JsException:
        return None  # A GPU that was lost: the tensor cannot be read, which its summary says.


def tensor_place(t, budget):
    """A `TensorPlace`."""
    return {
        "storage": t._storage.id,
        "offset": t._offset,
        "strides": list(t._strides),
        "dtype": t.dtype.name,
        "data": tensor_hold(t, budget),
    }


def exchange(text):
    """Sends a text to the other side of a check, unless it is empty. @returns the next one from there; '' where there
    is no other side, or it has ended."""
    flush_prints()
    return wait(_js.exchange(text))


def program_register(program):
    return wait(_js.program_register(program))


def launch(request):
    """A LaunchRequest as JSON. @returns the LaunchResponse."""
    global launch_calls
    launch_calls += 1
    flush_prints()
    try:
        return json.loads(wait(_js.launch(request)))
    except JsException as error:
        raise python_error(error) from None


_relaunch = _js.relaunch


def relaunch(prepared, storages):
    """A launch that was made before, on these storages' ids. @returns whether it could be: else it must be
    requested in full."""
    global launch_calls
    answer = _relaunch(prepared, *storages)
    if answer == "":
        launch_calls += 1
        return None
    if answer == "anew":
        return answer
    answer = wait(answer)
    launch_calls += 1
    return json.loads(answer) if answer else None


def graph_create(launches):
    """Launches that `graph_launch` makes together: of each what `relaunch` takes. @returns their number."""
    return _js.graph_create(json.dumps(launches))


def graph_launch(graph, count):
    """Makes the launches of a graph, `count` of them. @returns how many were made, and the `LaunchResponse` of one
    that failed, or None: the next one must be requested in full, where there is one."""
    global launch_calls
    flush_prints()
    answer = wait(_js.graph_launch(graph))
    if answer == "":
        launch_calls += count
        return count, None
    made, _, failure = answer.partition(" ")
    launch_calls += int(made)
    return int(made), None if failure == "anew" else json.loads(failure)


def graph_release(graph):
    _js.graph_release(graph)


#: The point of a chart that is being measured, and its fraction: progress within it names it, too.
_point = ("", None)


def point_progress(text, fraction=None):
    """Reports a chart's progress; an empty text ends it."""
    global _point
    _point = (text, fraction)
    emit({"type": "progress", "text": text, "fraction": fraction})


def progress(text, fraction=None):
    """Reports what goes on, within a chart's point where there is one; an empty text ends it."""
    point, share = _point
    if not point:
        emit({"type": "progress", "text": text, "fraction": fraction})
    else:
        emit({"type": "progress", "text": f"{point} · {text}" if text else point, "fraction": share})


def kernel_facts(key):
    return json.loads(wait(_js.kernel_facts(key)))


def kernel_ir(key, profile, question):
    """The answer to a question about a kernel of this run, as the GPU of this profile would get it.
    @raises ValueError where there is none"""
    found = json.loads(wait(_js.kernel_ir(key, profile, question)))
    if "error" in found:
        raise ValueError(found["error"])
    return found["answer"]


def synchronize():
    """Waits for the GPU, and raises what the launches reported."""
    if capture is not None:
        capture.refuse()
    flush_prints()
    text = _call(_js.synchronize)
    if text:
        answer = json.loads(text)
        if not answer.get("ok", True):
            made = error_of(answer["kind"], answer["message"])
            made.diagnostics = answer.get("diagnostics", [])
            raise made


def capture_prints(on):
    """What kernels printed since the last call; kept, and not reported, while `on`."""
    return wait(_js.capture_prints(on))


def bench_mark(on, silent=False):
    """Says whether the launches from here on are a benchmark's own.

    :param silent: what their kernels print is dropped: the program did not ask for the launches.
    """
    global benchmarks
    benchmarks += 1 if on else -1
    catch_up()
    _js.bench_mark(on, silent)


def autotune_mark(on):
    """Says whether an autotuner measures its configurations: no schedule of ours is searched meanwhile."""
    catch_up()
    _js.autotune_mark(on)


def bench_begin():
    _call(_js.bench_begin)


def bench_end(milliseconds, cpu_work, best=0):
    return json.loads(_call(_js.bench_end, milliseconds, cpu_work, best))


def profile_slot(slot):
    _js.profile_slot(slot)


def profile_times():
    return json.loads(wait(_js.profile_times()))


def tuned(key):
    """What was kept under this key; None where nothing is, or it is no JSON."""
    text = wait(_js.tuned(key))
    try:
        return json.loads(text) if text else None
    except ValueError:
        return None


def remember_tuned(key, value):
    _js.remember_tuned(key, json.dumps(value))
