/** The runtime library: functions in WGSL; a module contains those that it uses. */
import type { MachineFacts } from '../../../machine';
import type { LibraryFunction, Routine } from './define';
import { printRoutine } from './define';
import * as f64 from './f64';
import * as f64Conversions from './f64Convert';
import * as f64Math from './f64Math';
import * as f64Order from './f64Order';
import * as f64Power from './f64Power';
import * as float from './float';
import { FLOAT8_FUNCTIONS } from './float8';
import * as i64 from './i64';
import * as ieee from './ieee';
import * as math from './math';
import * as rounding from './rounding';

const table = {
  ...i64,
  ...rounding,
  ...FLOAT8_FUNCTIONS,
  ...float,
  ...ieee,
  ...math,
  ...f64,
  ...f64Order,
  ...f64Conversions,
  ...f64Math,
  ...f64Power,
};
type Table = typeof table;
/** A name of a function that thread IR may call. */
export type LibraryName = {
  [K in keyof Table]: Table[K] extends LibraryFunction ? K : never;
}[keyof Table];

/** All functions of the library by name, also those that only others call. */
export const ROUTINES: Readonly<Record<string, Routine>> = table;

/** A function that thread IR may call; undefined where there is none of this name. */
export function libraryFunction(name: string): LibraryFunction | undefined {
  if (!Object.hasOwn(ROUTINES, name)) return undefined;
  const found = ROUTINES[name]!;
  return 'evaluate' in found ? (found as LibraryFunction) : undefined;
}

/** The texts of these functions and of those that they call, callees first. */
export function libraryTexts(
  names: Iterable<string>,
  { signedVectorsOnly }: Pick<MachineFacts, 'signedVectorsOnly'>,
): string[] {
  const all = new Set<Routine>();
  const add = (routine: Routine): void => {
    if (all.has(routine)) return;
    const { callees } = (signedVectorsOnly ? routine.signed : undefined) ?? routine.wgsl;
    callees.forEach(add);
    all.add(routine);
  };
  for (const name of names) add(ROUTINES[name]!);
  return [...all].map((routine) => printRoutine(routine, signedVectorsOnly));
}
