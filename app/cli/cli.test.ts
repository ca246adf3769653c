/** The command as a user calls it: exit codes, the one JSON object, timeouts, local modules. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AdapterInfo, ProgramEvent } from '../events';

const COMMAND = join(import.meta.dirname, 'hippocamp.mjs');

const ADD = `
import torch
import triton
import triton.language as tl

@triton.jit
def add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask) + tl.load(y_ptr + offsets, mask), mask)

x = torch.arange(1000, device='cuda', dtype=torch.float32)
y = torch.full((1000,), 2.0, device='cuda')
out = torch.full((1000,), float('nan'), device='cuda')
add[(triton.cdiv(1000, 128),)](x, y, out, 1000, BLOCK=128)
`;

const PROGRAMS: Record<string, string> = {
  'good.py': `${ADD}\nassert torch.allclose(out, x + y)\nprint('sum', out[999].item())\n`,
  'differs.py': `${ADD}\nprint(torch.allclose(out, x))\n`,
  'apart.py': `
import torch
a = torch.arange(6.0)
b = a + 1
assert not torch.equal(a, b)
assert a.equal(b) is False, 'on one line'
assert not (torch.allclose(a, b) or torch.equal(b, a))
assert (
    not torch.allclose(a,
                       b, rtol=1e-3)
    and True
)
`,
  'constants.py': `
import math
import torch
import triton
import triton.language as tl

class Sizes:
    width = 5
    @staticmethod
    def twice(n):
        return n * 2

def plain(n, k=1):
    return n + k

@triton.jit
def scale(x, out, N: tl.constexpr, F: tl.constexpr, G: tl.constexpr, S: tl.constexpr):
    v = tl.load(x) * math.sqrt(N) + math.ceil(N / 3)
    tl.store(out, v + F(N, k=2) * G(3) + S.twice(4) + S.width)
    tl.store(out + 1, torch.finfo(torch.float16).max)

for factor in (10, 100):
    x, out = torch.ones(1, device='cuda'), torch.zeros(2, device='cuda')
    scale[(1,)](x, out, N=16, F=plain, G=lambda n: n * factor, S=Sizes)
    print(out.tolist())
`,
  'wrong.py': `
import torch
a = torch.arange(6.0)
if not torch.equal(a, a + 1):
    print('they differ')
`,
  'raises.py': `print('before')\nraise ValueError('on purpose')\n`,
  'syntax.py': `print('never')\ndef broken(:\n    pass\n`,
  'leaves.py': `import sys\nprint('bye')\nsys.exit(0)\n`,
  'leaves3.py': `import sys\nsys.exit(3)\n`,
  'endless.py': `print('started', flush=True)\nwhile True:\n    pass\n`,
  'floods.py': `i = 0\nwhile True:\n    print(i, 'x' * 1_000_000)\n    i += 1\n`,
  'hoards.py': `print('started', flush=True)\nkept = []\nwhile True:\n    kept.append(bytearray(b'1') * 2**20)\n`,
  'loaded.py': `
import torch
import triton
import triton.language as tl

@triton.jit
def follow(ptrs, out):
    tl.store(out, tl.load(tl.load(ptrs).to(tl.pointer_type(tl.float32))))

x, out = torch.full((4,), 7.0, device='cuda'), torch.zeros(1, device='cuda')
follow[(1,)](torch.tensor([x[3:].data_ptr()], device='cuda'), out)
assert out.item() == 7
follow[(1,)](torch.tensor([x.data_ptr() + 16], device='cuda'), out)
print('after', out.item())
`,
  'outside.py': `
import torch
import triton
import triton.language as tl

@triton.jit
def fill(x, BLOCK: tl.constexpr):
    tl.store(x + tl.arange(0, BLOCK), 1)

x = torch.zeros(10, dtype=torch.int32, device='cuda')
fill[(1,)](x, BLOCK=16)
assert x.sum().item() == 10
`,
  'helper.py': `VALUE = 42\n`,
  'prints.py': `for i in range(20000): print('line', i)\n`,
  'imports.py': `import helper\nprint(helper.VALUE)\n`,
  'big.py': `import torch\nx = torch.zeros(1000, 1000)\nprint(x.sum().item())\n`,
};

/** Files whose letters are bytes. */
const BYTES: Record<string, string> = {
  'binary.py': `${'\x7fELF\0\x1b[31m'.repeat(1e5)}`,
  'latin.py': '# coding: latin-1\nimport named\nprint("\xe9", named.NAME)\n',
  'named.py': '# coding: latin-1\nNAME = "\xe9"\n',
  'undeclared.py': 'x = 1\ny = "\xe9"\n',
};

