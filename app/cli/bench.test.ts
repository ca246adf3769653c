/** `hippocamp bench` as a user calls it: charts, calls of do_bench, launches, and earlier files. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { benchOutput } from './schema/outputs';
import { COMMAND } from './mcp/testing/client';

const KERNEL = `
import torch
import triton
import triton.language as tl

@triton.jit
def double(x_ptr, out_ptr, n, BLOCK: tl.constexpr = 64):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n)
    tl.store(out_ptr + offsets, x * 2, mask=offsets < n)

x = torch.arange(100, device="cuda", dtype=torch.float32)
out = torch.empty_like(x)
`;
const PROGRAMS: Readonly<Record<string, string>> = {
  'chart.py': `${KERNEL}
@triton.testing.perf_report(triton.testing.Benchmark(
    x_names=["n"], x_vals=[50, 100], line_arg="p", line_vals=["a", "b"], line_names=["A", "B"],
    plot_name="chart", args={}, ylabel="ms"))
def bench(n, p):
    return triton.testing.do_bench(lambda: double[(2,)](x, out, n), warmup=1, rep=100)
`,
  'calls.py': `${KERNEL}
for n in (50, 100):
    print("took", triton.testing.do_bench(lambda: double[(2,)](x, out, n)))
`,
  'launches.py': `${KERNEL}double[(2,)](x, out, 100)\ndouble[(1,)](x, out, 50)\n`,
  'nothing.py': 'print("nothing")\n',
  'raises.py': `${KERNEL}triton.testing.do_bench(lambda: 1 / 0)\n`,
};

describe('hippocamp bench', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'hippocamp-bench-'));
    for (const [name, text] of Object.entries(PROGRAMS)) writeFileSync(join(folder, name), text);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const hippocamp = (
    ...args: string[]
  ): Promise<{ code: number | null; out: string; err: string }> =>
    new Promise((resolve) => {
      const settings = ['--adapter', 'interpreter', '--rep', '1', '--repeats', '2'];
      const child = spawn(process.execPath, [COMMAND, 'bench', ...args, ...settings], {
        cwd: folder,
      });
      let [out, err] = ['', ''];
      child.stdout.on('data', (part: Buffer) => (out += part.toString()));
      child.stderr.on('data', (part: Buffer) => (err += part.toString()));
      child.on('close', (code) => resolve({ code, out, err }));
    });

  it('runs charts that the program only defines, and compares with a file', async () => {
    const first = await hippocamp('chart.py', '--json', '--csv', 'tables');
    const report = benchOutput.parse(JSON.parse(first.out));
    expect(first.code).toBe(0);
    expect(report.tables).toMatchObject([{ kind: 'chart', name: 'chart', yLabel: 'ms' }]);
    const rows = report.tables[0]!.rows.map(({ line, x, repeats }) => [line, x, repeats.length]);
    expect(rows).toEqual([
      ['A', 50, 2],
      ['A', 100, 2],
      ['B', 50, 2],
      ['B', 100, 2],
    ]);
    const csv = readFileSync(join(folder, 'tables', 'chart.csv'), 'utf8');
    expect(csv.split('\n')[0]).toBe('n,A,B');
    writeFileSync(join(folder, 'old.json'), first.out);
    const second = await hippocamp('chart.py', '--json', '--against', 'old.json');
    const compared = benchOutput.parse(JSON.parse(second.out));
    for (const [i, { value, against }] of compared.tables[0]!.rows.entries()) {
      const old = report.tables[0]!.rows[i]!.value!;
      expect(against).toMatchObject({ value: old, ratio: value! / old, reason: null });
    }
  });

  it('has a row for each call of do_bench', async () => {
    const { code, out, err } = await hippocamp('calls.py');
    expect(code).toBe(0);
    expect(out).toContain('do_bench at calls.py:16 (ms)');
    expect(out).toMatch(/^ {2}1 +\d.*\n {2}2 +\d/m);
    // The tables alone are on standard output.
    expect(out).not.toContain('took');
    expect(err).toContain('took');
  });

  it('times launches of a program without benchmarks', async () => {
    const { code, out } = await hippocamp('launches.py', '--json');
    expect(code).toBe(0);
    expect(benchOutput.parse(JSON.parse(out)).tables).toMatchObject([
      {
        kind: 'launches',
        rows: [
          { line: 'double[2, 1, 1]', x: 'launches.py:14', clock: 'cpu' },
          { line: 'double[1, 1, 1]', x: 'launches.py:15', clock: 'cpu' },
        ],
      },
    ]);
  });

  it('fails where nothing is measured, or the program fails', async () => {
    const nothing = await hippocamp('nothing.py');
    expect(nothing.code).toBe(1);
    expect(nothing.err).toContain('nothing was measured');
    const raises = await hippocamp('raises.py', '--json');
    expect(raises.code).toBe(1);
    const report = benchOutput.parse(JSON.parse(raises.out));
    expect(report).toMatchObject({ outcome: 'error', passed: false });
    expect(report.errors[0]!.message).toContain('ZeroDivisionError');
  });

  it('refuses a file that is no earlier report', async () => {
    const { code, err } = await hippocamp('chart.py', '--against', 'chart.py');
    expect(code).toBe(2);
    expect(err).toContain('--against takes what bench --json wrote');
  });
});
