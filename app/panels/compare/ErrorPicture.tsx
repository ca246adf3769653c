/** Picture of the errors, with lines between the tiles of different programs. */
import { useCallback, useMemo, useState } from 'react';
import { ravel, unravel } from '../../inspection/elements';
import type { ErrorKind, ErrorReport, Tolerance } from '../../inspection/errors';
import { placeOf, walkOf, type Plane } from '../../inspection/planes';
import type { ComparisonEvent } from '../../state/record';
import type { PairOfData } from '../../workers/dataProtocol';
import type { Scale } from '../common/colormap';
import { LEAST_TILE, type PlacedOwners, type View } from '../common/drawCells';
import { formatNumber } from '../common/format';
import { Picture } from '../common/Picture';
import { ownerText, type ProducerState } from './useProducer';

const SHOWS: readonly (readonly [ErrorKind, string])[] = [
  ['tolerance', '÷ tolerance'],
  ['absolute', 'Absolute'],
  ['relative', 'Relative'],
  ['ulp', 'ULP'],
  ['signed', 'Signed'],
];

export interface ErrorPictureProps {
  readonly comparison: ComparisonEvent;
  readonly pair: PairOfData;
  readonly tolerance: Tolerance;
  readonly report: ErrorReport;
  readonly plane: Plane;
  readonly show: ErrorKind;
  readonly producer: ProducerState;
  /** Flat index. */
  readonly marked: number | null;
  readonly onShow: (show: ErrorKind) => void;
  readonly onPick: (flat: number) => void;
}

export function ErrorPicture(props: ErrorPictureProps): React.ReactNode {
  const { comparison, pair, tolerance, report, plane, show, producer } = props;
  const { shape } = comparison;
  const [tiles, setTiles] = useState(true);
  const source = useMemo(
    () => ({ kind: 'errors', pair, show, tolerance }) as const,
    // The pair is a new object with each drawing.
    // oxlint-disable-next-line exhaustive-deps
    [pair.actual, pair.expected, show, tolerance],
  );
  const scale = useMemo(() => scaleOf(show, report), [show, report]);
  const known = producer.state === 'known' ? producer.producer : null;
  const owners = useCallback(
    (view: View, rows: number, columns: number) =>
      known && tiles ? ownersIn(known.owners, shape, plane, view, rows, columns) : null,
    [known, tiles, shape, plane],
  );
  const markedAt = useMemo(() => {
    const place = props.marked === null ? null : placeOf(plane, unravel(props.marked, shape));
    return place ? { row: place[0], column: place[1] } : null;
  }, [props.marked, plane, shape]);
  const exact = tolerance.rtol === 0 && tolerance.atol === 0;
  const offered = SHOWS.filter(
    ([kind]) => (kind !== 'ulp' || report.ulp !== null) && (kind !== 'tolerance' || !exact),
  );
  return (
    <div className="stack" style={{ gap: 6 }}>
      <div className="compare-tools">
        <span className="segmented" role="group" aria-label="Which error is shown">
          {offered.map(([kind, title]) => (
            <button
              key={kind}
              type="button"
              aria-pressed={show === kind}
              onClick={() => props.onShow(kind)}
            >
              {title}
            </button>
          ))}
        </span>
        {known ? (
          <label title={`Lines between them, where they are ${LEAST_TILE} pixels apart: zoom in`}>
            <input
              type="checkbox"
              checked={tiles}
              onChange={(event) => setTiles(event.target.checked)}
            />{' '}
            Tiles of programs
          </label>
        ) : null}
      </div>
      <Picture
        label={`Errors of ${comparison.call?.actual ?? 'the tensor'} by element`}
        source={source}
        shape={shape}
        plane={plane}
        scale={scale}
        several="largest"
        describe={describeError(show)}
        {...(known
          ? { note: (index) => ownerText(known.owners[ravel(index, shape)], known.launch.grid) }
          : {})}
        onPick={(index) => props.onPick(ravel(index, shape))}
        marked={markedAt}
        owners={owners}
      />
      {producer.state === 'unknown' ? (
        <p className="muted">Which program wrote which element is not known: {producer.reason}.</p>
      ) : producer.state === 'looking' ? (
        <p className="muted">Looking for the programs that wrote it…</p>
      ) : (
        <p className="muted">
          Written by <span className="mono">{producer.producer.launch.kernel}</span> of line{' '}
          {producer.producer.launch.site.line}
          {producer.producer.side === 'expected' ? ' (the expected side)' : ''}.
        </p>
      )}
    </div>
  );
}

function describeError(show: ErrorKind): (value: number) => string {
  switch (show) {
    case 'tolerance':
      return (value) => `${formatNumber(value, 3)} × tolerance`;
    case 'ulp':
      return (value) => `${formatNumber(value, 3)} ULP`;
    case 'relative':
      return (value) => `${formatNumber(value, 3)} relative`;
    case 'absolute':
    case 'signed':
      return (value) => formatNumber(value, 4);
    default:
      return show satisfies never;
  }
}

/** Errors span decades, so magnitudes are drawn on a logarithmic scale. */
function scaleOf(show: ErrorKind, report: ErrorReport): Scale {
  const largest = report.maxAbsolute?.value ?? 0;
  if (show === 'signed') return { kind: 'diverging', low: -largest, high: largest };
  if (show === 'ulp')
    return { kind: 'magnitude', low: 0.5, high: Math.max(1, report.maxUlp?.value ?? 1), log: true };
  if (show === 'tolerance') {
    // White is just at the tolerance, what passes and what does not lie on its two sides.
    const high = Math.max(10, worstRatio(report));
    return { kind: 'diverging', low: 1 / high, high, log: true, faults: true };
  }
  // From the worst down to six decades below it.
  const high = show === 'relative' ? (report.maxRelative?.value ?? 0) : largest;
  return high > 0
    ? { kind: 'magnitude', low: high / 1e6, high, log: true }
    : { kind: 'magnitude', low: 0, high: 0 };
}
/** In tolerances. */
function worstRatio(report: ErrorReport): number {
  const [first] = report.worst.filter(({ absolute }) => absolute !== null);
  return first?.ratio ?? 1;
}

function ownersIn(
  owners: Int32Array,
  shape: readonly number[],
  plane: Plane,
  view: View,
  rows: number,
  columns: number,
): PlacedOwners {
  const walk = walkOf(shape, plane);
  const at = {
    top: Math.floor(view.top),
    left: Math.floor(view.left),
    bottom: Math.min(walk.rows, Math.ceil(view.bottom)),
    right: Math.min(walk.columns, Math.ceil(view.right)),
  };
  const cellRows = Math.min(rows, at.bottom - at.top);
  const cellColumns = Math.min(columns, at.right - at.left);
  const ids = new Int32Array(cellRows * cellColumns);
  for (let r = 0, i = 0; r < cellRows; r++) {
    const row = at.top + Math.floor((r * (at.bottom - at.top)) / cellRows);
    for (let c = 0; c < cellColumns; c++, i++) {
      const column = at.left + Math.floor((c * (at.right - at.left)) / cellColumns);
      ids[i] = owners[walk.start + row * walk.down + column * walk.across] ?? -1;
    }
  }
  return { ids, rows: cellRows, columns: cellColumns, at };
}
