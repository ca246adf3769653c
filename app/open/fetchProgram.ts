/**
 * An address as a program: fetched from the hosts of its place, followed to the modules that it
 * imports, decoded as Python does. It never runs anything and changes nothing of the page: what it
 * returns becomes a program, or it throws a sentence.
 */
import type { ProgramFiles } from '../events';
import { withoutLogPrefix } from '../logLines';
import { filesOfText } from '../share/export/text';
import { decodeSource, isHtml } from '../sourceText';
import { fileNameFrom, MOST_FILES } from '../state/fileNames';
import {
  encodePath,
  GIST_RAW,
  GITHUB_API,
  GITHUB_RAW,
  HUGGING_FACE,
  rawAddress,
  type FilePlace,
  type FolderPlace,
  type GistPlace,
  type Place,
  type Tree,
} from './address';
import { entryOf } from './entry';
import { OpenFault } from './fault';
import { fetchBytes, type Fetching } from './fetching';
import { follow } from './follow';
import { programOfNotebook } from './notebook';

export interface FetchedProgram {
  readonly name: string;
  readonly files: ProgramFiles;
  readonly entry: string;
  /** Sentences: what was left out, what does not run. */
  readonly notes: readonly string[];
}

/** Bytes. */
const LARGEST_FILE = 2e6;
export const LARGEST_NOTEBOOK = 20e6;
const LARGEST_LIST = 20e6;
const LARGEST_PROGRAM = 8e6;

const NO_SUCH_FILE =
  'There is no such file, or it is private: the host answers both alike (HTTP 404).';

export function fetchProgram(place: Place, fetching: Fetching): Promise<FetchedProgram> {
  switch (place.kind) {
    case 'file':
      return fetchFile(place, fetching);
    case 'folder':
      return fetchFolder(place, fetching);
    case 'gist':
      return fetchGist(place, fetching);
  }
}

const isNotebook = (name: string): boolean => /\.ipynb$/i.test(name);

/** @throws OpenFault where the bytes are no text, or a web page. */
function textOf(bytes: Uint8Array, name: string): string {
  const source = decodeSource(bytes, name);
  if ('message' in source || source.text.includes('\0'))
    throw new OpenFault(
      bytes.includes(0)
        ? `${name} is a binary file, not Python.`
        : `${name} cannot be decoded: ${'message' in source ? source.message : ''}.`,
      'file',
    );
  if (isHtml(source.text))
    throw new OpenFault(
      `${name} is a web page (HTML), not Python: the host sent a page about the file, or one to log in. Look there for a link named “Raw”, and take its address.`,
    );
  if (source.text.startsWith('version https://git-lfs.github.com/spec/'))
    throw new OpenFault(`${name} is a pointer to a large file (Git LFS), not the file.`, 'file');
  return withoutLogPrefix(source.text);
}

async function fetchFile(place: FilePlace, fetching: Fetching): Promise<FetchedProgram> {
  const { tree, path, query } = place;
  const last = path.split('/').at(-1)!;
  if (/\.(?:safetensors|gguf|onnx|pth?|bin)$/i.test(last))
    throw new OpenFault(
      `${last} holds weights, and addresses open programs of at most ${LARGEST_FILE / 1e6} MB. Download it, and drop it on the page together with the files of its tokenizer: the program then opens them by name.`,
      'file',
    );
  const most = isNotebook(last) ? LARGEST_NOTEBOOK : LARGEST_FILE;
  const bytes = await fetchBytes(rawAddress(tree, path, query), most, fetching);
  if (bytes === null) throw new OpenFault(NO_SUCH_FILE);
  const text = textOf(bytes, last);
  if (isNotebook(last)) return fetchedNotebook(text, last);
  const several = filesOfText(text);
  if (several) return checked(titleOf(last), several, []);
  if (/^\s*\{/.test(text) && /"cells"\s*:/.test(text)) return fetchedNotebook(text, last);
  // A raw address may have no ending at all: `/raw/kernel`, `?file=kernel.py`.
  const inTree = last.endsWith('.py') ? path : `${path}.py`;
  const followed = await follow(inTree, text, (each) => readModule(tree, each, fetching));
  const notes = notesOf(followed);
  return checked(titleOf(last), followed, notes);
}

async function readModule(tree: Tree, path: string, fetching: Fetching): Promise<string | null> {
  const bytes = await fetchBytes(rawAddress(tree, path), LARGEST_FILE, fetching);
  if (bytes === null) return null;
  const source = decodeSource(bytes, path);
  // Hosts that answer every address with their index page have no such file.
  return 'message' in source || isHtml(source.text) ? null : source.text;
}

function notesOf(followed: {
  readonly files: ProgramFiles;
  readonly missing: readonly string[];
}): string[] {
  const { files, missing } = followed;
  const count = Object.keys(files).length;
  return [
    ...(count > 1 ? [`${count} files, with what it imports from there.`] : []),
    ...(missing.length > 0
      ? [
          `Not found there: ${missing.slice(0, 3).join(', ')}${missing.length > 3 ? ` and ${missing.length - 3} more` : ''}.`,
        ]
      : []),
  ];
}

const titleOf = (file: string): string => file.replace(/\.(?:py|ipynb)$/i, '') || 'program';

function fetchedNotebook(text: string, name: string): FetchedProgram {
  const { files, entry, notes } = programOfNotebook(text, name);
  return checked(titleOf(name), { files, entry }, notes);
}

/** @throws OpenFault where the files cannot be one program. */
function checked(
  name: string,
  made: { readonly files: ProgramFiles; readonly entry: string },
  notes: readonly string[],
): FetchedProgram {
  const files: Record<string, string> = {};
  for (const [path, text] of Object.entries(made.files)) {
    const inside = fileNameFrom(path);
    if (inside === null || inside !== path)
      throw new OpenFault(`A file of it has a name that a program cannot have: ${path}.`, 'file');
    files[inside] = text;
  }
  const count = Object.keys(files).length;
  if (count > MOST_FILES)
    throw new OpenFault(`It has ${count} files; a program holds at most ${MOST_FILES}.`, 'file');
  if (Object.values(files).reduce((sum, text) => sum + text.length, 0) > LARGEST_PROGRAM)
    throw new OpenFault(`It has more than ${LARGEST_PROGRAM / 1e6} million characters.`, 'file');
  return { name, files, entry: made.entry, notes };
}

type Fields = Readonly<Record<string, unknown>>;
const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};

