import { beforeEach, expect, it } from 'vitest';
import { choosePanel, settlePanel, split, suggestPanel, unsplit, useView } from './view';

const shown = (): unknown[] => {
  const { panel, second } = useView.getState();
  return [panel, second];
};
beforeEach(() =>
  useView.setState({ panel: 'output', second: null, group: 'first', chosen: false, choice: null }),
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

it('stays after a run that went well where its news are, and where the visitor knows to be', () => {
  const run = (shown: Partial<Parameters<typeof settlePanel>[0]>): unknown => {
    useView.setState({ chosen: false });
    settlePanel({ comparisons: true, timings: true, before: false, ...shown });
    return useView.getState().panel;
  };
  choosePanel('timing');
  expect(run({})).toBe('timing');
  expect(run({ timings: false })).toBe('output');
  // The page led to a failed comparison; that it holds now is seen there.
  suggestPanel('compare');
  expect(run({})).toBe('compare');
  // A first run shows its output; later ones leave a chosen panel alone.
  choosePanel('wgsl');
  expect(run({})).toBe('output');
  choosePanel('wgsl');
  expect(run({ before: true })).toBe('wgsl');
  useView.setState({ panel: 'passes', choice: 'link' });
  expect(run({})).toBe('passes');
});
