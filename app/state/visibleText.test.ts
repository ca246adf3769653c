import { expect, it } from 'vitest';
import { EVENTS } from '../shapes/testing';
import { readableEvent, visibleText } from './visibleText';

it('names every character that reorders text, and leaves all others', () => {
  expect(visibleText('yp.\u202Eexe\u202C \u2066a\u2069 \u061C\u200F')).toBe(
    'yp.[U+202E]exe[U+202C] [U+2066]a[U+2069] [U+061C][U+200F]',
  );
  const plain = 'Grüße 🐎 שלום \u00A0 a\tb\n';
  expect(visibleText(plain)).toBe(plain);
});

it('names characters that draw nothing, but not what joins letters and emoji', () => {
  expect(visibleText('ma\u200Bin \u00AD\uFEFF\u2060\u3164\u{E0041}')).toBe(
    'ma[U+200B]in [U+00AD][U+FEFF][U+2060][U+3164][U+E0041]',
  );
  const joined = 'می\u200Cخواهم 👩\u200D💻 ❤\uFE0F';
  expect(visibleText(joined)).toBe(joined);
});

const ODD = 'a\u202Eb\u200Bc';

/** Every text of a value, with the way to it. */
function texts(value: unknown, path = ''): [string, string][] {
  if (typeof value === 'string') return [[path, value]];
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return [];
  return Object.entries(value).flatMap(([name, one]) => texts(one, `${path}.${name}`));
}
const withOdd = (value: unknown): unknown =>
  typeof value === 'string'
    ? value + ODD
    : Array.isArray(value)
      ? value.map(withOdd)
      : typeof value === 'object' && value !== null && !ArrayBuffer.isView(value)
        ? Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withOdd(one)]))
        : value;

it.each(EVENTS.map((event) => [event.type, event] as const))(
  'makes every name in an event visible: %s',
  (type, event) => {
    expect(readableEvent(event)).toBe(event);
    const shown = readableEvent({ ...(withOdd(event) as typeof event), type } as typeof event);
    const left = texts(shown).filter(([, text]) => text.includes('\u202E'));
    const raw = /\.values\.|\.(?:request|program|image|data|key|specialization|kernel)(?:\.|$)/;
    if (type === 'print') expect(left).toHaveLength(2);
    else expect(left.filter(([path]) => !raw.test(path))).toEqual([]);
  },
);
