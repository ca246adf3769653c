/** lower_guards by printed IR before and after. */
import { expect, it } from 'vitest';
import { parseThreads } from '../ir/thread/parser';
import { printThreads } from '../ir/thread/printer';
import { assertValidThreads } from '../ir/thread/verifier';
import { eliminate_dead_registers } from './eliminate_dead_registers';
import { lower_guards } from './lower_guards';

const kernel = (body: string, masksBranches = false): string => `thread.func @k(
  %x: memref<?xvec4<f32>, storage> {group = 0, written = true},
  %length: u32 {word = {kind = "grid", axis = 0}},
  %m: u32 {word = {kind = "grid", axis = 1}}
) attributes {${masksBranches ? 'masksBranches = true, ' : ''}threads = 32} {
  %c2_u32 = thread.constant 2 : u32
  %c4_u32 = thread.constant 4 : u32
  %cst = thread.constant 1.0 : vec4<f32>
  %true = thread.constant true : bool
  %tid = thread.thread_id : u32
  %mask = thread.lt %tid, %m : bool
  %vectors = thread.div %length, %c4_u32 : u32
  %whole = thread.mul %vectors, %c4_u32 : u32
  %distance = thread.mul %tid, %c4_u32 : u32
${body}  thread.report_guards %m
  thread.return
}
`;
const GUARD = 'times = 1, vector = 4, by = "length"';

/** The text between the last value of the start and the report, after the pass. */
function after(body: string, masksBranches = false): string {
  const func = parseThreads(kernel(body, masksBranches));
  assertValidThreads(func, 'the test');
  expect(lower_guards(func)).toBe(true);
  eliminate_dead_registers(func);
  assertValidThreads(func, 'lower_guards');
  const text = printThreads(func);
  return text.slice(text.indexOf('  %distance'));
}

it('tests a run before it is read, and records it in a branch where it is not whole', () => {
  const text =
    after(`  %some = thread.guard %mask, %true, %distance, %whole, %length {access = 0, half = 0, operation = 0, ${GUARD}} : bool
  %v = thread.if %some : vec4<f32> {
    %load = thread.load %x, %tid : vec4<f32>
    thread.yield %load
  } else {
    thread.yield %cst
  }
  thread.store %x, %tid, %v
`);
  expect(text).toMatchInlineSnapshot(`
    "  %distance = thread.mul %tid, %c4_u32 : u32
      %1 = thread.lt %distance, %whole : bool
      %2 = thread.lt %distance, %length : bool
      %some = thread.and %mask, %2 : bool
      %v = thread.if %some : vec4<f32> {
        %load = thread.load %x, %tid : vec4<f32>
        thread.yield %load
      } else {
        thread.yield %cst
      }
      %3 = thread.not %1 : bool
      %4 = thread.and %mask, %3 : bool
      thread.if %4 {
        %5 = thread.eq %distance, %whole : bool
        %6 = thread.select %5, %tail, %c4_u32 : u32
        %7 = thread.load %bad_load_count : u32
        %8 = thread.add %7, %6 : u32
        thread.store %bad_load_count, %8
        %9 = thread.max %distance, %length : u32
        %10 = thread.load %bad_load : u32
        %11 = thread.load %bad_load_first : u32
        %12 = thread.le %10, %c0_u32 : bool
        %13 = thread.select %12, %11, %c4294967295_u32 : u32
        %14 = thread.ge %10, %c0_u32 : bool
        %15 = thread.select %14, %9, %c4294967295_u32 : u32
        %first = thread.min %13, %15 : u32
        thread.store %bad_load_first, %first
        %16 = thread.min %10, %c0_u32 : u32
        thread.store %bad_load, %16
        thread.yield
      } else {
        thread.yield
      }
      thread.store %x, %tid, %v
      %17 = thread.load %bad_load : u32
      %18 = thread.ne %17, %c4294967295_u32 : bool
      thread.if %18 {
        %19 = thread.load %bad_load_count : u32
        %20 = thread.load %bad_load_first : u32
        thread.report_bounds %m, %17, %19, %20 {half = 0}
        thread.yield
      } else {
        thread.yield
      }
      thread.return
    }
    "
  `);
});

