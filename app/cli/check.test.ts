/** `hippocamp check` as a user calls it: exit codes, the report, links, results checked again. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JudgeReport } from '../judge/report';
import { encode } from '../share/codec';
import { judgeReport } from './schema/outputs';

const COMMAND = join(import.meta.dirname, 'hippocamp.mjs');
const RIGHT = `
import torch
import triton
import triton.language as tl

@triton.jit
def double_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, 2 * tl.load(x_ptr + at, mask=at < n), mask=at < n)

def double(x):
    out = torch.empty_like(x)
    double_kernel[(triton.cdiv(x.numel(), 64),)](x, out, x.numel(), BLOCK=64)
    return out
`;
const FILES: Readonly<Record<string, string>> = {
  'right.py': RIGHT,
  'wrong.py': RIGHT.replace('2 * tl', '2.001 * tl'),
  'outside.py': RIGHT.replace('mask=at < n), mask=at < n', 'mask=at < n), mask=at < n + 1'),
  'broken.py': 'import torch\nraise ValueError("no")\n',
  'endless.py': `${RIGHT}\nwhile True:\n    pass\n`,
  'reference.py': `from judge import randn

FUNCTION = "double"

def double(x):
    return 2 * x

def cases():
    for n in (1, 64, 100):
        yield f"{n} elements", (randn(n),)
`,
};

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'hippocamp-check-'));
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
});
afterAll(() => rmSync(folder, { recursive: true }));

function check(...args: string[]): Promise<{ code: number | null; out: string; error: string }> {
  return checkAgainst('reference.py', ...args);
}
function checkAgainst(
  reference: string,
  ...args: string[]
): Promise<{ code: number | null; out: string; error: string }> {
  const all = ['check', ...args, '--against', reference, '--adapter', 'interpreter'];
  const child = spawn(process.execPath, [COMMAND, ...all], { cwd: folder });
  let [out, error] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (error += chunk.toString()));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, out, error })));
}
const reportOf = (out: string): JudgeReport => judgeReport.parse(JSON.parse(out)) as JudgeReport;

describe('hippocamp check', () => {
  it('accepts what is right, from a file and from a link, with new inputs in each run', async () => {
    const plain = await check('right.py', '--json');
    expect(plain.code, plain.error).toBe(0);
    const report = reportOf(plain.out);
    expect(report.checks.map(({ passed }) => passed)).toEqual([true, true, true]);
    const shared = { name: 'right', entry: 'right.py', files: { 'right.py': RIGHT } };
    const linked = await check(`https://example.org/#/s/${encode(shared)}`, '--json');
    expect(linked.code, linked.error).toBe(0);
    expect(reportOf(linked.out).seed).not.toBe(report.seed);
  });

  it.each([
    ['wrong.py', 1, 'double: 1 of 1 elements are wrong'],
    ['outside.py', 1, 'HC8001'],
    ['broken.py', 1, 'ended before a check could call it'],
    ['endless.py', 1, 'ended before a check could call it'],
  ])('does not accept %s', async (file, code, said) => {
    const found = await check(file, '--json', '--timeout', '60');
    expect(found.code, found.error).toBe(code);
    expect(reportOf(found.out).outcome).toBe('refused');
    expect(found.out).toContain(said);
  });

  it.each([
    ['nameless.py', '', 'reference.py has no FUNCTION, the name of the function to check'],
    [
      'renamed.py',
      'FUNCTION = "twice"\n\ndef cases():\n    yield "1", (1,)\n',
      'no function twice',
    ],
  ])('names what %s lacks', async (file, text, lack) => {
    writeFileSync(join(folder, file), text);
    const { code, out, error } = await checkAgainst(file, 'right.py');
    expect(code).toBe(2);
    expect(out + error).toContain(lack);
  });

  it('keeps the reference from the program, under whatever name', async () => {
    const peeks = `for name in ("reference", "other"):
    try:
        __import__(name)
    except ModuleNotFoundError:
        continue
    raise ValueError("found")
${RIGHT}`;
    const reference = FILES['reference.py']!;
    writeFileSync(join(folder, 'peeks.py'), peeks);
    writeFileSync(join(folder, 'other.py'), reference);
    const { out, code } = await check('peeks.py', '--json');
    rmSync(join(folder, 'other.py'));
    expect(code, out).toBe(0);
    const { parseResult } = await import('../judge/result');
    expect(Object.values(parseResult(reportOf(out).result ?? '').files)).not.toContain(reference);
  });

  it('checks a result again, and says where it is not the same', async () => {
    const { out } = await check('wrong.py', '--json', '--seed', '5');
    const { result, seed } = reportOf(out);
    expect(seed).toBe(5);
    const again = await check('--result', result ?? '');
    expect(again.out).toMatch(/^the same: refused, 1 checks/);
    expect(again.code).toBe(0);
    const { parseResult, resultText } = await import('../judge/result');
    const forged = resultText({
      ...parseResult(result ?? ''),
      outcome: 'accepted',
      checks: [['1 elements', true]],
    });
    const caught = await check('--result', forged);
    expect(caught.out).toContain('the result says accepted; checked again, the program is refused');
    expect(caught.code).toBe(1);
    const other = readFileSync(join(folder, 'reference.py'), 'utf8');
    writeFileSync(join(folder, 'reference.py'), `${other}\n`);
    const moved = await check('--result', result ?? '');
    writeFileSync(join(folder, 'reference.py'), other);
    expect(moved.error).toContain('of another problem');
    expect(moved.code).toBe(2);
  });
});
