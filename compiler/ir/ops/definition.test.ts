/** Definitions that lack a part do not compile; attributes of the wrong kind do not verify. */
import { describe, expect, test } from 'vitest';
import { parseFunc } from '../parser';
import { verify } from '../verifier';
import { integer } from './attributes';
import { constancyOnly } from './axis';
import { OPS, hasTrait, type OpName } from './index';
import type { Definitions, NoAttributes, OpDefinition } from './definition';
import { float } from './element';
import { sameLayout } from './layouts';
import { FLOATS } from './rules';

const DESCRIBED = { doc: '', operands: ['x'], results: 1, attributes: {}, type: FLOATS } as const;
const ELEMENTWISE = {
  ...DESCRIBED,
  kind: 'elementwise',
  element: float(Math.sqrt),
  axis: constancyOnly,
  flops: 1,
} as const;
const TILE = {
  ...DESCRIBED,
  kind: 'tile',
  interpret: () => undefined,
  layout: sameLayout('result'),
  axis: constancyOnly,
  cost: () => undefined,
} as const;

describe('the type of a definition', () => {
  type Definition = OpDefinition<NoAttributes>;
  test('takes one that is whole', () => {
    const [elementwise, tile]: Definition[] = [ELEMENTWISE, TILE];
    expect([elementwise!.kind, tile!.kind]).toEqual(['elementwise', 'tile']);
  });
  test('refuses one that lacks a part', () => {
    const { element: _, ...noElement } = ELEMENTWISE;
    const { axis: _1, ...noAxis } = ELEMENTWISE;
    const { flops: _2, ...noFlops } = ELEMENTWISE;
    const { doc: _3, ...noDoc } = ELEMENTWISE;
    const { interpret: _4, ...noStep } = TILE;
    const { layout: _5, ...noLayout } = TILE;
    const { cost: _6, ...noCost } = TILE;
    const { type: _7, ...noType } = TILE;
    const incomplete: Definition[] = [
      // @ts-expect-error: element semantics are missing
      noElement,
      // @ts-expect-error: the axis transfer is missing
      noAxis,
      // @ts-expect-error: the cost is missing
      noFlops,
      // @ts-expect-error: the documentation is missing
      noDoc,
      // @ts-expect-error: the interpreter's step is missing
      noStep,
      // @ts-expect-error: the layout rule is missing
      noLayout,
      // @ts-expect-error: the cost is missing
      noCost,
      // @ts-expect-error: the type rule is missing
      noType,
    ];
    expect(incomplete).toHaveLength(8);
  });
  test('refuses an operation without a definition, and an attribute without a kind', () => {
    interface Two {
      'tt.one': NoAttributes;
      'tt.two': { readonly axis: number };
    }
    // @ts-expect-error: tt.two is missing
    const one: Definitions<Two> = { 'tt.one': TILE };
    // @ts-expect-error: axis has no kind
    const two: Definitions<Two> = { 'tt.one': TILE, 'tt.two': TILE };
    const both: Definitions<Two> = {
      'tt.one': TILE,
      'tt.two': { ...TILE, attributes: { axis: integer } },
    };
    expect([one, two, both].map((family) => Object.keys(family).length)).toEqual([1, 2, 2]);
  });
});

describe('the table', () => {
  const all = Object.entries(OPS) as [OpName, OpDefinition][];
  test.each(all)('documents %s', (_, { doc, operands, attributes }) => {
    expect(doc).toMatch(/\.$/);
    const known = [
      ...operands.map((name) => name.replace(/[?*]$/, '')),
      ...Object.keys(attributes),
    ];
    for (const [, name] of doc.matchAll(/\{(\w+)\}/g)) expect(known).toContain(name);
  });
  test('has commutative operations of two operands only', () => {
    const commutative = all.filter(([name]) => hasTrait(name, 'commutative'));
    expect(commutative.map(([, { operands }]) => operands.length)).not.toContain(1);
    expect(commutative.length).toBeGreaterThan(10);
  });
});

test('an attribute of another kind is a problem', () => {
  const text = (axis: string): string => `tt.func @k() {
  %x = tt.get_program_id {axis = ${axis}} : i32
  tt.return
}`;
  expect(verify(parseFunc(text('0')))).toEqual([]);
  const [problem] = verify(parseFunc(text('"x"')));
  expect(problem?.message).toBe('tt.get_program_id: attribute axis must be an integer');
});
