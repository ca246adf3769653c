/**
 * Figures that are measured on this adapter: how fast kernels carry, what the tuner found, and where
 * launches stand under the roofline. All from the last run's record; a run that measured nothing says so.
 */
import { lazy, Suspense } from 'react';
import { formatBytes, formatMicroseconds } from '../../panels/common/format';
import { pointOf, ratesOf } from '../../panels/timing/Launches';
import { formatRate } from '../../panels/timing/rates';
import { spreadOf } from '../../panels/timing/spread';
import type { LaunchGroup, RunRecord } from '../../state/record';
import { useSession } from '../../state/session';
import '../../panels/timing/timing.css';
import type { FigureSpec } from '../document';
import { NotYet } from './NotYet';

const Autotune = lazy(async () => ({
  default: (await import('../../panels/timing/Autotune')).Autotune,
}));
const Roofline = lazy(async () => ({
  default: (await import('../../panels/timing/Roofline')).Roofline,
}));

type MeasuredSpec = Exclude<FigureSpec, { kind: 'accesses' }>;

export function Measured({ spec }: { readonly spec: MeasuredSpec }): React.ReactNode {
  const record = useSession((state) => state.record);
  const phase = useSession((state) => state.phase);
  // While a lesson is checked, launches are the checks'.
  if (!record || record.checking || record.outcome === null || phase !== 'ready')
    return <NotYet>its times</NotYet>;
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

/** Where there is no GPU, launches have no times that would say anything about one. */
const UNTIMED = 'This run has no times of a GPU: the interpreter ran it, or nothing was launched.';

interface Rate {
  readonly kernel: string;
  readonly bytes: number;
  readonly microseconds: number;
  readonly perSecond: number;
  /** By a benchmark, which waits until it knows the time well. */
  readonly repeated: boolean;
}

/** One a kernel: its repeated launches, where it was measured, else its last ones. */
export function ratesIn(record: RunRecord): Rate[] {
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
            <tr key={kernel}>
              <th scope="row">
                <code>{kernel}</code>
                <span className="muted">
                  {formatBytes(bytes)} in {formatMicroseconds(microseconds)}
                </span>
              </th>
              <td>
                <span className="bar" style={{ width: `${(100 * perSecond) / most}%` }} />
                <span>{formatRate(perSecond, 'B/s')}</span>
              </td>
            </tr>
          ))}
          {copy === null ? null : (
            <tr>
              <th scope="row">
                a plain copy
                <span className="muted">the most that memory here was seen to do</span>
              </th>
              <td>
                <span className="bar copy" style={{ width: `${(100 * copy) / most}%` }} />
                <span>{formatRate(copy, 'B/s')}</span>
              </td>
            </tr>
          )}
        </tbody>
      </table>
      <p className="muted">Measured on {record.adapter?.name ?? 'this adapter'}.</p>
    </>
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
  return (
    <Suspense fallback={<p className="muted">Loading …</p>}>
      <Autotune tuning={tuning} />
    </Suspense>
  );
}

function UnderTheRoof({ record }: { readonly record: RunRecord }): React.ReactNode {
  const { calibration } = record;
  const points = record.groups.flatMap((group) => pointOf(record, group));
  if (!calibration || points.length === 0) return <p className="muted">{UNTIMED}</p>;
  return (
    <Suspense fallback={<p className="muted">Loading …</p>}>
      <Roofline calibration={calibration} points={points} />
    </Suspense>
  );
}
