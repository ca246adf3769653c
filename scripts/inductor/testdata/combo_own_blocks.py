# AOT ID: ['1_inference']
from ctypes import c_void_p, c_long, c_int
import torch
import math
import random
import os
import tempfile
from math import inf, nan
from cmath import nanj
from torch._inductor.hooks import run_intermediate_hooks
from torch._inductor.utils import maybe_profile
from torch._inductor.codegen.memory_planning import _align as align
from torch import device, empty_strided
from torch._inductor.async_compile import AsyncCompile
from torch._inductor.select_algorithm import extern_kernels
from torch._C._dynamo.guards import copy_if_misaligned
from torch._C import _cuda_getCurrentRawStream as get_raw_stream
import triton
import triton.language as tl
from torch._inductor.runtime.triton_heuristics import start_graph, end_graph
from torch._C import _cuda_getCurrentRawStream as get_raw_stream

aten = torch.ops.aten
inductor_ops = torch.ops.inductor
_quantized = torch.ops._quantized
assert_size_stride = torch._C._dynamo.guards.assert_size_stride
assert_alignment = torch._C._dynamo.guards.assert_alignment
empty_strided_cpu = torch._C._dynamo.guards._empty_strided_cpu
empty_strided_cpu_pinned = torch._C._dynamo.guards._empty_strided_cpu_pinned
empty_strided_cuda = torch._C._dynamo.guards._empty_strided_cuda
empty_strided_xpu = torch._C._dynamo.guards._empty_strided_xpu
empty_strided_mtia = torch._C._dynamo.guards._empty_strided_mtia
reinterpret_tensor = torch._C._dynamo.guards._reinterpret_tensor
alloc_from_pool = torch.ops.inductor._alloc_from_pool
async_compile = AsyncCompile()
empty_strided_p2p = torch._C._distributed_c10d._SymmetricMemory.empty_strided_p2p


