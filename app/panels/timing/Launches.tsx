/** Launches with their times and rates, beside those of the pinned run. */
import { achieved } from '../../runtime/cost';
import { useCompilation } from '../../state/compilation';
import type { LaunchGroup, RunRecord } from '../../state/record';
import { chooseSpecialization } from '../../state/view';
import {
  formatBytes,
  formatCount,
  formatMicroseconds,
  formatNumber,
  formatShape,
} from '../common/format';
import { CodeLinks } from '../common/Compared';
import { Site } from '../common/Site';
import { number, TableHead } from '../common/TableHead';
import { Verify } from './Verify';
import { matchRows, usePinned, type PinnedRow } from './pinned';
import { formatRate } from './rates';
import { formatShare, type RoofPoint } from './Roofline';
import { changeOf, isBelow, spreadOf, type Spread } from './spread';

/** Bytes, operations and rates of a row's launches; null where unknown. */
export interface Rates {
  readonly bytes: number | null;
  readonly perSecond: number | null;
  readonly flops: number | null;
  /** Floating-point operations; null where there are none. */
  readonly flopsPerSecond: number | null;
  readonly share: number | null;
  readonly uncertain: string | null;
}

export function ratesOf(record: RunRecord, group: LaunchGroup): Rates {
  const { cost } = group.first;
  const spread = spreadOf(group);
  const nothing = { perSecond: null, flopsPerSecond: null, share: null };
  if (!cost) return { bytes: null, flops: null, uncertain: null, ...nothing };
  const { f64, f32, f16 } = cost.operations;
  const flops = f64 + f32 + f16;
  const known = { bytes: cost.readBytes + cost.writtenBytes, flops, uncertain: cost.uncertain };
  if (!spread || spread.clock !== 'gpu') return { ...known, ...nothing };
  const timing = { ...spread, samples: spread.n };
  const found = achieved(cost, timing, record.calibration);
  if (!found) return { ...known, ...nothing };
  return {
    ...known,
    perSecond: found.bytesPerSecond,
    flopsPerSecond: flops > 0 ? found.operationsPerSecond : null,
    share: found.roofline,
  };
}

/** Point under the roofline: one, or none where it is not known. */
export function pointOf(record: RunRecord, group: LaunchGroup): RoofPoint[] {
  const { bytes, flops, flopsPerSecond, share } = ratesOf(record, group);
  if (!bytes || !flops || flopsPerSecond === null) return [];
  const { kernel, grid } = group.first;
  const label = `${kernel}[${grid.join(', ')}]`;
  return [{ label, intensity: flops / bytes, perSecond: flopsPerSecond, share }];
}

