/**
 * triton's host side: what a launch sends to the runtime, how arguments are typed and bound, how values
 * of globals reach the compiler, autotuning, charts, and the errors a program sees.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import type { ProgramEvent } from '../events';
import { startPython } from './testing/python';
import type { TestPython } from './testing/python';

const HEAD = `
import torch, triton
import triton.language as tl
`;
const KERNEL = `${HEAD}
@triton.jit
def k(x_ptr, n, alpha, flag, none, BLOCK: tl.constexpr, MODE: tl.constexpr = "relu"):
    pass
x = torch.empty(100, device="cuda")
`;

let python: TestPython;
beforeAll(async () => {
  python = await startPython();
}, 60_000);

function ok(source: string, files?: Record<string, string>): string {
  const result = python.run(source, files ? { files } : {});
  expect(result.errors).toBe('');
  return result.output;
}

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
configs = [triton.Config({"BLOCK_M": b, "BLOCK_N": b, "BLOCK_K": 32}) for b in (16, 64, 1024)]
a = torch.empty(32, 32)
assert len(early_config_prune(configs, dict(M=32, N=32, K=32))) == 2
slow, fast = (estimate_matmul_time(4, 3, a, a, a, 32, 32, 32, b, b, 32) for b in (1024, 32))
assert slow > fast
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
  it('are told of compilations and launches, once each, and are gone with the program', () => {
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
      numStages: 3,
      numCtas: 1,
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

  it('does not specialize what it is told not to', () => {
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
    expect(output).toBe('[0.0, 0.0]\n[7.0, 7.0] 32 1024 4\n');
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

  it('knows libdevice under every path', () => {
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
});

describe('autotuning and timing', () => {
  it('tries every configuration once a key', () => {
    const before = python.launches.length;
    const events = python.events.length;
    const output = ok(`${HEAD}
@triton.autotune(configs=[triton.Config({"B": b}, num_warps=w) for b, w in ((16, 1), (32, 2))], key=["n"])
@triton.heuristics({"EVEN": lambda a: a["n"] % a["B"] == 0})
@triton.jit
def k(x, n, B: tl.constexpr, EVEN: tl.constexpr):
    pass
x = torch.empty(4, device="cuda")
for n in (64, 64, 100):
    k[lambda m: (triton.cdiv(n, m["B"]),)](x, n)
print(k.best_config)
`);
    expect(output).toMatch(/^B: \d+, num_warps: \d, num_ctas: 1, num_stages: 3, maxnreg: None\n$/);
    // Two configurations, each called twice to be timed, for two keys; and three launches.
    const made = python.launches.slice(before);
    expect(made.filter((launch) => !launch.warmup).length).toBe(2 * 2 * 2 + 3);
    // Before they are timed, all are compiled: started together, then waited for.
    const first = made.slice(0, 4).map((launch) => [launch.warmup, launch.ahead]);
    expect(first).toEqual([
      [true, true],
      [true, true],
      [true, false],
      [true, false],
    ]);
    const progress = python.events.slice(events).flatMap((event) => {
      return event.type === 'progress' ? [event.text] : [];
    });
    expect(progress).toContain('compiling k: 2 of 2 configurations');
    expect(progress).toContain('measuring k: 1 of 2 configurations');
    expect(progress.at(-1)).toBe('');
  });

  it('leaves out what has more threads than CUDA allows a program, and says so where it is asked for', () => {
    python.adapter = 'interpreter';
    const result = python.run(`${HEAD}
configs = [triton.Config({}, num_warps=w) for w in (64, 4)]
@triton.autotune(configs=configs, key=["n"])
@triton.jit
def k(x, n):
    pass
x = torch.empty(4, device="cuda")
k[(1,)](x, 64)
print(k.best_config.num_warps)
try:
    k.fn[(1,)](x, 64, num_warps=64)
except triton.OutOfResources as error:
    print(error)
`);
    python.adapter = 'webgpu';
    expect(result.output).toBe(
      '4\nout of resource: threads, Required: 2048, Hardware limit: 1024. ' +
        'Reducing block sizes or `num_stages` may help.\n',
    );
  });

  const TUNED = `${HEAD}
@triton.autotune(configs=[triton.Config({"B": b}) for b in (16, 32, 64)], key=["n"])
@triton.jit
def k(x, n, B: tl.constexpr):
    pass
x = torch.empty(4, device="cuda")
k[(1,)](x, 64)
print(k.best_config.kwargs["B"])
`;
  const blockOf = (request: { readonly specialization: unknown }): number => {
    const { arguments: specs } = request.specialization as { arguments: { value?: unknown }[] };
    return Number((specs.at(-1)!.value as { value: string }).value);
  };
  const tunings = (result: { events: readonly ProgramEvent[] }) =>
    result.events.filter((event) => event.type === 'autotune');

  it('tells every configuration, drops what is clearly slower, and remembers', () => {
    const asked: number[][] = [];
    const times: Record<number, number> = { 16: 2, 32: 0.5, 64: 5 };
    python.onBench = (last, best) => {
      const block = blockOf(last);
      asked.push([block, best]);
      const time = times[block]!;
      const dropped = best > 0 && time > 2 * best;
      const samples = dropped ? [time] : [time, time * 1.1, time * 0.9];
      return { clock: 'gpu', samples, quantum: 0.001, dropped };
    };
    const first = python.run(TUNED);
    expect([first.errors, first.output]).toEqual(['', '32\n']);
    expect(asked).toEqual([
      [16, 0],
      [32, 2],
      [64, 0.5],
    ]);
    const told = tunings(first);
    expect(told.map(({ done }) => done)).toEqual([false, false, false, false, true]);
    const last = told.at(-1)!;
    expect(last).toMatchObject({
      kernel: 'k',
      best: 1,
      fromCache: false,
      id: 1,
      site: { line: 10 },
    });
    expect(last.configurations.map(({ state }) => state)).toEqual([
      'measured',
      'measured',
      'dropped',
    ]);
    expect(last.configurations[1]).toMatchObject({
      settings: { B: 32, num_warps: 4 },
      timing: { clock: 'gpu', median: 500, samples: 3, quantum: 1 },
    });

    const again = python.run(TUNED, { keepTunings: true });
    expect([again.output, asked.length]).toEqual(['32\n', 3]);
    expect(tunings(again).at(-1)).toMatchObject({ best: 1, fromCache: true, done: true });
    // Another text, key or adapter is another kernel; the environment can turn it off.
    for (const [from, to] of [
      ['pass', 'x + 1'],
      ['k[(1,)](x, 64)', 'k[(1,)](x, 65)'],
      [
        'import torch, triton\n',
        'import torch, triton, os\nos.environ["TRITON_CACHE_AUTOTUNING"] = "0"\n',
      ],
    ] as const) {
      const before = asked.length;
      expect(TUNED).toContain(from);
      python.run(TUNED.replace(from, to), { keepTunings: true });
      expect([from, asked.length - before]).toEqual([from, 3]);
    }
    python.onBench = null;
  });

  it('tunes our own choices where it is asked to, and keeps what is faster', () => {
    python.onBench = (last) => {
      const time = last.choices?.['threads'] === 128 ? 0.2 : 1;
      return { clock: 'gpu', samples: [time], quantum: 0.001, dropped: false };
    };
    python.onLaunch = ({ choices }) => ({ ok: true, key: `key ${JSON.stringify(choices)}` });
    python.onFacts = () => ({ wgsl: JSON.stringify(python.launches.at(-1)!.choices ?? {}) });
    const text = TUNED.replace(
      'import torch, triton\n',
      'import torch, triton, os\nos.environ["HIPPOCAMP_TUNE"] = "1"\n',
    );
    const result = python.run(text);
    expect(result.errors).toBe('');
    const last = tunings(result).at(-1)!;
    const winner = last.configurations[last.best!]!;
    expect(winner.settings).toMatchObject({ B: 16, threads: 128 });
    expect(python.launches.at(-1)!.choices).toEqual({ threads: 128 });
    const again = python.run(text, { keepTunings: true });
    expect(tunings(again).at(-1)!.fromCache).toBe(true);
    expect(python.launches.at(-1)!.choices).toEqual({ threads: 128 });
    // Without the switch they are the compiler's.
    python.run(TUNED, { keepTunings: true });
    expect(python.launches.at(-1)!.choices).toBeUndefined();
    python.onBench = python.onFacts = null;
  });

  it('takes the first configuration on the interpreter, and says so once', () => {
    const before = python.launches.length;
    python.adapter = 'interpreter';
    const result = python.run(`${HEAD}
@triton.autotune(configs=[triton.Config({"B": b}) for b in (16, 32)], key=["n"])
@triton.jit
def k(x, n, B: tl.constexpr):
    pass
x = torch.empty(4, device="cuda")
for n in (64, 100):
    k[(1,)](x, n)
print(k.best_config.kwargs)
`);
    python.adapter = 'webgpu';
    expect(result.output).toBe("{'B': 16}\n");
    expect(python.launches.length - before).toBe(2);
    const told = result.events.filter((event) => event.type === 'diagnostic');
    expect(told).toMatchObject([{ diagnostic: { severity: 'info', location: { line: 11 } } }]);
  });

  it('measures small tiles first while there is time, and says what it left out', () => {
    python.tuneSeconds = 0.2;
    const result = python.run(`${HEAD}
import time
def slow(call, quantiles):
    call()
    time.sleep(0.15)
    return [1.0, 1.0, 1.0]
@triton.autotune(configs=[triton.Config({"B": b}) for b in (64, 16, 32, 128)], key=["n"], do_bench=slow)
@triton.jit
def k(x, n, B: tl.constexpr):
    pass
x = torch.empty(4, device="cuda")
k[(1,)](x, 64)
print([config.kwargs["B"] for config in k.configs_timings], k.best_config.kwargs)
`);
    python.tuneSeconds = null;
    expect(result.output).toBe("[16, 32] {'B': 16}\n");
    const told = result.events.filter((event) => event.type === 'diagnostic');
    expect(told).toMatchObject([{ diagnostic: { code: 'HC0902', severity: 'info' } }]);
  });

  it('measures nothing where one launch would take all the time', () => {
    python.tuneSeconds = 10;
    const TUNED = `${HEAD}
@triton.autotune(configs=[triton.Config({"B": b}) for b in (64, 16, 32)], key=["n"])
@triton.jit
def k(x, n, B: tl.constexpr):
    pass
x = torch.empty(4, device="cuda")
k[(5,)](x, 64)
print(len(k.configs_timings), k.best_config.kwargs)
`;
    for (const [operations, output, codes] of [
      [1e12, "0 {'B': 16}\n", ['HC0902']],
      [1e6, "3 {'B': 16}\n", []],
    ] as const) {
      python.onLaunch = ({ ahead }) => ({ ok: true, key: 'key', ...(ahead ? { operations } : {}) });
      const before = python.launches.length;
      const result = python.run(TUNED);
      expect(python.launches[before]!.grid).toEqual([5, 1, 1]);
      expect(result.output).toBe(output);
      const told = result.events.filter((event) => event.type === 'diagnostic');
      expect(told.map(({ diagnostic }) => diagnostic.code)).toEqual(codes);
    }
    python.tuneSeconds = null;
  });

  it('calls what is slow on the CPU once', () => {
    const output = ok(`${HEAD}
import time
calls = 0
def slow():
    global calls
    calls += 1
    time.sleep(0.6)
ms = triton.testing.do_bench(slow)
print(calls, 500 < ms < 3000)
`);
    expect(output).toBe('1 True\n');
  });

  it('leaves out the points that a chart has no time for, and says so', () => {
    python.chartSeconds = 0.5;
    const result = python.run(`${HEAD}
import time
@triton.testing.perf_report(triton.testing.Benchmark(
    x_names=["size"], x_vals=[1, 2, 3, 4, 5, 6], line_arg="p", line_vals=["a"], line_names=["A"],
    ylabel="GB/s", plot_name="plot", args={}))
def bench(size, p):
    time.sleep(0.2)
    return float(size)
bench.run()
`);
    python.chartSeconds = null;
    const chart = result.events.filter((event) => event.type === 'benchmark').at(-1)!;
    expect(chart.done).toBe(true);
    expect(chart.lines[0]?.points.map((point) => point.x)).toEqual([1, 2]);
    expect(chart.notes[0]).toMatch(/size = 3 and the 3 points after it left out/);
  });

  it('leaves out lines and charts that no time is left for, and says so', () => {
    python.chartSeconds = 0.1;
    const result = python.run(`${HEAD}
import time
@triton.testing.perf_report([triton.testing.Benchmark(
    x_names=["size"], x_vals=[1, 2], line_arg="p", line_vals=["a", "b"], line_names=["A", "B"],
    ylabel="GB/s", plot_name=name, args={}) for name in ("first", "second")])
def bench(size, p):
    time.sleep(0.3)
    return float(size)
tables = bench.run(print_data=True, return_df=True)
print(len(tables), tables[1].shape)
`);
    python.chartSeconds = null;
    expect(result.errors).toBe('');
    expect(result.output).toMatch(/^0 +1\.0 +1\.0 +NaN$/m);
    expect(result.output).toMatch(/note: B left out at size = 1: the lines before took/);
    expect(result.output).toMatch(/note: second left out: the charts before took/);
    expect(result.output).toMatch(/^2 \(0, 3\)$/m);
  });

  it('says which lines were timed by waiting, for kernels that are slow here', () => {
    python.chartSeconds = 0.02;
    const result = python.run(`${KERNEL}
import time
@triton.testing.perf_report(triton.testing.Benchmark(
    x_names=["size"], x_vals=[1], line_arg="p", line_vals=["a"], line_names=["slow"],
    ylabel="ms", plot_name="plot", args={}))
def bench(size, p):
    def slow():
        k[(1,)](x, 1, 1.0, True, None, 16)
        time.sleep(0.025)
    return triton.testing.do_bench(slow)
bench.run(print_data=True)
`);
    python.chartSeconds = null;
    expect(result.errors).toBe('');
    expect(result.output).toContain(
      "note: slow: timed by the CPU's clock, with what launching takes",
    );
  });

  it('prints and draws a report', () => {
    const result = python.run(`${HEAD}
@triton.testing.perf_report(triton.testing.Benchmark(
    x_names=["size"], x_vals=[128, 256, 10**9], line_arg="p", line_vals=["a", "b"], line_names=["A", "B"],
    ylabel="GB/s", plot_name="plot", args={}))
def bench(size, p):
    x = torch.empty(size, device="cuda")
    ms, low, high = triton.testing.do_bench(lambda: x + 1 if p == "b" else None, quantiles=[0.5, 0.2, 0.8])
    return size / 100, low, high
bench.run(print_data=True)
`);
    expect(result.errors).toBe('');
    expect(result.output).toBe(
      'plot:\n    size  A (GB/s)  B (GB/s)\n0  128.0      1.28      1.28\n1  256.0      2.56      2.56\n' +
        'note: size = 1000000000 left out: the tensors need more memory than there is here\n' +
        'note: B: computed and timed on the CPU\n',
    );
    const chart = result.events.filter((e) => e.type === 'benchmark').at(-1)!;
    expect(chart).toMatchObject({ done: true, lines: [{ clock: 'gpu' }, { clock: 'cpu' }] });
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
              message: 'called from here',
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

describe('proton', () => {
  const PROFILED = `${HEAD}
import triton.profiler as proton, triton.profiler.viewer as viewer
@triton.jit(launch_metadata=lambda grid, kernel, args: {"name": "named", "flops32": 4e6})
def k(x_ptr, z_ptr): pass
x = torch.ones(4, device="cuda")
def f():
    z = torch.empty_like(x)
    k[(1,)](x, z)
    return z
`;
  const first = (): readonly [number, number] => [python.launches.length, python.relaunches.length];
  const since = ([launches, relaunches]: readonly [number, number]): number =>
    python.launches.length - launches + python.relaunches.length - relaunches;
  const withProfile = (
    settings: Partial<Pick<TestPython, 'chartSeconds' | 'software' | 'profiled'>>,
    source: string,
  ): string => {
    Object.assign(python, settings);
    python.onLaunch = () => ({ ok: true, key: 'key', prepared: 1, writes: [1] });
    try {
      return ok(PROFILED + source);
    } finally {
      Object.assign(python, { chartSeconds: null, software: false, profiled: [] });
      python.onLaunch = () => ({ ok: true, key: 'key' });
    }
  };

  it('adds up times by scope and kernel, with the metrics that either names', () => {
    const before = first();
    const profiled = [{ slot: 0, launches: 3, microseconds: 6000, clock: 'gpu' as const }];
    const output = withProfile(
      { profiled },
      `
s = proton.start("p", hook="triton")
for _ in range(3):
    with proton.scope("outer", {"bytes": 1e6}):
        f()
proton.deactivate(s); f(); proton.finalize()
print(*viewer.parse(["time/ms", "gflop32/s", "gbyte/s"], "p.hatchet")[1])
viewer.print_tree(*viewer.parse(["time/ms", "gflop32/s", "gbyte/s"], "p.hatchet"))
f()
`,
    );
    expect(since(before)).toBe(5);
    expect(output).toBe(
      'time/ms gflop32/s gbyte/s\n6.000 2.000 0.500 ROOT\n└─ 6.000 2.000 0.500 outer\n' +
        '   └─ 6.000 2.000 nan named\n',
    );
  });

  it('takes scopes and states as decorators, of functions that call themselves too', () => {
    const output = withProfile(
      {},
      `
@proton.state("part")
def part(n):
    return n
@proton.cpu_timed_scope("timed", {"flops32": 1.0})
def timed(n):
    return part(n) + (timed(n - 1) if n else 0)
proton.start("p")
print(timed(2))
proton.finalize()
viewer.show_metrics("p.hatchet")
`,
    );
    expect(output).toBe('3\nAvailable metrics:\n- cpu_time (ns)\n- flops32\n');
  });

  it('leaves out what nobody reads where there is no time, says so, and runs what is read', () => {
    const before = first();
    const source = `
proton.start("p"); proton.deactivate()
for _ in range(5): f()  # The first compiles; the others warm up nothing.
proton.activate(0)
for _ in range(9): kept = f()
proton.finalize()
viewer.print_tree(*viewer.parse(["count"], "p.hatchet"))
print(kept.sum().item())
`;
    const profiled = [{ slot: 0, launches: 1, microseconds: 5, clock: 'gpu' as const }];
    const output = withProfile({ chartSeconds: 1e-9, software: true, profiled }, source);
    // Once to compile, once measured; then the one that was kept.
    // (A clock that has not moved measures once more.)
    expect(since(before)).toBeGreaterThanOrEqual(3);
    expect(since(before)).toBeLessThanOrEqual(5);
    expect(output).toMatch(/note: k: [678] repetitions left out, measured 1\n/);
    const told = python.events.filter((e) => e.type === 'diagnostic');
    expect(told.at(-1)!.diagnostic.code).toBe('HC0903');
    const all = first();
    withProfile({ software: true }, source);
    expect(since(all)).toBe(14);
  });

  it('measures products on the CPU no more often than there is time for', () => {
    const output = withProfile(
      { chartSeconds: 0.5, software: true },
      `
a = torch.ones(512, 512)
proton.start("p")
with proton.scope("products", {"flops32": 1.0}):
    for _ in range(1000): a @ a
proton.finalize()
viewer.print_tree(*viewer.parse(["count"], "p.hatchet"))
`,
    );
    const [, left, measured] =
      /products\/torch: matmul: ([\d,]+) repetitions left out, measured ([\d,]+)/.exec(output) ??
      [];
    expect(Number(left) + Number(measured)).toBe(1000);
    expect(Number(left)).toBeGreaterThan(500);
    expect(output).toContain('note: products/torch: matmul: computed and timed on the CPU');
  });

  it('keeps the order of what is put off: inputs that change, results that are inputs', () => {
    const before = first();
    withProfile(
      { chartSeconds: 1e-9, software: true },
      `
import _hippocamp_bridge as bridge
f()
proton.start("p"); proton.deactivate()
a = f()              # put off
assert len(bridge.profile.deferred.items) == 1
x.add_(1)            # changes its input: it runs before
assert not bridge.profile.deferred.items
def g(x):
    z = torch.empty_like(x); k[(1,)](x, z); return z
g(a)
b = g(g(a))          # the inner one's result lives on in the outer one
assert len(bridge.profile.deferred.items) == 2
del b
assert not bridge.profile.deferred.items
for _ in range(5): k[(1,)](x, a)  # the same again
assert len(bridge.profile.deferred.items) == 1
`,
    );
    // f, f at add_, the first g, the first of the last line, and the last at the program's end.
    expect(since(before)).toBe(5);
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
