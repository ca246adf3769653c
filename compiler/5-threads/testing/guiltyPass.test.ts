/**
 * A fault planted into one pass: the random kernel that meets it names the pass, and so does the
 * smaller kernel that it is shrunk to.
 */
import fc from 'fast-check';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Parser } from '../../1-parse/parser';
import { testParser } from '../../1-parse/testing/testParser';
import { OPTIMIZE_PASSES } from '../../3-optimize/index';
import { DISTRIBUTE_PASSES } from '../../4-distribute/index';
import { type Func, walk } from '../../ir/ir';
import type { ThreadFunc } from '../../ir/thread/ir';
import { KINDS } from '../../testing/gallery';
import { THREAD_PASSES } from '../index';
import { checkCase } from './checkCase';
import { fuzzCase, fuzzInputs } from './fuzzCase';
import type { FuzzInput } from './fuzzCase';
import { describeGuilty, guiltyPass } from './guiltyPass';

const OPTIONS = { elements: 128, statements: 5 };
let parser: Parser;
beforeAll(async () => {
  parser = await testParser();
});
afterEach(() => vi.restoreAllMocks());

/** Lets `spoil` change what the pass of this name leaves: a tile function, or one of threads. */
function plant<T>(
  passes: readonly { readonly name: string }[],
  name: string,
  spoil: (ir: T) => void,
): void {
  const pass = passes.find((each) => each.name === name) as unknown as {
    run: (ir: T, ...rest: unknown[]) => boolean;
  };
  const { run } = pass;
  vi.spyOn(pass, 'run').mockImplementation((ir, ...rest) => {
    const changed = run(ir, ...rest);
    spoil(ir);
    return changed;
  });
}

/** The report of the shrunk kernel, and its statements beside those of the first. */
async function firstFault(): Promise<{ message: string; shrunk: FuzzInput; first: FuzzInput }> {
  let first: FuzzInput | undefined;
  const property = fc.asyncProperty(fuzzInputs(OPTIONS), async (input) => {
    try {
      await checkCase(input, undefined, parser, OPTIONS);
    } catch (error) {
      first ??= input;
      throw error;
    }
  });
  const result = await fc.check(property, { seed: 11, numRuns: 40 });
  if (!result.failed || !first) throw new Error('no kernel met the fault');
  const { message } = result.errorInstance as Error;
  return { message, shrunk: result.counterexample![0], first };
}

describe('a random kernel that fails', () => {
  it('names a pass of optimization that exchanges operands', async () => {
    plant<Func>(OPTIMIZE_PASSES, 'hoist_loop_invariants', ({ body }) =>
      walk(body, (op) => {
        if (/^arith\.sub[if]$/.test(op.name)) op.operands = op.operands.toReversed();
      }),
    );
    const { message, shrunk, first } = await firstFault();
    expect(message).toMatch(/^first wrong behind hoist_loop_invariants: argument \d+, element \d+/);
    expect(shrunk.statements.length).toBeLessThanOrEqual(first.statements.length);
  });

  it('names a pass of distribution that forgets a mask', async () => {
    plant<Func>(DISTRIBUTE_PASSES, 'sink_past_loops', ({ body }) =>
      walk(body, (op) => {
        if (op.name === 'tt.store') op.operands = op.operands.slice(0, 2);
      }),
    );
    const { message } = await firstFault();
    expect(message).toMatch(/^first wrong behind sink_past_loops: argument \d+, element \d+/);
  });

  it('names a pass on threads that forgets stores', async () => {
    plant<ThreadFunc>(THREAD_PASSES, 'eliminate_dead_registers', ({ body }) =>
      walk(body, (op) => {
        if (op.name === 'thread.store') op.erase();
      }),
    );
    const { message } = await firstFault();
    expect(message).toMatch(/^first wrong behind eliminate_dead_registers: argument \d+/);
  });

  it('names a pass that throws', async () => {
    plant(THREAD_PASSES, 'lower_guards', () => {
      throw new TypeError('boom');
    });
    const { message } = await firstFault();
    expect(message).toMatch(/^first wrong behind lower_guards: boom/);
  });

  it('is not blamed on a pass where all are right', () => {
    const [input] = fc.sample(fuzzInputs(OPTIONS), { seed: 11, numRuns: 1 });
    const test = fuzzCase(input!, KINDS[0]!, parser, OPTIONS);
    expect(guiltyPass(test)).toBeUndefined();
    expect(describeGuilty(undefined)).toContain('emit is wrong, or what runs its text');
  });
});
