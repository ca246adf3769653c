/**
 * Completions at the cursor: members behind a dot, keywords of the call that is open, names in
 * reach, what an import can name.
 */
import type { Parser } from '../1-parse/parser';
import { membersOf, type Api, type ApiEntry } from './api';
import { chainBefore, KERNEL_KEYWORDS, KEYWORDS } from './lexical';
import { follow, isJitted, type Files } from './project';
import { describeFunction, kernelAround, type Meaning } from './resolve';
import { givenArguments, signatureOf } from './signature';
import { visibleSymbols, type FileSymbol } from './symbols';
import { openCall, typingAt, type Typing } from './typing';

export type CompletionKind =
  | 'module'
  | 'class'
  | 'function'
  | 'method'
  | 'property'
  | 'value'
  | 'variable'
  | 'parameter'
  | 'argument'
  | 'kernel'
  | 'keyword'
  | 'file';

export interface Completion {
  readonly label: string;
  readonly kind: CompletionKind;
  /** The text that is inserted; the label where absent. */
  readonly insert?: string;
  /** `(pointer, mask=None, …)`. */
  readonly detail?: string;
  /** Markdown. */
  readonly doc?: string;
  /** Lower comes first. */
  readonly rank: number;
}

export interface Completions {
  /** Indices into the text: what the chosen one replaces. */
  readonly from: number;
  readonly to: number;
  readonly items: readonly Completion[];
}

const RANK = { argument: 0, local: 1, global: 2, builtin: 3, keyword: 4 } as const;

export function completionsAt(
  files: Files,
  parser: Parser,
  api: Api,
  file: string,
  index: number,
): Completions {
  const typing = typingAt(files, parser, api, file, index);
  const { text, cursor } = typing;
  const chain = chainBefore(text, index);
  const answer = (items: readonly Completion[]): Completions => ({
    from: index - chain.word.length,
    to: index,
    items,
  });
  if (cursor.within !== 'code') return answer([]);
  // A number's dot is no member's.
  if (/(?:^|[^\w.)\]])\d[\w.]*$/.test(text.slice(Math.max(0, index - 40), index)))
    return answer([]);
  const imports = importCompletions(typing, file);
  if (imports) return answer(imports);
  if (/\b(?:def|class)\s+$/.test(text.slice(0, chain.from))) return answer([]);
  if (chain.object !== '') {
    const meaning = typing.meaningOf(chain.object);
    return answer(meaning ? members(typing, meaning) : []);
  }
  return answer([...keywordArguments(typing, chain.from), ...names(typing, file)]);
}

const ofEntry = (name: string, entry: ApiEntry, rank: number): Completion => ({
  label: name,
  kind: entry.kind,
  rank,
  ...(entry.signature ? { detail: entry.signature } : {}),
  ...(entry.doc ? { doc: entry.doc } : {}),
});

function members({ resolver, project }: Typing, meaning: Meaning): Completion[] {
  switch (meaning.kind) {
    case 'path':
    case 'instance':
      return Object.entries(membersOf(resolver.api, meaning.path)).map(([name, entry]) =>
        ofEntry(name, entry, RANK.local),
      );
    case 'module': {
      const symbols = project.symbols(meaning.file).module.symbols;
      return [...symbols.values()]
        .filter(({ imported }) => !imported)
        .map((symbol) => ofSymbol(project, meaning.file, symbol, RANK.local));
    }
    case 'symbol': {
      const { file, symbol } = meaning.target;
      const scope =
        symbol.kind === 'class' && symbol.definition
          ? project.symbols(file).scopes.get(symbol.definition)
          : undefined;
      return [...(scope?.symbols.values() ?? [])].map((each) =>
        ofSymbol(project, file, each, RANK.local),
      );
    }
    default:
      return meaning satisfies never;
  }
}

