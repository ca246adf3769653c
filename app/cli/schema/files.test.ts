/**
 * The JSON Schema files: they are what the code makes, and what every command prints with `--json`
 * fits them, for programs that hold, fail, do not compile and do not end. Fields that a schema does
 * not have are faults, too.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { COMMAND } from '../mcp/testing/client';
import { schemaFiles, SCHEMAS } from './files';

const ROOT = join(import.meta.dirname, '../../..');
const FOLDER = join(ROOT, 'docs', 'schemas');

it('are in docs/schemas as the code makes them', () => {
  const made = schemaFiles();
  const kept = new Map(
    readdirSync(FOLDER).map((name) => [name, readFileSync(join(FOLDER, name), 'utf8')]),
  );
  expect(Object.fromEntries(kept), 'npm run schemas').toEqual(Object.fromEntries(made));
});

it('refuse what they do not describe', () => {
  expect(problem('diff', { version: 1 })).not.toBeNull();
  expect(problem('diff', { version: 1, before: 1, after: 2, kernels: [] })).not.toBeNull();
  expect(problem('run', { version: 2, adapter: null, events: [], outcome: 'ok' })).not.toBeNull();
  const run = { version: 1, adapter: null, events: [], outcome: 'ok' };
  expect(problem('run', run)).toBeNull();
  expect(problem('run', { ...run, more: 1 })).not.toBeNull();
});

/** Why a value does not fit a published schema, or has fields that it lacks. */
function problem(name: string, value: unknown): string | null {
  const validator = new AjvJsonSchemaValidator();
  const published = JSON.parse(readFileSync(join(FOLDER, `${name}.v1.json`), 'utf8')) as object;
  // With `io: 'output'` other properties are refused.
  const closed = z.toJSONSchema(SCHEMAS[name]!, { io: 'output' });
  for (const schema of [published, closed]) {
    const result = validator.getValidator(schema as never)(value);
    if (!result.valid) return result.errorMessage;
  }
  return null;
}

const HEAD = `
import torch
import triton
import triton.language as tl

@triton.jit
def double(x_ptr, out_ptr, n, BLOCK: tl.constexpr = 64):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n)
    tl.device_print("x", x)
    tl.store(out_ptr + offsets, x * 2, mask=offsets < n)

x = torch.arange(100, device="cuda", dtype=torch.float32)
out = torch.empty_like(x)
`;
const PROGRAMS: Readonly<Record<string, string>> = {
  'good.py': `${HEAD}double[(2,)](x, out, 100)\nassert torch.allclose(out, x + x)\n`,
  'wrong.py': `${HEAD}double[(2,)](x, out, 100)\nprint(torch.allclose(out, x / 0))\nprint(torch.equal(out, x[:3]))\n`,
  'raises.py': 'print("before")\nraise ValueError("on purpose")\n',
  'mistake.py': `${HEAD.replace('x * 2', 'y * 2')}double[(2,)](x, out, 100)\n`,
  'endless.py': 'print("started", flush=True)\nwhile True:\n    pass\n',
  'chart.py': `${HEAD}
@triton.testing.perf_report(triton.testing.Benchmark(
    x_names=["n"], x_vals=[50, 100], line_arg="p", line_vals=["a", "b"], line_names=["a", "b"],
    plot_name="chart", args={}))
def bench(n, p):
    if p == "b":
        return float("nan")
    return triton.testing.do_bench(lambda: double[(2,)](x, out, n), warmup=1, rep=1)

bench.run(print_data=True)
`,
};

describe('the commands', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'hippocamp-json-'));
    for (const [name, text] of Object.entries(PROGRAMS)) writeFileSync(join(folder, name), text);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const hippocamp = (...args: string[]): Promise<{ code: number | null; out: string }> =>
    new Promise((resolve) => {
      const child = spawn(process.execPath, [COMMAND, ...args], { cwd: folder });
      let out = '';
      child.stdout.on('data', (part: Buffer) => (out += part.toString()));
      child.on('close', (code) => resolve({ code, out }));
    });
  const settings = ['--json', '--adapter', 'interpreter', '--timeout', '20'];

  it.each([
    ['run', 'good.py', 0],
    ['run', 'wrong.py', 1],
    ['run', 'raises.py', 1],
    ['run', 'mistake.py', 1],
    ['run', 'chart.py', 0],
    ['bench', 'chart.py', 0],
    ['prove', 'good.py', 0],
    ['prove', 'wrong.py', 1],
    ['prove', 'raises.py', 1],
  ])('%s %s', async (verb, file, expected) => {
    const { code, out } = await hippocamp(verb, file, ...settings);
    const value = JSON.parse(out) as object;
    expect(value).toHaveProperty('version', 1);
    expect(problem(verb, value)).toBeNull();
    expect(code).toBe(expected);
  });

  it.each(['run', 'prove'])('%s of a program that does not end', async (verb) => {
    const limits = ['--json', '--adapter', 'interpreter', '--timeout', '1'];
    const { code, out } = await hippocamp(verb, 'endless.py', ...limits);
    expect(problem(verb, JSON.parse(out))).toBeNull();
    expect(code).toBe(1);
  });

  it.each([
    [['good.py'], 0],
    [['good.py', '--emit', 'passes', '--target', 'apple-m1'], 0],
    [['mistake.py', '--emit', 'ir'], 1],
    [['raises.py'], 1],
    [['good.py', '--kernel', 'none'], 1],
  ] as const)('compile %j', async (args, expected) => {
    const { code, out } = await hippocamp('compile', ...args, '--json');
    expect(problem('compile', JSON.parse(out))).toBeNull();
    expect(code).toBe(expected);
  });

  it('diff, and run with the files of its profile', async () => {
    const files = ['--trace', 'trace.json', '--proton', 'run.hatchet'];
    const { out } = await hippocamp('run', 'good.py', ...settings, ...files);
    writeFileSync(join(folder, 'run.json'), out);
    const found = await hippocamp('diff', 'run.json', 'run.json', '--json');
    expect(problem('diff', JSON.parse(found.out))).toBeNull();
    expect(JSON.parse(found.out)).toMatchObject({
      kernels: [{ kernel: 'double', ratio: 1, before: { launches: 1, timed: 1, clock: 'cpu' } }],
    });
    expect((await hippocamp('diff', 'run.json', 'good.py')).code).toBe(2);
    const trace = JSON.parse(readFileSync(join(folder, 'trace.json'), 'utf8')) as {
      readonly otherData: { readonly clocks: string };
      readonly traceEvents: readonly { readonly cat?: string; readonly name: string }[];
    };
    expect(trace.otherData.clocks).toContain("no times of a GPU's clock");
    expect(trace.traceEvents.some(({ cat, name }) => cat === 'launch' && name === 'double')).toBe(
      true,
    );
    const tree = readFileSync(join(folder, 'run.hatchet'), 'utf8');
    expect(JSON.parse(tree)).toMatchObject([
      { frame: { name: 'ROOT' }, children: [{ frame: { name: 'double' }, metrics: { count: 1 } }] },
      { INTERPRETER: { 0: {} } },
    ]);
  });
});
