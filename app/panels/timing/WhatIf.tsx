/**
 * Two settings of a launch as axes, and a heat map of its measured times. Each cell is a
 * run of the program with those numbers; the best one is written into the text with one click.
 */
import { useState } from 'react';
import type { LaunchSetting } from '../../../compiler/language/settingValues';
import { useSession } from '../../state/session';
import {
  findTrial,
  keepTrial,
  stopTrials,
  tryChanges,
  useTrials,
  useTrying,
  type Subject,
  type Trial,
} from '../../state/trials';
import { formatMicroseconds, formatNumber, plural } from '../common/format';
import { spreadOfTrial, textOfChanges, troubleOf } from './Tries';
import { bestOf, cellChanges, valuesOf } from './axes';

/** Seconds after which no further run begins. */
const BUDGETS = [30, 60, 180] as const;

export function WhatIf(props: {
  readonly settings: readonly LaunchSetting[];
  readonly subject: Subject;
  readonly text: string;
}): React.ReactNode {
  const { settings, subject, text } = props;
  const [axes, setAxes] = useState<readonly [number, number]>([0, 1]);
  const [seconds, setSeconds] = useState<number>(BUDGETS[1]);
  const trials = useTrials();
  const idle = useSession(({ phase }) => phase === 'ready');
  const trying = useTrying(({ program }) => program !== null);
  const [across, down] = axes.map((at) => settings[at]);
  if (!across || !down) return null;
  const [columns, rows] = [valuesOf(across), valuesOf(down)];
  const grid = rows.map((row) =>
    columns.map((column) => {
      const changes = cellChanges([
        [across, column],
        [down, row],
      ]);
      return { changes, trial: findTrial(trials, text, { subject, changes }) };
    }),
  );
  const cells = grid.flat();
  const best = bestOf(cells.map(({ trial }) => trial));
  const done = cells.filter(({ trial }) => trial?.state === 'done').length;
  const choose = (axis: 0 | 1, at: number): void =>
    setAxes(
      axis === 0
        ? [at, at === axes[1] ? axes[0] : axes[1]]
        : [at === axes[0] ? axes[1] : axes[0], at],
    );
  return (
    <details className="what-if">
      <summary>What if: measure two settings together</summary>
      <div className="what-if-bar">
        <Axis label="Across" settings={settings} at={axes[0]} onChoose={(at) => choose(0, at)} />
        <Axis label="Down" settings={settings} at={axes[1]} onChoose={(at) => choose(1, at)} />
        <select
          className="field small"
          aria-label="Time to spend"
          value={seconds}
          onChange={(event) => setSeconds(Number(event.target.value))}
        >
          {BUDGETS.map((each) => (
            <option key={each} value={each}>
              at most {each} s
            </option>
          ))}
        </select>
        {trying ? (
          <button type="button" className="button small" onClick={stopTrials}>
            Stop measuring
          </button>
        ) : (
          <button
            type="button"
            className="button small"
            disabled={!idle || done === cells.length}
            onClick={() =>
              tryChanges(
                cells.map(({ changes }) => ({ subject, changes })),
                seconds,
              )
            }
          >
            Measure {plural(cells.length - done, 'combination')}
          </button>
        )}
        <span className="muted" role="status">
          {done > 0 ? `${done} of ${cells.length} measured` : ''}
        </span>
      </div>
      {done > 0 || trying ? (
        <Heat across={across} down={down} columns={columns} rows={rows} grid={grid} best={best} />
      ) : null}
      {best && best.changes.length > 0 && !trying ? (
        <p>
          Fastest: {textOfChanges(best.changes)}.{' '}
          <button
            type="button"
            className="button small"
            title="Writes these numbers into the program. The editor’s undo takes them back."
            onClick={() => keepTrial(best)}
          >
            Keep the fastest
          </button>
          {best.outcome?.compared === 0 ? (
            <span className="muted"> The program compares nothing: check its results.</span>
          ) : null}
        </p>
      ) : best && !trying ? (
        <p>The program’s own numbers are the fastest that were measured.</p>
      ) : null}
    </details>
  );
}

function Axis(props: {
  readonly label: string;
  readonly settings: readonly LaunchSetting[];
  readonly at: number;
  readonly onChoose: (at: number) => void;
}): React.ReactNode {
  return (
    <label>
      {props.label}{' '}
      <select
        className="field small"
        value={props.at}
        onChange={(event) => props.onChoose(Number(event.target.value))}
      >
        {props.settings.map(({ name }, at) => (
          <option key={name} value={at}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

function Heat(props: {
  readonly across: LaunchSetting;
  readonly down: LaunchSetting;
  readonly columns: readonly number[];
  readonly rows: readonly number[];
  readonly grid: readonly (readonly { readonly trial: Trial | null }[])[];
  readonly best: Trial | null;
}): React.ReactNode {
  const { across, down, columns, rows, grid, best } = props;
  const least = spreadOfTrial(best)?.median ?? null;
  return (
    <div className="scroll-x">
      <table className="data heat" aria-label={`Times by ${across.name} and ${down.name}`}>
        <thead>
          <tr>
            <th scope="col">
              {down.name} ↓ {across.name} →
            </th>
            {columns.map((column) => (
              <th key={column} scope="col" className="number">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {grid.map((cells, row) => (
            <tr key={rows[row]}>
              <th scope="row" className="number">
                {rows[row]}
              </th>
              {cells.map(({ trial }, column) => (
                <Cell
                  key={columns[column]}
                  trial={trial}
                  least={least}
                  isBest={trial !== null && trial === best}
                />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Cell(props: {
  readonly trial: Trial | null;
  readonly least: number | null;
  readonly isBest: boolean;
}): React.ReactNode {
  const { trial, least, isBest } = props;
  if (!trial || trial.state === 'left' || trial.state === 'waiting')
    return <td className="number muted">–</td>;
  if (trial.state === 'running') return <td className="number muted">…</td>;
  const trouble = troubleOf(trial);
  if (trouble !== null)
    return (
      <td className="number sign fail" title={trouble}>
        ✗
      </td>
    );
  const spread = spreadOfTrial(trial);
  if (!spread || least === null) return <td className="number muted">–</td>;
  const ratio = spread.median / least;
  // Twice the time of the fastest, and more, has no colour.
  const share = Math.round(Math.max(0, 2 - ratio) * 45);
  return (
    <td
      className="number"
      style={{ background: `color-mix(in srgb, var(--accent) ${share}%, transparent)` }}
      title={`${formatMicroseconds(spread.low)} – ${formatMicroseconds(spread.high)}, ${formatNumber(ratio, 3)} × the fastest`}
    >
      {isBest ? '★ ' : ''}
      {formatMicroseconds(spread.median)}
    </td>
  );
}
