/**
 * Draws a window of a plane on a canvas: cells as colours, NaN and infinities as hatches over them,
 * values as text where there is room. Cells that are there already are drawn at their place while
 * others are awaited, so panning and zooming never wait.
 */
import { FLAG, type Cells } from '../../inspection/planes';
import { colorOf, type Scale } from './colormap';
import { formatNumber } from './format';
import { hatches } from './hatch';

/** A part of a plane, in elements; fractions are positions inside of an element. */
export interface View {
  readonly top: number;
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
}

/** Cells and the whole elements that they cover. */
export interface PlacedCells {
  readonly cells: Cells;
  readonly at: View;
}

export interface Mark {
  readonly row: number;
  readonly column: number;
}

/** For each cell of a window the program that wrote it. */
export interface PlacedOwners {
  readonly ids: Int32Array;
  readonly rows: number;
  readonly columns: number;
  readonly at: View;
}

export interface Drawing {
  readonly shown: PlacedCells | null;
  readonly view: View;
  readonly scale: Scale;
  readonly cursor: Mark | null;
  /** Which program wrote each cell, −1 where none did: lines are drawn between different ones. */
  readonly owners: PlacedOwners | null;
  readonly line: string;
  readonly ground: string;
}

/** Pixels of a cell that has room for its value. */
const TEXT_WIDTH = 44;
const TEXT_HEIGHT = 16;
/** Marks of what is no number are at least so large. */
const LEAST_MARK = 3;

export function drawCells(canvas: HTMLCanvasElement, drawing: Drawing): void {
  const context = canvas.getContext('2d');
  if (!context) return;
  const ratio = globalThis.devicePixelRatio || 1;
  const [width, height] = [canvas.width / ratio, canvas.height / ratio];
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.fillStyle = drawing.ground;
  context.fillRect(0, 0, width, height);
  const { shown, view } = drawing;
  const perColumn = width / (view.right - view.left);
  const perRow = height / (view.bottom - view.top);
  const x = (column: number): number => (column - view.left) * perColumn;
  const y = (row: number): number => (row - view.top) * perRow;
  if (shown && shown.cells.rows > 0) {
    const { cells, at } = shown;
    const place = [
      x(at.left),
      y(at.top),
      (at.right - at.left) * perColumn,
      (at.bottom - at.top) * perRow,
    ] as const;
    context.imageSmoothingEnabled = false;
    context.drawImage(imageOf(cells, drawing.scale), ...place);
    drawFlags(context, cells, place);
    if (at.right - at.left === cells.columns && at.bottom - at.top === cells.rows)
      drawValues(context, cells, place, drawing.scale);
  }
  if (drawing.owners) drawBoundaries(context, drawing.owners, x, y, drawing.line);
  if (drawing.cursor) {
    const { row, column } = drawing.cursor;
    context.lineWidth = 1;
    context.strokeStyle = '#ffffff';
    const [w, h] = [Math.max(4, perColumn), Math.max(4, perRow)];
    context.strokeRect(x(column) - 1.5, y(row) - 1.5, w + 3, h + 3);
    context.strokeStyle = '#000000';
    context.strokeRect(x(column) - 0.5, y(row) - 0.5, w + 1, h + 1);
  }
}

const images = new WeakMap<Cells, { readonly scale: Scale; readonly image: HTMLCanvasElement }>();

/** One pixel a cell; kept for the next frame. */
function imageOf(cells: Cells, scale: Scale): HTMLCanvasElement {
  const known = images.get(cells);
  if (known?.scale === scale) return known.image;
  const image = document.createElement('canvas');
  image.width = cells.columns;
  image.height = cells.rows;
  const context = image.getContext('2d');
  if (context) {
    const data = context.createImageData(cells.columns, cells.rows);
    for (let i = 0; i < cells.values.length; i++) {
      if (cells.flags[i] !== FLAG.number) continue;
      const [r, g, b] = colorOf(cells.values[i]!, scale);
      data.data.set([r, g, b, 255], 4 * i);
    }
    context.putImageData(data, 0, 0);
  }
  images.set(cells, { scale, image });
  return image;
}

