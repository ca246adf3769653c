# AOT ID: ['0_inference']
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


# kernel path: /tmp/torchinductor_root/bm/cbmebszddgdcrnmilzc4owooki4u3ljzl5qcki3ovd4jifiwmooe.py
# Unsorted Source Nodes: [], Original ATen: []
# Source node to ATen node mapping:
triton_red_fused_0 = async_compile.triton('triton_red_fused_0', '''
import triton
import triton.language as tl

from torch._inductor.runtime import triton_helpers, triton_heuristics
from torch._inductor.runtime.triton_helpers import libdevice, math as tl_math
from torch._inductor.runtime.hints import AutotuneHint, ReductionHint, TileHint, DeviceProperties

@triton_heuristics.reduction(
    size_hints={'x': 32, 'r0_': 32},
    reduction_hint=ReductionHint.INNER,
    filename=__file__,
    triton_meta={'signature': {'in_ptr0': '*fp32', 'in_ptr1': '*fp32', 'in_ptr2': '*fp32', 'out_ptr0': '*fp32', 'out_ptr1': '*fp32', 'out_ptr2': '*fp32', 'out_ptr3': '*fp32', 'ks0': 'i64', 'ks1': 'i64', 'r0_numel_0': 'i32', 'xnumel_1': 'i32', 'r0_numel_1': 'i32', 'xnumel_2': 'i32', 'r0_numel_2': 'i32', 'XBLOCK': 'constexpr', 'R0_BLOCK': 'constexpr'}, 'device': DeviceProperties(type='cuda', index=0, multi_processor_count=132, cc=90, major=9, regs_per_multiprocessor=65536, max_threads_per_multi_processor=2048, max_threads_per_block=1024, warp_size=32), 'constants': {}, 'enable_fp_fusion': True, 'launch_pdl': False, 'disable_ftz': False, 'configs': [{(0,): [['tt.divisibility', 16]], (1,): [['tt.divisibility', 16]], (2,): [['tt.divisibility', 16]], (3,): [['tt.divisibility', 16]], (4,): [['tt.divisibility', 16]], (5,): [['tt.divisibility', 16]], (6,): [['tt.divisibility', 16]]}]},
    inductor_meta={'grid_type': 'SequentialComboKernelGrid', 'combo_grid_meta': {'num_kernels': 3, 'min_blocks': None, 'autotune_grouping': True, 'default_config': None, 'no_x_dim_0': False, 'xnumel_0': 1, 'no_x_dim_1': False, 'xnumel_1': None, 'no_x_dim_2': False, 'xnumel_2': None}, 'kernel_name': 'triton_red_fused_0', 'mutated_arg_names': [], 'optimize_mem': True, 'backend_hash': 'X', 'assert_indirect_indexing': True, 'autotune_local_cache': False, 'autotune_pointwise': True, 'autotune_remote_cache': None, 'force_disable_caches': False, 'dynamic_scale_rblock': True, 'incremental_autotune': False, 'max_autotune': False, 'max_autotune_pointwise': False, 'min_split_scan_rblock': 256, 'spill_threshold': 16, 'store_cubin': False, 'deterministic': False, 'batch_invariant': False, 'force_filter_reduction_configs': False, 'mix_order_reduction_allow_multi_stages': True, 'dynamic_disable_pipelining': True, 'are_deterministic_algorithms_enabled': False}
)
@triton.jit
def triton_red_fused_0(in_ptr0, in_ptr1, in_ptr2, out_ptr0, out_ptr1, out_ptr2, out_ptr3, ks0, ks1, r0_numel_0, xnumel_1, r0_numel_1, xnumel_2, r0_numel_2, XBLOCK : tl.constexpr, R0_BLOCK : tl.constexpr):
    pid = tl.program_id(0)
    num_xblocks_0 = tl.cdiv(1, XBLOCK)
    num_xblocks_1 = num_xblocks_0 + tl.cdiv(xnumel_1, XBLOCK)
    num_xblocks_2 = num_xblocks_1 + tl.cdiv(xnumel_2, XBLOCK)
    if pid < num_xblocks_0:
        pid_offset = pid
        xnumel = 1
        rnumel = r0_numel_0
        RBLOCK: tl.constexpr = R0_BLOCK
        xoffset = pid_offset * XBLOCK
        xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
        xmask = xindex < xnumel
        r0_base = tl.arange(0, R0_BLOCK)[None, :]
        rbase = r0_base
        _tmp2 = tl.full([XBLOCK, R0_BLOCK], 0, tl.float32)
        for r0_offset in tl.range(0, r0_numel_0, R0_BLOCK):
            r0_index = r0_offset + r0_base
            r0_mask = r0_index < r0_numel_0
            roffset = r0_offset
            rindex = r0_index
            r0_0 = r0_index
            tmp0 = tl.load(in_ptr0 + (r0_0), r0_mask, eviction_policy='evict_first', other=0.0)
            tmp1 = tl.broadcast_to(tmp0, [XBLOCK, R0_BLOCK])
            tmp3 = _tmp2 + tmp1
            _tmp2 = tl.where(r0_mask & xmask, tmp3, _tmp2)
            tmp4 = tl.full([1, 1], 1.0, tl.float32)
            tmp5 = tmp0 + tmp4
            tl.store(out_ptr1 + (tl.broadcast_to(r0_0, [XBLOCK, R0_BLOCK])), tmp5, r0_mask & xmask)
        tmp2 = tl.sum(_tmp2, 1)[:, None]
        tl.store(out_ptr0 + (tl.full([1, 1], 0, tl.int32).broadcast_to(XBLOCK, 1)), tmp2, xmask)
    elif pid < num_xblocks_1:
        pid_offset = pid - num_xblocks_0
        rnumel = r0_numel_1
        RBLOCK: tl.constexpr = R0_BLOCK
        xoffset = pid_offset * XBLOCK
        xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
        xmask = xindex < xnumel_1
        r0_base = tl.arange(0, R0_BLOCK)[None, :]
        rbase = r0_base
        x1 = xindex
        _tmp8 = tl.full([XBLOCK, R0_BLOCK], 0, tl.float32)
        for r0_offset in tl.range(0, r0_numel_1, R0_BLOCK):
            r0_index = r0_offset + r0_base
            r0_mask = r0_index < r0_numel_1
            roffset = r0_offset
            rindex = r0_index
            r0_2 = r0_index
            tmp6 = tl.load(in_ptr1 + (r0_2 + ks0*x1), r0_mask & xmask, eviction_policy='evict_first', other=0.0)
            tmp7 = tl.broadcast_to(tmp6, [XBLOCK, R0_BLOCK])
            tmp9 = _tmp8 + tmp7
            _tmp8 = tl.where(r0_mask & xmask, tmp9, _tmp8)
        tmp8 = tl.sum(_tmp8, 1)[:, None]
        tl.store(out_ptr2 + (x1), tmp8, xmask)
    elif pid < num_xblocks_2:
        pid_offset = pid - num_xblocks_1
        rnumel = r0_numel_2
        RBLOCK: tl.constexpr = R0_BLOCK
        xoffset = pid_offset * XBLOCK
        xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
        xmask = xindex < xnumel_2
        r0_base = tl.arange(0, R0_BLOCK)[None, :]
        rbase = r0_base
        x3 = xindex
        _tmp12 = tl.full([XBLOCK, R0_BLOCK], float("-inf"), tl.float32)
        for r0_offset in tl.range(0, r0_numel_2, R0_BLOCK):
            r0_index = r0_offset + r0_base
            r0_mask = r0_index < r0_numel_2
            roffset = r0_offset
            rindex = r0_index
            r0_4 = r0_index
            tmp10 = tl.load(in_ptr2 + (r0_4 + ks1*x3), r0_mask & xmask, eviction_policy='evict_first', other=0.0)
            tmp11 = tl.broadcast_to(tmp10, [XBLOCK, R0_BLOCK])
            tmp13 = triton_helpers.maximum(_tmp12, tmp11)
            _tmp12 = tl.where(r0_mask & xmask, tmp13, _tmp12)
        tmp12 = triton_helpers.max2(_tmp12, 1)[:, None]
        tl.store(out_ptr3 + (x3), tmp12, xmask)
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
        arg0_1, arg1_1, arg2_1, arg3_1, arg4_1, arg5_1, arg6_1, arg7_1 = args
        args.clear()
        s77 = arg0_1
        s17 = arg2_1
        s94 = arg3_1
        s68 = arg5_1
        s32 = arg6_1
        assert_size_stride(arg1_1, (s77, ), (1, ), 'input')
        assert_size_stride(arg4_1, (s17, s94), (s94, 1), 'input')
        assert_size_stride(arg7_1, (s68, s32), (s32, 1), 'input')
        with torch.cuda._DeviceGuard(0):
            torch.cuda.set_device(0)
            arg1_1 = copy_if_misaligned(arg1_1)
            arg4_1 = copy_if_misaligned(arg4_1)
            arg7_1 = copy_if_misaligned(arg7_1)
            buf0 = empty_strided_cuda((), (), torch.float32)
            buf3 = empty_strided_cuda((s77, ), (1, ), torch.float32)
            buf1 = empty_strided_cuda((s17, ), (1, ), torch.float32)
            buf2 = empty_strided_cuda((s68, ), (1, ), torch.float32)
            # Topologically Sorted Source Nodes: [sum_2, amax], Original ATen: [aten.sum, aten.amax]
            raw_stream0 = get_raw_stream(0)
            triton_red_fused_0.run(arg1_1, arg4_1, arg7_1, buf0, buf3, buf1, buf2, s94, s32, s77, s17, s94, s68, s32, stream=raw_stream0)
            del arg1_1
            del arg4_1
            del arg7_1
        return (buf0, buf1, buf2, buf3, )

runner = Runner(partitions=[])
call = runner.call
recursively_apply_fns = runner.recursively_apply_fns


def get_args():
    from torch._dynamo.testing import rand_strided
    arg0_1 = 300
    arg1_1 = rand_strided((300, ), (1, ), device='cuda:0', dtype=torch.float32)
    arg2_1 = 20
    arg3_1 = 30
    arg4_1 = rand_strided((20, 30), (30, 1), device='cuda:0', dtype=torch.float32)
    arg5_1 = 7
    arg6_1 = 100
    arg7_1 = rand_strided((7, 100), (100, 1), device='cuda:0', dtype=torch.float32)
    return [arg0_1, arg1_1, arg2_1, arg3_1, arg4_1, arg5_1, arg6_1, arg7_1]


def benchmark_compiled_module(args, times=10, repeat=10):
    from torch._inductor.utils import print_performance
    fn = lambda: call(list(args))
    return print_performance(fn, times=times, repeat=repeat, device='cuda')


if __name__ == "__main__":
    from torch._inductor.wrapper_benchmark import compiled_module_main
    args = get_args()
    compiled_module_main('None', lambda times, repeat: benchmark_compiled_module(args, times=times, repeat=repeat))
