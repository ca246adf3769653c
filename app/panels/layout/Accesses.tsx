/** How the loads and stores of a program coalesce: counted for each, and the first instructions drawn. */
import { useState } from 'react';
import type { Coalescing, Instruction } from '../../../compiler/inspect/coalescing';
import { SEGMENT_BYTES } from '../../../compiler/inspect/constants';
import { formatCount, formatNumber } from '../common/format';
import { Site } from '../common/Site';
import { RunAction } from '../common/Empty';
import { number, TableHead } from '../common/TableHead';
import { LaunchBar, useChosen } from '../memory/LaunchBar';
import { useCoalescing, useLayout } from './state';
import { laneColor } from './TileMap';

export function Accesses({ threads }: { readonly threads: number | null }): React.ReactNode {
  const chosen = useChosen();
  useCoalescing(chosen);
  const accesses = useLayout((state) => state.coalescing);
  const uncounted = useLayout((state) => state.uncounted);
  const shown = useLayout((state) => state.access);
  const access = accesses?.[shown] ?? accesses?.[0];
  return (
    <section className="layout-section" aria-label="Coalescing">
      <h3>Global memory: {SEGMENT_BYTES}-byte segments</h3>
      {chosen ? <LaunchBar {...chosen} /> : null}
      {!chosen ? (
        <p className="muted pad">
          The addresses come from a launch. <RunAction />
        </p>
      ) : uncounted !== null ? (
        <p className="muted pad">Not counted: {uncounted}</p>
      ) : !accesses ? (
        <p className="muted pad">Counting…</p>
      ) : accesses.length === 0 ? (
        <p className="muted pad">This program touches no memory.</p>
      ) : (
        <>
          <Table accesses={accesses} shown={access} />
          <p className="muted pad">
            Of one program, for every instruction of every subgroup
            {threads === null ? ' (the target tells no size: 32 threads are taken for one)' : ''}.
            100% is when every byte of every segment that is touched was asked for; ! where fewer
            segments could hold what was asked for.
          </p>
          {access ? <Drawn key={shown} access={access} /> : null}
        </>
      )}
    </section>
  );
}

export function efficiency({ bytes, segments }: Coalescing): number {
  return segments === 0 ? 1 : bytes / (segments * SEGMENT_BYTES);
}

function Table(props: {
  readonly accesses: readonly Coalescing[];
  readonly shown: Coalescing | undefined;
}): React.ReactNode {
  return (
    <div className="scroll-x">
      <table className="data access-table">
        <TableHead
          columns={[
            'access',
            'line',
            number('vector'),
            number('instructions'),
            number('segments'),
            number('at best'),
            number('efficiency'),
          ]}
        />
        <tbody>
          {props.accesses.map((access, index) => {
            const part = efficiency(access);
            return (
              <tr key={index} className="launch-row" aria-selected={access === props.shown}>
                <td>
                  <button
                    type="button"
                    className="link mono"
                    aria-pressed={access === props.shown}
                    onClick={() => useLayout.setState({ access: index })}
                  >
                    <span className={`touch-key ${access.kind}`} aria-hidden="true" />
                    {access.kind}
                  </button>
                </td>
                <td>
                  <Site site={access.location} />
                </td>
                <td className="number">
                  {access.vector} × {access.elementBytes} B
                </td>
                <td className="number">{formatCount(access.instructions)}</td>
                <td className="number">{formatCount(access.segments)}</td>
                <td className="number">{formatCount(access.least)}</td>
                <td className="number">
                  <span className={access.segments > access.least ? 'sign warn' : undefined}>
                    {access.segments > access.least ? '! ' : ''}
                    {formatNumber(part * 100, 3)}%
                  </span>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

const MOST_SEGMENTS = 16;
const WORD = 4;

/** One instruction of one subgroup: each row a segment, each box a word, coloured by the lane that wants it. */
function Drawn({ access }: { readonly access: Coalescing }): React.ReactNode {
  const [at, setAt] = useState(0);
  const instruction = access.shown[at];
  if (!instruction) return null;
  const { subgroup, register, segments } = instruction;
  return (
    <div className="segments">
      <p className="readout">
        <button
          type="button"
          className="button small"
          disabled={at === 0}
          onClick={() => setAt(at - 1)}
        >
          Previous
        </button>{' '}
        <button
          type="button"
          className="button small"
          disabled={at >= access.shown.length - 1}
          onClick={() => setAt(at + 1)}
        >
          Next
        </button>{' '}
        Instruction {at + 1} of {formatCount(access.instructions)}: subgroup {subgroup}, from
        register {register}, {segments.length} segment{segments.length === 1 ? '' : 's'}
      </p>
      <div className="scroll-x">
        {segments.slice(0, MOST_SEGMENTS).map((segment) => (
          <div key={segment} className="segment">
            <span className="mono muted">0x{segment.toString(16)}</span>
            {wordsOf(access, instruction, segment).map((lane, word) => (
              <span
                key={word}
                className="word"
                title={
                  lane === null
                    ? 'nobody asked for it'
                    : `lane ${lane}, address 0x${(segment + word * WORD).toString(16)}`
                }
                style={lane === null ? undefined : { background: laneColor(lane) }}
              >
                {lane ?? ''}
              </span>
            ))}
          </div>
        ))}
        {segments.length > MOST_SEGMENTS ? (
          <p className="muted">and {segments.length - MOST_SEGMENTS} more segments</p>
        ) : null}
      </div>
    </div>
  );
}

/** For each word of a segment, the first lane that wants a byte of it. */
export function wordsOf(
  { elementBytes, vector }: Pick<Coalescing, 'elementBytes' | 'vector'>,
  { addresses }: Instruction,
  segment: number,
): (number | null)[] {
  const words = new Array<number | null>(SEGMENT_BYTES / WORD).fill(null);
  addresses.forEach((address, lane) => {
    if (address === null) return;
    for (let byte = address; byte < address + elementBytes * vector; byte++) {
      const word = Math.floor((byte - segment) / WORD);
      if (word >= 0 && word < words.length) words[word] ??= lane;
    }
  });
  return words;
}
