/**
 * Which pass is shown. The selection is an index and a name, so that it survives a recompile in
 * which passes came or went: a pass that runs twice is not mistaken for its twin.
 */
import type { PassRecord } from '../../../compiler/program';

export interface PassSelection {
  readonly index: number;
  readonly name: string;
}

/** The same index and name; else the nearest of that name; else what stands at that index. */
export function findPass(
  log: readonly PassRecord[],
  selection: PassSelection | null,
): PassRecord | null {
  if (log.length === 0) return null;
  // At first: the last pass on tiles that changed something. Threads have a line for each register.
  if (!selection) {
    const tiles = log.filter(({ phase }) => phase !== 'threads' && phase !== 'emit');
    return tiles.findLast((pass) => pass.changed && pass.ir !== '') ?? log.at(-1)!;
  }
  const exact = log.find((pass) => pass.index === selection.index && pass.name === selection.name);
  if (exact) return exact;
  const distance = (pass: PassRecord): number => Math.abs(pass.index - selection.index);
  const named = log.filter((pass) => pass.name === selection.name);
  const candidates = named.length > 0 ? named : log;
  return candidates.reduce((best, pass) => (distance(pass) < distance(best) ? pass : best));
}

export function visiblePasses(
  log: readonly PassRecord[],
  changedOnly: boolean,
  search: string,
): PassRecord[] {
  const wanted = search.trim().toLowerCase();
  // IR that a pass left as it was is not searched again.
  const searched = new Map<string, boolean>();
  const holds = (ir: string): boolean => {
    const found = searched.get(ir) ?? ir.toLowerCase().includes(wanted);
    searched.set(ir, found);
    return found;
  };
  return log.filter((pass, position) => {
    // The first one is the program as lowered: everything is compared with it.
    if (changedOnly && !pass.changed && position > 0) return false;
    if (wanted === '') return true;
    return pass.name.toLowerCase().includes(wanted) || holds(pass.ir);
  });
}

/** The pass `step` places away among the visible ones, or the end of the list. */
export function stepPass(
  visible: readonly PassRecord[],
  current: PassRecord | null,
  step: 1 | -1,
): PassRecord | null {
  if (visible.length === 0) return null;
  if (!current) return visible[0]!;
  if (step === 1) return visible.find((pass) => pass.index > current.index) ?? visible.at(-1)!;
  return visible.findLast((pass) => pass.index < current.index) ?? visible[0]!;
}

/** The IR just before a pass; empty for the first. */
export function irBefore(log: readonly PassRecord[], pass: PassRecord): string {
  const position = log.indexOf(pass);
  return log[position - 1]?.ir ?? '';
}
