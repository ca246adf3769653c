/** bound_loops by printed IR before and after; `endless.gpu.test.ts` runs endless kernels. */
import { GPU_FACTS } from '../machine';
import { expect, it } from 'vitest';
import { parseThreads } from '../ir/thread/parser';
import { printThreads } from '../ir/thread/printer';
import { assertValidThreads } from '../ir/thread/verifier';
import type { BoundsAccess } from '../program';
import { bound_loops } from './bound_loops';

const kernel = (body: string, grid = ''): string => `thread.func @k(
  %x: memref<?xu32, storage> {group = 0, written = true},
  %n: u32 {word = {kind = "grid", axis = 0}}${grid}
) attributes {threads = 32} {
${body}  thread.return
}
`;
const GRID_Y = `,
  %grid_y: u32 {word = {kind = "grid", axis = 1}}`;

interface Bounded {
  readonly func: ReturnType<typeof parseThreads>;
  readonly changed: boolean;
  readonly accesses: BoundsAccess[];
}
function bounded(body: string): Bounded {
  const func = parseThreads(kernel(body));
  assertValidThreads(func, 'the parser');
  const accesses: BoundsAccess[] = [];
  const changed = bound_loops(func, { accesses, reports: true, machine: GPU_FACTS });
  assertValidThreads(func, 'bound_loops');
  return { func, changed, accesses };
}

/**
 * A loop that goes on while %go holds, which `test` computes from %v; `next` computes %w from %u.
 */
const loop = (test: string, next: string): string => `  %c0_u32 = thread.constant 0 : u32
  %c1_u32 = thread.constant 1 : u32
  %c3_u32 = thread.constant 3 : u32
  %0 = thread.while %c0_u32 : u32 {
  ^(%v: u32):
${test}
    thread.condition %go, %v
  } do {
  ^(%u: u32):
${next}
    thread.yield %w
  }
`;
const WHILE_NOT_ZERO = loop(
  `    %value = thread.load %x, %v : u32
    %go = thread.ne %value, %c0_u32 : bool`,
  '    %w = thread.add %u, %c1_u32 : u32',
);
const FROM_MEMORY = `  %c0_u32 = thread.constant 0 : u32
  %trips = thread.load %x, %c0_u32 : u32
  thread.for %trips {test = "top"} {
  ^(%k: u32):
    thread.store %x, %k, %c0_u32
    thread.yield
  }
`;

it('stops a loop until something read is zero when its budget is spent', () => {
  const { func, changed, accesses } = bounded(WHILE_NOT_ZERO);
  expect(changed).toBe(true);
  expect(accesses.map(({ kind }) => kind)).toEqual(['loop']);
  expect(printThreads(func)).toBe(
    kernel(
      `  %c1073741824_u32 = thread.constant 1073741824 : u32
  %budget = thread.alloc %c1073741824_u32 : memref<u32, private>
  %c0_u32 = thread.constant 0 : u32
  %0 = thread.program_id {axis = 0} : u32
  %1 = thread.program_id {axis = 1} : u32
  %2 = thread.program_id {axis = 2} : u32
  %3 = thread.mul %grid_y, %2 : u32
  %4 = thread.add %1, %3 : u32
  %5 = thread.mul %n, %4 : u32
  %program_index = thread.add %0, %5 : u32
  %c261_u32 = thread.constant 261 : u32
  %c1_u32 = thread.constant 1 : u32
  %c4113953_u32 = thread.constant 4113953 : u32
  %c0_u32_0 = thread.constant 0 : u32
  %c1_u32_0 = thread.constant 1 : u32
  %c3_u32 = thread.constant 3 : u32
  %6 = thread.load_report {word = 2} : u32
  %7 = thread.ne %6, %c0_u32 : bool
  %left = thread.load %budget : u32
  %8 = thread.select %7, %c0_u32, %left : u32
  thread.store %budget, %8
  %9 = thread.while %c0_u32_0 : u32 {
  ^(%v: u32):
    %value = thread.load %x, %v : u32
    %go = thread.ne %value, %c0_u32_0 : bool
    %left_0 = thread.load %budget : u32
    %10 = thread.ge %left_0, %c261_u32 : bool
    %11 = thread.and %go, %10 : bool
    thread.condition %11, %v
  } do {
  ^(%u: u32):
    %w = thread.add %u, %c1_u32_0 : u32
    %left_1 = thread.load %budget : u32
    %12 = thread.sub %left_1, %c261_u32 : u32
    thread.store %budget, %12
    thread.yield %w
  }
  %left_2 = thread.load %budget : u32
  %13 = thread.lt %left_2, %c261_u32 : bool
  thread.if %13 {
    thread.store %budget, %c0_u32
    thread.report_bounds %program_index, %c0_u32, %c1_u32, %c4113953_u32 {half = 2}
    thread.yield
  } else {
    thread.yield
  }
`,
      GRID_Y,
    ),
  );
});

it('tests a trip count that is read once, in front of its loop', () => {
  const text = printThreads(bounded(FROM_MEMORY).func);
  const body = text.slice(text.indexOf('thread.for'), text.indexOf('  thread.return'));
  expect(body).toBe(`thread.for %trips_0 {test = "top"} {
  ^(%k: u32):
    thread.store %x, %k, %c0_u32_0
    thread.yield
  }
`);
  expect(text).toContain('%trips_0 = thread.select %10, %c0_u32, %trips : u32');
});

const COUNT = '    %w = thread.add %u, %c1_u32 : u32';
it.each([
  ['over a range of the launch', FROM_MEMORY.replace(/%trips = .*\n/, '').replace('%trips', '%n')],
  ['that counts by 1 to what the launch fixes', loop('    %go = thread.lt %v, %n : bool', COUNT)],
  [
    'that counts and may end earlier',
    loop(
      `    %value = thread.load %x, %v : u32
    %live = thread.ne %value, %c0_u32 : bool
    %below = thread.lt %v, %n : bool
    %go = thread.and %live, %below : bool`,
      COUNT,
    ),
  ],
  [
    'that retries an atomic update',
    loop(
      `    %old, %done = thread.atomic_cas %a, %c0_u32, %v, %c1_u32 : u32, bool
    %go = thread.not %done : bool`,
      COUNT,
    ),
  ],
])('leaves a loop alone %s', (_, body) => {
  const text = kernel(body).replace(
    '\n)',
    ',\n  %a: memref<?xatomic<u32>, storage> {group = 1, written = true}\n)',
  );
  const func = parseThreads(text);
  assertValidThreads(func, 'the parser');
  const before = printThreads(func);
  const accesses: BoundsAccess[] = [];
  expect(bound_loops(func, { accesses, reports: true, machine: GPU_FACTS })).toBe(false);
  expect([printThreads(func), accesses]).toEqual([before, []]);
});

it.each([
  [
    'counts to what is read',
    '    %e = thread.load %x, %c0_u32 : u32\n    %go = thread.lt %v, %e : bool',
    COUNT,
  ],
  [
    'may step over its end',
    '    %go = thread.lt %v, %n : bool',
    '    %w = thread.add %u, %c3_u32 : u32',
  ],
  [
    'counts away from its end',
    '    %go = thread.lt %v, %n : bool',
    '    %w = thread.sub %u, %c1_u32 : u32',
  ],
])('bounds a loop that %s', (_, test, next) => {
  expect(bounded(loop(test, next)).changed).toBe(true);
});

it('leaves all loops alone in a kernel that reports nothing', () => {
  const func = parseThreads(kernel(WHILE_NOT_ZERO));
  expect(bound_loops(func, { accesses: [], reports: false, machine: GPU_FACTS })).toBe(false);
});
