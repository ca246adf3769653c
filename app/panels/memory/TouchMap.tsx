/**
 * A tensor as a grid with what was touched: drawn on a canvas of the screen's size from a raster
 * that the worker makes of the window in view, so a tensor of any size costs the same. Wheel zooms,
 * drag and arrow keys move.
 */
import { useEffect, useMemo, useRef, useState } from 'react';
import { MASKED, OUTSIDE, RACE } from '../../../compiler/inspect/constants';
import type {
  ElementReport,
  MemoryReport,
  Raster,
  RasterWindow,
  TensorReport,
} from '../../../compiler/inspect/memoryMap';
import type { Race } from '../../../compiler/inspect/races';
import { racingPrograms } from '../common/RaceSummary';
import { useChosen } from './LaunchBar';
import { Legend } from './Legend';
import { useTheme } from '../../state/settings';
import { inspectHost } from '../../workers/inspectHost';
import { useWheel, useWidth } from '../common/canvas';
import { formatCount } from '../common/format';
import { elementName, pitchOf, vectorPitch } from './elements';
import { colorOfFlags, describeFlags, paletteOf, type Palette } from './paint';
import { useMemory } from './state';

const HEIGHT = 300;
const LARGEST_CELL = 24;
/** From this size on cells have lines and signs. */
const DETAILED_CELL = 8;

interface View {
  /** Elements from one row to the next. */
  readonly pitch: number;
  readonly row: number;
  readonly column: number;
  /** Pixels of an element. */
  readonly cell: number;
}

