/**
 * Extras of a run beside the program's text: kept packages, packages of ours that few programs
 * import, data. Every run of a program gets them: a proof, a check and a trial import the same.
 */
import type { ProgramFiles } from '../events';
import type { RunExtras } from '../workers/protocol';
import { load as kept } from './storage';

/**
 * Names of packages of ours that go with the runs of programs that have them anywhere: an import
 * may stand in a string.
 */
export const NAMED = /_inductor|IPython|einops|helion|jaxtyping|pytest|triton_viz|tritonparse/;
/** Programs that get packages of ours with their run, or weights. */
const EXTRAS = new RegExp(`safetensors|matplotlib|${NAMED.source}`);

/** Storage names `packages` while some are kept (`app/packages`). */
export const mayHaveExtras = (files: ProgramFiles): boolean =>
  kept('packages') !== null || Object.values(files).some((text) => EXTRAS.test(text));

/** Reads them, before the run begins. */
export async function extrasOf(files: ProgramFiles, entry: string): Promise<RunExtras> {
  if (!mayHaveExtras(files)) return {};
  try {
    const { extrasFor } = await import('../programs/extras');
    return await extrasFor(files, entry, kept('packages') !== null);
  } catch (error) {
    // The program's imports and files say what is missing.
    console.debug('What goes with the run could not be read:', error);
    return {};
  }
}
