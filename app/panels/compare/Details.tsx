/** One comparison in full: what differs, by how much, where, and which program wrote it. */
import { lazy, Suspense, useMemo, useState } from 'react';
import type { ErrorKind, ErrorReport, Tolerance } from '../../inspection/errors';
import { ravel, unravel } from '../../inspection/elements';
import { defaultPlane, placeOf, type Plane } from '../../inspection/planes';
import type { ComparisonEvent, RunRecord } from '../../state/record';
import { useData } from '../../state/tensorData';
import { dataShare } from '../../workers/dataHost';
import type { PairOfData } from '../../workers/dataProtocol';
import { Fact } from '../common/Fact';
import { formatBytes, formatCount, formatExact, formatNumber, plural } from '../common/format';
import { Heatmap } from '../common/Heatmap';
import { Site } from '../common/Site';
import { Slices } from '../common/Slices';
import { ByProgram, Unowned, useErrorsByProgram } from './ByProgram';
import { DebugElement } from './DebugElement';
import { ErrorHistograms } from './ErrorHistograms';
import { ErrorPicture } from './ErrorPicture';
import { ProgramLink } from './ProgramLink';
import { Races } from './Races';
import { ToleranceTool } from './ToleranceTool';
import { useProducer, type Producer } from './useProducer';
import type { Pair } from './WhyWrong';
import { WorstElements } from './WorstElements';

/** Only runs with a comparison need it. */
const WhyWrong = lazy(async () => ({ default: (await import('./WhyWrong')).WhyWrong }));

interface Props {
  readonly record: RunRecord;
  readonly comparison: ComparisonEvent;
  /** Races were looked for. */
  readonly onRacesChecked: () => void;
}

export function Details(props: Props): React.ReactNode {
  const { comparison } = props;
  const { actual, expected } = comparison;
  // Nothing was compared where shapes differ: the head says so.
  if (comparison.message !== null && comparison.count === 0)
    return (
      <div className="compare-body">
        <Site site={comparison.site} />
      </div>
    );
  if (!actual?.data || !expected?.data) return <EventSummary comparison={comparison} />;
  const pair = { actual: actual.data, expected: expected.data };
  return <Held {...props} pair={pair} />;
}

function toleranceText({ kind, atol, rtol }: ComparisonEvent): string {
  if (kind === 'equal' || (atol === 0 && rtol === 0)) return 'none: every element must be equal';
  return `|error| ≤ ${formatNumber(atol)} + ${formatNumber(rtol)} × |expected|`;
}

