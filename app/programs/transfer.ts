/**
 * Programs into the page and out of it: `.py` files, folders (File System Access, or as a `.zip`),
 * and everything at once. Text files only; what is left out is said.
 */
import type { ProgramFiles } from '../events';
import { withoutLogPrefix } from '../logLines';
import { filesOfText } from '../share/export/text';
import { decodeSource } from '../sourceText';
import { countProblem, fileNameFrom } from '../state/fileNames';
import { notify } from './notices';
import { add, freeName, remove } from './programs';
import type { KeptProgram } from './records';

/** Bytes of one file: more is not a program. */
const LARGEST = 2e6;
/** Characters of all files of a program. */
const LARGEST_PROGRAM = 8e6;

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

/**
 * The file that runs: `main.py`, else the only one, else the first with a kernel launch, else the
 * first.
 */
export function entryOf(files: ProgramFiles): string {
  const names = Object.keys(files).sort();
  const top = names.filter((name) => name.endsWith('.py') && !name.includes('/'));
  return (
    top.find((name) => name === 'main.py') ??
    top.find((name) => /^if __name__ == ['"]__main__['"]/m.test(files[name] ?? '')) ??
    top.find((name) => /\w\[[^\]\n]+\]\s*\(/.test(files[name] ?? '')) ??
    top[0] ??
    names[0] ??
    'main.py'
  );
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
  /** Not Python text. */
  readonly left: string[];
  /** Python text whose name cannot be had. */
  readonly odd: string[];
  /** Why Python refuses the encoding of a file: a sentence each, with the file's name. */
  readonly undecodable: string[];
}
export const nothingRead = (): Read => ({ files: {}, left: [], odd: [], undecodable: [] });

/**
 * Takes a file under the name that it gets inside the program; what is no Python text is left out.
 */
export function take(read: Read, name: string, bytes: Uint8Array): void {
  const inside = fileNameFrom(name);
  const source = bytes.length > LARGEST ? null : decodeSource(bytes, name);
  if (source && 'message' in source && name.endsWith('.py') && !bytes.includes(0)) {
    read.undecodable.push(`${name}, line ${source.line}: ${source.message}.`);
    return;
  }
  const text = source && 'text' in source ? withoutLogPrefix(source.text) : '\0';
  if (text.includes('\0') || !name.endsWith('.py')) read.left.push(name);
  else if (inside === null || Object.hasOwn(read.files, inside)) read.odd.push(name);
  else read.files[inside] = text;
}

/** Why these files cannot be one program; null where they can. */
export function problemOf(name: string, files: ProgramFiles): string | null {
  const count = Object.keys(files).length;
  if (count === 0) return `No Python file in ${name}.`;
  const tooMany = countProblem(count);
  if (tooMany !== null) return `${name} was not imported. ${tooMany}`;
  const length = Object.values(files).reduce((sum, text) => sum + text.length, 0);
  if (length > LARGEST_PROGRAM)
    return `${name} was not imported. It has more than ${LARGEST_PROGRAM / 1e6} million characters.`;
  return null;
}

async function addRead(name: string, read: Read, first?: string): Promise<void> {
  const files = first === undefined ? withoutCommonFolder(read.files) : read.files;
  const problem = problemOf(name, files);
  const refused = read.undecodable.slice(0, 3).map((why) => ` ${why}`);
  if (problem !== null) {
    notify({ text: problem + refused.join('') });
    return;
  }
  const wanted = first === undefined ? null : fileNameFrom(first);
  const entry = wanted !== null && Object.hasOwn(files, wanted) ? wanted : entryOf(files);
  const id = await add(freeName(name, []), files, entry);
  const said =
    leftOut('not Python text', read.left) +
    leftOut('names that cannot be used', read.odd) +
    refused.join('');
  notify({ text: `Imported “${name}”.${said}`, undo: () => remove(id) });
}
function leftOut(why: string, names: readonly string[]): string {
  if (names.length === 0) return '';
  const some = names.slice(0, 3).map((name) => (name.length > 80 ? `${name.slice(0, 80)}…` : name));
  return ` Left out, ${why}: ${some.join(', ')}${names.length > 3 ? ' …' : ''}.`;
}

/**
 * Each `.zip` and `.hippocamp` is a program, and so is each text that holds several files; all
 * other `.py` files chosen together are one.
 */
export async function importFiles(all: readonly File[]): Promise<void> {
  const saved = all.filter((file) => file.name.endsWith('.hippocamp'));
  for (const file of saved) {
    const { openLink } = await import('../share/state');
    await openLink((await file.text()).trim());
  }
  const chosen = all.filter((file) => !saved.includes(file));
  if (chosen.length === 0) return;
  const plain = nothingRead();
  /** Files that are programs of their own. */
  let together = 0;
  for (const file of chosen) {
    const bytes = new Uint8Array(await file.arrayBuffer());
    if (!file.name.endsWith('.zip')) {
      const several = filesOfText(bytes.length > LARGEST ? '' : new TextDecoder().decode(bytes));
      if (!several) {
        take(plain, file.name, bytes);
        continue;
      }
      together++;
      const read = nothingRead();
      for (const [name, text] of Object.entries(several.files))
        take(read, name, new TextEncoder().encode(text));
      await addRead(file.name.replace(/\.py$/, ''), read, several.entry);
      continue;
    }
    together++;
    const { unzipSync } = await import('fflate');
    const read = nothingRead();
    try {
      const entries = unzipSync(bytes, { filter: ({ originalSize }) => originalSize <= LARGEST });
      for (const [name, content] of Object.entries(entries))
        if (!name.endsWith('/')) take(read, name, content);
      await addRead(file.name.replace(/\.zip$/, ''), read);
    } catch {
      notify({ text: `${file.name} is not a .zip that can be read.` });
    }
  }
  if (together === chosen.length) return;
  const first = Object.keys(plain.files)[0] ?? plain.left[0] ?? plain.odd[0] ?? 'the files';
  await addRead(first.replace(/\.py$/, ''), plain);
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
    if (entry.name.startsWith('.') || entry.name === '__pycache__') continue;
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