async function fetchJson(address: string, fetching: Fetching): Promise<unknown> {
  const bytes = await fetchBytes(address, LARGEST_LIST, fetching);
  if (bytes === null) return null;
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as unknown;
  } catch {
    throw new OpenFault(`${new URL(address).host} answered with something that is no JSON.`);
  }
}

async function fetchGist(place: GistPlace, fetching: Fetching): Promise<FetchedProgram> {
  const { id, revision } = place;
  const address = `https://${GITHUB_API}/gists/${id}${revision === null ? '' : `/${revision}`}`;
  const answer = fieldsOf(await fetchJson(address, fetching));
  const listed = Object.values(fieldsOf(answer['files'])).map(fieldsOf);
  if (listed.length === 0) throw new OpenFault('There is no such gist, or it is deleted.');
  const python: Record<string, string> = {};
  const left: string[] = [];
  let notebook: { readonly name: string; readonly text: string } | null = null;
  for (const file of listed) {
    const name = String(file['filename'] ?? '');
    const named = isNotebook(name) || name.endsWith('.py');
    if (!named || (isNotebook(name) && notebook)) {
      left.push(name);
      continue;
    }
    const text = await gistText(file, name, fetching);
    if (isNotebook(name)) notebook = { name, text };
    else python[name] = withoutLogPrefix(text);
  }
  const described = answer['description'];
  const title = typeof described === 'string' && described.trim() !== '' ? described : null;
  const notes = left.length > 0 ? [`Left out, not Python: ${left.slice(0, 3).join(', ')}.`] : [];
  if (Object.keys(python).length === 0 && notebook) {
    const made = fetchedNotebook(notebook.text, notebook.name);
    return { ...made, notes: [...made.notes, ...notes] };
  }
  if (Object.keys(python).length === 0)
    throw new OpenFault(`The gist has no Python file: ${left.slice(0, 3).join(', ')}.`, 'file');
  const entry = entryOf(python);
  const name = (title ?? titleOf(entry)).slice(0, 80);
  return checked(name, { files: python, entry }, notes);
}

/** A gist's file: in the answer itself, or at its own address where it is longer. */
async function gistText(file: Fields, name: string, fetching: Fetching): Promise<string> {
  const { content, truncated, raw_url: raw } = file;
  if (typeof content === 'string' && truncated !== true) return content;
  const address = typeof raw === 'string' && URL.canParse(raw) ? new URL(raw) : null;
  if (address?.host !== GIST_RAW || address.protocol !== 'https:')
    throw new OpenFault(`${name} is too long for the answer, and has no address of its own.`);
  const most = isNotebook(name) ? LARGEST_NOTEBOOK : LARGEST_FILE;
  const bytes = await fetchBytes(address.href, most, fetching);
  if (bytes === null) throw new OpenFault(NO_SUCH_FILE);
  return textOf(bytes, name);
}

interface Listing {
  readonly tree: Tree;
  /** Paths of the folder's Python files and notebooks, from the tree's root. */
  readonly paths: readonly string[];
  /** The folder within the tree; '' for its root. */
  readonly folder: string;
  /** The host lists only a part of so large a repository. */
  readonly partly: boolean;
}

