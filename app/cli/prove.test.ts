/** `hippocamp prove` as a user calls it: exit codes, the text and the JSON report. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ProofReport } from '../prove/report';
import { findSoftwareAdapter } from './dawn';

const COMMAND = join(import.meta.dirname, 'hippocamp.mjs');
const software = findSoftwareAdapter();

/** A dot product of rows, whose sum the kernel takes in another order than torch. */
const DOTS = `
import torch
import triton
import triton.language as tl

@triton.jit
def dots(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, n, BLOCK):
        mask = start + offsets < n
        x = tl.load(x_ptr + row * n + start + offsets, mask=mask, other=0.0)
        y = tl.load(y_ptr + row * n + start + offsets, mask=mask, other=0.0)
        acc += x * y
    tl.store(out_ptr + row, tl.sum(acc, axis=0))

x, y = torch.randn(5, 100, device="cuda"), torch.randn(5, 100, device="cuda")
out = torch.empty(5, device="cuda")
dots[(5,)](x, y, out, 100, BLOCK=32)
`;
const PROGRAMS: Readonly<Record<string, string>> = {
  'good.py': `${DOTS}\ntorch.testing.assert_close(out, (x * y).sum(dim=1), atol=1e-4, rtol=0)\n`,
  // 1.5 of 100 terms are left out, which so wide a tolerance hides.
  'hidden.py': `${DOTS.replace('< n\n', '< n - 1\n')}\nassert torch.allclose(out, (x * y).sum(dim=1), atol=100)\n`,
  'endless.py': 'while True:\n    pass\n',
  'empty.py': 'import torch\nprint(torch.ones(3).sum())\n',
  'outside.py': `${DOTS.replaceAll('< n\n', '<= n\n')}\nprint(out.shape)\n`,
  'unknown.py': `${DOTS}\nprint(torch.allclose(torch.special.erfinv(out.clamp(-0.5, 0.5)), x.sum(), atol=1e9))\n`,
};

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'hippocamp-prove-'));
  for (const [name, text] of Object.entries(PROGRAMS)) writeFileSync(join(folder, name), text);
});
afterAll(() => rmSync(folder, { recursive: true }));

function prove(...args: string[]): Promise<{ readonly code: number | null; readonly out: string }> {
  const child = spawn(process.execPath, [COMMAND, 'prove', ...args], { cwd: folder });
  let out = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, out })));
}
const interpreted = (file: string, ...more: string[]) =>
  prove(file, '--adapter', 'interpreter', ...more);

describe('hippocamp prove', () => {
  it('ends with 0 where kernel and reference are one algebra', async () => {
    const { code, out } = await interpreted('good.py', '--json');
    const report = JSON.parse(out) as ProofReport;
    expect(code).toBe(0);
    expect(report).toMatchObject({
      version: 1,
      adapter: { kind: 'interpreter' },
      errors: [],
      sections: [
        { check: 'algebra', findings: [{ verdict: 'holds', scope: { kind: 'run' } }] },
        { check: 'bounds' },
        { check: 'races', findings: [{ verdict: 'holds', scope: { kind: 'always' } }] },
        { check: 'undefined' },
        { check: 'rounding', findings: [{ verdict: 'holds', scope: { kind: 'run' } }] },
      ],
    });
    expect(report.sections[1]!.findings).toHaveLength(3);
    for (const finding of report.sections[1]!.findings)
      expect(finding).toMatchObject({ verdict: 'holds', scope: { kind: 'always' } });
    expect(report.sections[0]!.findings[0]!.subject).toMatchObject({
      kind: 'comparison',
      call: 'torch.testing.assert_close(out, (x * y).sum(dim=1))',
    });
  });

  it('ends with 1, and names kernel and element, where a tolerance hides a mistake', async () => {
    const { code, out } = await interpreted('hidden.py');
    expect(code).toBe(1);
    expect(out).toContain('FAILS: hidden.py:20: torch.allclose(out, (x * y).sum(dim=1)): 5 of 5');
    expect(out).toContain(
      'differ in the ring after dots: the tolerance of the ordinary comparison',
    );
    expect(out).toContain('first element = [0]');
    expect(out).toMatch(/hidden\.py:22: torch\.allclose\(.*\): the error is far above rounding: /);
  });

  it('ends with 1, and names program and element, where an access leaves its tensor', async () => {
    const { code, out } = await interpreted('outside.py');
    expect(code).toBe(1);
    expect(out).toContain(
      'FAILS: outside.py:13: load of x_ptr of dots: load of element 500 of x_ptr of 500 elements',
    );
    expect(out).toContain('program = (4, 0, 0)');
  });

  it('ends with 2 where nothing was decided', async () => {
    expect((await interpreted('empty.py')).code).toBe(2);
    const { out } = await interpreted('unknown.py');
    expect(out).toContain('erfinv of floats has no meaning in the ring');
  });

  it('starts no other run once it is interrupted', async () => {
    const child = spawn(process.execPath, [COMMAND, 'prove', 'endless.py'], { cwd: folder });
    let [out, err] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => {
      err += chunk.toString();
      // The handler of the signal is there soon after the line.
      if (err.includes('in the ring')) setTimeout(() => child.kill('SIGINT'), 1000);
    });
    const code = await new Promise((resolve) => child.on('close', resolve));
    expect(code).toBe(1);
    expect(out).toContain('error: interrupted');
    expect(err).not.toContain('ordinary');
  });

  it('ends with 2 for wrong usage', async () => {
    expect((await prove('none.py')).code).toBe(2);
    expect((await prove('good.py', '--check')).code).toBe(2);
  });

  it.skipIf(software.kind === 'missing')(
    'compares the bits of the interpreter and of the adapter',
    async () => {
      const { code, out } = await prove('good.py');
      expect(code).toBe(0);
      expect(out).toMatch(/equal in the ring, bit for bit, on the interpreter and \w+/);
    },
  );
});
