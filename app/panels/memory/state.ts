/** What the memory panel shows of the launch in view, and what it has asked of the inspect worker. */
import { useEffect } from 'react';
import { create } from 'zustand';
import type { LaunchInputs } from '../../../compiler/inspect/launch';
import type { MemoryReport } from '../../../compiler/inspect/memoryMap';
import type { RaceReport } from '../../../compiler/inspect/races';
import { registerSlice } from '../../share/slices';
import { useInputs } from '../../state/inputs';
import { inspectHost } from '../../workers/inspectHost';
import type { Chosen } from './LaunchBar';

export interface MemoryState {
  /** Of which launch and program; what is shown while the next one is computed. */
  readonly of: Chosen | null;
  readonly report: (MemoryReport & { readonly contents: boolean }) | null;
  readonly refused: string | null;
  /** Index of the parameter whose tensor is drawn; null: the first that is touched. */
  readonly tensor: number | null;
  /** Index of the access that is shown alone. */
  readonly access: number | null;
  /** Of that access; null: all. */
  readonly execution: number | null;
  readonly races: RaceReport | null;
  readonly racesOf: LaunchInputs | null;
  readonly looking: boolean;
}

export const useMemory = create<MemoryState>(() => ({
  of: null,
  report: null,
  refused: null,
  tensor: null,
  access: null,
  execution: null,
  races: null,
  racesOf: null,
  looking: false,
}));

let wanted: Chosen | null = null;
let asking = false;

/** Asks for the newest choice only: a slider makes many. */
async function follow(): Promise<void> {
  if (asking) return;
  asking = true;
  try {
    for (let of = wanted; of && of !== useMemory.getState().of; of = wanted) {
      const { launch, program } = of;
      const answer = await inspectHost().askOf(launch, { kind: 'memory', program });
      const old = useMemory.getState();
      const same = old.of?.launch === launch;
      useMemory.setState({
        of,
        ...('refused' in answer
          ? { report: null, refused: answer.refused }
          : { report: answer, refused: null }),
        ...(same ? {} : { access: null, execution: null, tensor: null }),
        ...(old.racesOf === launch ? {} : { races: null, racesOf: null }),
      });
    }
  } catch (error) {
    const refused = error instanceof Error ? error.message : String(error);
    useMemory.setState({ of: wanted, report: null, refused });
  } finally {
    asking = false;
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
    wanted = same ? of : { launch, program: [x, y, z] };
    void follow();
  }, [launch, x, y, z]);
}

/** Programs that are run to look for races. */
export const MOST_RACING = 1024;

export async function lookForRaces(launch: LaunchInputs): Promise<void> {
  const [x, y, z] = launch.grid;
  useMemory.setState({ looking: true });
  try {
    const end = Math.min(x * y * z, MOST_RACING);
    const races = await inspectHost().askOf(launch, { kind: 'races', first: 0, end });
    if ('refused' in races) useMemory.setState({ refused: races.refused });
    else useMemory.setState({ races, racesOf: launch });
  } catch (error) {
    useMemory.setState({ refused: error instanceof Error ? error.message : String(error) });
  } finally {
    useMemory.setState({ looking: false });
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
