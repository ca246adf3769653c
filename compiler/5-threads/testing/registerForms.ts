/** For tests of passes on register forms: a kernel before and after one of them. */
import { parseFunc } from '../../ir/parser';
import { printIr } from '../../ir/printer';
import { assertValid } from '../../ir/verifier';
import type { Target } from '../../target';
import type { TilePass } from '../index';
import { changedLines } from './changedLines';
import { distribute, requestFor } from './run';
import type { LaunchOptions } from './run';

/**
 * The lines that `pass` changes behind the passes `before` it. @param registers how many of a tile
 * are scalarized.
 */
export function formChanges(
  text: string,
  target: Target,
  registers: number,
  launch: LaunchOptions,
  pass: TilePass,
  before: readonly TilePass[] = [],
): string {
  const func = distribute(parseFunc(text), target, launch);
  func.attributes['scalarizedRegisters'] = registers;
  const request = requestFor(func, target, launch);
  for (const each of before) each(func, request);
  const lines = changedLines(
    () => printIr(func),
    () => pass(func, request),
  );
  assertValid(func, pass.name);
  return lines;
}
