/** Verdicts of the algebra check, by what each run found. */
import { describe, expect, it } from 'vitest';
import type { KernelRingUses } from '../../compiler/inspect/ringUses';
import type { ProgramEvent } from '../events';
import { algebraSection, type EventOf, type Run } from './algebra';

const SITE = { file: 'a.py', line: 9 };
function comparison(more: Partial<EventOf<'comparison'>> = {}): ProgramEvent {
  return {
    type: 'comparison',
    id: 1,
    kind: 'allclose',
    passed: true,
    site: SITE,
    shape: [4],
    dtype: 'float32',
    rtol: 0,
    atol: 0,
    count: 4,
    mismatches: 0,
    maxAbsolute: 0,
    maxRelative: null,
    nanMismatches: 0,
    toleranceUsed: null,
    roundingShare: null,
    first: null,
    heatmap: null,
    message: null,
    equalNan: false,
    call: { function: 'torch.allclose', actual: 'out', expected: 'x + y' },
    actual: { storage: 3, offset: 0, strides: [1], dtype: 'float32', data: '' },
    expected: null,
    ...more,
  };
}
const launch: ProgramEvent = {
  type: 'launch',
  id: 0,
  kernel: 'add',
  grid: [1, 1, 1],
  key: 'add-1',
  site: { file: 'a.py', line: 7 },
  arguments: [],
  device: 'interpreter',
  benchmark: false,
  values: [{ storage: 3, byteOffset: 0 }, { scalar: '4' }],
};
type Facts = NonNullable<EventOf<'comparison'>['ring']>;
const ring = (more: Partial<Facts> = {}): { ring: Facts } => ({
  ring: { functions: [], constants: [], narrowest: null, digests: ['a', 'a'], ...more },
});
const run = (engine: string, ...events: ProgramEvent[]): Run => ({ engine, events });
const DIFFERS = {
  mismatches: 2,
  first: { index: [1], actual: 0, expected: 1 },
} as const;
const NONE: KernelRingUses = {
  functions: [],
  constants: [],
  narrowing: null,
  exponential: false,
};

function verdict(ordinary: ProgramEvent, rings: readonly Run[], uses: KernelRingUses = NONE) {
  const runs = {
    ordinary: run('SwiftShader', launch, ordinary),
    rings,
    usesOf: () => uses,
    milliseconds: 1,
  };
  return algebraSection(runs).findings[0]!;
}
const interpreted = (more: Partial<EventOf<'comparison'>>): Run =>
  run('the interpreter', launch, comparison({ ...ring(), ...more }));

