/** Keeps WGSL's compiler from computing with literals. */
import type { Emission } from '../emission';

const LITERAL =
  /^(true|false|-?\d[\w.+-]*|(i32|u32|f32|f16)\([-\w.+]*\)|vec2<u32>\((0x\w+u, 0x\w+u|0)\))$/;

export function isLiteral(text: string): boolean {
  return LITERAL.test(text);
}

/**
 * Names an operation's arguments where all are literals, or where the last one is and could be a divisor
 * or a shift: WGSL computes expressions of literals while it compiles, and rejects the module where such
 * a sum overflows, a divisor is zero or a shift too far. A name makes it compute when it runs.
 */
export function named(e: Emission, args: readonly string[], last: boolean): readonly string[] {
  const all = args.every((arg) => LITERAL.test(arg));
  if (!all && !last) return args;
  return args.map((arg, i) =>
    LITERAL.test(arg) && (all || i === args.length - 1)
      ? e.prelude(`literal ${arg}`, 'literal', () => `(${arg})`)
      : arg,
  );
}
