/** The arithmetic of looking at a plane: fit, zoom about a point, pan, and never lose it. */
import type { View } from './drawCells';

export interface Extent {
  readonly rows: number;
  readonly columns: number;
}

/** Fewest elements across, and pixels of an element at the most. */
const LEAST = 4;

export function fit({ rows, columns }: Extent): View {
  return { top: 0, left: 0, bottom: rows, right: columns };
}

/** Keeps a view inside of the plane, and no smaller than a few elements. */
export function clampView(view: View, { rows, columns }: Extent): View {
  const [top, bottom] = clampSpan(view.top, view.bottom, rows);
  const [left, right] = clampSpan(view.left, view.right, columns);
  return { top, left, bottom, right };
}
function clampSpan(from: number, to: number, size: number): [number, number] {
  const least = Math.min(LEAST, size);
  const length = Math.min(size, Math.max(least, to - from));
  const middle = (from + to) / 2;
  const start = Math.min(size - length, Math.max(0, middle - length / 2));
  return [start, start + length];
}

/**
 * @param factor above 1 comes nearer. @param row and @param column stay where they are on the
 * screen.
 */
export function zoomAt(
  view: View,
  factor: number,
  row: number,
  column: number,
  extent: Extent,
): View {
  const [top, bottom] = zoomSpan(view.top, view.bottom, row, factor, extent.rows);
  const [left, right] = zoomSpan(view.left, view.right, column, factor, extent.columns);
  return clampView({ top, left, bottom, right }, extent);
}
function zoomSpan(
  from: number,
  to: number,
  at: number,
  factor: number,
  size: number,
): [number, number] {
  const length = Math.min(size, Math.max(Math.min(LEAST, size), (to - from) / factor));
  const share = (at - from) / (to - from);
  const start = at - share * length;
  return [start, start + length];
}

export function pan(view: View, rows: number, columns: number, extent: Extent): View {
  return clampView(
    {
      top: view.top + rows,
      bottom: view.bottom + rows,
      left: view.left + columns,
      right: view.right + columns,
    },
    extent,
  );
}

/** Moves the view as little as shows the element. */
export function reveal(view: View, row: number, column: number, extent: Extent): View {
  const down = row < view.top ? row - view.top : Math.max(0, row + 1 - view.bottom);
  const across = column < view.left ? column - view.left : Math.max(0, column + 1 - view.right);
  return down === 0 && across === 0 ? view : pan(view, down, across, extent);
}

/** Pixels of a plane that is higher than its canvas may be. */
const LEAST_OF_TALL = 240;

/**
 * The canvas in pixels: square elements where the plane's shape allows, none larger than `most`
 * unless the plane is too tall for that.
 */
export function canvasSize(
  { rows, columns }: Extent,
  available: number,
  tallest: number,
  most = 28,
): { readonly width: number; readonly height: number } {
  const width = Math.max(1, Math.min(available, columns * most));
  const square = (width / Math.max(1, columns)) * rows;
  const height = Math.max(Math.min(24, rows * most), Math.min(tallest, square));
  if (square <= tallest) return { width, height };
  // Tall planes: as high as allowed, and wide enough to be read.
  const wide = Math.max(LEAST_OF_TALL, (tallest / rows) * columns);
  return { width: Math.min(available, wide), height };
}
