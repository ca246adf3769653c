/**
 * triton's host side: what a launch sends to the runtime, how arguments are typed and bound, how
 * values of globals reach the compiler, and the errors a program sees.
 */
import { describe, expect, it } from 'vitest';
import { HEAD, KERNEL, ok, python } from './testing/triton';

describe('packages beside triton', () => {
  it('run a puzzle: jaxtyping says sizes, triton_viz traces a kernel on tensors of the CPU', () => {
    const before = python.launches.length;
    const output = ok(`${HEAD}
import inspect, triton_viz
from torch import Tensor
from jaxtyping import Float32, Int32
from triton_viz.interpreter import record_builder
from IPython.display import HTML
def spec(x: Float32[Tensor, "4 200"], i: Int32[Tensor, "n"]) -> Float32[Tensor, "4"]:
    return x.sum(1)
signature = inspect.signature(spec)
for p in signature.parameters.values():
    print(p, [d.size for d in p.annotation.dims], p.annotation.dtypes[0])
@triton.jit
def k(x_ptr, N0, B0: tl.constexpr):
    pass
record_builder.reset()
x = torch.ones(4)
triton_viz.trace(k)[lambda meta: (triton.cdiv(8, meta["B0"]),)](x, N0=8, B0=4)
print(x.device, x.tolist(), triton_viz.launch())
`);
    expect(output).toBe(
      'x: Float32[Tensor, "4 200"] [4, 200] float32\ni: Int32[Tensor, "n"] [None] int32\n' +
        'cpu [1.0, 1.0, 1.0, 1.0] False\n',
    );
    expect(python.launches.length).toBe(before + 1);
    expect(python.launches.at(-1)!.grid).toEqual([2, 1, 1]);
  });

  it('import what real programs import', () => {
    ok(`${HEAD}
import triton.profiler as proton
import torch.multiprocessing as mp
mp.set_start_method("spawn", force=True)
from triton.backends.compiler import GPUTarget
from triton.ops.matmul_perf_model import early_config_prune, estimate_matmul_time
from torch.amp import custom_fwd, custom_bwd
from torch.cuda.amp import autocast
from torch._inductor.runtime import triton_helpers
with proton.scope("s"):
    pass
target = triton.runtime.driver.active.get_current_target()
assert target.is_cuda_backend() and not target.is_hip_backend()
configs = [triton.Config({"BLOCK_M": b, "BLOCK_N": b, "BLOCK_K": 32}) for b in (16, 64, 1024)]
a = torch.empty(32, 32)
assert len(early_config_prune(configs, dict(M=32, N=32, K=32))) == 2
slow, fast = (estimate_matmul_time(4, 3, a, a, a, 32, 32, 32, b, b, 32) for b in (1024, 32))
assert slow > fast
from triton.testing import get_dram_gbps, get_max_simd_tflops, get_max_tensorcore_tflops, nvsmi
clock = nvsmi(["clocks.max.sm"])[0]
assert get_dram_gbps() == 32 and get_max_simd_tflops(torch.float32, clock * 1e3) * 8 == get_max_tensorcore_tflops(torch.float32, clock * 1e3)
try:
    nvsmi(["power.draw"])
except FileNotFoundError as error:
    assert "power.draw" in str(error)
state = torch.cuda.default_generators[0].get_state()
seed, offset = state.view(torch.int64).tolist()
assert (seed, offset) == (0, 0), (seed, offset)
first = torch.get_rng_state()
x = torch.rand(3)
torch.set_rng_state(first)
assert torch.equal(x, torch.rand(3))
`);
  });
});

