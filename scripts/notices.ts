/**
 * The licences of what the build ships, from the packages' own files: every package that the page
 * may bundle (the lock file's, without those for development), and what Pyodide holds.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const NOTICES = 'third-party-notices.txt';

interface Locked {
  readonly version?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly integrity?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}
export interface Notice {
  /** Its folder, from the root, with `/`. */
  readonly path: string;
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly author: string;
  /** Digest of its archive, as in the lock file. */
  readonly integrity: string;
  /** Names of the packages that it depends on. */
  readonly requires: readonly string[];
  /** Text of its licence files; '' where it brings none. */
  readonly text: string;
}

const LICENSE_FILE = /^(?:licen[cs]e|copying|notice|third[-_]?party)/i;
const json = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));

/**
 * @param root of the repository.
 * @param bundled folders of packages for development whose code is shipped all the same.
 */
export function shippedPackages(root: string, bundled: ReadonlySet<string> = new Set()): Notice[] {
  const lock = json(join(root, 'package-lock.json')) as {
    readonly packages: Readonly<Record<string, Locked>>;
  };
  return Object.entries(lock.packages)
    .filter(
      ([path, { dev, devOptional }]) =>
        path !== '' && ((!dev && !devOptional) || bundled.has(path)),
    )
    .map(([path, locked]) => {
      const { version = '', license, integrity = '' } = locked;
      const folder = join(root, path);
      const manifest = json(join(folder, 'package.json')) as Manifest;
      const files = readdirSync(folder)
        .filter((file) => LICENSE_FILE.test(file))
        .sort();
      return {
        path,
        integrity,
        requires: Object.keys({
          ...locked.dependencies,
          ...locked.optionalDependencies,
          ...locked.peerDependencies,
        }),
        name: path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
        version,
        // An older form, which the lock file does not carry.
        license: license ?? (manifest.licenses ?? []).map(({ type }) => type).join(' OR '),
        author: authorOf(manifest),
        text: files.map((file) => readFileSync(join(folder, file), 'utf8').trim()).join('\n\n'),
      };
    });
}

interface Manifest {
  readonly author?: string | { readonly name?: string };
  readonly licenses?: readonly { readonly type: string }[];
}
function authorOf({ author }: Manifest): string {
  return (typeof author === 'string' ? author : author?.name) ?? 'its authors';
}

const PYTHON =
  'Pyodide holds CPython and its standard library (Copyright © 2001 Python Software Foundation; ' +
  'PSF-2.0, https://docs.python.org/3/license.html), and the libraries that CPython is built with ' +
  '(https://pyodide.org/en/stable/project/about.html).';

export function noticesText(root: string, bundled?: ReadonlySet<string>): string {
  const all = shippedPackages(root, bundled);
  const byText = new Map<string, Notice[]>();
  for (const one of all) byText.set(one.text, [...(byText.get(one.text) ?? []), one]);
  const title = ({ name, version, license }: Notice): string => `${name} ${version} (${license})`;
  const parts = [
    'Hippocamp ships the packages below, each under its own licence.',
    PYTHON,
    ...[...byText].flatMap(([text, ones]) =>
      text === '' ? [] : [`${ones.map(title).join('\n')}\n\n${text}`],
    ),
    ...(byText.get('') ?? []).map((one) => {
      const like = all.find(({ license, text }) => text !== '' && license.includes(one.license));
      const terms = like ? `: its terms are those printed above for ${like.name}` : '';
      return `${title(one)}\n\nCopyright © ${one.author}. The package names the licence alone${terms}.`;
    }),
  ];
  return `${parts.join(`\n\n${'─'.repeat(80)}\n\n`)}\n`;
}
