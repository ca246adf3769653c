/**
 * For the tests of this folder: the tile IR of a kernel before any pass, and a launch of a masked
 * addition whose last program is partly masked off.
 */
import type { Parser } from '../../1-parse/parser';
import type { Func } from '../../ir/ir';
import type { Compiler } from '../../pipeline';
import type { CompileRequest } from '../../program';
import { BASELINE_TARGET } from '../../target';
import { funcAfter } from '../funcAfter';
import type { LaunchInputs } from '../launch';
import { launchFor, ramp, requestFor } from './launches';

export const WIDE = { ...BASELINE_TARGET, subgroupSize: 32 as const };

export function lowered(compiler: Compiler, request: CompileRequest): Func {
  const found = funcAfter(compiler, request, ({ phase }) => phase === 'lower');
  if (!found.ok) throw new Error(found.diagnostics.map(({ message }) => message).join('\n'));
  return found.func;
}

const ADD = `def add(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(y_ptr + offsets, x + 1.0, mask=mask)
`;

/** Two programs of 64 elements each, on tensors of 100; `n` is where the mask ends. */
export function maskedAdd(parser: Parser, n = 100): LaunchInputs {
  return launchFor(
    requestFor(parser, ADD, { x_ptr: '*fp32:16', y_ptr: '*fp32:16', n: 'i32', BLOCK: 64 }, WIDE),
    [2, 1, 1],
    [{ data: ramp(100) }, { data: new Float32Array(100) }, n],
  );
}