describe('hooks', () => {
  it('are called for compilations and launches, once each, and are gone with the program', () => {
    const output = ok(`${HEAD}
from triton import knobs
@triton.jit(launch_metadata=lambda grid, metadata, args: {"grid": grid, "n": args["n"]})
def k(x, n):
    pass
def cache(key, repr, fn, compile, is_manual_warmup, already_compiled):
    print("cache", fn.name, compile["signature"], compile["num_warps"])
knobs.runtime.jit_cache_hook = cache
knobs.runtime.jit_post_compile_hook = lambda **facts: print("compiled", facts["repr"][:12])
knobs.runtime.kernel_load_start_hook.add(lambda *args: print("load", args[2]))
knobs.runtime.launch_enter_hook.add(lambda facts: print("enter", facts.get()))
knobs.runtime.launch_exit_hook.add(lambda facts: print("exit", facts.get()["name"]))
x = torch.empty(4, device="cuda")
for n in (2, 3, 2):
    k[(5,)](x, n, num_warps=2)
with knobs.runtime.scope():
    knobs.runtime.debug = True
print(knobs.runtime.debug)
`);
    const lines = output.split('\n');
    expect(lines[0]).toBe("cache k {'x': '*fp32', 'n': 'i32'} 2");
    expect(lines.filter((line) => line.startsWith('compiled k['))).toHaveLength(1);
    expect(lines.filter((line) => line === 'load k')).toHaveLength(1);
    expect(lines.filter((line) => line === 'exit k')).toHaveLength(3);
    expect(lines.find((line) => line.startsWith('enter'))).toContain("'grid': (5, 1, 1), 'n': 2");
    expect(lines.at(-2)).toBe('False');
    expect(ok(`${HEAD}print(triton.knobs.runtime.jit_cache_hook)`)).toBe('None\n');
  });
});

