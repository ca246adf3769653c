/** Does to the program's text what a diagnostic proposes. */
import type { Diagnostic } from '../../../compiler/diagnostics';
import { replaceText } from '../../state/document';

export function FixButton({
  fix,
}: {
  readonly fix: NonNullable<Diagnostic['fix']>;
}): React.ReactNode {
  return (
    <button
      type="button"
      className="button small"
      title={`${fix.location.file}:${fix.location.line}. The editor’s undo takes it back.`}
      onClick={() => replaceText(fix.location, fix.text)}
    >
      {fix.title}
    </button>
  );
}
