/** The elements that a program reads and writes, and those that are masked off or out of range. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Parser } from '../1-parse/parser';
import { testParser } from '../1-parse/testing/testParser';
import { createCompiler, type Compiler } from '../pipeline';
import { MASKED, OUTSIDE, READ, WRITTEN } from './constants';
import { emptyRaster, mark, MemoryMap } from './memoryMap';
import { lowered, maskedAdd } from './testing/kernels';

let parser: Parser;
let compiler: Compiler;
beforeAll(async () => {
  parser = await testParser();
  compiler = createCompiler(parser);
});

describe('memory', () => {
  it('counts what a program reads, writes and masks off', () => {
    const inputs = maskedAdd(parser);
    const map = new MemoryMap(lowered(compiler, inputs.request), inputs, [1, 0, 0], 1);
    const report = map.report();
    expect(report.end).toEqual({ kind: 'complete' });
    expect(
      report.accesses.map(({ kind, active, masked, outside }) => [kind, active, masked, outside]),
    ).toEqual([
      ['load', 36, 28, 0],
      ['store', 36, 28, 0],
    ]);
    const [x, y] = report.tensors;
    expect(x).toMatchObject({
      name: 'x_ptr',
      reads: 36,
      writes: 0,
      distinctReads: 36,
      span: [64, 99],
    });
    expect(y).toMatchObject({ name: 'y_ptr', reads: 0, writes: 36, span: [64, 99] });
    const raster = map.raster(
      0,
      { pitch: 10, row: 6, column: 0, rows: 5, columns: 10, height: 5, width: 10 },
      { accesses: null, execution: null },
    );
    expect(raster.flags[3]).toBe(0);
    expect(raster.flags[4]).toBe(READ);
    // Row 10 begins at element 100, which is masked off.
    expect(raster.flags[40]).toBe(MASKED);
    expect(map.at(1, 70)).toEqual([{ access: 1, flags: WRITTEN, times: 1, executions: [0] }]);
  });
  it('leaves no row of a raster out', () => {
    for (const rows of [1, 7, 49, 55, 98, 300]) {
      const window = { pitch: 3, row: 5, column: 0, rows, columns: 3, height: rows, width: 3 };
      const raster = emptyRaster(window);
      for (let i = 0; i < rows * 3; i++) mark(raster, window, 15 + i, READ);
      expect(raster.counts.every((count) => count === 1)).toBe(true);
    }
  });
  it('marks what is out of range', () => {
    const inputs = maskedAdd(parser, 110);
    const map = new MemoryMap(lowered(compiler, inputs.request), inputs, [1, 0, 0], 1);
    const [load] = map.report().accesses;
    expect(load).toMatchObject({ active: 36, outside: 10, masked: 18 });
    expect(load!.firstOutside[0]).toEqual({ element: 100, at: 36 });
    expect(map.at(0, 100)[0]!.flags).toBe(READ | OUTSIDE);
  });
});
