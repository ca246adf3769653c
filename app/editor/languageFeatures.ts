/**
 * Monaco's side of the language features: it queries the compiler worker (`compiler/language`) and
 * turns the answers into Monaco's shapes. What an expression is in the specialization in view comes
 * with each compile.
 */
import type { Completion, CompletionKind } from '../../compiler/language/complete';
import { factAt } from '../../compiler/language/facts';
import { factMarkdown, hintText } from '../../compiler/language/factText';
import type { Place } from '../../compiler/language/project';
import type { OutlineItem } from '../../compiler/language/outlineOf';
import { askLanguage, useCompilation } from '../state/compilation';
import { useDocument } from '../state/document';
import { useEditorSettings } from '../state/editorSettings';
import { currentFacts, factContext } from '../state/inView';
import { select } from '../state/location';
import { showFile } from '../state/files';
import { docMarkdown } from './docMarkdown';
import { formatPython } from './format';
import { fileOf, modelOf, uriOfFile } from './models';
import { monaco } from './monaco';
import { offerFixes } from './fixes';

type Model = monaco.editor.ITextModel;
const { languages, Range } = monaco;

const KINDS: Record<CompletionKind, monaco.languages.CompletionItemKind> = {
  module: languages.CompletionItemKind.Module,
  class: languages.CompletionItemKind.Class,
  function: languages.CompletionItemKind.Function,
  method: languages.CompletionItemKind.Method,
  property: languages.CompletionItemKind.Property,
  value: languages.CompletionItemKind.Constant,
  variable: languages.CompletionItemKind.Variable,
  parameter: languages.CompletionItemKind.Variable,
  argument: languages.CompletionItemKind.Field,
  kernel: languages.CompletionItemKind.Function,
  keyword: languages.CompletionItemKind.Keyword,
  file: languages.CompletionItemKind.File,
};

/** Common fields of a question: the files as the editor has them, and which of them is meant. */
const textOf = (model: Model) => ({
  files: { ...useDocument.getState().files, [fileOf(model)]: model.getValue() },
  file: fileOf(model),
});
const at = (model: Model, position: monaco.IPosition) => ({
  ...textOf(model),
  position: { line: position.lineNumber, column: position.column },
});
const rangeOf = ({ start, end }: Place): monaco.Range =>
  new Range(start.line, start.column, end.line, end.column);
const locationOf = (place: Place): monaco.languages.Location => ({
  uri: uriOfFile(place.file),
  range: rangeOf(place),
});

function toItem(item: Completion, range: monaco.IRange): monaco.languages.CompletionItem {
  const { label, kind, detail, doc, insert, rank } = item;
  return {
    label,
    kind: KINDS[kind],
    insertText: insert ?? label,
    range,
    // Private names come last in their rank.
    sortText: `${rank}${label.startsWith('_') ? '~' : ''}${label}`,
    ...(detail ? { detail: kind === 'argument' ? detail : `${label}${detail}` } : {}),
    ...(doc ? { documentation: docMarkdown(doc) } : {}),
  };
}

const completion: monaco.languages.CompletionItemProvider = {
  triggerCharacters: ['.', '(', ','],
  async provideCompletionItems(model, position, context) {
    const index = model.getOffsetAt(position);
    const found = await askLanguage<'complete'>({ kind: 'complete', ...textOf(model), index });
    if (!found) return { suggestions: [] };
    const start = model.getPositionAt(found.from);
    const range = new Range(start.lineNumber, start.column, position.lineNumber, position.column);
    // Behind a bracket or comma only what belongs there: the list must not open by itself
    // otherwise.
    const { triggerCharacter } = context;
    const typed = triggerCharacter === '(' || triggerCharacter === ',';
    const items = typed ? found.items.filter(({ kind }) => kind === 'argument') : found.items;
    return { suggestions: items.map((item) => toItem(item, range)) };
  },
};

