/**
 * All elements of a tile: numbers on the colours of a heatmap, with slice pickers from three
 * dimensions on.
 */
import { useMemo, useState } from 'react';
import type { TileValues } from '../../../compiler/inspect/debugNames';
import { indexAt, walkOf } from '../../inspection/planes';
import { CanvasGrid } from '../common/CanvasGrid';
import { colorOf, scaleFor } from '../common/colormap';
import { formatNumber, formatShape } from '../common/format';
import { SlicePickers, useTilePlane } from '../common/Slices';

const CELL = { width: 72, height: 20 };
const HEIGHT = 240;
/** Elements in a row of a vector. */
const VECTOR_COLUMNS = 8;

export function ValueGrid({ values }: { readonly values: TileValues }): React.ReactNode {
  const { name, shape, type } = values;
  const [plane, setPlane] = useTilePlane(shape, VECTOR_COLUMNS);
  const [hover, setHover] = useState<{ row: number; column: number } | null>(null);
  const scale = useMemo(
    () => scaleFor(Array.from(values.values, Number).filter(Number.isFinite), false),
    [values],
  );
  const { rows, columns, start, down, across } = walkOf(shape, plane);
  const at = (row: number, column: number): number => start + row * down + column * across;
  const indices = (row: number, column: number): string =>
    shape.length === 0 ? '' : `[${indexAt(plane, row, column).join(', ')}]`;
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
        <SlicePickers shape={shape} plane={plane} onChange={setPlane} />
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
