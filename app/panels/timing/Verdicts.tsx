/**
 * The limits of the run's launches: for each row its verdict, the numbers behind it, and changes
 * of its settings that may help, each one click to try. A trial runs the program with that number
 * changed, in a worker of its own; its time stands beside the baseline's, measured in the same way.
 */
import { useEffect, useMemo, useState } from 'react';
import type { LaunchSettings } from '../../../compiler/language/settingValues';
import type { LaunchCost } from '../../events';
import { verdictOf, type Verdict } from '../../runtime/verdict';
import { askLanguage } from '../../state/compilation';
import { programText, useDocument } from '../../state/document';
import { showLineCosts } from '../../state/lineCosts';
import type { LaunchEvent, LaunchGroup, RunRecord } from '../../state/record';
import { useRun } from '../../state/run';
import { isStale, runCalibrated, useSession } from '../../state/session';
import { subjectOf, type Subject } from '../../state/trials';
import { chooseSpecialization } from '../../state/view';
import { Fact } from '../common/Fact';
import { formatMicroseconds, formatShape, plural } from '../common/format';
import { Site } from '../common/Site';
import { adviceFor } from './advice';
import { spreadOf } from './spread';
import { Tries } from './Tries';
import { WhatIf } from './WhatIf';
import { verdictFacts, verdictText } from './verdictText';

interface Judged {
  readonly group: LaunchGroup;
  readonly cost: LaunchCost;
  readonly verdict: Verdict;
}

/** Rows whose time on the GPU is known, the longest first. */
export function judgedGroups(record: RunRecord): Judged[] {
  return record.groups
    .flatMap((group) => {
      const { cost, benchmark, grid } = group.first;
      const spread = spreadOf(group);
      if (!cost || benchmark || spread?.clock !== 'gpu') return [];
      const verdict = verdictOf(cost, spread, record.calibration, grid[0] * grid[1] * grid[2]);
      return verdict ? [{ group, cost, verdict }] : [];
    })
    .sort((a, b) => b.verdict.time * b.group.count - a.verdict.time * a.group.count);
}

/** Rows that are shown; a long program has hundreds. */
const MOST = 6;

export default function Verdicts({ record }: { readonly record: RunRecord }): React.ReactNode {
  const judged = judgedGroups(record);
  const idle = useSession(({ phase }) => phase === 'ready');
  if (record.calibration === null)
    return (
      <section className="section verdicts" aria-label="What limits each launch">
        <h3>What limits each launch</h3>
        <p>
          This needs the best rates of your device, which nobody has measured yet.{' '}
          <button type="button" className="button small" disabled={!idle} onClick={runCalibrated}>
            Measure them and run again
          </button>
        </p>
      </section>
    );
  if (judged.length === 0) return null;
  return (
    <section className="section verdicts" aria-label="What limits each launch">
      <h3>What limits each launch</h3>
      {judged.slice(0, MOST).map((each, index) => (
        <Row key={index} {...each} record={record} open={index === 0} />
      ))}
      {judged.length > MOST ? (
        <p className="muted">{plural(judged.length - MOST, 'shorter row')} not shown.</p>
      ) : null}
    </section>
  );
}

function Row(
  props: Judged & { readonly record: RunRecord; readonly open: boolean },
): React.ReactNode {
  const { group, verdict, cost, record } = props;
  const [open, setOpen] = useState(props.open);
  const { kernel, grid, site } = group.first;
  return (
    <details
      className="verdict"
      open={open}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        <span className="mono">
          {kernel}
          {formatShape(grid)}
        </span>{' '}
        <span className="muted">{formatMicroseconds(verdict.time)}</span>{' '}
        <strong className="limit">{verdict.limit}</strong>
      </summary>
      <p>
        {verdictText(verdict)} <Site site={site} />
      </p>
      <dl className="facts">
        {verdictFacts(verdict, cost).map(({ name, value }) => (
          <Fact key={name} name={name}>
            {value}
          </Fact>
        ))}
      </dl>
      <CostButton launch={group.first} />
      {open && !record.checking ? (
        <Changes verdict={verdict} cost={cost} record={record} subject={subjectOf(group.first)} />
      ) : null}
    </details>
  );
}

/** Nothing where what the launch got was not kept. */
function CostButton({ launch }: { readonly launch: LaunchEvent }): React.ReactNode {
  const launches = useRun((state) => state.launches);
  const inputs =
    launches.find((one) => one.launch === launch.id) ??
    launches.find((one) => one.key === launch.key && one.grid.join() === launch.grid.join());
  if (!inputs) return null;
  return (
    <button
      type="button"
      className="button small"
      title="Counts bytes, operations, barriers and more of each line, in the editor’s margin"
      onClick={() => {
        chooseSpecialization({ kernel: inputs.kernel, key: inputs.key });
        void showLineCosts(inputs);
      }}
    >
      Show its cost by line
    </button>
  );
}

/** The settings of a launch in the text that ran; undefined until they are known. */
export function useLaunchSettings(
  { kernel, site }: Subject,
  stale: boolean,
): LaunchSettings | null | undefined {
  const [found, setFound] = useState<Found | null>(null);
  const files = useDocument((state) => state.files);
  const { file, line } = site;
  const wanted = useMemo(() => ({ files, file, kernel, line }), [files, file, kernel, line]);
  useEffect(() => {
    let current = true;
    if (stale) return;
    void askLanguage({ kind: 'settings', ...wanted }).then((settings) => {
      if (current) setFound({ wanted, settings });
    });
    return () => {
      current = false;
    };
  }, [wanted, stale]);
  // Another launch may stand in this row since, with numbers at other places.
  return stale ? null : found?.wanted === wanted ? found.settings : undefined;
}

interface Found {
  readonly wanted: object;
  readonly settings: LaunchSettings | null;
}

function Changes(props: {
  readonly verdict: Verdict;
  readonly cost: LaunchCost;
  readonly record: RunRecord;
  readonly subject: Subject;
}): React.ReactNode {
  const { verdict, cost, record, subject } = props;
  const text = useDocument((state) => programText(state));
  const stale = isStale(record, text);
  const settings = useLaunchSettings(subject, stale);
  if (stale)
    return (
      <p className="muted">The code has changed since this run: run it again to try changes.</p>
    );
  if (settings === undefined) return null;
  const advice = settings ? adviceFor(verdict, cost, settings) : [];
  const lone = (
    <p className="muted">
      {settings?.autotuned
        ? '@triton.autotune chooses its settings: the times that it measured stand below.'
        : 'No setting of this launch stands as a number in the text that could be changed to help.'}
    </p>
  );
  return (
    <>
      {advice.length > 0 ? <Tries advice={advice} subject={subject} text={text} /> : lone}
      {settings && settings.settings.length > 1 ? (
        <WhatIf settings={settings.settings} subject={subject} text={text} />
      ) : null}
    </>
  );
}
