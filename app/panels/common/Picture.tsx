/**
 * A plane of a tensor, or of the errors of two, as a picture to look around in: wheel, pinch and
 * keys zoom, dragging pans, and a cursor moves by the arrow keys and is described in words. The
 * data worker answers with the cells in view; meanwhile those that are there are drawn where they
 * belong.
 */
import { useLayoutEffect, useRef, useState } from 'react';
import { FLAG, indexAt, planeSize, type Plane } from '../../inspection/planes';
import { useTheme } from '../../state/settings';
import { useData } from '../../state/tensorData';
import type { FieldSource } from '../../workers/dataProtocol';
import { isZoom, useWheel, useWidth } from './canvas';
import { cssRamp, type Scale } from './colormap';
import {
  cellText,
  drawCells,
  type Mark,
  type PlacedCells,
  type PlacedOwners,
  type View,
} from './drawCells';
import { formatNumber } from './format';
import { canvasSize, clampView, fit, pan, reveal, zoomAt } from './viewport';
import './picture.css';

const TALLEST = 360;
/** Elements that the picture moves by, of what is in view. */
const STEP = 0.2;

export interface PictureProps {
  readonly label: string;
  readonly source: FieldSource;
  readonly shape: readonly number[];
  readonly plane: Plane;
  readonly scale: Scale;
  /** Quantity of the cells, for the read-out: 'mean', 'largest error'. */
  readonly several: string;
  /** Text of a value, with its unit. */
  readonly describe?: (value: number) => string;
  /** Says more of an element: the program that wrote it. */
  readonly note?: (index: readonly number[]) => string;
  readonly onPick?: (index: readonly number[]) => void;
  /** Marks this element, and moves there when it changes. */
  readonly marked?: Mark | null;
  readonly owners?: (view: View, rows: number, columns: number) => PlacedOwners | null;
}

export function Picture(props: PictureProps): React.ReactNode {
  const { shape, plane, source, scale, marked = null } = props;
  const extent = planeSize(shape, plane);
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const available = useWidth(box, 0, 0);
  const [view, setView] = useState<View>(() => fit(extent));
  const [cursor, setCursor] = useState<Mark | null>(null);
  // Drawn anew in another theme.
  useTheme((state) => state.theme);
  const size = canvasSize(extent, available, TALLEST);
  const zoomed = view.bottom - view.top < extent.rows || view.right - view.left < extent.columns;
  const shown = useCells(source, plane, view, size, available > 0);

  // Another plane of another shape is looked at from the beginning.
  const key = `${extent.rows} ${extent.columns}`;
  const [seen, setSeen] = useState(key);
  if (seen !== key) {
    setSeen(key);
    setView(fit(extent));
    setCursor(null);
  }
  const [lastMarked, setLastMarked] = useState(marked);
  if (lastMarked !== marked) {
    setLastMarked(marked);
    setCursor(marked);
    if (marked) setView((old) => reveal(old, marked.row, marked.column, extent));
  }

  const owners = props.owners;
  useLayoutEffect(() => {
    const place = canvas.current;
    if (!place) return;
    const style = getComputedStyle(place);
    const rows = Math.ceil(size.height / 2);
    const columns = Math.ceil(size.width / 2);
    drawCells(place, {
      shown: shown.placed,
      view,
      scale,
      cursor,
      owners: owners?.(view, rows, columns) ?? null,
      line: 'rgb(255 255 255 / 0.75)',
      ground: style.getPropertyValue('--sunken'),
    });
  });

  const look = (next: View): void => setView(clampView(next, extent));
  /** Pointer position: rows and columns, and parts of them. */
  const pointed = (event: WheelEvent | React.MouseEvent, place: Element): Mark => {
    const bounds = place.getBoundingClientRect();
    return {
      row: view.top + ((event.clientY - bounds.top) / bounds.height) * (view.bottom - view.top),
      column: view.left + ((event.clientX - bounds.left) / bounds.width) * (view.right - view.left),
    };
  };
  useWheel(canvas, (event, place) => {
    if (!isZoom(event, place)) return;
    event.preventDefault();
    const { row, column } = pointed(event, place);
    setView(zoomAt(view, Math.exp(-event.deltaY / 300), row, column, extent));
  });
  const elementAt = (event: React.MouseEvent): Mark | null => {
    const { row, column } = pointed(event, event.currentTarget);
    const inside = row >= 0 && column >= 0 && row < extent.rows && column < extent.columns;
    return inside ? { row: Math.floor(row), column: Math.floor(column) } : null;
  };
  const drag = useDrag(view, look, size);
  const middle = (): Mark =>
    cursor ?? {
      row: Math.floor((view.top + view.bottom) / 2),
      column: Math.floor((view.left + view.right) / 2),
    };
  const zoom = (factor: number): void => {
    const { row, column } = middle();
    setView(zoomAt(view, factor, row + 0.5, column + 0.5, extent));
  };
  const move = (rows: number, columns: number, far: boolean): void => {
    if (far) {
      const [down, across] = [view.bottom - view.top, view.right - view.left];
      look(pan(view, rows * STEP * down, columns * STEP * across, extent));
      return;
    }
    const from = middle();
    const next = {
      row: Math.min(extent.rows - 1, Math.max(0, cursor ? from.row + rows : from.row)),
      column: Math.min(
        extent.columns - 1,
        Math.max(0, cursor ? from.column + columns : from.column),
      ),
    };
    setCursor(next);
    setView(reveal(view, next.row, next.column, extent));
  };
  const onKeyDown = (event: React.KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const act = keyAction(event, { zoom, move, home: () => setView(fit(extent)) });
    if (act) {
      event.preventDefault();
      act();
    } else if (event.key === 'Enter' && cursor)
      props.onPick?.(indexAt(plane, cursor.row, cursor.column));
  };
  return (
    <div className="picture" ref={box}>
      <div
        className="picture-frame"
        role="group"
        tabIndex={0}
        aria-label={`${props.label}. Arrow keys move the cursor, plus and minus zoom, 0 shows all.`}
        onKeyDown={onKeyDown}
        style={{ width: size.width, height: size.height }}
      >
        <canvas
          ref={canvas}
          role="img"
          aria-label={props.label}
          width={Math.round(size.width * (globalThis.devicePixelRatio || 1))}
          height={Math.round(size.height * (globalThis.devicePixelRatio || 1))}
          style={{ width: size.width, height: size.height }}
          onPointerDown={drag.down}
          onPointerMove={(event) => {
            drag.move(event);
            if (!drag.dragging()) setCursor(elementAt(event));
          }}
          onPointerUp={(event) => {
            const at = elementAt(event);
            if (!drag.up(event) && at) props.onPick?.(indexAt(plane, at.row, at.column));
          }}
          onPointerCancel={drag.up}
          onPointerLeave={() => setCursor(marked)}
        />
      </div>
      <Legend {...props} />
      <div className="picture-line">
        <span className="readout" aria-live="polite">
          {shown.failed ?? readout(props, shown.placed, cursor)}
        </span>
        <span className="zoom-tools">
          <button type="button" aria-label="Zoom in" onClick={() => zoom(2)}>
            +
          </button>
          <button type="button" aria-label="Zoom out" disabled={!zoomed} onClick={() => zoom(0.5)}>
            −
          </button>
          <button type="button" disabled={!zoomed} onClick={() => setView(fit(extent))}>
            All
          </button>
        </span>
      </div>
    </div>
  );
}

