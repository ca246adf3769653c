/**
 * The errors by the program that wrote the element: the grid as a picture, and the worst programs.
 */
import { useEffect, useState } from 'react';
import { unravel } from '../../inspection/elements';
import type { Tolerance } from '../../inspection/errors';
import type { ErrorsByProgram } from '../../inspection/errorsByProgram';
import { askData } from '../../state/tensorData';
import type { Preview } from '../../events';
import type { PairOfData } from '../../workers/dataProtocol';
import { formatCount, formatNumber, plural } from '../common/format';
import { Heatmap } from '../common/Heatmap';
import { number, TableHead } from '../common/TableHead';
import { ProgramLink } from './ProgramLink';
import type { Producer } from './useProducer';

const ROWS = 6;
/** Programs along a side of the picture. */
const SIDE = 96;

/** Null until it is known. */
export function useErrorsByProgram(
  { actual, expected }: PairOfData,
  tolerance: Tolerance,
  producer: Producer | null,
): ErrorsByProgram | null {
  const [found, setFound] = useState<ErrorsByProgram | null>(null);
  useEffect(() => {
    if (!producer) return;
    let current = true;
    const { owners, launch } = producer;
    const programs = launch.grid[0] * launch.grid[1] * launch.grid[2];
    const asked = { actual, expected };
    void askData({ kind: 'programs', pair: asked, tolerance, owners, programs }).then(
      (answer) => {
        if (current) setFound(answer);
      },
      () => {},
    );
    return () => {
      current = false;
    };
  }, [actual, expected, tolerance, producer]);
  return found;
}

/** Properties of errors that no program computed: nobody wrote there, or several did. */
export function Unowned(props: {
  readonly found: ErrorsByProgram;
  readonly producer: Producer;
  readonly over: number;
}): React.ReactNode {
  const { nobody, several } = props.found;
  const kernel = <code>{props.producer.launch.kernel}</code>;
  const share = (count: number): string =>
    count < props.over
      ? `${formatCount(count)} of the ${formatCount(props.over)} elements over the tolerance were`
      : count === 1
        ? 'The one element over the tolerance was'
        : `All ${formatCount(count)} elements over the tolerance were`;
  return (
    <>
      {nobody.over > 0 ? (
        <p className="mismatch">
          {share(nobody.over)} written by no program of {kernel}: its grid or a mask leaves them
          out.
        </p>
      ) : null}
      {several.over > 0 ? (
        <p className="mismatch">
          {share(several.over)} written by several programs of {kernel}: what stands there is the
          last one’s.
        </p>
      ) : null}
    </>
  );
}

export function ByProgram(props: {
  readonly found: ErrorsByProgram;
  readonly shape: readonly number[];
  readonly producer: Producer;
  readonly onPick: (flat: number) => void;
}): React.ReactNode {
  const { found, producer, shape } = props;
  const { grid } = producer.launch;
  const preview = previewOf(found.largest, grid);
  return (
    <section aria-label="Errors by program">
      <h4>
        By program{' '}
        <span className="muted">
          {found.withErrors === 0
            ? `all ${plural(found.writing, 'program')} that wrote here are within the tolerance`
            : `${formatCount(found.withErrors)} of ${plural(found.writing, 'program')} over the tolerance`}
        </span>
      </h4>
      {preview && found.writing > 1 && found.withErrors > 0 ? (
        <Heatmap preview={preview} errors label="Largest error of each program of the grid" />
      ) : null}
      {found.worst.length > 0 ? (
        <div className="scroll-x">
          <table className="data">
            <TableHead
              columns={[
                'Program',
                number('Over'),
                number('Elements'),
                number('max |error|'),
                'First',
              ]}
            />
            <tbody>
              {found.worst.slice(0, ROWS).map((row) => (
                <tr key={row.program}>
                  <td>
                    <ProgramLink
                      producer={producer}
                      owner={row.program}
                      onPick={() => {
                        if (row.first !== null) props.onPick(row.first);
                      }}
                    />
                  </td>
                  <td className="number">{formatCount(row.over)}</td>
                  <td className="number">{formatCount(row.elements)}</td>
                  <td className="number">{formatNumber(row.largest, 3)}</td>
                  <td className="mono">
                    {row.first === null ? '' : `[${unravel(row.first, shape).join(', ')}]`}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ) : null}
      {found.worst.length > ROWS ? (
        <p className="muted">and {plural(found.withErrors - ROWS, 'more program')}.</p>
      ) : null}
    </section>
  );
}

/**
 * The grid: x across, y down, planes of z below each other; blocks of programs where it is large.
 */
function previewOf(
  largest: Float32Array,
  [gx, gy, gz]: Producer['launch']['grid'],
): Preview | null {
  const [down, across] = gy * gz > 1 ? [gy * gz, gx] : wrapped(gx);
  const rowStep = Math.ceil(down / SIDE);
  const columnStep = Math.ceil(across / SIDE);
  const rows = Math.ceil(down / rowStep);
  const columns = Math.ceil(across / columnStep);
  const cells = new Float64Array(rows * columns).fill(-1);
  for (let program = 0; program < largest.length; program++) {
    const row = Math.floor(Math.floor(program / across) / rowStep);
    const cell = row * columns + Math.floor((program % across) / columnStep);
    const value = largest[program]!;
    if (value !== value || !(cells[cell]! >= value)) cells[cell] = value;
  }
  const values = Array.from(cells, (value) =>
    value === value ? Math.max(0, value) : ('nan' as const),
  );
  return { rows, columns, rowStep, columnStep, values };
}
/** A long row of programs in lines. */
function wrapped(count: number): [number, number] {
  if (count <= SIDE) return [1, count];
  const across = 2 ** Math.ceil(Math.log2(Math.sqrt(count)));
  return [Math.ceil(count / across), across];
}