async function fetchFolder(place: FolderPlace, fetching: Fetching): Promise<FetchedProgram> {
  const listed =
    place.service === 'github'
      ? await listGithub(place, fetching)
      : await listHuggingFace(place, fetching);
  if (!listed) throw new OpenFault(NO_SUCH_FILE.replace('file', 'folder'));
  const { tree, paths, folder, partly } = kernelsOf(listed);
  const python = paths.filter((path) => path.endsWith('.py'));
  const name = folder.split('/').at(-1) || place.title.split('/').at(-1)!;
  if (python.length === 0) {
    const [only, ...more] = paths;
    if (only === undefined || more.length > 0)
      throw new OpenFault(
        only === undefined
          ? 'The folder has no Python file.'
          : `The folder has ${paths.length} notebooks: open one of them.`,
        'file',
      );
    const alone: FilePlace = { ...place, kind: 'file', tree, path: only, query: '' };
    return fetchFile(alone, fetching);
  }
  if (python.length > MOST_FILES)
    throw new OpenFault(
      `The folder has ${python.length} Python files; a program holds at most ${MOST_FILES}. Open a smaller folder, or one file: the modules that it imports come along.`,
      'file',
    );
  const files: Record<string, string> = {};
  for (const path of python) {
    const text = await readModule(tree, path, fetching);
    if (text !== null) files[folder === '' ? path : path.slice(folder.length + 1)] = text;
  }
  const notes = partly ? ['The host listed only a part of this repository.'] : [];
  return checked(name, entryOfFolder(files, name), notes);
}

/** A folder that is a package keeps its name, which its relative imports need. */
function entryOfFolder(
  files: Record<string, string>,
  name: string,
): { files: ProgramFiles; entry: string } {
  const first = entryOf(files);
  const isPackage = Object.hasOwn(files, '__init__.py') && /^[\p{L}_][\p{L}\p{N}_]*$/u.test(name);
  if (!isPackage) return { files, entry: first };
  const inside = Object.fromEntries(
    Object.entries(files).map(([path, text]) => [`${name}/${path}`, text]),
  );
  return { files: inside, entry: `${name}/${first}` };
}

/**
 * The packages of a repository of Hugging Face's kernels: their sources, or, where it holds only
 * builds, the build for any GPU.
 */
function kernelsOf(listed: Listing): Listing {
  if (listed.folder !== '') return listed;
  const folders = ['torch-ext', 'build/torch-universal', 'build/torch-cuda'];
  const folder = folders.find((each) => listed.paths.some((path) => path.startsWith(`${each}/`)));
  if (folder === undefined) return listed;
  const paths = listed.paths.filter((path) => path.startsWith(`${folder}/`));
  return { ...listed, paths, folder };
}

const isSource = (path: string): boolean =>
  (path.endsWith('.py') || isNotebook(path)) && !/(?:^|\/)(?:\.|__pycache__)/.test(path);

/** A revision may have slashes: tried from the shortest. */
const REVISION_SEGMENTS = 3;

async function listGithub(
  { repository, rest }: FolderPlace,
  fetching: Fetching,
): Promise<Listing | null> {
  for (let length = 1; length <= Math.min(rest.length, REVISION_SEGMENTS); length++) {
    const [revision, folder] = [rest.slice(0, length).join('/'), rest.slice(length).join('/')];
    const address = `https://${GITHUB_API}/repos/${encodePath(repository)}/git/trees/${encodeURIComponent(revision)}?recursive=1`;
    const answer = await fetchJson(address, fetching);
    if (answer === null) continue;
    const { tree, truncated } = fieldsOf(answer);
    const all = (Array.isArray(tree) ? tree : []).map(fieldsOf);
    const within = all.filter(({ path }) => folder === '' || String(path).startsWith(`${folder}/`));
    if (within.length === 0) continue;
    const paths = within
      .filter(({ type, size }) => type === 'blob' && Number(size ?? 0) <= LARGEST_NOTEBOOK)
      .map(({ path }) => String(path))
      .filter(isSource);
    const raw = `https://${GITHUB_RAW}/${encodePath(`${repository}/${revision}`)}/`;
    return { tree: { raw }, paths, folder, partly: truncated === true };
  }
  return null;
}

async function listHuggingFace(
  { repository, rest }: FolderPlace,
  fetching: Fetching,
): Promise<Listing | null> {
  const [revision = 'main', ...parts] = rest;
  const folder = parts.join('/');
  const [kind = 'models', ...names] = repository.split('/');
  const path = folder === '' ? '' : `/${encodePath(folder)}`;
  const address = `https://${HUGGING_FACE}/api/${kind}/${encodePath(names.join('/'))}/tree/${encodeURIComponent(revision)}${path}?recursive=true`;
  const answer = await fetchJson(address, fetching);
  if (!Array.isArray(answer)) return null;
  const prefix = kind === 'models' ? '' : `${kind}/`;
  const root = `${prefix}${encodePath(names.join('/'))}/raw/${encodeURIComponent(revision)}/`;
  const paths = answer
    .map(fieldsOf)
    .filter(({ type }) => type === 'file')
    .map((each) => String(each['path']))
    .filter(isSource);
  // A page of the list has a thousand entries.
  const partly = answer.length >= 1000;
  return { tree: { raw: `https://${HUGGING_FACE}/${root}` }, paths, folder, partly };
}