it('has one branch for the runs of an operation', () => {
  const guard = (n: number, mask: string): string =>
    `  %some${n} = thread.guard ${mask}, %true, %distance, %whole, %length {access = 1, half = 1, operation = 0, ${GUARD}} : bool
  thread.if %some${n} {
    thread.store %x, %tid, %cst
    thread.yield
  } else {
    thread.yield
  }
`;
  expect(after(guard(0, '%mask') + guard(1, '%true'))).toMatchInlineSnapshot(`
    "  %distance = thread.mul %tid, %c4_u32 : u32
      %1 = thread.lt %distance, %whole : bool
      %2 = thread.lt %distance, %length : bool
      %some0 = thread.and %mask, %2 : bool
      thread.if %some0 {
        thread.store %x, %tid, %cst
        thread.yield
      } else {
        thread.yield
      }
      %3 = thread.lt %distance, %whole : bool
      %some1 = thread.lt %distance, %length : bool
      thread.if %some1 {
        thread.store %x, %tid, %cst
        thread.yield
      } else {
        thread.yield
      }
      %4 = thread.not %1 : bool
      %5 = thread.and %mask, %4 : bool
      %6 = thread.not %3 : bool
      %7 = thread.or %5, %6 : bool
      thread.if %7 {
        %8 = thread.eq %distance, %whole : bool
        %9 = thread.select %8, %tail, %c4_u32 : u32
        %10 = thread.select %5, %9, %c0_u32 : u32
        %11 = thread.eq %distance, %whole : bool
        %12 = thread.select %11, %tail, %c4_u32 : u32
        %13 = thread.select %6, %12, %c0_u32 : u32
        %14 = thread.add %10, %13 : u32
        %15 = thread.load %bad_write_count : u32
        %16 = thread.add %15, %14 : u32
        thread.store %bad_write_count, %16
        %17 = thread.max %distance, %length : u32
        %18 = thread.select %5, %17, %c4294967295_u32 : u32
        %19 = thread.max %distance, %length : u32
        %20 = thread.select %6, %19, %c4294967295_u32 : u32
        %21 = thread.min %18, %20 : u32
        %22 = thread.load %bad_write : u32
        %23 = thread.load %bad_write_first : u32
        %24 = thread.le %22, %c1_u32 : bool
        %25 = thread.select %24, %23, %c4294967295_u32 : u32
        %26 = thread.ge %22, %c1_u32 : bool
        %27 = thread.select %26, %21, %c4294967295_u32 : u32
        %first = thread.min %25, %27 : u32
        thread.store %bad_write_first, %first
        %28 = thread.min %22, %c1_u32 : u32
        thread.store %bad_write, %28
        thread.yield
      } else {
        thread.yield
      }
      %29 = thread.load %bad_write : u32
      %30 = thread.ne %29, %c4294967295_u32 : bool
      thread.if %30 {
        %31 = thread.load %bad_write_count : u32
        %32 = thread.load %bad_write_first : u32
        thread.report_bounds %m, %29, %31, %32 {half = 1}
        thread.yield
      } else {
        thread.yield
      }
      thread.return
    }
    "
  `);
});

it('records by straight code where branches are masked', () => {
  const text = after(
    `  %some = thread.guard %mask, %true, %distance, %length, %length {access = 3, half = 0, operation = 0, times = 2, vector = 1, by = "length"} : bool
  %at = thread.select %some, %tid, %c2_u32 : u32
  %v = thread.load %x, %at : vec4<f32>
  thread.store %x, %tid, %v
`,
    true,
  );
  expect(text).toMatchInlineSnapshot(`
    "  %distance = thread.mul %tid, %c4_u32 : u32
      %inside = thread.lt %distance, %length : bool
      %some = thread.and %mask, %inside : bool
      %at = thread.select %some, %tid, %c2_u32 : u32
      %0 = thread.not %inside : bool
      %bad = thread.and %mask, %0 : bool
      %1 = thread.select %bad, %c2_u32, %c0_u32 : u32
      %2 = thread.load %outside_3 : u32
      %3 = thread.add %2, %1 : u32
      thread.store %outside_3, %3
      %4 = thread.load %first_3 : u32
      %5 = thread.select %bad, %distance, %c4294967295_u32 : u32
      %6 = thread.min %4, %5 : u32
      thread.store %first_3, %6
      %v = thread.load %x, %at : vec4<f32>
      thread.store %x, %tid, %v
      %7 = thread.load %outside_3 : u32
      %8 = thread.load %first_3 : u32
      %9 = thread.ne %7, %c0_u32 : bool
      %10 = thread.ne %8, %c4294967295_u32 : bool
      %bad_0 = thread.or %9, %10 : bool
      %11 = thread.load %bad_load_count : u32
      %12 = thread.add %11, %7 : u32
      thread.store %bad_load_count, %12
      %13 = thread.load %bad_load_first : u32
      %14 = thread.select %bad_0, %8, %13 : u32
      thread.store %bad_load_first, %14
      %15 = thread.load %bad_load : u32
      %16 = thread.select %bad_0, %c3_u32, %15 : u32
      thread.store %bad_load, %16
      %17 = thread.load %bad_load : u32
      %18 = thread.ne %17, %c4294967295_u32 : bool
      thread.if %18 {
        %19 = thread.load %bad_load_count : u32
        %20 = thread.load %bad_load_first : u32
        thread.report_bounds %m, %17, %19, %20 {half = 0}
        thread.yield
      } else {
        thread.yield
      }
      thread.return
    }
    "
  `);
});