function ofSymbol(
  project: Typing['project'],
  file: string,
  symbol: FileSymbol,
  rank: number,
): Completion {
  const target = follow(project, { file, symbol });
  const described = describeFunction(project, target);
  const { kind } = target.symbol;
  return {
    label: symbol.name,
    kind: isJitted(project, target) ? 'kernel' : kind === 'import' ? 'module' : kind,
    rank,
    ...(described?.signature ? { detail: described.signature } : {}),
    ...(described?.doc ? { doc: described.doc } : {}),
  };
}

function names(typing: Typing, file: string): Completion[] {
  const { project, scope, resolver } = typing;
  const found = visibleSymbols(scope)
    // A name that only stands where the cursor is has no meaning yet.
    .filter(({ name }) => name !== '_')
    .map((symbol) => {
      const local = symbol.scope.kind !== 'module';
      return ofSymbol(project, file, symbol, local ? RANK.local : RANK.global);
    });
  const taken = new Set(found.map(({ label }) => label));
  const kernel = kernelAround(project, file, typing.node) !== undefined;
  const builtins = Object.entries(membersOf(resolver.api, 'builtins'))
    .filter(([name]) => !taken.has(name) && (!kernel || IN_KERNELS.has(name)))
    .map(([name, entry]) => ofEntry(name, entry, RANK.builtin));
  const keywords = kernel ? KERNEL_KEYWORDS : KEYWORDS;
  return [
    ...found,
    ...builtins,
    ...keywords.map((label): Completion => ({ label, kind: 'keyword', rank: RANK.keyword })),
  ];
}

/** Python's own functions that Triton supports inside of a kernel. */
const IN_KERNELS = new Set(
  'abs bool float int isinstance len list max min print range str tuple zip getattr hasattr'.split(
    ' ',
  ),
);

function keywordArguments(typing: Typing, wordStart: number): Completion[] {
  const { text, cursor } = typing;
  const call = openCall(text, cursor);
  // Only at the beginning of an argument of the innermost bracket.
  if (!call || call.bracket !== cursor.brackets.at(-1)) return [];
  if (text.slice(call.bracket.pieces.at(-1), wordStart).trim() !== '') return [];
  const signature = signatureOf(typing, call);
  if (!signature) return [];
  const { keywords, positional } = givenArguments(text, call);
  return signature.parameters
    .filter(({ label }, i) => !label.startsWith('*') && i >= positional)
    .filter(({ name }) => !keywords.has(name))
    .map(({ label, name }) => ({
      label: `${name}=`,
      insert: `${name}=`,
      kind: 'argument',
      detail: label,
      rank: RANK.argument,
    }));
}

/** In `import …` and `from … import …`; undefined elsewhere. */
function importCompletions(
  { text, index, resolver, project }: Typing,
  file: string,
): Completion[] | undefined {
  const line = text.slice(text.lastIndexOf('\n', index - 1) + 1, index);
  const from = /^\s*from\s+([\w.]+)\s+import\s+(?:\(?[\w\s,]*)$/.exec(line);
  if (from) {
    const own = project.moduleFile(file, from[1]!);
    return own
      ? members({ resolver, project } as Typing, { kind: 'module', file: own })
      : Object.entries(membersOf(resolver.api, from[1]!)).map(([name, entry]) =>
          ofEntry(name, entry, RANK.local),
        );
  }
  const path = /^\s*(?:from|import)\s+(?:[\w.\s]*,\s*)?((?:\w+\.)*)(\w*)$/.exec(line);
  if (!path) return undefined;
  const outer = path[1]!.replace(/\.$/, '');
  if (outer !== '')
    return Object.entries(membersOf(resolver.api, outer))
      .filter(([, entry]) => entry.kind === 'module')
      .map(([name, entry]) => ofEntry(name, entry, RANK.local));
  const packages = Object.keys(resolver.api).filter((name) => !/[.]|^builtins$/.test(name));
  const files = project.pythonFiles.filter((name) => name !== file && !name.includes('/'));
  return [
    ...files.map((name): Completion => {
      return { label: name.replace(/\.py$/, ''), kind: 'file', detail: name, rank: RANK.local };
    }),
    ...packages.map((label): Completion => ({ label, kind: 'module', rank: RANK.global })),
  ];
}
