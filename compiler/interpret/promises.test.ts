/** Kernels of the gallery keep what TTGIR promises, on targets that differ, and it is looked at. */
import { beforeAll, expect, it } from 'vitest';
import type { Parser } from '../1-parse/parser';
import { testParser } from '../1-parse/testing/testParser';
import { walk } from '../ir/ir';
import { galleryKernels, KINDS, lowerToThreads } from '../testing/gallery';
import { galleryLaunch } from '../testing/galleryLaunch';
import { runInterpreter } from './index';
import { brokenLayout, PromiseCompiler } from './promises';
import type { Promises } from './promises';

let parser: Parser;
beforeAll(async () => {
  parser = await testParser();
});

it.each(KINDS)('holds for every kernel on $name', (target) => {
  let [vectors, barriers] = [0, 0];
  for (const { file, name, request } of galleryKernels(parser, target)) {
    const { tiles } = lowerToThreads(parser, request);
    const promises: Promises = { barriers: true };
    let compiler: PromiseCompiler | undefined;
    runInterpreter({
      func: tiles,
      ...galleryLaunch(tiles, [2, 1, 1]),
      onOutOfRange: () => undefined,
      compilerFor: (state) => (compiler = new PromiseCompiler(state, promises)),
      onProgram: () => compiler?.restart(),
    });
    const broken = brokenLayout(tiles) ?? promises.broken;
    expect({ file, name, broken }).toEqual({ file, name, broken: undefined });
    walk(tiles.body, (op) => {
      if (Number(op.attributes['vector'] ?? 1) > 1) vectors++;
      if (op.name === 'gpu.barrier') barriers++;
    });
  }
  expect(barriers).toBeGreaterThan(target.sharedMemoryInStorage ? 10 : 40);
  if (!target.sharedMemoryInStorage) expect(vectors).toBeGreaterThan(40);
});
