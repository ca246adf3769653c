/**
 * What the visitor looks at: panel, specialization in view, which half on small screens.
 * The page never leaves a tab that the visitor chose after pressing Run.
 */
import { create } from 'zustand';
import { load, save } from './storage';

export const PANELS = ['output', 'compare', 'timing', 'passes', 'wgsl'] as const;
export type PanelName = (typeof PANELS)[number];

/** Which compiled form of which kernel the whole page speaks of. */
export interface SpecializationChoice {
  readonly kernel: string;
  /** A key of the last run; null for the guess from the text. */
  readonly key: string | null;
}

export interface ViewState {
  readonly panel: PanelName;
  /** The visitor chose the panel since the last Run. */
  readonly chosen: boolean;
  /** Null: the first kernel there is. */
  readonly specialization: SpecializationChoice | null;
  readonly half: 'editor' | 'results';
  readonly problemsOpen: boolean;
  /** The page opened the problems, for an error; so it closes them with the next run. */
  readonly problemsOffered: boolean;
  /** The diagnostic code whose page the problems show. */
  readonly explained: string | null;
}

function initialPanel(): PanelName {
  const kept = load('panel');
  return PANELS.find((name) => name === kept) ?? 'output';
}

export const useView = create<ViewState>(() => ({
  panel: initialPanel(),
  chosen: false,
  specialization: null,
  half: 'editor',
  problemsOpen: false,
  problemsOffered: false,
  explained: null,
}));

/** Shows what a diagnostic's code means. */
export function explain(code: string): void {
  useView.setState({ explained: code, problemsOpen: true, problemsOffered: false });
}

/** The visitor's own choice. */
export function choosePanel(panel: PanelName): void {
  save('panel', panel);
  useView.setState({ panel, chosen: true, half: 'results' });
}

/** The page's suggestion: taken only where the visitor has not chosen since Run. */
export function suggestPanel(panel: PanelName): void {
  if (!useView.getState().chosen) useView.setState({ panel });
}

/** Opens the problems for an error, where they are not open already. */
export function offerProblems(): void {
  const { chosen, problemsOpen } = useView.getState();
  if (!chosen && !problemsOpen) useView.setState({ problemsOpen: true, problemsOffered: true });
}

export function withdrawProblems(): void {
  if (useView.getState().problemsOffered)
    useView.setState({ problemsOpen: false, problemsOffered: false });
}

export function chooseSpecialization(specialization: SpecializationChoice | null): void {
  useView.setState({ specialization });
}
