/**
 * Names of torch and Triton that published kernels use as they are imported. Expected values are
 * PyTorch 2.13's.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { startPython, type TestPython } from './testing/python';

let python: TestPython;
beforeAll(async () => {
  python = await startPython();
}, 60_000);

function lines(source: string): string[] {
  const run = python.run(`import torch\n${source}`);
  expect(run.outcome, run.errors).toBe('ok');
  return run.output.trimEnd().split('\n');
}

describe('dtypes of which there are no tensors', () => {
  it('are named, compared, and have limits', () => {
    const found = lines(`
for name in ("float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu"):
    d = getattr(torch, name)
    f = torch.finfo(d)
    print(d, f.max, f.min, f.eps, f.tiny, f.bits, d.is_signed, isinstance(d, torch.dtype), d == torch.float8_e4m3fn)
print({torch.int4: 1}[torch.int4], torch.uint7, torch.float4_e2m1fn_x2, torch.complex32 is torch.chalf)
`);
    expect(found).toEqual([
      'torch.float8_e4m3fnuz 240.0 -240.0 0.125 0.0078125 8 True True False',
      'torch.float8_e5m2fnuz 57344.0 -57344.0 0.125 3.0517578125e-05 8 True True False',
      'torch.float8_e8m0fnu 1.7014118346046923e+38 5.877471754111438e-39 1.0 5.877471754111438e-39 8 False True False',
      '1 torch.uint7 torch.float4_e2m1fn_x2 True',
    ]);
  });

  it('are refused by name where a tensor is made', () => {
    const found = lines(`
x = torch.zeros(4, dtype=torch.uint8)
for make in (
    lambda: torch.empty(3, dtype=torch.float8_e4m3fnuz),
    lambda: torch.zeros(3).to(torch.float8_e5m2fnuz),
    lambda: x.view(torch.float8_e8m0fnu),
    lambda: torch.tensor([1], dtype=torch.int4),
):
    try:
        make()
    except NotImplementedError as error:
        print(error)
`);
    expect(found).toEqual(
      ['float8_e4m3fnuz', 'float8_e5m2fnuz', 'float8_e8m0fnu', 'int4'].map(
        (name) => `tensors of torch.${name} are not available in Hippocamp's torch`,
      ),
    );
  });
});

it('torch.utils._pytree keeps the order and kind of nested values', () => {
  const found = lines(`
import collections
import torch.utils._pytree as pytree
P = collections.namedtuple("P", "a b")
tree = {"x": [1, (2, 3)], "y": P(4, None)}
leaves, spec = pytree.tree_flatten(tree)
print(leaves, spec.num_leaves, pytree.tree_unflatten(leaves, spec) == tree)
print(pytree.tree_map(lambda a: (a or 0) * 2, tree))
print(pytree.tree_map(lambda a, b: a + b, {"a": 1, "b": 2}, {"b": 20, "a": 10}))
print(pytree.tree_map(lambda a, b: (a, b), [1, 2], [[1, 1], {"q": 3}]))
print(pytree.tree_map_only(int, lambda a: -a, tree), pytree.tree_leaves([]))
try:
    pytree.tree_map(lambda a, b: 0, [1], [1, 2])
except ValueError as error:
    print(error)
`);
  expect(found).toEqual([
    '[1, 2, 3, 4, None] 5 True',
    "{'x': [2, (4, 6)], 'y': P(a=8, b=0)}",
    "{'a': 11, 'b': 22}",
    "[(1, [1, 1]), (2, {'q': 3})]",
    "{'x': [-1, (-2, -3)], 'y': P(a=-4, b=None)} []",
    'Node arity mismatch; expected 1, but got 2.',
  ]);
});

it('torch._scaled_mm scales a product of fp8 by tensor, row and column', () => {
  const found = lines(`
a = torch.tensor([[1.0, 2.0], [-3.0, 0.5]]).to(torch.float8_e4m3fn)
b = torch.tensor([[4.0, 1.0], [0.5, 2.0]]).to(torch.float8_e4m3fn).t()
half, one = torch.tensor(0.5), torch.tensor(1.0)
print(torch._scaled_mm(a, b, half, one, out_dtype=torch.float32).tolist())
rows, columns = torch.tensor([[1.0], [2.0]]), torch.tensor([[1.0, 10.0]])
print(torch._scaled_mm(a, b, rows, columns, out_dtype=torch.bfloat16).tolist())
print(torch._scaled_mm(a, b, one, one, bias=torch.ones(2).bfloat16(), out_dtype=torch.bfloat16).tolist())
print(torch._scaled_mm(a, b, one, one).dtype)
for wrong in (lambda: torch._scaled_mm(a.float(), b, one, one), lambda: torch._scaled_mm(a.cuda(), b.cuda(), one, one)):
    try:
        wrong()
    except RuntimeError as error:
        print(error)
`);
  // [[1·4 + 2·1, 1·0.5 + 2·2], [-3·4 + 0.5·1, -3·0.5 + 0.5·2]]
  expect(found).toEqual([
    '[[3.0, 2.25], [-5.75, -0.25]]',
    '[[6.0, 45.0], [-23.0, -10.0]]',
    '[[7.0, 5.5], [-10.5, 0.5]]',
    'torch.float8_e4m3fn',
    'Expected mat1 to be Float8 matrix got Float',
    'Expected trailing dimension of mat1 to be divisible by 16 but got mat1 shape: (2x2).',
  ]);
});

it('has names that printed code binds', () => {
  const found = lines(`
from torch._inductor import inductor_prims
from torch._library.triton import capture_triton, triton_op
from triton.runtime.autotuner import driver
seeds = inductor_prims.seeds(3, torch.device("cuda"))
print(seeds.dtype, seeds.shape, seeds.device.type, driver.active.get_current_target().backend)
from triton.runtime.autotuner import get_cache_invalidating_env_vars, get_cache_manager, triton_key
manager = get_cache_manager(triton_key() + str(get_cache_invalidating_env_vars()))
print(manager.get_file("tuned.json"), open(manager.put("{}", "tuned.json")).read(), manager.has_file("tuned.json"))
manager.put_group("all", {"tuned.json": manager.get_file("tuned.json")})
print(list(get_cache_manager(triton_key() + "{}").get_group("all")), manager.get_group("none"))
torch._dynamo.mark_static(seeds, 0)
torch._dynamo.maybe_mark_dynamic(seeds, 0)
`);
  expect(found).toEqual([
    'torch.int64 torch.Size([3]) cuda cuda',
    'None {} True',
    "['tuned.json'] None",
  ]);
});

it('launches where a program has replaced CompiledKernel.__init__', () => {
  const found = lines(`
import triton, triton.compiler.compiler as compiler
original = compiler.CompiledKernel.__init__
def replacement(self, src, metadata_group, hash):
    print(src.__name__, type(metadata_group).__name__, type(hash).__name__)
    original(self, src, metadata_group, hash)
compiler.CompiledKernel.__init__ = replacement
@triton.jit
def kernel(x): pass
try:
    launched = kernel[(1,)](torch.zeros(4, device="cuda"))
    print(launched.hash == launched.function, launched.name)
finally:
    compiler.CompiledKernel.__init__ = original
`);
  expect(found).toEqual(['kernel dict str', 'True kernel']);
});
