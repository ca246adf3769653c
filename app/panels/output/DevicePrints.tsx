/**
 * Prints of a launch: one row for each print of a program, with the program's id. A tile is one row
 * too: its first values, and all of them in rows of its last dimension when it is opened.
 */
import { useState } from 'react';
import type { DevicePrint } from '../../events';
import { droppedText } from '../../runtime/devicePrint';
import { formatCount, plural } from '../common/format';
import { goTo } from '../common/Site';

/** Rows that are shown at first. */
const FIRST_ROWS = 40;
/** Values of a tile that are shown in its row. */
const FIRST_VALUES = 8;

export function DevicePrints({
  kernel,
  prints,
  dropped,
}: {
  readonly kernel: string;
  readonly prints: readonly DevicePrint[];
  readonly dropped: number;
}): React.ReactNode {
  const [all, setAll] = useState(false);
  const rows = all ? prints : prints.slice(0, FIRST_ROWS);
  const programs = new Set(prints.map(({ program }) => program.join(' '))).size;
  return (
    <section className="device-prints" aria-label={`Printed by ${kernel}`}>
      <p className="muted">
        {kernel} printed {plural(prints.length, 'time')} in {plural(programs, 'program')}
      </p>
      <table>
        <tbody>
          {rows.map((print, index) => (
            <Row key={index} print={print} repeats={sameProgram(rows[index - 1], print)} />
          ))}
        </tbody>
      </table>
      {rows.length < prints.length ? (
        <button type="button" className="link" onClick={() => setAll(true)}>
          Show {formatCount(prints.length - rows.length)} more
        </button>
      ) : null}
      {dropped > 0 ? <p className="sign warn">{droppedText(dropped)}</p> : null}
    </section>
  );
}

function Row({
  print,
  repeats,
}: {
  readonly print: DevicePrint;
  /** The row above is of the same program. */
  readonly repeats: boolean;
}): React.ReactNode {
  const { program, prefix, operand, operands, shape, location } = print;
  const id = `(${program.join(', ')})`;
  const label = `${prefix.trim()}${operands > 1 ? ` (operand ${operand})` : ''}`;
  return (
    <tr>
      <th scope="row" title={`program ${id}`}>
        {repeats ? null : id}
      </th>
      <td>
        <button
          type="button"
          className="site"
          title={`Line ${location.line}`}
          onClick={() => goTo(location)}
        >
          {label === '' || label === ':' ? `line ${location.line}` : label}
        </button>
        {shape.length > 0 ? <span className="muted"> [{shape.join(', ')}]</span> : null}
      </td>
      <td>{operands === 0 ? null : <Values print={print} />}</td>
    </tr>
  );
}

function Values({ print: { shape, values } }: { readonly print: DevicePrint }): React.ReactNode {
  const text = (list: readonly (string | null)[]): string =>
    list.map((value) => value ?? '…').join('  ');
  if (values.length <= FIRST_VALUES) return <span className="value">{text(values)}</span>;
  const columns = shape.at(-1) ?? 1;
  const width = Math.max(...values.map((value) => value?.length ?? 1));
  const lines = Array.from({ length: values.length / columns }, (_, row) =>
    values
      .slice(row * columns, (row + 1) * columns)
      .map((value) => (value ?? '…').padStart(width))
      .join('  '),
  );
  return (
    <details>
      <summary className="value">{text(values.slice(0, FIRST_VALUES))} …</summary>
      <pre>{lines.join('\n')}</pre>
    </details>
  );
}

function sameProgram(a: DevicePrint | undefined, b: DevicePrint): boolean {
  return a !== undefined && a.program.join() === b.program.join();
}
