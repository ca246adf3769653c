/**
 * The modules that a fetched file imports from its own repository, fetched as files of the program:
 * relative imports, absolute ones of a package that the file lies in, and siblings of the file. The
 * `__init__.py` of a package comes along only where something is imported from the package itself:
 * most of them import everything.
 *
 * Guarantee: at most `MOST_FILES` files and `MOST_REQUESTS` requests, all of them in one tree.
 */
import type { ProgramFiles } from '../events';
import { MOST_FILES } from '../state/fileNames';
import { importsOf, type Import } from './imports';
import { isProvided } from './provided';

const MOST_REQUESTS = 200;

/** Text of a file of the tree; null where there is none. */
export type ReadFile = (path: string) => Promise<string | null>;

export interface Followed {
  readonly files: ProgramFiles;
  /**
   * The file that was opened, by its name in the program. One with relative imports runs as a
   * module of its package (`_enter_package` of `_hippocamp_host.py`), so it needs no starter.
   */
  readonly entry: string;
  /** Modules of the repository that could not be found, as they are imported. */
  readonly missing: readonly string[];
}

const join = (...parts: readonly (string | readonly string[])[]): string =>
  parts.flat().filter(Boolean).join('/');

class Follower {
  /** By path in the tree; null for a file that is not there. */
  private readonly read = new Map<string, string | null>();
  readonly missing = new Set<string>();
  /** Folders above the opened file that stay outside of the program. */
  root: number;
  private readonly folder: readonly string[];
  private requests = 0;

  constructor(
    private readonly path: string,
    text: string,
    private readonly readFile: ReadFile,
  ) {
    this.folder = path.split('/').slice(0, -1);
    this.root = this.folder.length;
    this.read.set(path, text);
  }

  /** Files of the tree that the program has, by path. */
  found(): Map<string, string> {
    return new Map([...this.read].filter((entry): entry is [string, string] => entry[1] !== null));
  }

  async all(): Promise<void> {
    // Grows while it is walked.
    const waiting = [this.path];
    for (const path of waiting) {
      const text = this.read.get(path);
      if (typeof text !== 'string') continue;
      for (const one of importsOf(text)) {
        const before = this.read.size;
        await this.resolve(path, one);
        if (this.read.size > before) waiting.push(...[...this.read.keys()].slice(before));
      }
    }
  }

  private async resolve(from: string, one: Import): Promise<void> {
    const module = this.placeOf(from, one);
    if (module === null) return;
    const names = (one.names ?? []).filter((name) => name !== '*');
    // `from . import x`: x is a module, most times.
    const own = one.module.length === 0 ? null : await this.module(module);
    if (own !== null && !own.endsWith('/__init__.py')) return;
    if (own === null && this.isOutside(one)) return;
    // A package: names may be its modules, or what its `__init__.py` defines.
    let init = own;
    for (const name of names) {
      if (init !== null && this.defines(init, name)) continue;
      if ((await this.module(join(module, name))) !== null) continue;
      init ??= await this.file(join(module, '__init__.py'));
      if (init === null) this.missing.add(spelled(one, name));
    }
    if (names.length === 0 && own === null) this.missing.add(spelled(one));
  }

  /** An absolute import that is no package of the tree: a package that is installed, say. */
  private isOutside({ level, module }: Import): boolean {
    return level === 0 && !this.folder.includes(module[0]!);
  }

  /** Path of the imported module, or folder, in the tree; null where it is none of the tree's. */
  private placeOf(from: string, { level, module }: Import): string | null {
    const folder = from.split('/').slice(0, -1);
    if (level > 0) {
      const depth = folder.length - (level - 1);
      // The package itself needs a name, so its own folder is in the program.
      if (depth < 1) {
        this.missing.add(`${'.'.repeat(level)}${module.join('.')}`);
        return null;
      }
      this.root = Math.min(this.root, depth - 1);
      return join(folder.slice(0, depth), module);
    }
    const [top = ''] = module;
    if (isProvided(top)) return null;
    const at = this.folder.lastIndexOf(top);
    if (at < 0) return join(this.folder, module);
    this.root = Math.min(this.root, at);
    return join(this.folder.slice(0, at), module);
  }

  /** @returns the path of a module's file: `x.py` or `x/__init__.py`. */
  private async module(path: string): Promise<string | null> {
    return (await this.file(`${path}.py`)) ?? (await this.file(`${path}/__init__.py`));
  }

  private async file(path: string): Promise<string | null> {
    const known = this.read.get(path);
    if (known !== undefined) return known === null ? null : path;
    if (this.requests >= MOST_REQUESTS || this.found().size >= MOST_FILES - 1) return null;
    this.requests++;
    const text = await this.readFile(path);
    this.read.set(path, text);
    return text === null ? null : path;
  }

  /** Whether an `__init__.py` may define the name itself. */
  private defines(path: string, name: string): boolean {
    return new RegExp(`\\b${name}\\b`).test(this.read.get(path) ?? '');
  }
}

const spelled = ({ level, module }: Import, name?: string): string =>
  [`${'.'.repeat(level)}${module.join('.')}`, name].filter(Boolean).join(level > 0 ? ' ' : '.');

/** @param path of the file that was opened, in its tree; `text` is what it holds. */
export async function follow(path: string, text: string, readFile: ReadFile): Promise<Followed> {
  const follower = new Follower(path, text, readFile);
  await follower.all();
  const above = path.split('/').slice(0, follower.root);
  const folder = path.split('/').slice(0, -1).join('/');
  const files: Record<string, string> = {};
  let entry = path;
  for (const [place, content] of follower.found()) {
    const inRoot = above.length === 0 || place.startsWith(`${above.join('/')}/`);
    const name = inRoot ? place.split('/').slice(above.length).join('/') : place;
    files[name] = content;
    if (place === path) entry = name;
    // A sibling that is imported absolutely stands at the top, where Python looks.
    else if (isSiblingImport(place, folder, text)) files[place.slice(folder.length + 1)] = content;
  }
  return { files, entry, missing: [...follower.missing] };
}

function isSiblingImport(place: string, folder: string, text: string): boolean {
  if (folder !== '' && !place.startsWith(`${folder}/`)) return false;
  const top = place.slice(folder === '' ? 0 : folder.length + 1).split('/')[0]!;
  const module = top.replace(/\.py$/, '');
  return importsOf(text).some((one) => one.level === 0 && one.module[0] === module);
}
