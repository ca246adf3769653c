/**
 * triton.profiler: scopes and metrics of launches, and what it leaves out where there is no time.
 */
import { describe, expect, it } from 'vitest';
import type { TestPython } from './testing/python';
import { HEAD, ok, python } from './testing/triton';

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
    const reported = python.events.filter((e) => e.type === 'diagnostic');
    expect(reported.at(-1)!.diagnostic.code).toBe('HC0903');
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
