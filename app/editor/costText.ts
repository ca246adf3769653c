/** The cost of a line in words: its numbers, shares, and what would change them. */
import type { LineCost, LineCosts } from '../../compiler/inspect/lineCosts';
import { MANY_REGISTERS } from '../../compiler/machine';
import type { Measure } from '../state/lineCosts';
import { formatBytes, formatCount, formatNumber } from '../panels/common/format';

export const MEASURE_NAMES: Readonly<Record<Measure, string>> = {
  bytes: 'Bytes',
  flops: 'FLOPs',
  instructions: 'Instructions',
  barriers: 'Barriers',
  exchanged: 'Cross-lane traffic',
  conflicts: 'Bank conflicts',
  registers: 'Registers',
};

/** Share of the total, or for registers of the most that are alive anywhere. */
export function shareOf(line: LineCost, total: LineCost, measure: Measure): number {
  return total[measure] === 0 ? 0 : line[measure] / total[measure];
}

/** `33 %`; of registers their number. Empty where the line has none. */
export function marginText(line: LineCost, total: LineCost, measure: Measure): string {
  if (line[measure] === 0) return '';
  if (measure === 'registers') return formatCount(line.registers);
  const share = shareOf(line, total, measure) * 100;
  return share < 1 ? '<1 %' : `${Math.round(share)} %`;
}

function amount(value: number, measure: Measure): string {
  const isBytes = measure === 'bytes' || measure === 'exchanged';
  return isBytes ? formatBytes(value) : formatNumber(value, 4);
}

/** Markdown: a line for each measure that the line has, then what would change it. */
export function lineText(line: LineCost, costs: LineCosts): string {
  const { total, sampled } = costs;
  const facts = (Object.keys(MEASURE_NAMES) as Measure[]).flatMap((measure) => {
    if (line[measure] === 0) return [];
    if (measure === 'registers')
      return [
        `**Registers** ${formatCount(line.registers)} a thread, of ${total.registers} at most`,
      ];
    const each = amount(line[measure] / sampled, measure);
    return [`**${MEASURE_NAMES[measure]}** ${marginText(line, total, measure)}: ${each} a program`];
  });
  return [...facts, ...changes(line, total)].join('  \n');
}

/** Bytes of an access that uses the memory best. */
const WIDE = 16;
/** Share from which on a line is worth a change. */
const MUCH = 0.1;

/** Changes that would lower the line's cost; none where that does not matter. */
export function changes(line: LineCost, total: LineCost): string[] {
  const found: string[] = [];
  if (line.widest > 0 && line.widest < WIDE && shareOf(line, total, 'bytes') >= MUCH)
    found.push(
      `Each thread moves ${line.widest} bytes at once. Accesses of 16 bytes need neighbouring elements in a thread, known to be contiguous and aligned: a block large enough for the warps, strides of 1, sizes divisible by 16 (or \`tl.multiple_of\`, \`tl.max_contiguous\`).`,
    );
  if (line.conflicts > 0)
    found.push(
      'Lanes of a warp meet in banks of shared memory: another block shape or num_warps, or an operand that is loaded in the order in which it is used, not transposed, changes who reads what.',
    );
  if (line.barriers > 0 && line.loops)
    found.push(
      'Its barriers stand in a loop: a larger block along the loop has fewer iterations, and fewer barriers.',
    );
  if (line.shuffles > 0 && line.loops)
    found.push(
      'Lanes exchange values in every iteration: a tile of partial results, reduced once behind the loop, does so once.',
    );
  if (line.divisions > 0)
    found.push(
      'It divides integers by a number that is known only at run time: by a constexpr it takes less, by a power of two only shifts.',
    );
  if (line.registers === total.registers && line.registers > MANY_REGISTERS)
    found.push(
      'The most registers are alive here: a smaller tile, or more warps, leaves each thread fewer.',
    );
  return found;
}
