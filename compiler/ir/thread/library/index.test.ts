/** The runtime library's tables, and what its functions compute against JavaScript's numbers. */
import { describe, expect, it } from 'vitest';
import { libraryFunction, libraryTexts, ROUTINES } from './index';

describe('the runtime library', () => {
  it('has each function under its name', () => {
    for (const [key, { name }] of Object.entries(ROUTINES)) expect(name).toBe(key);
  });
  it('gives no routine to thread IR that only the library calls', () => {
    expect(libraryFunction('f64_open')).toBeUndefined();
    expect(libraryFunction('toString')).toBeUndefined();
    expect(libraryFunction('f64_add')?.result).toMatchObject({ scalar: 'u32', size: 2 });
  });
  it('prints callees before their callers, each once', () => {
    const names = libraryTexts(['i64_div', 'u64_rem'], { signedVectorsOnly: false }).map(
      (text) => text.slice(3).split('(')[0],
    );
    expect(names).toEqual([
      ...['u64_less', 'i64_sub', 'u64_divrem', 'i64_neg', 'i64_abs', 'i64_div', 'u64_rem'],
    ]);
  });
  it('prints signed comparisons where a machine has no others for vectors', () => {
    expect(libraryTexts(['f32_is_nan'], { signedVectorsOnly: true })).toEqual([
      'fn f32_is_nan(x: f32) -> bool {\n  return (bitcast<i32>(x) & 0x7fffffffi) > 0x7f800000i;\n}',
    ]);
  });
  it('evaluates 64 bits as two words', () => {
    const evaluate = (name: string, ...args: number[][]) => libraryFunction(name)!.evaluate(args);
    expect(evaluate('i64_sub', [0, 0], [1, 0])).toEqual([0xffffffff, 0xffffffff]);
    expect(evaluate('i64_div', [0, 0x80000000], [0xffffffff, 0xffffffff])).toEqual([0, 0x80000000]);
    expect(evaluate('i64_trips', [0, 0], [5, 0], [0, 0])).toEqual([5]);
    expect(evaluate('f64_add', [0, 0x3ff00000], [0, 0x3ff00000])).toEqual([0, 0x40000000]);
    expect(evaluate('u64_to_f32', [0x80, 1], [1])).toEqual([2 ** 32 + 512]);
  });
});
