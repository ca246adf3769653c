/** The forms of random kernels: one that no kernel has is one that nothing compares. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fuzzInputs } from './fuzzCase';
import { randomKernel } from './randomKernel';

const OPTIONS = { elements: 256, statements: 10 };
const inputs = fc.sample(fuzzInputs(OPTIONS), { seed: 5, numRuns: 600 });
const kernels = inputs.map((input) => randomKernel(input, OPTIONS));

it.each([
  ['a store through a block pointer', /tl\.store\(p\d+, v\d+, boundary_check=/],
  ['one with sides that nothing checks', /tl\.store\(p\d+, v\d+\)/],
  ['a load through a block pointer', /tl\.load\(p\d+, boundary_check=/],
  ['a store through a descriptor', /d\d+\.store\(\[/],
  ['a load through a descriptor', /d\d+\.load\(\[/],
  ['an atomic of a descriptor', /d\d+\.atomic_\w+\(\[/],
  ['a block before its tensor', /make_block_ptr\(out_.*\(-\d+,/],
  ['a store below a tensor', /tl\.store\(out_\w+ \+ pid \* SIZE_\w+ - \d+/],
  ['a masked one', /tl\.store\(out_\w+ \+ pid \* SIZE_\w+ - \d+.*mask=/],
  ['a load below a tensor', /tl\.load\(in_\w+ \+ .* - \d+\)/],
  ['a masked one', /tl\.load\(in_\w+ \+ .* - \d+, mask=/],
  ['a pointer that moves down', /p\d+ -= /],
  ['an atomic below a tensor', /tl\.atomic_\w+\(out_\w+ \+ pid \* SIZE_\w+ - /],
  ['a loop that is unrolled', /loop_unroll_factor=[2-4]/],
  ['a loop that is not pipelined', /num_stages=1\)/],
  ['compare and swap', /tl\.atomic_cas\(/],
  ['atomics on a few places', /tl\.atomic_(?:add|x?or|and)\(.*% 4, /],
  ['atomics of 64 bits', /tl\.atomic_\w+\(out_[iu]64/],
  ['atomics of 16 bits', /tl\.atomic_add\(out_b?f\w*16/],
])('has %s', (_, form) => {
  expect(kernels.filter(({ source }) => form.test(source)).length).toBeGreaterThan(0);
});

it('says which kernels go out of range by themselves, and makes none where nothing checks', () => {
  const outside = kernels.filter((kernel) => kernel.outside).length;
  expect(outside).toBeGreaterThan(30);
  expect(outside).toBeLessThan(kernels.length / 2);
  const inside = inputs.map((input) => randomKernel(input, { ...OPTIONS, inside: true }));
  expect(inside.some((kernel) => kernel.outside)).toBe(false);
});
