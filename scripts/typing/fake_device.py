"""A CUDA device that is not there: tensors live on the CPU, launches are handed to a recorder.

Import it before a program: `torch.cuda` answers as an A100 would, `device="cuda"` is the CPU, kernels do
nothing (their outputs keep what they held), and an autotuner takes its first configuration."""

import contextlib
import importlib.abc
import importlib.machinery
import sys
from collections import namedtuple
from types import ModuleType
from unittest.mock import MagicMock

import torch
import triton
import triton.testing
from torch.overrides import TorchFunctionMode
from triton.backends.compiler import GPUTarget
from triton.runtime import autotuner, driver, jit

TARGET = GPUTarget("cuda", 80, 32)
torch.set_num_threads(1)

#: Listeners to launches: `recorder(fn, signature, constexprs, attrs)`.
_recorder = None


class Device(MagicMock):
    def get_current_target(self):
        return TARGET

    def get_current_device(self):
        return 0

    def get_current_stream(self, device=None):
        return 0

    def get_active_torch_device(self):
        return torch.device("cpu")

    def get_device_interface(self):
        return torch.cuda


active = Device()
active.utils.get_device_properties.side_effect = lambda _=0: {
    "multiprocessor_count": 108, "max_shared_mem": 166912, "max_num_regs": 65536, "warpSize": 32,
    "max_threads_per_sm": 2048, "sm_clock_rate": 1410000, "mem_clock_rate": 1215000, "mem_bus_width": 5120,
}  # fmt: skip
driver.set_active(active)


def _compile(self, key, signature, device, constexprs, options, attrs, warmup=False):
    if _recorder is not None:
        _recorder(self, signature, constexprs, attrs)
    kernel = MagicMock()
    kernel.n_regs, kernel.metadata.shared, kernel.n_spills = 32, 1024, 0
    return kernel


jit.JITFunction._do_compile = _compile


def _tuned(self, *args, **kwargs):
    """The first configuration, without measuring."""
    self.nargs = dict(zip(self.arg_names, args))
    configs = self.configs
    with contextlib.suppress(Exception):
        configs = self.prune_configs(kwargs) or configs
    config = configs[0]
    self.best_config = config
    if config.pre_hook is not None:
        config.pre_hook({**self.nargs, **kwargs, **config.all_kwargs()})
    return self.fn.run(*args, **{**kwargs, **config.all_kwargs()})


autotuner.Autotuner.run = _tuned


def _bench(fn, *args, quantiles=None, **kwargs):
    fn()
    return tuple(1.0 for _ in quantiles) if quantiles else 1.0


triton.testing.do_bench = _bench
triton.testing.do_bench_cudagraph = _bench
for name in ("run",):
    setattr(triton.testing.Mark, name, lambda self, *args, **kwargs: None)


# ── torch.cuda ──────────────────────────────────────────────────────────────────────────────────

_Properties = namedtuple(
    "_Properties", "name major minor total_memory multi_processor_count warp_size gcnArchName"
)


def _is_cuda(device):
    if isinstance(device, bool) or isinstance(device, int):
        return isinstance(device, int) and not isinstance(device, bool)
    text = str(device)
    return text.startswith("cuda")


