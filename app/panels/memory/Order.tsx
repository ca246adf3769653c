/**
 * The order of a launch's programs, animated over its tensors: what each wave of programs reads and
 * writes, and what a cache of the chosen size holds of it and reuses.
 */
import { useEffect, useRef, useState } from 'react';
import { CACHED, HIT, MISSED, SEGMENT_BYTES, STORED } from '../../../compiler/inspect/constants';
import type { LaunchInputs } from '../../../compiler/inspect/launch';
import type { FrameGrid, ReuseFrame, ReuseReport } from '../../../compiler/inspect/reuse';
import { useTheme } from '../../state/settings';
import { inspectHost } from '../../workers/inspectHost';
import { formatBytes, formatCount, formatShape, plural } from '../common/format';
import { Legend } from './Legend';

const KIB = 1024;
const SIZES = [16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 16384, 65536].map((kib) => kib * KIB);
const AT_ONCE = [1, 2, 4, 8, 16, 32, 64, 128, 256];
/** Milliseconds of a frame; a wave stays this long, and a launch of many waves leaves some out. */
const FRAME = 120;
const MOST_FRAMES = 120;
const COLORS = [
  ['missed', 'read from memory'],
  ['hit', 'read from the cache'],
  ['store', 'written'],
  ['cached', 'in the cache'],
] as const;

/** Colours of a cell's bits; the first one that is set counts. */
const DRAWN = [
  [STORED, '--series-1'],
  [MISSED, '--series-2'],
  [HIT, '--series-3'],
  [CACHED, '--text-faint'],
] as const;

/** Half of what the launch touches: a cache that holds all of it has no order to show. */
function sizeFor({ touchedBytes }: ReuseReport): number {
  return SIZES.findLast((size) => size <= touchedBytes / 2) ?? SIZES[0]!;
}

/** A quarter of the programs, 8 at the most. */
const atOnceFor = ({ programs }: ReuseReport): number =>
  AT_ONCE.findLast((count) => count <= Math.min(8, programs / 4)) ?? 1;

export default function Order({ launch }: { readonly launch: LaunchInputs }): React.ReactNode {
  const [report, setReport] = useState<ReuseReport | string | null>(null);
  useEffect(() => {
    let current = true;
    void inspectHost()
      .askOf(launch, { kind: 'reuse' })
      .then(
        (answer) => current && setReport('refused' in answer ? answer.refused : answer),
        (error: unknown) => current && setReport(String(error)),
      );
    return () => {
      current = false;
      setReport(null);
    };
  }, [launch]);
  if (report === null) return <p className="quiet-note">Running the programs…</p>;
  if (typeof report === 'string') return <p className="quiet-note">{report}</p>;
  if (report.programs === 0)
    return <p className="quiet-note">Not one program could be followed to its end.</p>;
  return <Player key={launch.launch} launch={launch} report={report} />;
}

