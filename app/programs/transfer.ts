/**
 * Programs into the page and out of it: `.py` files, notebooks, folders (File System Access,
 * dropped, or as a `.zip`), and everything at once. Text files only; what is left out is said.
 */
import type { ProgramFiles } from '../events';
import { withoutLogPrefix } from '../logLines';
import { entryOf } from '../open/entry';
import { filesOfText } from '../share/export/text';
import { decodeSource, isHtml } from '../sourceText';
import { countProblem, fileNameFrom } from '../state/fileNames';
import { openDialog } from '../state/view';
import { notify } from './notices';
import { add, freeName, remove } from './programs';
import { LARGEST_WEIGHTS } from './weights';
import type { KeptProgram } from './records';

/** Bytes of one file: more is not a program. */
const LARGEST = 2e6;
/** Characters of all files of a program. */
const LARGEST_PROGRAM = 8e6;

/** Bytes of a file that is chosen or dropped, and of what an archive unpacks to. */
const LARGEST_CHOSEN = 20e6;
/** Files of a folder that are looked at. */
const MOST_WALKED = 5000;
/** Folders of a folder without a program's own files. */
const LEFT_FOLDERS = ['__pycache__', 'node_modules', 'venv'];
const CLEAR_OUTPUTS =
  ' Most of a large notebook is outputs: clear them (in Jupyter: Edit → Clear Outputs of All Cells), and save it.';

/** Characters of a name in a sentence. */
const LONGEST_SHOWN = 80;

/** A name for a file system. */
export function fileName(name: string): string {
  return name.replaceAll(/[^\w.-]+/g, '_').replaceAll(/^[_.]+|_+$/g, '') || 'program';
}

