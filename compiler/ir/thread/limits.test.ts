/**
 * Kernels that no driver compiles in time are refused at the line that most of them comes from,
 * by what their registers and branches cost; those of the gallery are far from it.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { CPU_FACTS } from '../../machine';
import type { Parser } from '../../1-parse/parser';
import { testParser } from '../../1-parse/testing/testParser';
import { requestFor } from '../../inspect/testing/launches';
import { createCompiler } from '../../pipeline';
import { BASELINE_TARGET, machineOf } from '../../target';
import { galleryKernels, KINDS, lowerToThreads } from '../../testing/gallery';
import { mostCost, pipelineCost } from './limits';
import { registerPressure } from './pressure';
import { surveyThreads } from './survey';

let parser: Parser;
beforeAll(async () => {
  parser = await testParser();
});

/** A tile that one thread keeps in registers through a loop. */
const KERNEL = `def polish(x_ptr, n, N: tl.constexpr):
    at = tl.arange(0, N)
    x = tl.load(x_ptr + at)
    y = x
    for i in range(n):
        x = x * 2.5 + y
        y = tl.where(x > y, x - i, y * 1.25) + tl.sqrt(tl.abs(x)) * tl.load(x_ptr + (at * i) % n)
    tl.store(x_ptr + at, x + y)
`;
const SOFTWARE = {
  ...BASELINE_TARGET,
  name: 'SwiftShader',
  machine: CPU_FACTS,
  subgroupSize: 4,
} as const;

it.each([
  ['small', 64, BASELINE_TARGET, null],
  ['small, on the CPU', 64, SOFTWARE, null],
  ['large', 2048, BASELINE_TARGET, /^the kernel is too large: a thread computes \d+ values, holds/],
  [
    'large, on the CPU',
    1024,
    SOFTWARE,
    /compiles as slowly .*: a thread computes \d+ values, holds/,
  ],
])('a tile in the registers of one thread: %s', (_, N, target, message) => {
  const request = requestFor(parser, KERNEL, { x_ptr: '*fp32', n: 'i32', N }, target);
  const options = { ...request.options, choices: { threads: 1 } };
  const result = createCompiler(parser).compile({ ...request, options });
  if (message === null) {
    expect(result.kind).toBe('compiled');
    return;
  }
  if (result.kind !== 'failed') throw new Error(result.kind);
  const [found] = result.diagnostics;
  expect(found).toMatchObject({ code: 'HC0510', location: { file: 'k.py', line: 11 } });
  expect(found?.message).toMatch(message);
  expect(found?.message).toMatch(/from this line\. Use smaller tiles/);
});

/** The limit is so many times the largest kernel of the gallery, at the least. */
const MARGIN = 7;

describe.each(KINDS)('the gallery on $name', (target) => {
  it('costs a small part of the limit', () => {
    const costs = galleryKernels(parser, target).map(({ file, name, request }) => {
      const { func } = lowerToThreads(parser, request).threads;
      const survey = surveyThreads(func);
      return {
        kernel: `${file} ${name}`,
        cost: pipelineCost(survey, registerPressure(func, survey)),
      };
    });
    expect(costs.length).toBeGreaterThan(30);
    const limit = mostCost(machineOf(target).compilesSlowly);
    expect(costs.filter(({ cost }) => cost * MARGIN > limit)).toEqual([]);
  });
});
