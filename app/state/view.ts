/**
 * View of the visitor: panels (two of them where the right side is split), specialization in view,
 * which half on small screens, the dialog that is open. The page never leaves a tab that
 * the visitor chose after pressing Run.
 */
import { create } from 'zustand';
import { storeOfProgram } from './ofProgram';
import { load, loadJson, save, saveJson } from './storage';

/** In the order of their tabs and of Alt+1, Alt+2, …; what each is, `panels/registry.tsx` says. */
export const PANELS = [
  'output',
  'compare',
  'timing',
  'passes',
  'wgsl',
  'memory',
  'layout',
  'debugger',
  'prove',
] as const;
export type PanelName = (typeof PANELS)[number];
/** The right side has one group of tabs, or two. */
export type GroupName = 'first' | 'second';
export type SplitDirection = 'right' | 'below';
/** One dialog at a time, over the page; the settings hang on their button. */
export type DialogName =
  | 'palette'
  | 'help'
  | 'privacy'
  | 'share'
  | 'programs'
  | 'open'
  | 'packages'
  | 'trace'
  | 'gallery'
  | 'history'
  | 'settings'
  | 'real-triton';

/** Which compiled form of which kernel the whole page speaks of. */
export interface SpecializationChoice {
  readonly kernel: string;
  /** A key of the last run; null for the guess from the text. */
  readonly key: string | null;
}

export interface ViewState {
  readonly panel: PanelName;
  /** The panel of the second group; null where the right side is not split. Never the first's. */
  readonly second: PanelName | null;
  /** The only panels of an embedded page; null where all are offered. */
  readonly only: readonly PanelName[] | null;
  readonly splitDirection: SplitDirection;
  /** The group that a chosen panel comes into. */
  readonly group: GroupName;
  readonly dialog: DialogName | null;
  /** The visitor chose the panel since the last Run. */
  readonly chosen: boolean;
  /** Who chose the first group's panel, of whenever on this page; null where the page did. */
  readonly choice: 'visitor' | 'link' | null;
  /** The lesson only where there is one. */
  readonly half: 'lesson' | 'editor' | 'results';
  readonly problemsOpen: boolean;
  /** The diagnostic code whose page the problems show. */
  readonly explained: string | null;
}

export const isPanel = (value: unknown): value is PanelName =>
  PANELS.some((name) => name === value);

interface KeptSplit {
  readonly second: PanelName | null;
  readonly direction: SplitDirection;
}
function isKeptSplit(value: unknown): value is KeptSplit {
  if (typeof value !== 'object' || value === null) return false;
  const { second, direction } = value as Record<string, unknown>;
  return (second === null || isPanel(second)) && (direction === 'right' || direction === 'below');
}
const keptPanel = load('panel');
const first = isPanel(keptPanel) ? keptPanel : 'output';
const kept = loadJson<KeptSplit>('split', { second: null, direction: 'below' }, isKeptSplit);

export const useView = create<ViewState>(() => ({
  panel: first,
  second: kept.second === first ? null : kept.second,
  only: null,
  splitDirection: kept.direction,
  group: 'first',
  dialog: null,
  chosen: false,
  choice: null,
  half: 'editor',
  problemsOpen: false,
  explained: null,
}));

/** Shows what a diagnostic's code means. */
export function explain(code: string): void {
  useView.setState({ explained: code, problemsOpen: true });
}

/** In this group; one that stands in the other changes places with this group's. */
function place(state: ViewState, panel: PanelName, group: GroupName): Partial<ViewState> {
  const { panel: first, second } = state;
  if (second === null) return { panel, group: 'first' };
  if (group === 'first') return { panel, second: panel === second ? first : second, group };
  return { second: panel, panel: panel === first ? second : first, group };
}
function keep(): void {
  const { panel, second, splitDirection: direction } = useView.getState();
  save('panel', panel);
  saveJson('split', { second, direction } satisfies KeptSplit);
}

/**
 * The visitor's own choice: into the group named, or where it is in view already, or was last
 * chosen.
 */
export function choosePanel(panel: PanelName, group?: GroupName): void {
  const state = useView.getState();
  const shown = panel === state.panel ? 'first' : panel === state.second ? 'second' : null;
  const change = place(state, panel, group ?? shown ?? state.group);
  useView.setState({ ...change, chosen: true, choice: 'visitor', half: 'results' });
  keep();
}

const INTO_LAUNCHES: readonly PanelName[] = ['memory', 'layout', 'debugger'];
/** The page's suggestion: taken only where the visitor has not chosen since Run. */
export function suggestPanel(panel: PanelName): void {
  const state = useView.getState();
  if (state.chosen || state.panel === panel || state.second === panel) return;
  // A view into launches shows the next one.
  if (INTO_LAUNCHES.includes(state.panel)) return;
  useView.setState({ panel, choice: null });
}

/** Results of the last run to show. */
export interface Shown {
  readonly comparisons: boolean;
  readonly timings: boolean;
  /** There was a run before: the visitor knows where the output is. */
  readonly before: boolean;
}
/**
 * The page's suggestion after a run in which nothing is wrong: its output. Who tunes with the times
 * in view, or mends a comparison, sees the new ones there; another chosen panel stays.
 */
export function settlePanel(shown: Shown): void {
  const { panel, choice } = useView.getState();
  const filled =
    panel === 'compare' ? shown.comparisons : panel === 'timing' ? shown.timings : null;
  const stays = filled ?? (choice === 'link' || (choice === 'visitor' && shown.before));
  if (!stays) suggestPanel('output');
}

/**
 * Splits the right side, or turns its split; the new group shows the panel named or a fitting one.
 */
export function split(direction: SplitDirection, panel?: PanelName): void {
  const state = useView.getState();
  const other = PANELS.find((name) => name !== state.panel) ?? 'output';
  const fitting = state.panel === 'passes' ? 'wgsl' : state.panel === 'wgsl' ? 'passes' : other;
  const wanted = panel ?? state.second ?? fitting;
  useView.setState({
    second: wanted === state.panel ? fitting : wanted,
    splitDirection: direction,
    group: 'second',
  });
  keep();
}
export function unsplit(): void {
  const { group, panel, second } = useView.getState();
  useView.setState({
    second: null,
    group: 'first',
    panel: group === 'second' ? (second ?? panel) : panel,
  });
  keep();
}

export function openDialog(dialog: DialogName | null): void {
  useView.setState({ dialog });
}

/** The choice of the program in view; null: the first kernel there is. */
export const useSpecialization = storeOfProgram<{ readonly choice: SpecializationChoice | null }>({
  choice: null,
});

export function chooseSpecialization(choice: SpecializationChoice | null): void {
  useSpecialization.setState({ choice });
}
