/** predicate_loads by printed IR: which branches become a load of an address. */
import { expect, it } from 'vitest';
import { parseThreads } from '../ir/thread/parser';
import { printThreads } from '../ir/thread/printer';
import { assertValidThreads } from '../ir/thread/verifier';
import { predicate_loads } from './predicate_loads';

interface Kernel {
  readonly guard?: string;
  readonly instead?: string;
  readonly inside?: string;
  readonly yields?: string;
  readonly readsZero?: boolean;
}
const kernel = ({
  guard = '',
  instead = 'thread.yield %zero',
  inside = '',
  yields = 'thread.yield %load',
  readsZero = true,
}: Kernel): string => `thread.func @k(
  %x: memref<?xvec4<f32>, storage> {group = 0, written = true},
  %length: u32 {word = {kind = "grid", axis = 0}}
) attributes {${readsZero ? 'readsZeroOutside = true, ' : ''}threads = 32} {
  %zero = thread.constant 0 : vec4<f32>
  %one = thread.constant 1.0 : vec4<f32>
  %true = thread.constant true : bool
  %c4_u32 = thread.constant 4 : u32
  %tid = thread.thread_id : u32
  %distance = thread.mul %tid, %c4_u32 : u32
  %some = thread.guard %true, %true, %distance, %length, %length {access = 0, by = "length", half = 0, operation = 0, ${guard}times = 1, vector = 4} : bool
  %v = thread.if %some {prefetched = true} : vec4<f32> {
    %at = thread.div %distance, %c4_u32 : u32
    %load = thread.load %x, %at : vec4<f32>
${inside}    ${yields}
  } else {
    ${instead}
  }
  thread.store %x, %tid, %v
  thread.report_guards %length
  thread.return
}
`;
/** The kernel from its guard on, before the pass and after it. */
function around(given: Kernel): readonly [before: string, after: string] {
  const func = parseThreads(kernel(given));
  assertValidThreads(func, 'the test');
  const tail = (): string => /.*thread\.guard[^]*/.exec(printThreads(func))![0];
  const before = tail();
  const changed = predicate_loads(func);
  assertValidThreads(func, 'predicate_loads');
  const after = tail();
  expect(changed).toBe(after !== before);
  return [before, after];
}

it('reads from beyond the end what must not be read', () => {
  expect(around({})[1]).toMatchInlineSnapshot(`
    "  %some = thread.guard %true, %true, %distance, %length, %length {access = 0, by = "length", half = 0, operation = 0, times = 1, vector = 4, predicated = true} : bool
      %at = thread.div %distance, %c4_u32 : u32
      %0 = thread.select %some, %at, %c268435455_u32 : u32
      %load = thread.load %x, %0 : vec4<f32>
      thread.store %x, %tid, %load
      thread.report_guards %length
      thread.return
    }
    "
  `);
});

it.each<readonly [string, Kernel]>([
  ['that gives something else than zeros otherwise', { instead: 'thread.yield %one' }],
  [
    'that computes with what it loads',
    { inside: '    %w = thread.add %load, %one : vec4<f32>\n', yields: 'thread.yield %w' },
  ],
  ['that stores', { inside: '    thread.store %x, %tid, %load\n' }],
  ['that loads twice', { inside: '    %w = thread.load %x, %tid : vec4<f32>\n' }],
  ['whose guard shares a test', { guard: 'section = 0, ' }],
  ['on a target whose reads outside are not 0', { readsZero: false }],
])('leaves a branch %s', (_, given) => {
  const [before, after] = around(given);
  expect(after).toBe(before);
});
