/**
 * Programs that Triton rejects are rejected here, at the same line and with the code that stands
 * above them; what it accepts, we accept. `testdata/refusals/*.py` are the programs,
 * `refusals.json` is what Triton 3.8's own front end says (`testdata/refused.py`).
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { testParser } from '../1-parse/testing/testParser';
import type { StaticValue } from '../program';
import { lowerText, type ArgumentText } from './testing/lowerText';

const FOLDER = join(import.meta.dirname, 'testdata', 'refusals');
interface Refusal {
  /** Null where Triton does not say. */
  readonly line: number | null;
  readonly message: string;
}
const REFUSALS = JSON.parse(
  readFileSync(join(import.meta.dirname, 'testdata', 'refusals.json'), 'utf8'),
) as Record<string, Record<string, Refusal | null>>;
const CASE = /^# (HC\d{4}|accepted)(?::\s*(.*))?\n(?:@.*\n)+def (\w+)/gm;
/** We refuse what Triton accepts, on purpose. */
const STRICTER = new Set([
  'unpack_too_many',
  'atomic_and_of_float',
  'dot_acc_dtype',
  // Its front end takes them, and its later passes fail.
  'histogram_of_int64',
  'histogram_of_int8',
]);

const parser = await testParser();

/** `a=*fp32`, `N==4`, `D==tl.float32`. */
function argument(text: string): [string, ArgumentText] {
  const [, name = '', value = ''] = /^(\w+)=(.*)$/.exec(text) ?? [];
  return [name, value.startsWith('=') ? { constexpr: constant(value.slice(1)) } : value];
}
function constant(text: string): StaticValue {
  if (text === 'None') return { kind: 'none' };
  if (text === 'True' || text === 'False') return { kind: 'bool', value: text === 'True' };
  if (text.startsWith('tl.')) return { kind: 'dtype', name: text.slice(3) };
  if (/^["']/.test(text)) return { kind: 'string', value: text.slice(1, -1) };
  if (text.startsWith('float(')) return { kind: 'float', value: text.slice(7, -2) };
  return /^-?\d+$/.test(text) ? { kind: 'int', value: text } : { kind: 'float', value: text };
}

describe.each(readdirSync(FOLDER).filter((name) => name.endsWith('.py')))('%s', (file) => {
  const text = readFileSync(join(FOLDER, file), 'utf8');
  const cases = [...text.matchAll(CASE)].map(([, code = '', args = '', name = '']) => ({
    name,
    code,
    args: args.split(' ').filter((part) => part !== ''),
  }));
  it('has what Triton says of every case', () => {
    expect(cases.map(({ name }) => name)).toEqual(Object.keys(REFUSALS[file] ?? {}));
  });

  it.each(cases)('$name', ({ name, code, args }) => {
    const theirs = REFUSALS[file]![name]!;
    const { diagnostics } = lowerText(parser, text, name, Object.fromEntries(args.map(argument)));
    const [error] = diagnostics.filter(({ severity }) => severity === 'error');
    const ours = error
      ? `${error.code} at line ${error.location.line}: ${error.message}`
      : 'accepted';
    if (code === 'accepted') {
      expect(theirs).toBeNull();
      expect(ours).toBe('accepted');
      return;
    }
    expect(ours).not.toBe('accepted');
    if (!STRICTER.has(name)) expect(theirs).not.toBeNull();
    const line = theirs?.line ?? error!.location.line;
    expect(ours, `Triton says: ${theirs?.message ?? 'nothing'}`).toMatch(
      new RegExp(`^${code} at line ${line}:`),
    );
  });
});