function Held(props: Props & { readonly pair: PairOfData }): React.ReactNode {
  const { record, comparison, pair } = props;
  const { rtol, atol, equalNan, shape } = comparison;
  const tolerance = useMemo((): Tolerance => ({ rtol, atol, equalNan }), [rtol, atol, equalNan]);
  const found = useData({ kind: 'errors', pair, tolerance });
  const producer = useProducer(record, comparison);
  const [plane, setPlane] = useState<Plane>(() => planeOfFirst(comparison));
  const [show, setShow] = useState<ErrorKind>(rtol === 0 && atol === 0 ? 'absolute' : 'tolerance');
  const [marked, setMarked] = useState<number | null>(null);
  const report = found.state === 'known' ? found.answer : null;
  const known = producer.state === 'known' ? producer.producer : null;
  const exact = report?.maxAbsolute?.value === 0 && report.over === 0;
  // Programs are left out where nothing differs.
  const programs = useErrorsByProgram(pair, tolerance, exact ? null : known);
  // The element that was picked, else the first wrong one.
  const firstWrong = comparison.first ? ravel(comparison.first.index, shape) : null;
  const suspect = marked ?? firstWrong;
  const pick = (flat: number): void => {
    setMarked(flat);
    const index = unravel(flat, shape);
    if (placeOf(plane, index) === null) setPlane({ ...plane, at: index });
  };
  return (
    <div className="compare-body">
      <Facts comparison={comparison} report={report} />
      {comparison.derived ? <p className="derived">{comparison.derived.reason}</p> : null}
      {comparison.passed ? null : <Pattern pair={pair} tolerance={tolerance} />}
      <FirstMismatch comparison={comparison} producer={known} onPick={pick} />
      {programs && known ? (
        <Unowned found={programs} producer={known} over={comparison.mismatches} />
      ) : null}
      <Races producer={known} onChecked={props.onRacesChecked} />
      {report && record.adapter?.flushesDenormals ? <Flushed count={report.flushed} /> : null}
      {found.state === 'failed' ? <p className="sign fail">{found.message}</p> : null}
      {found.state === 'waiting' ? <p className="muted">Comparing element by element…</p> : null}
      {exact ? (
        <p className="muted">Every element is exactly equal.</p>
      ) : report ? (
        <>
          <Slices shape={shape} plane={plane} onChange={setPlane} />
          <ErrorPicture
            {...{ comparison, pair, tolerance, report, plane, show, producer, marked }}
            onShow={setShow}
            onPick={pick}
          />
          {known && marked !== null ? (
            <p>
              <span className="mono">[{unravel(marked, shape).join(', ')}]</span>{' '}
              <ProgramLink producer={known} owner={known.owners[marked]} />{' '}
              <DebugElement producer={known} flat={marked} />
            </p>
          ) : null}
          {known && suspect !== null ? (
            <Suspense fallback={null}>
              <WhyWrong
                key={`${comparison.id} ${suspect}`}
                producer={known}
                flat={suspect}
                values={valuesAt(suspect, comparison, report)}
              />
            </Suspense>
          ) : null}
          <WorstElements {...{ report, shape, producer, marked }} onPick={pick} />
          {programs && known ? (
            <ByProgram found={programs} shape={shape} producer={known} onPick={pick} />
          ) : null}
          <ErrorHistograms report={report} tolerance={tolerance} />
          <ToleranceTool
            pair={pair}
            tolerance={tolerance}
            report={report}
            shape={shape}
            dtype={comparison.dtype}
          />
        </>
      ) : null}
    </div>
  );
}

/** An element's two values, where the page has them. */
function valuesAt(
  flat: number,
  { first, shape }: ComparisonEvent,
  report: ErrorReport,
): Pair | null {
  if (first && ravel(first.index, shape) === flat)
    return { actual: Number(first.actual), expected: Number(first.expected) };
  const worst = report.worst.find((element) => element.flat === flat);
  return worst ? { actual: Number(worst.actual), expected: Number(worst.expected) } : null;
}

/** The slice with the first mismatch in it. */
function planeOfFirst({ shape, first }: ComparisonEvent): Plane {
  const plane = defaultPlane(shape);
  return first && first.index.length === shape.length ? { ...plane, at: first.index } : plane;
}

function Facts(props: {
  readonly comparison: ComparisonEvent;
  readonly report: ErrorReport | null;
}): React.ReactNode {
  const { comparison, report } = props;
  const { shape } = comparison;
  const at = (flat: number): string => ` at [${unravel(flat, shape).join(', ')}]`;
  const { maxAbsolute, maxRelative } = comparison;
  return (
    <dl className="facts">
      <Fact name="tolerance">{toleranceText(comparison)}</Fact>
      <Fact name="exceeding" bad={comparison.mismatches > 0}>
        {formatCount(comparison.mismatches)} of {formatCount(comparison.count)}
      </Fact>
      <Fact name="max |error|">
        {formatNumber(maxAbsolute, 3)}
        {report?.maxAbsolute && report.maxAbsolute.value > 0 ? at(report.maxAbsolute.flat) : ''}
      </Fact>
      <Fact name="max rel. error">
        {formatNumber(maxRelative, 3)}
        {report?.maxRelative && report.maxRelative.value > 0 ? at(report.maxRelative.flat) : ''}
      </Fact>
      {report?.maxUlp ? (
        <Fact name={`max ULP of ${report.ulpDtype ?? ''}`}>
          {formatNumber(report.maxUlp.value, 3)}
          {report.maxUlp.value > 0 ? at(report.maxUlp.flat) : ''}
        </Fact>
      ) : null}
      {report?.meanAbsolute ? (
        <Fact name="mean |error|">{formatNumber(report.meanAbsolute, 3)}</Fact>
      ) : null}
      {report ? <Apart report={report} equalNan={comparison.equalNan} /> : null}
      <div>
        <dd>
          <Site site={comparison.site} />
        </dd>
      </div>
    </dl>
  );
}

