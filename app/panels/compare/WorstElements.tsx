/**
 * The elements that are furthest off, with both values; a click shows the program that wrote it.
 */
import { useState } from 'react';
import { unravel } from '../../inspection/elements';
import type { ErrorReport } from '../../inspection/errors';
import { formatCount, formatNumber } from '../common/format';
import { number, TableHead } from '../common/TableHead';
import { DebugElement } from './DebugElement';
import { ProgramLink } from './ProgramLink';
import type { ProducerState } from './useProducer';

const FIRST = 6;

export function WorstElements(props: {
  readonly report: ErrorReport;
  readonly shape: readonly number[];
  readonly producer: ProducerState;
  readonly marked: number | null;
  readonly onPick: (flat: number) => void;
}): React.ReactNode {
  const { report, shape, producer } = props;
  const [all, setAll] = useState(false);
  if (report.worst.length === 0) return null;
  const rows = all ? report.worst : report.worst.slice(0, FIRST);
  const known = producer.state === 'known' ? producer.producer : null;
  const unit = report.ulpDtype !== null;
  return (
    <section aria-label="Worst elements">
      <h4>Worst elements</h4>
      <div className="scroll-x">
        <table className="data">
          <TableHead
            columns={[
              'Index',
              number('Actual'),
              number('Expected'),
              number('|error|'),
              number('Relative'),
              unit && number('ULP'),
              known !== null && 'Written by',
              known !== null && 'Debugger',
            ]}
          />
          <tbody>
            {rows.map((element) => (
              <tr
                key={element.flat}
                className="launch-row"
                aria-selected={props.marked === element.flat}
                onClick={() => props.onPick(element.flat)}
              >
                <td>
                  <button type="button" className="link mono">
                    [{unravel(element.flat, shape).join(', ')}]
                  </button>
                </td>
                <td className="number mono">{element.actual}</td>
                <td className="number mono">{element.expected}</td>
                <td className="number">{formatNumber(element.absolute, 3)}</td>
                <td className="number">{formatNumber(element.relative, 3)}</td>
                {unit ? <td className="number">{formatNumber(element.ulp, 3)}</td> : null}
                {known ? (
                  <td>
                    <ProgramLink producer={known} owner={known.owners[element.flat]} />
                  </td>
                ) : null}
                {known ? (
                  <td>
                    <DebugElement producer={known} flat={element.flat} short />
                  </td>
                ) : null}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.length < report.worst.length ? (
        <button type="button" className="link" onClick={() => setAll(true)}>
          Show {formatCount(report.worst.length - rows.length)} more
        </button>
      ) : null}
    </section>
  );
}
