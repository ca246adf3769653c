/**
 * Everything about a tensor: facts, statistics, histogram, a picture to look around in, its values,
 * and ways to take them along. Where its elements are not held, what the event said of it, and why.
 */
import { lazy, Suspense, useMemo, useState } from 'react';
import type { TensorSummary } from '../../events';
import { defaultPlane, type Plane } from '../../inspection/planes';
import type { Statistics } from '../../inspection/statistics';
import { useData } from '../../state/tensorData';
import { dataShare } from '../../workers/dataHost';
import { scaleFor } from '../common/colormap';
import { Fact } from '../common/Fact';
import { formatBytes, formatCount, formatNumber, formatShape } from '../common/format';
import { Heatmap } from '../common/Heatmap';
import { Histogram, type Bar } from '../common/Histogram';
import { Picture } from '../common/Picture';
import { Slices } from '../common/Slices';
import { ValueGrid } from '../common/ValueGrid';
import { Values } from './Values';

const ITEM_BYTES: Readonly<Record<string, number>> = { bool: 1, bfloat16: 2, complex64: 8 };
const Exports = lazy(async () => ({ default: (await import('./Exports')).Exports }));

export function TensorView(props: {
  readonly tensor: TensorSummary;
  readonly label: string;
}): React.ReactNode {
  const { tensor } = props;
  const { data } = tensor.place;
  return (
    <div className="tensor-body">
      <Facts tensor={tensor} />
      {tensor.count === 0 ? (
        <p className="muted">It has no elements.</p>
      ) : data === null ? (
        <Sample {...props} />
      ) : (
        <Held {...props} data={data} key={data} />
      )}
    </div>
  );
}

function itemBytes(dtype: string): number {
  return ITEM_BYTES[dtype] ?? Number(/\d+/.exec(dtype.replace(/_.*/, ''))?.[0] ?? 32) / 8;
}

function Facts({ tensor }: { readonly tensor: TensorSummary }): React.ReactNode {
  const { place, also, shape } = tensor;
  const dense = shape.reduceRight(
    (step, size, axis) => (size === 1 || place.strides[axis] === step ? step * size : NaN),
    1,
  );
  return (
    <dl className="facts">
      <Fact name="shape">{formatShape(shape)}</Fact>
      <Fact name="dtype">{tensor.dtype}</Fact>
      <Fact name="device">{tensor.device}</Fact>
      <Fact name="strides">
        {formatShape(place.strides)}
        {dense === dense ? '' : ' (not contiguous)'}
      </Fact>
      {place.offset > 0 ? <Fact name="offset">{formatCount(place.offset)}</Fact> : null}
      <Fact name="elements">{formatCount(tensor.count)}</Fact>
      <Fact name="bytes">{formatBytes(tensor.count * itemBytes(tensor.dtype))}</Fact>
      {also.length > 0 ? <Fact name="also">{also.join(', ')}</Fact> : null}
    </dl>
  );
}

function Held(props: {
  readonly tensor: TensorSummary;
  readonly label: string;
  readonly data: string;
}): React.ReactNode {
  const { tensor, label, data } = props;
  const [view, setView] = useState<'picture' | 'values'>('picture');
  const [plane, setPlane] = useState<Plane>(() => defaultPlane(tensor.shape));
  const source = useMemo(() => ({ kind: 'values', data }) as const, [data]);
  const found = useData({ kind: 'statistics', data });
  const { min, max } = tensor;
  const scale = useMemo(() => scaleFor([min ?? 0, max ?? 0], false), [min, max]);
  return (
    <>
      <div className="tensor-tools">
        <span className="segmented" role="group" aria-label={`How to show ${label}`}>
          {(['picture', 'values'] as const).map((kind) => (
            <button
              key={kind}
              type="button"
              aria-pressed={view === kind}
              onClick={() => setView(kind)}
            >
              {kind === 'picture' ? 'Heatmap' : 'Values'}
            </button>
          ))}
        </span>
        <Suspense fallback={null}>
          <Exports tensor={tensor} data={data} plane={plane} />
        </Suspense>
      </div>
      <Slices shape={tensor.shape} plane={plane} onChange={setPlane} />
      <div className="tensor-columns">
        <div className="wide">
          {view === 'picture' ? (
            <Picture
              label={`Values of ${label}`}
              source={source}
              shape={tensor.shape}
              plane={plane}
              scale={scale}
              several="mean"
            />
          ) : (
            <ValueGrid
              label={`Values of ${label}`}
              data={data}
              dtype={tensor.place.dtype}
              shape={tensor.shape}
              plane={plane}
            />
          )}
        </div>
        <div className="narrow">
          {found.state === 'known' ? <Numbers statistics={found.answer} label={label} /> : null}
          {found.state === 'waiting' ? <p className="muted">Counting…</p> : null}
          {found.state === 'failed' ? <p className="sign fail">{found.message}</p> : null}
        </div>
      </div>
    </>
  );
}