/** Hands a file to the browser's downloads. */
export function download(
  name: string,
  content: string | Uint8Array<ArrayBuffer>,
  type: string,
): void {
  const address = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Without the folder that holds everything. */
export function withoutCommonFolder(files: ProgramFiles): ProgramFiles {
  const names = Object.keys(files);
  const folder = names[0]?.split('/')[0];
  if (!folder || names.length === 0 || names.some((name) => !name.startsWith(`${folder}/`)))
    return files;
  return Object.fromEntries(
    Object.entries(files).map(([name, text]) => [name.slice(folder.length + 1), text]),
  );
}

export interface Read {
  readonly files: Record<string, string>;
  /** JSON beside the Python files: such as these open by name belong to the program. */
  readonly data: Record<string, string>;
  /** Not Python text. */
  readonly left: string[];
  /** Python text whose name cannot be had. */
  readonly odd: string[];
  /** Web pages under the names of Python files. */
  readonly pages: string[];
  /** Why Python refuses the encoding of a file: a sentence each, with the file's name. */
  readonly undecodable: string[];
  /** Names that led out of their archive or folder, and were cut to stay inside. */
  readonly climbing: string[];
}
export const nothingRead = (): Read => ({
  files: {},
  data: {},
  left: [],
  odd: [],
  pages: [],
  undecodable: [],
  climbing: [],
});

/** A byte-order mark of UTF-16, as PowerShell's redirections write it. */
function isUtf16([first, second]: Uint8Array): boolean {
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
}

/**
 * Takes a file under the name that it gets inside the program; what is no Python text is left out.
 */
export function take(read: Read, name: string, bytes: Uint8Array): void {
  const inside = fileNameFrom(name);
  if (name.endsWith('.py') && isUtf16(bytes)) {
    read.undecodable.push(`${name} is UTF-16, which Python does not read: save it as UTF-8.`);
    return;
  }
  const source = bytes.length > LARGEST ? null : decodeSource(bytes, name);
  if (source && 'message' in source && name.endsWith('.py') && !bytes.includes(0)) {
    read.undecodable.push(`${name}, line ${source.line}: ${source.message}.`);
    return;
  }
  const text = source && 'text' in source ? withoutLogPrefix(source.text) : '\0';
  if (inside !== null && name.endsWith('.json') && !text.includes('\0')) read.data[inside] = text;
  else if (text.includes('\0') || !name.endsWith('.py')) read.left.push(name);
  else if (isHtml(text)) read.pages.push(name);
  else if (inside === null || Object.hasOwn(read.files, inside)) read.odd.push(name);
  else {
    read.files[inside] = text;
    if (/^(?:[/\\]|[a-z]:)|(?:^|[/\\])\.\.(?:[/\\]|$)/i.test(name)) read.climbing.push(name);
  }
}

/** Why these files cannot be one program; null where they can. */
export function problemOf(name: string, files: ProgramFiles): string | null {
  const count = Object.keys(files).length;
  if (!Object.keys(files).some((file) => file.endsWith('.py'))) return `No Python file in ${name}.`;
  const tooMany = countProblem(count);
  if (tooMany !== null) return `${name} was not imported. ${tooMany}`;
  const length = Object.values(files).reduce((sum, text) => sum + text.length, 0);
  if (length > LARGEST_PROGRAM)
    return `${name} was not imported. It has more than ${LARGEST_PROGRAM / 1e6} million characters.`;
  return null;
}

/** JSON that a Python file names joins the files; the rest is left out. */
function joinData(read: Read): void {
  const python = Object.values(read.files).join('\n');
  for (const [name, text] of Object.entries(read.data)) {
    if (python.includes(name.split('/').at(-1)!)) read.files[name] = text;
    else read.left.push(name);
  }
}

async function addRead(name: string, read: Read, first?: string): Promise<void> {
  joinData(read);
  const files = first === undefined ? withoutCommonFolder(read.files) : read.files;
  const problem = problemOf(name, files);
  const refused = read.undecodable.slice(0, 3).map((why) => ` ${why}`);
  const [page] = read.pages;
  if (problem !== null) {
    const why =
      page === undefined
        ? problem
        : `${page} is a web page (HTML), not Python. Save the file itself: where the page is about it, its link named “Raw”.`;
    notify({ text: why + refused.join('') });
    return;
  }
  const wanted = first === undefined ? null : fileNameFrom(first);
  const entry = wanted !== null && Object.hasOwn(files, wanted) ? wanted : entryOf(files);
  const id = await add(freeName(name, []), files, entry);
  const said =
    leftOut('not Python text', read.left) +
    leftOut('names that cannot be used', read.odd) +
    leftOut('web pages (HTML), not Python', read.pages) +
    climbed(read.climbing) +
    refused.join('');
  notify({ text: `Imported “${name}”.${said}`, undo: () => remove(id) });
}
function climbed(names: readonly string[]): string {
  if (names.length === 0) return '';
  return ` Names that lead out of the archive stay inside: ${some(names)}.`;
}
function leftOut(why: string, names: readonly string[]): string {
  if (names.length === 0) return '';
  return ` Left out, ${why}: ${some(names)}.`;
}
function some(names: readonly string[]): string {
  const first = names
    .slice(0, 3)
    .map((name) => (name.length > LONGEST_SHOWN ? `${name.slice(0, LONGEST_SHOWN)}…` : name));
  return `${first.join(', ')}${names.length > 3 ? ' …' : ''}`;
}

/**
 * Each `.zip`, `.hippocamp` and notebook is a program, and so is each text that holds several
 * files; all other `.py` files chosen together are one.
 */
export async function importFiles(chosen: readonly File[]): Promise<void> {
  const all = await withoutData(chosen);
  const plain = nothingRead();
  let some = false;
  for (const file of all) {
    if (file.name.endsWith('.whl')) {
      await importWheel(file);
      continue;
    }
    if (/\.ndjson(?:\.gz)?$/i.test(file.name)) {
      await (await import('../open/traceState')).openTrace(file);
      continue;
    }
    if (file.size > LARGEST_CHOSEN) {
      notify({
        text: `${file.name} has ${(file.size / 1e6).toFixed(0)} MB; at most ${LARGEST_CHOSEN / 1e6} MB are read.${/\.ipynb$/i.test(file.name) ? CLEAR_OUTPUTS : ''}`,
      });
      continue;
    }
    some = !(await importAlone(file, plain)) || some;
  }
  if (!some) return;
  const first = Object.keys(plain.files)[0] ?? plain.left[0] ?? plain.odd[0] ?? 'the files';
  await addRead(first.replace(/\.py$/, ''), plain);
}

/**
 * Takes weights out of the files, and with them the JSON and text beside them: a model's settings
 * and tokenizer. @returns the others.
 */
async function withoutData(chosen: readonly File[]): Promise<readonly File[]> {
  const weights = chosen.filter(({ name }) => name.endsWith('.safetensors'));
  if (weights.length === 0) return chosen;
  const isData = ({ name }: File): boolean => /\.(?:safetensors|json|txt)$/.test(name);
  const large = weights.filter(({ size }) => size > LARGEST_WEIGHTS);
  for (const { name, size } of large)
    notify({
      text: `${name} has ${(size / 1e6).toFixed(0)} MB; at most ${LARGEST_WEIGHTS / 1e6} MB are read.`,
    });
  const taken = chosen.filter((file) => isData(file) && !large.includes(file));
  if (taken.length > 0) await (await import('./extras')).giveData(taken);
  return chosen.filter((file) => !isData(file));
}

/** @returns whether the file is a program of its own; else it is in `plain`. */
async function importAlone(file: File, plain: Read): Promise<boolean> {
  if (file.name.endsWith('.hippocamp')) {
    const { openLink } = await import('../share/state');
    await openLink((await file.text()).trim());
    return true;
  }
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (/\.ipynb$/i.test(file.name)) {
    await addNotebook(file.name, bytes);
    return true;
  }
  if (file.name.endsWith('.zip')) {
    await addArchive(file.name, bytes);
    return true;
  }
  const several = filesOfText(bytes.length > LARGEST ? '' : new TextDecoder().decode(bytes));
  if (!several) {
    take(plain, file.name, bytes);
    return false;
  }
  const read = nothingRead();
  for (const [name, text] of Object.entries(several.files))
    take(read, name, new TextEncoder().encode(text));
  await addRead(file.name.replace(/\.py$/, ''), read, several.entry);
  return true;
}

/** A package: any program that imports it gets it. */
async function importWheel(file: File): Promise<void> {
  const [{ addWheel }, { OpenFault }] = await Promise.all([
    import('../packages/store'),
    import('../open/fault'),
  ]);
  try {
    const { name, version, imports } = await addWheel(file);
    notify({
      text: `Added the package ${name} ${version}: programs that import ${imports.join(', ')} get it.`,
      action: { label: 'Packages', run: () => openDialog('packages') },
    });
  } catch (error) {
    if (!(error instanceof OpenFault)) throw error;
    notify({ text: error.message });
  }
}

async function addNotebook(name: string, bytes: Uint8Array): Promise<void> {
  const [{ programOfNotebook }, { OpenFault }] = await Promise.all([
    import('../open/notebook'),
    import('../open/fault'),
  ]);
  try {
    const made = programOfNotebook(new TextDecoder().decode(bytes), name);
    const id = await add(name.replace(/\.ipynb$/i, ''), made.files, made.entry);
    const text = [`Imported “${name}”: its cells as one program.`, ...made.notes].join(' ');
    notify({ text, undo: () => remove(id) });
  } catch (error) {
    if (!(error instanceof OpenFault)) throw error;
    notify({ text: error.message });
  }
}

/** A `.zip`: its Python files as a program; of one without any, its only notebook. */
async function addArchive(name: string, bytes: Uint8Array): Promise<void> {
  const { ArchiveFault, unpackArchive } = await import('./archive');
  const read = nothingRead();
  const notebooks: [string, Uint8Array][] = [];
  const isNotebook = (inner: string): boolean => /\.ipynb$/i.test(inner);
  try {
    const { files, tooLarge } = unpackArchive(bytes, LARGEST_CHOSEN, (inner) =>
      isNotebook(inner) ? LARGEST_CHOSEN : LARGEST,
    );
    read.left.push(...tooLarge);
    for (const [inner, content] of files) {
      if (isNotebook(inner)) notebooks.push([inner, content]);
      take(read, inner, content);
    }
  } catch (error) {
    if (!(error instanceof ArchiveFault)) throw error;
    notify({ text: `${name} ${error.message}.` });
    return;
  }
  const [only, ...more] = notebooks;
  if (only && more.length === 0 && Object.keys(read.files).length === 0)
    await addNotebook(only[0].split('/').at(-1)!.slice(-LONGEST_SHOWN), only[1]);
  else await addRead(name.replace(/\.zip$/, ''), read);
}

/** Files and folders that were dropped on the page. */
export async function importDropped(entries: readonly FileSystemEntry[]): Promise<void> {
  const files: File[] = [];
  for (const entry of entries) {
    if (entry.isFile) files.push(await fileOf(entry as FileSystemFileEntry));
    else if (entry.isDirectory) {
      const read = nothingRead();
      await walkDropped(entry as FileSystemDirectoryEntry, '', read, { left: MOST_WALKED });
      await addRead(entry.name, read);
    }
  }
  if (files.length > 0) await importFiles(files);
}

const fileOf = (entry: FileSystemFileEntry): Promise<File> =>
  new Promise((resolve, reject) => entry.file(resolve, reject));

async function walkDropped(
  folder: FileSystemDirectoryEntry,
  path: string,
  read: Read,
  budget: { left: number },
): Promise<void> {
  const reader = folder.createReader();
  for (;;) {
    // A reader gives a hundred at a time.
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (some.length === 0) return;
    for (const entry of some) {
      if (entry.name.startsWith('.') || LEFT_FOLDERS.includes(entry.name)) continue;
      if (budget.left-- <= 0) return;
      const name = path + entry.name;
      if (entry.isDirectory)
        await walkDropped(entry as FileSystemDirectoryEntry, `${name}/`, read, budget);
      else if (/\.(?:py|json)$/.test(entry.name)) {
        const file = await fileOf(entry as FileSystemFileEntry);
        if (file.size <= LARGEST) take(read, name, new Uint8Array(await file.arrayBuffer()));
        else read.left.push(name);
      }
    }
  }
}

type ShowPicker = () => Promise<FileSystemDirectoryHandle>;
const picker = (): ShowPicker | undefined =>
  (globalThis as { showDirectoryPicker?: ShowPicker }).showDirectoryPicker;
export function canOpenFolder(): boolean {
  return picker() !== undefined;
}

export async function importFolder(): Promise<void> {
  let folder;
  try {
    folder = await picker()?.call(globalThis);
  } catch {
    return; // Nothing was chosen.
  }
  if (!folder) return;
  const read = nothingRead();
  await walk(folder, '', read);
  await addRead(folder.name, read);
}
async function walk(folder: FileSystemDirectoryHandle, path: string, read: Read): Promise<void> {
  for await (const entry of folder.values()) {
    if (entry.name.startsWith('.') || LEFT_FOLDERS.includes(entry.name)) continue;
    const name = path + entry.name;
    if (entry instanceof FileSystemDirectoryHandle) await walk(entry, `${name}/`, read);
    else if (entry instanceof FileSystemFileHandle)
      take(read, name, new Uint8Array(await (await entry.getFile()).arrayBuffer()));
  }
}

/** One file as itself, several as a `.zip`. */
export function exportProgram(program: Named): void {
  const names = Object.keys(program.files);
  const [only] = names;
  if (names.length === 1 && only !== undefined) {
    download(only, program.files[only] ?? '', 'text/x-python');
    return;
  }
  void zip([program]).then((bytes) =>
    download(`${fileName(program.name)}.zip`, bytes, 'application/zip'),
  );
}
type Named = Pick<KeptProgram, 'name' | 'files'>;

export function exportAll(programs: readonly KeptProgram[]): void {
  void zip(programs).then((bytes) => download('hippocamp.zip', bytes, 'application/zip'));
}

/** A folder a program. */
async function zip(programs: readonly Named[]): Promise<Uint8Array<ArrayBuffer>> {
  const { strToU8, zipSync } = await import('fflate');
  const taken: string[] = [];
  const entries: Record<string, Uint8Array> = {};
  for (const { name, files } of programs) {
    const folder = freeName(fileName(name), taken);
    taken.push(folder);
    for (const [file, text] of Object.entries(files)) entries[`${folder}/${file}`] = strToU8(text);
  }
  return new Uint8Array(zipSync(entries));
}
