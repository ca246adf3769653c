/**
 * Names of launches that distinguish them: number, kernel, grid, line, and what differs.
 */
import type { LaunchInputs } from '../../../compiler/inspect/launch';
import { formatCount } from '../common/format';

/** The run's record of a launch. */
export interface RecordedLaunch {
  readonly line: number;
  /** `x_ptr: *fp32 [98432]`, `BLOCK_SIZE = 1024`. */
  readonly arguments: readonly string[];
  /** Launches of its group, of which it is the first. */
  readonly count: number;
}

/** Arguments that a name lists at most. */
const MOST = 3;

/** One name for each launch, in order. */
export function launchNames(
  launches: readonly Pick<LaunchInputs, 'launch' | 'kernel' | 'grid' | 'request'>[],
  recorded: ReadonlyMap<number, RecordedLaunch>,
): string[] {
  const plain = launches.map(({ kernel, grid }) => `${kernel}[${grid.join(', ')}]`);
  const described = launches.map(({ launch, request }) => [
    ...(recorded.get(launch)?.arguments ?? []),
    `num_warps = ${request.specialization.numWarps}`,
  ]);
  return launches.map(({ launch }, i) => {
    const alike = described.filter((_, other) => plain[other] === plain[i]);
    const differing = described[i]!.filter((text, at) => alike.some((each) => each[at] !== text));
    const shown = differing.slice(0, MOST);
    const { count = 1, line } = recorded.get(launch) ?? {};
    return [
      `#${i + 1} ${plain[i]!}`,
      ...(line === undefined ? [] : [`line ${line}`]),
      ...(shown.length > 0 ? [shown.join(', ') + (differing.length > MOST ? ', …' : '')] : []),
      ...(count > 1 ? [`first of ${formatCount(count)}`] : []),
    ].join(' · ');
  });
}
