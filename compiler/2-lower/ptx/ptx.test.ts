/** Inline assembly on the interpreter: each instruction by its definition in the PTX manual. */
import { describe, expect, test } from 'vitest';
import { testParser } from '../../1-parse/testing/testParser';
import { runInterpreter } from '../../interpret/index';
import { lowerText } from '../testing/lowerText';
import { parsePtx } from './parse';

const N = 16;
const X = Int32Array.from({ length: N }, (_, i) => Math.imul(i + 1, 0x9e3779b9) >> (i % 9));
const Y = Int32Array.from({ length: N }, (_, i) => Math.imul(i + 7, 0x85ebca6b) ^ i);
const F = Float32Array.from({ length: N }, (_, i) => (i - 7) * 0.75 + 0.1);
const u = (v: number): bigint => BigInt(v >>> 0);
const word = (v: bigint): number => Number(BigInt.asIntN(32, v));

describe('inline assembly', async () => {
  const parser = await testParser();
  const lowered = (body: string) => {
    const text = `import triton
import triton.language as tl
@triton.jit
def kernel(X, Y, F, O, B):
    at = tl.arange(0, ${N})
    x = tl.load(X + at)
    y = tl.load(Y + at)
    f = tl.load(F + at)
    b = tl.load(B + at)
    ${body}
`;
    const types = { X: '*i32', Y: '*i32', F: '*fp32', O: '*i32', B: '*u8' };
    return lowerText(parser, text, 'kernel', types);
  };
  const run = (body: string): number[] => {
    const { func, diagnostics } = lowered(body);
    expect(diagnostics).toEqual([]);
    const bytes = Uint8Array.from({ length: N }, (_, i) => i * 17 + 3);
    const arrays = [X, Y, F, new Int32Array(N).fill(-99), bytes];
    const memory = arrays.map((array, i) => ({
      address: 4096 * (i + 1),
      bytes: new Uint8Array(array.slice().buffer),
    }));
    const args = memory.map(({ address }) => address);
    runInterpreter({ func: func!, args, memory, grid: [1, 1, 1] });
    return [...new Int32Array(memory[3]!.bytes.buffer)];
  };
  const asm = (text: string, inputs = 'x, y', dtype = 'tl.int32'): string => {
    const registers = inputs.split(',').map(() => 'r');
    const constraints = `"=r,${registers.join(',')}"`;
    const call = `tl.inline_asm_elementwise("${text}", ${constraints}, [${inputs}], ${dtype}, True, 1)`;
    return dtype === 'tl.int32' ? call : `${call}.to(tl.int32, bitcast=True)`;
  };
  const each = (f: (x: number, y: number) => number): number[] => [...X].map((x, i) => f(x, Y[i]!));

  test.each<[string, (x: number, y: number) => number]>([
    ['shf.l.wrap.b32 $0, $1, $2, 17;', (x, y) => (y << 17) | (x >>> 15)],
    ['shf.r.clamp.b32 $0, $1, $2, 40;', (_, y) => y],
    ['lop3.b32 $0, $1, $2, 0x0f0f0f0f, 0xea;', (x, y) => (x & y) | 0x0f0f0f0f],
    ['lop3.b32 $0, $1, $2, $1, 0x96;', (_, y) => y],
    ['lop3.b32 $0, $1, $2, 0x00ff00ff, 0xd8;', (x, y) => (x & ~0xff00ff) | (y & 0xff00ff)],
    ['prmt.b32 $0, $1, $2, 0x5140;', (x, y) => bytesOf(x, y, [0, 4, 1, 5])],
    ['bfe.u32 $0, $1, 4, 7;', (x) => (x >>> 4) & 127],
    ['bfe.s32 $0, $1, 4, 7;', (x) => (x << 21) >> 25],
    ['bfi.b32 $0, $1, $2, 8, 12;', (x, y) => (y & ~0xfff00) | ((x << 8) & 0xfff00)],
    ['mul.hi.u32 $0, $1, $2;', (x, y) => word((u(x) * u(y)) >> 32n)],
    ['mul.hi.s32 $0, $1, $2;', (x, y) => word((BigInt(x) * BigInt(y)) >> 32n)],
    ['mad.lo.s32 $0, $1, $2, $2;', (x, y) => (Math.imul(x, y) + y) | 0],
    ['shl.b32 $0, $1, 40;', () => 0],
    ['shr.s32 $0, $1, 40;', (x) => x >> 31],
    ['max.u32 $0, $1, $2;', (x, y) => (x >>> 0 > y >>> 0 ? x : y)],
    ['popc.b32 $0, $1;', (x) => (x >>> 0).toString(2).replaceAll('0', '').length],
    [
      '{ .reg .b64 w; mul.wide.u32 w, $1, $2; shr.u64 w, w, 9; cvt.u32.u64 $0, w; }',
      (x, y) => word((u(x) * u(y)) >> 9n),
    ],
    [
      '{ .reg .pred p, q; setp.lt.s32 p|q, $1, $2; @p mov.b32 $0, 7; @q mov.b32 $0, -3; }',
      (x, y) => (x < y ? 7 : -3),
    ],
    ['{ .reg .b16 l, h; mov.b32 {l, h}, $1; mov.b32 $0, {h, l}; }', (x) => (x << 16) | (x >>> 16)],
    ['cvt.sat.s8.s32 $0, $1;', (x) => Math.max(-128, Math.min(127, x))],
    ['// nothing but\n mov.u32 $0, /* this */ 0x7f;', () => 127],
  ])('%s', (text, definition) => {
    expect(run(`tl.store(O + at, ${asm(text.replaceAll('\n', '\\n'))})`)).toEqual(each(definition));
  });

  test.each<[string, (f: number) => number]>([
    ['cvt.rni.s32.f32 $0, $1;', (f) => Math.round(f)],
    ['cvt.rmi.s32.f32 $0, $1;', (f) => Math.floor(f)],
    ['cvt.rzi.u32.f32 $0, $1;', (f) => Math.max(0, Math.trunc(f))],
  ])('%s', (text, definition) => {
    expect(run(`tl.store(O + at, ${asm(text, 'f')})`)).toEqual(
      [...F].map(definition).map((v) => v + 0),
    );
  });
  test('floats keep their bits, and predicates choose', () => {
    const text = '{ .reg .pred p; setp.gtu.f32 p, $1, 0f3F000000; selp.f32 $0, $1, 1.5, p; }';
    const found = run(`tl.store(O + at, ${asm(text, 'f', 'tl.float32')})`);
    const wanted = Float32Array.from(F, (f) => (f > 0.5 ? f : 1.5));
    expect(found).toEqual([...new Int32Array(wanted.buffer)]);
  });
  test('packs of four bytes share a register', () => {
    const call =
      'tl.inline_asm_elementwise("and.b32 $0, $1, 0x1F1F1F1F; shl.b32 $0, $0, 3;", "=r,r", [b], tl.uint8, True, 4)';
    const found = run(`tl.store(O + at, ${call}.to(tl.int32))`);
    expect(found).toEqual(found.map((_, i) => (((i * 17 + 3) & 31) << 3) & 255));
  });
  test('fp8 and fp4 pairs', () => {
    const fp8 = '{ .reg .b16 t; cvt.rn.satfinite.e4m3x2.f32 t, $1, $2; cvt.u32.u16 $0, t; }';
    const big = asm(fp8, 'f * 10000, f * 0 + 1.5');
    expect(run(`tl.store(O + at, ${big})`)).toEqual([...F].map((f) => (f > 0 ? 0x7e3c : 0xfe3c)));
    const fp4 = '{ .reg .b8 t; cvt.rn.satfinite.e2m1x2.f32 t, $1, $2; cvt.u32.u8 $0, t; }';
    // Ties go to even: 2.5 to 2, 3.5 to 4; 1.75 to 2.
    const four = asm(fp4, 'f * 0 + 2.5, f * 0 - 1.75');
    expect(run(`tl.store(O + at, ${four})`)).toEqual([...F].map(() => 0x4c));
  });

  test.each([
    ['atom.add.u32 $0, [$1], 1;', /the instruction atom\.add\.u32 is not translated/],
    ['bra L;', /the instruction bra/],
    ['mov.u32 $0, %smid;', /the special register %smid/],
    ['add.u32 $0, t, $1;', /the register t is not declared/],
    ['{ .reg .b32 t; add.u32 $0, t, $1; }', /t is read before it is written/],
  ])('%s is refused', (text, message) => {
    expect(lowered(`tl.store(O + at, ${asm(text)})`).diagnostics[0]?.message).toMatch(message);
  });
});

test('parsePtx reads declarations, guards and numbers', () => {
  const [open, declared, guarded, close] = parsePtx(
    '{ .reg .b32 a<2>, c; @!p add.u32 a0, c, -0x10; }',
  );
  expect(open).toEqual({ kind: 'open' });
  expect(declared).toEqual({ kind: 'declaration', type: 'b32', names: ['a0', 'a1', 'c'] });
  expect(guarded).toMatchObject({
    text: 'add.u32',
    guard: { register: 'p', negated: true },
    operands: [
      { kind: 'register', name: 'a0' },
      { kind: 'register', name: 'c' },
      { kind: 'integer', value: -16n },
    ],
  });
  expect(close).toEqual({ kind: 'close' });
});

function bytesOf(low: number, high: number, which: readonly number[]): number {
  const all = (u(high) << 32n) | u(low);
  return word(
    which.reduce((sum, b, i) => sum | (((all >> BigInt(8 * b)) & 0xffn) << BigInt(8 * i)), 0n),
  );
}
