/** The breakpoints with their conditions, and one click for the line that is selected. */
import { useState } from 'react';
import type { DebugState } from '../../../compiler/inspect/debugSession';
import {
  setCondition,
  toggleBreakpoint,
  useBreakpoints,
  type Breakpoint,
} from '../../state/breakpoints';
import { useLocation } from '../../state/location';
import { inspectHost } from '../../workers/inspectHost';

export function Breakpoints(props: Pick<DebugState, 'conditions'>): React.ReactNode {
  const breakpoints = useBreakpoints((state) => state.breakpoints);
  const selected = useLocation((state) => state.selected);
  const set = breakpoints.some(
    ({ file, line }) => file === selected?.file && line === selected.line,
  );
  return (
    <span className="breakpoints" aria-label="Breakpoints" role="group">
      {breakpoints.map((breakpoint) => {
        const place = `${breakpoint.file}:${breakpoint.line}`;
        const fault = props.conditions.find((each) => each.place === place)?.message ?? null;
        return <One key={place} breakpoint={breakpoint} fault={fault} />;
      })}
      {selected && !set ? (
        <button
          type="button"
          className="link"
          onClick={() => toggleBreakpoint(selected.file, selected.line)}
        >
          Break at line {selected.line}
        </button>
      ) : null}
    </span>
  );
}

function One(props: {
  readonly breakpoint: Breakpoint;
  /** Why its condition could not be computed. */
  readonly fault: string | null;
}): React.ReactNode {
  const { file, line, condition } = props.breakpoint;
  const [typed, setTyped] = useState<string | null>(null);
  const [wrong, setWrong] = useState<string | null>(null);
  const fault = wrong ?? props.fault;
  const keep = (): void => {
    if (typed === null) return;
    const text = typed.trim();
    setTyped(null);
    setCondition(file, line, text);
    void inspectHost()
      .ask({ kind: 'condition', text })
      .then(setWrong, () => {});
  };
  return (
    <span className="breakpoint-entry">
      <button
        type="button"
        className="breakpoint"
        aria-label={`Remove the breakpoint at line ${line} of ${file}`}
        onClick={() => toggleBreakpoint(file, line)}
      >
        ● {line} ×
      </button>
      {typed === null ? (
        <button
          type="button"
          className={condition ? 'link mono' : 'link'}
          aria-label={`Condition of the breakpoint at line ${line}${condition ? `: ${condition}` : ''}`}
          title="Stop only where a Python expression holds: k > 2, acc[0, 3] != 0, program_id(0) == 3"
          onClick={() => setTyped(condition ?? '')}
        >
          if {condition ?? '…'}
        </button>
      ) : (
        <input
          className="field mono"
          aria-label={`Condition of the breakpoint at line ${line}`}
          placeholder="k > 2"
          autoFocus
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          onBlur={keep}
          onKeyDown={(event) => {
            if (event.key === 'Enter') keep();
            if (event.key !== 'Escape') return;
            event.stopPropagation();
            setTyped(null);
          }}
        />
      )}
      {fault !== null ? (
        <span className="sign fail" role="alert">
          ! {fault}
        </span>
      ) : null}
    </span>
  );
}