interface Result {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function isAlive(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch {
    return false;
  }
}

describe('hippocamp', () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'hippocamp-'));
    for (const [name, text] of Object.entries(PROGRAMS)) writeFileSync(join(folder, name), text);
    for (const [name, text] of Object.entries(BYTES))
      writeFileSync(join(folder, name), text, 'latin1');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('follows pointers that are loaded from memory, and reports those that lead nowhere', async () => {
    const result = await call('run', 'loaded.py');
    expect(result.stderr).toMatch(/loaded\.py:8:\d+: warning HC8004: .*where no tensor lies/);
    expect(result.stdout).toContain('after 0.0');
    expect(result.code).toBe(0);
  });

  it('ends when what started it is gone, as npx goes without a word', async () => {
    const quoted = [process.execPath, COMMAND, 'run', 'endless.py'].map((part) => `'${part}'`);
    const shell = spawn('sh', ['-c', `${quoted.join(' ')} & echo $! >&2; wait`], {
      cwd: folder,
      env: { ...process.env, npm_command: 'exec' },
    });
    let runner = 0;
    shell.stderr.on('data', (data: Buffer) => (runner ||= parseInt(data.toString(), 10)));
    await new Promise<void>((resolve) => {
      shell.stdout.on('data', (data: Buffer) => {
        if (data.toString().includes('started')) resolve();
      });
    });
    expect(isAlive(runner)).toBe(true);
    shell.kill('SIGKILL');
    for (let waited = 0; waited < 100 && isAlive(runner); waited++) {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(isAlive(runner)).toBe(false);
  }, 60_000);

  async function call(...args: string[]): Promise<Result> {
    const child = spawn(process.execPath, [COMMAND, ...args], { cwd: folder });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (data: Buffer) => (stdout += data.toString()));
    child.stderr.on('data', (data: Buffer) => (stderr += data.toString()));
    const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
    return { code, stdout, stderr };
  }
  async function json(...args: string[]) {
    const result = await call('run', ...args, '--json');
    const lines = result.stdout.trim().split('\n');
    expect(lines, result.stderr).toHaveLength(1);
    const report = JSON.parse(lines[0]!) as {
      adapter: AdapterInfo;
      events: ProgramEvent[];
      outcome: string;
      passed: boolean;
    };
    return { ...report, code: result.code };
  }
  const printed = (events: readonly ProgramEvent[]): string =>
    events
      .map((event) => (event.type === 'print' && event.stream === 'stdout' ? event.text : ''))
      .join('');

  it('answers wrong usage with 2', async () => {
    for (const args of [[], ['run'], ['run', 'nowhere.py'], ['run', 'good.py', '--fast']]) {
      expect((await call(...args)).code, args.join(' ')).toBe(2);
    }
    const help = await call('--help');
    expect(help.code).toBe(0);
    expect(help.stdout).toContain('Exit codes');
  });

  it.each(['webgpu', 'interpreter'])('runs a kernel on %s: 0', async (adapter) => {
    const { code, events, outcome, adapter: used } = await json('good.py', '--adapter', adapter);
    expect(events.filter((event) => event.type === 'diagnostic')).toEqual([]);
    expect([code, outcome, used.kind]).toEqual([0, 'ok', adapter]);
    expect(events[0]?.type).toBe('started');
    expect(events.at(-1)?.type).toBe('finished');
    expect(printed(events)).toBe('sum 1001.0\n');
    const types = events.map((event) => event.type);
    expect(types.filter((type) => type === 'launch')).toHaveLength(1);
    expect(types.filter((type) => type === 'launch-time')).toHaveLength(1);
    const launch = events.find((event) => event.type === 'launch');
    expect(launch).toMatchObject({ kernel: 'add', grid: [8, 1, 1], site: { line: 15 } });
  });

  it('takes any timeout, and ends in a sentence where its output cannot be written', async () => {
    // A timer of more than three weeks would end at once.
    for (const seconds of ['1e10', '1e400']) {
      const long = await call(
        'run',
        'imports.py',
        '--timeout',
        seconds,
        '--adapter',
        'interpreter',
      );
      expect([seconds, long.stdout, long.code]).toEqual([seconds, '42\n', 0]);
    }
    const shell = async (line: string): Promise<Result & { readonly text: string }> => {
      const quoted = [process.execPath, COMMAND].map((part) => `'${part}'`).join(' ');
      const child = spawn('bash', ['-c', line.replace('hippocamp', quoted)], { cwd: folder });
      let text = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (data: Buffer) => (text += data.toString()));
      const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
      return { code, stdout: '', stderr: '', text };
    };
    const run = 'hippocamp run prints.py --adapter interpreter';
    expect((await shell(`${run} | head -n 1`)).text).toBe('Running on interpreter\nline 0\n');
    const full = await shell(`${run} > /dev/full`);
    expect(full.text).toMatch(/hippocamp: the output cannot be written: .*ENOSPC/);
    expect(full.text).not.toContain('    at ');
    expect(full.code).toBe(1);
  });

  it('prints what the compiler chose for a kernel, and why', async () => {
    const { code, stdout } = await call('compile', 'loaded.py', '--emit', 'schedule');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^follow\n  threads: \d+ .*\n    why: num_warps=4 .*\n    next best: /);
    const { kernels } = JSON.parse((await call('compile', 'loaded.py', '--json')).stdout) as {
      kernels: { schedule: { field: string; chosen: string }[] }[];
    };
    expect(stdout).toContain(`threads: ${kernels[0]!.schedule[0]!.chosen}\n`);
  });

  it('says what is no program', async () => {
    const binary = await call('compile', 'binary.py');
    expect(binary.stderr).toMatch(/binary.py is not Python text: it holds null bytes\n$/);
    expect(binary.code).toBe(1);
    const bytes = await call('compile', 'undeclared.py');
    expect([bytes.code, bytes.stderr]).toEqual([
      1,
      "hippocamp: undeclared.py is not UTF-8 text: line 2: Non-UTF-8 code starting with '\\xe9' in " +
        'file undeclared.py on line 2, but no encoding declared; see ' +
        'https://peps.python.org/pep-0263/ for details\n',
    ]);
    const ours = await call('__program__');
    expect([ours.code, ours.stderr]).toEqual([
      2,
      'hippocamp: __program__ is for hippocamp run to start\n',
    ]);
    const latin = await json('latin.py', '--adapter', 'interpreter');
    expect([printed(latin.events), latin.outcome]).toEqual(['é é\n', 'ok']);
    const undeclared = await json('undeclared.py', '--adapter', 'interpreter');
    const found = undeclared.events.find((event) => event.type === 'diagnostic');
    expect(found?.diagnostic).toMatchObject({
      message: expect.stringContaining("Non-UTF-8 code starting with '\\xe9'") as string,
      location: { file: 'undeclared.py', line: 2 },
    });
  });

  it('answers a comparison that fails with 1, though the program ended', async () => {
    const { code, outcome, events } = await json('differs.py');
    expect([code, outcome]).toEqual([1, 'ok']);
    const comparison = events.find((event) => event.type === 'comparison');
    expect(comparison).toMatchObject({ passed: false, mismatches: 1000 });
    expect((comparison as { toleranceUsed: number }).toleranceUsed).toBeGreaterThan(1);
  });

  it.each(['webgpu', 'interpreter'])(
    'answers a store out of range with 1, though the program ended: %s',
    async (adapter) => {
      const { code, outcome, passed, events } = await json('outside.py', '--adapter', adapter);
      expect([code, outcome, passed]).toEqual([1, 'ok', false]);
      expect(events.filter((event) => event.type === 'diagnostic')).toMatchObject([
        { diagnostic: { code: 'HC8001', severity: 'error', location: { line: 8 } } },
      ]);
    },
  );

  it('lets kernels call functions of Python at compile time', async () => {
    const { code, events } = await json('constants.py');
    expect([code, printed(events)]).toEqual([0, '[563.0, 65504.0]\n[5423.0, 65504.0]\n']);
  });

  it('takes an assertion that tensors differ for no comparison that failed', async () => {
    const { code, events } = await json('apart.py');
    expect(code).toBe(0);
    expect(events.filter((event) => event.type === 'comparison')).toEqual([]);
    expect((await json('wrong.py')).code).toBe(1);
  });

  it('answers an exception with 1, at its line', async () => {
    const { code, outcome, events } = await json('raises.py');
    expect([code, outcome, printed(events)]).toEqual([1, 'error', 'before\n']);
    const found = events.find((event) => event.type === 'diagnostic');
    expect(found?.diagnostic.location).toMatchObject({ file: 'raises.py', line: 2 });
    expect(found?.diagnostic.message).toContain('on purpose');
  });

  it('answers a syntax error with 1, at its line', async () => {
    const { code, events } = await json('syntax.py');
    expect([code, printed(events)]).toEqual([1, '']);
    const found = events.find((event) => event.type === 'diagnostic');
    expect(found?.diagnostic.location).toMatchObject({ file: 'syntax.py', line: 2 });
  });

  it('lets a program leave with sys.exit', async () => {
    const zero = await json('leaves.py');
    expect([zero.code, zero.outcome, printed(zero.events)]).toEqual([0, 'ok', 'bye\n']);
    expect((await json('leaves3.py')).code).toBe(1);
  });

  it('ends an endless program at its time, and keeps what it printed', async () => {
    const start = performance.now();
    const { code, outcome, events } = await json('endless.py', '--timeout', '2');
    expect([code, outcome, printed(events)]).toEqual([1, 'stopped', 'started\n']);
    expect(performance.now() - start).toBeLessThan(60_000);
  });

  it('keeps long prints without end up to its time, in order', async () => {
    const { code, stdout, stderr } = await call('run', 'floods.py', '--timeout', '1');
    expect([code, stderr]).toEqual([1, expect.stringContaining('stopped after 1 s (--timeout)')]);
    const whole = stdout.split('\n').slice(0, -1);
    expect(whole.length).toBeGreaterThan(5);
    whole.forEach((line, i) => expect(line === `${i} ${'x'.repeat(1_000_000)}`).toBe(true));
    const report = await json('floods.py', '--timeout', '1');
    expect([report.code, report.outcome]).toEqual([1, 'stopped']);
    expect(printed(report.events)).toMatch(/^0 x{1000000}\n1 x/);
  });

  it.each(['SIGINT', 'SIGTERM'])(
    'reports where a %s comes before it has loaded',
    async (signal) => {
      // As soon as anything listens to it: the command is not bundled then.
      const early = `process.once('newListener', function at(name) {
      if (name !== '${signal}') return void process.once('newListener', at);
      setImmediate(() => process.kill(process.pid, name));
    });`;
      const options = ['--import', `data:text/javascript,${encodeURIComponent(early)}`];
      const child = spawn(
        process.execPath,
        [...options, COMMAND, 'run', 'endless.py', '--adapter', 'interpreter', '--json'],
        { cwd: folder },
      );
      let stdout = '';
      child.stdout.on('data', (data: Buffer) => (stdout += data.toString()));
      const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
      const { outcome, events } = JSON.parse(stdout) as { outcome: string; events: ProgramEvent[] };
      expect([code, outcome]).toEqual([1, 'stopped']);
      expect(events.find((event) => event.type === 'diagnostic')?.diagnostic).toMatchObject({
        code: 'HC8010',
        message: 'interrupted',
      });
    },
  );

  it('ends a program that takes memory without end, and says so', async () => {
    const { code, outcome, events } = await json('hoards.py', '--max-memory', `${1200 * 2 ** 20}`);
    expect([code, outcome, printed(events)]).toEqual([1, 'stopped', 'started\n']);
    const found = events.find((event) => event.type === 'diagnostic');
    expect(found?.diagnostic.message).toMatch(/the program held 1\.\d GiB, more than 1\.2 GiB/);
  });

  it('imports modules that lie beside the program', async () => {
    const { code, events } = await json('imports.py');
    expect([code, printed(events)]).toEqual([0, '42\n']);
  });

  it('refuses tensors above --max-bytes', async () => {
    const { code, events } = await json('big.py', '--max-bytes', '1000000');
    expect(code).toBe(1);
    const found = events.find((event) => event.type === 'diagnostic');
    expect(found?.diagnostic.message).toMatch(/3\.8 MiB.*976\.6 KiB/);
    expect((await json('big.py')).code).toBe(0);
  });

  it('reports for people', async () => {
    const { code, stdout, stderr } = await call('run', 'good.py');
    expect([code, stdout]).toEqual([0, 'sum 1001.0\n']);
    expect(stderr).toMatch(/✓ allclose at good\.py:17/);
    expect(stderr).toMatch(/add\[8, 1, 1\] {2}[\d.]+ [µm]s (GPU|CPU)/);
    expect(stderr).toMatch(/ok in [\d.]+ s, 1 comparison held/);
  });
});
