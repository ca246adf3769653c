/**
 * State of the memory panel for the launch in view, and its open requests to the inspect worker.
 */
import { useEffect } from 'react';
import type { LaunchInputs } from '../../../compiler/inspect/launch';
import type { MemoryReport } from '../../../compiler/inspect/memoryMap';
import type { RaceReport } from '../../../compiler/inspect/races';
import { MOST_RACING } from '../common/RaceSummary';
import { registerSlice } from '../../share/slices';
import { useInputs } from '../../state/inputs';
import { programInView, storeOfProgram, type StateOf } from '../../state/ofProgram';
import { inspectHost } from '../../workers/inspectHost';
import type { Chosen } from './LaunchBar';

export interface MemoryState {
  /** Launch and program of `report`, which is shown while the next one is computed. */
  readonly of: Chosen | null;
  readonly report: (MemoryReport & { readonly contents: boolean }) | null;
  readonly refused: string | null;
  /** Index of the parameter whose tensor is drawn; null: the first that is touched. */
  readonly tensor: number | null;
  /** Index of the access that is shown alone. */
  readonly access: number | null;
  /** Execution of that access in its loop; null: all. */
  readonly execution: number | null;
  readonly races: RaceReport | null;
  readonly racesOf: LaunchInputs | null;
  readonly looking: boolean;
}

export const useMemory = storeOfProgram<MemoryState>({
  of: null,
  report: null,
  refused: null,
  tensor: null,
  access: null,
  execution: null,
  races: null,
  racesOf: null,
  looking: false,
});

let wanted: { readonly program: string; readonly of: Chosen } | null = null;
let requesting = false;

/** Requests the newest choice only: a slider makes many. */
async function follow(): Promise<void> {
  if (requesting) return;
  requesting = true;
  try {
    for (let asked = wanted; asked; asked = asked === wanted ? null : wanted)
      await report(useMemory.of(asked.program), asked.of);
  } finally {
    requesting = false;
  }
}

async function report(store: StateOf<MemoryState>, of: Chosen): Promise<void> {
  if (of === store.getState().of) return;
  const { launch, program } = of;
  try {
    const answer = await inspectHost().askOf(launch, { kind: 'memory', program });
    const old = store.getState();
    store.setState({
      of,
      ...('refused' in answer
        ? { report: null, refused: answer.refused }
        : { report: answer, refused: null }),
      ...(old.of?.launch === launch ? {} : { access: null, execution: null, tensor: null }),
      ...(old.racesOf === launch ? {} : { races: null, racesOf: null }),
    });
  } catch (error) {
    const refused = error instanceof Error ? error.message : String(error);
    store.setState({ of, report: null, refused });
  }
}

/** Keeps the report at the launch and program chosen, while somebody looks at it. */
export function useReport(chosen: Chosen | null): void {
  const launch = chosen?.launch;
  const [x, y, z] = chosen?.program ?? [0, 0, 0];
  useEffect(() => {
    if (!launch) return;
    const { of } = useMemory.getState();
    const same = of?.launch === launch && of.program.join() === [x, y, z].join();
    wanted = { program: programInView(), of: same ? of : { launch, program: [x, y, z] } };
    void follow();
  }, [launch, x, y, z]);
}

export async function lookForRaces(launch: LaunchInputs): Promise<void> {
  const [x, y, z] = launch.grid;
  const store = useMemory.of(programInView());
  store.setState({ looking: true });
  try {
    const end = Math.min(x * y * z, MOST_RACING);
    const races = await inspectHost().askOf(launch, { kind: 'races', first: 0, end });
    if ('refused' in races) store.setState({ refused: races.refused });
    else store.setState({ races, racesOf: launch });
  } catch (error) {
    store.setState({ refused: error instanceof Error ? error.message : String(error) });
  } finally {
    store.setState({ looking: false });
  }
}

registerSlice('memory', {
  get: () => {
    const { program } = useInputs.getState();
    return program.every((at) => at === 0) ? null : { program };
  },
  set: (value) => {
    if (typeof value !== 'object' || value === null || !('program' in value)) return;
    const { program } = value;
    if (!Array.isArray(program) || program.length !== 3) return;
    if (!program.every((at) => typeof at === 'number' && Number.isInteger(at) && at >= 0)) return;
    useInputs.setState({ program: program as unknown as [number, number, number] });
  },
});
