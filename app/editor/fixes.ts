/** Quick fixes: what a diagnostic says would mend it. */
import type { Diagnostic } from '../../compiler/diagnostics';
import { useCompilation } from '../state/compilation';
import { useSession } from '../state/session';
import { uniqueDiagnostics } from './markers';
import { fileOf } from './models';
import { monaco } from './monaco';

export const offerFixes: monaco.languages.CodeActionProvider = {
  provideCodeActions(model, _range, context) {
    const file = fileOf(model);
    const { diagnostics, result } = useCompilation.getState();
    const ran = useSession.getState().record?.diagnostics ?? [];
    const known = uniqueDiagnostics([diagnostics, result?.diagnostics ?? [], ran]);
    const fixes = known.filter(
      (diagnostic): diagnostic is Required<Diagnostic> => !!diagnostic.fix,
    );
    const actions = fixes.flatMap(({ code, location, fix }) => {
      const marker = context.markers.find(
        (one) =>
          (typeof one.code === 'string' ? one.code : one.code?.value) === code &&
          one.startLineNumber === location.line,
      );
      if (!marker || fix.location.file !== file) return [];
      const { line, column, endLine, endColumn } = fix.location;
      const range = new monaco.Range(line, column, endLine, endColumn);
      const textEdit = { range, text: fix.text };
      const edits = [{ resource: model.uri, versionId: model.getVersionId(), textEdit }];
      return [
        {
          title: fix.title,
          kind: 'quickfix',
          diagnostics: [marker],
          isPreferred: true,
          edit: { edits },
        },
      ];
    });
    return { actions, dispose: () => undefined };
  },
};