describe('a launch', () => {
  it('takes anything that has a data_ptr for a tensor', () => {
    ok(`${KERNEL}
class Window:
    dtype, shape, device = x.dtype, (4,), x.device
    def data_ptr(self):
        return x.data_ptr() + 20
k[(1,)](Window(), 32, 2.5, True, None, BLOCK=128)
`);
    const request = python.launches.at(-1)!;
    expect(request).toHaveProperty('values.0.byteOffset', 20);
    expect(request).toHaveProperty('specialization.arguments.0.divisibleBy16', false);
  });

  it('types its arguments as Triton does', () => {
    ok(`${KERNEL}
k[(3, 2)](x[4:], 32, 2.5, True, None, BLOCK=128, num_warps=8)
`);
    const request = python.launches.at(-1)!;
    expect(request.specialization).toEqual({
      arguments: [
        { kind: 'pointer', dtype: 'float32', divisibleBy16: true, group: 0 },
        { kind: 'scalar', dtype: 'int32', divisibleBy16: true },
        { kind: 'scalar', dtype: 'float32', divisibleBy16: false },
        { kind: 'scalar', dtype: 'int1', divisibleBy16: false },
        { kind: 'constexpr', value: { kind: 'none' } },
        { kind: 'constexpr', value: { kind: 'int', value: '128' } },
        { kind: 'constexpr', value: { kind: 'string', value: 'relu' } },
      ],
      numWarps: 8,
      statedWarps: true,
    });
    expect(request.values).toEqual([
      { storage: expect.any(Number), byteOffset: 16, shape: expect.any(Array), strides: [1] },
      { scalar: '32' },
      { scalar: '2.5' },
      { scalar: '1' },
      null,
      null,
      null,
    ]);
    expect(request.grid).toEqual([3, 2, 1]);
    expect(request.site.file).toBe('main.py');
    expect(request.labels[0]).toBe('x_ptr: *fp32 [96]');
  });

  it.each([
    ['1', { kind: 'constexpr', value: { kind: 'int', value: '1' } }],
    ['2**31', { kind: 'scalar', dtype: 'int64', divisibleBy16: true }],
    ['2**63 + 1', { kind: 'scalar', dtype: 'uint64', divisibleBy16: false }],
    ['-7', { kind: 'scalar', dtype: 'int32', divisibleBy16: false }],
    ['(1, x)', expect.objectContaining({ kind: 'tuple' })],
    ['float("inf")', { kind: 'scalar', dtype: 'float32', divisibleBy16: false }],
  ])('types %s', (value, spec) => {
    ok(`${KERNEL}
k[(1,)](x, ${value}, 1.0, False, None, 16)
`);
    const request = python.launches.at(-1)!;
    expect((request.specialization as { arguments: unknown[] }).arguments[1]).toEqual(spec);
  });

  it.each([
    ['tl.float16', 'dtype. Declare the parameter as n: tl.constexpr'],
    ['"text"', 'str. Declare the parameter as n: tl.constexpr'],
    ['[1, 2]', "list. Pass a tuple, or a tensor made of it: n=torch.tensor(…, device='cuda')"],
    ['(1, [2])', 'list'],
    ['lambda: 1', 'function'],
    ['1j', 'complex'],
  ])('refuses %s as Triton does', (value, says) => {
    const { errors } = python.run(`${KERNEL}
k[(1,)](x, ${value}, 1.0, False, None, 16)
`);
    expect(errors).toContain(`TypeError: failed to specialize argument of type: ${says}`);
  });

  it('refuses a constant that cannot be looked up, a grid that is a number, and a kernel without def', () => {
    const launch = (args: string, grid = '(1,)'): string =>
      python.run(`${KERNEL}\nk[${grid}](${args})\n`).errors;
    expect(launch('x, 4, 1.0, False, None, [1]')).toMatch(/unhashable type: 'list'/);
    expect(launch('x, 4, 1.0, False, None, 16', '4')).toMatch(/'int' has no len.*such as \(4,\)/);
    expect(launch('x, 4, 1.0, False, None, 16', '(1, 1, 1, 2)')).toMatch(/1 to 3 dimensions/);
    expect(launch('x, 4, 1.0, False, None, 16', '(1, 1, 1, 1)')).toBe('');
    for (const made of ['triton.jit(lambda x: x)', '@triton.jit\nasync def f(x):\n    pass'])
      expect(python.run(`${HEAD}${made}\n`).errors).toMatch(/No function definition found/);
  });

  it('hands *args on as a tuple', () => {
    ok(`${HEAD}
@triton.jit
def k(out, *rest, B: tl.constexpr = 4):
    pass
x = torch.empty(4, device="cuda")
k[(1,)](x, 5, x, B=8)
k[(1,)](x)
`);
    const arguments_ = python.launches
      .slice(-2)
      .map(({ specialization }) => (specialization as { arguments: unknown[] }).arguments);
    expect(arguments_[0]).toMatchObject([
      { kind: 'pointer' },
      { kind: 'tuple', items: [{ kind: 'scalar', dtype: 'int32' }, { kind: 'pointer' }] },
      { kind: 'constexpr', value: { value: '8' } },
    ]);
    expect(arguments_[1]).toMatchObject([{ kind: 'pointer' }, { kind: 'tuple', items: [] }, {}]);
  });

  it('hands members of enums that are strings or numbers on as these', () => {
    ok(`${HEAD}
from enum import Enum, IntEnum
class Activation(str, Enum):
    SILU = "silu"
class Scale(float, Enum):
    HALF = 0.5
class Mode(IntEnum):
    EVEN = 2
@triton.constexpr_function
def are_members(*given):
    return all(a is b for a, b in zip(given, (Activation.SILU, Scale.HALF, Mode.EVEN), strict=True))
@triton.jit
def k(out, A: tl.constexpr, S: tl.constexpr, M: tl.constexpr):
    are_members(A, S, M)
k[(1,)](torch.empty(4, device="cuda"), Activation.SILU, Scale.HALF, Mode.EVEN)
`);
    const { arguments: sent } = python.launches.at(-1)!.specialization as { arguments: unknown[] };
    expect(sent.slice(1)).toMatchObject([
      { kind: 'constexpr', value: { kind: 'string', value: 'silu' } },
      { kind: 'constexpr', value: { kind: 'float', value: '0.5' } },
      { kind: 'constexpr', value: { kind: 'int', value: '2' } },
    ]);
    // Python's own functions get the members back.
    const { id } = python.programs.at(-1)!.functions['k']!.globals['are_members'] as { id: string };
    const args = (sent.slice(1) as { value: unknown }[]).map(({ value }) => value);
    const host = python.pyodide.pyimport('_hippocamp_host');
    const answer = host.call_constexpr(id, JSON.stringify({ args, keywords: {} }));
    expect(JSON.parse(answer)).toEqual({ kind: 'bool', value: true });
  });

  it('gives a grid function the bound arguments', () => {
    const output = ok(`${KERNEL}
def grid(meta):
    print(sorted(meta), meta["BLOCK"], meta["MODE"])
    return (triton.cdiv(100, meta["BLOCK"]),)
k[grid](x, 100, 1.0, False, None, BLOCK=64)
`);
    expect(output).toBe("['BLOCK', 'MODE', 'alpha', 'flag', 'n', 'none', 'x_ptr'] 64 relu\n");
    expect(python.launches.at(-1)!.grid).toEqual([2, 1, 1]);
  });

  it('does not specialize parameters that are excluded', () => {
    ok(`${HEAD}
@triton.jit(do_not_specialize=["n"])
def k(n, m: tl.int64, f: "fp16"):
    pass
k[(1,)](1, 5, 2.0)
`);
    expect(python.launches.at(-1)!.specialization).toMatchObject({
      arguments: [
        { kind: 'scalar', dtype: 'int32', divisibleBy16: false },
        { kind: 'scalar', dtype: 'int64', divisibleBy16: false },
        { kind: 'scalar', dtype: 'float16', divisibleBy16: false },
      ],
    });
  });

  it.each([
    ['k[(1,)](x)', /missing \d required positional arguments/],
    ['k[(1,)](x, 1, 1.0, True, None, 16, wrong=1)', /KeyError: .*wrong was specified but unrec/],
    ['k[(1,)](x.cpu(), 1, 1.0, True, None, 16)', /ValueError: Pointer argument \(at 0\) cannot/],
    ['k[(1,)](object(), 1, 1.0, True, None, 16)', /TypeError: failed to specialize argument/],
    ['k(x, 1, 1.0, True, None, 16)', /Cannot call @triton.jit'd outside of the scope/],
    ['tl.load(x)', /Did you forget to add @triton.jit/],
  ])('refuses %s', (call, message) => {
    const result = python.run(`${KERNEL}\n${call}\n`);
    expect(result.outcome).toBe('error');
    expect(result.errors).toMatch(message);
  });

  it('is made again by its key, and anew where anything else than the memory differs', () => {
    let prepared = 100;
    python.onLaunch = () => ({ ok: true, key: 'key', prepared: ++prepared });
    const made = (calls: string): [anew: number, again: (readonly number[])[]] => {
      const [launches, relaunches] = [python.launches.length, python.relaunches.length];
      ok(`${HEAD}
SCALE: tl.constexpr = 2
@triton.jit
def k(x, y, n, BLOCK: tl.constexpr):
    tl.store(y, tl.load(x) * n * SCALE)
x, y = torch.ones(8, device="cuda"), torch.ones(8, device="cuda")
def go(x=x, y=y, n=3, block=16, grid=(2,), **options):
    k[grid](x, y, n, block, **options)
go()
${calls}
`);
      return [python.launches.length - launches - 1, python.relaunches.slice(relaunches)];
    };
    const [anew, again] = made('go()\ngo(y, x)\ngo(grid=lambda meta: (meta["BLOCK"] // 8,))');
    expect(anew).toBe(0);
    // Ignored options are none.
    expect(made('go(num_stages=2)\ngo(num_stages=4, num_ctas=1, maxnreg=128)')).toMatchObject([
      0,
      [[102], [102]].map(([key]) => [key, expect.any(Number), expect.any(Number)]),
    ]);
    const [x = 0, y = 0] = again[0]!.slice(1);
    expect(again).toEqual([
      [101, x, y],
      [101, y, x],
      [101, x, y],
    ]);
    // 3.0 and True are other types than 3 and 1; a zero has a sign.
    for (const calls of [
      'go(n=4)',
      'go(n=3.0)',
      'go(x[1:])',
      'go(x[:4])',
      'go(x.view(2, 4))',
      'go(x.int())',
      'go(block=32)',
      'go(grid=(3,))',
      'go(num_warps=8)',
      'k[(2,)](x, y, 3, 16)',
      'SCALE = tl.constexpr(3)\ngo()',
    ]) {
      expect([calls, made(calls)]).toEqual([calls, [1, []]]);
    }
    expect(made('go(n=0.0)\ngo(n=-0.0)\ngo(n=1)\ngo(n=True)\ngo(n=1.0)')[0]).toBe(5);
  });

  it('of a compiled kernel may leave out the constexpr arguments, as up to Triton 3.1', () => {
    const before = python.launches.length;
    ok(`${KERNEL}
compiled = k.warmup(x, 100, 1.5, True, None, BLOCK=64, MODE="gelu", grid=(1,))
compiled[(3, 1, 1)](x, 100, 1.5, True, None)
compiled[(4, 1, 1)](x, 100, 1.5, True, None, 64, "gelu")
try:
    compiled[(5, 1, 1)](x, 100)
except TypeError as error:
    print(error)
`);
    const [warm, short, whole, ...rest] = python.launches.slice(before);
    expect(rest).toEqual([]);
    expect([short!.grid, whole!.grid]).toEqual([
      [3, 1, 1],
      [4, 1, 1],
    ]);
    expect(short!.specialization).toEqual(warm!.specialization);
    expect(whole!.specialization).toEqual(warm!.specialization);
  });

  it('marks what the kernel may have written as stale', () => {
    python.onLaunch = (request) => {
      const value = request.values[0];
      if (value && 'storage' in value) {
        const bridge = python.pyodide.pyimport('_hippocamp') as {
          storage_read(id: number): Uint8Array;
        };
        new Float32Array(bridge.storage_read(value.storage).buffer).fill(7);
      }
      return { ok: true, key: 'a' };
    };
    const output = ok(`${KERNEL}
print(x[:2].tolist())
c = k[(1,)](x, 1, 1.0, True, None, 16)
print(x[:2].tolist(), c.n_regs, c.metadata.shared, c.metadata.num_warps)
c._init_handles()
c[(4, 1, 1)](x, 1, 1.0, True, None, 16, "gelu")
`);
    expect(output).toBe('[nan, nan]\n[7.0, 7.0] 32 1024 4\n');
    expect(python.launches.at(-1)!.grid).toEqual([4, 1, 1]);
  });
});

describe('a kernel program', () => {
  it('carries globals, closures, helpers of other files and defaults', () => {
    ok(
      `${HEAD}
import helpers
from helpers import scale as rescale
N = tl.constexpr(4)
LIMIT = 7
def make(width):
    @triton.jit
    def inner(x, D: tl.constexpr = 3):
        y = rescale(x) + width + N + LIMIT + helpers.shift(x)
        tl.store(x, min(tl.sum(y), float("inf")))
    return inner
make(5)[(1,)](torch.empty(1, device="cuda"))
`,
      {
        'helpers.py': `import triton
import triton.language as tl
FACTOR = tl.constexpr(2)
@triton.jit
def scale(x):
    return x * FACTOR
@triton.jit
def shift(x):
    return scale(x) + 1
`,
      },
    );
    const program = python.programs[python.launches.at(-1)!.program]!;
    expect(Object.keys(program.files).sort()).toEqual(['helpers.py', 'main.py']);
    expect(Object.keys(program.functions).sort()).toEqual(['inner', 'scale', 'shift']);
    expect(program.functions['inner']).toMatchObject({
      file: 'main.py',
      line: 10,
      defaults: { D: { kind: 'int', value: '3' } },
      globals: {
        rescale: { kind: 'function', id: 'scale' },
        width: { kind: 'int', value: '5' },
        N: { kind: 'constexpr', value: { kind: 'int', value: '4' } },
        LIMIT: { kind: 'int', value: '7' },
        tl: { kind: 'triton', path: 'triton.language' },
        min: { kind: 'builtin', name: 'min' },
        float: { kind: 'builtin', name: 'float' },
        helpers: { kind: 'module', members: { shift: { kind: 'function', id: 'shift' } } },
      },
    });
    expect(program.functions['scale']!.globals['FACTOR']).toEqual({
      kind: 'constexpr',
      value: { kind: 'int', value: '2' },
    });
  });

  it('takes what a class of a module has, and refuses a class that is a global, as Triton does', () => {
    ok(
      `${HEAD}
import lang
@triton.jit
def k(x_ptr, n):
    tl.store(x_ptr, lang.Sum.forward(n) * lang.Sum.SCALE)
k[(1,)](torch.zeros(1, device="cuda"), 3)
`,
      {
        'lang.py': `${HEAD}
class Sum:
    SCALE = tl.constexpr(3)
    @staticmethod
    @triton.jit
    def forward(x):
        return x + 1
`,
      },
    );
    const text = JSON.stringify(python.programs.at(-1));
    expect(text).toContain('"SCALE":{"kind":"constexpr","value":{"kind":"int","value":"3"}}');
    expect(text).toContain('"name":"forward"');
  });

  it('is registered again when a global changed, and only then', () => {
    const before = python.programs.length;
    ok(`${HEAD}
N = tl.constexpr(4)
@triton.jit
def k(x):
    tl.store(x, N)
x = torch.empty(1, device="cuda")
for i in range(3):
    k[(1,)](x)
N = tl.constexpr(5)
k[(1,)](x)
`);
    expect(python.programs.length - before).toBe(2);
  });

  it('finds libdevice under every path', () => {
    ok(`${HEAD}
from triton.language.extra import libdevice as a
from triton.language.extra.cuda import libdevice as b
from triton.language.extra.cuda.libdevice import tanh as c
import triton.language.extra.libdevice as d
tanh = tl.math.tanh
@triton.jit
def k(x):
    a.exp(b.exp(c(d.exp(tanh(x)))))
k[(1,)](torch.empty(1, device="cuda"))
`);
    const { globals } = python.programs.at(-1)!.functions['k']!;
    const tanh = { kind: 'triton', path: 'triton.language.extra.libdevice.tanh' };
    const module = { kind: 'triton', path: 'triton.language.extra.libdevice' };
    expect(globals).toMatchObject({ a: module, b: module, c: tanh, d: module, tanh });
  });

  it('evaluates constexpr functions for the compiler', () => {
    ok(
      `${HEAD}
@triton.constexpr_function
def double(n):
    return n * 2
@triton.jit
def k(x):
    double(3)
print(double(4) if double(4) == 8 else 1 / 0, end="")
k[(1,)](torch.empty(1, device="cuda"))
`.replace('print(double(4) if double(4) == 8 else 1 / 0, end="")', 'assert double(4) == 8'),
    );
    const value = python.programs.at(-1)!.functions['k']!.globals['double'] as { id: string };
    const host = python.pyodide.pyimport('_hippocamp_host');
    expect(
      JSON.parse(
        host.call_constexpr(value.id, '{"args":[{"kind":"int","value":"21"}],"keywords":{}}'),
      ),
    ).toEqual({
      kind: 'int',
      value: '42',
    });
  });

  it('names a constexpr function by its run: the next may have another at its address', () => {
    const named = (first: string): unknown => {
      ok(`${HEAD}
@triton.constexpr_function
def f():
    return 1
${first}
@triton.jit
def k(x):
    f()
k[(1,)](torch.empty(1, device="cuda"))
`);
      return (python.programs.at(-1)!.functions['k']!.globals['f'] as { id: string }).id;
    };
    expect(named('triton.kept = f')).not.toBe(named('f = triton.kept\ndel triton.kept'));
  });
});

describe('what goes wrong', () => {
  it('raises what went wrong in a helper from its call, as Triton chains it', () => {
    python.onLaunch = () => ({
      ok: false,
      kind: 'CompilationError',
      message: 'no such thing',
      diagnostics: [
        {
          code: 'HC0213',
          severity: 'error',
          message: 'no such thing',
          location: { file: 'main.py', line: 3, column: 15, endLine: 3, endColumn: 16 },
          notes: [
            {
              message: 'called',
              location: { file: 'main.py', line: 11, column: 5, endLine: 11, endColumn: 9 },
            },
          ],
        },
      ],
    });
    const result = python.run(`import triton, triton.language as tl
def unrelated():
    return lambda: 0

${KERNEL}
try:
    k[(1,)](x, 1, 1.0, True, None, 16)
except triton.compiler.errors.CompileTimeAssertionFailure as e:
    assert isinstance(e, triton.CompilationError)
    print(e.error_message, e.node.lineno, e.node.col_offset, e.__cause__.node.lineno)
    print(str(e).splitlines()[0], "|", e.__cause__.__cause__)
`);
    expect(result.errors).toBe('');
    expect(result.output).toBe('no such thing 2 4 2\nat 2:4: (main.py:11) | None\n');
  });

  it('warns as Triton does: for filters and recorders, and in print only as a diagnostic', () => {
    const warned = { message: 'tl.view is old', file: 'main.py', line: 7 };
    python.onLaunch = () => ({ ok: true, key: 'key', warnings: [warned] });
    const output = ok(`${KERNEL}
import warnings
k[(1,)](x, 1, 1.0, True, None, 16)
with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    k[(1,)](x, 1, 1.0, True, None, 16)
    warnings.warn("mine")
print([(issubclass(w.category, UserWarning), str(w.message), w.filename, w.lineno) for w in seen])
with warnings.catch_warnings():
    warnings.simplefilter("error")
    try:
        k[(1,)](x, 1, 1.0, True, None, 16)
    except UserWarning as e:
        print("raised", e)
`);
    expect(output).toContain(
      "[(True, 'tl.view is old', '/program/main.py', 7), (True, 'mine', '/program/main.py', 15)]",
    );
    expect(output).toContain('raised tl.view is old');
    const printed = python.run(`${KERNEL}
import warnings
k[(1,)](x, 1, 1.0, True, None, 16)
warnings.warn("mine")
`);
    expect(printed.errors).not.toContain('tl.view');
    expect(printed.errors).toContain('mine');
  });

  it('describes what @triton.must_use_result says, also of methods', () => {
    ok(`${HEAD}
@triton.must_use_result("Square it yourself.")
@triton.jit
def square(x):
    return x * x
@triton.must_use_result
@triton.constexpr_function
def two():
    return 2
@triton.aggregate
class Pair:
    x: tl.tensor
    @triton.constexpr_function
    def __init__(self, x):
        self.x = x
    @triton.must_use_result
    @triton.constexpr_function
    def power(self):
        return 2
    @triton.must_use_result
    @triton.jit
    def twice(self):
        return self.x * 2
@triton.jit
def k(p):
    square(Pair(p).twice())
    two()
k[(1,)](torch.empty(4, device="cuda"))
`);
    const functions = Object.values(python.programs.at(-1)!.functions);
    expect(functions.map(({ name, mustUse }) => [name, mustUse]).sort()).toEqual([
      ['__init__', undefined],
      ['k', undefined],
      ['power', ''],
      ['square', 'Square it yourself.'],
      ['twice', ''],
    ]);
    const k = functions.find(({ name }) => name === 'k')!;
    expect(k.globals['two']).toMatchObject({ kind: 'constexpr_function', mustUse: '' });
  });

  it('shows a compile error with its line and caret', () => {
    python.onLaunch = () => ({
      ok: false,
      kind: 'CompilationError',
      message: 'no such thing',
      diagnostics: [
        {
          code: 'HC0101',
          severity: 'error',
          message: 'no such thing',
          location: { file: 'main.py', line: 7, column: 5, endLine: 7, endColumn: 9 },
          notes: [],
        },
      ],
    });
    const result = python.run(`${KERNEL}
k[(1,)](x, 1, 1.0, True, None, 16)
`);
    expect(result.outcome).toBe('error');
    expect(result.errors).toMatch(
      /at 2:4: \(main\.py:7\)\ndef k\(.*\):\n {4}pass\n {4}\^\nno such thing/,
    );
    expect(result.errors).not.toContain('/lib/hippocamp');
    const found = result.events.filter((e) => e.type === 'diagnostic');
    expect(found).toMatchObject([{ diagnostic: { code: 'HC0101' } }]);
  });

  it('reports a Python exception where it was raised', () => {
    const result = python.run('x = 1\ndef f():\n    return x / 0\nf()\n');
    expect(result.events.filter((e) => e.type === 'diagnostic')).toMatchObject([
      {
        diagnostic: {
          message: 'ZeroDivisionError: division by zero',
          location: { file: 'main.py', line: 3, column: 12, endColumn: 17 },
        },
      },
    ]);
    expect(result.errors).toContain('File "main.py", line 4, in <module>');
  });

  it('names what is missing', () => {
    const result = python.run('import torch\ntorch.softmaxx\n');
    expect(result.errors).toContain("has no attribute 'softmaxx'");
    expect(result.errors).toContain('torch.softmax');
  });

  it('keeps nothing between runs', () => {
    ok('import torch\nx = [torch.ones(1000) for i in range(50)]\n');
    ok('try:\n    x\nexcept NameError:\n    pass\n');
    expect(python.live()).toBeLessThan(5);
  });
});

describe('memory that is not there', () => {
  it('raises as CUDA does, wherever the runtime finds out', () => {
    const output = ok(`${KERNEL}
import _hippocamp_bridge as bridge
for kind in ("MemoryError", "OutOfMemoryError"):
    error = bridge.error_of(kind, "Tried to allocate 3 GiB")
    print(isinstance(error, torch.cuda.OutOfMemoryError), isinstance(error, RuntimeError), error)
`);
    const line = 'True True CUDA out of memory. Tried to allocate 3 GiB\n';
    expect(output).toBe(line + line);
  });
});
