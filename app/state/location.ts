/**
 * The selected location: one choice for the whole page. A line selected in one pane is lit in all
 * others, and they scroll to it; the pane that selected it stays where it is.
 */
import { storeOfProgram } from './ofProgram';

/** Origin of a selected location. `run`: the page itself, for the first error of a run. */
export type LocationSource =
  | 'editor'
  | 'passes'
  | 'wgsl'
  | 'layout'
  | 'memory'
  | 'debugger'
  | 'output'
  | 'compare'
  | 'timing'
  | 'problems'
  | 'prove'
  | 'link'
  | 'run';

export interface SelectedLocation {
  /** A key of the program's files. */
  readonly file: string;
  /** 1-based. */
  readonly line: number;
  readonly from: LocationSource;
  /**
   * Set where the visitor asked to be taken there: the editor shows the file and puts its cursor
   * there.
   */
  readonly column?: number;
}

export interface LocationState {
  readonly selected: SelectedLocation | null;
}

export const useLocation = storeOfProgram<LocationState>({ selected: null });

export function select(location: SelectedLocation | null): void {
  const old = useLocation.getState().selected;
  const same =
    old?.file === location?.file && old?.line === location?.line && old?.from === location?.from;
  // Asking to be taken to the same place again is meant: the cursor may have moved since.
  if (same && location?.column === undefined) return;
  useLocation.setState({ selected: location });
}
