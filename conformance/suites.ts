/** The files of each suite: what its workers import, and what is collected. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Suite } from './protocol';

/** A module above this size is data. */
const LARGEST_MODULE = 2_000_000;

/** Our modules, beside the tests. The first is the program of a worker. */
const OWN: Readonly<Record<Suite, readonly [string, ...string[]]>> = {
  triton: [
    'conformance_driver.py',
    'conformance_jobs.py',
    'conformance_fixtures.py',
    'scipy/__init__.py',
    'scipy/stats.py',
  ],
  helion: ['conformance_helion.py', 'conformance_jobs.py', 'conformance_helion_names.py'],
  kernels: ['conformance_kernels.py', 'conformance_jobs.py', 'conformance_packages.py'],
};

export function driverOf(suite: Suite): string {
  return OWN[suite][0];
}

/** The modules of the suite's folder and ours, by path. */
export function programFiles(suite: Suite, tests: string, root: string): Record<string, string> {
  const files: Record<string, string> = {};
  if (suite === 'helion') {
    read(files, tests, 'test', /\.(py|expected)$/);
    read(files, tests, 'examples', /\.py$/);
  } else if (suite === 'kernels') {
    read(files, tests, '', /\.py$|(^|\/)specializations\.json$/);
  } else {
    for (const name of readdirSync(tests))
      if (name.endsWith('.py')) files[name] = readFileSync(join(tests, name), 'utf8');
  }
  const own = join(root, 'conformance', 'python');
  for (const name of OWN[suite]) files[name] = readFileSync(join(own, name), 'utf8');
  return files;
}

function read(files: Record<string, string>, root: string, folder: string, wanted: RegExp): void {
  for (const name of readdirSync(join(root, folder))) {
    const path = folder === '' ? name : `${folder}/${name}`;
    const facts = statSync(join(root, path), { throwIfNoEntry: false });
    if (facts?.isDirectory()) read(files, root, path, wanted);
    else if (facts?.isFile() && wanted.test(path) && facts.size <= LARGEST_MODULE)
      files[path] = readFileSync(join(root, path), 'utf8');
  }
}

/** Names to collect: Helion's journals with printed Triton, or a folder's packages. */
export function filesOf(suite: 'helion' | 'kernels', folder: string): string[] {
  const names = readdirSync(suite === 'helion' ? join(folder, 'test') : folder).sort();
  if (suite === 'kernels')
    return names.filter((name) => statSync(join(folder, name)).isDirectory());
  return names
    .filter((name) => name.endsWith('.expected'))
    .filter((name) => readFileSync(join(folder, 'test', name), 'utf8').includes('@triton.jit'))
    .map((name) => name.replace(/\.expected$/, '.py'));
}
