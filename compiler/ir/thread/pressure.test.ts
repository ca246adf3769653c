import { expect, it } from 'vitest';
import { UNKNOWN_LOCATION } from '../location';
import { ThreadBuilder } from './builder';
import { registerPressure } from './pressure';
import { F32 } from './types';

function kernel(): ThreadBuilder {
  return new ThreadBuilder('kernel', UNKNOWN_LOCATION);
}

it('counts what a branch uses once, whichever branches use it', () => {
  const b = kernel();
  const [x, y] = [0, 1].map((axis) =>
    b.value('thread.convert', [b.programId(axis as 0 | 1)], { types: [F32] }),
  );
  const flag = b.x`${b.programId(2)} == 0u`;
  const [result] = b.if(
    flag,
    () => [b.x`${x!} + ${y!}`],
    () => [b.x`${x!} * ${y!}`],
  );
  b.named('twice', b.x`${result!} + ${result!}`);
  b.create('thread.return', []);
  // x, y and the flag.
  expect(registerPressure(b.finish())).toBe(3);
});

it('keeps what a loop reads from outside alive until its end, through nested loops', () => {
  const b = kernel();
  const x = b.value('thread.convert', [b.programId(0)], { types: [F32] });
  const y = b.value('thread.convert', [b.programId(1)], { types: [F32] });
  const trips = b.programId(2);
  const [sum] = b.for(trips, [b.f32(0)], (_, [acc]) => {
    const [inner] = b.for(trips, [acc!], (_, [own]) => [b.x`${own!} + ${y}`]);
    const first = b.x`${inner!} * ${x}`;
    return [first];
  });
  b.named('twice', b.x`${sum!} + ${sum!}`);
  b.create('thread.return', []);
  // x, y, the number of trips, and the sum.
  expect(registerPressure(b.finish())).toBe(4);
});
