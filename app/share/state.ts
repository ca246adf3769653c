/**
 * The page as a link, and a link as the page. Opening one runs nothing and overwrites nothing: its
 * program opens beside the visitor's own, and its settings hold for this page only.
 */
import { add } from '../programs/programs';
import { loadKept } from '../programs/kept';
import { notify } from '../programs/notices';
import { currentOptions, useCompilation } from '../state/compilation';
import { sameFiles, show, useDocument } from '../state/document';
import { select, useLocation } from '../state/location';
import { programInView } from '../state/ofProgram';
import { useRun } from '../state/run';
import { useSession } from '../state/session';
import { effectiveSettings, useLinked, type Settings } from '../state/settings';
import { chooseSpecialization, isPanel, useView } from '../state/view';
import { decode, encode, fnv1a } from './codec';
import type { Shared } from './shared';
import { readSlices, writeSlices } from './slices';
import type { Embed } from './embed';

/** Content of a link to this moment. */
export function currentShared(): Shared {
  const { name, entry, files } = useDocument.getState();
  const { panel, second, splitDirection } = useView.getState();
  const { seed, adapter, memoryCap, check, tune } = effectiveSettings();
  const { inView, kernels } = useCompilation.getState();
  const { selected } = useLocation.getState();
  const ran = useRun.getState().record?.specializations ?? [];
  const options = currentOptions().filter((option) => option.kernel === inView?.kernel);
  const place = options.findIndex((option) => option.key === inView?.key);
  return {
    name,
    entry,
    files,
    run: {
      ...(seed > 0 ? { seed } : {}),
      ...(adapter === 'interpreter' ? { adapter } : {}),
      ...(memoryCap === 'auto' ? {} : { memoryCap }),
      ...(check ? { check } : {}),
      ...(tune ? { tune } : {}),
    },
    view: {
      ...(panel === 'output' && second === null ? {} : { panel }),
      ...(second === null ? {} : { second }),
      ...(second !== null && splitDirection === 'right' ? { direction: 'right' } : {}),
      ...(inView && (place > 0 || kernels[0]?.name !== inView.kernel)
        ? { kernel: inView.kernel }
        : {}),
      ...(ran.length > 0 && place > 0 ? { specialization: place } : {}),
      ...(selected && selected.from !== 'run'
        ? { line: { file: selected.file, line: selected.line } }
        : {}),
    },
    panels: readSlices(),
  };
}

/** The page's own address, without the hash. */
export function pageAddress(): string {
  return location.origin + location.pathname;
}

export type Linked = { readonly link: string } | { readonly link: null; readonly reason: string };

/** A link to it, or a sentence with the reason why there is none. */
export function linkTo(shared: Shared, query = ''): Linked {
  try {
    return { link: `${pageAddress()}#/s/${encode(shared)}${query}` };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { link: null, reason: `There is no link to this program: ${reason}.` };
  }
}

/** Shows what the link has in view; what a fresh page would show where it says nothing. */
function showView(shared: Shared): void {
  const { panel, second, direction, kernel, specialization, line } = shared.view ?? {};
  const first = isPanel(panel) ? panel : 'output';
  useView.setState({
    panel: first,
    second: isPanel(second) && second !== first ? second : null,
    splitDirection: direction ?? 'below',
    group: 'first',
    // As if the visitor had chosen: the first run does not lead elsewhere.
    chosen: isPanel(panel),
    choice: isPanel(panel) ? 'link' : null,
  });
  if (line) select({ ...line, from: 'link' });
  writeSlices(shared.panels ?? {});
  if (kernel !== undefined) {
    chooseSpecialization({ kernel, key: null });
    if (specialization !== undefined) chooseAfterRun(kernel, specialization);
  }
}

/** The specialization of the link is known by its place among those that ran, once they ran. */
function chooseAfterRun(kernel: string, place: number): void {
  const program = programInView();
  const stop = useSession.subscribe((state, old) => {
    if (state.running !== null || old.running?.program !== program) return;
    stop();
    if (program !== programInView()) return;
    const option = currentOptions().filter((one) => one.kernel === kernel)[place];
    if (option) chooseSpecialization({ kernel, key: option.key });
  });
}

function linkedSettings(shared: Shared): Partial<Settings> {
  const { run = {} } = shared;
  const { seed = 0, adapter = 'webgpu', memoryCap = 'auto', check = false, tune = false } = run;
  return { seed, adapter, memoryCap, check, tune };
}

/**
 * An id of its own for each link, so that opening it twice is one program while nobody edits it.
 */
async function idFor(shared: Shared, payload: string): Promise<{ id: string; known: boolean }> {
  const base = `link:${fnv1a(new TextEncoder().encode(payload)).toString(36)}`;
  for (let count = 1; ; count++) {
    const id = count === 1 ? base : `${base}-${count}`;
    const kept = await loadKept(id);
    if (!kept) return { id, known: false };
    if (sameFiles(kept.files, shared.files)) return { id, known: true };
  }
}

/**
 * Opens the link of the address. @returns whether it could be; why not is said on the page.
 * @param embed where the page is embedded, so that nothing is kept.
 */
export async function openLink(payload: string, embed: Embed | null = null): Promise<boolean> {
  const decoded = decode(payload);
  if (!decoded.ok) {
    notify({ text: `This link cannot be opened: ${decoded.reason}.` });
    return false;
  }
  const { shared } = decoded;
  const { name, entry, files } = shared;
  const origin = { kind: 'link', files } as const;
  const run = linkedSettings(shared);
  const mine = effectiveSettings();
  if (embed) show({ id: 'embedded', name, entry, files, origin }, files);
  else {
    const { id } = await idFor(shared, payload);
    await add(name, files, entry, origin, id);
  }
  useLinked.setState({ settings: run });
  showView(shared);
  const differs = Object.entries(run).some(([key, value]) => mine[key as keyof Settings] !== value);
  if (!embed)
    notify({
      untilRun: true,
      text: differs
        ? 'Opened from a link as a new program, with the link’s settings. Nothing ran yet.'
        : 'Opened from a link as a new program. Nothing ran yet.',
      ...(differs
        ? {
            action: {
              label: 'Use my settings',
              run: () => useLinked.setState({ settings: null }),
            },
          }
        : {}),
    });
  return true;
}
