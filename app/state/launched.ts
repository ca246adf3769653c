/**
 * Specializations of each program's kernels in its last run: the text is checked for them in
 * place of a guess, also after a reload.
 */
import type { LastLaunches } from '../../compiler/language/checkProgram';
import type { Specialization } from '../../compiler/program';
import { dictionary, list } from '../shapes/check';
import { specialization } from '../shapes/compiler';
import type { RunRecord } from './record';
import { loadJson, saveJson } from './storage';

const KEY = 'launched';
/** Programs that are remembered, of those run last. */
const PROGRAMS = 20;
/** Specializations of a kernel that the text is checked for. */
const EACH = 2;

type Kept = Readonly<Record<string, LastLaunches>>;
/** A launch that cannot be kept is known while the page is open. */
const known = new Map<string, LastLaunches>();

const isKept = dictionary(dictionary(list(specialization)));

/** By kernel; what the program itself launched, not what only a benchmark or the tuner tried. */
export function launchedIn(record: RunRecord): LastLaunches {
  const found: Record<string, Specialization[]> = {};
  for (const { first } of record.groups) {
    const known = (found[first.kernel] ??= []);
    const one = record.specializations.find(({ key }) => key === first.key)?.request.specialization;
    if (first.benchmark || !one || known.length >= EACH || known.includes(one)) continue;
    known.push(one);
  }
  return found;
}

/** @param program its id, which outlives the page */
export function keepLaunched(program: string, record: RunRecord): void {
  // A check launches with sizes of its own.
  if (record.checking) return;
  const launches = { ...keptLaunched(program), ...launchedIn(record) };
  known.set(program, launches);
  const { [program]: _, ...others } = loadJson<Kept>(KEY, {}, isKept);
  const entries = [...Object.entries(others).slice(1 - PROGRAMS), [program, launches] as const];
  saveJson(KEY, Object.fromEntries(entries));
}

export function keptLaunched(program: string): LastLaunches {
  return known.get(program) ?? loadJson<Kept>(KEY, {}, isKept)[program] ?? {};
}
