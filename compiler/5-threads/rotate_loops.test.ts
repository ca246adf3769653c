/** rotate_loops by printed IR: which loops have their test at the bottom. */
import { expect, it } from 'vitest';
import { parseThreads } from '../ir/thread/parser';
import { printThreads } from '../ir/thread/printer';
import { assertValidThreads } from '../ir/thread/verifier';
import { rotate_loops } from './rotate_loops';
import { changedLines } from './testing/changedLines';

/** A loop that carries a vec4; in front of it `extra` others, so that it carries them as well. */
const kernel = (trips: string, vectors: number, masksBranches = true): string => {
  const carried = Array.from({ length: vectors }, (_, i) => i);
  const list = (name: string): string => carried.map((i) => `%${name}${i}`).join(', ');
  const types = carried.map(() => 'vec4<f32>').join(', ');
  return `thread.func @k(
  %x: memref<?xvec4<f32>, storage> {group = 0, written = true},
  %n: u32 {word = {kind = "grid", axis = 0}}
) attributes {${masksBranches ? 'masksBranches = true, ' : ''}threads = 4} {
  %c8_u32 = thread.constant 8 : u32
${carried.map((i) => `  %i${i} = thread.load %x, %n : vec4<f32>\n`).join('')}\
  ${list('r')} = thread.for ${trips}, ${list('i')} {test = "top"} : ${types} {
  ^(%k: u32, ${carried.map((i) => `%a${i}: vec4<f32>`).join(', ')}):
${carried.map((i) => `    %s${i} = thread.add %a${i}, %a${i} : vec4<f32>\n`).join('')}\
    thread.yield ${list('s')}
  }
${carried.map((i) => `  thread.store %x, %n, %r${i}\n`).join('')}\
  thread.return
}
`;
};
/** The lines that the pass changes, before and after. */
function changes(text: string): string[] {
  const func = parseThreads(text);
  const lines = changedLines(
    () => printThreads(func),
    () => rotate_loops(func),
  );
  assertValidThreads(func, 'rotate_loops');
  return lines === '' ? [] : lines.split('\n');
}

it('puts the test of a loop that carries little to the bottom', () => {
  expect(changes(kernel('%c8_u32', 1))).toMatchInlineSnapshot(`
    [
      "- %r0 = thread.for %c8_u32, %i0 {test = "top"} : vec4<f32> {",
      "+ %r0 = thread.for %c8_u32, %i0 {test = "bottom"} : vec4<f32> {",
    ]
  `);
});

it('leaves a loop of constant count that carries the sums of a dot', () => {
  expect(changes(kernel('%c8_u32', 2))).toEqual([
    expect.stringContaining('test = "top"'),
    expect.stringContaining('test = "bottom"'),
  ]);
  expect(changes(kernel('%c8_u32', 3))).toEqual([]);
});

it('rotates a loop of the program whatever it carries', () => {
  expect(changes(kernel('%n', 3))).toHaveLength(2);
});

it('leaves every loop alone on a GPU', () => {
  expect(changes(kernel('%c8_u32', 1, false))).toEqual([]);
});
