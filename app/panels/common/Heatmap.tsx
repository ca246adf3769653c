/**
 * A preview of a tensor as colours. Each cell is one element of a strided sample, or the largest
 * error of a block; NaN is drawn as a diagonal hatch, infinities as crossed lines, so they cannot
 * be taken for values.
 */
import { useEffect, useMemo, useRef, useState } from 'react';
import type { Preview } from '../../events';
import { colorOf, cssRamp, scaleFor, type Scale } from './colormap';
import { formatNumber } from './format';
import { hatches } from './hatch';

const WIDTH = 384;
const HEIGHT = 256;

function cellSize(preview: Preview): { readonly width: number; readonly height: number } {
  const width = Math.max(1, Math.min(24, Math.floor(WIDTH / Math.max(1, preview.columns))));
  const height = Math.max(1, Math.min(24, Math.floor(HEIGHT / Math.max(1, preview.rows))));
  // A vector is a strip, a matrix has square cells.
  return preview.rows === 1 ? { width, height: 24 } : squareOf(Math.min(width, height));
}
const squareOf = (side: number): { width: number; height: number } => ({
  width: side,
  height: side,
});

function draw(canvas: HTMLCanvasElement, preview: Preview, scale: Scale): void {
  const context = canvas.getContext('2d');
  if (!context) return;
  const { width, height } = cellSize(preview);
  const patterns = hatches(context);
  for (let row = 0; row < preview.rows; row++)
    for (let column = 0; column < preview.columns; column++) {
      const value = preview.values[row * preview.columns + column];
      if (value === undefined) continue;
      if (typeof value === 'number') context.fillStyle = `rgb(${colorOf(value, scale).join(' ')})`;
      else context.fillStyle = patterns[value === 'nan' ? 'nan' : 'infinity'] ?? '#b3301a';
      context.fillRect(column * width, row * height, width, height);
    }
}

export function Heatmap(props: {
  readonly preview: Preview;
  readonly label: string;
  /** Values are absolute errors: the scale starts at zero. */
  readonly errors?: boolean;
}): React.ReactNode {
  const { preview, label, errors = false } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const [at, setAt] = useState<readonly [number, number] | null>(null);
  const scale = useMemo(() => scaleFor(preview.values, errors), [preview, errors]);
  const { width, height } = cellSize(preview);
  useEffect(() => {
    if (canvas.current) draw(canvas.current, preview, scale);
  }, [preview, scale]);

  const locate = (event: React.MouseEvent): void => {
    const box = event.currentTarget.getBoundingClientRect();
    const column = Math.floor(((event.clientX - box.left) / box.width) * preview.columns);
    const row = Math.floor(((event.clientY - box.top) / box.height) * preview.rows);
    const inside = row >= 0 && column >= 0 && row < preview.rows && column < preview.columns;
    setAt(inside ? [row, column] : null);
  };
  let readout = '';
  if (at) {
    const [row, column] = at;
    const value = preview.values[row * preview.columns + column] ?? null;
    const [r, c] = [row * preview.rowStep, column * preview.columnStep];
    const block = errors && (preview.rowStep > 1 || preview.columnStep > 1);
    const place = preview.rows === 1 ? `[${c}]` : `[${r}, ${c}]`;
    readout = `${block ? 'block from ' : ''}${place}: ${formatNumber(value)}`;
  }
  const sampled = preview.rowStep > 1 || preview.columnStep > 1;
  const vector = preview.rows === 1;
  const { rowStep, columnStep } = preview;
  const steps = errors
    ? `each cell: the largest of ${vector ? columnStep : `${rowStep}×${columnStep}`}`
    : vector
      ? `every ${ordinal(columnStep)}element`
      : `every ${ordinal(rowStep)}row, every ${ordinal(columnStep)}column`;
  return (
    <div className="heatmap">
      <canvas
        ref={canvas}
        role="img"
        aria-label={label}
        width={preview.columns * width}
        height={preview.rows * height}
        onMouseMove={locate}
        onMouseLeave={() => setAt(null)}
      />
      <div className="scale">
        <span>{formatNumber(scale.low, 3)}</span>
        <span className="ramp" style={{ background: cssRamp(scale) }} />
        <span>{formatNumber(scale.high, 3)}</span>
        <span className="muted">{readout || (sampled ? steps : '')}</span>
      </div>
    </div>
  );
}

/** `every row`, `every 2nd row`: the number with its ending, nothing for 1. */
function ordinal(step: number): string {
  if (step === 1) return '';
  const last = step % 100;
  const ending = last >= 11 && last <= 13 ? 'th' : (['th', 'st', 'nd', 'rd'][last % 10] ?? 'th');
  return `${step}${ending} `;
}
