/** All elements of a tile: numbers on the colours of a heatmap, with slice pickers from three dimensions on. */
import { useMemo, useState } from 'react';
import type { TileValues } from '../../../compiler/inspect/debugSession';
import { CanvasGrid } from '../common/CanvasGrid';
import { colorOf, scaleFor } from '../common/colormap';
import { formatNumber, formatShape } from '../common/format';

const CELL = { width: 72, height: 20 };
const HEIGHT = 240;
/** Elements in a row of a vector. */
const VECTOR_COLUMNS = 8;

export function ValueGrid({ values }: { readonly values: TileValues }): React.ReactNode {
  const { name, shape, type } = values;
  const [slice, setSlice] = useState<readonly number[]>([]);
  const [hover, setHover] = useState<{ row: number; column: number } | null>(null);
  const scale = useMemo(
    () => scaleFor(Array.from(values.values, Number).filter(Number.isFinite), false),
    [values],
  );
  const rank = shape.length;
  const columns = rank === 0 ? 1 : rank === 1 ? Math.min(VECTOR_COLUMNS, shape[0]!) : shape.at(-1)!;
  const rows = rank <= 1 ? Math.ceil((shape[0] ?? 1) / columns) : shape.at(-2)!;
  const leading = shape.slice(0, Math.max(0, rank - 2));
  const base = leading.reduce((flat, size, d) => flat * size + (slice[d] ?? 0), 0) * rows * columns;
  const at = (row: number, column: number): number => base + row * columns + column;
  const indices = (row: number, column: number): string => {
    if (rank === 0) return '';
    if (rank === 1) return `[${row * columns + column}]`;
    return `[${[...leading.map((_, d) => slice[d] ?? 0), row, column].join(', ')}]`;
  };
  const isTruth = /i1>?$/.test(type);
  const isPointer = type.includes('ptr');
  const textOf = (value: number | bigint | undefined): string => {
    if (value === undefined) return '';
    if (isTruth) return value ? 'True' : 'False';
    if (isPointer) return `0x${value.toString(16)}`;
    return typeof value === 'bigint' ? String(value) : formatNumber(value, 5);
  };
  return (
    <div className="value-grid">
      <p className="readout">
        <b className="mono">
          {name}
          {hover ? indices(hover.row, hover.column) : ''}
        </b>{' '}
        {hover ? (
          <span className="mono">{String(values.values[at(hover.row, hover.column)] ?? '')}</span>
        ) : (
          <span className="muted">{formatShape(shape)}</span>
        )}
        {leading.map((size, d) => (
          <label key={d} className="muted">
            {' '}
            dim {d}{' '}
            <input
              className="field number"
              type="number"
              min={0}
              max={size - 1}
              value={slice[d] ?? 0}
              onChange={(event) => {
                const next = leading.map((_, each) => slice[each] ?? 0);
                const wanted = Math.round(event.target.valueAsNumber) || 0;
                next[d] = Math.max(0, Math.min(size - 1, wanted));
                setSlice(next);
              }}
            />
          </label>
        ))}
      </p>
      <CanvasGrid
        label={`Values of ${name}`}
        rows={rows}
        columns={columns}
        cellWidth={CELL.width}
        cellHeight={CELL.height}
        height={HEIGHT}
        onHover={setHover}
        draw={(brush, window) => {
          brush.font = '11px "JetBrains Mono Variable", monospace';
          brush.textAlign = 'right';
          brush.textBaseline = 'middle';
          for (let r = 0; r < window.rows; r++)
            for (let c = 0; c < window.columns; c++) {
              const value = values.values[at(window.row + r, window.column + c)];
              if (value === undefined) continue;
              const number = Number(value);
              const rgb =
                Number.isFinite(number) && !isPointer ? colorOf(number, scale) : [128, 128, 128];
              brush.fillStyle = `rgb(${rgb.join(' ')})`;
              brush.fillRect(c * CELL.width, r * CELL.height, CELL.width - 1, CELL.height - 1);
              const light = 0.299 * rgb[0]! + 0.587 * rgb[1]! + 0.114 * rgb[2]!;
              brush.fillStyle = light > 140 ? '#10201f' : '#ffffff';
              const text = textOf(value);
              brush.fillText(
                text,
                (c + 1) * CELL.width - 6,
                (r + 0.5) * CELL.height,
                CELL.width - 10,
              );
            }
        }}
      />
    </div>
  );
}
