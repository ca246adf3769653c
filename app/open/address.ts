/**
 * Addresses of programs: GitHub files, folders and gists, Hugging Face files and kernel
 * repositories, notebooks as Colab and nbviewer name them, and any raw file. An address becomes a
 * place: what is fetched, and from which hosts, before anything is. Other hosts are never asked.
 */
import { OpenFault } from './fault';

interface Common {
  /** As people see it: `owner/repo/path`. */
  readonly title: string;
  /** Every host that may be asked, as the visitor is shown it. */
  readonly hosts: readonly string[];
}
/** Files of one repository and revision. */
export interface Tree {
  /** Address of its root, with a slash at the end; paths are appended, encoded. */
  readonly raw: string;
}
export interface FilePlace extends Common {
  readonly kind: 'file';
  readonly tree: Tree;
  /** From the tree's root, decoded. */
  readonly path: string;
  /** Query of the address, an access key say, for this file alone. */
  readonly query: string;
}
export interface FolderPlace extends Common {
  readonly kind: 'folder';
  readonly service: 'github' | 'hugging-face';
  /** `owner/repo`; on Hugging Face with its kind: `models/owner/repo`. */
  readonly repository: string;
  /** Revision, then path: a revision may have slashes, and its end is found at the host. */
  readonly rest: readonly string[];
}
export interface GistPlace extends Common {
  readonly kind: 'gist';
  readonly id: string;
  readonly revision: string | null;
}
export type Place = FilePlace | FolderPlace | GistPlace;

export const GITHUB_RAW = 'raw.githubusercontent.com';
export const GITHUB_API = 'api.github.com';
export const GIST_RAW = 'gist.githubusercontent.com';
export const HUGGING_FACE = 'huggingface.co';

const LONGEST = 2000;

/** Segments of a path, decoded. @throws OpenFault where they climb or cannot be decoded. */
function segments(path: string): string[] {
  let parts;
  try {
    parts = path
      .split('/')
      .filter((part) => part !== '')
      .map(decodeURIComponent);
  } catch {
    throw new OpenFault('This address cannot be read: a % in it is no character.', 'file');
  }
  if (parts.some((part) => part === '.' || part === '..' || /[/\\\p{Cc}]/u.test(part)))
    throw new OpenFault('This address leads out of its folder.', 'file');
  return parts;
}

/** A path in an address. */
export const encodePath = (path: string): string =>
  path.split('/').map(encodeURIComponent).join('/');

/**
 * @param own host of the page: it may be asked by http, as a page on localhost is.
 * @throws OpenFault with the reason why it is none.
 */
export function placeOf(address: string, own = ''): Place {
  const text = address.trim();
  if (text === '') throw new OpenFault('Enter an address.', 'file');
  if (text.length > LONGEST)
    throw new OpenFault(`This address has more than ${LONGEST} characters.`, 'file');
  let url;
  try {
    url = new URL(/^[a-z][a-z\d+.-]*:/i.test(text) ? text : `https://${text}`);
  } catch {
    throw new OpenFault('This is no address of a web page.', 'file');
  }
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && url.hostname === own))
    throw new OpenFault('Only https: addresses are opened.', 'paste');
  if (url.username !== '' || url.password !== '')
    throw new OpenFault('Addresses with a user name or a password are not opened.', 'paste');
  const parts = segments(url.pathname);
  switch (url.hostname.replace(/^www\./, '')) {
    case 'github.com':
      return github(parts);
    case GITHUB_RAW:
      if (parts.length < 4) throw new OpenFault('This is no address of a file.', 'file');
      return githubFile(parts[0]!, parts[1]!, parts.slice(2), url.search);
    case 'gist.github.com':
      return gist(parts);
    case HUGGING_FACE:
    case 'hf.co':
      return huggingFace(parts);
    case 'colab.research.google.com':
    case 'nbviewer.org':
      return wrapped(parts);
    default:
      return rawFile(url, parts);
  }
}

/** Notebooks on Colab and nbviewer that lie on GitHub. */
function wrapped(parts: readonly string[]): Place {
  if (parts[0] === 'github') return github(parts.slice(1));
  if (parts[0] === 'gist') return gist(parts.slice(1));
  throw new OpenFault(
    'This notebook lies in a private drive that pages cannot read. In Colab choose File → Download → Download .ipynb, and drop that file on this page.',
    'file',
  );
}

