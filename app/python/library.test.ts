/**
 * `torch.library`: what PyTorch 2.13 says to the same lines, on the CPU; kernels by device; Triton
 * kernels inside.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { startPython, type TestPython } from './testing/python';

let python: TestPython;
beforeAll(async () => {
  python = await startPython();
}, 60_000);

const PREAMBLE = `
import torch
from torch import Tensor
from torch.library import Library, custom_op, infer_schema, triton_op, wrap_triton
def tried(run):
    try:
        found = run()
        print(found.tolist() if isinstance(found, Tensor) else found)
    except Exception as error:
        print(f"{type(error).__name__}: {error}"[:90])
x = torch.arange(3.0)
`;

function lines(source: string): string[] {
  const run = python.run(PREAMBLE + source);
  expect(run.outcome, run.errors).toBe('ok');
  return run.output.trimEnd().split('\n');
}

describe('a registered operator', () => {
  it('has a schema, by which its arguments are bound', () => {
    const found = lines(`
def f(x: Tensor, n: int = 3, *, o: Tensor | None = None, fl: float = 2, dt: torch.dtype = torch.float32) -> Tensor:
    return x * n + fl
g = custom_op("schema::f", mutates_args=())(f)
tried(lambda: g._opoverload._schema)
tried(lambda: infer_schema(f, mutates_args=()))
tried(lambda: torch.ops.schema.f(x, fl=1.0))
tried(lambda: torch.ops.schema.f.default(x, 2))
tried(lambda: g(x, zz=4))
tried(lambda: g())
tried(lambda: g(x, "s"))
tried(lambda: g(x, 1, None))
`);
    const schema =
      'schema::f(Tensor x, SymInt n=3, *, Tensor? o=None, float fl=2., ScalarType dt=6) -> Tensor';
    expect(found).toEqual([
      schema,
      '(Tensor x, SymInt n=3, *, Tensor? o=None, float fl=2, ScalarType dt=float32) -> Tensor',
      '[1.0, 4.0, 7.0]',
      '[2.0, 4.0, 6.0]',
      `RuntimeError: Unknown keyword argument 'zz' for operator 'schema::f'. Schema: ${schema}`.slice(
        0,
        90,
      ),
      `RuntimeError: schema::f() is missing value for argument 'x'. Declaration: ${schema}`.slice(
        0,
        90,
      ),
      "RuntimeError: schema::f() Expected a value of type 'int' for argument 'n' but instead found type 'str'.".slice(
        0,
        90,
      ),
      `RuntimeError: schema::f() takes 2 positional argument(s) but 3 was/were given.  Declaration`.slice(
        0,
        90,
      ),
    ]);
  });

  it('is refused as PyTorch refuses it', () => {
    const found = lines(`
def bare(x): return x
def star(*x: Tensor) -> Tensor: ...
def noret(x: Tensor): ...
def dictionary(x: dict) -> Tensor: ...
def same(x: Tensor) -> Tensor: return x
def view(x: Tensor) -> Tensor: return x.view(-1)
for f in (bare, star, noret, dictionary):
    tried(lambda: custom_op("refused::f", mutates_args=())(f))
tried(lambda: custom_op("refused::f", mutates_args={"y"})(same))
for make in (custom_op, triton_op):
    tried(lambda: make("refused::same", mutates_args={})(same)(x))
    tried(lambda: make("refused::view", mutates_args={})(view)(x))
tried(lambda: wrap_triton(same))
tried(lambda: torch.ops.refused.nothing)
`);
    const alias = /^RuntimeError: (same|view) \(with implementation in /;
    expect(found).toEqual([
      expect.stringContaining('Parameter x must have a type annotation'),
      expect.stringContaining('We do not support positional-only args, varargs'),
      expect.stringContaining('No return type annotation was provided'),
      expect.stringContaining("Parameter x has unsupported type <class 'dict'>"),
      expect.stringContaining("{'y'} in mutates_args were not found"),
      ...Array.from({ length: 4 }, () => expect.stringMatching(alias)),
      expect.stringContaining('RuntimeError: wrap_triton only works on functions annotated'),
      "AttributeError: '_OpNamespace' 'refused' object has no attribute 'nothing'",
    ]);
  });

  it('runs the kernel of its tensors’ device', () => {
    const found = lines(`
@custom_op("device::f", mutates_args=(), device_types="cuda")
def f(x: Tensor) -> Tensor: return x + 100
tried(lambda: f(x))
@f.register_kernel("cpu")
def _(x): return x + 2
tried(lambda: f(x))
tried(lambda: f(x.cuda()))
with f.set_kernel_enabled("cpu", False):
    tried(lambda: f(x))
tried(lambda: f(x))
library = Library("device2", "DEF")
library.define("g(Tensor x, int n=2) -> Tensor")
library.impl("g", lambda x, n: x * n, "CPU")
tried(lambda: torch.ops.device2.g(x))
tried(lambda: torch.ops.device2.g(x.cuda()))
torch.library.impl("device2::g", "cuda")(lambda x, n: -x * n)
tried(lambda: torch.ops.device2.g(x.cuda(), n=5))
`);
    expect(found).toEqual([
      expect.stringContaining(
        "NotImplementedError: Could not run 'device::f' with arguments from the 'CPU' backend",
      ),
      '[2.0, 3.0, 4.0]',
      '[100.0, 101.0, 102.0]',
      '[100.0, 101.0, 102.0]',
      '[2.0, 3.0, 4.0]',
      '[0.0, 2.0, 4.0]',
      expect.stringContaining("Could not run 'device2::g' with arguments from the 'CUDA' backend"),
      '[-0.0, -5.0, -10.0]',
    ]);
  });

  it('is differentiated by its formula, and by nothing else', () => {
    const found = lines(`
def twice(x: Tensor) -> Tensor: return x * 2
f = triton_op("grad::f", mutates_args=())(twice)
g = torch.ones(3, requires_grad=True)
y = f(g)
print(y.requires_grad)
tried(lambda: y.sum().backward())
torch.library.register_autograd("grad::f", lambda ctx, grad: grad * 7)
f(g).sum().backward()
print(g.grad.tolist())
def many(xs: list[Tensor], *, n: int) -> tuple[Tensor, Tensor]: return xs[0] * n, xs[1] + n
def setup(ctx, inputs, keyword_only_inputs, output): ctx.n = keyword_only_inputs["n"]
m = custom_op("grad::m", mutates_args=())(many)
m.register_autograd(lambda ctx, a, b: [a * ctx.n, b * 10], setup_context=setup)
h = torch.ones(3, requires_grad=True)
a, b = m([g, h], n=4)
g.grad = None
(a.sum() + b.sum()).backward()
print(g.grad.tolist(), h.grad.tolist())
def grow(x: Tensor) -> None: x.add_(1)
i = custom_op("grad::i", mutates_args={"x"})(grow)
tried(lambda: i.register_autograd(lambda ctx, grad: grad))
`);
    expect(found).toEqual([
      'True',
      'RuntimeError: Trying to backward through grad.f.default but no autograd formula was registered'.slice(
        0,
        90,
      ),
      '[7.0, 7.0, 7.0]',
      '[4.0, 4.0, 4.0] [10.0, 10.0, 10.0]',
      'RuntimeError: Cannot register autograd formula for non-functional operator <CustomOpDef(grad::i)'.slice(
        0,
        90,
      ),
    ]);
  });

  it('launches the kernels that it wraps', () => {
    const before = python.launches.length;
    lines(`
import triton, triton.language as tl
@triton.autotune(configs=[triton.Config({"BLOCK": 64})], key=[])
@triton.jit
def kernel(x, y, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, i < n), i < n)
@triton_op("wraps::copy", mutates_args={})
def copy(x: Tensor) -> Tensor:
    y = torch.empty_like(x)
    wrap_triton(kernel)[(1,)](x, y, x.numel())
    return y
copy(x.cuda())
`);
    expect(python.launches.length).toBe(before + 1);
  });
});

it('has of tritonparse what its reproducers import', () => {
  const result =
    python.run(`from tritonparse.backend import normalize_accelerator_device_string as device
print(device("cuda:3"), device("cpu"), device(""), device(None))
`);
  expect([result.errors, result.output]).toEqual(['', 'cuda:0 cpu cpu cpu\n']);
});

it('hands elements to the real numpy, and takes them from it, through their bytes', () => {
  // The interface that is used of numpy is the shipped one's, too.
  const result = python.run(`import numpy, torch, warnings
from torch import _core, _real_numpy
warnings.simplefilter("ignore")
x = torch.arange(12, dtype=torch.float16).reshape(3, 4).t()[1:]
_real_numpy.is_real = lambda module: True
a = x.numpy()
print(a.dtype, a.shape, a.tolist() == x.tolist())
a[0, 0] = 99
print(x[0, 0].item())
y = _real_numpy.tensor_of(a, _core.BY_NAME, torch.frombuffer)
print(y.dtype, y.tolist() == a.tolist(), torch.tensor(a).shape)
try:
    x.bfloat16().numpy()
except TypeError as error:
    print(error)
_real_numpy.is_real = lambda module: not hasattr(module, "_array")
`);
  expect([result.errors, result.output]).toEqual([
    '',
    'float16 (3, 3) True\n1.0\ntorch.float16 True torch.Size([3, 3])\nGot unsupported ScalarType bfloat16\n',
  ]);
});
