/** Notes on what no launch of a run exercised. */
import { beforeAll, expect, it } from 'vitest';
import type { Parser } from '../../compiler/1-parse/parser';
import { testParser } from '../../compiler/1-parse/testing/testParser';
import { launchFor, ramp, requestFor } from '../../compiler/inspect/testing/launches';
import type { LaunchInputs } from '../../compiler/inspect/launch';
import { createCompiler } from '../../compiler/pipeline';
import { unexercisedOf } from './unexercised';

let parser: Parser;
beforeAll(async () => {
  parser = await testParser();
});

/** Lines of a kernel begin at 5. */
const notes = (...launches: readonly LaunchInputs[]): string[] =>
  unexercisedOf(launches, createCompiler(parser)).map(
    ({ kind, operation, location }) => `${kind} ${location.line} ${operation}`,
  );

const COPY = `def copy(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(y_ptr + i, x, mask=i < n)
`;
const copy = (n: number, key = 'key'): LaunchInputs => {
  const signature = { x_ptr: '*fp32', y_ptr: '*fp32', n: 'i32', BLOCK: 64 } as const;
  const request = requestFor(parser, COPY, signature);
  const grid = [Math.ceil(n / 64), 1, 1] as const;
  return { ...launchFor(request, grid, [{ data: ramp(n) }, { data: ramp(n) }, n]), key };
};

const WHOLE = ['mask 7 load of x_ptr', 'mask 8 store of y_ptr'];

it('name masks that leave out no lane, in any launch', () => {
  expect(notes(copy(128))).toEqual(WHOLE);
  expect(notes(copy(128), copy(64), copy(192, 'other'))).toEqual(WHOLE);
  expect(unexercisedOf([copy(128)], createCompiler(parser))[0]!.message).toBe(
    'the mask was true in every lane: no launch had a partial tile here, and the edge is not tested',
  );
});

it('have no mask of which one launch has a partial tile, whichever it is', () => {
  expect(notes(copy(100))).toEqual([]);
  expect(notes(copy(128), copy(100))).toEqual([]);
  expect(notes(copy(1), copy(128, 'other'))).toEqual([]);
});

it('name a mask of a constexpr size, which folds to true', () => {
  const text = `def norm(x_ptr, y_ptr, N: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(y_ptr + i, tl.load(x_ptr + i, mask=i < N), mask=i < N)
`;
  const norm = (n: number): LaunchInputs => {
    const request = requestFor(parser, text, { x_ptr: '*fp32', y_ptr: '*fp32', N: n, BLOCK: 64 });
    const args = [{ data: ramp(n) }, { data: ramp(n) }];
    return { ...launchFor(request, [1, 1, 1], args), key: String(n) };
  };
  expect(notes(norm(64))).toEqual(['mask 7 load of x_ptr', 'mask 7 store of y_ptr']);
  expect(notes(norm(64), norm(50))).toEqual([]);
});

const scan = (update: string, n: number): LaunchInputs => {
  const text = `def scan(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    carry = 0.0
    for start in range(0, n, BLOCK):
        x = tl.load(x_ptr + start + tl.arange(0, BLOCK))
        tl.store(y_ptr + start + tl.arange(0, BLOCK), tl.cumsum(x, axis=0) + carry)
        carry ${update} tl.sum(x, axis=0)
`;
  const request = requestFor(parser, text, { x_ptr: '*fp32', y_ptr: '*fp32', n: 'i32', BLOCK: 64 });
  return launchFor(request, [1, 1, 1], [{ data: ramp(n) }, { data: ramp(n) }, n]);
};

it('name a loop over an argument that runs at most once', () => {
  expect(notes(scan('+=', 64))).toEqual(['loop 7 loop']);
  expect(notes(scan('+=', 128))).toEqual([]);
  expect(notes(scan('+=', 64), scan('+=', 128))).toEqual([]);
});

it('name a loop that replaces what it carries, up to two iterations', () => {
  expect(notes(scan('=', 128))).toEqual(['loop 7 loop']);
  expect(notes(scan('=', 192))).toEqual([]);
});

it('have no loop with constant bounds', () => {
  const text = `def fixed(y_ptr, BLOCK: tl.constexpr):
    for start in range(0, 1):
        tl.store(y_ptr + start * BLOCK + tl.arange(0, BLOCK), 1.0)
`;
  const request = requestFor(parser, text, { y_ptr: '*fp32', BLOCK: 64 });
  expect(notes(launchFor(request, [1, 1, 1], [{ data: ramp(64) }]))).toEqual([]);
});

it('name an access that no program came to', () => {
  const text = `def tail(x_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    if n > 64:
        tl.store(x_ptr + 64 + i, 1.0, mask=i < n - 64)
    else:
        tl.store(x_ptr + i, 1.0, mask=i < n)
`;
  const request = requestFor(parser, text, { x_ptr: '*fp32', n: 'i32', BLOCK: 64 });
  const tail = (n: number): LaunchInputs => launchFor(request, [1, 1, 1], [{ data: ramp(n) }, n]);
  expect(notes(tail(50))).toEqual(['access 8 store of x_ptr']);
  expect(notes(tail(50), tail(100))).toEqual([]);
});

it('say nothing of a mask whose values in memory were not kept', () => {
  const text = `def chosen(at_ptr, y_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(y_ptr + i, 1.0, mask=tl.load(at_ptr + i) == 0)
`;
  const request = requestFor(parser, text, { at_ptr: '*i32', y_ptr: '*fp32', BLOCK: 64 });
  const kept = launchFor(request, [1, 1, 1], [{ data: new Int32Array(64) }, { data: ramp(64) }]);
  expect(notes(kept)).toEqual(['mask 7 store of y_ptr']);
  const storages = kept.storages.map((storage) => ({ ...storage, contents: null }));
  expect(notes({ ...kept, storages })).toEqual([]);
});
