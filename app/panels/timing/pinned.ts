/** A run that the visitor pinned, to stand beside later ones. Kept in the browser, so it outlives a
 * reload. */
import { create } from 'zustand';
import type { BenchmarkEvent, RunRecord } from '../../state/record';
import { noteDeed } from '../../state/deeds';
import { loadJson, save, saveJson } from '../../state/storage';
import { spreadOf, type Spread } from './spread';

export interface PinnedRow {
  readonly kernel: string;
  readonly grid: readonly number[];
  readonly spread: Spread;
}
export interface Pinned {
  /** Milliseconds since the epoch. */
  readonly time: number;
  readonly adapter: string;
  readonly rows: readonly PinnedRow[];
  readonly charts: readonly Pick<BenchmarkEvent, 'name' | 'lines'>[];
}

const KEY = 'pinned-run';

function isPinned(value: unknown): value is Pinned {
  return typeof value === 'object' && value !== null && 'rows' in value && 'charts' in value;
}

export const usePinned = create<{ readonly pinned: Pinned | null }>(() => ({
  pinned: loadJson<Pinned | null>(KEY, null, isPinned),
}));

function set(pinned: Pinned | null): void {
  usePinned.setState({ pinned });
  if (pinned) saveJson(KEY, pinned);
  else save(KEY, null);
}

function pinnedOf(record: RunRecord, time: number): Pinned {
  return {
    time,
    adapter: record.adapter?.name ?? '',
    rows: record.groups.flatMap((group) => {
      const spread = spreadOf(group);
      const { kernel, grid } = group.first;
      return spread ? [{ kernel, grid, spread }] : [];
    }),
    charts: record.benchmarks.map(({ name, lines }) => ({ name, lines })),
  };
}

function note(text: string): void {
  const { pinned } = usePinned.getState();
  noteDeed({ text, undo: () => set(pinned) });
}

export function pin(record: RunRecord, time = Date.now()): void {
  note('Pinned a run');
  set(pinnedOf(record, time));
}
export function unpin(): void {
  note('Unpinned the run');
  set(null);
}

/**
 * The pinned row of each row now: of the same kernel and grid, else (a block size was tuned, so the grid
 * changed) the one of the same kernel in the same place of the order. None is used twice.
 */
export function matchRows(
  before: readonly PinnedRow[],
  now: readonly { readonly kernel: string; readonly grid: readonly number[] }[],
): (PinnedRow | null)[] {
  const left = [...before];
  const take = (fits: (row: PinnedRow) => boolean): PinnedRow | null => {
    const at = left.findIndex(fits);
    return at < 0 ? null : (left.splice(at, 1)[0] ?? null);
  };
  const exact = now.map(({ kernel, grid }) =>
    take((row) => row.kernel === kernel && row.grid.join() === grid.join()),
  );
  return exact.map((found, i) => found ?? take((row) => row.kernel === now[i]!.kernel));
}
