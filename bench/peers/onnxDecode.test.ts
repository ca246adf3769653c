import { expect, test } from 'vitest';
import { fromHalves, toHalves } from '../halves';
import type { Given } from '../work';
import { decodeModels } from './onnxDecode';
import type { Shape } from './peer';

const shape: Shape & { kind: 'grouped decode' } = {
  kind: 'grouped decode',
  type: 'f16',
  texts: 2,
  heads: 2,
  group: 2,
  length: 16,
  dim: 2,
};
// A number encodes text, token, head and column.
const tokens = Float32Array.from({ length: 2 * 16 * 2 * 2 }, (_, i) => i);
const inputs = [toHalves(new Float32Array(16)), toHalves(tokens), toHalves(tokens)];
const at = (text: number, token: number, head: number, d: number): number =>
  ((text * 16 + token) * 2 + head) * 2 + d;

/** Contents of a model's input, and its shape. */
function input(which: number, name: string): { values: number[]; size: readonly number[] } {
  const { node, data } = decodeModels(shape, inputs)[which]!;
  const i = node.inputs.findIndex((each) => each.name === name);
  const given = data[i]!;
  const values =
    given instanceof Int32Array
      ? [...given]
      : [...fromHalves(given as Exclude<Given, Float32Array>)];
  return { values, size: node.inputs[i]!.shape };
}

test('each input has as many elements as its shape says', () => {
  for (const { node, data } of decodeModels(shape, inputs))
    node.inputs.forEach(({ name, shape: size }, i) => {
      expect(data[i]!.length, name).toBe(size.reduce((a, b) => a * b));
    });
});

test('the last token is handed in as the new one, and missing from the past', () => {
  for (const which of [0, 1]) {
    const last = [0, 1].flatMap((text) =>
      [0, 1].flatMap((head) => [0, 1].map((d) => at(text, 15, head, d))),
    );
    expect(input(which, 'k').values).toEqual(last);
    expect(input(which, 'v').values).toEqual(last);
    for (const name of ['past_key', 'past_value'])
      expect(input(which, name).values.filter(Number.isNaN)).toHaveLength(last.length);
  }
});

test('grouped attention has heads before tokens, paged attention pages of tokens', () => {
  const grouped = input(0, 'past_key');
  expect(grouped.size).toEqual([2, 2, 16, 2]);
  expect(grouped.values[((1 * 2 + 1) * 16 + 5) * 2 + 1]).toBe(at(1, 5, 1, 1));
  expect(grouped.values[((1 * 2 + 1) * 16 + 15) * 2]).toBeNaN();
  const paged = input(1, 'past_key');
  expect(paged.size).toEqual([2, 16, 2, 2]);
  expect(paged.values[at(1, 5, 1, 1)]).toBe(at(1, 5, 1, 1));
  expect(paged.values[at(0, 15, 0, 0)]).toBeNaN();
});