function Legend({ scale, describe }: PictureProps): React.ReactNode {
  const text = (value: number): string => (describe ?? ((x) => formatNumber(x, 3)))(value);
  return (
    <div className="scale">
      <span>{text(scale.low)}</span>
      <span className="ramp" style={{ background: cssRamp(scale) }} />
      <span>{text(scale.high)}</span>
      {scale.log ? <span>log</span> : null}
      <span className="hatch-key nan" aria-hidden="true" />
      <span>NaN</span>
      <span className="hatch-key inf" aria-hidden="true" />
      <span>inf</span>
    </div>
  );
}

/** Description of the cell at the cursor, in words. */
function readout(props: PictureProps, placed: PlacedCells | null, cursor: Mark | null): string {
  if (!placed) return 'Reading…';
  const { cells, at } = placed;
  if (!cursor) return cellSizeText(placed, props.several);
  const [perRow, perColumn] = [
    (at.bottom - at.top) / Math.max(1, cells.rows),
    (at.right - at.left) / Math.max(1, cells.columns),
  ];
  const row = Math.floor((cursor.row + 0.5 - at.top) / perRow);
  const column = Math.floor((cursor.column + 0.5 - at.left) / perColumn);
  const index = indexAt(props.plane, cursor.row, cursor.column);
  const place = `[${index.join(', ')}]`;
  if (row < 0 || column < 0 || row >= cells.rows || column >= cells.columns) return place;
  const i = row * cells.columns + column;
  const flag = cells.flags[i]!;
  if (flag === FLAG.empty) return 'beyond the end';
  const value = cells.values[i]!;
  const text =
    flag === FLAG.number
      ? (props.describe ?? ((x: number) => formatNumber(x, 6)))(value)
      : cellText(value, flag);
  const note = props.note?.(index) ?? '';
  const several = perRow > 1 || perColumn > 1;
  const of = several
    ? ` (${flag === FLAG.number ? props.several : 'one'} of ${shapeText(perRow, perColumn)})`
    : '';
  return `${place} ${text}${of}${note === '' ? '' : ` · ${note}`}`;
}
function cellSizeText({ cells, at }: PlacedCells, several: string): string {
  const perRow = (at.bottom - at.top) / Math.max(1, cells.rows);
  const perColumn = (at.right - at.left) / Math.max(1, cells.columns);
  if (perRow <= 1 && perColumn <= 1) return 'Each cell is one element.';
  return `Each cell: the ${several} of ${shapeText(perRow, perColumn)} elements.`;
}
const shapeText = (rows: number, columns: number): string =>
  `${formatNumber(rows, 3)} × ${formatNumber(columns, 3)}`;

