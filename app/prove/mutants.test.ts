/** Mutants of a text; of a sample of the gallery's, `prove` accuses each with other results. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Parser } from '../../compiler/1-parse/parser';
import { testParser } from '../../compiler/1-parse/testing/testParser';
import { mutantsOf, sampleOf, type Mutant } from './mutants';
import { Judge, SAME } from './testing/judge';
import { SMALL, smallText } from './testing/small';

const ROOT = join(import.meta.dirname, '..', '..');
const KERNEL = `import triton
import triton.language as tl

@triton.jit
def k(x_ptr, y_ptr, n, stride_x, stride_y, BLOCK: tl.constexpr):
    """Doubles - or not."""
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    x = tl.load(x_ptr + i * stride_x, mask=mask, other=0.0).to(tl.float32)
    for _ in range(1, 3):
        x += x
    tl.store(y_ptr + i, x - 1, mask=mask)

def host(x):
    return x + 1
`;

describe('the mutants of a text', () => {
  let parser: Parser;
  beforeAll(async () => {
    parser = await testParser();
  });
  const all = (): Mutant[] => mutantsOf(parser.parse('a.py', KERNEL), KERNEL);
  const changes = (kind: Mutant['kind']): string[] =>
    all()
      .filter((mutant) => mutant.kind === kind)
      .map(({ line, before, after }) => `${line}: ${before} → ${after}`);

  it('change one place of a kernel each', () => {
    expect(changes('comparison')).toEqual(['8: < → <=']);
    expect(changes('stride')).toEqual(['9: stride_x → stride_y']);
    expect(changes('store left out')).toEqual(['12: tl.store(y_ptr + i, x - 1, mask=mask) → pass']);
    expect(changes('loop bound')).toEqual(['10: 3 → 3 - 1', '10: 1 → 1 + 1']);
    expect(changes('mask dropped').map((text) => text.split(' → ')[1])).toEqual([
      'tl.load(x_ptr + i * stride_x)',
      'tl.store(y_ptr + i, x - 1)',
    ]);
    expect(changes('other value').map((text) => text.split(' → ')[1])).toEqual([
      '1.0',
      'tl.load(x_ptr + i * stride_x, mask=mask)',
    ]);
    const [one] = all().filter(({ kind }) => kind === 'other value');
    expect(one!.probes.map((text) => /other=([^)]*)/.exec(text)![1])).toEqual(['1234.5', '-77.25']);
    expect(changes('dtype')).toEqual(['9: tl.float32 → tl.float16']);
    expect(changes('operands swapped')).toEqual(['12: x - 1 → 1 - x']);
  });

  it('leave texts and the host alone, and are all different', () => {
    expect(all().every(({ line }) => line >= 7 && line <= 12)).toBe(true);
    expect(new Set(all().map(({ program }) => program)).size).toBe(all().length);
  });

  it('are sampled alike for the same seed, every kind in turn', () => {
    const [a, b, c] = [1, 1, 2].map((seed) => sampleOf(all(), 12, seed));
    expect(a).toEqual(b);
    expect(a).not.toEqual(c);
    expect(new Set(a!.map(({ kind }) => kind)).size).toBe(12);
    expect(sampleOf(all(), 10_000, 1)).toEqual(all());
  });
});

describe('a sample of the gallery’s', () => {
  let judge: Judge;
  beforeAll(async () => {
    judge = await Judge.create(ROOT);
  }, 120_000);
  afterAll(() => judge?.dispose());
  const files = ['vector_add.py', 'fused_softmax.py', 'matmul.py', 'lora_linear.py'];

  it.each(SMALL.filter(({ file }) => files.includes(file)))(
    'is accused: $file',
    async (program) => {
      const path = join(ROOT, 'public', 'examples', program.file);
      const text = smallText(program, readFileSync(path, 'utf8'));
      const baseline = await judge.baseline(text);
      let killed = 0;
      for (const mutant of sampleOf(mutantsOf(judge.parse(text), text), 6, 7)) {
        const { verdict, reason } = await judge.judge(mutant, baseline);
        const what = `${mutant.line}: ${mutant.before} → ${mutant.after}: ${reason}`;
        if (verdict === 'survived') expect(reason, what).toBe(SAME);
        if (verdict === 'killed') killed++;
      }
      expect(killed).toBeGreaterThan(2);
    },
    120_000,
  );

  it.each([['a load without other before a sum', 'other=-float("inf")', 'undefined']])(
    'accuses %s',
    async (_, dropped) => {
      const softmax = SMALL.find(({ file }) => file === 'fused_softmax.py')!;
      const path = join(ROOT, 'public', 'examples', softmax.file);
      const text = smallText(softmax, readFileSync(path, 'utf8'));
      const baseline = await judge.baseline(text);
      const mutant = mutantsOf(judge.parse(text), text).find(
        ({ before, after }) => before.includes(dropped) && !after.includes('other'),
      )!;
      const judged = await judge.judge(mutant, baseline);
      expect(judged.verdict).toBe('killed');
    },
  );

  it('finds a mutant equivalent where no result depends on the lanes that a mask leaves out', async () => {
    const program = SMALL.find(({ file }) => file === 'batched_matmul.py')!;
    const path = join(ROOT, 'public', 'examples', program.file);
    const text = smallText(program, readFileSync(path, 'utf8'));
    const baseline = await judge.baseline(text);
    const others = mutantsOf(judge.parse(text), text).filter(({ kind }) => kind === 'other value');
    const verdicts = [];
    for (const mutant of others) verdicts.push((await judge.judge(mutant, baseline)).verdict);
    expect(verdicts).toContain('equivalent');
  }, 180_000);
});
