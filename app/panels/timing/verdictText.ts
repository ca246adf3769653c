/** A launch's verdict in words: what limits it, and the numbers behind it. */
import type { LaunchCost } from '../../events';
import { REACHED, type Verdict } from '../../runtime/verdict';
import { formatBytes, formatCount, formatMicroseconds, formatNumber } from '../common/format';

const percent = (share: number): string => `${formatNumber(share * 100, 2)} %`;

/** The share of a launch's time that something takes at the best rate, after a colon. */
function shareOf(part: number, time: number): string {
  if (part > time)
    return `more than the ${formatMicroseconds(time)} that it took, so caches keep part`;
  return `${percent(part / time)} of the time`;
}

/** One sentence, with the numbers that decide. */
export function verdictText(verdict: Verdict): string {
  const { time, memory, arithmetic, requested, empty, threads, halfRateThreads } = verdict;
  switch (verdict.limit) {
    case 'launch overhead':
      return (
        `A launch that does nothing takes ${formatMicroseconds(empty ?? 0)} here, this one ` +
        `${formatMicroseconds(time)}: more work a launch, or fewer launches, would help; no setting of the kernel does.`
      );
    case 'bandwidth':
      return memory >= arithmetic && memory >= REACHED * time
        ? `Its minimum traffic takes ${formatMicroseconds(memory)} at this device’s best rate: ${shareOf(memory, time)}.`
        : `Its minimum traffic takes ${formatMicroseconds(memory)} at the best rate, but all bytes that the programs ask for ${formatMicroseconds(requested)}: ${requested > time ? shareOf(requested, time) : `${shareOf(requested, time)}, less what caches keep`}.`;
    case 'arithmetic':
      return `Its operations take ${formatMicroseconds(arithmetic)} at this device’s best rate: ${percent(arithmetic / time)} of the time.`;
    case 'occupancy':
      return `It has ${formatCount(threads ?? 0)} threads; this device reaches half of its arithmetic with ${formatCount(halfRateThreads ?? 0)} or more.`;
    case 'latency':
      return `Memory takes ${percent(memory / time)} of the time at the best rate, arithmetic ${percent(arithmetic / time)}: the threads wait for loads, barriers or each other, or compute on integers or float64, which have no roof here.`;
    default:
      return verdict.limit satisfies never;
  }
}

/** Names and values of all that a verdict rests on. */
export function verdictFacts(
  verdict: Verdict,
  { resources, readBytes, writtenBytes, requestedBytes, uncertain }: LaunchCost,
): { readonly name: string; readonly value: string }[] {
  const { memory, arithmetic, requested, empty, threads, halfRateThreads } = verdict;
  const fact = (name: string, value: string | null): { name: string; value: string }[] =>
    value === null ? [] : [{ name, value }];
  const star = uncertain === null ? '' : ' *';
  return [
    ...fact(
      'Minimum traffic',
      `${formatBytes(readBytes + writtenBytes)}${star}, ${formatMicroseconds(memory)} at the roof`,
    ),
    ...fact(
      'Asked for',
      `${formatBytes(requestedBytes)}${star}, ${formatMicroseconds(requested)} without a cache`,
    ),
    ...fact('Arithmetic', `${formatMicroseconds(arithmetic)} at the roof`),
    ...fact('Empty launch', empty === null ? null : formatMicroseconds(empty)),
    ...fact(
      'Threads',
      threads === null
        ? null
        : `${formatCount(threads)}${halfRateThreads === null ? '' : `; ${formatCount(halfRateThreads)} fill half`}`,
    ),
    ...fact('Registers', resources ? `${formatCount(resources.registers)} a thread` : null),
    ...fact(
      'Shared memory',
      resources ? `${formatBytes(resources.workgroupBytes)} a program` : null,
    ),
    ...fact('* An estimate', uncertain),
  ];
}
