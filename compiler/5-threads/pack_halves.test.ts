/** pack_halves by printed IR before and after. */
import { expect, it } from 'vitest';
import { parseThreads } from '../ir/thread/parser';
import { printThreads } from '../ir/thread/printer';
import { assertValidThreads } from '../ir/thread/verifier';
import { pack_halves } from './pack_halves';

const kernel = (body: string, packs = true): string => `thread.func @k(
  %x: memref<?xf32, storage> {group = 0, written = false},
  %y: memref<?xu32, storage> {group = 1, written = true}
) attributes {${packs ? 'packsHalves = true, ' : ''}threads = 32} {
  %tid = thread.thread_id : u32
  %a = thread.load %x, %tid : f32
  %b = thread.load %x, %tid : f32
${body}  thread.return
}
`;
/** The kernel after the pass, which says whether it changed it. */
function after(text: string): { readonly text: string; readonly changed: boolean } {
  const func = parseThreads(text);
  const changed = pack_halves(func);
  assertValidThreads(func, 'pack_halves');
  return { text: printThreads(func), changed };
}
const PAIR = `  %h = thread.convert %a : f16
  %i = thread.convert %b : f16
  %0 = thread.construct %h, %i : vec2<f16>
  %w = thread.bitcast %0 : u32
  thread.store %y, %tid, %w
`;

it('rounds two values to the halves of a word together', () => {
  expect(after(kernel(PAIR))).toEqual({
    text: kernel(`  %0 = thread.construct %a, %b : vec2<f32>
  %packed = thread.pack2x16float %0 : u32
  thread.store %y, %tid, %packed
`),
    changed: true,
  });
});

it('puts the words of four values where their vector was taken', () => {
  const { text, changed } = after(
    kernel(`  %h = thread.convert %a : f16
  %i = thread.convert %b : f16
  %c = thread.load %x, %tid : f32
  %j = thread.convert %c : f16
  %k = thread.convert %c : f16
  %0 = thread.construct %h, %i, %j, %k : vec4<f16>
  %w = thread.bitcast %0 : vec2<u32>
  %four = thread.construct %w, %w : vec4<u32>
  %z = thread.extract %four {index = 3} : u32
  thread.store %y, %tid, %z
`),
  );
  expect(changed).toBe(true);
  expect(text).toBe(
    kernel(`  %0 = thread.construct %a, %b : vec2<f32>
  %packed = thread.pack2x16float %0 : u32
  %c = thread.load %x, %tid : f32
  %1 = thread.splat %c : vec2<f32>
  %packed_0 = thread.pack2x16float %1 : u32
  %four = thread.construct %packed, %packed_0, %packed, %packed_0 : vec4<u32>
  %z = thread.extract %four {index = 3} : u32
  thread.store %y, %tid, %z
`),
  );
});

it('packs where the later value is cast, so that both may end there', () => {
  const { text } = after(
    kernel(`  %i = thread.convert %b : f16
  %h = thread.convert %a : f16
  thread.barrier {storage = true, workgroup = true}
  %0 = thread.construct %h, %i : vec2<f16>
  %w = thread.bitcast %0 : u32
  thread.store %y, %tid, %w
`),
  );
  expect(text).toBe(
    kernel(`  %0 = thread.construct %a, %b : vec2<f32>
  %packed = thread.pack2x16float %0 : u32
  thread.barrier {storage = true, workgroup = true}
  thread.store %y, %tid, %packed
`),
  );
});

it.each([
  ['casts where packing rounds otherwise', kernel(PAIR, false)],
  [
    'a half that is used as a number, too',
    kernel(`${PAIR}  %n = thread.convert %h : u32
  thread.store %y, %tid, %n
`),
  ],
  ['casts of integers', kernel(PAIR.replace('convert %a', 'convert %tid'))],
])('leaves %s alone', (_, text) => {
  expect(after(text)).toEqual({ text: printThreads(parseThreads(text)), changed: false });
});
