/**
 * A tile drawn by who holds its elements: the colour is the lane, the hatch the subgroup, the
 * number the register. The element under the pointer is named both ways.
 */
import { useState } from 'react';
import type { TileReport } from '../../../compiler/inspect/layouts';
import { indexAt, planeSize } from '../../inspection/planes';
import { CanvasGrid } from '../common/CanvasGrid';
import { SlicePickers, useTilePlane } from '../common/Slices';
import { holderOf } from './holders';

/** Elements in a row of a vector. */
const VECTOR_COLUMNS = 32;
const CELLS = [6, 10, 16, 24, 34] as const;

/** Neighbouring lanes are distinct, and far ones too: the golden angle, in two lightnesses. */
export function laneColor(lane: number): string {
  const hue = (lane * 137.508) % 360;
  return `oklch(${lane % 2 === 0 ? 0.82 : 0.72} 0.1 ${hue})`;
}

export interface Pointed {
  readonly at: readonly number[];
}

export function TileMap(props: {
  readonly tile: TileReport;
  readonly subgroups: boolean;
  /** Coordinates to mark: those under the pointer, here or in the tile beside. */
  readonly pointed: Pointed | null;
  readonly onPoint: (pointed: Pointed | null) => void;
  readonly height?: number;
  readonly title?: string;
}): React.ReactNode {
  const { tile, subgroups, pointed, onPoint, height = 320, title } = props;
  const { shape, layout } = tile;
  const [plane, setPlane] = useTilePlane(shape, VECTOR_COLUMNS);
  const { rows, columns } = planeSize(shape, plane);
  const fitting = CELLS.findLast((size) => size * columns <= 560) ?? CELLS[0];
  const [zoomed, setZoomed] = useState<number | null>(null);
  const cell = zoomed ?? fitting;
  const place = CELLS.findIndex((size) => size === cell);
  const marked = pointed && holderOf(layout, pointed.at);
  return (
    <figure className="tile-map" aria-label={`Layout of ${tile.name}`}>
      <figcaption>
        {title ? (
          <>
            <span className="muted">{title}</span> <b className="mono">{tile.name}</b>
          </>
        ) : null}
        <SlicePickers shape={shape} plane={plane} onChange={setPlane} />
        <span className="grow" />
        <span className="segmented" role="group" aria-label={`Zoom of ${tile.name}`}>
          <button
            type="button"
            aria-label="Smaller"
            disabled={place <= 0}
            onClick={() => setZoomed(CELLS[place - 1]!)}
          >
            −
          </button>
          <button
            type="button"
            aria-label="Larger"
            disabled={place >= CELLS.length - 1}
            onClick={() => setZoomed(CELLS[place + 1]!)}
          >
            +
          </button>
        </span>
      </figcaption>
      <CanvasGrid
        label={`Elements of ${tile.name}, coloured by lane`}
        rows={rows}
        columns={columns}
        cellWidth={cell}
        cellHeight={cell}
        height={height}
        onHover={(found) => onPoint(found && { at: indexAt(plane, found.row, found.column) })}
        draw={(brush, window) => {
          brush.textAlign = 'center';
          brush.textBaseline = 'middle';
          brush.font = `${cell >= 34 ? 12 : 10}px "JetBrains Mono Variable", monospace`;
          for (let r = 0; r < window.rows; r++)
            for (let c = 0; c < window.columns; c++) {
              const at = indexAt(plane, window.row + r, window.column + c);
              if (at.length === 1 && at[0]! >= shape[0]!) continue;
              const holder = holderOf(layout, at);
              const { register, lane, subgroup } = holder;
              const [x, y, size] = [c * cell, r * cell, cell >= 10 ? cell - 1 : cell];
              // Without subgroups a thread is one lane.
              brush.fillStyle = laneColor(subgroups ? lane : subgroup);
              brush.fillRect(x, y, size, size);
              if (subgroups && subgroup > 0 && cell >= 10) hatch(brush, subgroup, x, y, size);
              const own =
                marked && marked.lane === lane && marked.subgroup === subgroup && cell >= 6;
              const exact = pointed?.at.every((coordinate, d) => coordinate === at[d]) ?? false;
              if (own || exact) {
                brush.strokeStyle = exact ? '#c2185b' : '#10201f';
                brush.lineWidth = exact ? 3 : 1.5;
                brush.strokeRect(x + 1, y + 1, size - 2, size - 2);
              }
              if (cell >= 24) {
                brush.fillStyle = '#10201f';
                brush.fillText(`r${register}`, x + size / 2, y + size / 2, size - 2);
              }
            }
        }}
      />
    </figure>
  );
}

/** Strokes whose number and direction distinguish subgroups. */
function hatch(
  brush: CanvasRenderingContext2D,
  subgroup: number,
  x: number,
  y: number,
  size: number,
): void {
  const strokes = ((subgroup - 1) % 3) + 1;
  const rising = Math.floor((subgroup - 1) / 3) % 2 === 0;
  brush.strokeStyle = 'rgb(16 32 31 / 35%)';
  brush.lineWidth = 1;
  brush.beginPath();
  for (let i = 1; i <= strokes; i++) {
    const at = (size * i) / (strokes + 1);
    brush.moveTo(x + at, rising ? y + size : y);
    brush.lineTo(x + size, rising ? y + at : y + size - at);
    brush.moveTo(x, rising ? y + at : y + size - at);
    brush.lineTo(x + at, rising ? y : y + size);
  }
  brush.stroke();
}

/** `[3, 17] ↔ register 2, lane 9, subgroup 1`. */
export function holderText(tile: TileReport, pointed: Pointed, subgroups: boolean): string {
  const { register, lane, subgroup, copies } = holderOf(tile.layout, pointed.at);
  const who = subgroups ? `lane ${lane}, subgroup ${subgroup}` : `thread ${subgroup}`;
  const more = copies > 1 ? `, and ${copies - 1} more thread${copies > 2 ? 's' : ''}` : '';
  return `[${pointed.at.join(', ')}] ↔ register ${register}, ${who}${more}`;
}
