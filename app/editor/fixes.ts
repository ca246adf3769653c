/** Quick fixes: what a diagnostic says would mend it. */
import type { Diagnostic } from '../../compiler/diagnostics';
import { currentProblems } from '../state/problems';
import { fileOf } from './models';
import { monaco } from './monaco';

export const offerFixes: monaco.languages.CodeActionProvider = {
  provideCodeActions(model, _range, context) {
    const file = fileOf(model);
    const fixes = currentProblems().filter(
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