# kernel path: /tmp/torchinductor_root/fa/cfacbmvoyvdgouuvmawvpvhjminj4rwpatckb25j75s57psnurqf.py
# Unsorted Source Nodes: [], Original ATen: []
# Source node to ATen node mapping:
triton_per_fused_0 = async_compile.triton('triton_per_fused_0', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties

@triton_heuristics.persistent_reduction(
    size_hints={'x': 1, 'r0_': 512},
    reduction_hint=ReductionHint.INNER,
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*fp32', 'in_ptr1': '*fp32', 'in_ptr2': '*fp32', 'out_ptr0': '*fp32', 'out_ptr1': '*fp32', 'out_ptr2': '*fp32', 'XBLOCK_0': 'constexpr', 'XBLOCK_1': 'constexpr', 'XBLOCK_2': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'SequentialFlattenComboKernelGrid', 'combo_grid_meta': {'num_kernels': 3, 'min_blocks': 0, 'autotune_grouping': True, 'default_config': None, 'no_x_dim_0': None, 'heuristic_0': 'persistent_reduction', 'size_hints_0': {'x': 1, 'r0_': 512}, 'inductor_meta_0': {'no_x_dim': None, 'atomic_add_found': False, 'num_load': 1, 'num_store': 1, 'num_reduction': 1, 'autotune_hints': set(), 'tiling_scores': {'r0_': 1200}}, 'reduction_hint_0': 'INNER', 'xnumel_0': 1, 'no_x_dim_1': None, 'heuristic_1': 'persistent_reduction', 'size_hints_1': {'x': 32, 'r0_': 32}, 'inductor_meta_1': {'no_x_dim': None, 'atomic_add_found': False, 'num_load': 1, 'num_store': 1, 'num_reduction': 1, 'autotune_hints': set(), 'tiling_scores': {'x': 160, 'r0_': 2400}}, 'reduction_hint_1': 'INNER', 'xnumel_1': 20, 'no_x_dim_2': None, 'heuristic_2': 'persistent_reduction', 'size_hints_2': {'x': 8, 'r0_': 128}, 'inductor_meta_2': {'no_x_dim': None, 'atomic_add_found': False, 'num_load': 1, 'num_store': 1, 'num_reduction': 1, 'autotune_hints': set(), 'tiling_scores': {'x': 49, 'r0_': 2800}}, 'reduction_hint_2': 'INNER', 'xnumel_2': 7}, 'kernel_name': 'triton_per_fused_0', 'mutated_arg_names': [], 'optimize_mem': True, 'backend_hash': 'X', 'assert_indirect_indexing': True, 'autotune_local_cache': False, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'incremental_autotune': False, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'batch_invariant': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': True, 'dynamic_disable_pipelining': True, 'are_deterministic_algorithms_enabled': False}
)
@triton.jit
def triton_per_fused_0(in_ptr0, in_ptr1, in_ptr2, out_ptr0, out_ptr1, out_ptr2, XBLOCK_0 : tl.constexpr, XBLOCK_1 : tl.constexpr, XBLOCK_2 : tl.constexpr):
    pid = tl.program_id(0)
    x_blocks_0 = tl.cdiv(1, XBLOCK_0)
    num_blocks_0 = x_blocks_0
    x_blocks_1 = tl.cdiv(20, XBLOCK_1)
    num_blocks_1 = num_blocks_0 + x_blocks_1
    x_blocks_2 = tl.cdiv(7, XBLOCK_2)
    num_blocks_2 = num_blocks_1 + x_blocks_2
    if pid < num_blocks_0:
        local_pid = pid
        x_pid_offset = local_pid
        xnumel = 1
        r0_numel = 300
        R0_BLOCK_0: tl.constexpr = 512
        rnumel = r0_numel
        RBLOCK: tl.constexpr = R0_BLOCK_0
        xoffset = x_pid_offset * XBLOCK_0
        xindex = xoffset + tl.arange(0, XBLOCK_0)[:, None]
        xmask = xindex < xnumel
        r0_index = tl.arange(0, R0_BLOCK_0)[None, :]
        r0_offset = 0
        r0_mask = r0_index < r0_numel
        roffset = r0_offset
        rindex = r0_index
        r0_0 = r0_index
        tmp0 = tl.load(in_ptr0 + (r0_0), r0_mask, eviction_policy='evict_first', other=0.0)
        tmp1 = tl.broadcast_to(tmp0, [XBLOCK_0, R0_BLOCK_0])
        tmp3 = tl.where(r0_mask & xmask, tmp1, 0)
        tmp4 = tl.sum(tmp3, 1)[:, None].to(tl.float32)
        tl.store(out_ptr0 + (tl.full([1, 1], 0, tl.int32).broadcast_to(XBLOCK_0, 1)), tmp4, xmask)
    elif pid < num_blocks_1:
        local_pid = pid - num_blocks_0
        x_pid_offset = local_pid
        xnumel = 20
        r0_numel = 30
        R0_BLOCK_1: tl.constexpr = 32
        rnumel = r0_numel
        RBLOCK: tl.constexpr = R0_BLOCK_1
        xoffset = x_pid_offset * XBLOCK_1
        xindex = xoffset + tl.arange(0, XBLOCK_1)[:, None]
        xmask = xindex < xnumel
        r0_index = tl.arange(0, R0_BLOCK_1)[None, :]
        r0_offset = 0
        r0_mask = r0_index < r0_numel
        roffset = r0_offset
        rindex = r0_index
        r0_2 = r0_index
        x1 = xindex
        tmp5 = tl.load(in_ptr1 + (r0_2 + 30*x1), r0_mask & xmask, eviction_policy='evict_first', other=0.0)
        tmp6 = tl.broadcast_to(tmp5, [XBLOCK_1, R0_BLOCK_1])
        tmp8 = tl.where(r0_mask & xmask, tmp6, 0)
        tmp9 = tl.sum(tmp8, 1)[:, None].to(tl.float32)
        tl.store(out_ptr1 + (x1), tmp9, xmask)
    elif pid < num_blocks_2:
        local_pid = pid - num_blocks_1
        x_pid_offset = local_pid
        xnumel = 7
        r0_numel = 100
        R0_BLOCK_2: tl.constexpr = 128
        rnumel = r0_numel
        RBLOCK: tl.constexpr = R0_BLOCK_2
        xoffset = x_pid_offset * XBLOCK_2
        xindex = xoffset + tl.arange(0, XBLOCK_2)[:, None]
        xmask = xindex < xnumel
        r0_index = tl.arange(0, R0_BLOCK_2)[None, :]
        r0_offset = 0
        r0_mask = r0_index < r0_numel
        roffset = r0_offset
        rindex = r0_index
        r0_4 = r0_index
        x3 = xindex
        tmp10 = tl.load(in_ptr2 + (r0_4 + 100*x3), r0_mask & xmask, eviction_policy='evict_first', other=0.0)
        tmp11 = tl.broadcast_to(tmp10, [XBLOCK_2, R0_BLOCK_2])
        tmp13 = tl.where(r0_mask & xmask, tmp11, float("-inf"))
        tmp14 = triton_helpers.max2(tmp13, 1)[:, None].to(tl.float32)
        tl.store(out_ptr2 + (x3), tmp14, xmask)
    else:
        pass
