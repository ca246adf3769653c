/**
 * Values that share a WGSL variable: sums in place, and copies where an old value is still read.
 */
import { expect, it } from 'vitest';
import { sequentialize_copies } from '../5-threads/sequentialize_copies';
import { UNKNOWN_LOCATION } from '../ir/location';
import { ThreadBuilder } from '../ir/thread/builder';
import type { ThreadValue } from '../ir/thread/ir';
import { surveyThreads } from '../ir/thread/survey';
import { F32, memory } from '../ir/thread/types';
import { printBody } from './body';
import { Writer } from './writer';
import { Names } from './names';

/** The statements of a kernel with an array `x` and a number of iterations `n`. */
function print(make: (b: ThreadBuilder, x: ThreadValue, n: ThreadValue) => void): string {
  const b = new ThreadBuilder('k', UNKNOWN_LOCATION);
  const buffer = { kind: 'buffer', group: 0, written: true } as const;
  const x = b.buffer(memory('storage', F32, [0]), buffer, 'x');
  const n = b.word({ kind: 'grid', axis: 0 });
  make(b, x, n);
  b.create('thread.return', []);
  const func = b.finish();
  sequentialize_copies(func);
  const { writer } = printBody(
    func,
    surveyThreads(func),
    ['x', 'n'],
    new Names(),
    '0u',
    new Writer(1),
  );
  return writer.lines.map(({ text }) => text.slice(2)).join('\n');
}

it('adds to a carried sum in place', () => {
  const text = print((b, x, n) => {
    const [sum] = b.for(n, [b.f32(0)], (k, [acc]) => [b.x`fma(${b.load(x, k)}, 2.0f, ${acc!})`], {
      hints: ['acc'],
    });
    b.store(x, b.u32(0), sum!);
  });
  expect(text).toMatchInlineSnapshot(`
    "var acc: f32 = 0.0f;
    for (var k = 0u; k < 0xffffffffu; k++) {
      if (k >= n) { break; }
      acc = fma(x[k], 2.0f, acc);
    }
    x[0u] = acc;"
  `);
});

it('exchanges two carried values through a copy', () => {
  const text = print((b, x, n) => {
    const [p, q] = b.for(n, [b.f32(1), b.f32(2)], (_, [p, q]) => [q!, p!], { hints: ['p', 'q'] });
    b.store(x, b.u32(0), b.x`${p!} - ${q!}`);
  });
  expect(text).toMatchInlineSnapshot(`
    "var p: f32 = 1.0f;
    var q: f32 = 2.0f;
    for (var k = 0u; k < 0xffffffffu; k++) {
      if (k >= n) { break; }
      let next = p;
      p = q;
      q = next;
    }
    x[0u] = p - q;"
  `);
});

it('keeps a value that the next iteration reads again', () => {
  const text = print((b, x, n) => {
    const [start] = b.if(
      b.x`${n} > 3u`,
      () => [b.load(x, b.u32(0))],
      () => [b.f32(0)],
      ['start'],
    );
    b.for(n, [], (i) => {
      const [sum] = b.for(n, [start!], (k, [acc]) => [b.x`${acc!} + ${b.load(x, k)}`], {
        hints: ['acc'],
      });
      b.store(x, i, sum!);
      return [];
    });
  });
  // The inner loop must not begin at the sum of the last one.
  expect(text).toMatch(/var acc: f32 = start;/);
});

it('does not move an expression behind a change of what it reads', () => {
  const text = print((b, x, n) => {
    b.for(
      n,
      [b.f32(1)],
      (k, [acc]) => {
        const before = b.x`${acc!} * 3.0f`;
        const [next] = b.if(
          b.x`${k} > 2u`,
          () => [b.x`${acc!} + 1.0f`],
          () => [acc!],
          ['next'],
        );
        b.store(x, k, before);
        return [next!];
      },
      { hints: ['acc'] },
    );
  });
  expect(text.indexOf('acc * 3.0f')).toBeLessThan(text.indexOf('acc + 1.0f'));
});

it('keeps a carried vector whose components are read behind a branch', () => {
  const text = print((b, x, n) => {
    const init = b.vector([b.f32(1), b.f32(2)]);
    b.for(
      n,
      [init],
      (k, [held]) => {
        const [first] = b.components(held!);
        const [next] = b.if(
          b.x`${k} > 2u`,
          () => [b.vector([b.load(x, k), b.load(x, n)])],
          () => [held!],
          ['next'],
        );
        b.store(x, k, first!);
        return [next!];
      },
      { hints: ['held'] },
    );
  });
  expect(text).toMatch(/var next: vec2<f32> = held;/);
  expect(text.indexOf('x[k] = held.x')).toBeLessThan(text.indexOf('held = next'));
});

it('prints a load where it is used, but behind no store', () => {
  const text = print((b, x, n) => {
    const zero = b.u32(0);
    const [before, behind] = [b.load(x, zero), b.load(x, n)];
    b.store(x, zero, behind);
    b.store(x, n, before);
  });
  expect(text).toMatchInlineSnapshot(`
    "let v = x[0u];
    x[0u] = x[n];
    x[n] = v;"
  `);
});

it('reads a variable of the thread by its name until something is stored there', () => {
  const text = print((b, x, n) => {
    const count = b.variable('count', F32, b.f32(0));
    const first = b.load(count);
    b.store(x, b.u32(0), b.x`${first} * ${first}`);
    b.if(b.x`${n} > 2u`, () => {
      b.store(count, b.f32(1));
      return [];
    });
    const second = b.load(count);
    b.store(count, b.x`${second} + 1.0f`);
    b.store(x, n, second);
  });
  expect(text).toMatchInlineSnapshot(`
    "var count: f32 = 0.0f;
    x[0u] = count * count;
    if (n > 2u) {
      count = 1.0f;
    }
    let v = count;
    count = v + 1.0f;
    x[n] = v;"
  `);
});

it('keeps what is computed once out of loops, and floats on their side of a load', () => {
  const text = print((b, x, n) => {
    const start = b.load(x, n);
    const twice = b.x`${start} * 2.0f`;
    const sum = b.x`${start} + 3.0f`;
    const next = b.named('next', b.load(x, b.u32(1)));
    b.store(x, n, b.x`${sum} - ${next}`);
    b.for(b.x`${n} / 4u`, [], (k) => {
      b.store(x, k, twice);
      return [];
    });
  });
  expect(text).toMatchInlineSnapshot(`
    "let v = x[n];
    let v_1 = v * 2.0f;
    let v_2 = v + 3.0f;
    let next = x[1u];
    x[n] = v_2 - next;
    let v_3 = n / 4u;
    for (var k = 0u; k < 0xffffffffu; k++) {
      if (k >= v_3) { break; }
      x[k] = v_1;
    }"
  `);
});

it('prints components of a vector that has no name from one evaluation of it', () => {
  const text = print((b, x, n) => {
    const vector = b.x`vec2<f32>(${b.load(x, n)}, 1.0f) * 2.0f`;
    const first = b.extract(vector, 0);
    b.store(x, n, b.x`${first} * ${first}`);
  });
  expect(text).toMatchInlineSnapshot(`
    "let v = (vec2<f32>(x[n], 1.0f) * 2.0f).x;
    x[n] = v * v;"
  `);
});
