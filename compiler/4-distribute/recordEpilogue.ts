/**
 * Records how results of dots leave the kernel. It reads the IR that
 * `keep_accumulators_in_fragments`, `banded_epilogue` and `sink_past_loops` left, and decides
 * nothing.
 */
import { type Func, isLoop, type Operation, walk } from '../ir/ir';
import { shapeOf } from '../ir/types';
import type { Schedule } from '../schedule';

export function recordEpilogue(func: Func, sunk: boolean, schedule: Schedule): void {
  const dots: Operation[] = [];
  const reads: Operation[] = [];
  walk(func.body, (op) => {
    if (op.name === 'tt.dot') dots.push(op);
    if (op.name === 'ttg.read_fragments') reads.push(op);
  });
  if (dots.length === 0) return;
  const addresses = sunk ? '; addresses behind the loops' : '';
  const kept = sunk
    ? '; what only the stores use takes no registers in the loops'
    : '; what only the stores use stays where the program has it';
  const say = (chosen: string, why: string, next: string): void =>
    schedule.decide('epilogue', null, `${chosen}${addresses}`, { why: `${why}${kept}`, next });
  const band = reads.find((read) => read.attributes['origin'] !== undefined);
  if (band) {
    const rows = shapeOf(band.result.type).join('×');
    const why = 'threads hold so many rows in registers of their own';
    return say(
      `fragments stored in bands of ${rows}`,
      `${why}, and a band takes less workgroup memory than the tile`,
      'the whole tile at a time, by more workgroup memory',
    );
  }
  if (reads.some(isInLoop))
    return say(
      'fragments read back in each iteration',
      'the loop uses the sum outside of matrices',
      'fragments across the loop, where nothing but dots touches the sum',
    );
  if (reads.length > 0)
    return say(
      'fragments read back once, behind the loops',
      'nothing but dots touches the sum in the loop',
      'fragments read back in each iteration',
    );
  return say(
    'stored from registers',
    'each thread has its sums',
    sunk ? 'addresses where the program has them' : 'addresses behind the loops',
  );
}

function isInLoop(op: Operation): boolean {
  for (let at = op.parent?.parent; at; at = at.parent?.parent) if (isLoop(at)) return true;
  return false;
}