function Numbers(props: {
  readonly statistics: Statistics;
  readonly label: string;
}): React.ReactNode {
  const { statistics: s, label } = props;
  const infinities = s.positiveInfinity + s.negativeInfinity;
  return (
    <>
      <dl className="numbers">
        <Fact name="min" title={String(s.min)}>
          {formatNumber(s.min)}
        </Fact>
        <Fact name="max" title={String(s.max)}>
          {formatNumber(s.max)}
        </Fact>
        <Fact name="mean" title={String(s.mean)}>
          {formatNumber(s.mean)}
        </Fact>
        <Fact name="std" title={String(s.std)}>
          {formatNumber(s.std)}
        </Fact>
        <Fact name="NaN" bad={s.nan > 0}>
          {formatCount(s.nan)}
        </Fact>
        <Fact name="inf" bad={infinities > 0}>
          {s.negativeInfinity > 0
            ? `${formatCount(s.positiveInfinity)} +, ${formatCount(s.negativeInfinity)} −`
            : formatCount(infinities)}
        </Fact>
        <Fact name="zeros">
          {formatCount(s.zeros)}
          {s.negativeZeros > 0 ? ` (${formatCount(s.negativeZeros)} are −0)` : ''}
        </Fact>
        {s.subnormal > 0 ? <Fact name="subnormal">{formatCount(s.subnormal)}</Fact> : null}
      </dl>
      {s.histogram && s.count > 1 ? (
        <Histogram
          label={`Histogram of ${label}`}
          bars={barsOf(s.histogram)}
          low={formatNumber(s.histogram.low, 3)}
          high={formatNumber(s.histogram.high, 3)}
        />
      ) : null}
    </>
  );
}

function barsOf(histogram: NonNullable<Statistics['histogram']>): Bar[] {
  const { low, high, counts, discrete } = histogram;
  const width = (high - low) / counts.length;
  return counts.map((count, bin) => {
    const from = formatNumber(low + bin * width, 4);
    const to = formatNumber(low + (bin + 1) * width, 4);
    return { label: discrete ? formatNumber(low + bin) : `${from} to ${to}`, count };
  });
}

/** Elements in the event itself: 64×64 at the most. */
function Sample(props: {
  readonly tensor: TensorSummary;
  readonly label: string;
}): React.ReactNode {
  const { tensor, label } = props;
  const [view, setView] = useState<'picture' | 'values'>('picture');
  const { preview } = tensor;
  return (
    <>
      <p className="muted">
        Only a sample is kept: this page keeps up to {formatBytes(dataShare())} of a run’s tensors.
      </p>
      <dl className="facts">
        <Fact name="min">{formatNumber(tensor.min)}</Fact>
        <Fact name="max">{formatNumber(tensor.max)}</Fact>
        <Fact name="mean">{formatNumber(tensor.mean)}</Fact>
        <Fact name="NaN" bad={tensor.nanCount > 0}>
          {formatCount(tensor.nanCount)}
        </Fact>
        <Fact name="inf" bad={tensor.infCount > 0}>
          {formatCount(tensor.infCount)}
        </Fact>
      </dl>
      <div>
        <button
          type="button"
          className="link"
          onClick={() => setView(view === 'picture' ? 'values' : 'picture')}
        >
          {view === 'picture' ? 'Show values' : 'Show heatmap'}
        </button>
      </div>
      {view === 'picture' ? (
        <Heatmap preview={preview} label={`Values of ${label}`} />
      ) : (
        <Values preview={preview} label={`Values of ${label}`} />
      )}
    </>
  );
}
