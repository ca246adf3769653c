/**
 * Text of each panel for one program whose comparison fails: what a visitor reads from top to
 * bottom, with measured times left out. Memory, Layout and the debugger have theirs in
 * `inspect.test.ts`.
 */
import type { Locator, Page } from 'playwright';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { codeIn, doubling, openSite, ready, runToEnd, tab, visit, type Site } from './page';

let site: Site;
let page: Page;
let errors: string[];
beforeAll(async () => {
  site = await openSite({ gpu: true });
  ({ page, errors } = await visit(site, { text: doubling(3) }));
  await ready(page);
  await runToEnd(page);
});
afterAll(async () => {
  await page?.context().close();
  await site?.close();
});

/** Milliseconds for which a panel's text has to stay the same: statistics come from a worker. */
const SETTLED = 400;

/** The text of a panel or a region, once it does not change any more. */
async function settledText(place: Locator): Promise<string> {
  let text = await place.innerText();
  for (let before = ''; before !== text;) {
    before = text;
    await page.waitForTimeout(SETTLED);
    text = await place.innerText();
  }
  return text;
}

/**
 * The text of the panel, a line for each of its lines, with `…` for what another run would tell
 * otherwise.
 */
async function textOf(panel: string, region?: string): Promise<string> {
  await tab(page, panel).click();
  const whole = page.getByRole('tabpanel', { name: new RegExp(`^${panel}`) });
  const text = await settledText(region ? whole.getByRole('region', { name: region }) : whole);
  return text
    .replace(/[\d.,]+ ?(?:ns|µs|ms|s|[kMGT]?(?:B|FLOP)\/s)(?!\w)/g, '…')
    .split('\n')
    .map((line) => line.replace(/\s+/g, ' ').trim())
    .filter((line) => line !== '')
    .join('\n');
}

it('Output', async () => {
  expect(await textOf('Output')).toMatchInlineSnapshot(`
    "▸
    double[20, 1, 1] x_ptr: *fp32 [5000], out_ptr: *fp32 [5000], n: i32 = 5000, BLOCK = 256
    …
    vector_add.py:18
    first: False
    ✗
    torch.allclose(out, x * 2) failed on 5,000 elements: 5,000 mismatches, largest error 4
    vector_add.py:20
    close: False
    Tensors at the end of the run
    x
    float32 [5000]
    7.97e-5 … 0.9998
    out
    float32 [5000]
    0.0004781 … 5.999"
  `);
});

it('Compare', async () => {
  await tab(page, 'Compare').click();
  await page.getByText('Worst elements').waitFor();
  await page.getByText('with a float64 run').waitFor();
  expect(await textOf('Compare')).toMatchInlineSnapshot(`
    "✓ 0 passed
    ✗ 1 failed
    ✗
    failed
    torch.allclose(out, x * 2) float32 [5000], line 20
    5,000 of 5,000 elements differ (100 %), largest error 4, races not checked
    less
    tolerance
    |error| ≤ 1e-8 + 1e-5 × |expected|
    exceeding
    5,000 of 5,000
    max |error|
    4 at [385]
    max rel. error
    2 at [509]
    max ULP of float32
    1.4e+7 at [3503]
    mean |error|
    1.98
    NaN
    none
    inf mismatches
    none
    vector_add.py:20
    The error is far above rounding: 3.32 at [1325], 1,976,579 times what one float32 rounding explains.
    Wrong: every element. There, actual = 3 × expected.
    First mismatch at [0]: got 2.97753954, expected 0.99251318 · program (0, 0, 0) Debug this element
    Check for races
    ÷ tolerance
    Absolute
    Relative
    ULP
    Signed
    Tiles of programs
    5e-6 × tolerance
    200000 × tolerance
    log
    NaN
    inf
    Each cell is one element.
    +
    −
    All
    Written by double of line 18.
    Compare [0] with a float64 run
    Worst elements
    Index Actual Expected |error| Relative ULP Written by Debugger
    [2885] 5.9989023 1.999634 4 2 1.3e+7 program (11, 0, 0) Debug
    [385] 5.999029 1.9996763 4 2 1.3e+7 program (1, 0, 0) Debug
    [337] 5.9988446 1.9996148 4 2 1.3e+7 program (1, 0, 0) Debug
    [3016] 5.996486 1.9988288 4 2 1.3e+7 program (11, 0, 0) Debug
    [530] 5.99487 1.9982901 4 2 1.3e+7 program (2, 0, 0) Debug
    [778] 5.9950213 1.9983405 4 2 1.3e+7 program (3, 0, 0) Debug
    Show 94 more
    By program 20 of 20 programs over the tolerance
    0
    4
    Program Over Elements max |error| First
    program (0, 0, 0) 256 256 3.99 [0]
    program (1, 0, 0) 256 256 4 [256]
    program (2, 0, 0) 256 256 4 [512]
    program (3, 0, 0) 256 256 4 [768]
    program (4, 0, 0) 256 256 3.99 [1024]
    program (5, 0, 0) 256 256 4 [1280]
    and 14 more programs.
    Absolute errors
    0
    5.62
    Heights are logarithmic.
    Absolute errors
    0.000316 to 0.000562 1
    0.000562 to 0.001 1
    0.001 to 0.00178 2
    0.00178 to 0.00316 1
    0.00316 to 0.00562 3
    0.00562 to 0.01 12
    0.01 to 0.0178 15
    0.0178 to 0.0316 18
    0.0316 to 0.0562 31
    0.0562 to 0.1 53
    0.1 to 0.178 102
    0.178 to 0.316 177
    0.316 to 0.562 290
    0.562 to 1 543
    1 to 1.78 1,005
    1.78 to 3.16 1,768
    3.16 to 5.62 978
    ULP of float32
    0
    1.7e+7
    Heights are logarithmic.
    ULP of float32
    8388608 to 1.68e+7 5,000
    What would pass
    All elements would pass with atol = 4, or with rtol = 2.01, or within 1.4e+7 ULP.
    rtol
    atol
    ✗ 5,000 of 5,000 elements are over, the first at [0]"
  `);
});

