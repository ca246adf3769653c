/**
 * The compiler of a worker of the page. Where somebody put passes into `hippocampPasses` before the
 * worker's own script ran, they come after those of `3-optimize`: the end-to-end test of check mode
 * adds a broken one (`e2e/passes.test.ts`), and whoever writes a pass can try it in the page.
 * Nothing in the page sets it.
 */
import type { Parser } from '../../compiler/1-parse/parser';
import { createCompiler, type Compiler, type ExtraPass } from '../../compiler/pipeline';

export function browserCompiler(parser: Parser): Compiler {
  const { hippocampPasses } = globalThis as {
    readonly hippocampPasses?: readonly ExtraPass[];
  };
  return createCompiler(parser, hippocampPasses);
}
