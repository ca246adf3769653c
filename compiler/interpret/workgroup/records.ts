/** Steps of what a kernel reports: elements out of range, printed values, failed assertions. */
import { REPORT_SLOTS } from '../../boundsReport';
import type { ThreadOp } from '../../ir/thread/ir';
import type { WorkgroupCompiler } from './compile';
import type { Step } from './lanes';

export function recordStep(c: WorkgroupCompiler, op: ThreadOp): Step {
  const { state } = c;
  const [a, b, d, e] = c.operands(op).map(({ planes }) => planes[0]!);
  const site = Number(op.attributes['site']);
  switch (op.name) {
    case 'thread.report_bounds': {
      const half = Number(op.attributes['half']);
      return (lanes, n) => {
        for (let k = 0; k < n; k++) {
          const i = lanes[k]!;
          reportBounds(state.report, half, [a![i]!, b![i]!, d![i]!, e![i]!]);
        }
      };
    }
    case 'thread.load_report': {
      const word = Number(op.attributes['word']);
      const [out] = c.result(op).planes;
      return (lanes, n) => {
        for (let k = 0; k < n; k++) out![lanes[k]!] = state.report[word]!;
      };
    }
    case 'thread.print_iteration':
      return (lanes, n) => {
        for (let k = 0; k < n; k++) state.iterations[lanes[k]!]!++;
      };
    case 'thread.print_record':
      return (lanes, n) => {
        for (let k = 0; k < n; k++) {
          const i = lanes[k]!;
          const [program, index, low, high] = [a![i]!, b![i]!, d![i]!, e![i]!];
          state.printed.push({ program, iteration: state.iterations[i]!, site, index, low, high });
        }
      };
    default:
      return (lanes, n) => {
        for (let k = 0; k < n; k++) {
          const i = lanes[k]!;
          if (a![i] === 1) state.failed.push({ program: b![i]!, site, index: d![i]! });
        }
      };
  }
}

/** The semantics of `report_bounds` of `boundsReport.ts`. */
export function reportBounds(
  report: Uint32Array,
  half: number,
  [program, access, count, distance]: readonly [number, number, number, number],
): void {
  report[half]! += count;
  for (const slot of REPORT_SLOTS) {
    if (report[slot] !== 0 && report[slot] !== access + 1) continue;
    report[slot] = access + 1;
    report[slot + 1] = Math.max(report[slot + 1]!, ~program >>> 0);
    report[slot + 2] = Math.max(report[slot + 2]!, ~distance >>> 0);
    return;
  }
}
