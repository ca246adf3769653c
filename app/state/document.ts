/**
 * The text being edited. Every edit is written to localStorage before anything else happens, one entry
 * an example, so that neither a reload nor a crash loses it. Examples come from `public/examples`.
 */
import { create } from 'zustand';
import { load, save } from './storage';

export interface Example {
  readonly file: string;
  readonly title: string;
  readonly summary: string;
}

export interface DocumentState {
  readonly examples: readonly Example[];
  /** The file name of the example in the editor; '' until the first one is loaded. */
  readonly entry: string;
  readonly files: Readonly<Record<string, string>>;
  /** The example's own text: what *Reset* returns to. */
  readonly original: string;
  /** Counts changes of the text, by typing or by opening something else. */
  readonly revision: number;
  /** Why nothing could be loaded. */
  readonly failure: string | null;
  /** False when the browser refused to keep the text. */
  readonly saved: boolean;
}

export const useDocument = create<DocumentState>(() => ({
  examples: [],
  entry: '',
  files: {},
  original: '',
  revision: 0,
  failure: null,
  saved: true,
}));

const textKey = (file: string): string => `text:${file}`;

export function currentText(state: DocumentState = useDocument.getState()): string {
  return state.files[state.entry] ?? '';
}
export function isModified(state: DocumentState): boolean {
  return state.entry !== '' && currentText(state) !== state.original;
}

export function edit(text: string): void {
  const state = useDocument.getState();
  if (state.entry === '' || text === currentText(state)) return;
  // An unchanged example is not kept, so that a better version of it reaches returning visitors.
  const saved = save(textKey(state.entry), text === state.original ? null : text);
  useDocument.setState({
    files: { ...state.files, [state.entry]: text },
    revision: state.revision + 1,
    saved,
  });
}

export function reset(): void {
  edit(useDocument.getState().original);
}

async function fetchText(path: string): Promise<string> {
  const response = await fetch(`${import.meta.env.BASE_URL}${path}`);
  // A static host may answer a missing file with its index page.
  if (!response.ok || (response.headers.get('content-type') ?? '').includes('text/html'))
    throw new Error(`${path} could not be loaded (HTTP ${response.status})`);
  return response.text();
}

export async function open(file: string): Promise<void> {
  try {
    const original = await fetchText(`examples/${file}`);
    const state = useDocument.getState();
    save('current', file);
    useDocument.setState({
      entry: file,
      original,
      files: { [file]: load(textKey(file)) ?? original },
      revision: state.revision + 1,
      failure: null,
    });
  } catch (error) {
    const kept = load(textKey(file));
    const message = error instanceof Error ? error.message : String(error);
    // Offline, or the example is gone: a kept text is still the visitor's.
    if (kept !== null) {
      const revision = useDocument.getState().revision + 1;
      useDocument.setState({ entry: file, original: '', files: { [file]: kept }, revision });
    } else useDocument.setState({ failure: message });
  }
}

/** Opens a text that is not an example: a lesson's. It is kept under its own name, as edits are, and
 * does not become what the next visit opens. */
export function openText(file: string, original: string): void {
  const revision = useDocument.getState().revision + 1;
  const files = { [file]: load(textKey(file)) ?? original };
  useDocument.setState({ entry: file, original, files, revision, failure: null });
}

function isExample(value: unknown): value is Example {
  if (typeof value !== 'object' || value === null) return false;
  const { file, title, summary } = value as Record<string, unknown>;
  return typeof file === 'string' && typeof title === 'string' && typeof summary === 'string';
}

/** Loads the list of examples and the text that was open last, or the first example. */
export async function start(): Promise<void> {
  const last = load('current');
  const early = last !== null ? open(last) : null;
  try {
    const parsed: unknown = JSON.parse(await fetchText('examples/index.json'));
    const examples = Array.isArray(parsed) ? parsed.filter(isExample) : [];
    useDocument.setState({ examples });
    await early;
    const first = examples[0];
    if (useDocument.getState().entry === '' && first) await open(first.file);
  } catch (error) {
    await early;
    if (useDocument.getState().entry === '')
      useDocument.setState({ failure: error instanceof Error ? error.message : String(error) });
  }
}