function Player(props: {
  readonly launch: LaunchInputs;
  readonly report: ReuseReport;
}): React.ReactNode {
  const { launch, report } = props;
  const [bytes, setBytes] = useState(() => sizeFor(report));
  const [atOnce, setAtOnce] = useState(() => atOnceFor(report));
  const [wave, setWave] = useState(0);
  const [playing, setPlaying] = useState(false);
  const [drawn, setDrawn] = useState<{ readonly wave: number; readonly frame: ReuseFrame }>();
  const frame = drawn?.frame;
  const last = Math.ceil(report.programs / atOnce) - 1;
  const shown = Math.min(wave, last);

  useEffect(() => {
    let current = true;
    void inspectHost()
      .askOf(launch, { kind: 'reuse-frame', model: { bytes, atOnce }, wave: shown })
      .then(
        (answer) => {
          if (current && !('refused' in answer)) setDrawn({ wave: shown, frame: answer });
        },
        () => {},
      );
    return () => {
      current = false;
    };
  }, [launch, bytes, atOnce, shown]);

  // The next wave follows once the one before is drawn: a slow computer has a slower animation.
  useEffect(() => {
    if (!playing || drawn?.wave !== shown) return;
    const step = Math.ceil((last + 1) / MOST_FRAMES);
    const timer = setTimeout(() => {
      if (shown >= last) setPlaying(false);
      else setWave(Math.min(last, shown + step));
    }, FRAME);
    return () => clearTimeout(timer);
  }, [playing, drawn, shown, last]);

  const play = (): void => {
    if (!playing && shown === last) setWave(0);
    setPlaying(!playing);
  };
  const first = shown * atOnce;
  const end = Math.min(first + atOnce, report.programs) - 1;
  return (
    <>
      <div className="order-tools">
        <button type="button" className="button small" onClick={play}>
          {playing ? 'Pause' : 'Play'}
        </button>
        <input
          type="range"
          aria-label="Wave of programs"
          min={0}
          max={last}
          value={shown}
          onChange={(event) => {
            setPlaying(false);
            setWave(event.target.valueAsNumber);
          }}
        />
        <label>
          cache{' '}
          <select
            className="field small"
            value={bytes}
            onChange={(event) => setBytes(Number(event.target.value))}
          >
            {SIZES.map((size) => (
              <option key={size} value={size}>
                {formatBytes(size)}
              </option>
            ))}
          </select>
        </label>
        <label>
          programs at once{' '}
          <select
            className="field small"
            value={atOnce}
            onChange={(event) => setAtOnce(Number(event.target.value))}
          >
            {AT_ONCE.map((count) => (
              <option key={count}>{count}</option>
            ))}
          </select>
        </label>
      </div>
      <p className="readout" role="status" aria-live={playing ? 'off' : 'polite'}>
        {first === end ? `Program ${first}` : `Programs ${first} to ${end}`} of{' '}
        {formatCount(report.of)}
        {frame ? <Shares frame={frame} /> : null}
      </p>
      <ul className="order-grids">
        {report.tensors.map((tensor, index) => (
          <li key={tensor.parameter}>
            <span className="mono">
              <b>{tensor.name}</b> {formatShape(tensor.shape ?? [tensor.elements])}
            </span>
            {frame?.grids[index] ? <Grid name={tensor.name} grid={frame.grids[index]} /> : null}
          </li>
        ))}
      </ul>
      <Legend of={COLORS} />
      <p className="quiet-note">
        A model: one cache with lines of {SEGMENT_BYTES} bytes that drops the line used least
        recently; programs start in the order of their index, and those that run at once make their
        accesses in turn. The launch touches {formatBytes(report.touchedBytes)}.
        {report.programs < report.of
          ? ` Only the first ${plural(report.programs, 'program', 'programs')} are followed.`
          : ''}
      </p>
    </>
  );
}

function Shares({ frame }: { readonly frame: ReuseFrame }): React.ReactNode {
  const share = ({ lines, missed }: ReuseFrame['wave']): string =>
    lines === 0 ? 'no reads' : `${Math.round((100 * (lines - missed)) / lines)} % from the cache`;
  const { total } = frame;
  return (
    <span className="muted">
      {' '}
      · {share(frame.wave)} · whole launch: {share(total)},{' '}
      {formatBytes(total.missed * SEGMENT_BYTES)} from memory of{' '}
      {formatBytes(total.lines * SEGMENT_BYTES)} read
    </span>
  );
}

function Grid(props: { readonly name: string; readonly grid: FrameGrid }): React.ReactNode {
  const { name, grid } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const theme = useTheme((state) => state.theme);
  useEffect(() => {
    const brush = canvas.current?.getContext('2d');
    if (!canvas.current || !brush) return;
    const style = getComputedStyle(canvas.current);
    const color = (variable: string): string => style.getPropertyValue(variable).trim();
    const colors = DRAWN.map(([bit, variable]) => [bit, color(variable)] as const);
    const empty = color('--sunken');
    const { rows, columns, flags } = grid;
    canvas.current.width = columns;
    canvas.current.height = rows;
    for (let y = 0; y < rows; y++)
      for (let x = 0; x < columns; x++) {
        const cell = flags[y * columns + x]!;
        brush.fillStyle = colors.find(([bit]) => cell & bit)?.[1] ?? empty;
        brush.fillRect(x, y, 1, 1);
      }
  }, [grid, theme]);
  return <canvas ref={canvas} className="order-grid" role="img" aria-label={`Lines of ${name}`} />;
}
