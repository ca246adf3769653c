/**
 * What a loop costs on software adapters beyond its turns. In SwiftShader the lanes of a subgroup go through
 * a turn together until the last has left; it has no other branch. So a loop that is left at its head
 * runs through one turn more with all lanes masked, and one in an arm that is not taken through one.
 * Leaving costs, too: what the loop changes is merged on every way out, turn by turn. So the loops of dots,
 * which carry dozens of sums, are left at their heads (a sixth of a matmul), others behind their last turn.
 */
import type { Emission } from './emission';

/** The last line of a loop's body, on software adapters: leaves after the last of `trips` turns. */
export function leaveEarly(e: Emission, counter: string, trips: number | string): void {
  if (!e.software || trips === 0) return;
  const last = typeof trips === 'number' ? `== ${trips - 1}u` : `+ 1u >= ${trips}`;
  e.writer.line(`if (${counter} ${last}) { break; }`);
}
