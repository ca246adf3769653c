/**
 * The visitor's programs: every change of the document is kept, unless another tab has the program
 * (then it goes into a copy); new, rename, duplicate, delete, each of which can be undone;
 * snapshots to return to.
 */
import { create } from 'zustand';
import type { ProgramFiles } from '../events';
import {
  goOnAs,
  openKept,
  reset,
  sameFiles,
  setFiles,
  show,
  useDocument,
  type DocumentState,
} from '../state/document';
import { readableTitle } from '../state/fileNames';
import { deleteFile } from '../state/files';
import { goHome, useRoute } from '../state/route';
import { useSession } from '../state/session';
import { save, saveOwn } from '../state/storage';
import {
  addSnapshot,
  forget,
  keep,
  keepDraft,
  keepLeftDraft,
  listKept,
  loadKept,
  onLateAnswer,
} from './kept';
import { dismiss, notify } from './notices';
import type { KeptProgram, Origin, Snapshot } from './records';
import { hold, startTabs, broadcast } from './tabs';
import { TEMPLATE } from './template';

export interface ProgramsState {
  /** The latest first; null until they were asked for. */
  readonly list: readonly KeptProgram[] | null;
  /** Another tab has this program: what is changed here goes into a copy. */
  readonly elsewhere: boolean;
}
export const usePrograms = create<ProgramsState>(() => ({ list: null, elsewhere: false }));

/** Milliseconds after the last change until a program moves into IndexedDB. */
const SETTLE = 400;
/** Milliseconds of editing after which a snapshot is made. */
const SNAPSHOT_EVERY = 3 * 60_000;

let timer: ReturnType<typeof setTimeout> | undefined;
let lastSnapshot = Date.now();
/** There is a draft that is not in IndexedDB yet. */
let dirty = false;
/** The change comes from another tab, which keeps it. */
let following = false;

const newId = (): string => crypto.randomUUID();

function programOf(state: DocumentState): KeptProgram {
  const { program: id, name, entry, files, origin } = state;
  return { id, name, entry, files, origin, updated: Date.now() };
}

/** `copy`, `copy 2`, … : a name that is not taken. */
export function freeName(name: string, taken: readonly string[]): string {
  if (!taken.includes(name)) return name;
  for (let count = 2; ; count++) if (!taken.includes(`${name} ${count}`)) return `${name} ${count}`;
}

export async function refreshPrograms(): Promise<void> {
  usePrograms.setState({ list: await listKept() });
}

// ── keeping ─────────────────────────────────────────────────────────────────────────────────────

function changed(state: DocumentState, old: DocumentState): void {
  if (state.entry === '') return;
  if (state.program !== old.program) {
    if (dirty) void settle(old);
    // A notice is about one program, so it goes with it; the way back stays on the undo stack.
    if (old.entry !== '') dismiss();
    lastSnapshot = Date.now();
    void hold(state.program, {
      onState: (elsewhere) => usePrograms.setState({ elsewhere }),
      onTakenOver: () =>
        notify({ text: 'Another tab took this program over. Changes here go into a copy.' }),
    }).then(() => {
      // Another tab that has it keeps it.
      if (!usePrograms.getState().elsewhere) void keepLeftDraft(state.program);
    });
    return;
  }
  const same = state.files === old.files && state.entry === old.entry && state.name === old.name;
  if (same || following) return;
  if (usePrograms.getState().elsewhere) fork(state);
  else write(state);
}

/** Text typed where another tab has the program becomes a program of its own. */
function fork(state: DocumentState): void {
  const name = `${state.name} (copy)`;
  goOnAs(newId(), name);
  const copy = useDocument.getState();
  saveOwn('current', copy.program);
  write(copy);
  notify({ text: `This program is open in another tab: your changes go into “${name}”.` });
}

/** Unchanged examples are not kept, so that better versions of them reach returning visitors. */
function isPristine(state: DocumentState): boolean {
  const { originals, origin, files } = state;
  return originals !== null && origin.kind !== 'link' && sameFiles(files, originals);
}

function write(state: DocumentState): void {
  clearTimeout(timer);
  const program = programOf(state);
  broadcast(program);
  if (isPristine(state)) {
    dirty = false;
    void forget(state.program);
    save(`text:${state.entry}`, null);
    if (!state.saved) useDocument.setState({ saved: true });
    return;
  }
  const drafted = keepDraft(program);
  dirty = true;
  if (drafted !== state.saved) useDocument.setState({ saved: drafted });
  timer = setTimeout(() => void settle(useDocument.getState()), SETTLE);
  if (Date.now() - lastSnapshot > SNAPSHOT_EVERY) snapshot('pause', state);
}

/** Moves the draft into IndexedDB. Lessons stay drafts, which can be read at once. */
async function settle(state: DocumentState): Promise<void> {
  clearTimeout(timer);
  dirty = false;
  if (state.entry === '' || state.origin.kind === 'lesson' || isPristine(state)) return;
  const kept = await keep(programOf(state));
  // localStorage may be full where IndexedDB is not.
  if (kept && useDocument.getState() === state && !state.saved)
    useDocument.setState({ saved: true });
}

/**
 * Keeps the program as it is now.
 * @returns whether the browser has it, so that a reload loses nothing.
 */
export async function keepNow(): Promise<boolean> {
  const state = useDocument.getState();
  if (state.entry === '' || isPristine(state) || (state.saved && !dirty)) return true;
  const saved = keepDraft(programOf(state));
  if (saved !== state.saved) useDocument.setState({ saved });
  await settle(useDocument.getState());
  return useDocument.getState().saved;
}

