/**
 * Wheels: whether one runs in this Python, and what it holds, from its name and its archive's list
 * of files. Nothing is unpacked here. Each refusal is a sentence.
 */
import { unzipSync } from 'fflate';
import { OpenFault } from '../open/fault';
import { SHIPPED } from '../open/provided';

export interface Wheel {
  readonly fileName: string;
  /** As PEP 503 writes it. */
  readonly name: string;
  readonly version: string;
  /** Modules and packages at its top. */
  readonly imports: readonly string[];
}

/** The tags that this Python takes (`pyodide-lock.json`). */
export interface Platform {
  /** `2026_0`. */
  readonly abi: string;
  /** `314`. */
  readonly python: string;
}

const MOST_FILES = 20_000;
/** Bytes, unpacked. */
const MOST_UNPACKED = 500e6;
/** Modules that no wheel may bring, as `_hippocamp_packages.py` has them: programs run on ours. */
const OURS = (
  'helion hippocamp_testing js pyodide pyodide_js _pyodide _pyodide_core torch triton triton_viz ' +
  'tritonparse'
).split(' ');

/** PEP 503. */
export const normalized = (name: string): string => name.toLowerCase().replaceAll(/[-_.]+/g, '-');

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/^(?:many|musl)?linux/, 'Linux'],
  [/^macosx/, 'macOS'],
  [/^win/, 'Windows'],
  [/^(?:android|ios)/, 'phones'],
];

/** Why a wheel of this name does not run here; null where it does. */
export function platformProblem(fileName: string, { abi, python }: Platform): string | null {
  const found = /^([^-]+)-([^-]+)(?:-\d[^-]*)?-([^-]+)-([^-]+)-([^-]+)\.whl$/.exec(fileName);
  if (!found) return `${fileName} has no name of a wheel (NAME-VERSION-PYTHON-ABI-PLATFORM.whl).`;
  const [, name = '', , pythons = '', , platforms = ''] = found;
  const some = (tags: string, test: (tag: string) => boolean): boolean =>
    tags.split('.').some(test);
  if (!some(platforms, (tag) => tag === 'any' || tag === `pyemscripten_${abi}_wasm32`)) {
    const system = SYSTEMS.find(([pattern]) => some(platforms, (tag) => pattern.test(tag)))?.[1];
    const instead = `A wheel of ${name} that ends in -none-any.whl runs here, or one of Pyodide’s index for pyemscripten_${abi}_wasm32.`;
    return system === undefined
      ? `${fileName} is built for ${platforms}, another version than this Python’s. ${instead}`
      : `${fileName} is built for ${system} (${platforms}); its machine code does not run in a browser. ${instead}`;
  }
  const fits = (tag: string): boolean =>
    /^py(?:3|31\d)$/.test(tag) || tag === `cp${python}` || /^cp3\d*$/.test(tag);
  if (
    !some(pythons, fits) ||
    (!platforms.includes('any') && !some(pythons, (tag) => tag === `cp${python}`))
  )
    return `${fileName} is for another Python (${pythons}) than the one here (cp${python}).`;
  return null;
}

/** @throws OpenFault where it does not run here, or leads out of its folder. */
export function readWheel(
  fileName: string,
  bytes: Uint8Array<ArrayBuffer>,
  platform: Platform,
): Wheel {
  const problem = platformProblem(fileName, platform);
  if (problem !== null) throw new OpenFault(problem, 'file');
  const names: string[] = [];
  let unpacked = 0;
  try {
    unzipSync(bytes, {
      filter: ({ name, originalSize }) => {
        names.push(name);
        unpacked += originalSize;
        return false;
      },
    });
  } catch {
    throw new OpenFault(`${fileName} is no wheel: its archive cannot be read.`, 'file');
  }
  // `./torch` and `a//b`, too: readers of archives differ in what they make of such names.
  const climbing = names.find(
    (name) =>
      /^[a-z]:|\p{Cc}/iu.test(name) ||
      name
        .replace(/\/$/, '')
        .split(/[/\\]/)
        .some((part) => ['', '.', '..'].includes(part)),
  );
  if (climbing !== undefined)
    throw new OpenFault(
      `${fileName} was refused: a file of it, ${climbing.slice(0, 80)}, leads out of its folder. No honest wheel has such a file.`,
      'file',
    );
  if (unpacked > MOST_UNPACKED || names.length > MOST_FILES)
    throw new OpenFault(
      `${fileName} unpacks to ${(unpacked / 1e6).toFixed(0)} MB in ${names.length} files, more than is taken.`,
      'file',
    );
  if (!names.some((name) => /^[^/]+\.dist-info\/METADATA$/.test(name)))
    throw new OpenFault(`${fileName} is no wheel: it has no METADATA.`, 'file');
  const imports = topLevel(names);
  const [name = '', version = ''] = fileName.split('-');
  const ours = tops(names).find(
    (top) =>
      OURS.includes(top) ||
      top.startsWith('_hippocamp') ||
      // The real numpy takes the place of ours, which is not any wheel's to bring.
      (SHIPPED.includes(top) && normalized(top) !== normalized(name)),
  );
  if (ours !== undefined)
    throw new OpenFault(
      `${fileName} was refused: it brings ${ours}, which is Hippocamp’s own here.`,
      'file',
    );
  return { fileName, name: normalized(name), version, imports };
}

const inSite = (path: string): string => path.replace(/^[^/]+\.data\/(?:pure|plat)lib\//, '');

/** Names at the top of what is unpacked, of any kind of file: `x.pyc` is imported, too. */
const tops = (names: readonly string[]): string[] =>
  names.map((path) => inSite(path).split('/')[0]!.split('.')[0]!);

function topLevel(names: readonly string[]): string[] {
  const found = names.flatMap((path) => {
    const inner = inSite(path);
    const [first = '', ...rest] = inner.split('/');
    if (/\.(?:dist-info|data)$/.test(first)) return [];
    if (rest.length > 0) return /\.(?:py|so)$/.test(inner) ? [first] : [];
    return /\.(?:py|so)$/.test(first) ? [first.split('.')[0]!] : [];
  });
  return [...new Set(found)].filter((name) => /^[\p{L}_][\p{L}\p{N}_]*$/u.test(name));
}
