/**
 * How the loads and stores of a program coalesce: counted for each, and the first instructions
 * drawn.
 */
import { Fragment } from 'react';
import type {
  CoalescingReport,
  GlobalAccess,
  LaneView,
} from '../../../compiler/inspect/globalAccesses';
import { REFERENCE_LANES, SEGMENT_BYTES } from '../../../compiler/inspect/constants';
import { efficiency, isPoor } from '../../../compiler/inspect/efficiency';
import { formatCount, formatNumber } from '../common/format';
import { Site } from '../common/Site';
import { RunAction } from '../common/Empty';
import { number, TableHead } from '../common/TableHead';
import { LaunchBar, useChosen } from '../memory/LaunchBar';
import { adviceFor, ownName, viewText } from './advice';
import { Segments } from './Segments';
import { useCoalescing, useLayout } from './state';

export function Accesses(): React.ReactNode {
  const chosen = useChosen();
  useCoalescing(chosen);
  const report = useLayout((state) => state.coalescing);
  const uncounted = useLayout((state) => state.uncounted);
  const shown = useLayout((state) => state.access);
  const accesses = report?.accesses;
  const access = accesses?.[shown] ?? accesses?.[0];
  return (
    <section className="layout-section" aria-label="Coalescing">
      <h3>Global memory: {SEGMENT_BYTES}-byte segments</h3>
      {chosen ? <LaunchBar {...chosen} /> : null}
      {chosen && report ? <Lanes report={report} /> : null}
      {!chosen ? (
        <p className="muted pad">
          The addresses come from a launch. <RunAction />
        </p>
      ) : uncounted !== null ? (
        <p className="muted pad">Not counted: {uncounted}</p>
      ) : !report || !accesses ? (
        <p className="muted pad">Counting…</p>
      ) : accesses.length === 0 ? (
        <p className="muted pad">This program touches no memory.</p>
      ) : (
        <>
          <Table report={report} shown={access} />
          <p className="muted pad">
            For every instruction of every subgroup. Efficiency: the least segments that could hold
            the bytes that its lanes touch, of the segments moved; ! below 75%.
          </p>
          {access ? <Segments key={`${shown} ${report.view}`} access={access} /> : null}
        </>
      )}
    </section>
  );
}

/** Whose lanes are counted, said plainly; and the switch, where the adapter's are others. */
function Lanes({ report }: { readonly report: CoalescingReport }): React.ReactNode {
  const { view, own } = report;
  const alike = own.lanes === REFERENCE_LANES && own.programs === 1;
  const choice = (each: LaneView, name: string): React.ReactNode => (
    <button
      type="button"
      aria-pressed={view === each}
      onClick={() => useLayout.setState({ lanes: each })}
    >
      {name}
    </button>
  );
  return (
    <div className="lane-view">
      {alike ? null : (
        <span className="segmented" role="group" aria-label="Lanes">
          {choice('reference', `GPU with ${REFERENCE_LANES} lanes`)}
          {choice('own', ownName(own))}
        </span>
      )}
      <span>{viewText(report)}</span>
    </div>
  );
}

const COLUMNS = [
  'access',
  'of',
  'line',
  number('efficiency'),
  number('segments'),
  number('at best'),
  number('instructions'),
  number('vector'),
];

function Table(props: {
  readonly report: CoalescingReport;
  readonly shown: GlobalAccess | undefined;
}): React.ReactNode {
  const { accesses, view, own } = props.report;
  return (
    <div className="scroll-x access-scroll">
      <table className="data access-table">
        <TableHead columns={COLUMNS} />
        <tbody>
          {accesses.map((access, index) => {
            const advice = adviceFor(access, view === 'own' && own.programs > 1);
            return (
              <Fragment key={index}>
                <Row access={access} index={index} shown={access === props.shown} />
                {advice === null ? null : (
                  <tr className="advice">
                    <td colSpan={COLUMNS.length}>
                      <p>{advice}</p>
                    </td>
                  </tr>
                )}
              </Fragment>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function Row(props: {
  readonly access: GlobalAccess;
  readonly index: number;
  readonly shown: boolean;
}): React.ReactNode {
  const { access, index, shown } = props;
  const poor = isPoor(access);
  return (
    <tr className="launch-row" aria-selected={shown}>
      <td>
        <button
          type="button"
          className="link mono"
          aria-pressed={shown}
          onClick={() => useLayout.setState({ access: index })}
        >
          <span className={`touch-key ${access.kind}`} aria-hidden="true" />
          {access.kind}
        </button>
      </td>
      <td className="mono operand" title={access.operand ?? undefined}>
        {access.operand ?? '–'}
      </td>
      <td>
        <Site site={access.location} short />
      </td>
      <td className="number">
        <span className={poor ? 'sign warn' : undefined}>
          {poor ? '! ' : ''}
          {formatNumber(efficiency(access) * 100, 3)}%
        </span>
      </td>
      <td className="number">{formatCount(access.segments)}</td>
      <td className="number">{formatCount(access.least)}</td>
      <td className="number">{formatCount(access.instructions)}</td>
      <td className="number">
        {access.vector} × {access.elementBytes} B
      </td>
    </tr>
  );
}