/** Notes the program as it is. */
export function snapshot(reason: Snapshot['reason'], state = useDocument.getState()): void {
  if (state.entry === '') return;
  lastSnapshot = Date.now();
  const { program, entry, files } = state;
  void addSnapshot({ program, time: lastSnapshot, reason, entry, files });
}

/** The newer text of the tab that has this program. */
function follow(program: KeptProgram): void {
  const state = useDocument.getState();
  if (program.id !== state.program || !usePrograms.getState().elsewhere) return;
  following = true;
  useDocument.setState({ name: program.name });
  setFiles(program.files, program.entry);
  following = false;
}

/** Starts keeping what is edited, and noting what is run. */
export function startPrograms(): void {
  useDocument.subscribe(changed);
  useSession.subscribe((state, old) => {
    if (state.phase === 'running' && old.phase !== 'running') snapshot('run');
  });
  startTabs(follow);
  onLateAnswer((id) => {
    const state = useDocument.getState();
    // Who has typed meanwhile goes on; the other text is in the history.
    if (state.program === id && isPristine(state)) void openKept(id);
  });
  const now = (): void => void (dirty && settle(useDocument.getState()));
  addEventListener('pagehide', now);
  document.addEventListener('visibilitychange', now);
}

// ── what a visitor does with programs ───────────────────────────────────────────────────────────

/** Keeps a program and opens it. @returns its id. */
export async function add(
  name: string,
  files: ProgramFiles,
  entry: string,
  origin: Origin = { kind: 'own' },
  id = newId(),
): Promise<string> {
  const title = readableTitle(name) || entry;
  const program: KeptProgram = { id, name: title, entry, files, origin, updated: Date.now() };
  keepDraft(program);
  show(program, origin.kind === 'link' ? origin.files : null);
  saveOwn('current', id);
  // It is looked at where programs are.
  if (useRoute.getState().kind === 'learn') goHome();
  await keep(program);
  await refreshPrograms();
  return id;
}

const takenNames = async (): Promise<string[]> => (await listKept()).map(({ name }) => name);

/** Opens a program, also from a lesson, which is left. */
export async function goTo(id: string): Promise<void> {
  if (useRoute.getState().kind !== 'learn') {
    await openKept(id);
    return;
  }
  // Leaving a lesson opens what this tab chose last.
  saveOwn('current', id);
  goHome();
}

export async function newProgram(): Promise<void> {
  await add(freeName('Untitled', await takenNames()), { 'main.py': TEMPLATE }, 'main.py');
}

/** Opens a text as a new program, with the other files of the program in view beside it. */
export async function openBeside(file: string, text: string): Promise<void> {
  const { files, entry } = useDocument.getState();
  const { [entry]: _, ...others } = files;
  await add(freeName(file, await takenNames()), { ...others, [file]: text }, file);
}

export async function duplicate(id: string): Promise<void> {
  const program = await copyOf(id);
  if (!program) return;
  const name = freeName(`${program.name} (copy)`, await takenNames());
  await add(name, program.files, program.entry);
}
/** As it is on the page, where it is open; else as it is kept. */
async function copyOf(id: string): Promise<KeptProgram | null> {
  const state = useDocument.getState();
  return state.program === id ? programOf(state) : loadKept(id);
}

export async function rename(id: string, name: string): Promise<void> {
  const program = await copyOf(id);
  const wanted = name.trim();
  if (!program || wanted === '' || wanted === program.name) return;
  await store({ ...program, name: wanted });
  const before = program.name;
  notify({ text: `Renamed to “${wanted}”.`, undo: () => rename(id, before) });
}
async function store(program: KeptProgram): Promise<void> {
  if (useDocument.getState().program === program.id) useDocument.setState({ name: program.name });
  await keep({ ...program, updated: Date.now() });
  await refreshPrograms();
}

/** Deletes a program; the notice brings it back. Its history stays for that. */
export async function remove(id: string): Promise<void> {
  const program = await copyOf(id);
  if (!program) return;
  const open = useDocument.getState().program === id;
  if (open) {
    snapshot('before deleting');
    clearTimeout(timer);
    dirty = false;
    const next = (await listKept()).find((one) => one.id !== id);
    const example = useDocument.getState().examples[0];
    const there = next ? await openKept(next.id) : false;
    if (!there && example) await openKept(`example:${example.file}`);
  }
  await forget(id);
  // Key under which edits were kept before there were programs.
  if (program.origin.kind === 'example') save(`text:${program.origin.file}`, null);
  await refreshPrograms();
  notify({
    text: `Deleted “${program.name}”.`,
    undo: async () => {
      await keep(program);
      if (open) await openKept(id);
      await refreshPrograms();
    },
  });
}

/**
 * Changes the program that is open other than by typing; the notice brings it back as it was,
 * wherever the visitor went since.
 */
export function undoably(text: string, change: () => void): void {
  const before = programOf(useDocument.getState());
  change();
  notify({ text, undo: () => bringBack(before) });
}
async function bringBack(before: KeptProgram): Promise<void> {
  if (useDocument.getState().program === before.id) {
    setFiles(before.files, before.entry);
    return;
  }
  const program = { ...before, updated: Date.now() };
  // Lessons are looked for among the drafts alone.
  keepDraft(program);
  if (before.origin.kind !== 'lesson') await keep(program);
  await refreshPrograms();
}

/** Returns to a snapshot; what was there becomes one, and the editor's own undo works too. */
export function restore(moment: Snapshot): void {
  undoably('Restored.', () => {
    snapshot('before restoring');
    setFiles(moment.files, moment.entry);
  });
}

/** Back to the example, the lesson's start or the link's text. */
export function resetProgram(): void {
  undoably('Back to the original.', () => {
    snapshot('before restoring');
    reset();
  });
}

export function removeFile(name: string): void {
  undoably(`Deleted ${name}.`, () => deleteFile(name));
}