export function Launches(props: {
  readonly title: string;
  readonly record: RunRecord;
  readonly groups: readonly LaunchGroup[];
}): React.ReactNode {
  const { record, groups } = props;
  const inView = useCompilation((state) => state.inView);
  const pinned = usePinned();
  const before = pinned
    ? matchRows(
        pinned.rows,
        groups.map(({ first }) => first),
      )
    : null;
  const rates = groups.map((group) => ratesOf(record, group));
  const isOwn = !record.checking && !groups.some(({ first }) => first.benchmark);
  const verifies = isOwn && record.adapter?.kind === 'webgpu';
  const counted = rates.some(({ bytes }) => bytes !== null);
  return (
    <section className="section" aria-label={props.title}>
      <h3>{props.title}</h3>
      <div className="scroll-x">
        <table className="data launches">
          <TableHead
            columns={[
              'Kernel',
              number('Runs', 'Launches'),
              number('Median'),
              number(
                'Range',
                'The middle half of the launches; of one launch that was repeated, the middle 80 % of its samples',
              ),
              ...(before ? [number('Pinned'), 'Change'] : []),
              ...(counted
                ? [
                    number('Bytes', 'Minimum traffic: read and written at least once'),
                    number('Memory'),
                    number('Arithmetic'),
                    number('Roofline', 'Of what memory and arithmetic allow here at best'),
                  ]
                : []),
              'Code',
              'Line',
              ...(verifies ? ['GPU'] : []),
            ]}
          />
          <tbody>
            {groups.map((group, index) => {
              const { first } = group;
              return (
                <tr
                  key={index}
                  className="launch-row"
                  aria-selected={inView?.key === first.key && inView.kernel === first.kernel}
                  title={first.arguments.join('\n')}
                  onClick={() => chooseSpecialization({ kernel: first.kernel, key: first.key })}
                >
                  <td>
                    <button type="button" className="link mono">
                      {first.kernel}
                    </button>
                    <span className="mono muted">{formatShape(first.grid)}</span>
                  </td>
                  <td className="number">{formatCount(group.count)}</td>
                  <TimeCells group={group} />
                  {before ? <PinnedCells now={spreadOf(group)} before={before[index]!} /> : null}
                  {counted ? <RateCells rates={rates[index]!} record={record} /> : null}
                  <td>
                    <CodeLinks choice={{ kernel: first.kernel, key: first.key }} />
                  </td>
                  <td>
                    <Site site={first.site} short />
                  </td>
                  {verifies ? (
                    <td>
                      <Verify record={record} group={group} />
                    </td>
                  ) : null}
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </section>
  );
}

/** Behind a time that is not the GPU's own. */
function clockOf(group: LaunchGroup): string {
  if (group.first.device === 'interpreter') return ' (interpreter)';
  return group.timings[0]?.clock === 'cpu' ? ' (CPU)' : '';
}

function TimeCells({ group }: { readonly group: LaunchGroup }): React.ReactNode {
  const spread = spreadOf(group);
  if (!spread)
    return (
      <>
        <td className="number muted">not timed</td>
        <td className="number muted">–</td>
      </>
    );
  if (isBelow(spread))
    return (
      <td
        className="number below"
        colSpan={2}
        title={`Shorter than the clock’s step of ${formatMicroseconds(spread.quantum)}`}
      >
        below resolution ({formatMicroseconds(spread.quantum)})
      </td>
    );
  return (
    <>
      <td className="number">
        {formatMicroseconds(spread.median)}
        <span className="muted">{clockOf(group)}</span>
      </td>
      <td
        className="number muted"
        title={spread.of === 'one' ? 'one sample' : `${spread.of} of ${spread.n} samples`}
      >
        {spreadText(spread)}
      </td>
    </>
  );
}
function spreadText({ low, high, of, n }: Spread): string {
  if (of === 'one') return '1 sample';
  const range =
    high > low ? `${formatMicroseconds(low)} – ${formatMicroseconds(high)}` : 'all equal';
  return `${range} (${formatCount(n)})`;
}

function PinnedCells(props: {
  readonly now: Spread | null;
  readonly before: PinnedRow | null;
}): React.ReactNode {
  const { now, before } = props;
  if (!before)
    return (
      <>
        <td className="number muted">–</td>
        <td className="muted">new</td>
      </>
    );
  const was = isBelow(before.spread)
    ? `below ${formatMicroseconds(before.spread.quantum)}`
    : formatMicroseconds(before.spread.median);
  return (
    <>
      <td className="number muted" title={`grid ${formatShape(before.grid)}`}>
        {was}
      </td>
      <td>{now ? <ChangeText before={before.spread} now={now} /> : ''}</td>
    </>
  );
}

function ChangeText(props: { readonly before: Spread; readonly now: Spread }): React.ReactNode {
  const change = changeOf(props.before, props.now);
  switch (change.kind) {
    case 'unknown':
      return <span className="muted">{change.reason}</span>;
    case 'same':
      return <span className="muted">no difference (× {formatNumber(change.ratio, 3)})</span>;
    case 'faster':
      return <span className="sign pass">▼ × {formatNumber(change.ratio, 3)} faster</span>;
    case 'slower':
      return <span className="sign fail">▲ × {formatNumber(change.ratio, 3)} slower</span>;
    default:
      return change satisfies never;
  }
}

function RateCells(props: { readonly rates: Rates; readonly record: RunRecord }): React.ReactNode {
  const { rates, record } = props;
  const { bytes, perSecond, flopsPerSecond, flops, share, uncertain } = rates;
  const unknown = <span className="muted">not known</span>;
  const note = uncertain === null ? undefined : `An estimate: ${uncertain}`;
  const roof =
    share === null
      ? record.calibration === null
        ? 'This adapter was not calibrated'
        : 'The time is below the clock’s resolution'
      : share > 1
        ? 'Above 100 %: the data came from a cache'
        : undefined;
  return (
    <>
      <td className="number" title={note}>
        {bytes === null ? unknown : formatBytes(bytes)}
        {uncertain === null ? '' : ' *'}
      </td>
      <td className="number" title={note}>
        {perSecond === null ? unknown : formatRate(perSecond, 'B/s')}
      </td>
      <td className="number" title={note}>
        {flops === 0 ? (
          <span className="muted">none</span>
        ) : flopsPerSecond === null ? (
          unknown
        ) : (
          formatRate(flopsPerSecond, 'FLOP/s')
        )}
      </td>
      <td className="number" title={roof}>
        {share === null ? unknown : formatShare(share)}
      </td>
    </>
  );
}