it('Timing', async () => {
  expect(await textOf('Timing', 'Launches')).toMatchInlineSnapshot(`
    "Launches
    Kernel Runs Median Range Bytes Memory Arithmetic Roofline Code Line GPU
    double[20, 1, 1] 1 … 1 sample 39.1 KiB … … not known
    WGSL
    18 Verify"
  `);
});

it('Passes', async () => {
  await tab(page, 'Passes').click();
  const list = page.getByRole('listbox', { name: 'Passes' });
  await list.getByRole('option').first().click();
  expect(
    (await list.getByRole('option').allInnerTexts()).map((each) => each.split('\n')[0]).join(', '),
  ).toMatchInlineSnapshot(
    `"lower, fp_sanitizer, address_words, canonicalize, loop_aware_cse, eliminate_common_subexpressions, fold_dot_accumulator, split_pointers, narrow_int64, unroll_loops, simplify_masks, canonicalize, hoist_loop_invariants, eliminate_common_subexpressions, eliminate_dead_code, scalarize_carried_offsets, choose_threads, select_dot_path, propagate_layouts, set_vector_width, stage_operands, split_loads, keep_accumulators_in_fragments, banded_epilogue, merge_reductions, overlap_stores_with_mma, pipeline_loads, delay_reductions, sink_past_loops, allocate_shared_memory, insert_barriers, order_stores, select_register_forms, version_loops, version_dots, unroll_register_loops, lower_tiles, merge_guards, predicate_loads, defer_reports, lower_guards, pack_halves, eliminate_dead_registers, rotate_loops, bound_loops, insert_optimization_barriers, sequentialize_copies, emit, TTIR, TTGIR, PTX"`,
  );
  await page.locator('.pass-main .view-line').nth(4).waitFor();
  expect(await codeIn(page, '.pass-main')).toMatchInlineSnapshot(`
    "tt.func @double(%x_ptr: !tt.ptr<f32> {tt.divisibility = 16, wholeVectors = true}, %out_ptr: !tt.ptr<f32> {tt.divisibility = 16, wholeVectors = true}, %n: i32) attributes {numWarps = 4} {
      %0 = tt.get_program_id {axis = 0} : i32
      %c256_i32 = arith.constant 256 : i32
      %1 = arith.muli %0, %c256_i32 : i32
      %2 = tt.make_range {start = 0, end = 256} : tensor<256xi32>
      %3 = tt.splat %1 : tensor<256xi32>
      %offsets = arith.addi %3, %2 : tensor<256xi32>
      %4 = tt.splat %n : tensor<256xi32>
      %mask = arith.cmpi %offsets, %4 {predicate = "slt"} : tensor<256xi1>
      %5 = tt.splat %x_ptr : tensor<256x!tt.ptr<f32>>
      %6 = tt.addptr %5, %offsets : tensor<256x!tt.ptr<f32>>
      %x = tt.load %6, %mask : tensor<256xf32>
      %7 = tt.splat %out_ptr : tensor<256x!tt.ptr<f32>>
      %8 = tt.addptr %7, %offsets : tensor<256x!tt.ptr<f32>>
      %cst = arith.constant 2.0 : f32
      %9 = tt.splat %cst : tensor<256xf32>
      %10 = arith.mulf %x, %9 : tensor<256xf32>
      %cst_0 = arith.constant 3.0 : f32
      %11 = tt.splat %cst_0 : tensor<256xf32>
      %12 = arith.mulf %10, %11 : tensor<256xf32>
      tt.store %8, %12, %mask
      tt.return
    }
    "
  `);
});

it('WGSL', async () => {
  await tab(page, 'WGSL').click();
  await page.locator('.wgsl .view-line').nth(4).waitFor();
  const text = await codeIn(page, '.wgsl');
  expect(text.slice(text.indexOf('@compute')).split('\n').slice(0, 6).join('\n'))
    .toMatchInlineSnapshot(`
      "@compute @workgroup_size(64)
      fn main(
        @builtin(workgroup_id) workgroup: vec3<u32>,
        @builtin(num_workgroups) workgroups: vec3<u32>,
        @builtin(local_invocation_index) tid: u32,
      ) {"
    `);
  await page.getByRole('button', { name: 'Schedule' }).click();
  const schedule = page.getByRole('region', { name: 'Schedule' });
  await schedule.getByText(/^num_warps=4 means 128/).waitFor();
  expect(await schedule.getByRole('rowheader').allInnerTexts()).toEqual(['threads']);
  await page.getByRole('button', { name: 'Schedule' }).click();
});

it('Problems', async () => {
  await page.getByRole('button', { name: /problems?$/ }).click();
  expect((await page.locator('.problems').innerText()).replace(/\s+/g, ' ')).toMatchInlineSnapshot(
    `"No problems. Errors and warnings of the text and of the last run are listed here."`,
  );
  expect(errors).toEqual([]);
});
