/**
 * Autotuning, charts and timing: what is tried, reported, kept, and left out where there is no time
 * for it.
 */
import { describe, expect, it } from 'vitest';
import type { ProgramEvent } from '../events';
import { compiled } from './testing/python';
import { HEAD, KERNEL, ok, python } from './testing/triton';

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
    // Before they are timed, all are compiled: for their code, then for the GPU, started together
    // and waited for.
    const first = made
      .slice(0, 6)
      .map(({ code, ahead, warmup }) => (code ? 'code' : ahead ? 'ahead' : warmup));
    expect(first).toEqual(['code', 'code', 'ahead', 'ahead', true, true]);
    const progress = python.events.slice(events).flatMap((event) => {
      return event.type === 'progress' ? [event.text] : [];
    });
    expect(progress).toContain('compiling k: config 2 of 2');
    expect(progress).toContain('autotuning k: config 1 of 2');
    expect(progress.at(-1)).toBe('');
  });

  it('names the point of a chart in which it measures, and goes back to it', () => {
    const events = python.events.length;
    python.run(`${HEAD}
configs = [triton.Config({"B": b}) for b in (16, 32)]
@triton.autotune(configs=configs, key=["n"])
@triton.jit
def k(x, n, B: tl.constexpr):
    pass
@triton.testing.perf_report(triton.testing.Benchmark(
    x_names=["n"], x_vals=[64, 128], line_arg="p", line_vals=["a"], line_names=["a"],
    plot_name="chart", args={}))
def measure(n, p):
    x = torch.empty(4, device="cuda")
    k[lambda m: (triton.cdiv(n, m["B"]),)](x, n)
    if n == 128:
        raise KeyError("the second point")
    return 1.0
try:
    measure.run()
except KeyError:
    pass
`);
    const progress = python.events.slice(events).flatMap((event) => {
      return event.type === 'progress' ? [event.text] : [];
    });
    expect(progress).toContain('chart: point 1 of 2 · autotuning k: config 2 of 2');
    expect(progress.filter((text) => text.includes('autotuning'))).toHaveLength(4);
    // After a tuning the chart's own text, and after a chart that fails nothing.
    const tuned = progress.findIndex((text) => text.endsWith('config 2 of 2'));
    expect(progress.slice(tuned + 1)).toContain('chart: point 1 of 2');
    expect(progress.at(-1)).toBe('');
  });

  it('leaves out what has more threads than CUDA allows a program, and says so where it is requested', () => {
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

  const tuned = (blocks: string, programs: number, shown: string): string => `${HEAD}
@triton.autotune(configs=[triton.Config({"B": b}) for b in ${blocks}], key=["n"])
@triton.jit
def k(x, n, B: tl.constexpr):
    pass
x = torch.empty(4, device="cuda")
k[(${programs},)](x, 64)
print(${shown})
`;
  const TUNED = tuned('(16, 32, 64)', 1, 'k.best_config.kwargs["B"]');
  const blockOf = (request: { readonly specialization: unknown }): number => {
    const { arguments: specs } = request.specialization as { arguments: { value?: unknown }[] };
    return Number((specs.at(-1)!.value as { value: string }).value);
  };
  const tunings = (result: { events: readonly ProgramEvent[] }) =>
    result.events.filter((event) => event.type === 'autotune');

  it('measures again where what was kept is no measurement', () => {
    let asked = 0;
    python.onBench = () => {
      asked++;
      return { clock: 'gpu', samples: [1], quantum: 0.001, dropped: false };
    };
    expect(python.run(TUNED).errors).toBe('');
    const [kept] = [...python.tunings];
    const [key, text] = kept!;
    expect(asked).toBe(3);
    const times = (change: object): string => {
      const value = JSON.parse(text) as { times: Record<string, object> };
      for (const name of Object.keys(value.times))
        value.times[name] = { ...value.times[name], ...change };
      return JSON.stringify(value);
    };
    const garbage = [
      ...['{', 'null', '7', '[]', '{}', '"x"', '{"times": 1}', '{"times": {"a": 1}}'],
      ...[times({ quantiles: 1 }), times({ quantiles: ['a', 1, 2] }), times({ quantiles: [] })],
      ...[times({ samples: null }), times({ clock: {} }), times({ dropped: 1 }), text.slice(0, 40)],
    ];
    for (const wrong of garbage) {
      asked = 0;
      python.tunings.set(key, wrong);
      const result = python.run(TUNED, { keepTunings: true });
      expect([wrong, result.errors, asked]).toEqual([wrong, '', 3]);
      expect(python.tunings.get(key)).toBe(text);
    }
    python.onBench = null;
  });

  it('reports every configuration, drops what is clearly slower, and remembers', () => {
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
    const reported = tunings(first);
    expect(reported.map(({ done }) => done)).toEqual([false, false, false, false, true]);
    const last = reported.at(-1)!;
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
    // A kernel of another compiler version was not measured.
    python.compiler = 'another';
    const before = asked.length;
    python.run(TUNED, { keepTunings: true });
    expect(asked.length - before).toBe(3);
    python.compiler = 'one';
    python.run(TUNED, { keepTunings: true });
    expect(asked.length - before).toBe(3);
    python.onBench = null;
  });

  it('compiles and times configurations of one code once, and takes the first of them', () => {
    const timed: string[] = [];
    python.onBench = ({ specialization, grid }) => {
      const { numWarps } = specialization as { numWarps: number };
      timed.push(`${blockOf({ specialization })}, ${numWarps}, ${grid[0]}`);
      return { clock: 'gpu', samples: [1], quantum: 0.001, dropped: false };
    };
    // As for a kernel with a dot, of which num_warps changes nothing.
    python.onLaunch = (request) => ({ ok: true, key: `block ${blockOf(request)}` });
    const source = `${HEAD}
configs = [triton.Config({"B": b, "SPLIT": p}, num_warps=w, num_stages=s)
    for b in (16, 32) for w in (4, 8) for s in (2, 4) for p in (1, 2)]
@triton.autotune(configs=configs, key=["n"])
@triton.jit
def k(x, n, SPLIT: tl.constexpr, B: tl.constexpr):
    pass
x = torch.empty(4, device="cuda")
k[lambda meta: (meta["SPLIT"],)](x, 64)
print(k.best_config is configs[0], len(k.configs_timings))
`;
    const result = python.run(source);
    expect([result.errors, result.output]).toEqual(['', 'True 16\n']);
    // Another grid is another launch, whatever the code.
    expect(timed).toEqual(['16, 4, 1', '16, 4, 2', '32, 4, 1', '32, 4, 2']);
    const rows = tunings(result).at(-1)!;
    expect(rows.best).toBe(0);
    const { configurations } = rows;
    expect(configurations.map(({ sameAs }) => sameAs)).toEqual([
      ...[undefined, undefined, 0, 1, 0, 1, 0, 1],
      ...[undefined, undefined, 8, 9, 8, 9, 8, 9],
    ]);
    expect(configurations[2]).toMatchObject({ state: 'same', timing: null, error: null });
    const again = tunings(python.run(source, { keepTunings: true })).at(-1)!;
    expect(again).toMatchObject({ fromCache: true, best: 0, configurations });
    python.onBench = null;
    python.onLaunch = compiled;
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
    const reported = result.events.filter((event) => event.type === 'diagnostic');
    expect(reported).toMatchObject([{ diagnostic: { severity: 'info', location: { line: 11 } } }]);
  });

  it('measures small tiles first while there is time, and says what it left out', () => {
    python.tuneSeconds = 2;
    const result = python.run(`${HEAD}
import time
def slow(call, quantiles):
    call()
    time.sleep(1.1)
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
    const reported = result.events.filter((event) => event.type === 'diagnostic');
    expect(reported).toMatchObject([{ diagnostic: { code: 'HC0902', severity: 'info' } }]);
    // Unmeasured ones can be looked at all the same.
    const rows = tunings(result).at(-1)!.configurations;
    expect(rows.map(({ state }) => state)).toEqual(['measured', 'measured', 'skipped', 'skipped']);
    expect(new Set(rows.map(({ specialization }) => specialization)).size).toBe(4);
    expect(rows.map(({ specialization }) => typeof specialization)).toEqual(
      Array(4).fill('string'),
    );
  });

  it('measures nothing where one launch would take all the time', () => {
    python.tuneSeconds = 10;
    const source = tuned('(64, 16, 32)', 5, 'len(k.configs_timings), k.best_config.kwargs');
    for (const [operations, output, codes] of [
      [1e12, "0 {'B': 16}\n", ['HC0902']],
      [1e6, "3 {'B': 16}\n", []],
    ] as const) {
      python.onLaunch = ({ ahead, specialization }) => ({
        ok: true,
        key: JSON.stringify(specialization),
        ...(ahead ? { operations } : {}),
      });
      const before = python.launches.length;
      const result = python.run(source);
      expect(python.launches[before]!.grid).toEqual([5, 1, 1]);
      expect(result.output).toBe(output);
      const reported = result.events.filter((event) => event.type === 'diagnostic');
      expect(reported.map(({ diagnostic }) => diagnostic.code)).toEqual(codes);
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
    expect(chart.notes[0]).toMatch(/Skipped size ≥ 3 \(4 points\): too slow/);
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
    expect(result.output).toMatch(/note: Skipped B at size = 1: too slow/);
    expect(result.output).toMatch(/note: skipped second: the earlier charts used/);
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
    ms, low, high = triton.testing.do_bench(lambda: x.cummax(0) if p == "b" else None, quantiles=[0.5, 0.2, 0.8])
    return size / 100, low, high
bench.run(print_data=True)
`);
    expect(result.errors).toBe('');
    expect(result.output).toBe(
      'plot:\n    size  A (GB/s)  B (GB/s)\n0  128.0      1.28      1.28\n1  256.0      2.56      2.56\n' +
        'note: size = 1000000000 left out: the tensors need more memory than there is here\n' +
        'note: B: computed and timed on the CPU, because no kernel of Hippocamp’s has cummax\n',
    );
    const chart = result.events.filter((e) => e.type === 'benchmark').at(-1)!;
    expect(chart).toMatchObject({ done: true, lines: [{ clock: 'gpu' }, { clock: 'cpu' }] });
  });
});
