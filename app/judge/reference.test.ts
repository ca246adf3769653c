/**
 * Programs against a `reference.py`, on the interpreter: what a reference and its cases may hold,
 * and that a right program is accepted whatever its text is.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HarnessTexts } from './files';
import { harnessProgram, solutionProgram } from './files';
import { judgeReport, type JudgeReport } from './report';
import { judgeHere, startJudges, type Judges } from './testing';

let judges: Judges;
beforeAll(async () => {
  judges = await startJudges();
});
afterAll(() => judges?.dispose());

async function judged(reference: string, text: string, seed = 5): Promise<JudgeReport> {
  const problem = { reference, checks: null };
  const { harness, errors } = await judgeHere(judges, problem, text, 'interpreter', seed);
  return judgeReport({ file: 'program.py', against: '', seed }, harness, errors);
}
async function accepts(reference: string, text: string, seed?: number): Promise<void> {
  const report = await judged(reference, text, seed);
  expect(report.outcome, JSON.stringify(report)).toBe('accepted');
}

const IMPORTS = 'import torch\nimport triton\nimport triton.language as tl\n';
/** `combine(x)`: a kernel's `value` of each element, as a result of `dtype`. */
const each = (value: string, dtype: string, more = ''): string => `${IMPORTS}
@triton.jit
def kernel(x_ptr, out_ptr, n, B: tl.constexpr):
    at = tl.program_id(0) * B + tl.arange(0, B)
    x = tl.load(x_ptr + at, mask=at < n)
    tl.store(out_ptr + at, ${value}, mask=at < n)

def combine(x):
    ${more || 'pass'}
    out = torch.empty(x.shape, dtype=${dtype}, device=x.device)
    if x.numel():
        kernel[(triton.cdiv(x.numel(), 64),)](x, out, x.numel(), B=64)
    return out
`;
const referenceOf = (value: string, cases: string): string => `import torch
from judge import guarded, randint, randn, structure

FUNCTION = "combine"

def combine(x):
    return ${value}

def cases():
    yield "a case", (${cases},)
`;

describe('a reference', () => {
  it('may have a float32 result where the inputs are narrower, or integers', async () => {
    const program = each('x.to(tl.float32) * 0.5', 'torch.float32');
    const value = 'x.to(torch.float64 if x.dtype is torch.float64 else torch.float32) * 0.5';
    await accepts(referenceOf(value, 'randn(100, dtype=torch.float16)'), program);
    await accepts(referenceOf(value, 'randint(0, 99, (100,))'), program);
  });
  it('may have a result that is narrower than the inputs, and decides its dtype', async () => {
    const reference = referenceOf('(x * 0.5).to(torch.float16)', 'randn(100)');
    await accepts(reference, each('x * 0.5', 'torch.float16'));
    const { checks } = await judged(reference, each('x * 0.5', 'torch.float32'));
    expect(checks[0]?.message).toContain('the result is torch.float32, not torch.float16');
  });
  it('may have results without elements', async () => {
    await accepts(referenceOf('x * 0.5', 'randn(0, 7)'), each('x * 0.5', 'torch.float32'));
  });
  it('compares integers that float32 does not have', async () => {
    const reference = referenceOf('x + 16777216', 'randint(0, 99, (100,), dtype=torch.int64)');
    await accepts(reference, each('x + 16777216', 'torch.int64'));
    const near = each('(x + 16777216) // 2 * 2', 'torch.int64');
    const { outcome, checks } = await judged(reference, near);
    expect(outcome).toBe('refused');
    expect(checks[0]?.message).toMatch(/: 167772\d\d instead of 167772\d\d/);
  });
  it('may give structure, which Python reads as it is', async () => {
    const offsets = 'structure(torch.tensor([0, 3, 9, 20], dtype=torch.int32, device="cuda"))';
    const read = 'assert x.tolist() == [0, 3, 9, 20], x.tolist()';
    await accepts(referenceOf('x * 2', offsets), each('x * 2', 'torch.int32', read));
  });
});

describe('a reference that changes an argument', () => {
  const program = (value: string): string => `${IMPORTS}
@triton.jit
def kernel(x_ptr, y_ptr, n, B: tl.constexpr):
    at = tl.arange(0, B)
    x = tl.load(x_ptr + at, mask=at < n)
    tl.store(y_ptr + at, tl.load(y_ptr + at, mask=at < n) + ${value}, mask=at < n)

def add_(x, y):
    kernel[(1,)](x, y, x.numel(), B=128)
`;
  const reference = (y: string): string => `import torch
from judge import guarded, randn

FUNCTION = "add_"

def add_(x, y):
    y += x

def cases():
    yield "a case", (randn(100), ${y})
`;
  const written = reference('guarded(torch.randn(100, device="cuda"), changes=True)');
  it.each([
    ['what is another value', program('0.5 * x'), 'tensor 1 of its arguments: 100 of 100'],
    ['nothing at all', 'def add_(x, y):\n    pass\n', 'no kernel wrote it'],
    ['what torch added', 'def add_(x, y):\n    y += x\n', 'torch computed the result (add)'],
  ])('refuses %s', async (_, text, said) => {
    const { outcome, checks } = await judged(written, text);
    expect(outcome).toBe('refused');
    expect(checks[0]?.message).toContain(said);
  });
  it('accepts what is right, and compares no argument that may not change', async () => {
    await accepts(written, program('x'));
    const { checks } = await judged(reference('randn(100)'), program('x'));
    expect(checks[0]?.message).toContain('nothing to compare');
  });
});

describe('a program', () => {
  it('may have any text', async () => {
    const label = String.raw`label = '$\mu$ costs $$, $& and $1' + "${'`'}$${'`'}"`;
    const program = each('x * 0.5', 'torch.float32', label);
    await accepts(referenceOf('x * 0.5', 'randn(100)'), program);
    const texts = { runChecks: 'REQUEST', runSolution: 'PROGRAM' } as HarnessTexts;
    const solution = { files: { "$'.py": program }, entry: "$'.py" };
    const none = { reference: null, checks: null };
    const { files } = harnessProgram(texts, none, solution, 1);
    const request = JSON.parse(JSON.parse(files['run_checks.py']!) as string) as object;
    expect(request).toMatchObject({ files: solution.files });
    const served = solutionProgram(texts, solution).files['run_solution.py'];
    expect(served).toBe(JSON.stringify("$'.py"));
  });
});
