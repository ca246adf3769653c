"""`torch.multiprocessing`: WebAssembly has one process. Programs import this and ask for a start method;
what would start another process says that there is none.
"""

_method = None


def get_all_start_methods():
    return ["spawn"]


def get_start_method(allow_none=False):
    return _method if _method or allow_none else "spawn"


def set_start_method(method, force=False):
    global _method
    if _method is not None and not force:
        raise RuntimeError("context has already been set")
    if method not in ("spawn", "fork", "forkserver"):
        raise ValueError(f"cannot find context for {method!r}")
    _method = method


def get_sharing_strategy():
    return "file_descriptor"


def set_sharing_strategy(new_strategy):
    if new_strategy not in get_all_sharing_strategies():
        raise AssertionError()


def get_all_sharing_strategies():
    return {"file_descriptor", "file_system"}


def cpu_count():
    return 1


def _alone(name):
    def start(*args, **kwargs):
        raise NotImplementedError(
            f"torch.multiprocessing.{name} is not available in Hippocamp: a program has one process. Call the "
            "function itself"
        )

    start.__name__ = name
    return start


_NAMES = """Array Barrier BoundedSemaphore Condition Event JoinableQueue Lock Manager Pipe Pool Process Queue RLock
    Semaphore SimpleQueue SpawnContext Value get_context spawn start_processes""".split()
globals().update({name: _alone(name) for name in _NAMES})
