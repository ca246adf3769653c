"""Lets PyTorch's Inductor write Triton modules on a machine without a GPU: it is shown an H100.

For PyTorch 2.13. Import before anything compiles. Nothing runs on the pretended device: its tensors are
fake ones.
"""

from unittest.mock import patch

import torch
import torch._functorch.config
import torch._inductor.config as config
import torch._inductor.fx_passes.reinplace as reinplace
import torch._inductor.scheduler as scheduler
import torch._inductor.select_algorithm as torch_select
import torch._prims as prims
import torch.utils._triton as torch_triton
import triton
from torch._dynamo.device_interface import CudaInterface
from torch._inductor.runtime.hints import DeviceProperties
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.nn.attention import flex_attention
from torch.utils._pytree import tree_map
from triton.backends.compiler import GPUTarget

config.fx_graph_cache = False
config.compile_threads = 1
config.autotune_local_cache = False
torch._functorch.config.enable_autograd_cache = False

H100 = DeviceProperties(
    type="cuda", index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536,
    max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32,
)  # fmt: skip


class Properties:
    name, gcnArchName, warp_size = "H100", "", 32
    major, minor, multi_processor_count, total_memory = 9, 0, 132, 80 << 30
    regs_per_multiprocessor, max_threads_per_multi_processor = 65536, 2048
    shared_memory_per_block_optin, shared_memory_per_multiprocessor = 232448, 233472
    L2_cache_size = 50 << 20


def _always(value):
    return lambda *_, **__: value


DeviceProperties.create = classmethod(_always(H100))
torch_triton.has_triton = scheduler.has_triton = _always(True)
torch_triton.triton_hash_with_backend = _always("X")
for _name, _value in {
    "is_available": True, "get_compute_capability": 90, "current_device": 0, "device_count": 1,
    "maybe_exchange_device": 0,
}.items():  # fmt: skip
    setattr(CudaInterface, _name, staticmethod(_always(_value)))
CudaInterface.Worker.get_device_properties = staticmethod(_always(Properties))
CudaInterface.Worker.current_device = staticmethod(_always(0))
for _name, _value in {
    "get_device_properties": Properties, "get_device_capability": (9, 0), "current_device": 0,
    "is_available": True, "device_count": 1, "_lazy_init": None, "_exchange_device": 0,
    "_maybe_exchange_device": 0, "set_device": None, "synchronize": None, "set_rng_state": None,
    "get_rng_state": torch.zeros(16, dtype=torch.uint8),
}.items():  # fmt: skip
    setattr(torch.cuda, _name, _always(_value))

class Driver:
    """Answers what a launch of the program's own kernels is traced for; nothing is launched."""

    get_current_target = staticmethod(_always(GPUTarget("cuda", 90, 32)))
    get_current_device = staticmethod(_always(0))
    get_active_torch_device = staticmethod(_always(torch.device("cuda", 0)))
    get_device_properties = staticmethod(_always({"max_shared_mem": 232448}))
    get_current_stream = staticmethod(_always(0))
    get_benchmarker = staticmethod(_always(None))


triton.runtime.driver.set_active(Driver())

# Flexible attention has gradients and all its results on the CPU too, where graphs are traced.
flex_attention._validate_device = _always(None)
_apply_options = flex_attention._apply_kernel_options


def _with_all_results(*args, **kwargs):
    return {**_apply_options(*args, **kwargs), "OUTPUT_LOGSUMEXP": True, "OUTPUT_MAX": True}


flex_attention._apply_kernel_options = _with_all_results

# Nothing can be timed: of a template's candidates the first is taken.
_select = torch_select.AlgorithmSelectorCache.__call__


def _first_choice(self, name, choices, *args, **kwargs):
    written = [c for c in choices if isinstance(c, torch_select.TritonTemplateCaller)]
    return _select(self, name, (written or choices)[:1], *args, **kwargs)


torch_select.AlgorithmSelectorCache.__call__ = _first_choice

# Its own meta function indexes the seeds, which reads the absent device.
torch.ops.prims.inductor_lookup_seed.default.prim_meta_impl = lambda seeds, index: prims.TensorMeta(
    shape=(), strides=(), dtype=torch.int64, device=seeds.device
)

# Operations whose meta function reads the absent device (indexing by tensors) are worked out on the
# CPU.
_dispatch = FakeTensorMode.dispatch


def _moved(mode, value, device):
    if not isinstance(value, FakeTensor) or value.device.type not in ("cpu", "cuda"):
        return value
    return FakeTensor(mode, torch.empty_strided(value.size(), value.stride(), dtype=value.dtype, device="meta"), device)


def _dispatch_anywhere(self, func, types, args=(), kwargs=None):
    try:
        return _dispatch(self, func, types, args, kwargs)
    except RuntimeError as error:
        if "not linked with support for cuda" not in str(error):
            raise
    on_cpu = tree_map(lambda value: _moved(self, value, torch.device("cpu")), (args, kwargs or {}))
    result = _dispatch(self, func, types, *on_cpu)
    return tree_map(lambda value: _moved(self, value, torch.device("cuda", 0)), result)


FakeTensorMode.dispatch = _dispatch_anywhere


# Copies read the absent device before any mode sees them; a scatter makes one for its shape alone.
_scatter = reinplace._inplace_generalized_scatter


def _copied(tensor, source, *_):
    source.expand(tensor.shape)
    return tensor


def _scatter_anywhere(*args):
    with patch.object(torch.Tensor, "copy_", _copied):
        return _scatter(*args)


reinplace._inplace_generalized_scatter = _scatter_anywhere
