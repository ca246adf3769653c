import { beforeEach, expect, it } from 'vitest';
import type { OutputItem } from '../../state/record';
import { filtered, toggleTensor, useOutput } from './outputState';

const print = (text: string): OutputItem => ({
  kind: 'print',
  stream: 'stdout',
  text,
  omitted: 0,
});
const output: OutputItem[] = [
  print('loss: 0.25\n'),
  { kind: 'benchmark', name: 'Softmax' },
  { kind: 'more-tensors', count: 3 },
  print('done\n'),
];

beforeEach(() => useOutput.setState({ open: new Set() }));

it('filters by kind and by text, and keeps the places', () => {
  const places = (...filter: [Parameters<typeof filtered>[1], string]): number[] =>
    filtered(output, ...filter).map(({ index }) => index);
  expect(places('all', '')).toEqual([0, 1, 2, 3]);
  expect(places('prints', '')).toEqual([0, 3]);
  expect(places('all', ' SOFT ')).toEqual([1]);
  expect(places('prints', 'softmax')).toEqual([]);
  expect(places('tensors', '')).toEqual([2]);
});

it('opens and closes tensors by name', () => {
  toggleTensor('out');
  toggleTensor('x');
  toggleTensor('out');
  expect([...useOutput.getState().open]).toEqual(['x']);
});
