import { beforeEach, expect, it } from 'vitest';
import { choosePanel, split, suggestPanel, unsplit, useView } from './view';

const shown = (): unknown[] => {
  const { panel, second } = useView.getState();
  return [panel, second];
};
beforeEach(() =>
  useView.setState({ panel: 'output', second: null, group: 'first', chosen: false }),
);

it('never shows one panel in both groups', () => {
  choosePanel('passes');
  split('right');
  expect(shown()).toEqual(['passes', 'wgsl']);
  // Into the group named; the other's panel changes places.
  choosePanel('wgsl', 'first');
  expect(shown()).toEqual(['wgsl', 'passes']);
  // Without a group: where it is, else where the visitor chose last.
  choosePanel('passes');
  expect(useView.getState().group).toBe('second');
  choosePanel('timing');
  expect(shown()).toEqual(['wgsl', 'timing']);
  split('below', 'wgsl');
  expect(new Set(shown()).size).toBe(2);
});

it('keeps the other panel where a group is closed', () => {
  split('below', 'timing');
  useView.setState({ group: 'second' });
  unsplit();
  expect(shown()).toEqual(['timing', null]);
});

it('takes no suggestion against the visitor’s choice, nor for what is in view', () => {
  suggestPanel('compare');
  expect(shown()).toEqual(['compare', null]);
  split('below', 'output');
  suggestPanel('output');
  expect(shown()).toEqual(['compare', 'output']);
  choosePanel('wgsl', 'first');
  suggestPanel('compare');
  expect(shown()).toEqual(['wgsl', 'output']);
});
