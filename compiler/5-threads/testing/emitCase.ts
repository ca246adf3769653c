/**
 * Writes a random kernel with its inputs and what our interpreter makes of them: `N.py` and
 * `N.json`.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Parser } from '../../1-parse/parser';
import { BASELINE_TARGET } from '../../target';
import { interpret } from './differential';
import { fuzzCase } from './fuzzCase';
import type { FuzzInput, FuzzOptions } from './fuzzCase';
import { randomKernel } from './randomKernel';

export function emitCase(
  input: FuzzInput,
  parser: Parser,
  options: FuzzOptions,
  folder: string,
  number: number,
): void {
  // Triton's interpreter reads and writes what is there.
  const inside = { ...options, inside: true };
  const { source, signature, args, grid } = randomKernel(input, inside);
  const { make, tolerance } = fuzzCase(input, BASELINE_TARGET, parser, inside);
  const after = interpret(make(), args, grid).buffers;
  const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
  const parameters = Object.entries(signature).map(([name, spec], i) => {
    const arg = args[i];
    if (typeof spec === 'number') return { name, constexpr: spec };
    if (!(arg instanceof Uint8Array)) return { name, number: arg![0] };
    const bound = typeof tolerance === 'function' ? tolerance(i) : tolerance;
    const dtype = spec.slice(1).split(':')[0];
    return { name, dtype, before: base64(arg), after: base64(after[i]!), bound };
  });
  writeFileSync(join(folder, `${number}.py`), source);
  writeFileSync(join(folder, `${number}.json`), JSON.stringify({ input, grid, parameters }));
}
