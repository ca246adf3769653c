/** Places of staged tiles and of scratch in workgroup memory. */
import { expect, test } from 'vitest';
import { softmax } from './testing/kernels';
import { changeBy, DOTS } from './testing/passes';

const PASS = 'allocate_shared_memory';
const added = (change: string): string[] =>
  change
    .split('\n')
    .filter((line) => line.startsWith('+'))
    .map((line) => line.replace(/^\+ .*func.*attributes/, '+ attributes').replace(/ : .*/, ''));

test('tiles that live at the same time lie side by side', () => {
  expect(added(changeBy(PASS, DOTS, { kSlice: 8, smallSliceBytes: 0 }))).toMatchInlineSnapshot(`
    [
      "+ attributes {threads = 64, subgroupSize = 4, workgroupBytes = 1920, histogramBytes = 0} {",
      "+   %v3 = ttg.local_alloc {offset = 0}",
      "+   %v4 = ttg.local_alloc {offset = 640}",
      "+     %v6 = ttg.local_alloc {offset = 1280}",
    ]
  `);
});

test('reductions one after the other share scratch', () => {
  expect(added(changeBy(PASS, softmax(1, 1024)))).toMatchInlineSnapshot(`
    [
      "+ attributes {threads = 64, subgroupSize = 4, workgroupBytes = 256, histogramBytes = 0} {",
      "+   %v22 = tt.reduce %v19 {axis = 1, scratch = 0, scratchBytes = 256}",
      "+   %v30 = tt.reduce %v27 {axis = 1, scratch = 0, scratchBytes = 256}",
    ]
  `);
});
