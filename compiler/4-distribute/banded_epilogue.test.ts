/**
 * Results that leave matrices in bands: the same memory afterwards, in bands of whole rows of
 * matrices.
 */
import { describe, expect, it } from 'vitest';
import { cloneFunc } from '../ir/builder';
import { type Func, type Operation, walk } from '../ir/ir';
import { F16, F32, shapeOf } from '../ir/types';
import { assertValid } from '../ir/verifier';
import { runInterpreter } from '../interpret/index';
import { MATRIX_TARGET } from '../testing/targets';
import { checkContract } from './testing/checkContract';
import { DISTRIBUTE_PASSES, distributeContext } from './index';
import { matmul } from './testing/kernels';
import { changeBy } from './testing/passes';

const [ROWS, COLUMNS, DEPTH] = [100, 120, 48] as const;

/** The kernel's output for random halves; the third argument is written. */
function result(func: Func): Uint8Array {
  const sizes = [ROWS * DEPTH, DEPTH * COLUMNS, ROWS * COLUMNS];
  const memory = sizes.map((size, i) => {
    const numbers = new Float32Array(size).map((_, j) => ((j * 7 + i) % 11) - 5);
    const halves = new Uint16Array(size).map((_, j) => 0x3c00 + (((j * 5 + i) % 7) << 8));
    const bytes = new Uint8Array(i === 2 ? numbers.buffer : halves.buffer);
    return { address: 65_536 * 16 * (i + 1), bytes };
  });
  const args = [...memory.map(({ address }) => address), ROWS, COLUMNS, DEPTH];
  runInterpreter({ func, args, memory, grid: [2, 2, 1] });
  return memory[2]!.bytes;
}

describe.each([
  [128, 64],
  [128, 128],
  [64, 128],
] as const)('a tile of %i×%i', (M, N) => {
  it.each([false, true])('leaves in bands; with a residual: %s', (residual) => {
    const func = matmul({ M, N, K: 16, dtype: F16, residual });
    const context = distributeContext(MATRIX_TARGET, 4);
    let before: Func | undefined;
    for (const pass of DISTRIBUTE_PASSES) {
      if (pass.name === 'banded_epilogue') before = cloneFunc(func);
      const changed = pass.run(func, context);
      assertValid(func, pass.name);
      if (pass.name !== 'banded_epilogue') continue;
      expect(changed).toBe(true);
      expect(result(func)).toEqual(result(before!));
    }
    const reads: Operation[] = [];
    walk(func.body, (op) => {
      if (op.name === 'ttg.read_fragments') reads.push(op);
    });
    const [rows] = shapeOf(reads[0]!.result.type);
    expect(rows! % 16).toBe(0);
    expect(reads.map((op) => op.attributes['origin'])).toEqual(
      Array.from({ length: M / rows! }, (_, i) => [i * rows!, 0]),
    );
    expect(checkContract(func, MATRIX_TARGET)).toEqual([]);
  });
});

it('leaves a small tile whole', () => {
  const func = matmul({ M: 32, N: 32, K: 16, dtype: F32 });
  for (const pass of DISTRIBUTE_PASSES) {
    const changed = pass.run(func, distributeContext(MATRIX_TARGET, 4));
    if (pass.name === 'banded_epilogue') expect(changed).toBe(false);
  }
});

it('reads, casts and stores one band behind the other', () => {
  const change = changeBy(
    'banded_epilogue',
    matmul({ M: 128, N: 64, K: 16, dtype: F16 }),
    {},
    MATRIX_TARGET,
  );
  expect(change.replaceAll(/ : .*/g, '')).toMatchInlineSnapshot(`
    "    }
    -   %v82 = ttg.read_fragments %v52
        %v100 = tt.addptr %v99, %v89
    -   tt.store %v100, %v82, %v98 {vector = 4}
    +   %0 = ttg.read_fragments %v52 {origin = [0, 0]}
    +   %1 = ttg.extract_slice %v100 {origin = [0, 0]}
    +   %2 = ttg.extract_slice %v98 {origin = [0, 0]}
    +   tt.store %1, %0, %2 {vector = 4}
    +   %3 = ttg.read_fragments %v52 {origin = [64, 0]}
    +   %4 = ttg.extract_slice %v100 {origin = [64, 0]}
    +   %5 = ttg.extract_slice %v98 {origin = [64, 0]}
    +   tt.store %4, %3, %5 {vector = 4}"
  `);
});