function rawFile(url: URL, parts: readonly string[]): FilePlace {
  const path = parts.join('/');
  if (path === '') throw new OpenFault('This is the address of a site, not of a file.', 'file');
  return {
    kind: 'file',
    tree: { raw: `${url.origin}/` },
    path,
    query: url.search,
    title: `${url.host}/${path}`,
    hosts: [url.host],
  };
}

function github(parts: readonly string[]): Place {
  const [owner, repo, view, ...rest] = parts;
  if (owner === undefined || repo === undefined)
    throw new OpenFault('This is no address of a repository on GitHub.', 'file');
  const repository = `${owner}/${repo.replace(/\.git$/, '')}`;
  if (view === undefined) return githubFolder(repository, ['HEAD']);
  if (rest.length > 0 && view === 'tree') return githubFolder(repository, rest);
  if (rest.length > 1 && ['blob', 'raw', 'blame', 'edit'].includes(view))
    return githubFile(owner, repo, rest, '');
  throw new OpenFault(
    `This page of GitHub (${view}) is neither a file nor a folder. Open the file there, and take its address.`,
    'file',
  );
}

function githubFile(owner: string, repo: string, rest: readonly string[], query: string): Place {
  // `refs/heads/main` is a revision, too.
  const length = rest[0] === 'refs' && rest.length > 3 ? 3 : 1;
  const [revision, path] = [rest.slice(0, length).join('/'), rest.slice(length).join('/')];
  return {
    kind: 'file',
    tree: { raw: `https://${GITHUB_RAW}/${encodePath(`${owner}/${repo}/${revision}`)}/` },
    path,
    query,
    title: `${owner}/${repo}/${path}`,
    hosts: [GITHUB_RAW],
  };
}

function githubFolder(repository: string, rest: readonly string[]): FolderPlace {
  return {
    kind: 'folder',
    service: 'github',
    repository,
    rest,
    title: [repository, ...rest.slice(1)].join('/'),
    hosts: [GITHUB_API, GITHUB_RAW],
  };
}

function gist(parts: readonly string[]): GistPlace {
  const at = parts.findIndex((part) => /^[\da-f]{20,40}$/.test(part) || /^\d+$/.test(part));
  if (at < 0 || at > 1) throw new OpenFault('This is no address of a gist.', 'file');
  const revision = parts.slice(at + 1).find((part) => /^[\da-f]{40}$/.test(part)) ?? null;
  const id = parts[at]!;
  return {
    kind: 'gist',
    id,
    revision,
    title: `gist ${at === 1 ? `${parts[0]}/` : ''}${id.slice(0, 8)}`,
    hosts: [GITHUB_API, GIST_RAW],
  };
}

/** Kinds of repositories that an address names; models have none. */
const HUB_KINDS = ['datasets', 'spaces', 'kernels', 'models'];

function huggingFace(parts: readonly string[]): Place {
  const named = HUB_KINDS.includes(parts[0] ?? '') ? parts[0]! : null;
  const [owner, name, view, ...rest] = named === null ? parts : parts.slice(1);
  if (owner === undefined || name === undefined)
    throw new OpenFault('This is no address of a repository on Hugging Face.', 'file');
  const kind = named ?? 'models';
  const prefix = kind === 'models' ? '' : `${kind}/`;
  const repository = `${kind}/${owner}/${name}`;
  if (rest.length > 1 && ['blob', 'raw', 'resolve'].includes(view ?? '')) {
    const [revision = 'main', ...path] = rest;
    const root = `${prefix}${encodePath(`${owner}/${name}`)}/raw/${encodeURIComponent(revision)}/`;
    return {
      kind: 'file',
      tree: { raw: `https://${HUGGING_FACE}/${root}` },
      path: path.join('/'),
      query: '',
      title: `${owner}/${name}/${path.join('/')}`,
      hosts: [HUGGING_FACE],
    };
  }
  if (view !== undefined && !(view === 'tree' && rest.length > 0))
    throw new OpenFault(
      `This page of Hugging Face (${view}) is neither a file nor a folder. Open “Files and versions” there, and take the address of one.`,
      'file',
    );
  const folder = view === undefined ? ['main'] : rest;
  return {
    kind: 'folder',
    service: 'hugging-face',
    repository,
    rest: folder,
    title: [owner, name, ...folder.slice(1)].join('/'),
    hosts: [HUGGING_FACE],
  };
}

/** Address of a file in a tree. */
export const rawAddress = (tree: Tree, path: string, query = ''): string =>
  `${tree.raw}${encodePath(path)}${query}`;
