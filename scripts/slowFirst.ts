/**
 * Vitest's order of test files: those that take longest first, so that no worker computes on alone
 * at the end. Where vitest keeps no durations, as on a fresh checkout, it begins with the largest
 * files, which says little of their time.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files above 10 s of a core, the longest first, by the ends of their paths. */
const SLOW = [
  // unit
  'compiler/5-threads/fits.test.ts',
  'compiler/interpret/workgroup/gallery.test.ts',
  'compiler/badInput.test.ts',
  'compiler/interpret/workgroup/matrices.test.ts',
  'compiler/5-threads/arithmetic/elementwise.test.ts',
  'compiler/proof/fuzz.test.ts',
  'compiler/5-threads/tiles.test.ts',
  'compiler/3-optimize/equivalence.test.ts',
  'conformance/kernels.test.ts',
  'compiler/interpret/workgroup/barriers.test.ts',
  'compiler/4-distribute/equivalence.test.ts',
  // gpu
  'app/tutorials/lessons.gpu.test.ts',
  'app/tutorials/gallery.gpu.test.ts',
  'app/tutorials/mutations.gpu.test.ts',
  'app/cli/programs.test.ts',
  'app/cli/cli.test.ts',
  // e2e
  'e2e/learn.test.ts',
  'e2e/popups.test.ts',
  'e2e/offline.test.ts',
  'e2e/hostile.test.ts',
  'e2e/passes.test.ts',
  'e2e/widths.test.ts',
];

function rank({ moduleId }: TestSpecification): number {
  const index = SLOW.findIndex((end) => moduleId.endsWith(`/${end}`));
  return index < 0 ? SLOW.length : index;
}

export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rank(a) - rank(b));
  }
}
