/**
 * A grid of any size on a canvas of the size that one sees: scrolling moves a spacer, and only the
 * cells in view are drawn, so that millions of cells scroll as smoothly as ten.
 */
import './canvasGrid.css';
import { useEffect, useRef } from 'react';
import { useTheme } from '../../state/settings';
import { useWidth } from './canvas';

export interface GridWindow {
  readonly row: number;
  readonly column: number;
  /** Cells in view, the cut ones included. */
  readonly rows: number;
  readonly columns: number;
}

export interface CanvasGridProps {
  readonly label: string;
  readonly rows: number;
  readonly columns: number;
  readonly cellWidth: number;
  readonly cellHeight: number;
  /** Pixels of the view. */
  readonly height: number;
  /** Draws the window; the brush is at the first cell's corner. */
  readonly draw: (brush: CanvasRenderingContext2D, window: GridWindow) => void;
  readonly onHover: (cell: { readonly row: number; readonly column: number } | null) => void;
  readonly onClick?: (cell: { readonly row: number; readonly column: number }) => void;
}

/** Browsers draw no element that is larger than some ten million pixels. */
const LARGEST = 8_000_000;

export function CanvasGrid(props: CanvasGridProps): React.ReactNode {
  const { label, rows, columns, cellWidth, cellHeight, height, draw, onHover, onClick } = props;
  const host = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const width = useWidth(host, 320, 40);
  const theme = useTheme((state) => state.theme);
  const whole = { width: columns * cellWidth, height: rows * cellHeight };
  const shownHeight = Math.min(height, whole.height + 1);

  const scrolled = (): { x: number; y: number } => {
    const { scrollLeft = 0, scrollTop = 0 } = host.current ?? {};
    // A spacer that had to be cut is scrolled in proportion.
    const cut = Math.max(1, whole.height / LARGEST);
    return { x: scrollLeft, y: scrollTop * cut };
  };
  const redraw = useRef(() => {});
  useEffect(() => {
    redraw.current = () => {
      const element = canvas.current;
      const brush = element?.getContext('2d');
      if (!element || !brush) return;
      const scale = globalThis.devicePixelRatio || 1;
      const [w, h] = [Math.min(width, whole.width + 1), shownHeight];
      if (element.width !== Math.round(w * scale)) element.width = Math.round(w * scale);
      if (element.height !== Math.round(h * scale)) element.height = Math.round(h * scale);
      const { x, y } = scrolled();
      const [row, column] = [Math.floor(y / cellHeight), Math.floor(x / cellWidth)];
      brush.setTransform(scale, 0, 0, scale, 0, 0);
      brush.clearRect(0, 0, w, h);
      brush.translate(column * cellWidth - x, row * cellHeight - y);
      draw(brush, {
        row,
        column,
        rows: Math.min(rows - row, Math.ceil(h / cellHeight) + 1),
        columns: Math.min(columns - column, Math.ceil(w / cellWidth) + 1),
      });
    };
    redraw.current();
  });
  useEffect(() => redraw.current(), [theme]);

  const cellAt = (event: React.MouseEvent): { row: number; column: number } | null => {
    const box = canvas.current!.getBoundingClientRect();
    const { x, y } = scrolled();
    const column = Math.floor((event.clientX - box.left + x) / cellWidth);
    const row = Math.floor((event.clientY - box.top + y) / cellHeight);
    return row >= 0 && column >= 0 && row < rows && column < columns ? { row, column } : null;
  };
  return (
    <div
      ref={host}
      className="canvas-grid"
      style={{ height: shownHeight }}
      tabIndex={0}
      role="region"
      aria-label={label}
      onScroll={() => redraw.current()}
      onMouseMove={(event) => onHover(cellAt(event))}
      onMouseLeave={() => onHover(null)}
      onClick={(event) => {
        const cell = cellAt(event);
        if (cell) onClick?.(cell);
      }}
    >
      <div style={{ width: whole.width, height: Math.min(LARGEST, whole.height) }}>
        <canvas
          ref={canvas}
          style={{ width: Math.min(width, whole.width + 1), height: shownHeight }}
          aria-hidden="true"
        />
      </div>
    </div>
  );
}