/** Elements of a cell: a power of two, so that cells stay where they are while one pans. */
function perCell(elements: number, pixels: number): number {
  return 2 ** Math.max(0, Math.ceil(Math.log2(elements / Math.max(1, pixels)) - 1e-9));
}

/** The cells in view. */
function useCells(
  source: FieldSource,
  plane: Plane,
  view: View,
  size: { readonly width: number; readonly height: number },
  ready: boolean,
): { readonly placed: PlacedCells | null; readonly failed: string | null } {
  const perRow = perCell(view.bottom - view.top, size.height);
  const perColumn = perCell(view.right - view.left, size.width);
  const from = (at: number, per: number): number => Math.floor(at / per) * per;
  const to = (at: number, per: number): number => Math.ceil(at / per) * per;
  const window = {
    top: from(view.top, perRow),
    left: from(view.left, perColumn),
    bottom: to(view.bottom, perRow),
    right: to(view.right, perColumn),
    perRow,
    perColumn,
  };
  const found = useData(ready ? { kind: 'cells', source, plane, window } : null);
  if (found.state === 'failed') return { placed: null, failed: found.message };
  if (found.state === 'waiting') return { placed: null, failed: null };
  const { answer: cells, question } = found;
  const { top, left } = question.window;
  const at = {
    top,
    left,
    bottom: top + cells.rows * question.window.perRow,
    right: left + cells.columns * question.window.perColumn,
  };
  return { placed: { cells, at }, failed: null };
}

interface Drag {
  readonly down: (event: React.PointerEvent) => void;
  readonly move: (event: React.PointerEvent) => void;
  /** @returns whether the pointer had moved. */
  readonly up: (event: React.PointerEvent) => boolean;
  readonly dragging: () => boolean;
}
/** One pointer pans, two zoom. */
function useDrag(
  view: View,
  look: (view: View) => void,
  size: { readonly width: number; readonly height: number },
): Drag {
  const pointers = useRef(new Map<number, { x: number; y: number }>());
  const moved = useRef(false);
  const perPixel = (): [number, number] => [
    (view.bottom - view.top) / size.height,
    (view.right - view.left) / size.width,
  ];
  return {
    down: (event) => {
      event.currentTarget.setPointerCapture(event.pointerId);
      pointers.current.set(event.pointerId, { x: event.clientX, y: event.clientY });
      moved.current = false;
    },
    move: (event) => {
      const from = pointers.current.get(event.pointerId);
      if (!from) return;
      const [dx, dy] = [event.clientX - from.x, event.clientY - from.y];
      if (!moved.current && Math.hypot(dx, dy) < 4) return;
      moved.current = true;
      const others = [...pointers.current].filter(([id]) => id !== event.pointerId);
      const other = others[0]?.[1];
      const [rows, columns] = perPixel();
      if (other) {
        const before = Math.hypot(from.x - other.x, from.y - other.y);
        const after = Math.hypot(event.clientX - other.x, event.clientY - other.y);
        const factor = after / Math.max(1, before);
        const [row, column] = [(view.top + view.bottom) / 2, (view.left + view.right) / 2];
        const [down, across] = [
          (view.bottom - view.top) / factor / 2,
          (view.right - view.left) / factor / 2,
        ];
        look({
          top: row - down,
          bottom: row + down,
          left: column - across,
          right: column + across,
        });
      } else {
        look({
          top: view.top - dy * rows,
          bottom: view.bottom - dy * rows,
          left: view.left - dx * columns,
          right: view.right - dx * columns,
        });
      }
      pointers.current.set(event.pointerId, { x: event.clientX, y: event.clientY });
    },
    up: (event) => {
      pointers.current.delete(event.pointerId);
      return moved.current;
    },
    dragging: () => pointers.current.size > 0,
  };
}

interface Actions {
  readonly zoom: (factor: number) => void;
  readonly move: (rows: number, columns: number, far: boolean) => void;
  readonly home: () => void;
}
function keyAction(
  { key, shiftKey }: React.KeyboardEvent,
  { zoom, move, home }: Actions,
): (() => void) | null {
  switch (key) {
    case '+':
    case '=':
      return () => zoom(2);
    case '-':
      return () => zoom(0.5);
    case '0':
    case 'Home':
      return home;
    case 'ArrowUp':
      return () => move(-1, 0, shiftKey);
    case 'ArrowDown':
      return () => move(1, 0, shiftKey);
    case 'ArrowLeft':
      return () => move(0, -1, shiftKey);
    case 'ArrowRight':
      return () => move(0, 1, shiftKey);
    default:
      return null;
  }
}
