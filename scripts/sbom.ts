/**
 * The software bill of materials of the page, in CycloneDX 1.6 (ECMA-424): the packages that the
 * build may bundle, by the lock file, and CPython, which Pyodide holds. Nothing of it depends on
 * when or where it is made.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { shippedPackages, type Notice } from './notices.ts';

export const SBOM = 'sbom.cdx.json';

interface Component {
  readonly type: 'application' | 'library';
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
  readonly purl?: string;
  readonly licenses: readonly (
    { readonly license: { readonly id: string } } | { readonly expression: string }
  )[];
  readonly hashes?: readonly { readonly alg: 'SHA-512'; readonly content: string }[];
}
export interface Sbom {
  readonly bomFormat: 'CycloneDX';
  readonly specVersion: '1.6';
  readonly version: 1;
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

const json = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));
const licensesOf = (text: string): Component['licenses'] =>
  /^[\w.-]+$/.test(text) ? [{ license: { id: text } }] : [{ expression: text }];

/** A package URL: its slash stays, its `@` does not. */
const purlOf = ({ name, version }: Notice): string =>
  `pkg:npm/${name.replace('@', '%40')}@${version}`;

function componentOf(one: Notice): Component {
  const [, digest = ''] = /^sha512-(.*)$/.exec(one.integrity) ?? [];
  return {
    type: 'library',
    'bom-ref': one.path,
    name: one.name,
    version: one.version,
    purl: purlOf(one),
    licenses: licensesOf(one.license),
    ...(digest
      ? { hashes: [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }] }
      : {}),
  };
}

/** The path at which Node finds a package from another one's folder, from the inside out. */
function resolved(name: string, from: string, paths: ReadonlySet<string>): string | null {
  const steps = from === '' ? [] : from.split('/node_modules/');
  for (let length = steps.length; length >= 0; length--) {
    const folder = steps.slice(0, length).join('/node_modules/');
    const path = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (paths.has(path)) return path;
  }
  return null;
}

/** @param root of the repository. */
export function sbom(root: string): Sbom {
  const { name, version, license, dependencies } = json(join(root, 'package.json')) as {
    readonly name: string;
    readonly version: string;
    readonly license: string;
    readonly dependencies: Readonly<Record<string, string>>;
  };
  const lock = json(join(root, 'node_modules', 'pyodide', 'pyodide-lock.json')) as {
    readonly info: { readonly python: string };
  };
  const all = shippedPackages(root);
  const paths = new Set(all.map(({ path }) => path));
  const python: Component = {
    type: 'application',
    'bom-ref': 'cpython',
    name: 'cpython',
    version: lock.info.python,
    purl: `pkg:generic/cpython@${lock.info.python}`,
    licenses: licensesOf('PSF-2.0'),
  };
  const edges = (from: string, names: readonly string[]): string[] =>
    names.flatMap((each) => resolved(each, from, paths) ?? []).sort();
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': name,
        name,
        version,
        licenses: licensesOf(license),
      },
    },
    components: [...all.map(componentOf), python],
    dependencies: [
      { ref: name, dependsOn: edges('', Object.keys(dependencies)) },
      ...all.map((one) => ({
        ref: one.path,
        dependsOn: [
          ...edges(one.path, one.requires),
          ...(one.name === 'pyodide' ? [python['bom-ref']] : []),
        ],
      })),
    ],
  };
}

export const sbomText = (root: string): string => `${JSON.stringify(sbom(root), null, 1)}\n`;
