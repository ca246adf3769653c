import { expect, it } from 'vitest';
import { visibleText } from './visibleText';

it('names every character that reorders text, and leaves all others', () => {
  expect(visibleText('yp.\u202Eexe\u202C \u2066a\u2069 \u061C\u200F')).toBe(
    'yp.[U+202E]exe[U+202C] [U+2066]a[U+2069] [U+061C][U+200F]',
  );
  const plain = 'Grüße 🐎 שלום \u00A0 a\tb\n';
  expect(visibleText(plain)).toBe(plain);
});
