/** The instructions of one access, drawn by the segments that they move. */
import { useState } from 'react';
import type { Coalescing, Instruction } from '../../../compiler/inspect/coalescing';
import { SEGMENT_BYTES } from '../../../compiler/inspect/constants';
import { formatCount } from '../common/format';
import { laneColor } from './TileMap';

const MOST_SEGMENTS = 16;
const WORD = 4;

/** One instruction of one subgroup: a row for each segment, a box for each word, with its lane. */
export function Segments({ access }: { readonly access: Coalescing }): React.ReactNode {
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
      <div className="scroll-x" tabIndex={0}>
        {segments.slice(0, MOST_SEGMENTS).map((segment) => (
          <div key={segment} className="segment">
            <span className="mono muted">0x{segment.toString(16)}</span>
            {wordsOf(access, instruction, segment).map((lane, word) => (
              <span
                key={word}
                className="word"
                title={
                  lane === null
                    ? 'no lane touches it'
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
          <p className="muted pad">and {segments.length - MOST_SEGMENTS} more segments</p>
        ) : null}
      </div>
    </div>
  );
}

/** For each word of a segment, the first lane that touches a byte of it. */
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
