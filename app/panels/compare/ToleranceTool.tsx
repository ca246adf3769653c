/** Another tolerance tried on the same two tensors, and the least that lets all pass. */
import { useState } from 'react';
import { unravel } from '../../inspection/elements';
import type { ErrorReport, Tolerance } from '../../inspection/errors';
import { useData } from '../../state/tensorData';
import type { PairOfData } from '../../workers/dataProtocol';
import { formatCount, formatNumber } from '../common/format';

/** Decades of the sliders; below it is 0. */
const LEAST = -12;
const MOST = 2;
const STEPS = 4;

export function ToleranceTool(props: {
  readonly pair: PairOfData;
  readonly tolerance: Tolerance;
  readonly report: ErrorReport;
  readonly shape: readonly number[];
  readonly dtype: string;
}): React.ReactNode {
  const { pair, tolerance, report, shape } = props;
  const [tried, setTried] = useState<Tolerance>(tolerance);
  const found = useData({ kind: 'over', pair, tolerance: tried });
  const { needed } = report;
  const answer = found.state === 'known' ? found.answer : null;
  const own = tried.rtol === tolerance.rtol && tried.atol === tolerance.atol;
  return (
    <section className="tolerance" aria-label="What would pass">
      <h4>What would pass</h4>
      <p>
        {needed.atol === null ? (
          <>No tolerance lets all elements pass: some are NaN or infinite on one side only.</>
        ) : report.over === 0 ? (
          <>
            Passes. atol ≥ <b className="mono">{formatNumber(roundUp(needed.atol), 3)}</b> would
            pass too with this rtol
            {needed.ulp === null ? '' : `, and so would ${formatNumber(needed.ulp, 3)} ULP`}.
          </>
        ) : (
          <>
            All elements would pass with atol ={' '}
            <Use value={needed.atol} onUse={(atol) => setTried({ ...tolerance, atol })} />
            {needed.rtol === null ? null : (
              <>
                , or with rtol ={' '}
                <Use value={needed.rtol} onUse={(rtol) => setTried({ ...tolerance, rtol })} />
              </>
            )}
            {needed.ulp === null ? '' : `, or within ${formatNumber(needed.ulp, 3)} ULP`}.
          </>
        )}
      </p>
      <div className="tolerance-sliders">
        <Slider name="rtol" value={tried.rtol} onChange={(rtol) => setTried({ ...tried, rtol })} />
        <Slider name="atol" value={tried.atol} onChange={(atol) => setTried({ ...tried, atol })} />
        {own ? null : (
          <button type="button" className="link" onClick={() => setTried(tolerance)}>
            As the program has it
          </button>
        )}
      </div>
      <p aria-live="polite">
        {answer === null ? (
          <span className="muted">Counting…</span>
        ) : answer.over === 0 ? (
          <span className="sign pass">✓ all {formatCount(report.count)} elements pass</span>
        ) : (
          <>
            <span className="sign fail">✗ {formatCount(answer.over)}</span> of{' '}
            {formatCount(report.count)} elements are over
            {answer.first === null
              ? ''
              : `, the first at [${unravel(answer.first, shape).join(', ')}]`}
          </>
        )}
      </p>
    </section>
  );
}

/** Up to three digits, so that what is said does pass. */
export function roundUp(value: number): number {
  if (!(value > 0)) return 0;
  const unit = 10 ** (Math.floor(Math.log10(value)) - 2);
  const rounded = Math.ceil(value / unit) * unit;
  return Number(rounded.toPrecision(3));
}

function Use(props: {
  readonly value: number;
  readonly onUse: (value: number) => void;
}): React.ReactNode {
  const value = roundUp(props.value);
  return (
    <button type="button" className="link mono" onClick={() => props.onUse(value)}>
      {formatNumber(value, 3)}
    </button>
  );
}

function Slider(props: {
  readonly name: string;
  readonly value: number;
  readonly onChange: (value: number) => void;
}): React.ReactNode {
  const { name, value, onChange } = props;
  const [text, setText] = useState<string | null>(null);
  const position =
    value > 0 ? Math.max(LEAST, Math.min(MOST, Math.log10(value))) : LEAST - 1 / STEPS;
  const commit = (): void => {
    const number = Number(text);
    if (text !== null && text.trim() !== '' && number >= 0 && number < Infinity) onChange(number);
    setText(null);
  };
  return (
    <label>
      <span className="mono">{name}</span>
      <input
        type="range"
        min={LEAST - 1 / STEPS}
        max={MOST}
        step={1 / STEPS}
        value={position}
        aria-label={`${name} on a logarithmic scale`}
        aria-valuetext={formatNumber(value, 3)}
        onChange={(event) => {
          const at = event.target.valueAsNumber;
          onChange(at < LEAST ? 0 : Number((10 ** at).toPrecision(3)));
        }}
      />
      <input
        className="field mono"
        inputMode="decimal"
        aria-label={`${name} as a number`}
        value={text ?? formatNumber(value, 3)}
        onChange={(event) => setText(event.target.value)}
        onBlur={commit}
        onKeyDown={(event) => {
          if (event.key === 'Enter') commit();
        }}
      />
    </label>
  );
}