export function TouchMap(props: {
  readonly report: MemoryReport;
  readonly tensor: TensorReport;
}): React.ReactNode {
  const { report, tensor } = props;
  const count = tensor.shape?.reduce((a, b) => a * b, 1) ?? tensor.elements;
  const own = pitchOf(tensor.shape, tensor.strides);
  const host = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const width = useWidth(host, 480, 160);
  const [view, setView] = useState<View | null>(null);
  const [raster, setRaster] = useState<{ raster: Raster; window: RasterWindow } | null>(null);
  const [hover, setHover] = useState<number | null>(null);
  const theme = useTheme((state) => state.theme);
  const access = useMemory((state) => state.access);
  const execution = useMemory((state) => state.execution);
  const races = useMemory((state) => state.races !== null);

  const whole = useMemo(() => {
    const pitch = own ?? vectorPitch(count, width, HEIGHT);
    return fit(0, Math.ceil(count / pitch), pitch, width);
  }, [own, count, width]);
  const ofProgram = useMemo(() => {
    const [low, high] = tensor.span ?? [0, count - 1];
    const pitch = own ?? vectorPitch(high - low + 1, width, HEIGHT);
    const first = Math.max(-4, Math.floor(low / pitch) - 1);
    const last = Math.min(Math.ceil(count / pitch) + 4, Math.floor(high / pitch) + 2);
    return fit(first, last, pitch, width);
  }, [tensor.span, count, own, width]);
  const shown = view ?? ofProgram;
  const { pitch } = shown;
  const rows = Math.ceil(count / pitch);

  const columnsShown = Math.min(pitch, Math.ceil(width / shown.cell));
  const rowsShown = Math.ceil(HEIGHT / shown.cell);
  const window = useMemo<RasterWindow>(
    () => ({
      pitch,
      row: shown.row,
      column: shown.column,
      rows: rowsShown,
      columns: columnsShown,
      height: Math.min(rowsShown, HEIGHT),
      width: Math.min(columnsShown, width),
    }),
    [pitch, shown, rowsShown, columnsShown, width],
  );

  useEffect(() => {
    let current = true;
    const filter = { accesses: access === null ? null : [access], execution };
    const { parameter } = tensor;
    void inspectHost()
      .ask({ kind: 'raster', parameter, window, filter, races })
      .then(
        (answer) => current && setRaster({ raster: answer, window }),
        () => {},
      );
    return () => {
      current = false;
    };
  }, [report, tensor, window, access, execution, races]);

  useEffect(() => {
    if (!canvas.current || !raster) return;
    paint(canvas.current, raster.raster, raster.window, { width, count, cell: shown.cell });
  }, [raster, width, count, shown.cell, theme]);

  const elementAt = (event: { clientX: number; clientY: number }): number => {
    const box = canvas.current!.getBoundingClientRect();
    const row = shown.row + Math.floor((event.clientY - box.top) / shown.cell);
    const column = shown.column + Math.floor((event.clientX - box.left) / shown.cell);
    return column >= pitch ? NaN : row * pitch + column;
  };
  const zoom = (factor: number, at?: { x: number; y: number }): void => {
    const cell = Math.max(
      Math.min(whole.cell, ofProgram.cell),
      Math.min(LARGEST_CELL, shown.cell * factor),
    );
    const { x, y } = at ?? { x: 0, y: 0 };
    setView(
      inside({
        cell,
        row: shown.row + y / shown.cell - y / cell,
        column: shown.column + x / shown.cell - x / cell,
      }),
    );
  };
  const move = (right: number, down: number): void =>
    setView(inside({ ...shown, row: shown.row + down, column: shown.column + right }));
  const inside = ({ cell, row, column }: Omit<View, 'pitch'>): View => ({
    pitch,
    cell,
    row: Math.round(Math.max(-4, Math.min(row, rows + 4 - HEIGHT / cell / 2))),
    column: Math.round(Math.max(0, Math.min(column, pitch - width / cell))),
  });
  const drag = useRef<{ x: number; y: number; view: View } | null>(null);
  useWheel(canvas, (event, place) => {
    if (!event.ctrlKey && !event.metaKey && !event.altKey) return;
    event.preventDefault();
    const box = place.getBoundingClientRect();
    const at = { x: event.clientX - box.left, y: event.clientY - box.top };
    zoom(event.deltaY < 0 ? 1.25 : 0.8, at);
  });

  const title = `${tensor.name}: what program (${report.program.join(', ')}) touches`;
  return (
    <section className="touch-map" aria-label={title}>
      <div className="map-bar">
        <Legend of={COLORS} />
        <span className="grow" />
        <span className="segmented" role="group" aria-label="Zoom">
          <button type="button" aria-label="Zoom out" onClick={() => zoom(0.5)}>
            −
          </button>
          <button type="button" aria-label="Zoom in" onClick={() => zoom(2)}>
            +
          </button>
          <button type="button" onClick={() => setView(ofProgram)}>
            This program
          </button>
          <button type="button" onClick={() => setView(whole)}>
            Whole tensor
          </button>
        </span>
      </div>
      <div ref={host} className="map-host">
        <canvas
          ref={canvas}
          role="img"
          aria-label={`${title}. ${summary(tensor)}`}
          tabIndex={0}
          style={{ width, height: HEIGHT }}
          onPointerDown={(event) => {
            event.currentTarget.setPointerCapture(event.pointerId);
            drag.current = { x: event.clientX, y: event.clientY, view: shown };
          }}
          onPointerMove={(event) => {
            const from = drag.current;
            if (!from) {
              const element = elementAt(event);
              setHover(Number.isNaN(element) ? null : element);
              return;
            }
            const column = from.view.column - (event.clientX - from.x) / shown.cell;
            const row = from.view.row - (event.clientY - from.y) / shown.cell;
            setView(inside({ cell: shown.cell, row, column }));
          }}
          onPointerUp={() => {
            drag.current = null;
          }}
          onPointerLeave={() => {
            drag.current = null;
            setHover(null);
          }}
          onKeyDown={(event) => {
            const steps: Record<string, () => void> = {
              ArrowLeft: () => move(-columnsShown / 4, 0),
              ArrowRight: () => move(columnsShown / 4, 0),
              ArrowUp: () => move(0, -rowsShown / 4),
              ArrowDown: () => move(0, rowsShown / 4),
              '+': () => zoom(2),
              '-': () => zoom(0.5),
            };
            const step = steps[event.key];
            if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
            event.preventDefault();
            step();
          }}
        />
      </div>
      <Readout {...{ report, tensor, hover, count, pitch, shown, rowsShown }} />
    </section>
  );
}

/** Rows from `first` up to `last` as large as they fit. */
function fit(first: number, last: number, pitch: number, width: number): View {
  const across = Math.min(LARGEST_CELL, width / pitch);
  const down = HEIGHT / Math.max(1, last - first);
  const cell = Math.min(across, down);
  return {
    pitch,
    row: first,
    column: 0,
    cell: cell >= 1 ? Math.floor(cell * 2) / 2 : Math.max(cell, 0.001),
  };
}

function summary({ distinctReads, distinctWrites, masked, outside }: TensorReport): string {
  return (
    `${formatCount(distinctReads)} elements read, ${formatCount(distinctWrites)} written, ` +
    `${formatCount(masked)} masked off, ${formatCount(outside)} out of range`
  );
}

interface Drawing {
  readonly width: number;
  readonly count: number;
  readonly cell: number;
}

