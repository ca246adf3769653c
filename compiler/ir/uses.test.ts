import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Uses } from './uses';

it('holds what a Set would, in its order, with few users and with many', () => {
  const users = Array.from({ length: 40 }, (_, id) => ({ id }));
  const mostly = fc.nat(9).map((n) => n < 7);
  const user = fc.constantFrom(...users);
  const step = fc.record({ add: mostly, check: fc.boolean(), user });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const [uses, set] = [new Uses<object>(), new Set<object>()];
      for (const { add, check, user } of steps) {
        if (!add) [uses, set].forEach((each) => each.delete(user));
        else if (!set.has(user) || [...set].at(-1) === user)
          [uses, set].forEach((each) => each.add(user));
        expect(uses.size).toBe(set.size);
        if (check) expect(uses.has(user)).toBe(set.has(user));
        expect(uses.only).toBe(set.size === 1 ? [...set][0] : undefined);
      }
      expect([...uses]).toEqual([...set]);
    }),
  );
});

it('iterates over the users of the beginning, whatever is deleted meanwhile', () => {
  const users = Array.from({ length: 30 }, (_, id) => ({ id }));
  const uses = new Uses<object>();
  for (const user of users) uses.add(user);
  let seen = 0;
  for (const user of uses) {
    uses.delete(user);
    seen++;
  }
  expect([seen, uses.size]).toEqual([30, 0]);
});

it('is not compared with 1: an operation that uses a value twice counts once', () => {
  const compiler = join(import.meta.dirname, '..');
  const found = readdirSync(compiler, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .filter((file) => /uses\.size [!=]== 1/.test(readFileSync(join(compiler, file), 'utf8')));
  expect(found).toEqual([]);
});
