/**
 * The program being edited: its files, and what *Reset* returns to. Examples come from
 * `public/examples`. Whoever changes the state need not think of keeping it: `app/programs` follows
 * this store and writes every change before anything else happens.
 */
import { create } from 'zustand';
import type { Location } from '../../compiler/ir/location';
import type { ProgramFiles } from '../events';
import { loadDraft, loadKept } from '../programs/kept';
import { notify } from '../programs/notices';
import type { KeptProgram, Origin } from '../programs/records';
import { SITE_FILES } from '../siteFiles';
import { useRoute } from './route';
import { load, loadOwn, saveOwn } from './storage';

export interface Example {
  readonly file: string;
  readonly title: string;
  readonly summary: string;
  readonly group: string;
  /** One line each, for somebody who chooses. */
  readonly teaches: string;
  readonly costs: string;
  /** Other names under which people look for it. */
  readonly also: string;
  /** Files beside it that it opens: fetched when it runs. */
  readonly data?: readonly string[];
}

export interface DocumentState {
  readonly examples: readonly Example[];
  /** Identifies the program among those that are kept: `example:vector_add.py`, or one's own. */
  readonly program: string;
  /**
   * Which program this is to the page: whose undo history the editor goes on with, and whose runs
   * the panels show. It stays when a copy goes on from the program.
   */
  readonly identity: string;
  /** As people see it. */
  readonly name: string;
  readonly origin: Origin;
  /** The file that runs as `__main__`; '' until the first program is loaded. */
  readonly entry: string;
  readonly files: ProgramFiles;
  /** The file in the editor, if it is another than the one that runs. */
  readonly shown: string | null;
  /** What *Reset* returns to; null for a program of one's own. */
  readonly originals: ProgramFiles | null;
  /** An embedded program that is shown, not edited. */
  readonly readOnly: boolean;
  /** Counts changes of the text, by typing or by opening something else. */
  readonly revision: number;
  /** Why nothing could be loaded. */
  readonly failure: string | null;
  /** False when the browser refused to keep the text. */
  readonly saved: boolean;
}

export const useDocument = create<DocumentState>(() => ({
  examples: [],
  program: '',
  identity: '',
  name: '',
  origin: { kind: 'own' },
  entry: '',
  files: {},
  shown: null,
  originals: null,
  readOnly: false,
  revision: 0,
  failure: null,
  saved: true,
}));

export function currentText(state: DocumentState = useDocument.getState()): string {
  return state.files[state.entry] ?? '';
}
/** The file in the editor. */
export function shownFile({ shown, files, entry }: DocumentState): string {
  return shown !== null && Object.hasOwn(files, shown) ? shown : entry;
}
/** Text of the program, which distinguishes one state from another; of several files, all of it. */
export function programText(
  { files, entry }: Pick<DocumentState, 'files' | 'entry'> = useDocument.getState(),
): string {
  const names = Object.keys(files);
  return names.length === 1 ? (files[entry] ?? '') : JSON.stringify([entry, files]);
}
export function sameFiles(a: ProgramFiles, b: ProgramFiles): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}
/** Whether the program in view has a file of this name: what ran may be another program. */
export const hasFile = (file: string, state: DocumentState = useDocument.getState()): boolean =>
  Object.hasOwn(state.files, file);

/** It differs from what it was made from. */
export function isModified(state: DocumentState): boolean {
  return state.entry !== '' && state.originals !== null && !sameFiles(state.files, state.originals);
}

export function edit(text: string): void {
  editFile(useDocument.getState().entry, text);
}

export function editFile(file: string, text: string): void {
  const { files, readOnly } = useDocument.getState();
  if (readOnly || !Object.hasOwn(files, file) || files[file] === text) return;
  setFiles({ ...files, [file]: text });
}

/** Files with `text` in place of what stands at a place; unchanged where no file has it. */
export function withText(files: ProgramFiles, at: Location, text: string): ProgramFiles {
  const lines = files[at.file]?.split('\n');
  const [first, last] = [lines?.[at.line - 1], lines?.[at.endLine - 1]];
  if (!lines || first === undefined || last === undefined) return files;
  const joined = first.slice(0, at.column - 1) + text + last.slice(at.endColumn - 1);
  const changed = lines.toSpliced(at.line - 1, at.endLine - at.line + 1, joined).join('\n');
  return { ...files, [at.file]: changed };
}

/** Puts `text` in place of what stands at a place of a file. */
export function replaceText(at: Location, text: string): void {
  const changed = withText(useDocument.getState().files, at, text)[at.file];
  if (changed !== undefined) editFile(at.file, changed);
}

/** Other files for the same program. */
export function setFiles(files: ProgramFiles, entry?: string): void {
  const state = useDocument.getState();
  useDocument.setState({ files, entry: entry ?? state.entry, revision: state.revision + 1 });
}

export function reset(): void {
  const { originals, entry } = useDocument.getState();
  if (!originals) return;
  setFiles(originals, entry in originals ? entry : Object.keys(originals)[0]);
}

/** Counts what was asked to be opened: what was requested last is shown, whatever comes last. */
let asked = 0;
/** Identities of programs by their ids, where a copy took one over. */
const identities = new Map<string, string>();

