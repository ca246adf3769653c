/**
 * Text that most links hold, known before the link: deflate refers to it, and a small program's
 * link is half as long. A version's dictionary never changes, or its links could not be read.
 */
import { strToU8 } from 'fflate';

const NONE = new Uint8Array(0);

/** The likeliest texts stand last, where references to them are shortest. */
const VERSION_2 = strToU8(
  [
    'triton.testing.perf_report(triton.testing.Benchmark(x_names=[],x_vals=[],line_arg="provider",',
    'line_vals=[],line_names=[],styles=[],ylabel="GB/s",plot_name="",args={},',
    'triton.testing.do_bench(lambda: , quantiles=[0.5, 0.2, 0.8])',
    '@triton.autotune(configs=[triton.Config({"BLOCK_SIZE_M": 128, "BLOCK_SIZE_N": 64, ',
    '"BLOCK_SIZE_K": 32, "GROUP_SIZE_M": 8}, num_stages=3, num_warps=4),],key=["M", "N", "K"],)',
    'for start in range(0, tl.cdiv(K, BLOCK_SIZE_K)):\n        accumulator = tl.dot(a, b, accumulator)',
    'tl.zeros((BLOCK_SIZE_M, BLOCK_SIZE_N), dtype=tl.float32)tl.float16)other=-float("inf"))',
    'stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,num_pid_m = tl.cdiv(M, ',
    'tl.max(x, axis=0)tl.sum(x, axis=0)tl.exp(tl.where(mask, .to(tl.float32)[:, None][None, :]',
    'def forward(ctx, def backward(ctx, torch.autograd.Functiontorch.nn.functional.softmax(',
    'torch.manual_seed(0)\nx = torch.rand(size, device=DEVICE)\ny = torch.randn((M, N), device="cuda", ',
    'dtype=torch.float16)\noutput = torch.empty_like(x)\ngrid = lambda meta: (triton.cdiv(n_elements, ',
    'meta["BLOCK_SIZE"]),)\nprint(f"The maximum difference between torch and triton is ',
    'torch.max(torch.abs(assert torch.allclose(torch.testing.assert_close(out, expected, atol=1e-2, rtol=0)',
    'import torch\nimport triton\nimport triton.language as tl\n\nDEVICE = triton.runtime.driver.active.get_active_torch_device()\n\n\n',
    '@triton.jit\ndef kernel(x_ptr, y_ptr, out_ptr, output_ptr, n_elements, n, BLOCK_SIZE: tl.constexpr):\n',
    '    pid = tl.program_id(axis=0)\n    block_start = pid * BLOCK_SIZE\n    offsets = pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)\n',
    '    mask = offsets < n_elements\n    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)\n',
    '    tl.store(out_ptr + offsets, x + y, mask=mask)\n',
    '"view":{"kernel":"","line":{"file":"","line":},"panel":"compare","second":"wgsl","timing""passes"',
    '"panels":{"passes":{"changedOnly":true,"diff":"split","index":,"name":"',
    '"run":{"adapter":"interpreter","check":true,"seed":},{"entry":"main.py","files":{"main.py":"import ',
  ]
    .join('')
    .replaceAll('\n', '\\n'),
);

export function dictionaryOf(version: number): Uint8Array {
  return version >= 2 ? VERSION_2 : NONE;
}
