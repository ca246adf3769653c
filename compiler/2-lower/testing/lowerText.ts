/**
 * For tests: lowers a kernel given as text, with argument types in the notation of Triton's
 * signatures.
 */
import { outline } from '../../1-parse/outline';
import type { Parser } from '../../1-parse/parser';
import type { ArgumentSpec, CompilerServices, StaticValue } from '../../program';
import { dtypeNamed, publicName } from '../dtypes';
import { lower, type LowerResult } from '../lower';

/** `*fp32`, `*fp32:16`, `i32`, or a compile-time value. */
export type ArgumentText = string | { readonly constexpr: StaticValue };

export function argumentSpec(text: ArgumentText, group: number): ArgumentSpec {
  if (typeof text !== 'string') return { kind: 'constexpr', value: text.constexpr };
  const [base = '', hint] = text.split(':');
  const divisibleBy16 = hint === '16';
  const name = base.replace(/^\*k?/, '');
  const known = dtypeNamed(name);
  const dtype = known ? publicName(known) : name;
  return base.startsWith('*')
    ? { kind: 'pointer', dtype, divisibleBy16, group, readonly: base.startsWith('*k') }
    : { kind: 'scalar', dtype, divisibleBy16 };
}

/** Arguments by the kernel's parameter names; a missing one is an error. */
export function lowerText(
  parser: Parser,
  text: string,
  kernel: string,
  args: Readonly<Record<string, ArgumentText>>,
  services: CompilerServices = {},
  debug = false,
): LowerResult {
  const found = outline({ 'test.py': text }, parser).find((o) => o.name === kernel);
  if (!found) throw new Error(`no kernel ${kernel}`);
  const specs = found.parameters.map(({ name }, i) => {
    const arg = args[name];
    if (arg === undefined) throw new Error(`no argument ${name}`);
    return argumentSpec(arg, i);
  });
  const specialization = { arguments: specs, numWarps: 4 };
  return lower({ program: found.program, specialization, debug }, services, parser);
}
