/** The layouts of the specialization in view, and what the panel shows of them. */
import { useEffect } from 'react';
import { create } from 'zustand';
import type { Coalescing } from '../../../compiler/inspect/coalescing';
import type { LayoutReport, TileReport } from '../../../compiler/inspect/layouts';
import type { CompileRequest } from '../../../compiler/program';
import { registerSlice } from '../../share/slices';
import { useCompilation } from '../../state/compilation';
import { inspectHost } from '../../workers/inspectHost';
import type { Chosen } from '../memory/LaunchBar';

export interface LayoutState {
  readonly of: CompileRequest | null;
  readonly report: LayoutReport | null;
  readonly failure: string | null;
  /** The tile in view, by its printed name: that survives a recompile. */
  readonly tile: string | null;
  readonly search: string;
  readonly coalescing: readonly Coalescing[] | null;
  readonly coalescingOf: Chosen | null;
  /** Why nothing is counted. */
  readonly uncounted: string | null;
  /** Index of the access that is drawn. */
  readonly access: number;
  /** Index of the exchange that is drawn. */
  readonly exchange: number;
}

export const useLayout = create<LayoutState>(() => ({
  of: null,
  report: null,
  failure: null,
  tile: null,
  search: '',
  coalescing: null,
  coalescingOf: null,
  uncounted: null,
  access: 0,
  exchange: 0,
}));

let wanted: CompileRequest | null = null;
let asking = false;

async function follow(): Promise<void> {
  if (asking) return;
  asking = true;
  try {
    for (let request = wanted; request !== useLayout.getState().of; request = wanted) {
      const report = request && (await inspectHost().ask({ kind: 'layouts', request }));
      useLayout.setState({ of: request, report, failure: null });
    }
  } catch (error) {
    const failure = error instanceof Error ? error.message : String(error);
    useLayout.setState({ of: wanted, report: null, failure });
  } finally {
    asking = false;
  }
}

/** Follows the text, as the passes do: whenever the compiler has a new result. */
export function useLayouts(): void {
  const inView = useCompilation((state) => state.inView);
  const result = useCompilation((state) => state.result);
  const request = result?.kind === 'compiled' ? (inView?.request ?? null) : null;
  useEffect(() => {
    wanted = request;
    void follow();
  }, [request]);
}

/** Counts the segments that the accesses of one program touch. */
export function useCoalescing(chosen: Chosen | null): void {
  const launch = chosen?.launch;
  const [x, y, z] = chosen?.program ?? [0, 0, 0];
  useEffect(() => {
    if (!launch) return;
    const of: Chosen = { launch, program: [x, y, z] };
    let current = true;
    void inspectHost()
      .askOf(launch, { kind: 'coalescing', program: of.program })
      .then(
        (answer) => {
          if (!current) return;
          useLayout.setState(
            'refused' in answer
              ? { coalescing: null, coalescingOf: of, uncounted: answer.refused }
              : {
                  coalescing: answer.accesses,
                  coalescingOf: of,
                  uncounted: answer.end.kind === 'failed' ? answer.end.message : null,
                },
          );
        },
        (error: unknown) => useLayout.setState({ coalescing: null, uncounted: String(error) }),
      );
    return () => {
      current = false;
    };
  }, [launch, x, y, z]);
}

/** The tile chosen; else the first that a load makes, else the first. */
export function tileInView(tiles: readonly TileReport[], name: string | null): TileReport | null {
  return (
    tiles.find((tile) => tile.name === name) ??
    tiles.find((tile) => tile.from === 'tt.load') ??
    tiles[0] ??
    null
  );
}

registerSlice('layout', {
  get: () => {
    const { tile } = useLayout.getState();
    return tile === null ? null : { tile };
  },
  set: (value) => {
    if (typeof value !== 'object' || value === null || !('tile' in value)) return;
    if (typeof value.tile === 'string') useLayout.setState({ tile: value.tile });
  },
});
