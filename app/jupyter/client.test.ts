/**
 * Against a real Jupyter server, whose kernel runs Triton on its CPU interpreter
 * (`testing/server.ts`).
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ProgramEvent } from '../events';
import { JUPYTER, startJupyter, type TestJupyter } from './testing/server';
import { JupyterError, JupyterPython, parseServer, startCommand } from './client';

describe('a server’s address', () => {
  it.each([
    ['http://localhost:8888/?token=abc', '', 'http://localhost:8888/', 'abc'],
    ['localhost:8888', ' t ', 'http://localhost:8888/', 't'],
    [
      'https://hub.example.org/user/me/lab/tree/x.ipynb?token=q',
      '',
      'https://hub.example.org/user/me/',
      'q',
    ],
    ['http://127.0.0.1:8889/tree', 'k', 'http://127.0.0.1:8889/', 'k'],
  ])('%s', (text, token, url, expected) => {
    expect(parseServer(text, token)).toEqual({ url, token: expected });
  });

  it('has to be one', () => {
    expect(() => parseServer('ftp://x/')).toThrow(/http address/);
    expect(() => parseServer('http://')).toThrow(TypeError);
  });

  it('reports how to start a server that may be asked', () => {
    expect(startCommand('https://example.org')).toContain("allow_origin='https://example.org'");
  });
});

const PROGRAM = `
import sys
import torch
import triton
import triton.language as tl
from helpers import scaled

device = 'cuda' if torch.cuda.is_available() else 'cpu'

@triton.jit
def double(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + i, scaled(tl.load(x_ptr + i, i < n)), i < n)

x = torch.arange(100.0, device=device)
y = torch.empty_like(x)
double[lambda meta: (triton.cdiv(100, meta['BLOCK']),)](x, y, 100, BLOCK=64)
print('on', 'stdout')
print('on stderr', file=sys.stderr)
print(torch.allclose(y, 2 * x), torch.allclose(y, x))
torch.testing.assert_close(y, x + x)

@triton.testing.perf_report(triton.testing.Benchmark(['n'], [1, 2], 'who', ['a'], ['A'], 'chart', {}))
def chart(n, who):
    return float(n)
chart.run(print_data=True)
`;
/** Triton's own `do_bench`, with a clock that its interpreter can use. */
const BENCHMARK = `
import time
import torch
import triton
import triton.language as tl

class Event:
    def __init__(self, enable_timing):
        pass
    def record(self):
        self.time = time.perf_counter()
    def elapsed_time(self, other):
        return (other.time - self.time) * 1000

class Clock:
    Event = Event
    def synchronize(self):
        pass
    def get_device_interface(self):
        return self
    def get_empty_cache_for_benchmark(self):
        return None
    def clear_cache(self, cache):
        pass

triton.runtime.driver.set_active(Clock())

@triton.jit
def double(x_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(x_ptr + i, tl.load(x_ptr + i) * 2)

x, calls = torch.ones(64), []
double[(1,)](x, BLOCK=64)
def again():
    calls.append(double[(1,)](x, BLOCK=64))
triton.testing.do_bench(again, warmup=5, rep=50); double[(1,)](x, BLOCK=64)
triton.testing.do_bench(again, warmup=5, rep=50)
print('called', len(calls))
`;
const HELPERS = `
import triton
import triton.language as tl
@triton.jit
def scaled(x):
    return x * 2
`;

