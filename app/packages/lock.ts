/** Pyodide's lock file: which packages its index has, by the modules that they bring. */
import { SITE_FILES } from '../siteFiles';
import { normalized, type Platform } from './wheel';

export interface LockPackage {
  readonly name: string;
  readonly version: string;
  readonly fileName: string;
  readonly sha256: string;
  readonly depends: readonly string[];
  readonly imports: readonly string[];
  /** A wheel; others are libraries that programs of C share. */
  readonly isWheel: boolean;
}
export interface Lock {
  readonly platform: Platform;
  /** By normalized name. */
  readonly packages: ReadonlyMap<string, LockPackage>;
  readonly byImport: ReadonlyMap<string, LockPackage>;
}

/** Set by the bundler: where the packages lie, an address or a folder of the host. */
declare const HIPPOCAMP_INDEX: string | undefined;

/** Address of the index, with a slash at its end. */
export const indexAddress = (base: string): string =>
  new URL(typeof HIPPOCAMP_INDEX === 'string' ? HIPPOCAMP_INDEX : 'packages/', base).href;

interface LockJson {
  readonly info: { readonly abi_version: string; readonly python: string };
  readonly packages: Readonly<
    Record<
      string,
      {
        readonly name: string;
        readonly version: string;
        readonly file_name: string;
        readonly sha256: string;
        readonly depends: readonly string[];
        readonly imports: readonly string[];
      }
    >
  >;
}

export function lockFrom(json: LockJson): Lock {
  const [major, minor] = json.info.python.split('.');
  const packages = new Map<string, LockPackage>();
  const byImport = new Map<string, LockPackage>();
  for (const each of Object.values(json.packages)) {
    const { file_name: fileName, name, version, sha256, depends, imports } = each;
    const isWheel = fileName.endsWith('.whl');
    const made = { name: normalized(name), version, fileName, sha256, depends, imports, isWheel };
    packages.set(made.name, made);
    for (const module of imports) if (!byImport.has(module)) byImport.set(module, made);
  }
  const platform = { abi: json.info.abi_version, python: `${major}${minor}` };
  return { platform, packages, byImport };
}

let loading: Promise<Lock> | null = null;
/** The lock file of this build, which Python's start has loaded already. */
export function loadLock(): Promise<Lock> {
  loading ??= fetch(new URL(`${SITE_FILES.pyodide}pyodide-lock.json`, document.baseURI))
    .then((response) => response.json() as Promise<LockJson>)
    .then(lockFrom);
  loading.catch(() => (loading = null));
  return loading;
}
