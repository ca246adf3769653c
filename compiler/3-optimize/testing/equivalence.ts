/** For tests: random functions run before and after a pass, and printed IR before and after. */
import { cloneFunc } from '../../ir/builder';
import type { Func } from '../../ir/ir';
import { parseFunc } from '../../ir/parser';
import { printIr } from '../../ir/printer';
import { seededRandom } from '../../ir/seededRandom';
import { RANDOM_BUFFER_ELEMENTS, randomFunc } from '../../ir/testing/random';
import { assertValid } from '../../ir/verifier';
import { runInterpreter } from '../../interpret/index';

/** The IR after a pass; `null` where the pass says that it changed nothing. */
export function after(text: string, pass: (func: Func) => boolean): string | null {
  const func = parseFunc(text);
  assertValid(func, 'parsing');
  const changed = pass(func);
  assertValid(func, pass.name);
  return changed ? printIr(func) : null;
}
/** The same text as the printer would have it. */
export function normal(text: string): string {
  return printIr(parseFunc(text));
}

/** Memory after a random function; NaNs are one. */
function effectOf(func: Func, seed: number): string {
  const random = seededRandom(seed);
  const floats = () =>
    Float32Array.from({ length: RANDOM_BUFFER_ELEMENTS }, () =>
      random() < 0.1 ? [NaN, -0, Infinity, 1e30][Math.floor(random() * 4)]! : random() * 8 - 4,
    );
  const x = floats();
  const y = floats();
  const z = Int32Array.from({ length: RANDOM_BUFFER_ELEMENTS }, () => random() * 200 - 100);
  const w = BigInt64Array.from({ length: RANDOM_BUFFER_ELEMENTS }, () =>
    random() < 0.5
      ? BigInt(Math.floor(random() * 100))
      : BigInt(Math.floor((random() - 0.5) * 2 ** 53)) * 1000n,
  );
  const memory = [x, y, z, w].map((array, i) => ({
    address: 65536 * (i + 1),
    bytes: new Uint8Array(array.buffer),
  }));
  const scalars = [Math.floor(random() * 21), BigInt(Math.floor(random() * 2 ** 52)), random()];
  runInterpreter({
    func,
    args: [...memory.map((m) => m.address), ...scalars],
    memory,
    grid: [2, 1, 1],
    budget: 1e6,
  });
  const text = (v: number | bigint) => (Object.is(v, -0) ? '-0' : String(v));
  return [...x, ...y, ...z].map(text).join() + [...w].map(text).join();
}

/** @throws where the pass changes what the function of this seed does. */
export function checkEquivalence(seed: number, passes: readonly ((func: Func) => boolean)[]): void {
  const func = randomFunc(seed);
  const before = printIr(func);
  const wanted = effectOf(func, seed);
  const copy = cloneFunc(func);
  for (const pass of passes) {
    const text = printIr(copy);
    const changed = pass(copy);
    assertValid(copy, `${pass.name}, seed ${seed}`);
    if (!changed && printIr(copy) !== text)
      throw new Error(`${pass.name} changed the IR of seed ${seed} and says it did not`);
    if (effectOf(copy, seed) !== wanted)
      throw new Error(
        `${pass.name} changes what seed ${seed} does:\n${before}\n── before ──\n${text}\n── after ──\n${printIr(copy)}`,
      );
  }
}