describe('a comparison', () => {
  it('holds where it is equal in the ring on every engine', () => {
    const found = verdict(comparison(), [
      interpreted({}),
      run('SwiftShader', launch, comparison(ring())),
    ]);
    expect(found).toMatchObject({
      verdict: 'holds',
      message: 'equal in the ring, bit for bit, on the interpreter and SwiftShader',
      scope: { kind: 'run' },
      subject: { call: 'torch.allclose(out, x + y)' },
    });
  });

  it('fails where both differ, at the launch that wrote the tensor', () => {
    const found = verdict(comparison({ passed: false }), [interpreted(DIFFERS)]);
    expect(found).toMatchObject({
      verdict: 'fails',
      message: '2 of 4 elements differ in the ring after add; the ordinary comparison fails, too',
      location: { file: 'a.py', line: 7 },
      witnesses: [{ name: 'first element', value: '[1]' }],
    });
  });

  it('fails where only the tolerance hides the difference', () => {
    const found = verdict(comparison(), [interpreted(DIFFERS)]);
    expect(found.verdict).toBe('fails');
    expect(found.message).toContain('the tolerance of the ordinary comparison hides it');
  });

  it('fails where the algebra agrees and the numbers do not', () => {
    const found = verdict(comparison({ passed: false }), [interpreted({})]);
    expect(found.verdict).toBe('fails');
    expect(found.message).toContain('the rounding or the tolerance is not');
  });

  it('fails where two engines have different bits', () => {
    const other = comparison(ring({ digests: ['b', 'b'] }));
    const found = verdict(comparison(), [interpreted({}), run('SwiftShader', launch, other)]);
    expect(found.verdict).toBe('fails');
    expect(found.message).toContain('the interpreter and SwiftShader compute different bits');
  });

  const division = {
    name: 'a division',
    location: { ...SITE, column: 1, endLine: 9, endColumn: 2 },
  };
  it.each([
    [{ ...NONE, functions: [division] }, ring(), 'add has a division (line 9)'],
    [NONE, ring({ functions: ['sqrt'] }), 'torch computes sqrt'],
    [{ ...NONE, constants: [0.5] }, ring(), 'one side alone has the constants 0.5'],
    [NONE, ring({ constants: [2] }), 'one side alone has the constants 2'],
  ])(
    'does not apply where a function or a constant may explain the difference',
    (uses, facts, note) => {
      const found = verdict(comparison(), [interpreted({ ...DIFFERS, ...facts })], uses);
      expect(found.verdict).toBe('inapplicable');
      expect(found.notes?.[0]).toContain(note);
    },
  );

  const narrowing = { bits: 16, location: division.location };
  it('does not apply where a conversion cuts what is compared', () => {
    const uses = { ...NONE, narrowing };
    const found = verdict(comparison(), [interpreted({ ...DIFFERS, ...ring() })], uses);
    expect(found.verdict).toBe('inapplicable');
    expect(found.notes).toEqual([
      'add converts to 16 bits (line 9), of which the ring keeps no more',
    ]);
  });
  it('fails where a conversion keeps all bits that are compared', () => {
    const uses = { ...NONE, narrowing };
    const half = { ...DIFFERS, ...ring(), dtype: 'float16' } as const;
    const found = verdict(comparison(), [interpreted(half)], uses);
    expect(found.verdict).toBe('fails');
  });
  it('does not apply where 8 bits keep nothing of an exponential', () => {
    const cut = { ...NONE, exponential: true, narrowing: { ...narrowing, bits: 8 } };
    expect(verdict(comparison(), [interpreted({})], cut).verdict).toBe('inapplicable');
    const whole = { ...NONE, exponential: true };
    expect(verdict(comparison(), [interpreted({})], whole).verdict).toBe('holds');
    const facts = ring({ narrowest: 8 });
    expect(verdict(comparison(), [interpreted(facts)], whole).verdict).toBe('inapplicable');
  });

  it('states a reason once, whatever the number of compilations', () => {
    const uses = { ...NONE, functions: [division] };
    const again = { ...launch, key: 'add-2' } as ProgramEvent;
    const facts = comparison({ ...ring(), ...DIFFERS });
    const runs = {
      ordinary: run('SwiftShader', launch, again, comparison()),
      rings: [run('the interpreter', launch, again, facts)],
      usesOf: () => uses,
      milliseconds: 1,
    };
    expect(algebraSection(runs).findings[0]!.notes).toHaveLength(1);
  });

  it('is decided by constants that both sides have', () => {
    const facts = ring({ constants: [0.5] });
    const uses = { ...NONE, constants: [0.5] };
    expect(verdict(comparison(), [interpreted({ ...DIFFERS, ...facts })], uses).verdict).toBe(
      'fails',
    );
  });

  it('does not apply where the program takes another way in the ring', () => {
    const found = verdict(comparison(), [
      run('the interpreter', launch, launch, comparison(ring())),
    ]);
    expect(found.verdict).toBe('inapplicable');
    expect(found.message).toContain('takes another way');
  });

  it('names the time where a launch with other numbers of warps is not compared in the ring', () => {
    const call = { function: 'num_warps of add_kernel', actual: 'y', expected: 'as launched' };
    const found = verdict(comparison({ call, site: { ...SITE, line: 7 } }), [
      run('the interpreter', launch),
    ]);
    expect(found.verdict).toBe('inapplicable');
    expect(found.message).toContain('the time for other num_warps ended');
  });

  it('does not apply where the ring has no meaning for what comes before it', () => {
    const location = { ...SITE, line: 5, column: 1, endLine: 5, endColumn: 2 };
    const message = 'erfinv of floats has no meaning in the ring';
    const found = verdict(comparison(), [
      run('the interpreter', {
        type: 'diagnostic',
        diagnostic: { code: 'HC8009', severity: 'error', message, location, notes: [] },
      }),
    ]);
    expect(found).toMatchObject({
      verdict: 'inapplicable',
      message: `in the ring the program ends before it, at a.py:5: ${message}`,
    });
  });
});
