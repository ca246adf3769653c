/** How a figure lays a tensor out, and paints what a program touched of it. */
import { ATOMIC, MASKED, OUTSIDE, READ, WRITTEN } from '../../../compiler/inspect/constants';
import type { Raster, RasterWindow, TensorReport } from '../../../compiler/inspect/memoryMap';

export interface FigureGrid {
  readonly window: RasterWindow;
  /** CSS pixels of a cell. */
  readonly cell: number;
  /** Cells of the tensor itself in the last row and before; what follows lies behind its end. */
  readonly elements: number;
}

/** A vector is drawn in lines of so many. */
const LINE = 64;
const MOST_WIDTH = 448;
const MOST_HEIGHT = 224;

export function gridOf(
  tensor: Pick<TensorReport, 'shape' | 'strides' | 'elements' | 'masked' | 'outside'>,
): FigureGrid {
  const { shape, strides, elements } = tensor;
  // As it lies in memory: of a transposed matrix the columns are drawn across.
  const [outer, inner] = [strides?.at(-2) ?? 0, strides?.at(-1) ?? 0];
  const plane = (shape?.length ?? 0) > 1 && Math.min(outer, inner) === 1;
  const pitch = Math.max(1, plane ? Math.max(outer, inner) : Math.min(elements, LINE));
  const total = Math.max(1, Math.ceil(elements / pitch));
  // A vector's last tile may hang over the end: its places are shown, up to three lines of them.
  const extra = plane ? 0 : Math.min(3, Math.ceil((tensor.masked + tensor.outside) / pitch));
  const rows = total + extra;
  const width = Math.min(pitch, MOST_WIDTH / 2);
  const height = Math.min(rows, MOST_HEIGHT / 2);
  const cell = Math.max(1, Math.floor(Math.min(7, MOST_WIDTH / width, MOST_HEIGHT / height)));
  return {
    window: { pitch, row: 0, column: 0, rows, columns: pitch, height, width },
    cell,
    elements,
  };
}

export function summaryOf(
  tensor: Pick<
    TensorReport,
    | 'type'
    | 'shape'
    | 'distinctReads'
    | 'reads'
    | 'distinctWrites'
    | 'writes'
    | 'masked'
    | 'outside'
  >,
): string {
  const parts = [tensor.shape ? `[${tensor.shape.join(' × ')}]` : ''];
  const count = (what: string, all: number, distinct: number): void => {
    if (all === 0) return;
    const again = all > distinct ? ` (${distinct.toLocaleString('en-US')} different)` : '';
    parts.push(`${all.toLocaleString('en-US')} ${what}${again}`);
  };
  count('loaded', tensor.reads, tensor.distinctReads);
  count('stored', tensor.writes, tensor.distinctWrites);
  if (tensor.masked > 0) parts.push(`${tensor.masked.toLocaleString('en-US')} masked off`);
  if (tensor.outside > 0) parts.push(`${tensor.outside.toLocaleString('en-US')} out of range`);
  return parts.filter(Boolean).join(', ');
}

/** The token that colours a cell; null where it is left empty. */
export function tokenOf(flags: number): string | null {
  if (flags & OUTSIDE) return '--fail';
  if (flags & (WRITTEN | ATOMIC)) return '--series-2';
  if (flags & READ) return '--series-1';
  if (flags & MASKED) return 'masked';
  return null;
}

export function paint(
  canvas: HTMLCanvasElement,
  grid: FigureGrid,
  raster: Raster,
  _theme: 'light' | 'dark',
): void {
  const { cell, window, elements } = grid;
  const scale = globalThis.devicePixelRatio || 1;
  const [width, height] = [raster.width * cell, raster.height * cell];
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext('2d');
  if (!context) return;
  context.scale(scale, scale);
  const style = getComputedStyle(canvas);
  const colour = (token: string): string => style.getPropertyValue(token).trim();
  const gap = cell >= 4 ? 1 : 0;
  const perRow = window.rows / raster.height;
  const perColumn = window.columns / raster.width;
  for (let row = 0; row < raster.height; row++) {
    for (let column = 0; column < raster.width; column++) {
      const at = Math.floor(row * perRow) * window.pitch + Math.floor(column * perColumn);
      const token = tokenOf(raster.flags[row * raster.width + column]!);
      if (token === null && at >= elements) continue;
      const [x, y, size] = [column * cell, row * cell, cell - gap];
      if (token === 'masked') {
        // Hatched, so that it is distinct without colour.
        context.fillStyle = colour('--sunken');
        context.fillRect(x, y, size, size);
        context.strokeStyle = colour('--text-faint');
        context.beginPath();
        context.moveTo(x, y + size);
        context.lineTo(x + size, y);
        context.stroke();
        continue;
      }
      context.fillStyle = colour(token ?? '--line');
      context.fillRect(x, y, size, size);
    }
  }
}
