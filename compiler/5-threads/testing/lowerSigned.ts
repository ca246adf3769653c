/**
 * For tests: lowers a kernel given as text with a signature, in which numbers are the values of
 * constexprs.
 */
import type { Parser } from '../../1-parse/parser';
import { lowerText } from '../../2-lower/testing/lowerText';
import type { Func } from '../../ir/ir';

/** By parameter: `*fp32:16`, `i32`, or a constant. */
export type Signature = Readonly<Record<string, string | number>>;

/**
 * @returns a new function each time: distribution changes it in place
 * @throws where the front end refuses the kernel
 */
export function lowerSigned(parser: Parser, source: string, signature: Signature): Func {
  const args = Object.fromEntries(
    Object.entries(signature).map(([name, spec]) => [
      name,
      typeof spec === 'string'
        ? spec
        : { constexpr: { kind: 'int', value: String(spec) } as const },
    ]),
  );
  const { func, diagnostics } = lowerText(parser, source, 'kernel', args);
  if (func) return func;
  const said = diagnostics.map((d) => `${d.location.line}: ${d.code} ${d.message}`);
  throw new Error(`the front end refuses it:\n${said.join('\n')}`);
}