const signatures: monaco.languages.SignatureHelpProvider = {
  signatureHelpTriggerCharacters: ['(', ','],
  signatureHelpRetriggerCharacters: [')', '='],
  async provideSignatureHelp(model, position) {
    const index = model.getOffsetAt(position);
    const found = await askLanguage<'signature'>({ kind: 'signature', ...textOf(model), index });
    if (!found) return null;
    const { label, doc, parameters, active } = found;
    const value: monaco.languages.SignatureHelp = {
      activeSignature: 0,
      // Beyond the last one none is lit.
      activeParameter: active ?? parameters.length,
      signatures: [
        {
          label,
          documentation: docMarkdown(doc),
          parameters: spans(label, parameters).map((span) => ({ label: span })),
        },
      ],
    };
    return { value, dispose: () => undefined };
  },
};

/** Range of each parameter in the label: one's name may be another's default. */
function spans(
  label: string,
  parameters: readonly { readonly label: string }[],
): [number, number][] {
  let from = label.indexOf('(');
  return parameters.map((parameter) => {
    const start = label.indexOf(parameter.label, from);
    from = start + parameter.label.length;
    return [start, from];
  });
}

const hover: monaco.languages.HoverProvider = {
  async provideHover(model, position) {
    const described = await askLanguage<'describe'>({ kind: 'describe', ...at(model, position) });
    const contents: monaco.IMarkdownString[] = [];
    let range = described ? rangeOf(described.place) : undefined;
    const file = fileOf(model);
    const { lineNumber, column } = position;
    const fact = factAt(currentFacts(file, model.getValue()), file, lineNumber, column);
    if (fact) {
      contents.push(docMarkdown(factMarkdown(fact, factContext())));
      range ??= new Range(fact.line, fact.column, fact.endLine, fact.endColumn);
    }
    if (described) {
      contents.push(docMarkdown(`\`\`\`python\n${described.code}\n\`\`\``));
      if (described.doc) contents.push(docMarkdown(described.doc));
    }
    if (contents.length === 0) return null;
    return range ? { contents, range } : { contents };
  },
};

const definition: monaco.languages.DefinitionProvider = {
  async provideDefinition(model, position) {
    const found = await askLanguage<'definition'>({ kind: 'definition', ...at(model, position) });
    return found && locationOf(found);
  },
};

const references: monaco.languages.ReferenceProvider = {
  async provideReferences(model, position) {
    const found = await askLanguage<'references'>({ kind: 'references', ...at(model, position) });
    return (found ?? []).map(locationOf);
  },
};

const highlights: monaco.languages.DocumentHighlightProvider = {
  async provideDocumentHighlights(model, position) {
    const found = await askLanguage<'references'>({ kind: 'references', ...at(model, position) });
    return (found ?? [])
      .filter((each) => each.file === fileOf(model))
      .map((each) => ({ range: rangeOf(each) }));
  },
};

const renaming: monaco.languages.RenameProvider = {
  async resolveRenameLocation(model, position) {
    const found = await askLanguage<'renameable'>({ kind: 'renameable', ...at(model, position) });
    const none = { range: new Range(1, 1, 1, 1), text: '' };
    if (!found) return { ...none, rejectReason: 'The compiler is busy.' };
    if ('problem' in found) return { ...none, rejectReason: found.problem };
    const range = rangeOf(found);
    return { range, text: model.getValueInRange(range) };
  },
  async provideRenameEdits(model, position, name) {
    const found = await askLanguage<'rename'>({ kind: 'rename', ...at(model, position), name });
    if (!found) return { edits: [], rejectReason: 'The compiler is busy.' };
    if ('problem' in found) return { edits: [], rejectReason: found.problem };
    return {
      edits: found.places.map((each) => ({
        resource: uriOfFile(each.file),
        versionId: modelOf(each.file)?.getVersionId(),
        textEdit: { range: rangeOf(each), text: name },
      })),
    };
  },
};

