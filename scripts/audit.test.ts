import { expect, it } from 'vitest';
import { failing, readAudit } from './audit';

const found = { name: 'x', severity: 'moderate', range: '<2' } as const;

it('reads what npm found, and takes no failure for a clean answer', () => {
  expect(readAudit(JSON.stringify({ vulnerabilities: { x: found } }))).toEqual({ found: [found] });
  expect(readAudit('{"vulnerabilities":{}}')).toEqual({ found: [] });
  expect(readAudit('{"message":"405 Method Not Allowed"}')).toEqual({
    failure: '405 Method Not Allowed',
  });
  expect(readAudit('{"error":{"code":"ENOAUDIT","summary":"no registry"}}')).toEqual({
    failure: 'no registry',
  });
  for (const text of ['', '{}', 'npm error code E405\nmore'])
    expect(readAudit(text)).toHaveProperty('failure');
});

it('fails on anything that is shipped, and on severe ones of the rest', () => {
  expect(failing(found, true)).toBe(true);
  expect(failing(found, false)).toBe(false);
  expect(failing({ ...found, severity: 'high' }, false)).toBe(true);
});
