/** The estimate of registers: what must be counted is, what shares a name is not counted twice. */
import { describe, expect, it } from 'vitest';
import { matmul, softmax, vectorAdd } from '../4-distribute/testing/kernels';
import { parseFunc } from '../ir/parser';
import { BASELINE_TARGET } from '../target';
import { compileFunc } from './testing/run';

const registers = (func: ReturnType<typeof vectorAdd>): number =>
  compileFunc(func, BASELINE_TARGET, { options: { checkBounds: false } }).registers;

describe('register estimate', () => {
  it('counts the words of one value exactly', () => {
    const make = (type: string) =>
      parseFunc(`
tt.func @copy(%x: !tt.ptr<${type}>, %y: !tt.ptr<${type}>) {
  %v = tt.load %x : ${type}
  tt.store %y, %v
  tt.return
}`);
    // %y, whether the thread stores, and the value; literals and the dead %x are free.
    expect(registers(make('f32'))).toBe(3);
    expect(registers(make('i64'))).toBe(4);
  });
  it('holds the accumulator, once', () => {
    const blocks = registers(matmul({ M: 64, N: 64, K: 16 }));
    const small = registers(matmul({ M: 16, N: 16, K: 16 }));
    // 64 threads hold 64 accumulators each; several copies would be more than a thread can have.
    expect(blocks).toBeGreaterThan(64 + 16);
    expect(blocks).toBeLessThan(64 * 3);
    expect(small).toBeLessThan(blocks);
  });
  it('grows with the tile', () => {
    expect(registers(softmax(1, 4096))).toBeGreaterThan(registers(softmax(1, 1024)));
    expect(registers(vectorAdd(1024))).toBeLessThan(40);
  });
});