it('does not sum up what a loop finds out of range', () => {
  const text = after(
    `  %some = thread.guard %mask, %true, %distance, %whole, %length {access = 2, counted = false, repeated = true, half = 0, operation = 0, ${GUARD}} : bool
`,
  );
  expect(text).toMatchInlineSnapshot(`
    "  %distance = thread.mul %tid, %c4_u32 : u32
      %0 = thread.lt %distance, %whole : bool
      %1 = thread.not %0 : bool
      %2 = thread.and %mask, %1 : bool
      thread.if %2 {
        %3 = thread.max %distance, %length : u32
        %4 = thread.load %bad_load : u32
        %5 = thread.load %bad_load_first : u32
        %6 = thread.le %4, %c2_u32 : bool
        %7 = thread.select %6, %5, %c4294967295_u32 : u32
        %8 = thread.ge %4, %c2_u32 : bool
        %9 = thread.select %8, %3, %c4294967295_u32 : u32
        %first = thread.min %7, %9 : u32
        thread.store %bad_load_first, %first
        %10 = thread.min %4, %c2_u32 : u32
        thread.store %bad_load, %10
        thread.yield
      } else {
        thread.yield
      }
      %11 = thread.load %bad_load : u32
      %12 = thread.ne %11, %c4294967295_u32 : bool
      thread.if %12 {
        %13 = thread.load %bad_load_first : u32
        thread.report_bounds %m, %11, %c1_u32, %13 {half = 0}
        thread.yield
      } else {
        thread.yield
      }
      thread.return
    }
    "
  `);
});

it('names the accesses that are not counted', () => {
  const func = parseThreads(
    kernel(
      `  %some = thread.guard %mask, %true, %distance, %whole, %length {access = 2, counted = false, half = 0, operation = 0, ${GUARD}} : bool
`,
    ),
  );
  lower_guards(func);
  expect(func.attributes).toEqual({ threads: 32, uncounted: [2] });
});

it('tests a run of a tensor of whole vectors once: none crosses the end', () => {
  const text =
    after(`  %some = thread.guard %mask, %true, %distance, %length, %length {access = 0, half = 0, operation = 0, ${GUARD}} : bool
  thread.if %some {
    thread.store %x, %tid, %cst
    thread.yield
  } else {
    thread.yield
  }
`);
  expect(text).toMatchInlineSnapshot(`
    "  %distance = thread.mul %tid, %c4_u32 : u32
      %0 = thread.lt %distance, %length : bool
      %1 = thread.gt %length, %distance : bool
      %some = thread.and %mask, %0 : bool
      thread.if %some {
        thread.store %x, %tid, %cst
        thread.yield
      } else {
        thread.yield
      }
      %2 = thread.not %1 : bool
      %3 = thread.and %mask, %2 : bool
      thread.if %3 {
        %4 = thread.load %bad_load_count : u32
        %5 = thread.add %4, %c4_u32 : u32
        thread.store %bad_load_count, %5
        %6 = thread.load %bad_load : u32
        %7 = thread.load %bad_load_first : u32
        %8 = thread.le %6, %c0_u32 : bool
        %9 = thread.select %8, %7, %c4294967295_u32 : u32
        %10 = thread.ge %6, %c0_u32 : bool
        %11 = thread.select %10, %distance, %c4294967295_u32 : u32
        %first = thread.min %9, %11 : u32
        thread.store %bad_load_first, %first
        %12 = thread.min %6, %c0_u32 : u32
        thread.store %bad_load, %12
        thread.yield
      } else {
        thread.yield
      }
      %13 = thread.load %bad_load : u32
      %14 = thread.ne %13, %c4294967295_u32 : bool
      thread.if %14 {
        %15 = thread.load %bad_load_count : u32
        %16 = thread.load %bad_load_first : u32
        thread.report_bounds %m, %13, %15, %16 {half = 0}
        thread.yield
      } else {
        thread.yield
      }
      thread.return
    }
    "
  `);
});
