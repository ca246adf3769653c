/**
 * A run that the visitor pinned, to stand beside later ones of the same program. Kept in the
 * browser, so it outlives a reload; each program has its own.
 */
import { create } from 'zustand';
import type { BenchmarkEvent, RunRecord } from '../../state/record';
import { dictionary, list, number, object, oneOf, text, where } from '../../shapes/check';
import { line } from '../../shapes/events';
import { pushUndo } from '../../state/undoStack';
import { useDocument } from '../../state/document';
import { loadJson, saveJson } from '../../state/storage';
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

const KEY = 'pinned-runs';
/** Programs whose pinned runs are kept, of those pinned last. */
const KEPT = 30;

const isPinned = object<Pinned>({
  time: where(number, (value) => value >= 0 && value <= 8.64e15),
  adapter: text,
  rows: list(
    object<PinnedRow>({
      kernel: text,
      grid: list(number),
      spread: object<Spread>({
        clock: oneOf('gpu', 'cpu'),
        quantum: number,
        median: number,
        low: number,
        high: number,
        of: oneOf('quartiles', 'deciles', 'one'),
        n: number,
      }),
    }),
  ),
  charts: list(object<Pinned['charts'][number]>({ name: text, lines: list(line) })),
});
type Pins = Readonly<Record<string, Pinned>>;
const isPins = dictionary(isPinned);

/** By the ids of programs, which outlive the page. */
const usePins = create<{ readonly pins: Pins }>(() => ({ pins: loadJson<Pins>(KEY, {}, isPins) }));

/** The pinned run of the program in view. */
export function usePinned(): Pinned | null {
  const program = useDocument((state) => state.program);
  return usePins((state) => state.pins[program] ?? null);
}

function set(program: string, pinned: Pinned | null): void {
  const { [program]: _, ...others } = usePins.getState().pins;
  const latest = Object.entries(others).slice(pinned ? 1 - KEPT : 0);
  const pins = Object.fromEntries(pinned ? [...latest, [program, pinned]] : latest);
  usePins.setState({ pins });
  saveJson(KEY, pins);
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

/** @param text what is done, for the way back. */
function change(text: string, pinned: Pinned | null): void {
  const { program } = useDocument.getState();
  const before = usePins.getState().pins[program] ?? null;
  pushUndo({ text, undo: () => set(program, before) });
  set(program, pinned);
}

export function pin(record: RunRecord, time = Date.now()): void {
  change('Pinned a run', pinnedOf(record, time));
}
export function unpin(): void {
  change('Unpinned the run', null);
}

/**
 * The pinned row of each row now: of the same kernel and grid, else (a block size was tuned, so the
 * grid changed) the one of the same kernel in the same place of the order. None is used twice.
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