const SYMBOLS: Record<OutlineItem['kind'], monaco.languages.SymbolKind> = {
  kernel: languages.SymbolKind.Event,
  function: languages.SymbolKind.Function,
  class: languages.SymbolKind.Class,
  variable: languages.SymbolKind.Variable,
};
function toSymbol(item: OutlineItem): monaco.languages.DocumentSymbol {
  return {
    name: item.name,
    detail: item.kind === 'kernel' ? `kernel ${item.detail}` : item.detail,
    kind: SYMBOLS[item.kind],
    tags: [],
    range: rangeOf(item.place),
    selectionRange: rangeOf(item.namePlace),
    children: item.children.map(toSymbol),
  };
}
const symbols: monaco.languages.DocumentSymbolProvider = {
  displayName: 'Outline',
  async provideDocumentSymbols(model) {
    const found = await askLanguage<'outline'>({ kind: 'outline', ...textOf(model) });
    return (found ?? []).map(toSymbol);
  },
};

/** Makes Monaco request the hints again: the specialization in view or the setting changed. */
const changed = new monaco.Emitter<void>();
useCompilation.subscribe((state, old) => {
  if (state.facts !== old.facts) changed.fire();
});
useEditorSettings.subscribe((state, old) => {
  if (state.inlayHints !== old.inlayHints) changed.fire();
});

/** The type behind the name that an assignment gives it. */
const inlayHints: monaco.languages.InlayHintsProvider = {
  onDidChangeInlayHints: changed.event,
  provideInlayHints(model, range) {
    const hints: monaco.languages.InlayHint[] = [];
    const done = { hints, dispose: () => undefined };
    if (!useEditorSettings.getState().inlayHints) return done;
    const file = fileOf(model);
    for (const fact of currentFacts(file, model.getValue())) {
      const { line, column, endLine, endColumn } = fact;
      if (fact.file !== file || line !== endLine) continue;
      if (line < range.startLineNumber || line > range.endLineNumber) continue;
      const text = model.getLineContent(line);
      const name = text.slice(column - 1, endColumn - 1);
      // Names left of `=`, and loop variables.
      const before = text.slice(0, column - 1);
      const assigned = before.trim() === '' && /^\s*=(?!=)/.test(text.slice(endColumn - 1));
      if (!/^\w+$/.test(name) || (!assigned && !/^\s*for\s+$/.test(before))) continue;
      const label = hintText(fact);
      if (label === '' || label === 'None') continue;
      hints.push({
        label: `: ${label}`,
        position: { lineNumber: line, column: endColumn },
        kind: languages.InlayHintKind.Type,
      });
    }
    return done;
  },
};

const formatting: monaco.languages.DocumentFormattingEditProvider = {
  displayName: 'Ruff',
  async provideDocumentFormattingEdits(model) {
    const text = await formatPython(model.getValue());
    return text === null ? [] : [{ range: model.getFullModelRange(), text }];
  },
};

/** Another file of the program is shown in the same editor. */
const opener: monaco.editor.ICodeEditorOpener = {
  openCodeEditor(_source, resource, place) {
    const file = resource.path.slice(1);
    if (!modelOf(file)) return false;
    showFile(file);
    const line = place ? ('lineNumber' in place ? place.lineNumber : place.startLineNumber) : 1;
    const column = place ? ('column' in place ? place.column : place.startColumn) : 1;
    select({ file, line, column, from: 'problems' });
    return true;
  },
};

let registered = false;
/** Once for the page: providers belong to the language, not to an editor. */
export function registerLanguageFeatures(): void {
  if (registered) return;
  registered = true;
  const python = 'python';
  languages.registerCompletionItemProvider(python, completion);
  languages.registerSignatureHelpProvider(python, signatures);
  languages.registerHoverProvider(python, hover);
  languages.registerDefinitionProvider(python, definition);
  languages.registerReferenceProvider(python, references);
  languages.registerDocumentHighlightProvider(python, highlights);
  languages.registerRenameProvider(python, renaming);
  languages.registerDocumentSymbolProvider(python, symbols);
  languages.registerInlayHintsProvider(python, inlayHints);
  languages.registerDocumentFormattingEditProvider(python, formatting);
  languages.registerCodeActionProvider(python, offerFixes);
  monaco.editor.registerEditorOpener(opener);
}