/**
 * The program in view goes on under another id: it keeps its undo history and what its runs showed.
 */
export function goOnAs(id: string, name: string): void {
  const { program, identity } = useDocument.getState();
  identities.set(id, identity);
  identities.set(program, crypto.randomUUID());
  useDocument.setState({ program: id, name, origin: { kind: 'own' }, originals: null });
}

/** Shows another program. */
export function show(program: Omit<KeptProgram, 'updated'>, originals: ProgramFiles | null): void {
  asked++;
  const { id, name, entry, files, origin } = program;
  const revision = useDocument.getState().revision + 1;
  useDocument.setState({
    ...{ program: id, name, origin, entry, files, originals, revision },
    identity: identities.get(id) ?? id,
    shown: null,
    failure: null,
  });
}

async function fetchText(path: string): Promise<string> {
  const response = await fetch(`${import.meta.env.BASE_URL}${path}`);
  // A static host may answer a missing file with its index page.
  if (!response.ok || (response.headers.get('content-type') ?? '').includes('text/html'))
    throw new Error(`${path} could not be loaded (HTTP ${response.status})`);
  return response.text();
}

export const exampleId = (file: string): string => `example:${file}`;

/** In the editor's place where it is empty; beside another program as a notice. */
function fail(file: string, error: unknown): void {
  const failure = error instanceof Error ? error.message : String(error);
  useDocument.setState({ failure });
  if (useDocument.getState().entry === '') return;
  const reasons = 'the network is gone, or the server has another version of the page';
  notify({ text: `${file} could not be opened: ${reasons}.` });
}

/** Opens an example, with the visitor's edits where there are any. */
export async function open(file: string): Promise<void> {
  const mine = ++asked;
  const kept = await loadKept(exampleId(file));
  const { examples } = useDocument.getState();
  const origin: Origin = { kind: 'example', file };
  try {
    const original = await fetchText(`${SITE_FILES.examples}${file}`);
    if (mine !== asked) return;
    const name = examples.find((example) => example.file === file)?.title ?? file;
    const originals = { [file]: original };
    // Before programs were kept in IndexedDB, an example's edits stood here.
    const old = load(`text:${file}`);
    const files = kept?.files ?? (old === null ? originals : { [file]: old });
    show({ id: exampleId(file), name, entry: kept?.entry ?? file, files, origin }, originals);
  } catch (error) {
    if (mine !== asked) return;
    // Offline, or the example is gone: a kept text is still the visitor's.
    if (kept) show({ ...kept, origin }, null);
    else fail(file, error);
    return;
  }
  saveOwn('current', exampleId(file));
}

/**
 * Opens a text that is neither an example nor one's own: a lesson's. It is kept under its own name,
 * as edits are, and does not become what the next visit opens.
 */
export function openText(file: string, original: string): void {
  const id = `lesson:${file}`;
  const draft = loadDraft(id);
  const files = draft && Object.hasOwn(draft.files, file) ? draft.files : { [file]: original };
  const origin: Origin = { kind: 'lesson', file };
  show({ id, name: file, entry: file, files, origin }, { [file]: original });
}

/** Opens a program that is kept. @returns whether it was there. */
export async function openKept(id: string): Promise<boolean> {
  if (id.startsWith('example:')) {
    await open(id.slice('example:'.length));
    return useDocument.getState().program === id;
  }
  const mine = ++asked;
  const kept = await loadKept(id);
  if (!kept) return false;
  if (mine !== asked) return true;
  show(kept, kept.origin.kind === 'link' ? kept.origin.files : null);
  saveOwn('current', id);
  return true;
}

function isExample(value: unknown): value is Example {
  if (typeof value !== 'object' || value === null) return false;
  const { file, title, summary, group, teaches, costs } = value as Record<string, unknown>;
  return [file, title, summary, group, teaches, costs].every((text) => typeof text === 'string');
}

/**
 * Loads the list of examples and the program that was open last, or the first example.
 * @param opening something else that is opened first, such as a link: its answer says whether it
 * was.
 */
export async function start(opening?: () => Promise<boolean>): Promise<void> {
  const last = loadOwn('current');
  // An older page noted the example's file alone.
  const id = last?.endsWith('.py') && !last.includes(':') ? exampleId(last) : last;
  const early = opening
    ? opening().then((opened) => opened || (id !== null && openKept(id)))
    : id === null
      ? null
      : openKept(id);
  try {
    const parsed: unknown = JSON.parse(await fetchText(`${SITE_FILES.examples}index.json`));
    const examples = Array.isArray(parsed) ? parsed.filter(isExample) : [];
    useDocument.setState({ examples });
    await early;
    const first = examples[0];
    const { entry, origin, name } = useDocument.getState();
    // A lesson that was left, by somebody who has not opened anything else yet.
    const left = origin.kind === 'lesson' && useRoute.getState().kind === 'home';
    if ((entry === '' || left) && first) await open(first.file);
    else if (origin.kind === 'example') {
      const title = examples.find((example) => example.file === origin.file)?.title;
      if (title && title !== name) useDocument.setState({ name: title });
    }
  } catch (error) {
    await early;
    if (useDocument.getState().entry === '')
      useDocument.setState({ failure: error instanceof Error ? error.message : String(error) });
  }
}
