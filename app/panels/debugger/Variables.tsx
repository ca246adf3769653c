/** The call stack, and what the names of each of its functions hold. */
import { Fragment } from 'react';
import type { VariableReport } from '../../../compiler/inspect/debugNames';
import type { FrameReport } from '../../../compiler/inspect/debugSession';
import { formatCount, formatNumber } from '../common/format';
import { Site } from '../common/Site';
import { TableHead } from '../common/TableHead';
import { show, useDebugger } from './state';
import { ValueGrid } from './ValueGrid';

/** Who called whom, the function that is executed first. */
export function CallStack({
  frames,
}: {
  readonly frames: readonly FrameReport[];
}): React.ReactNode {
  if (frames.length < 2) return null;
  return (
    <section aria-label="Call stack">
      <h3 className="debug-heading">Call stack</h3>
      <ol className="call-stack">
        {frames.map(({ name, location, library }, i) => (
          <li key={i}>
            <span className="mono">{name}</span>{' '}
            {!location ? null : library ? (
              <span className="muted">
                {location.file}:{location.line}
              </span>
            ) : (
              <Site site={location} />
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}

export function Variables({
  frames,
}: {
  readonly frames: readonly FrameReport[];
}): React.ReactNode {
  return (
    <section aria-label="Variables">
      {frames.map((frame, i) => (
        <FrameVariables key={i} frame={frame} alone={frames.length === 1} />
      ))}
    </section>
  );
}

function FrameVariables(props: {
  readonly frame: FrameReport;
  readonly alone: boolean;
}): React.ReactNode {
  const { name, variables } = props.frame;
  const shown = useDebugger((debug) => debug.shown);
  const values = useDebugger((debug) => debug.values);
  const title = props.alone ? 'Variables' : `Variables of ${name}`;
  return (
    <>
      <h3 className="debug-heading">{title}</h3>
      <div className="scroll-x">
        <table className="data debug-variables" aria-label={title}>
          <TableHead columns={['name', 'value', 'range', 'type']} />
          <tbody>
            {variables.map((variable) => (
              <Fragment key={variable.key}>
                <tr data-fresh={variable.fresh}>
                  <td>
                    <Name variable={variable} open={shown === variable.key} />
                  </td>
                  <td className="mono">{preview(variable)}</td>
                  <td className="mono muted">{rangeOf(variable)}</td>
                  <td className="mono muted">{variable.type}</td>
                </tr>
                {shown === variable.key && values ? (
                  <tr>
                    <td className="debug-values" colSpan={4}>
                      <div>
                        <ValueGrid values={values} />
                      </div>
                    </td>
                  </tr>
                ) : null}
              </Fragment>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

/** A tile opens below its row; a compile-time argument has no more to show. */
function Name(props: {
  readonly variable: VariableReport;
  readonly open: boolean;
}): React.ReactNode {
  const { key, name, type, ir } = props.variable;
  if (type === 'constexpr') return <span className="mono">{name}</span>;
  return (
    <button
      type="button"
      className="link mono"
      aria-expanded={props.open}
      title={ir}
      onClick={() => show(props.open ? null : key)}
    >
      {name}
    </button>
  );
}

function preview({ first, count, shape }: VariableReport): string {
  if (shape.length === 0) return first[0] ?? '';
  return `[${first.slice(0, 4).join(', ')}${count > 4 ? ', …' : ''}]`;
}
function rangeOf(variable: VariableReport): string {
  const { shape, min, max, nans, infinities } = variable;
  if (shape.length === 0 || variable.type.includes('ptr') || variable.type.includes('i1>'))
    return '';
  const odd = [
    nans > 0 ? `${formatCount(nans)} NaN` : '',
    infinities > 0 ? `${formatCount(infinities)} inf` : '',
  ].filter((text) => text !== '');
  const range = min === null || max === null ? [] : [`${formatNumber(min)} … ${formatNumber(max)}`];
  return [...range, ...odd].join(', ');
}
