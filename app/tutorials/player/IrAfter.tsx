/** The IR of a kernel after a pass, as the last run's launch compiles for the course's target. */
import { findProfile } from '../../../compiler/targets/index';
import { usePasses } from '../../panels/passes/state';
import { compileAsIf } from '../../state/asIf';
import { useRun } from '../../state/run';
import { choosePanel } from '../../state/view';
import type { FigureSpec } from '../document';
import { IR_TARGET, irRequestOf } from '../predict';
import { NotYet } from './NotYet';
import { useIr } from './useIr';

export function IrAfter(props: {
  readonly spec: Extract<FigureSpec, { readonly kind: 'ir' }>;
}): React.ReactNode {
  const { kernel, pass } = props.spec;
  const record = useRun((state) => state.own?.record ?? null);
  const result = useIr(record, kernel);
  if (!record || record.outcome === null)
    return (
      <NotYet>
        the IR of <code>{kernel}</code>
      </NotYet>
    );
  if (irRequestOf(record, kernel) === null)
    return (
      <p className="muted">
        The last run did not launch <code>{kernel}</code>.
      </p>
    );
  const shown = result?.log.findLast(({ name }) => name === pass);
  if (!result || !shown)
    return (
      <p className="muted">
        {result ? 'The kernel does not compile: see the problems.' : 'Compiling …'}
      </p>
    );
  return (
    <>
      <pre className="figure-ir" tabIndex={0} aria-label={`IR of ${kernel} after ${pass}`}>
        {shown.ir.trimEnd()}
      </pre>
      <p className="muted">
        After <code>{pass}</code>, as if for {findProfile(IR_TARGET)?.target.name}.{' '}
        <button
          type="button"
          className="link"
          title="The Passes panel shows every pass, for the same GPU"
          onClick={() => {
            compileAsIf(IR_TARGET);
            usePasses.setState({ selection: { index: shown.index, name: shown.name } });
            choosePanel('passes');
          }}
        >
          Open in Passes
        </button>
      </p>
    </>
  );
}