describe.runIf(JUPYTER)('a program on a Jupyter server', () => {
  let server: TestJupyter;
  let python: JupyterPython;

  beforeAll(async () => {
    server = await startJupyter(8931, '*');
    python = await JupyterPython.connect(server, 'triton');
  }, 60_000);

  afterAll(async () => {
    await python?.close().catch(() => undefined);
    server?.stop();
  });

  async function events(files: Record<string, string>): Promise<ProgramEvent[]> {
    const seen: ProgramEvent[] = [];
    await python.run(files, 'main.py', 0, (event) => seen.push(event)).done;
    return seen;
  }
  const of = <T extends ProgramEvent['type']>(seen: ProgramEvent[], type: T) =>
    seen.filter((event) => event.type === type) as Extract<ProgramEvent, { type: T }>[];

  it('reports launches, times, comparisons, prints and charts', async () => {
    const seen = await events({ 'main.py': PROGRAM, 'helpers.py': HELPERS });
    expect(of(seen, 'diagnostic')).toEqual([]);
    expect(of(seen, 'started')[0]!.adapter.name).toContain('interpreter');
    expect(of(seen, 'launch')).toMatchObject([
      { kernel: 'double', grid: [2, 1, 1], device: 'cuda', site: { file: 'main.py', line: 17 } },
    ]);
    expect(of(seen, 'launch-time')[0]!.timing.median).toBeGreaterThan(0);
    expect(of(seen, 'comparison')).toMatchObject([
      { kind: 'allclose', passed: true, count: 100, mismatches: 0, site: { line: 20 } },
      {
        passed: false,
        mismatches: 99,
        maxAbsolute: 99,
        first: { index: [1], actual: 2, expected: 1 },
      },
      { kind: 'assert_close', passed: true, site: { line: 21 } },
    ]);
    const text = of(seen, 'print')
      .map((event) => event.text)
      .join('');
    expect(text).toContain('on stdout\n');
    expect(text).toContain('on stderr\n');
    expect(of(seen, 'benchmark').at(-1)).toMatchObject({
      name: 'chart',
      done: true,
      lines: [
        {
          name: 'A',
          points: [
            { x: 1, y: 1 },
            { x: 2, y: 2 },
          ],
        },
      ],
    });
    expect(seen.at(-1)).toMatchObject({ type: 'finished', outcome: 'ok' });
  }, 60_000);

  it('records the first call of a benchmark, and what comes after it', async () => {
    const seen = await events({ 'main.py': BENCHMARK });
    expect(of(seen, 'diagnostic')).toEqual([]);
    const text = of(seen, 'print').map((event) => event.text);
    expect(Number(/called (\d+)/.exec(text.join(''))?.[1])).toBeGreaterThan(20);
    expect(of(seen, 'launch').map(({ site, benchmark }) => [site.line, benchmark])).toEqual([
      [34, false],
      [36, true],
      [37, false],
      [36, true],
    ]);
  }, 60_000);

  it('reports an exception at its line, and runs the next program', async () => {
    const seen = await events({ 'main.py': `x = 1\nraise ValueError("on '''purpose'''")\n` });
    expect(of(seen, 'diagnostic')[0]!.diagnostic).toMatchObject({
      message: "ValueError: on '''purpose'''",
      location: { file: 'main.py', line: 2 },
    });
    expect(seen.at(-1)).toMatchObject({ type: 'finished', outcome: 'error' });
    const next = await events({ 'main.py': 'print("next")' });
    expect(of(next, 'print')).toMatchObject([{ text: 'next\n' }]);
  }, 60_000);

  it('reads changed modules anew', async () => {
    const main = 'import other\nprint(other.x)\n';
    await events({ 'main.py': main, 'other.py': 'x = 1\n' });
    const seen = await events({ 'main.py': main, 'other.py': 'x = 2\n' });
    expect(of(seen, 'print')).toMatchObject([{ text: '2\n' }]);
  }, 60_000);

  it('stops', async () => {
    const seen: ProgramEvent[] = [];
    const run = python.run(
      { 'main.py': 'print("going", flush=True)\nwhile True:\n    pass\n' },
      'main.py',
      0,
      (event) => {
        seen.push(event);
        if (event.type === 'print') void run.stop();
      },
    );
    await run.done;
    expect(seen.at(-1)).toMatchObject({ type: 'finished', outcome: 'stopped' });
  }, 60_000);

  it('says when the token is wrong, and when nobody answers', async () => {
    await expect(JupyterPython.connect({ ...server, token: 'no' })).rejects.toThrow(
      /refuses the token/,
    );
    const nobody = JupyterPython.connect({ url: 'http://127.0.0.1:8/', token: '' });
    await expect(nobody).rejects.toBeInstanceOf(JupyterError);
  }, 60_000);
});
