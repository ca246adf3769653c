/**
 * Steps that exchange and rotate values, on a software adapter: what WGSL assigns one after the
 * other is what the interpreter takes at once.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { findSoftwareAdapter, openDawn, type OpenedDevice } from '../../app/cli/dawn';
import type { Parser } from '../1-parse/parser';
import { testParser } from '../1-parse/testing/testParser';
import { seededRandom } from '../ir/seededRandom';
import { differences, EXACT } from './testing/differential';
import { lowerSigned } from './testing/lowerSigned';
import { compileFunc } from './testing/run';

const software = findSoftwareAdapter();
if (software.kind === 'missing') console.error(`GPU TESTS SKIPPED: ${software.reason}`);

const kernel = (body: string): string => `import triton
import triton.language as tl

@triton.jit
def kernel(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    a = tl.load(x + i)
    b = a * 2
    c = a + 7
${body}
    tl.store(out + i, a)
    tl.store(out + B + i, b)
    tl.store(out + 2 * B + i, c)
`;
/** By what happens to the three values. */
const BODIES = {
  'an exchange in each iteration': `
    for k in range(0, n):
        a, b = b, a
        c += k`,
  'sums of the last two': `
    for _ in range(0, n):
        a, b = b, a + b`,
  'a rotation of three': `
    for k in range(0, n):
        a, b, c = b * 3, c + k, a`,
  'a tile that moves, and where it was': `
    for _ in range(0, n):
        b, a = a, a + n
        c += b`,
  'an exchange in one branch': `
    for k in range(0, n):
        if k % 3 == 1:
            a, b = b, a
        else:
            b, c = c + 1, b`,
  'an exchange while a condition holds': `
    k = n
    while k > 0:
        a, b = b - k, a
        k -= 1`,
  'numbers of the program, which decide the next': `
    p = n
    q = n + 5
    for _ in range(0, n):
        p, q = q, p - 3 * q
        a += p
        b -= q`,
};
/** Cases without a copy: the sum has a `let` of its own, or the tile is carried as an offset. */
const UNCOPIED = new Set([
  'sums of the last two',
  'numbers of the program, which decide the next',
  'a tile that moves, and where it was',
]);
const N = 64;
const RANDOM = Number(process.env['COPIES_COUNT'] ?? 40);
/** Statements that assign to several names at once, in loops and branches, numbers of tiles too. */
function randomBody(seed: number): string {
  const random = seededRandom(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const step = (names: readonly string[], others: readonly string[]): string => {
    const targets = [...names].sort(() => random() - 0.5).slice(0, 2 + Math.floor(random() * 2));
    const value = (): string => {
      const [x, y] = [pick(names), pick([...names, ...others])];
      return pick([x, x, `${x} + ${y}`, `${x} * 3 - ${y}`, `${x} - 1`]);
    };
    return `${targets.join(', ')} = ${targets.map(value).join(', ')}`;
  };
  const tiles = (): string => step(['a', 'b', 'c'], ['k', 'p']);
  const numbers = (): string => step(['p', 'q', 'r'], ['k']);
  const branch = (): string => `if (p + k) % 3 == 1:
            ${pick([tiles, numbers])()}
        else:
            ${pick([tiles, numbers])()}`;
  const body = Array.from({ length: 1 + Math.floor(random() * 3) }, () =>
    pick([tiles, numbers, branch])(),
  ).join('\n        ');
  const head = `
    p = n
    q = n * 5 + 1
    r = 2 - n`;
  return random() < 0.5
    ? `${head}\n    for k in range(0, n):\n        ${body}\n    a += p - q * r`
    : `${head}\n    k = n\n    while k > 0:\n        ${body}\n        k -= 1\n    a += p - q * r`;
}

describe.skipIf(software.kind === 'missing')('copies of parallel steps', () => {
  let gpu: OpenedDevice;
  let parser: Parser;
  beforeAll(async () => {
    gpu = await openDawn();
    parser = await testParser();
  });

  const launch = async (body: string, counts: readonly number[]): Promise<string> => {
    const make = (): ReturnType<typeof lowerSigned> =>
      lowerSigned(parser, kernel(body), { x: '*i32', out: '*i32', n: 'i32', B: N });
    const x = new Uint8Array(Int32Array.from({ length: N }, (_, i) => i * i - 100).buffer);
    const there = { device: gpu.device, target: gpu.target };
    for (const n of counts) {
      const args = [x, new Uint8Array(12 * N).fill(0xa5), [n]];
      expect(await differences(there, make, args, [1, 1, 1], EXACT), body).toEqual([]);
    }
    return compileFunc(make(), gpu.target).wgsl;
  };
  const isCopy = /let next\w* = /;

  it.each(Object.entries(BODIES))('%s', async (name, body) => {
    expect(isCopy.test(await launch(body, [0, 1, 5, 8]))).toBe(!UNCOPIED.has(name));
  });

  it('random steps', async () => {
    let copied = 0;
    for (let seed = 1; seed <= RANDOM; seed++)
      if (isCopy.test(await launch(randomBody(seed), [4]))) copied++;
    expect(copied).toBeGreaterThan(RANDOM / 4);
  });
});