/** Many marks would take long one by one: they are a mask that lets the hatch through. */
function drawFlags(
  context: CanvasRenderingContext2D,
  cells: Cells,
  [left, top, width, height]: readonly [number, number, number, number],
): void {
  const patterns = hatches(context);
  const w = width / cells.columns;
  const h = height / cells.rows;
  const [markWidth, markHeight] = [Math.max(LEAST_MARK, w), Math.max(LEAST_MARK, h)];
  const paths = { nan: new Path2D(), infinity: new Path2D() };
  let found = false;
  for (let i = 0; i < cells.flags.length; i++) {
    const flag = cells.flags[i]!;
    if (flag === FLAG.number || flag === FLAG.empty) continue;
    found = true;
    const path = flag === FLAG.nan ? paths.nan : paths.infinity;
    const row = Math.floor(i / cells.columns);
    path.rect(left + (i % cells.columns) * w, top + row * h, markWidth, markHeight);
  }
  if (!found) return;
  for (const kind of ['nan', 'infinity'] as const) {
    context.fillStyle = patterns[kind] ?? '#b3301a';
    context.fill(paths[kind]);
  }
}

function drawValues(
  context: CanvasRenderingContext2D,
  cells: Cells,
  [left, top, width, height]: readonly [number, number, number, number],
  scale: Scale,
): void {
  const w = width / cells.columns;
  const h = height / cells.rows;
  if (w < TEXT_WIDTH || h < TEXT_HEIGHT) return;
  context.font = '11px "JetBrains Mono Variable", monospace';
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  for (let i = 0; i < cells.values.length; i++) {
    const flag = cells.flags[i];
    if (flag === FLAG.empty) continue;
    const value = cells.values[i]!;
    const cx = left + ((i % cells.columns) + 0.5) * w;
    const cy = top + (Math.floor(i / cells.columns) + 0.5) * h;
    if (flag !== FLAG.number) {
      context.fillStyle = '#ffffff';
      context.fillRect(cx - 14, cy - 7, 28, 14);
    }
    const [r, g, b] = colorOf(value, scale);
    const dark = flag === FLAG.number && 0.2126 * r + 0.7152 * g + 0.0722 * b < 128;
    context.fillStyle = dark ? '#ffffff' : '#10201e';
    context.fillText(cellText(value, flag ?? FLAG.number), cx, cy, w - 4);
  }
}

export function cellText(value: number, flag: number): string {
  if (flag === FLAG.nan) return 'nan';
  if (flag === FLAG.infinity) return 'inf';
  if (flag === FLAG.minusInfinity) return '-inf';
  return formatNumber(value, 3);
}

/** Pixels between two lines, on average, below which the lines would hide what they part. */
export const LEAST_TILE = 5;
function tooFine({ ids, rows, columns }: PlacedOwners, width: number, height: number): boolean {
  let [across, down] = [0, 0];
  for (let i = 0; i < ids.length; i++) {
    if (i % columns > 0 && ids[i] !== ids[i - 1]) across++;
    if (i >= columns && ids[i] !== ids[i - columns]) down++;
  }
  return across * LEAST_TILE > rows * width || down * LEAST_TILE > columns * height;
}

function drawBoundaries(
  context: CanvasRenderingContext2D,
  owners: PlacedOwners,
  x: (column: number) => number,
  y: (row: number) => number,
  color: string,
): void {
  const { ids, at, rows, columns } = owners;
  const w = (at.right - at.left) / columns;
  const h = (at.bottom - at.top) / rows;
  if (tooFine(owners, x(at.right) - x(at.left), y(at.bottom) - y(at.top))) return;
  const path = new Path2D();
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++) {
      const i = row * columns + column;
      const [left, top] = [x(at.left + column * w), y(at.top + row * h)];
      if (column > 0 && ids[i] !== ids[i - 1]) {
        path.moveTo(left, top);
        path.lineTo(left, y(at.top + (row + 1) * h));
      }
      if (row > 0 && ids[i] !== ids[i - columns]) {
        path.moveTo(left, top);
        path.lineTo(x(at.left + (column + 1) * w), top);
      }
    }
  context.strokeStyle = color;
  context.lineWidth = 1;
  context.stroke(path);
}
