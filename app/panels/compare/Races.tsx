/** A comparison speaks of one run: whether the launch behind it races is looked for on request. */
import { useState } from 'react';
import type { LaunchInputs } from '../../../compiler/inspect/launch';
import type { RaceReport } from '../../../compiler/inspect/races';
import { useRun } from '../../state/run';
import { inspectHost } from '../../workers/inspectHost';
import { MOST_RACING, RaceSummary } from '../common/RaceSummary';
import type { Producer } from './useProducer';

type Found =
  | { readonly state: 'looking' }
  | { readonly state: 'known'; readonly report: RaceReport }
  | { readonly state: 'refused'; readonly reason: string };

export function Races(props: {
  readonly producer: Producer | null;
  readonly onChecked: () => void;
}): React.ReactNode {
  const { producer, onChecked } = props;
  const [found, setFound] = useState<Found | null>(null);
  const launches = useRun((state) => state.launches);
  const launch = producer && inputsOf(launches, producer);
  if (!launch) return null;
  const look = (): void => {
    setFound({ state: 'looking' });
    void reportOf(launch).then((answer) => {
      setFound(answer);
      if (answer.state === 'known') onChecked();
    });
  };
  return (
    <div className="compare-races">
      <button
        type="button"
        className="button small"
        disabled={found?.state === 'looking'}
        onClick={look}
      >
        {found?.state === 'looking' ? 'Running the programs…' : 'Check for races'}
      </button>
      {found?.state === 'known' ? <RaceSummary report={found.report} launch={launch} /> : null}
      {found?.state === 'refused' ? <span className="muted">{found.reason}</span> : null}
    </div>
  );
}

function inputsOf(
  launches: readonly LaunchInputs[],
  { launch }: Producer,
): LaunchInputs | undefined {
  const grid = launch.grid.join();
  return launches.find((one) => one.key === launch.key && one.grid.join() === grid);
}

async function reportOf(inputs: LaunchInputs): Promise<Found> {
  const [x, y, z] = inputs.grid;
  const end = Math.min(x * y * z, MOST_RACING);
  try {
    const report = await inspectHost().ask({ kind: 'races-of', inputs, end });
    if ('refused' in report) return { state: 'refused', reason: report.refused };
    return { state: 'known', report };
  } catch (error) {
    return { state: 'refused', reason: error instanceof Error ? error.message : String(error) };
  }
}