/** NaN and infinities, which no tolerance speaks of. */
function Apart(props: {
  readonly report: ErrorReport;
  readonly equalNan: boolean;
}): React.ReactNode {
  const { nan, infinity } = props.report;
  const list = (entries: readonly (readonly [number, string])[]): string =>
    entries
      .filter(([count]) => count > 0)
      .map(([count, what]) => `${formatCount(count)} ${what}`)
      .join(', ');
  const nans = list([
    [nan.actual, 'in actual only'],
    [nan.expected, 'in expected only'],
    [nan.both, props.equalNan ? 'in both (equal here)' : 'in both (not equal here)'],
  ]);
  const infinities = list([
    [infinity.actual, 'in actual only'],
    [infinity.expected, 'in expected only'],
    [infinity.sign, 'of opposite signs'],
  ]);
  const isBad = nan.actual + nan.expected + (props.equalNan ? 0 : nan.both) > 0;
  return (
    <>
      <Fact name="NaN" bad={isBad}>
        {nans === '' ? 'none' : nans}
      </Fact>
      <Fact name="inf mismatches" bad={infinities !== ''}>
        {infinities === '' ? 'none' : infinities}
      </Fact>
    </>
  );
}

/** The error pattern in a sentence; nothing where there is none. */
function Pattern(props: {
  readonly pair: PairOfData;
  readonly tolerance: Tolerance;
}): React.ReactNode {
  const found = useData({ kind: 'pattern', pair: props.pair, tolerance: props.tolerance });
  const pattern = found.state === 'known' ? found.answer : null;
  if (!pattern || (pattern.where === null && pattern.relation === null)) return null;
  const { where, relation } = pattern;
  return (
    <p className="mismatch error-pattern">
      {where === null ? null : `Wrong: ${where}. `}
      {relation === null
        ? null
        : `${where === null ? 'In each wrong element' : 'There'}, ${relation}.`}
    </p>
  );
}

/** Why small numbers are 0: no fault of the kernel. */
function Flushed({ count }: { readonly count: number }): React.ReactNode {
  if (count === 0) return null;
  return (
    <p className="muted">
      {plural(count, 'element')} {count === 1 ? 'is' : 'are'} 0 on one side and a denormal (below
      1.18e-38) on the other: this adapter flushes denormals to zero, CUDA keeps them.
    </p>
  );
}

/** In the order of the elements, as PyTorch would come upon it. */
function FirstMismatch(props: {
  readonly comparison: ComparisonEvent;
  readonly producer?: Producer | null;
  readonly onPick?: (flat: number) => void;
}): React.ReactNode {
  const { comparison, producer } = props;
  const { first, shape } = comparison;
  if (!first) return null;
  const flat = ravel(first.index, shape);
  return (
    <p className="mismatch">
      First mismatch at <span className="mono">[{first.index.join(', ')}]</span>: got{' '}
      <b className="mono">{formatExact(first.actual)}</b>, expected{' '}
      <b className="mono">{formatExact(first.expected)}</b>
      {producer ? (
        <>
          {' · '}
          <ProgramLink
            producer={producer}
            owner={producer.owners[flat]}
            onPick={() => props.onPick?.(flat)}
          />{' '}
          <DebugElement producer={producer} flat={flat} />
        </>
      ) : null}
    </p>
  );
}

/** The event's own figures, where the elements are not held. */
function EventSummary({ comparison }: { readonly comparison: ComparisonEvent }): React.ReactNode {
  const { heatmap } = comparison;
  return (
    <div className="compare-body">
      <Facts comparison={comparison} report={null} />
      <p className="muted">
        {comparison.actual === null
          ? comparison.site.file === ''
            ? 'A hidden check compared these. The map is all that it shows.'
            : 'The elements of these two tensors stayed where the program ran.'
          : `The elements of these two tensors were not kept: this page keeps up to ${formatBytes(dataShare())} of those that ${comparison.passed ? 'passed' : 'failed'}.`}
      </p>
      <FirstMismatch comparison={comparison} />
      {heatmap && heatmap.values.length > 0 ? (
        <Heatmap preview={heatmap} errors label="Absolute error by place" />
      ) : null}
    </div>
  );
}