class OnCpu(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        name = getattr(func, "__name__", "")
        if name == "__get__" and getattr(func, "__self__", None) is torch.Tensor.is_cuda:
            return True
        if "device" in kwargs and kwargs["device"] is not None and _is_cuda(kwargs["device"]):
            kwargs["device"] = torch.device("cpu")
        if name == "cuda" and args and isinstance(args[0], torch.Tensor):
            return args[0]
        if name == "to":
            args = tuple(
                torch.device("cpu")
                if isinstance(a, torch.device) and a.type == "cuda" or isinstance(a, str) and _is_cuda(a)
                else a
                for a in args
            )
        return func(*args, **kwargs)


torch.cuda.is_available = lambda: True
torch.cuda.device_count = lambda: 1
torch.cuda.current_device = lambda: 0
torch.cuda.synchronize = lambda *a, **k: None
torch.cuda.get_device_capability = lambda *a: (8, 0)
torch.cuda.get_device_name = lambda *a: "NVIDIA A100"
torch.cuda.get_device_properties = lambda *a: _Properties(
    "NVIDIA A100", 8, 0, 80 << 30, 108, 32, ""
)
torch.cuda.empty_cache = lambda: None
torch.cuda.manual_seed = lambda *a: None
torch.cuda.manual_seed_all = lambda *a: None
torch.cuda.set_device = lambda *a: None
torch.cuda.device = lambda *a: contextlib.nullcontext()
torch.cuda.current_stream = lambda *a: MagicMock()
torch.cuda.stream = lambda *a: contextlib.nullcontext()
torch.cuda.Stream = MagicMock
torch.cuda.Event = MagicMock
torch.cuda.is_bf16_supported = lambda *a, **k: True
torch.cuda.max_memory_allocated = lambda *a, **k: 0
torch.cuda.reset_peak_memory_stats = lambda *a, **k: None
torch.nn.Module.cuda = lambda self, *a: self
_mode = OnCpu()


# ── packages that are not installed ─────────────────────────────────────────────────────────────


class Anything(type):
    """A class of an absent package: every attribute is there."""

    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return MagicMock()


def _decorate(self, *args, **kwargs):
    """A decorator made by an absent package leaves its function as it is."""
    return args[0] if len(args) == 1 and callable(args[0]) else MagicMock()


_MEMBERS = {
    "__init__": lambda self, *a, **k: None,
    "__bool__": lambda self: False,
    "__call__": _decorate,
}


class Absent(ModuleType):
    """Any name of a package that is not here; enough for imports that the kernels do not need."""

    __path__: list = []

    def __getattr__(self, name):
        if name.startswith("__") and name != "__version__":
            raise AttributeError(name)
        if name == "__version__":
            return "99.0.0"
        made = Anything(name, (), dict(_MEMBERS))
        setattr(self, name, made)
        return made


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    NAMES = (
        "einops transformers vllm sgl_kernel flash_attn_2_cuda apex tabulate pandas matplotlib accelerate "
        "packaging scipy yaml zmq uvloop ray rpyc prometheus_client fire datasets sentencepiece cupy "
        "safetensors tqdm deep_gemm deep_ep flashinfer sgl_kernel lightllm_kernel pynvml numba psutil "
        "rotary_emb dropout_layer_norm huggingface_hub sqlalchemy PIL requests fastapi pydantic "
        "setproctitle uvicorn orjson xformers._C torchao torchvision expecttest parameterized"
    ).split()

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in self.NAMES or name in self.NAMES:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        return Absent(spec.name)

    def exec_module(self, module):
        pass


sys.meta_path.append(Finder())


@contextlib.contextmanager
def recording(recorder):
    global _recorder
    _recorder = recorder
    with _mode:
        try:
            yield
        finally:
            _recorder = None


def _cases(function):
    """The arguments with which a test runner would call it, some of them."""
    import inspect
    import itertools

    names = list(inspect.signature(function).parameters)
    axes = []
    for mark in getattr(function, "pytestmark", None) or []:
        if mark.name != "parametrize":
            continue
        given = mark.args[0]
        fields = [n.strip() for n in given.split(",")] if isinstance(given, str) else list(given)
        rows = []
        for row in list(mark.args[1]):
            row = getattr(row, "values", row) if type(row).__name__ == "ParameterSet" else row
            row = tuple(row) if len(fields) > 1 or type(row).__name__ == "ParameterSet" else (row,)
            rows.append(dict(zip(fields, row)))
        axes.append(rows)
    made = 0
    for choice in itertools.product(*axes):
        args = {}
        for part in choice:
            args.update(part)
        if "device" in names:
            args["device"] = "cpu"
        if set(args) != set(names):
            return
        yield args
        made += 1
        if made == 40:
            return


def finish(module):
    """Calls what a test runner would: the functions named test_…."""
    import inspect

    for name, value in list(vars(module).items()):
        if not name.startswith("test") or not inspect.isfunction(value):
            continue
        for args in _cases(value):
            try:
                value(**args)
            except BaseException as error:  # pytest's failures are no Exceptions
                if type(error).__name__ in ("TimeUp", "KeyboardInterrupt"):
                    raise


def _parse(kernel, args=(), kwargs=None, **options):
    kernel[(1,)](*args, **(kwargs or {}))


def _filecheck_test(kernel):
    def test():
        _parse(kernel)

    return test


_filecheck = ModuleType("triton._filecheck")
_filecheck.run_parser = _filecheck.run_filecheck_test = _parse
_filecheck.filecheck_test = _filecheck_test
sys.modules["triton._filecheck"] = _filecheck

with contextlib.suppress(ImportError):
    import triton._internal_testing

    # Tests of other versions ask for more backends than this one has.
    triton._internal_testing.__getattr__ = lambda name: lambda *args, **kwargs: False
