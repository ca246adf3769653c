/**
 * Names of the Python packages, for the editor's completion and hovers: signatures and
 * documentation, asked of the packages themselves in a Python of our own when the page is built.
 * Kept beside other caches until a package changes.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Api } from '../../compiler/language/api.ts';
import { startPython } from './pythonSnapshot.ts';

const ROOT = '/lib/hippocamp';

/** The packages' text by path, without what tests compare with. */
function packages(root: string): Record<string, string> {
  const folder = join(root, 'app', 'python');
  const found: Record<string, string> = {};
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(folder.length + 1).replaceAll('\\', '/');
    if (entry.isFile() && name.endsWith('.py') && !name.startsWith('testdata/'))
      found[name] = readFileSync(path, 'utf8');
  }
  return found;
}

export async function pythonApi(root: string): Promise<Api> {
  return JSON.parse(await pythonApiText(root)) as Api;
}

/** As JSON. */
export async function pythonApiText(root: string): Promise<string> {
  const files = packages(root);
  const script = readFileSync(join(root, 'app', 'cli', 'pythonApi.py'), 'utf8');
  const key = createHash('sha256').update(script).update(JSON.stringify(files)).digest('hex');
  const cache = join(root, 'node_modules', '.cache', 'hippocamp');
  const file = join(cache, `api-${key.slice(0, 16)}.json`);
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // Not made yet.
  }
  const text = await ask(root, files, script);
  try {
    mkdirSync(cache, { recursive: true });
    writeFileSync(`${file}.${process.pid}`, text);
    renameSync(`${file}.${process.pid}`, file);
  } catch {
    // A read-only checkout.
  }
  return text;
}

async function ask(root: string, files: Record<string, string>, script: string): Promise<string> {
  const pyodide = await startPython(root);
  for (const [path, text] of Object.entries(files)) {
    const full = `${ROOT}/${path}`;
    pyodide.FS.mkdirTree(full.slice(0, full.lastIndexOf('/')));
    pyodide.FS.writeFile(full, text);
  }
  // Importing requests nothing of the page; a later request would fail loudly.
  const absent = new Proxy({}, { get: (_, name) => (name === 'then' ? undefined : () => '{}') });
  pyodide.registerJsModule('_hippocamp', absent);
  pyodide.registerJsModule('_hippocamp_numerics', absent);
  return pyodide.runPython(`import sys
sys.path.insert(0, ${JSON.stringify(ROOT)})
${script}
describe()`) as string;
}
