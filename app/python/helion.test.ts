/** The names that printed Triton imports from Helion, and those of Helion's compiler. */
import { beforeAll, expect, it } from 'vitest';
import { startPython, type TestPython } from './testing/python';

let python: TestPython;
beforeAll(async () => {
  python = await startPython();
}, 60_000);

function output(source: string): string {
  const run = python.run(source);
  expect(run.outcome, run.errors).toBe('ok');
  return run.output;
}

it('launches with the options of the printed call', () => {
  const before = python.launches.length;
  output(`
import torch, triton
from helion.runtime import default_launcher as _default_launcher
@triton.jit
def kernel(x):
    pass
x = torch.zeros(4, device="cuda")
_default_launcher(kernel, (3,), x, num_warps=8, num_stages=2, launch_cooperative_grid=True)
`);
  const [launch] = python.launches.slice(before);
  expect(launch).toMatchObject({ grid: [3, 1, 1], specialization: { numWarps: 8 } });
});

it('has the functions that host code calls', () => {
  const text = output(`
import helion, torch, triton
device = torch.device("cuda", 0)
count = torch.cuda.get_device_properties(0).multi_processor_count
get = helion.runtime.get_num_sm
print(get(device) == count, get(device, reserved_sms=count - 1), get(device, reserved_sms=999))
print(helion.cdiv(5, 2), helion.next_power_of_2(5))
mine = lambda size, alignment, stream: None
triton.set_allocator(mine)
helion.runtime.set_triton_allocator()
print(triton.runtime._allocator is mine)
`);
  expect(text).toBe('True 1 1\n3 8\nTrue\n');
});

it('binds the names of the compiler, and says what to do where one is called', () => {
  const run = python.run(`
import helion
import helion.language as hl
def annotated(x: hl.Tensor): ...
@helion.kernel(static_shapes=True)
def kernel(x): ...
`);
  expect(run.outcome).toBe('error');
  expect(run.errors).toContain('helion.kernel belongs to Helion’s compiler');
  expect(run.errors).toContain('HELION_PRINT_OUTPUT_CODE=1');
});

it('gives Triton’s names under torch._inductor.runtime.triton_compat', () => {
  const text = output(`
import triton, triton.language as tl
from torch._inductor.runtime import triton_compat
from triton.language.extra import libdevice
print(triton_compat.libdevice is libdevice, triton_compat.tl is tl, triton_compat.math is tl.math)
`);
  expect(text).toBe('True True True\n');
});
