/**
 * The whole run on a timeline: what Python, the compilers, the transfers and the GPU did, and when.
 */
import { useEffect, useMemo, useRef, useState } from 'react';
import { chromeTrace } from '../../profile/chromeTrace';
import { hatchet } from '../../profile/hatchet';
import { profileOf } from '../../profile/profile';
import type { LaunchEvent, RunRecord } from '../../state/record';
import { useTheme } from '../../state/settings';
import { isZoom, useWheel, useWidth } from '../common/canvas';
import { saveFile } from '../common/files';
import { formatCount, formatMilliseconds, plural } from '../common/format';
import { number, TableHead } from '../common/TableHead';
import { ticks } from './ticks';
import { totals, TRACKS, withPython, type Span, type Track } from './traceView';

const ROW = 22;
const AXIS = 20;
const HEAD = 108;
/** Milliseconds that are in view at the least. */
const LEAST = 0.002;
const COLORS: Record<Track, string> = {
  python: '--series-6',
  torch: '--series-5',
  compile: '--series-3',
  pipeline: '--series-4',
  launch: '--series-1',
  upload: '--series-2',
  wait: '--line-strong',
  readback: '--series-2',
  gpu: '--series-1',
};

export default function TraceChart({ record }: { readonly record: RunRecord }): React.ReactNode {
  const { trace, milliseconds } = record;
  const count = trace.length;
  const spans = useMemo(
    () => withPython(trace, milliseconds ?? 0),
    // It grows in place.
    // oxlint-disable-next-line exhaustive-deps
    [trace, count, milliseconds],
  );
  const sums = useMemo(() => totals(spans), [spans]);
  const shown = TRACKS.filter(([track]) => sums.some((sum) => sum.track === track));
  const end = spans.reduce(
    (latest, { start, duration }) => Math.max(latest, start + duration),
    milliseconds ?? 0,
  );
  const [view, setView] = useState<readonly [number, number] | null>(null);
  const [from, to] = view ?? [0, end];
  const [at, setAt] = useState<Span | null>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const host = useRef<HTMLDivElement>(null);
  const width = useWidth(host, 600, 200);
  // Drawn anew in another theme.
  const theme = useTheme((state) => state.theme);
  const height = AXIS + shown.length * ROW;

  useEffect(() => {
    if (canvas.current) draw(canvas.current, spans, shown, [from, to], width, height, at);
  }, [spans, shown, from, to, width, height, at, theme]);

  const clamp = (start: number, stop: number): void => {
    const length = Math.min(end, Math.max(LEAST, stop - start));
    const first = Math.min(end - length, Math.max(0, start));
    setView(length >= end ? null : [first, first + length]);
  };
  const zoom = (factor: number, about = (from + to) / 2): void =>
    clamp(about - (about - from) / factor, about + (to - about) / factor);
  const timeAt = (x: number): number => from + ((x - HEAD) / (width - HEAD)) * (to - from);
  useWheel(canvas, (event, place) => {
    if (!isZoom(event, place)) return;
    event.preventDefault();
    const x = event.clientX - place.getBoundingClientRect().left;
    zoom(Math.exp(-event.deltaY / 300), timeAt(x));
  });
  const drag = useRef<number | null>(null);
  const locate = (event: React.PointerEvent): Span | null => {
    const box = event.currentTarget.getBoundingClientRect();
    const track = shown[Math.floor((event.clientY - box.top - AXIS) / ROW)]?.[0];
    const time = timeAt(event.clientX - box.left);
    const slack = ((to - from) / (width - HEAD)) * 2;
    return (
      spans.findLast(
        (span) =>
          span.track === track &&
          time >= span.start - slack &&
          time <= span.start + span.duration + slack,
      ) ?? null
    );
  };
  const onKeyDown = (event: React.KeyboardEvent): void => {
    const step = (to - from) / 5;
    const act: Partial<Record<string, () => void>> = {
      '+': () => zoom(2),
      '=': () => zoom(2),
      '-': () => zoom(0.5),
      '0': () => setView(null),
      ArrowLeft: () => clamp(from - step, to - step),
      ArrowRight: () => clamp(from + step, to + step),
    };
    const found = event.ctrlKey || event.metaKey || event.altKey ? undefined : act[event.key];
    if (!found) return;
    event.preventDefault();
    found();
  };
  return (
    <section className="section" aria-label="Trace of the run">
      <div className="section-head">
        <h3>Trace of the run</h3>
        <span className="zoom-tools">
          <button type="button" aria-label="Zoom in" onClick={() => zoom(2)}>
            +
          </button>
          <button
            type="button"
            aria-label="Zoom out"
            disabled={view === null}
            onClick={() => zoom(0.5)}
          >
            −
          </button>
          <button type="button" disabled={view === null} onClick={() => setView(null)}>
            All
          </button>
        </span>
        <button
          type="button"
          className="button small"
          onClick={() => save('trace.json', chromeTrace(record, launchesOf(record)))}
        >
          Save for Chrome or Perfetto
        </button>
        <button
          type="button"
          className="button small"
          onClick={() => save('profile.hatchet', hatchet(profileOf(record)))}
        >
          Save for Proton’s viewer
        </button>
      </div>
      <div
        ref={host}
        className="trace"
        role="group"
        tabIndex={0}
        aria-label="Timeline. Arrow keys move, plus and minus zoom, 0 shows all. A table follows."
        onKeyDown={onKeyDown}
      >
        <canvas
          ref={canvas}
          role="img"
          aria-label="Timeline of the run"
          width={Math.round(width * (globalThis.devicePixelRatio || 1))}
          height={Math.round(height * (globalThis.devicePixelRatio || 1))}
          style={{ width, height }}
          onPointerDown={(event) => {
            event.currentTarget.setPointerCapture(event.pointerId);
            drag.current = event.clientX;
          }}
          onPointerMove={(event) => {
            if (drag.current === null) {
              setAt(locate(event));
              return;
            }
            const moved = ((drag.current - event.clientX) / (width - HEAD)) * (to - from);
            drag.current = event.clientX;
            clamp(from + moved, to + moved);
          }}
          onPointerUp={() => (drag.current = null)}
          onPointerCancel={() => (drag.current = null)}
          onPointerLeave={() => setAt(null)}
        />
      </div>
      <p className="readout muted">
        {at
          ? `${at.name}: ${formatMilliseconds(at.duration)}, from ${formatMilliseconds(at.start)} on`
          : `${formatMilliseconds(from)} to ${formatMilliseconds(to)} of ${formatMilliseconds(end)}`}
      </p>
      <div className="scroll-x">
        <table className="data">
          <TableHead
            columns={['Track', number('Spans'), number('Total'), number('Share'), 'Longest']}
          />
          <tbody>
            {sums.map(({ track, title, count: n, total, longest }) => (
              <tr key={track}>
                <td>{title}</td>
                <td className="number">{formatCount(n)}</td>
                <td className="number">{formatMilliseconds(total)}</td>
                <td className="number">{((100 * total) / Math.max(end, 1e-9)).toPrecision(3)} %</td>
                <td>{longest ? `${longest.name}, ${formatMilliseconds(longest.duration)}` : ''}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className="muted">
        The GPU has a clock of its own: GPU spans are aligned to when results arrived. Tracks
        overlap, so shares need not sum to 100 %.
        {record.traceDropped > 0 ? ` ${plural(record.traceDropped, 'more span')} left out.` : ''}
      </p>
    </section>
  );
}

function save(name: string, content: object): void {
  saveFile(name, new Blob([JSON.stringify(content)], { type: 'application/json' }));
}

/** Those that the record kept whole: the first of each row of the table. */
function launchesOf({ groups }: RunRecord): LaunchEvent[] {
  return groups.map(({ first }) => first);
}

function draw(
  canvas: HTMLCanvasElement,
  spans: readonly Span[],
  shown: typeof TRACKS,
  [from, to]: readonly [number, number],
  width: number,
  height: number,
  at: Span | null,
): void {
  const context = canvas.getContext('2d');
  if (!context) return;
  const ratio = globalThis.devicePixelRatio || 1;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  const style = getComputedStyle(canvas);
  const color = (name: string): string => style.getPropertyValue(name).trim();
  context.fillStyle = color('--surface');
  context.fillRect(0, 0, width, height);
  context.font = '12px "Inter Variable", sans-serif';
  context.textBaseline = 'middle';
  const x = (time: number): number => HEAD + ((time - from) / (to - from)) * (width - HEAD);
  for (const tick of ticks(from, to, Math.max(2, Math.floor((width - HEAD) / 90)))) {
    context.fillStyle = color('--line');
    context.fillRect(Math.round(x(tick)), AXIS, 1, height - AXIS);
    context.fillStyle = color('--text-muted');
    context.fillText(formatMilliseconds(tick), x(tick) + 3, AXIS / 2);
  }
  const rows = new Map(shown.map(([track], row) => [track, AXIS + row * ROW]));
  shown.forEach(([track, title]) => {
    context.fillStyle = color('--text-muted');
    context.fillText(title, 0, rows.get(track)! + ROW / 2, HEAD - 8);
  });
  context.save();
  context.beginPath();
  context.rect(HEAD, AXIS, width - HEAD, height - AXIS);
  context.clip();
  // Neighbours that share a pixel are drawn once.
  const drawn = new Map<Track, number>();
  for (const span of spans) {
    const top = rows.get(span.track);
    if (top === undefined || span.start > to || span.start + span.duration < from) continue;
    const left = x(span.start);
    const w = Math.max(1, (span.duration / (to - from)) * (width - HEAD));
    const pixel = Math.floor(left);
    if (w <= 1 && drawn.get(span.track) === pixel) continue;
    drawn.set(span.track, pixel);
    context.fillStyle = color(COLORS[span.track]);
    context.fillRect(left, top + 3, w, ROW - 6);
    if (span === at) {
      context.strokeStyle = color('--text');
      context.strokeRect(left - 0.5, top + 2.5, w + 1, ROW - 5);
    }
    if (w > 48) {
      context.fillStyle = color('--surface');
      context.fillText(span.name, Math.max(left, HEAD) + 4, top + ROW / 2, w - 8);
    }
  }
  context.restore();
}
