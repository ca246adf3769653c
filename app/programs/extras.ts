/**
 * Extras of a run, beside the program's text: packages that the visitor keeps, our packages that
 * few programs import, and the files that it opens: the visitor's, else the gallery's.
 */
import type { ProgramFiles } from '../events';
import { topModules } from '../open/imports';
import { SITE_FILES } from '../siteFiles';
import { useDocument } from '../state/document';
import { NAMED } from '../state/runExtras';
import type { RunData, RunExtras } from '../workers/protocol';
import { notify } from './notices';

/** Files of the visitor's by name, while this page is open: they can be larger than storage. */
const given = new Map<string, Uint8Array<ArrayBuffer>>();

/** Files that were dropped: programs that name one in a string get it. */
export async function giveData(files: readonly File[]): Promise<void> {
  for (const file of files) given.set(file.name, new Uint8Array(await file.arrayBuffer()));
  const names = files.map(({ name }) => name).join(', ');
  notify({
    text: `Programs that open ${names} by name get ${files.length > 1 ? 'them' : 'it'}, until this page is closed.`,
  });
}

/** Modules whose import brings `onDemand.ts`, beside those that are named (`NAMED`). */
const ON_DEMAND: ReadonlySet<string> = new Set(['safetensors', 'matplotlib']);

/** @param packages whether packages are kept. */
export async function extrasFor(
  files: ProgramFiles,
  entry: string,
  packages: boolean,
): Promise<RunExtras> {
  const python = Object.entries(files).flatMap(([name, text]) =>
    name.endsWith('.py') ? [text] : [],
  );
  const wheels = packages ? await (await import('../packages/forRun')).wheelsFor(files, entry) : [];
  // A package may import any of them.
  const imported =
    wheels.length > 0 ||
    python.some(
      (text) => NAMED.test(text) || [...topModules(text)].some((name) => ON_DEMAND.has(name)),
    );
  const data = await dataFor(files, python.join('\n'));
  return {
    ...(wheels.length > 0 ? { wheels } : {}),
    ...(data.length > 0 ? { data } : {}),
    ...(imported ? { modules: (await import('../python/onDemand')).ON_DEMAND } : {}),
  };
}

/** Files that the text names in a string, unless the program has its own of that name. */
async function dataFor(files: ProgramFiles, text: string): Promise<RunData[]> {
  const { examples } = useDocument.getState();
  const gallery = examples.flatMap(({ data = [] }) => data);
  const data: RunData[] = [];
  for (const name of new Set([...given.keys(), ...gallery])) {
    if (Object.hasOwn(files, name) || !namesFile(text, name)) continue;
    const bytes = given.get(name) ?? (await fetchData(name));
    if (bytes) data.push({ name, bytes });
  }
  return data;
}

const namesFile = (text: string, name: string): boolean =>
  text.includes(`"${name}"`) || text.includes(`'${name}'`);

/** A file of the gallery; null where the network is gone: the program's own error names it. */
async function fetchData(name: string): Promise<Uint8Array<ArrayBuffer> | null> {
  const response = await fetch(`${import.meta.env.BASE_URL}${SITE_FILES.examples}${name}`).catch(
    () => null,
  );
  // A static host may answer a missing file with its index page.
  if (!response?.ok || (response.headers.get('content-type') ?? '').includes('text/html'))
    return null;
  return new Uint8Array(await response.arrayBuffer());
}
