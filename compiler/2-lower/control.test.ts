/**
 * Branches, loops and early returns against Python itself: random functions
 * (`testdata/control.py`), lowered and run by our interpreter.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { testParser } from '../1-parse/testing/testParser';
import { runInterpreter } from '../interpret/index';
import { verify } from '../ir/verifier';
import { lowerText } from './testing/lowerText';

interface Control {
  readonly inputs: readonly (readonly [number, number])[];
  readonly programs: readonly { readonly code: string[]; readonly results: number[] }[];
}
const { inputs, programs } = JSON.parse(
  readFileSync(new URL('./testdata/control.json', import.meta.url), 'utf8'),
) as Control;
const KERNEL = `
@triton.jit
def kernel(X, Y, O):
    p = tl.program_id(0)
    tl.store(O + p, f(tl.load(X + p), tl.load(Y + p)))
`;

test('control flow means what it means in Python', async () => {
  const parser = await testParser();
  expect(programs.length).toBeGreaterThan(50);
  for (const { code, results } of programs) {
    const text = `import triton\nimport triton.language as tl\n@triton.jit\n${code.join('\n')}\n${KERNEL}`;
    const { func, diagnostics } = lowerText(parser, text, 'kernel', {
      X: '*i32',
      Y: '*i32',
      O: '*i32',
    });
    expect(diagnostics, text).toEqual([]);
    expect(verify(func!), text).toEqual([]);
    const arrays = [
      Int32Array.from(inputs, ([x]) => x),
      Int32Array.from(inputs, ([, y]) => y),
      new Int32Array(inputs.length),
    ];
    const memory = arrays.map((array, i) => ({
      address: 4096 * (i + 1),
      bytes: new Uint8Array(array.buffer),
    }));
    const args = memory.map(({ address }) => address);
    runInterpreter({ func: func!, args, memory, grid: [inputs.length, 1, 1] });
    expect([...arrays[2]!], text).toEqual(results);
  }
});
