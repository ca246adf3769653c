/**
 * PyTorch's eager operations as launches (`torch/_eager`) against the CPU's numbers, which share
 * nothing with the compiler: on the interpreter and on WebGPU; and what `do_bench` makes of them.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ProgramFiles, RunOptions } from '../events';
import type { Runner } from '../runtime/runner';
import { emptyRecord, fold, type RunRecord } from '../state/record';
import { account, startLessons } from '../tutorials/testing';

const OPERATIONS = readFileSync(join(import.meta.dirname, 'testdata', 'eager.py'), 'utf8');
const GROUPS = [
  ...['unary', 'binary', 'copies', 'reductions', 'rows', 'scans', 'order', 'products', 'vectors'],
  ...['convolutions', 'selections', 'gradients'],
];
/** Not timed on the GPU of a software adapter, so only the interpreter has it here. */
const ON_INTERPRETER = [...GROUPS, 'attention'];

let runner: Runner;
beforeAll(async () => {
  runner = await startLessons();
});
afterAll(() => runner?.dispose());

/** Charts have no limit of time, which compilations on a busy machine would reach. */
async function run(
  files: ProgramFiles,
  adapter: RunOptions['adapter'] = 'webgpu',
): Promise<RunRecord> {
  const record = emptyRecord(1, 1, '');
  const options = { adapter, maxBytes: null, chartSeconds: 600, tuneSeconds: 1 };
  await runner.run(files, 'main.py', { ...options, check: false, seed: 0 }, (event) =>
    fold(record, event),
  );
  return record;
}

async function play(
  program: string,
  adapter: RunOptions['adapter'] = 'webgpu',
): Promise<RunRecord> {
  const record = await run({ 'main.py': program, 'eager.py': OPERATIONS }, adapter);
  expect(record.adapter?.kind).toBe(adapter);
  expect(record.outcome, account(record)).toBe('ok');
  return record;
}

function printed(record: RunRecord): string {
  return record.output.map((item) => (item.kind === 'print' ? item.text : '')).join('');
}

describe.each(['interpreter', 'webgpu'] as const)('operations on %s', (adapter) => {
  it.each(adapter === 'interpreter' ? ON_INTERPRETER : GROUPS)('%s', async (group) => {
    const record = await play(`import eager\neager.run(1, [eager.${group}])`, adapter);
    expect(Number(printed(record))).toBeGreaterThan(5);
  });
});

const HEAD = `
import torch
import torch.nn.functional as F
import triton
from triton import testing
from torch import _eager

x = torch.randn(64, 100, device="cuda")

def timed(f):
    testing._lacking.clear(), testing.clocks_seen.clear()
    ms = testing.do_bench(f, rep=1)
    assert ms > 0
    return sorted(testing.clocks_seen), list(testing._lacking)
`;

/** The text of the last benchmark event's notes, and the clock of each line. */
function chartOf(record: RunRecord): { notes: readonly string[]; clocks: string[] } {
  const chart = record.benchmarks.at(-1);
  if (!chart) throw new Error('no chart');
  const { notes, lines } = chart;
  return { notes, clocks: lines.map(({ clock }) => clock) };
}

describe('do_bench', () => {
  it('times operations on the GPU, and leaves what the program reads to the CPU', async () => {
    await play(`${HEAD}
from torch import _core
expected = torch.softmax(x * 2, -1)
out, calls = torch.empty_like(x), 0
def f():
    global y, calls
    calls += 1
    y = torch.softmax(x * 2, -1)
    torch.add(x, 1, out=out)
assert timed(f) == (["gpu"], [])
# The last call was the CPU's: equal bit for bit, and no comparison has a caveat.
assert torch.equal(y, expected) and torch.equal(out, x + 1)
assert y._storage not in _core.marked and out._storage not in _core.marked
assert calls >= 3 and _eager.missing is None and _core.eager is None
`);
  });

  it('names what keeps a function on the CPU', async () => {
    await play(`${HEAD}
weight = torch.randn(4, 1, 3, 3, 3, device="cuda")
leaf = x.clone().requires_grad_()
made = F.layer_norm(leaf, (100,))
host = torch.randn(4)
for f, name in [
    (lambda: x.cummax(0), "cummax"),
    (lambda: x.double() + 1, "copy (float64)"),
    (lambda: x.clamp(0, 1), "clamp (2 launches here, 1 in PyTorch)"),
    (lambda: F.conv3d(x.reshape(1, 1, 8, 8, 100), weight), "conv3d"),
    (lambda: x.relu_(), "relu_"),
    (lambda: x.sum().item(), "tolist"),
    (lambda: host + 1, "add of tensors on the CPU"),
    (lambda: x.cpu(), "copy (between the CPU and the GPU)"),
    (lambda: torch.rand(3, device="cuda"), "uniform"),
    (lambda: made.backward(x, retain_graph=True), "the backward of layer_norm"),
]:
    clocks, lacking = timed(f)
    assert clocks == ["cpu"] and len(lacking) == 1 and lacking[0].startswith(name), (name, clocks, lacking)
`);
  });

  it('leaves an autotuner’s hooks and clock out, and reads numbers of the CPU', async () => {
    await play(`${HEAD}
import triton.language as tl
from torch import _core

@triton.autotune([triton.Config({"B": 64}), triton.Config({"B": 128})], key=["n"], reset_to_zero=["out"])
@triton.jit
def total(x, out, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.atomic_add(out, tl.sum(tl.load(x + i, mask=i < n, other=0.0)))

out = torch.zeros(1, device="cuda")
testing._eager_seen.clear()
assert timed(lambda: total[lambda m: (triton.cdiv(6400, m["B"]),)](x, out, 6400)) == (["gpu"], [])
assert testing._eager_seen == [] and out._storage not in _core.marked
scale = torch.tensor(2.0)
assert timed(lambda: x * scale) == (["gpu"], [])
assert len(testing._eager_seen) == 1
`);
  });

  it('computes a slow function of the CPU once', async () => {
    await play(`${HEAD}
import time
calls = 0
def f():
    global calls
    calls += 1
    time.sleep(0.6)
    return x.cummax(0)
assert timed(f) == (["cpu"], ["cummax"]) and calls == 1
`);
  });

  it('stops where an index is out of bounds', async () => {
    const record = await run({
      'main.py': `${HEAD}
table = torch.randn(4, 3, device="cuda")
index = torch.tensor([1, 7], device="cuda")
testing.do_bench(lambda: table[index])
print("not reached")
`,
    });
    expect(record.outcome).not.toBe('ok');
    expect(printed(record)).toBe('');
  });

  it('draws a chart whose lines are the GPU, and says which were not', async () => {
    const record = await play(`${HEAD}
@triton.testing.perf_report(triton.testing.Benchmark(
    x_names=["n"], x_vals=[64], line_arg="p", line_vals=["sum", "scan"], line_names=["Sum", "Scan"],
    ylabel="ms", plot_name="plot", args={}))
def bench(n, p):
    return testing.do_bench(lambda: x.sum(-1) if p == "sum" else x.cummax(-1), rep=1)
bench.run()
`);
    expect(chartOf(record)).toEqual({
      clocks: ['gpu', 'cpu'],
      notes: [
        'Scan: computed and timed on the CPU, because no kernel of Hippocamp’s has cummax',
        'Sum: torch’s operations ran on the GPU as Hippocamp’s own kernels, not as cuBLAS or cuDNN',
      ],
    });
  });
});
