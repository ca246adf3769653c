/**
 * Prefetched loads in loops with any bounds: no or few iterations, steps that pass the end,
 * counters up to the ends of i32. Each tensor ends where the last iteration's tile does, and the
 * interpreter refuses what is read behind it.
 */
import { expect, it } from 'vitest';
import { testParser } from '../1-parse/testing/testParser';
import { OPTIMIZE_PASSES } from '../3-optimize/index';
import { lowerSigned } from '../5-threads/testing/lowerSigned';
import { runInterpreter } from '../interpret/index';
import { cloneFunc } from '../ir/builder';
import type { Func } from '../ir/ir';
import { BASELINE_TARGET, type Target } from '../target';
import { MATRIX_TARGET } from '../testing/targets';
import { type Choices, DISTRIBUTE_PASSES, distributeContext } from './index';

const SOURCE = `import triton
import triton.language as tl
@triton.jit
def kernel(a_ptr, b_ptr, c_ptr, LO, HI, STEP, D: tl.constexpr):
    rows = tl.arange(0, D)
    block = rows[:, None] * D + rows[None, :]
    acc = tl.zeros((D, D), dtype=tl.float32)
    a_ptrs = a_ptr + block
    offset = 0
    for i in range(LO, HI, STEP):
        a = tl.load(a_ptrs + offset)
        b = tl.load(b_ptr + ((i - LO) // STEP).to(tl.int32) * D + block)
        acc = tl.dot(a, b, acc)
        offset += D
        a_ptrs += D
    tl.store(c_ptr + block, acc)
`;
const D = 32;
const [LEAST, MOST] = [-(2 ** 31), 2 ** 31 - 1];
/** From, to, step, and how many iterations that is. */
const BOUNDS: readonly (readonly [number, number, number, number])[] = [
  [0, 0, 1, 0],
  [5, -5, 1, 0],
  [0, 1, 1, 1],
  [0, 2, 1, 2],
  [0, 7, 2, 4],
  [-7, 3, 5, 2],
  [-7, 4, 5, 3],
  [LEAST, MOST, MOST, 3],
  [LEAST, MOST, 1_500_000_000, 3],
  [MOST - 47, MOST, 40, 2],
  [MOST - 7, MOST, MOST, 1],
  [LEAST, LEAST + 1, 3, 1],
];
const staged: Partial<Choices> = { prefetchRegisters: 128, direct: false };

function run(func: Func, type: string, [from, to, step, trips]: (typeof BOUNDS)[number]): number[] {
  const halves = (count: number): Uint8Array<ArrayBuffer> =>
    new Uint8Array(Float16Array.from({ length: count }, (_, i) => ((i * 7) % 5) - 2).buffer);
  const memory = [
    halves(trips > 0 ? D * D + (trips - 1) * 2 * D : 1),
    halves(trips > 0 ? D * D + (trips - 1) * D : 1),
    new Uint8Array(new Float32Array(D * D).fill(NaN).buffer),
  ].map((bytes, i) => ({ address: 2 ** 22 * (i + 1), bytes }));
  const bounds = [from, to, step].map((x) => (type === 'i64' ? BigInt(x) : x));
  const args = [...memory.map(({ address }) => address), ...bounds];
  runInterpreter({ func, args, memory, grid: [1, 1, 1] });
  return [...new Float32Array(memory[2]!.bytes.buffer)];
}

it.each<[string, Target, Partial<Choices>]>(
  ['i32', 'i64'].flatMap((type): [string, Target, Partial<Choices>][] => [
    [type, MATRIX_TARGET, {}],
    [type, MATRIX_TARGET, { overlapStoresWithMma: false, mergeBoundsGuards: true }],
    [type, BASELINE_TARGET, staged],
    [type, BASELINE_TARGET, { ...staged, predicatedPrefetch: true }],
  ]),
)('bounds of %s: %#', async (type, target, choices) => {
  const types = { a_ptr: '*fp16:16', b_ptr: '*fp16:16', c_ptr: '*fp32:16' };
  const signature = { ...types, LO: type, HI: type, STEP: type, D };
  const func = lowerSigned(await testParser(), SOURCE, signature);
  for (const pass of OPTIMIZE_PASSES) pass.run(func);
  const before = BOUNDS.map((bounds) => run(cloneFunc(func), type, bounds));
  const context = distributeContext(target, 4, choices);
  const changed = DISTRIBUTE_PASSES.filter((pass) => {
    if (!pass.run(func, context)) return false;
    // Numbers that every sum holds exactly.
    BOUNDS.forEach((bounds, i) =>
      expect(run(func, type, bounds), `${pass.name} ${bounds.join(' ')}`).toEqual(before[i]),
    );
    return true;
  });
  const overlaps = target === MATRIX_TARGET && choices.overlapStoresWithMma !== false;
  expect(changed.map(({ name }) => name)).toContain(
    overlaps ? 'overlap_stores_with_mma' : 'pipeline_loads',
  );
});
