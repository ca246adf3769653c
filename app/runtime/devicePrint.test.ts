import { describe, expect, it } from 'vitest';
import { F16, F32, I16, I64, I8 } from '../../compiler/ir/types';
import { devicePrintText, fixedFloat, formatValue, hexFloat } from './devicePrint';

describe('values as C prints them', () => {
  it.each([
    [1.5, '1.500000'],
    [-0, '-0.000000'],
    [1 / 3, '0.333333'],
    [0.0078125, '0.007812'],
    [0.0234375, '0.023438'],
    [-2.0078125, '-2.007812'],
    [3e38, `${BigInt(3e38)}.000000`],
    [1e-9, '0.000000'],
    [NaN, 'nan'],
    [-Infinity, '-inf'],
  ])('%%f of %s', (value, text) => expect(fixedFloat(value)).toBe(text));

  it.each([
    [1, '0x1p+0'],
    [1.5, '0x1.8p+0'],
    [Math.fround(0.1), '0x1.99999ap-4'],
    [-0, '-0x0p+0'],
    [6, '0x1.8p+2'],
    [Infinity, 'inf'],
  ])('%%a of %s', (value, text) => expect(hexFloat(value)).toBe(text));

  it('reads integers by their width and sign', () => {
    expect(formatValue(I8, true, false, 255n)).toBe('-1');
    expect(formatValue(I8, false, false, -1)).toBe('255');
    expect(formatValue(I16, true, true, -2)).toBe('0xfffe');
    expect(formatValue(I64, true, false, 2n ** 64n - 3n)).toBe('-3');
    expect(formatValue({ kind: 'pointer', pointee: F32 }, true, false, 4096)).toBe('0x1000');
    expect(formatValue(F16, true, false, 0.5)).toBe('0.500000');
  });

  it('pads indices to the width of the largest', () => {
    const location = { file: 'a.py', line: 1, column: 1, endLine: 1, endColumn: 2 };
    const values = Array.from({ length: 256 }, (_, i) => (i === 19 ? 'x' : null));
    const common = { program: [1, 2, 3], location, prefix: ' p: ', operand: 0 } as const;
    const print = { ...common, operands: 1, shape: [2, 128], values };
    expect(devicePrintText([print], 0)).toBe('pid (1, 2, 3) idx (0,  19) p: x\n');
    expect(devicePrintText([print], 2)).toContain('… 2 more lines were dropped');
  });
});
