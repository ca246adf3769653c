/** The step of a bounds guard: the test of a run, and its report at once. */
import type { ThreadOp } from '../../ir/thread/ir';
import type { WorkgroupCompiler } from './compile';
import type { Step } from './lanes';
import { reportBounds } from './records';

/**
 * How many elements of a run are in range, and how far from its tensor's start the first other one
 * is.
 */
type Measure = (lane: number) => readonly [good: number, first: number];

export function guardStep(c: WorkgroupCompiler, op: ThreadOp): Step {
  const [mask, counts, distance, ...limits] = c.operands(op).map(({ planes }) => planes[0]!);
  const [some] = c.result(op).planes;
  const { attributes } = op;
  const [access, half, vector, times] = ['access', 'half', 'vector', 'times'].map((name) =>
    Number(attributes[name]),
  );
  const { state } = c;
  const measure: Measure =
    attributes['by'] === 'mask'
      ? () => [vector!, 0]
      : attributes['by'] === 'good'
        ? (i) => [limits[0]![i]!, (distance![i]! + limits[0]![i]!) >>> 0]
        : (i) => {
            const [from, length] = [distance![i]!, limits[1]![i]!];
            if (from < limits[0]![i]!) return [vector!, 0];
            return [from < length ? length - from : 0, Math.max(from, length)];
          };
  return (lanes, n) => {
    for (let k = 0; k < n; k++) {
      const i = lanes[k]!;
      const masked = mask![i] === 1;
      const [good, first] = measure(i);
      const bad = vector! - good;
      if (masked && bad > 0) {
        const count = counts![i] === 1 ? bad * times! : 0;
        reportBounds(state.report, half!, [state.programs[i]!, access!, count, first]);
      }
      some![i] = masked && good > 0 ? 1 : 0;
    }
  };
}