''', device_str='cuda')


async_compile.wait(globals())
del async_compile

class Runner:
    def __init__(self, partitions):
        self.partitions = partitions

    def recursively_apply_fns(self, fns):
        new_callables = []
        for fn, c in zip(fns, self.partitions):
            new_callables.append(fn(c))
        self.partitions = new_callables

    def call(self, args):
        arg0_1, arg1_1, arg2_1 = args
        args.clear()
        assert_size_stride(arg0_1, (300, ), (1, ), 'input')
        assert_size_stride(arg1_1, (20, 30), (30, 1), 'input')
        assert_size_stride(arg2_1, (7, 100), (100, 1), 'input')
        with torch.cuda._DeviceGuard(0):
            torch.cuda.set_device(0)
            arg0_1 = copy_if_misaligned(arg0_1)
            arg1_1 = copy_if_misaligned(arg1_1)
            arg2_1 = copy_if_misaligned(arg2_1)
            buf0 = empty_strided_cuda((), (), torch.float32)
            buf1 = empty_strided_cuda((20, ), (1, ), torch.float32)
            buf2 = empty_strided_cuda((7, ), (1, ), torch.float32)
            # Topologically Sorted Source Nodes: [sum_1, sum_2, amax], Original ATen: [aten.sum, aten.amax]
            raw_stream0 = get_raw_stream(0)
            triton_per_fused_0.run(arg0_1, arg1_1, arg2_1, buf0, buf1, buf2, stream=raw_stream0)
            del arg0_1
            del arg1_1
            del arg2_1
        return (buf0, buf1, buf2, )

runner = Runner(partitions=[])
call = runner.call
recursively_apply_fns = runner.recursively_apply_fns


def get_args():
    from torch._dynamo.testing import rand_strided
    arg0_1 = rand_strided((300, ), (1, ), device='cuda:0', dtype=torch.float32)
    arg1_1 = rand_strided((20, 30), (30, 1), device='cuda:0', dtype=torch.float32)
    arg2_1 = rand_strided((7, 100), (100, 1), device='cuda:0', dtype=torch.float32)
    return [arg0_1, arg1_1, arg2_1]


def benchmark_compiled_module(args, times=10, repeat=10):
    from torch._inductor.utils import print_performance
    fn = lambda: call(list(args))
    return print_performance(fn, times=times, repeat=repeat, device='cuda')


if __name__ == "__main__":
    from torch._inductor.wrapper_benchmark import compiled_module_main
    args = get_args()
    compiled_module_main('None', lambda times, repeat: benchmark_compiled_module(args, times=times, repeat=repeat))
