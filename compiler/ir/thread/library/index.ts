/** The helper functions that an emitted module may contain; only those that it uses are written. */
import { F64_HELPERS } from './f64';
import { F64_CONVERSION_HELPERS } from './f64Convert';
import { F64_MATH_HELPERS } from './f64Math';
import { FLOAT_HELPERS } from './float';
import { I64_HELPERS } from './i64';
import { IEEE_HELPERS } from './ieee';
import { MATH_HELPERS } from './math';
import { ROUNDING_HELPERS } from './rounding';
import type { Helper } from './table';

const table = {
  ...I64_HELPERS,
  ...ROUNDING_HELPERS,
  ...FLOAT_HELPERS,
  ...IEEE_HELPERS,
  ...MATH_HELPERS,
  ...F64_HELPERS,
  ...F64_CONVERSION_HELPERS,
  ...F64_MATH_HELPERS,
};
export type HelperName = keyof typeof table;
export const HELPERS: Readonly<Record<HelperName, Helper>> = table;

/** The helpers that a helper's text calls. */
function callees(name: HelperName): HelperName[] {
  const called = [...HELPERS[name].text.matchAll(/\b(\w+)\(/g)].map((match) => match[1]!);
  return called.filter((word): word is HelperName => word !== name && word in HELPERS);
}

/** The texts of these helpers and of those they call, each once, in a stable order. */
export function helperTexts(wanted: Iterable<HelperName>, software: boolean): string[] {
  const all = new Set<HelperName>();
  const add = (name: HelperName): void => {
    if (all.has(name)) return;
    all.add(name);
    callees(name).forEach(add);
  };
  for (const name of wanted) add(name);
  return (Object.keys(HELPERS) as HelperName[])
    .filter((name) => all.has(name))
    .map((name) => (software ? HELPERS[name].software : undefined) ?? HELPERS[name].text);
}
