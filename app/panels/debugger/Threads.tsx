/**
 * One thread of a program in thread IR: which one, what comes next, its registers and shared
 * memory.
 */
import { Fragment } from 'react';
import type { ThreadState } from '../../../compiler/inspect/threadSession';
import type { RegisterReport } from '../../../compiler/inspect/threadValues';
import { useBreakpoints } from '../../state/breakpoints';
import { formatBytes, plural } from '../common/format';
import { Site } from '../common/Site';
import { number, TableHead } from '../common/TableHead';
import { Breakpoints } from './Breakpoints';
import { moveThread, show, useDebugger } from './state';
import { ValueGrid } from './ValueGrid';

export function ThreadWhere({ state }: { readonly state: ThreadState }): React.ReactNode {
  const { next, failure, steps, findings, threads } = state;
  const breakpoints = useBreakpoints((each) => each.breakpoints);
  const conditions = breakpoints
    .filter(({ condition }) => condition !== undefined)
    .map(({ file, line }) => ({
      place: `${file}:${line}`,
      message: 'stops always: conditions are computed on tiles',
    }));
  return (
    <>
      <div className="debug-where">
        <ThreadChoice state={state} />
      </div>
      <div className="debug-where" role="status">
        {failure !== null ? (
          <span className="sign fail">! {failure}</span>
        ) : next ? (
          <span>
            Paused before <Site site={next.location} /> <span className="mono">{next.op}</span>
            {next.active < threads ? ` in ${plural(next.active, 'thread')}` : ''}
          </span>
        ) : (
          <span>The thread has ended.</span>
        )}
        <span className="muted">{plural(steps, 'op')} executed by the workgroup</span>
        <Breakpoints conditions={conditions} />
        {findings.length > 0 ? (
          <span className="sign fail" title={findings.join('\n')}>
            ✗ {findings[0]}
            {findings.length > 1 ? `, and ${findings.length - 1} more` : ''}
          </span>
        ) : null}
      </div>
    </>
  );
}

/** By its number, or by subgroup and lane where a program has several subgroups. */
function ThreadChoice({ state }: { readonly state: ThreadState }): React.ReactNode {
  const { thread, threads, subgroupSize } = state;
  const size = Math.min(subgroupSize, threads);
  const subgroups = Math.ceil(threads / size);
  const subgroup = Math.floor(thread / size);
  const field = (name: string, value: number, count: number, pick: (to: number) => number) => (
    <label className="program-slider">
      <span className="mono">{name}</span>
      <input
        className="field number"
        type="number"
        min={0}
        max={count - 1}
        value={value}
        disabled={count < 2}
        onChange={(event) => {
          const to = Math.max(0, Math.min(event.target.valueAsNumber || 0, count - 1));
          void moveThread({ kind: 'choose', thread: pick(to) });
        }}
      />
      <span className="muted">of {count}</span>
    </label>
  );
  return (
    <>
      {field('thread', thread, threads, (to) => to)}
      {subgroups > 1 ? (
        <>
          {field('subgroup', subgroup, subgroups, (to) => to * size + (thread % size))}
          {field('lane', thread % size, size, (to) => subgroup * size + to)}
        </>
      ) : null}
    </>
  );
}

export function ThreadSide({ state }: { readonly state: ThreadState }): React.ReactNode {
  return (
    <>
      {state.next && state.next.operands.length > 0 ? (
        <Registers title="Operands of the next op" registers={state.next.operands} />
      ) : null}
      {state.arrays.length > 0 ? <Arrays state={state} /> : null}
      <Registers title="Registers" registers={state.registers} />
    </>
  );
}

function Registers(props: {
  readonly title: string;
  readonly registers: readonly RegisterReport[];
}): React.ReactNode {
  const { title, registers } = props;
  return (
    <section aria-label={title}>
      <h3 className="debug-heading">{title}</h3>
      <div className="scroll-x">
        <table className="data debug-variables" aria-label={title}>
          <TableHead columns={['name', 'value', 'type']} />
          <tbody>
            {registers.map(({ name, text, type, fresh }) => (
              <Opening key={name} id={`${title} ${name}`} name={name} columns={3} fresh={fresh}>
                <td className="mono">{text}</td>
                <td className="mono muted">{type}</td>
              </Opening>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Arrays({ state }: { readonly state: ThreadState }): React.ReactNode {
  const title = 'Shared memory and arrays of the thread';
  return (
    <section aria-label={title}>
      <h3 className="debug-heading">{title}</h3>
      <div className="scroll-x">
        <table className="data debug-variables" aria-label={title}>
          <TableHead columns={['name', 'value', 'space', number('bytes'), 'type']} />
          <tbody>
            {state.arrays.map(({ name, text, space, bytes, type }) => (
              <Opening key={name} id={`${title} ${name}`} name={name} columns={5} fresh={false}>
                <td className="mono">{text}</td>
                <td>{space}</td>
                <td className="number">{formatBytes(bytes)}</td>
                <td className="mono muted">{type}</td>
              </Opening>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

/** A row whose name opens all of its values below it: of every lane, or the words of an array. */
function Opening(props: {
  readonly id: string;
  readonly name: string;
  readonly columns: number;
  readonly fresh: boolean;
  readonly children: React.ReactNode;
}): React.ReactNode {
  const { id, name, columns, fresh, children } = props;
  const shown = useDebugger((debug) => debug.shown);
  const row = useDebugger((debug) => debug.shownRow);
  const values = useDebugger((debug) => debug.values);
  const open = shown === name && row === id;
  return (
    <Fragment>
      <tr data-fresh={fresh}>
        <td>
          <button
            type="button"
            className="link mono"
            aria-expanded={open}
            onClick={() => show(open ? null : name, id)}
          >
            {name}
          </button>
        </td>
        {children}
      </tr>
      {open && values ? (
        <tr>
          <td className="debug-values" colSpan={columns}>
            <div>
              <ValueGrid values={values} />
            </div>
          </td>
        </tr>
      ) : null}
    </Fragment>
  );
}
