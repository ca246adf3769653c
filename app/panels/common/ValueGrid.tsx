/**
 * A plane of a tensor as a table of exact values. Only the rows and columns in view are requested
 * and drawn, so a tensor of many millions scrolls as one of ten does; browsers limit how tall a
 * page can be, so above that the scroll bar is proportional.
 */
import { useEffect, useMemo, useRef, useState } from 'react';
import { planeSize, placeOf, wrapVector, type Plane } from '../../inspection/planes';
import { useData } from '../../state/tensorData';

const ROW = 20;
const HEAD = 20;
/** Taller than this browsers do not draw. */
const TALLEST = 8_000_000;
const OVERSCAN = 4;
/** A vector is broken into lines of so many. */
const PER_LINE = 8;

export function ValueGrid(props: {
  readonly label: string;
  readonly data: string;
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly plane: Plane;
}): React.ReactNode {
  const { data, shape, label } = props;
  const vector = shape.length <= 1;
  // A new object only where it says something new.
  const plane = useMemo(() => wrapVector(shape, props.plane, PER_LINE), [props.plane, shape]);
  const { rows, columns } = planeSize(shape, plane);
  const box = useRef<HTMLDivElement>(null);
  const [scroll, setScroll] = useState({ top: 0, left: 0, width: 600, height: 300 });
  const [lit, setLit] = useState<readonly [number, number] | null>(null);
  const width = widthOf(props.dtype);
  const head = 12 + 8 * String(vector ? (shape[0] ?? 0) : rows).length;

  const full = rows * ROW;
  const height = Math.min(TALLEST, full);
  const visible = Math.max(1, Math.floor((scroll.height - HEAD) / ROW));
  const track = Math.max(1, height + HEAD - scroll.height);
  const share = Math.min(1, scroll.top / track);
  const first =
    full <= TALLEST ? Math.floor(scroll.top / ROW) : Math.round(share * (rows - visible));
  const top = Math.max(0, Math.min(rows - visible, first));
  const bottom = Math.min(rows, top + visible + OVERSCAN);
  const left = Math.max(0, Math.floor(scroll.left / width));
  const right = Math.min(columns, left + Math.ceil(scroll.width / width) + 1);

  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const read = (): void =>
      setScroll({
        top: element.scrollTop,
        left: element.scrollLeft,
        width: element.clientWidth,
        height: element.clientHeight,
      });
    read();
    const observer = new ResizeObserver(read);
    observer.observe(element);
    element.addEventListener('scroll', read, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', read);
    };
  }, []);

  const found = useData({ kind: 'texts', data, plane, top, bottom, left, right });
  const known = found.state === 'known' ? found : null;
  const textAt = (row: number, column: number): string | undefined =>
    known?.answer[row - known.question.top]?.[column - known.question.left];

  const show = (index: readonly number[]): void => {
    const place = placeOf(plane, index);
    const element = box.current;
    if (!place || !element) return;
    const [row, column] = place;
    const to = Math.max(0, row - Math.floor(visible / 2));
    element.scrollTop = full <= TALLEST ? to * ROW : (to / Math.max(1, rows - visible)) * track;
    element.scrollLeft = Math.max(0, column * width - scroll.width / 2);
    setLit(place);
  };
  const label0 = (row: number): number => (vector ? row * PER_LINE : row);
  const list = (from: number, to: number): number[] =>
    Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i);
  return (
    <div className="stack" style={{ gap: 6 }}>
      {rows > visible || columns > 8 ? <GoTo shape={shape} plane={plane} onGo={show} /> : null}
      <div
        ref={box}
        className="value-grid"
        role="region"
        aria-label={label}
        tabIndex={0}
        style={{ height: Math.min(300, full + (vector ? 0 : HEAD) + 18) }}
      >
        <div className="spacer" style={{ height: height + HEAD, width: head + columns * width }}>
          <table
            aria-rowcount={rows}
            aria-colcount={columns}
            style={{ width: head + (right - left) * width }}
          >
            <colgroup>
              <col style={{ width: head }} />
              {list(left, right).map((column) => (
                <col key={column} style={{ width }} />
              ))}
            </colgroup>
            {vector ? null : (
              <thead>
                <tr>
                  <td />
                  {list(left, right).map((column) => (
                    <th key={column} scope="col">
                      {column}
                    </th>
                  ))}
                </tr>
              </thead>
            )}
            <tbody>
              {list(top, bottom).map((row) => (
                <tr key={row} aria-rowindex={row + 1}>
                  <th scope="row">{label0(row)}</th>
                  {list(left, right).map((column) => {
                    const text = textAt(row, column);
                    const isLit = lit !== null && lit[0] === row && lit[1] === column;
                    return (
                      <td key={column} className={classOf(text, isLit)}>
                        {text ?? (vector ? '' : '…')}
                      </td>
                    );
                  })}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </div>
      {found.state === 'failed' ? <p className="sign fail">{found.message}</p> : null}
    </div>
  );
}

function classOf(text: string | undefined, lit: boolean): string | undefined {
  const kind =
    text === undefined ? '' : /nan|inf/.test(text) ? 'odd' : /^-?0(\.0)?$/.test(text) ? 'zero' : '';
  const both = `${kind}${lit ? ' lit' : ''}`.trim();
  return both === '' ? undefined : both;
}

function widthOf(dtype: string): number {
  if (dtype === 'float64') return 184;
  if (dtype === 'float32') return 116;
  if (dtype.includes('64')) return 176;
  if (dtype === 'int32' || dtype === 'uint32') return 104;
  return 84;
}

function GoTo(props: {
  readonly shape: readonly number[];
  readonly plane: Plane;
  readonly onGo: (index: readonly number[]) => void;
}): React.ReactNode {
  const [text, setText] = useState('');
  const numbers = text.split(/[\s,[\]]+/).filter((part) => part !== '');
  const { plane, shape } = props;
  const axes = [plane.down, plane.across].filter((axis) => axis !== null);
  const whole = numbers.length === shape.length;
  const index = whole
    ? numbers.map(Number)
    : plane.at.map((at, axis) => {
        const place = axes.indexOf(axis);
        return place < 0 ? at : Number(numbers[place]);
      });
  const valid =
    (whole || numbers.length === axes.length) &&
    index.every((each, axis) => Number.isInteger(each) && each >= 0 && each < shape[axis]!);
  const inPlane = valid && placeOf(plane, index) !== null;
  return (
    <form
      className="slices"
      onSubmit={(event) => {
        event.preventDefault();
        if (inPlane) props.onGo(index);
      }}
    >
      <label>
        Go to index
        <input
          className="field"
          value={text}
          placeholder={shape.map((size) => Math.max(0, size - 1)).join(', ')}
          aria-invalid={text !== '' && !inPlane}
          onChange={(event) => setText(event.target.value)}
        />
      </label>
      <button type="submit" className="link" disabled={!inPlane}>
        Go
      </button>
      {text !== '' && !inPlane ? (
        <span className="muted">
          {valid ? 'That index is in another slice.' : `Indices below ${shape.join(', ')}.`}
        </span>
      ) : null}
    </form>
  );
}
