/** A launch's words, as a kernel reads them. */
import { expect, it } from 'vitest';
import type { UniformWord } from '../../../compiler/program';
import type { Leaf } from '../arguments';
import { StorageTable } from '../storage';
import { packUniforms, scalarWord } from './uniforms';

const scalar = (text: string, dtype: string, word: 0 | 1 = 0): number =>
  scalarWord({ kind: 'scalar', path: [0], dtype, text }, dtype, word);

it('packs integers of any width', () => {
  expect(scalar('-1', 'int32')).toBe(0xffff_ffff);
  expect(scalar('-1', 'int64', 1)).toBe(0xffff_ffff);
  expect(scalar('18446744073709551615', 'uint64', 1)).toBe(0xffff_ffff);
  expect(scalar('4294967298', 'int64', 0)).toBe(2);
  expect(scalar('4294967298', 'int64', 1)).toBe(1);
  expect(scalar('-4294967298', 'int64', 0)).toBe(0xffff_fffe);
  expect(scalar('-4294967298', 'int64', 1)).toBe(0xffff_fffe);
  expect(scalar('-999999999999999', 'int64', 1)).toBe(0xfffc_7281);
  expect(scalar('True', 'int1')).toBe(1);
});

it('packs floats, with infinities and NaN', () => {
  expect(scalar('1.0', 'float32')).toBe(0x3f80_0000);
  expect(scalar('-inf', 'float32')).toBe(0xff80_0000);
  expect(scalar('nan', 'fp32')).toBe(0x7fc0_0000);
  expect(scalar('1e-05', 'float32')).toBe(0x3727_c5ac);
  expect(scalar('1.0', 'float64', 1)).toBe(0x3ff0_0000);
  expect(scalar('1.5', 'bfloat16')).toBe(0x3fc0);
  // A little above the middle of two: float32 rounds it to the middle, which goes to the even one.
  expect(scalar(String(1 + 2 ** -8 + 2 ** -40), 'bfloat16')).toBe(0x3f81);
  expect(scalar(String(-1 - 2 ** -8 + 2 ** -40), 'bfloat16')).toBe(0xbf80);
  expect(() => scalar('one', 'float32')).toThrow(/no number/);
});

it('rounds to float16 as the numbers are', () => {
  const known: [string, number][] = [
    ['0.0', 0],
    ['-0.0', 0x8000],
    ['1.0', 0x3c00],
    ['65504.0', 0x7bff],
    ['65519.99', 0x7bff],
    ['65520.0', 0x7c00],
    ['5.960464477539063e-08', 1],
    ['2.980232238769531e-08', 0],
    ['6.103515625e-05', 0x0400],
    ['0.1', 0x2e66],
    ['-2.0', 0xc000],
    ['1.00048828125', 0x3c00],
    ['1.00146484375', 0x3c02],
  ];
  for (const [text, bits] of known) expect([text, scalar(text, 'float16')]).toEqual([text, bits]);
});

it('reports where pointers start and end, in elements of their group', () => {
  const storage = new StorageTable(1e9).create(100);
  storage.base = 512;
  const leaves: Leaf[] = [
    {
      kind: 'pointer',
      path: [2, 1],
      dtype: 'float16',
      elementBytes: 2,
      storage,
      byteOffset: 6,
      label: 'x',
    },
  ];
  const words: UniformWord[] = [
    { kind: 'offset', path: [2, 1] },
    { kind: 'begin', path: [2, 1] },
    { kind: 'end', path: [2, 1] },
    { kind: 'grid', axis: 1 },
  ];
  expect([...packUniforms(words, leaves, [7, 8, 9])]).toEqual([259, 256, 306, 8]);
  expect(packUniforms([], [], [1, 1, 1]).byteLength).toBe(16);
  expect(() => packUniforms([{ kind: 'offset', path: [0] }], leaves, [1, 1, 1])).toThrow();
});
