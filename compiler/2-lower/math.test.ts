/** Elementwise functions whose results are known without an oracle. */
import { describe, expect, test } from 'vitest';
import { testParser } from '../1-parse/testing/testParser';
import { runInterpreter } from '../interpret/index';
import { lowerText } from './testing/lowerText';

const parser = await testParser();

/** Runs a kernel of X and Z on 256 elements. @returns the bytes of Z. */
function run(body: string, pointer: string, x: Uint8Array): Uint8Array {
  const text = `import triton\nimport triton.language as tl\n@triton.jit\ndef kernel(X, Z):\n${body}`;
  const { func, diagnostics } = lowerText(parser, text, 'kernel', { X: pointer, Z: pointer });
  expect(diagnostics.filter((each) => each.severity === 'error')).toEqual([]);
  const z = new Uint8Array(x.length).fill(85);
  const memory = [x, z].map((bytes, index) => ({ address: 65_536 * (index + 1), bytes }));
  const args = memory.map(({ address }) => address);
  runInterpreter({ func: func!, args, memory, grid: [1, 1, 1] });
  return z;
}

describe('tl.abs of fp8', () => {
  // NaNs may change their bits on the way in: the interpreter holds numbers.
  test.each([
    ['*fp8e4b15', () => true],
    ['*fp8e4nv', (code: number) => (code & 127) !== 127],
    ['*fp8e5', (code: number) => (code & 127) <= 124],
  ] as const)('%s clears the sign bit and nothing else', (pointer, counts) => {
    const x = Uint8Array.from({ length: 256 }, (_, code) => code);
    const body = `    off = tl.arange(0, 256)\n    tl.store(Z + off, tl.abs(tl.load(X + off)))\n`;
    const z = run(body, pointer, x);
    const wrong = [...x].filter((code) => counts(code) && z[code] !== (code & 127));
    expect(wrong).toEqual([]);
  });
});
