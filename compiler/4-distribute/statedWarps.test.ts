/**
 * Threads of kernels with dots where the program gives `num_warps`: 32 a warp in the WGSL, on every
 * profile that has them; elsewhere the schedule and one diagnostic name the limit.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { outline } from '../1-parse/outline';
import type { Parser } from '../1-parse/parser';
import { testParser } from '../1-parse/testing/testParser';
import type { Diagnostic } from '../diagnostics';
import { createCompiler } from '../pipeline';
import { type CompiledKernel, DEFAULT_OPTIONS } from '../program';
import type { ScheduleDecision } from '../schedule';
import { machineOf, type Target } from '../target';
import { PROFILES } from '../targets/index';
import { MATRIX_TARGET } from '../testing/targets';

const dot = (rows: number, columns: number, k: number): string => `import triton
import triton.language as tl

@triton.jit
def mm(a, b, c, K, M: tl.constexpr = ${rows}, N: tl.constexpr = ${columns}, BK: tl.constexpr = ${k}):
    rm = tl.arange(0, M)
    rn = tl.arange(0, N)
    rk = tl.arange(0, BK)
    acc = tl.zeros((M, N), tl.float32)
    for k in range(0, K, BK):
        x = tl.load(a + rm[:, None] * K + (k + rk)[None, :])
        y = tl.load(b + (k + rk)[:, None] * N + rn[None, :])
        acc += tl.dot(x, y)
    tl.store(c + rm[:, None] * N + rn[None, :], acc)
`;

let parser: Parser;
beforeAll(async () => {
  parser = await testParser();
});

interface Made {
  readonly kernel: CompiledKernel;
  readonly threads: ScheduleDecision;
  readonly said: readonly Diagnostic[];
}

function compiled(text: string, dtype: string, target: Target, warps?: number): Made {
  const [{ program, guess } = { program: null, guess: null }] = outline({ 'mm.py': text }, parser);
  if (!program || !guess) throw new Error('no kernel');
  const specs = guess.arguments.map((spec, i) =>
    spec.kind === 'pointer' && i < 2 ? { ...spec, dtype } : spec,
  );
  const stated = warps === undefined ? {} : { numWarps: warps, statedWarps: true as const };
  const result = createCompiler(parser).compile({
    ...{ program, specialization: { ...guess, arguments: specs, ...stated }, target },
    options: DEFAULT_OPTIONS,
  });
  if (result.kind !== 'compiled') throw new Error(JSON.stringify(result));
  const threads = result.schedule.find(({ field }) => field === 'threads')!;
  const said = result.diagnostics.filter(({ code }) => code === 'HC0906');
  return { kernel: result.kernel, threads, said };
}

/** The size that the WGSL has. */
const printed = ({ wgsl }: CompiledKernel): number =>
  Number(/@workgroup_size\((\d+)/.exec(wgsl)![1]);

const GPUS = [...PROFILES.map(({ target }) => target), MATRIX_TARGET].filter(
  (target) => !machineOf(target).costlyBarriers,
);
const CPUS = PROFILES.map(({ target }) => target).filter(
  (target) => machineOf(target).costlyBarriers,
);

describe.each([
  ['64×64', 'float32', dot(64, 64, 32)],
  ['16×16', 'float32', dot(16, 16, 16)],
  ['16×16 of halves', 'float16', dot(16, 16, 16)],
  ['64×64 of halves', 'float16', dot(64, 64, 32)],
])('num_warps of a dot of %s', (_, dtype, text) => {
  it.each(GPUS)('is what $name runs, or it says why not', (target) => {
    for (const warps of [1, 2, 4, 8, 16]) {
      const { kernel, threads, said } = compiled(text, dtype, target, warps);
      const wanted = 32 * warps;
      const size = printed(kernel);
      expect(kernel.workgroupSize).toBe(size);
      expect(threads.why).toContain(`num_warps=${warps} means ${wanted}`);
      if (size === wanted) {
        expect(said).toEqual([]);
        continue;
      }
      const { maxInvocations, subgroupSize } = target;
      if (wanted > maxInvocations) expect(size).toBe(maxInvocations);
      else if (subgroupSize !== 'none' && wanted < subgroupSize) expect(size).toBe(subgroupSize);
      else expect(threads.why).toContain('have no room in workgroup memory');
      expect(said).toHaveLength(1);
      expect(said[0]).toMatchObject({ severity: 'info', location: { file: 'mm.py', line: 5 } });
      expect(said[0]!.message).toBe(`a program of mm has ${size} threads here: ${threads.why}`);
    }
  });
});

it('one that is not given leaves the threads to the dot', () => {
  const threadsOf = (warps?: number): number =>
    printed(compiled(dot(128, 256, 64), 'float16', MATRIX_TARGET, warps).kernel);
  expect([threadsOf(), threadsOf(4), threadsOf(8)]).toEqual([256, 128, 256]);
});

it.each([
  ['float32', 'operands and sums take 57344 words, of which a thread has at most 256'],
  ['float16', 'of a dot’s 32768 sums a thread has at most 256'],
] as const)('a thread of %s has no more than 256 registers', (dtype, limit) => {
  const threadsOf = (warps: number): readonly [number, readonly string[]] => {
    const { kernel, said } = compiled(dot(128, 256, 64), dtype, MATRIX_TARGET, warps);
    return [printed(kernel), said.map(({ message }) => message)];
  };
  const fewest = dtype === 'float32' ? 256 : 128;
  expect(threadsOf(1)).toEqual([
    fewest,
    [`a program of mm has ${fewest} threads here: num_warps=1 means 32; ${limit}`],
  ]);
  expect(threadsOf(fewest / 32)).toEqual([fewest, []]);
});

describe.each([1, 16])('num_warps=%i', (warps) => {
  it.each(CPUS)('leaves $name the threads of the dot, and it says so', (target) => {
    const own = compiled(dot(64, 64, 32), 'float32', target);
    const given = compiled(dot(64, 64, 32), 'float32', target, warps);
    expect(given.kernel.wgsl).toBe(own.kernel.wgsl);
    expect(own.said).toEqual([]);
    expect(given.said.map(({ message }) => message)).toEqual([
      `a program of mm has ${printed(own.kernel)} threads here: num_warps=${warps} means ` +
        `${32 * warps}; where barriers are costly (costlyBarriers), the dot decides`,
    ]);
  });
});