function paint(
  canvas: HTMLCanvasElement,
  raster: Raster,
  window: RasterWindow,
  { width, count, cell }: Drawing,
): void {
  const scale = globalThis.devicePixelRatio || 1;
  canvas.width = width * scale;
  canvas.height = HEIGHT * scale;
  const brush = canvas.getContext('2d');
  if (!brush) return;
  brush.scale(scale, scale);
  const palette = paletteOf(canvas);
  brush.fillStyle = palette.surface;
  brush.fillRect(0, 0, width, HEIGHT);
  const w = (window.columns * cell) / raster.width;
  const h = (window.rows * cell) / raster.height;
  const gap = cell >= DETAILED_CELL ? 1 : 0;
  for (let y = 0; y < raster.height; y++)
    for (let x = 0; x < raster.width; x++) {
      const flags = raster.flags[y * raster.width + x]!;
      const row = window.row + Math.floor((y * window.rows) / raster.height);
      const column = window.column + Math.floor((x * window.columns) / raster.width);
      const element = row * window.pitch + column;
      const inTensor = element >= 0 && element < count;
      const color = colorOfFlags(flags, palette) ?? (inTensor ? palette.empty : null);
      if (color === null) continue;
      const masked = (flags & ~MASKED) === 0 && flags !== 0;
      brush.globalAlpha = masked ? 0.45 : 1;
      brush.fillStyle = color;
      brush.fillRect(x * w, y * h, Math.max(w - gap, 0.5), Math.max(h - gap, 0.5));
      brush.globalAlpha = 1;
      if (cell >= DETAILED_CELL) sign(brush, palette, flags, x * w, y * h, cell - gap);
    }
}

/** Shapes beside colours: a cross for out of range, a ring for a race, a stroke for masked off. */
function sign(
  brush: CanvasRenderingContext2D,
  palette: Palette,
  flags: number,
  x: number,
  y: number,
  size: number,
): void {
  brush.lineWidth = 1.5;
  brush.beginPath();
  if (flags & OUTSIDE) {
    brush.strokeStyle = palette.surface;
    brush.moveTo(x + 2, y + 2);
    brush.lineTo(x + size - 2, y + size - 2);
    brush.moveTo(x + size - 2, y + 2);
    brush.lineTo(x + 2, y + size - 2);
  } else if (flags & RACE) {
    brush.strokeStyle = palette.text;
    brush.arc(x + size / 2, y + size / 2, size / 4, 0, 7);
  } else if ((flags & ~MASKED) === 0 && flags !== 0) {
    brush.strokeStyle = palette.surface;
    brush.moveTo(x + 1, y + size - 1);
    brush.lineTo(x + size - 1, y + 1);
  } else return;
  brush.stroke();
}

const COLORS = [
  ['load', 'read'],
  ['store', 'written'],
  ['both', 'read and written'],
  ['atomic', 'atomic'],
  ['masked', 'masked off'],
  ['outside', '✗ out of range'],
  ['race', '○ two programs'],
] as const;

function Readout(props: {
  readonly report: MemoryReport;
  readonly tensor: TensorReport;
  readonly hover: number | null;
  readonly count: number;
  readonly pitch: number;
  readonly shown: View;
  readonly rowsShown: number;
}): React.ReactNode {
  const { report, tensor, hover, count, pitch, shown, rowsShown } = props;
  const chosen = useChosen();
  const [detail, setDetail] = useState<{
    readonly element: number;
    readonly accesses: readonly ElementReport[];
    readonly race: Race | null;
  } | null>(null);
  useEffect(() => {
    if (hover === null) return;
    let current = true;
    void inspectHost()
      .ask({ kind: 'element', parameter: tensor.parameter, element: hover })
      .then(
        (answer) => current && setDetail({ element: hover, ...answer }),
        () => {},
      );
    return () => {
      current = false;
    };
  }, [hover, tensor, report]);
  if (hover === null) {
    const first = Math.max(0, shown.row * pitch);
    const last = Math.min(count, (shown.row + rowsShown) * pitch) - 1;
    return (
      <p className="readout muted">
        Elements {formatCount(first)} to {formatCount(Math.max(first, last))} of{' '}
        {formatCount(count)}, {formatCount(pitch)} a row. Ctrl and the wheel zoom, dragging and
        arrow keys move.
      </p>
    );
  }
  const name = elementName(hover, tensor.shape, tensor.strides) ?? `[${hover}]`;
  const known = detail?.element === hover ? detail : null;
  return (
    <p className="readout" role="status">
      <b className="mono">
        {tensor.name}
        {hover >= 0 && hover < count ? name : ` element ${hover}, outside of the tensor`}
      </b>
      {known
        ? known.accesses.length === 0
          ? ' not touched'
          : known.accesses.map(({ access, flags, times }) => {
              const { location, kind } = report.accesses[access]!;
              return (
                <span key={access}>
                  {' '}
                  · {describeFlags(flags)} by the {kind} of line {location.line}
                  {times > 1 ? `, ${formatCount(times)} times` : ''}
                </span>
              );
            })
        : null}
      {known?.race ? (
        <span className="sign fail">
          {' '}
          · race of{' '}
          {known.race.kind === 'lanes'
            ? 'lanes'
            : chosen
              ? racingPrograms(chosen.launch.grid, known.race.programs)
              : 'programs'}
        </span>
      ) : null}
    </p>
  );
}
