/** The layouts of the specialization in view, and what the panel shows of them. */
import { useEffect } from 'react';
import type { CoalescingReport, LaneView } from '../../../compiler/inspect/globalAccesses';
import type { LayoutReport, TileReport } from '../../../compiler/inspect/layouts';
import type { CompileRequest } from '../../../compiler/program';
import { registerSlice } from '../../share/slices';
import { useCompilation } from '../../state/compilation';
import { programInView, storeOfProgram } from '../../state/ofProgram';
import { inspectHost } from '../../workers/inspectHost';
import type { Chosen } from '../memory/LaunchBar';

export interface LayoutState {
  readonly of: CompileRequest | null;
  readonly report: LayoutReport | null;
  readonly failure: string | null;
  /** The tile in view, by its printed name: that survives a recompile. */
  readonly tile: string | null;
  readonly search: string;
  readonly coalescing: CoalescingReport | null;
  /** Whose lanes the visitor chose; null: the adapter's, unless they are too few. */
  readonly lanes: LaneView | null;
  /** Why nothing is counted. */
  readonly uncounted: string | null;
  /** Index of the access that is drawn. */
  readonly access: number;
  /** Index of the access to shared memory that is drawn. */
  readonly sharedAccess: number;
  /** A layout to draw beside the kernel's, and the shape of its tile; empty: its own. */
  readonly pasted: { readonly text: string; readonly shape: string };
}

export const useLayout = storeOfProgram<LayoutState>({
  of: null,
  report: null,
  failure: null,
  tile: null,
  search: '',
  coalescing: null,
  lanes: null,
  uncounted: null,
  access: 0,
  sharedAccess: 0,
  pasted: { text: '', shape: '' },
});

let wanted: { readonly program: string; readonly request: CompileRequest | null } | null = null;
let requesting = false;

async function follow(): Promise<void> {
  if (requesting) return;
  requesting = true;
  try {
    for (let asked = wanted; asked; asked = asked === wanted ? null : wanted) {
      const { program, request } = asked;
      const store = useLayout.of(program);
      if (request === store.getState().of) continue;
      try {
        const report = request && (await inspectHost().ask({ kind: 'layouts', request }));
        store.setState({ of: request, report, failure: null });
      } catch (error) {
        const failure = error instanceof Error ? error.message : String(error);
        store.setState({ of: request, report: null, failure });
      }
    }
  } finally {
    requesting = false;
  }
}

/** Follows the text, as the passes do: whenever the compiler has a new result. */
export function useLayouts(): void {
  const inView = useCompilation((state) => state.inView);
  const result = useCompilation((state) => state.result);
  const request = result?.kind === 'compiled' ? (inView?.request ?? null) : null;
  useEffect(() => {
    wanted = { program: programInView(), request };
    void follow();
  }, [request]);
}

/** Counts the segments that the accesses of one program touch. */
export function useCoalescing(chosen: Chosen | null): void {
  const launch = chosen?.launch;
  const [x, y, z] = chosen?.program ?? [0, 0, 0];
  const view = useLayout((state) => state.lanes);
  useEffect(() => {
    if (!launch) return;
    const store = useLayout.of(programInView());
    let current = true;
    void inspectHost()
      .askOf(launch, { kind: 'coalescing', program: [x, y, z], view })
      .then(
        (answer) => {
          if (!current) return;
          store.setState(
            'refused' in answer
              ? { coalescing: null, uncounted: answer.refused }
              : {
                  coalescing: answer,
                  uncounted: answer.end.kind === 'failed' ? answer.end.message : null,
                },
          );
        },
        (error: unknown) => store.setState({ coalescing: null, uncounted: String(error) }),
      );
    return () => {
      current = false;
    };
  }, [launch, x, y, z, view]);
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
    const { tile, lanes } = useLayout.getState();
    if (tile === null && lanes === null) return null;
    return { ...(tile === null ? {} : { tile }), ...(lanes === null ? {} : { lanes }) };
  },
  set: (value) => {
    if (typeof value !== 'object' || value === null) return;
    if ('tile' in value && typeof value.tile === 'string') useLayout.setState({ tile: value.tile });
    if ('lanes' in value && (value.lanes === 'own' || value.lanes === 'reference'))
      useLayout.setState({ lanes: value.lanes });
  },
});
