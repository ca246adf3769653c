/**
 * Figures that are measured on this adapter: how fast kernels carry, what the tuner found, and
 * where launches stand under the roofline. All from the program's last own run; a run that measured
 * nothing says so.
 */
import { formatBytes, formatMicroseconds } from '../../panels/common/format';
import { Autotune } from '../../panels/timing/Autotune';
import { pointOf, ratesOf } from '../../panels/timing/Launches';
import { formatRate } from '../../panels/timing/rates';
import { Roofline } from '../../panels/timing/Roofline';
import { spreadOf } from '../../panels/timing/spread';
import type { LaunchGroup, RunRecord } from '../../state/record';
import { useRun } from '../../state/run';
import '../../panels/timing/timing.css';
import type { FigureSpec } from '../document';
import { NotYet } from './NotYet';

type MeasuredSpec = Exclude<FigureSpec, { kind: 'accesses' | 'ir' }>;

export function Measured({ spec }: { readonly spec: MeasuredSpec }): React.ReactNode {
  const record = useRun((state) => state.own?.record ?? null);
  if (!record || record.outcome === null) return <NotYet>its times</NotYet>;
  switch (spec.kind) {
    case 'rates':
      return <Rates record={record} />;
    case 'tuning':
      return <Tuning record={record} kernel={spec.kernel} />;
    case 'roofline':
      return <UnderTheRoof record={record} />;
    default:
      return spec satisfies never;
  }
}

/** Launches without a GPU have no times that would describe one. */
const UNTIMED = 'This run has no times of a GPU: the interpreter ran it, or nothing was launched.';

interface Rate {
  readonly kernel: string;
  readonly bytes: number;
  readonly microseconds: number;
  readonly perSecond: number;
  /** By a benchmark, which waits until the time is certain. */
  readonly repeated: boolean;
}

/** One a kernel: its repeated launches, where it was measured, else its last ones. */
function ratesIn(record: RunRecord): Rate[] {
  const found = new Map<string, Rate>();
  for (const group of record.groups) {
    const rate = rateOf(record, group);
    if (!rate) continue;
    const before = found.get(rate.kernel);
    if (!before || rate.repeated || !before.repeated) found.set(rate.kernel, rate);
  }
  return [...found.values()];
}

function rateOf(record: RunRecord, group: LaunchGroup): Rate | null {
  const { bytes, perSecond } = ratesOf(record, group);
  const spread = spreadOf(group);
  if (!bytes || perSecond === null || !spread) return null;
  const { kernel, benchmark } = group.first;
  return { kernel, bytes, perSecond, microseconds: spread.median, repeated: benchmark };
}

function Rates({ record }: { readonly record: RunRecord }): React.ReactNode {
  const rates = ratesIn(record);
  if (rates.length === 0) return <p className="muted">{UNTIMED}</p>;
  const copy = record.calibration?.bytesPerSecond ?? null;
  const most = Math.max(copy ?? 0, ...rates.map(({ perSecond }) => perSecond));
  return (
    <>
      <table className="figure-rates">
        <tbody>
          {rates.map(({ kernel, bytes, microseconds, perSecond }) => (
            <Bar
              key={kernel}
              name={<code>{kernel}</code>}
              note={`${formatBytes(bytes)} in ${formatMicroseconds(microseconds)}`}
              {...{ perSecond, most }}
            />
          ))}
          {copy === null ? null : (
            <Bar
              name="a plain copy"
              note="the most that memory here was seen to do"
              perSecond={copy}
              most={most}
              copy
            />
          )}
        </tbody>
      </table>
      <p className="muted">Measured on {record.adapter?.name ?? 'this adapter'}.</p>
    </>
  );
}

function Bar(props: {
  readonly name: React.ReactNode;
  readonly note: string;
  readonly perSecond: number;
  /** Value of the longest bar. */
  readonly most: number;
  readonly copy?: boolean;
}): React.ReactNode {
  const width = `${(100 * props.perSecond) / props.most}%`;
  return (
    <tr>
      <th scope="row">
        {props.name}
        <span className="muted">{props.note}</span>
      </th>
      <td>
        <span className={props.copy ? 'bar copy' : 'bar'} style={{ width }} />
        <span>{formatRate(props.perSecond, 'B/s')}</span>
      </td>
    </tr>
  );
}

function Tuning(props: { readonly record: RunRecord; readonly kernel: string }): React.ReactNode {
  const tuning = props.record.tunings.findLast((one) => one.kernel === props.kernel);
  if (!tuning)
    return (
      <p className="muted">
        Nothing was tuned in this run: <code>{props.kernel}</code> has no{' '}
        <code>@triton.autotune</code> yet, or no GPU ran it.
      </p>
    );
  return <Autotune tuning={tuning} />;
}

function UnderTheRoof({ record }: { readonly record: RunRecord }): React.ReactNode {
  const { calibration } = record;
  const points = record.groups.flatMap((group) => pointOf(record, group));
  if (!calibration || points.length === 0) return <p className="muted">{UNTIMED}</p>;
  return <Roofline calibration={calibration} points={points} />;
}
